"""Stable ranks of random networks without a spectral gap, along the width and along the depth."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from claims.domain import Point
from claims.naitsaada2025 import collapse_in_depth as claims
from claims.naitsaada2025.notation import T_1, T, d_1, ell
from claims.naitsaada2025.shares import GAMMA, law
from numeric.agreement import Measured
from numeric.naitsaada2025.second_moments import (
    at_one_length,
    centred_attention,
    orthonormal_rows,
)
from numeric.naitsaada2025.stacks import haar
from numeric.registry import measures
from numeric.remembered import remembered
from numeric.sampling import normal, stream
from numeric.trends import limit_of_means, mean_and_reach

DEEPEST, NETWORKS, WIDE = 16, 512, 128
FEWEST = 192
"""Networks of the largest width; narrower ones are drawn up to sixteen times as often."""


def stable_rank(x: Tensor) -> Tensor:
    """sr(X X^T) = sum s_i^4/s_1^4."""
    fourth = torch.linalg.eigvalsh(x @ x.mT).square()
    return fourth.sum(dim=-1) / fourth[..., -1]


@remembered()
def _rank_at(layers: int, tokens: int, features: int, kind: str, draws: int) -> tuple[float, float]:
    key = (layers, tokens, features, *(() if kind == GAMMA else (kind,)))
    rng = stream("naitsaada2025", "stable rank", *map(str, key))
    x = orthonormal_rows(rng, tokens, features).expand(draws, -1, -1)
    for _ in range(layers):
        attention = centred_attention(rng, draws, tokens, 1.0, kind)
        x = attention @ x @ normal(rng, draws, features, features)
    return mean_and_reach(stable_rank(x))


Trend = list[tuple[int, float, float]]


def _along_width(point: Point) -> Trend:
    """Tokens, the mean stable rank and the half-width of its interval at four sizes, three doublings."""
    layers, t, f = (int(point[s]) for s in (ell, T_1, d_1))
    k = WIDE // max(t, f) // 8
    draws = {size: FEWEST * min(16, (8 * k // size) ** 2) for size in (k, 2 * k, 4 * k, 8 * k)}
    return [
        (size * t, *_rank_at(layers, size * t, size * f, point[law], count))
        for size, count in draws.items()
    ]


@measures(claims.growth)
def exponent_of_the_width(point: Point) -> Measured:
    """The limit of the slopes of three doublings, less the correction of a soft edge, T^(-2/3).

    It is taken off once from either pair of neighbouring slopes; how far the two results lie apart is
    taken for what is left of the others.
    """
    trend = _along_width(point)
    logs = torch.tensor([math.log2(value) for _, value, _ in trend], dtype=torch.float64)
    errors = torch.tensor([reach / value / math.log(2) for _, value, reach in trend]).to(logs)
    first, last = ((logs * weights).sum() for weights in (_SLOPE.roll(-1), _SLOPE))
    return Measured(float(last), float((errors * _SLOPE).norm() + (last - first).abs()))


_FACTOR = 2 ** (2 / 3)
_SLOPE = torch.tensor([0.0, 1.0, -_FACTOR - 1, _FACTOR], dtype=torch.float64) / (_FACTOR - 1)
"""Weights of logarithms at four sizes: the last slope, extrapolated with the one before it."""


@measures(claims.share)
def share_of_the_width(point: Point) -> Measured:
    """The limit of the mean stable rank over T, less the correction of a soft edge."""
    shares = [(value / tokens, reach / tokens) for tokens, value, reach in _along_width(point)]
    return limit_of_means(shares[1:], 2 / 3)


@remembered()
def _along_depth(kind: str, tokens: int) -> dict[int, tuple[float, float]]:
    """The mean stable rank after 1, 2, 4, ... layers."""
    rng = stream("naitsaada2025", "depth", kind, str(tokens))
    x, found = torch.eye(tokens, dtype=torch.float64).expand(NETWORKS, -1, -1), {}
    for layer in range(1, DEEPEST + 1):
        values = normal if kind != "orthogonal" else lambda g, n, d, _: haar(g, n, d)
        x = x @ values(rng, NETWORKS, tokens, tokens)
        if kind != "identity":
            x = centred_attention(rng, NETWORKS, tokens, 1.0) @ x
        x = at_one_length(x)
        if layer & (layer - 1) == 0:
            found[layer] = mean_and_reach(stable_rank(x))
    return found


def _family(kind: str, family: object) -> None:
    @measures(family)
    def mean_stable_rank(point: Point, layer: int) -> Measured:
        return Measured(*_along_depth(kind, int(point[T]))[layer])


for _kind, _quantity in (
    ("identity", claims.identity), ("gaussian", claims.gaussian),
    ("orthogonal", claims.orthogonal),
):  # fmt: skip
    _family(_kind, _quantity)
