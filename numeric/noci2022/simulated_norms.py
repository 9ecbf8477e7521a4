"""How far attention is from uniform, and what this does to the norm of deep networks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product

import torch
from torch import Generator, Tensor

from claims.domain import Point
from claims.noci2022 import simulated_norms as claims
from claims.noci2022.notation import d, d_v, depth, n
from numeric.agreement import Measured
from numeric.noci2022.stacks import (
    ACTIVATIONS,
    ATTENTIONS,
    VARIANCES,
    Stack,
    correlated_tokens,
    interval,
    ratio_interval,
    side_by_side,
)
from numeric.registry import measures
from numeric.remembered import remembered
from numeric.sampling import normal, stream


def distances_from_uniform(
    x: Tensor, columns: Sequence[int], rng: Generator, samples: int
) -> list[Tensor]:
    """||A - 11^T/n||_F^2 per sample at d_k = each of `columns`, increasing, Glorot weights.

    Only X W^Q and X W^K occur: their columns are i.i.d. N(0, sigma_k^2 X X^T), drawn as X times a
    factor of the tokens' Gram matrix; nested columns serve every d_k.
    """
    size, width = x.shape
    factor = torch.linalg.cholesky(x @ x.mT)
    shape = (samples, size, max(columns))
    queries, keys = (factor @ normal(rng, *shape, dtype=x.dtype) for _ in range(2))
    found = []
    for k in columns:
        logits = queries[..., :k] @ keys[..., :k].mT * (2 / (width + k) / math.sqrt(k))
        found.append((torch.softmax(logits, dim=-1) - 1 / size).double().square().sum(dim=(-1, -2)))
    return found


def tokens_of_unit_norm(size: int, width: int, rng: Generator) -> Tensor:
    """One sequence with i.i.d. entries N(0, 1/d_v), (n, d_v)."""
    return correlated_tokens(rng, 1, size, width, std=width**-0.5)[0]


@remembered()
def slopes(size: int, width: int, samples: int = 512) -> dict:
    """Log-log slopes in d_k: extrapolated from d_k = 8, 16, 32 d_v, and from d_v to 2 d_v.

    The slope between k and 2k is -2 + O(d_v/k); one step of Richardson leaves O((d_v/k)^2).
    """
    rng = stream("noci2022", "distance from uniform")
    x = tokens_of_unit_norm(size, width, rng).float()
    columns = [width * factor for factor in (1, 2, 8, 16, 32)]
    distances = distances_from_uniform(x, columns, rng, samples)

    def slope(place: int) -> tuple[float, float]:
        ratio, width_ = ratio_interval(distances[place + 1], distances[place])
        return math.log2(ratio), width_ / ratio / math.log(2)

    (first, error1), (last, error2) = slope(2), slope(3)
    remainder = (width / columns[3]) ** 2
    return {"far": (2 * last - first, 2 * error2 + error1 + remainder), "near": slope(0)}


def _slope(name: str, point: Point) -> Measured:
    return Measured(*slopes(int(point[n]), int(point[d_v]))[name])


@measures(claims.far_slope)
def slope_far_from_the_width(point: Point) -> Measured:
    """The slope for d_k -> infinity."""
    return _slope("far", point)


@measures(claims.near_slope)
def slope_at_the_width(point: Point) -> Measured:
    """The slope at d_k = d_v."""
    return _slope("near", point)


def norms_along(stacks: Sequence[Stack], x: Tensor, rng: Generator) -> Tensor:
    """||X^l||_F^2 for l = 0..L, every stack and sample, (L + 1, stacks, samples)."""
    along = [
        torch.stack([t.double().square().sum(dim=(-1, -2)) for t in tokens])
        for tokens in side_by_side(stacks, x, rng)
    ]
    return torch.stack(along)


@remembered()
def true_over_uniform(
    size: int, width: int, layers: int, scaled: bool, std: float, samples: int
) -> list[tuple[float, float]]:
    """Ratios of E||X^l||^2 under the softmax and under 11^T/n, l = 0..L."""
    rng = stream("noci2022", "norms")
    x = correlated_tokens(rng, samples, size, width, std=std, dtype=torch.float32)
    norms = norms_along([Stack(layers, scaled, attention=kind) for kind in ATTENTIONS], x, rng)
    return [ratio_interval(true, uniform) for uniform, true in norms]


def _ratio(point: Point, layer: int, std: float) -> Measured:
    sizes = (int(point[n]), int(point[d]), int(point[depth]))
    scaled = bool(point[claims.scaled])
    samples = 2048 if scaled else 4096 if std < 1 else 8192  # unscaled norms have heavy tails
    return Measured(*true_over_uniform(*sizes, scaled, std, samples)[layer])


@measures(claims.small)
def ratio_for_small_inputs(point: Point, layer: int) -> Measured:
    """Inputs of standard deviation 1/sqrt(d)."""
    return _ratio(point, layer, int(point[d]) ** -0.5)


@measures(claims.large)
def ratio_for_large_inputs(point: Point, layer: int) -> Measured:
    """Inputs of standard deviation 1."""
    return _ratio(point, layer, 1.0)


KINDS = list(product(ACTIVATIONS, ATTENTIONS))


@remembered()
def squared_logarithms(size: int, width: int, layers: int, samples: int = 2048) -> Tensor:
    """(log||X^l||^2 - mean)^2 without bias, (L + 1, kinds, samples): their mean is the variance."""
    rng = stream("noci2022", "tails")
    x = correlated_tokens(rng, 1, size, width, std=width**-0.5, dtype=torch.float32)
    stacks = [Stack(layers, activation=a, attention=b, variance=VARIANCES[a]) for a, b in KINDS]
    logs = norms_along(stacks, x.expand(samples, -1, -1), rng).log()
    return (logs - logs.mean(dim=-1, keepdim=True)).square() * samples / (samples - 1)


@measures(claims.spread)
def variance_of_the_logarithm(point: Point, layer: int) -> Measured:
    """For the point's activation and attention."""
    place = KINDS.index((point[claims.activation], point[claims.attention]))
    squares = squared_logarithms(int(point[n]), int(point[d]), int(point[depth]))
    return Measured(*interval(squares[layer, place]))
