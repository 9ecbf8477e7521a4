"""How far trained weights are from their leading terms, and coefficients of weights as eta goes to zero."""

from __future__ import annotations

from itertools import pairwise
from math import ceil, comb, log2
from typing import Any

import torch
from torch import Tensor

from claims.domain import Point
from claims.im2026 import leading_terms as claims
from claims.im2026.notation import depth, eta, s, words
from numeric.agreement import Measured, rounding
from numeric.im2026.corpora import Statistics, statistics
from numeric.im2026.network import Weights, descent, tokens_of, zero_start
from numeric.im2026.texts import statistics_at, weights_after
from numeric.reach import Reach
from numeric.registry import measures
from numeric.remembered import remembered

TRAINED = Reach(200, "a network is trained for each reading, every step of it on all of the text")


def leading(maps: Statistics, steps: int, rate: float) -> Weights:
    """The leading terms after `steps` steps, as weights of one layer."""
    fourth = (3 * comb(steps, 4) + 2 * comb(steps, 3)) * rate**4
    return Weights(
        fourth * maps.words, fourth * maps.positions, comb(steps, 2) * rate**2 * maps.value,
        steps * rate * maps.bigram,
    )  # fmt: skip


FIELDS = {"W_O": "output", "V": "value", "W": "attention", "P": "positions"}
SUMMED = {"W_O": 1, "V": 2, "W": 4, "P": 4}
"""The power of steps times rate that the terms of a weight have: they may cancel, their rounding does not."""


def _of_layer(weights: Weights, name: str, layer: int) -> Tensor:
    own: Tensor = getattr(weights, FIELDS[name])
    return own if name == "W_O" else own[layer - 1]


@measures(claims.relative_error, reach=TRAINED)
def relative_error(point: Point, layer: int, step: int) -> Measured:
    """The Frobenius norm of W less its leading term, over that of this term."""
    weight = weights_after(point, step).attention[layer - 1]
    term = leading(statistics_at(point), step, float(point[eta])).attention
    summed = (step * float(point[eta])) ** SUMMED["W"]
    error = Measured(float((weight - term).norm()), rounding(weight.norm(), term.norm(), summed))
    return Measured(error.value / float(term.norm()), error.error / float(term.norm()))


# Coefficients -------------------------------------------------------------------------------------

LARGEST, HALVINGS = 2.0**-6, 5
"""The largest of the learning rates from which there is extrapolation to zero, and how many they are."""


def small_rates(layers: int, steps: int) -> list[float]:
    """Learning rates, halved each time: what they are small beside is one over all layers' steps.

    >>> small_rates(1, 3) == [2.0**-k for k in (6, 7, 8, 9, 10)], small_rates(8, 8)[0] == 2.0**-8
    (True, True)
    """
    largest = min(LARGEST, 2.0 ** -ceil(log2(4 * layers * steps)))
    return [largest / 2**halving for halving in range(HALVINGS)]


@remembered(maxsize=64)
def _after_small_rates(
    tokens: tuple[tuple[int, ...], ...], vocabulary: int, layers: int, steps: int
) -> list[Weights]:
    """The weights after `steps` steps from zero, at each learning rate."""
    text = torch.tensor(tokens)
    start = zero_start(layers, text.shape[1] - 1, vocabulary)
    return [list(descent(start, text, rate, steps))[-1] for rate in small_rates(layers, steps)]


def extrapolated(values: list[Tensor], noise: float) -> tuple[Tensor, Tensor]:
    """The limit of a function that is analytic at zero, from its values at h, h/2, h/4, ...

    Its error is taken to be the most that the last two estimates before it differ from it, and the
    noise of the values, whose bound leaves room for the extrapolation, which multiplies it by less than
    ten.  An entry in which estimates happen to be close is no better known than the others.
    """
    rows = [values]
    for order in range(1, len(values)):
        rows.append([b + (b - a) / (2**order - 1) for a, b in pairwise(rows[-1])])
    best = rows[-1][0]
    apart = max(float((best - before).abs().max()) for before in rows[-2])
    return best, torch.full_like(best, apart + noise)


def _coefficient(point: Point, name: str, order: int, layer: int) -> tuple[Tensor, Tensor]:
    """The limit of weight / eta^order, finite where lower coefficients vanish, and its error."""
    tokens = tuple(map(tuple, tokens_of(point).tolist()))
    layers, steps = int(point[depth]), int(point[s])
    runs = _after_small_rates(tokens, int(point[words]), layers, steps)
    values = [
        _of_layer(weights, name, layer) / rate**order
        for weights, rate in zip(runs, small_rates(layers, steps), strict=True)
    ]
    terms = [(steps * rate) ** SUMMED[name] / rate**order for rate in small_rates(layers, steps)]
    return extrapolated(values, rounding(*values, *terms, operations=10_000))


def squared_norm(values: Tensor, errors: Tensor) -> Measured:
    """The squared Frobenius norm, at most so far from the true one."""
    return Measured(
        float(values.square().sum()), float((errors * (2 * values.abs() + errors)).sum())
    )


def _families(name: str) -> None:
    def size(point: Point, order: int, layer: int) -> Measured:
        """|| [eta^order] weight ||^2."""
        return squared_norm(*_coefficient(point, name, order, layer))

    def distance(point: Point, order: int, layer: int, multiple: Any) -> Measured:
        """|| [eta^order] weight - multiple map ||^2; the multiple need not be whole."""
        multiple = float(multiple)
        found, error = _coefficient(point, name, order, layer)
        one_step = statistics(tokens_of(point), int(point[words]))
        return squared_norm(found - multiple * _map(one_step, name), error + rounding(multiple))

    measures(claims.size_of[name])(size)
    measures(claims.distance_of[name])(distance)


def _map(maps: Statistics, name: str) -> Tensor:
    named = {"W_O": "bigram", "V": "value", "W": "words", "P": "positions"}
    found: Tensor = getattr(maps, named[name])
    return found


for _name in FIELDS:
    _families(_name)
