"""Networks trained by gradient descent on generated texts, against their leading terms."""

from __future__ import annotations

import math
from functools import lru_cache

import torch
from torch import Tensor

from claims.domain import Point
from claims.im2026 import trained_weights as claims
from claims.im2026.notation import T, depth, eta, s, words
from numeric.agreement import Measured, rounding
from numeric.im2026.corpora import Statistics, generated, statistics
from numeric.im2026.network import Weights, descent, gaussian_start, zero_start
from numeric.registry import measures
from numeric.sampling import generator

SEQUENCES = 4
MOST = 5
"""Steps that are remembered together."""


@lru_cache(maxsize=16)
def corpus(kind: str, length: int, vocabulary: int) -> tuple[Tensor, Statistics]:
    """A text and its statistics: a chain, or two words in turn."""
    if kind == "pair":
        tokens = (torch.arange(length + 1) % 2).repeat(SEQUENCES, 1)
    else:
        rng = generator(0, "trained weights", kind, length)
        tokens = generated(kind, rng, SEQUENCES, length, vocabulary)
    return tokens, statistics(tokens, vocabulary)


Run = tuple[str, int, int, int, float, bool]


@lru_cache(maxsize=2)
def _trajectory(run: Run, steps: int) -> tuple[Weights, ...]:
    """The weights after 0, ..., `steps` steps: some ten megabytes at a model's size."""
    kind, length, vocabulary, layers, rate, gaussian = run
    start = zero_start(layers, length, vocabulary)
    if gaussian:
        rng = generator(0, "gaussian start", layers, length)
        start = gaussian_start(rng, layers, length, vocabulary, rate**2 / length**2)
    return tuple(descent(start, corpus(kind, length, vocabulary)[0], rate, steps))


@lru_cache(maxsize=128)
def _longest(run: Run, horizon: float) -> int:
    """How many steps the horizon of the theorem leaves, at most `MOST`."""
    return min(MOST, math.floor(horizon / run[4] + 1e-9))


def _weights_after(run: Run, steps: int, horizon: float) -> Weights:
    return _trajectory(run, max(steps, _longest(run, horizon)))[steps]


def _count(steps: int) -> int:
    """How many eta^4 the attention weights move along their leading term."""
    return 3 * math.comb(steps, 4) + 2 * math.comb(steps, 3)


def distances(weights: Weights, target: Statistics, steps: int, rate: float) -> tuple[float, ...]:
    """Of W_O, V, W, P from their leading terms, the largest over layers."""
    attention = _count(steps) * rate**4
    value = math.comb(steps, 2) * rate**2 * target.value
    pairs = (
        (weights.value, value), (weights.attention, attention * target.words),
        (weights.positions, attention * target.positions),
    )  # fmt: skip
    first = float((weights.output - steps * rate * target.bigram).norm())
    return first, *(max(float((one - term).norm()) for one in layers) for layers, term in pairs)


def _measured(point: Point, gaussian: bool, horizon: float) -> tuple[Measured, ...]:
    kind, rate = point[claims.text], float(point[eta])
    steps, layers = int(point[s]), int(point[depth])
    run = (kind, int(point[T]), int(point[words]), layers, rate, gaussian)
    return _distances(run, steps, horizon)


@lru_cache(maxsize=512)
def _distances(run: Run, steps: int, horizon: float) -> tuple[Measured, ...]:
    """Remembered for the claims that share a run; its weights are not."""
    weights = _weights_after(run, steps, horizon)
    target = corpus(*run[:3])[1]
    sizes = (weights.output, weights.value, weights.attention, weights.positions)
    found = zip(distances(weights, target, steps, run[4]), sizes, strict=True)
    return tuple(Measured(value, rounding(value, size)) for value, size in found)


def _horizon(point: Point) -> float:
    return min(1 / (12 * int(point[depth])), 5 / (8 * math.sqrt(int(point[T]))))


@measures(*claims.SHORT.values())
def of_many_layers(point: Point) -> tuple[Measured, ...]:
    """Theorem D.10, without its factor T."""
    return _measured(point, False, _horizon(point))[2:]


@measures(*claims.FROM_GAUSSIANS.errors.values())
def from_gaussians(point: Point) -> tuple[Measured, ...]:
    """Theorem D.13."""
    return _measured(point, True, _horizon(point))
