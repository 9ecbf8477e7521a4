"""Correlations along simulated networks that share weights and tokens, so that they differ in kind."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations, product

import torch
from torch import Tensor

from claims.domain import Point
from claims.noci2022 import simulated_correlations as claims
from claims.noci2022.notation import X, d, depth, n
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.noci2022.network import averaged_block, correlation
from numeric.noci2022.stacks import (
    ACTIVATIONS,
    PLACEMENTS,
    VARIANCES,
    Stack,
    correlated_tokens,
    interval,
    mean_cosine,
    side_by_side,
)
from numeric.registry import measures
from numeric.remembered import remembered
from numeric.sampling import generator

SAMPLES = 512


def cosines(
    stacks: Sequence[Stack],
    size: int,
    width: int,
    *,
    samples: int = SAMPLES,
    seed: int | None = None,
) -> Tensor:
    """rho^0, ..., rho^L for every stack and network, (L + 1, stacks, samples), tokens N(0, 1).

    Without a seed that of the audit is taken.  Single precision: cosines near one are averaged, and
    rounding is far below their spread.
    """
    rng = generator(seed, "noci2022", "correlations")
    x = correlated_tokens(rng, samples, size, width, dtype=torch.float32)
    along = [[mean_cosine(t) for t in tokens] for tokens in side_by_side(stacks, x, rng)]
    return torch.stack([torch.stack(row) for row in along]).double()


@remembered()
def last_correlations(size: int, width: int, layers: int) -> dict[tuple[bool, str], Tensor]:
    """rho^L per network, by scaling and placement of layer norm."""
    kinds = list(product((False, True), PLACEMENTS))
    last = cosines([Stack(layers, scaled, norm) for scaled, norm in kinds], size, width)[-1]
    return dict(zip(kinds, last, strict=True))


def _last(point: Point) -> dict[tuple[bool, str], Tensor]:
    return last_correlations(int(point[n]), int(point[d]), int(point[depth]))


@measures(*claims.slower_than.values())
def lag_of_pre_norm(point: Point) -> tuple[Measured, ...]:
    """How far PRE-LN stays below the other placements without scaling."""
    rho = _last(point)
    return tuple(
        Measured(*interval(rho[False, norm] - rho[False, "pre"])) for norm in claims.slower_than
    )


@measures(*claims.spread.values())
def spreads(point: Point) -> tuple[Measured, ...]:
    """The largest mean difference between two placements, without and with scaling."""
    rho = _last(point)
    return tuple(
        largest([interval(rho[scaled, a] - rho[scaled, b]) for a, b in permutations(PLACEMENTS, 2)])
        for scaled in (False, True)
    )


def largest(intervals: Sequence[tuple[float, float]]) -> Measured:
    """The largest of several means, from their intervals."""
    low, high = (max(mean + sign * reach for mean, reach in intervals) for sign in (-1, 1))
    return Measured((low + high) / 2, (high - low) / 2)


@remembered()
def relu_against_linear(size: int, width: int, layers: int) -> Tensor:
    """rho_relu - rho_linear (layers + 1, variants, networks), variants by scaling, then placement."""
    kinds = list(product((False, True), PLACEMENTS))
    stacks = [
        Stack(layers, scaled, norm, kind, variance=VARIANCES[kind])
        for kind in ACTIVATIONS
        for scaled, norm in kinds
    ]
    linear, relu = cosines(stacks, size, width).chunk(len(ACTIVATIONS), dim=1)
    return relu - linear


@measures(claims.lead)
def relu_lead(point: Point, layer: int) -> Measured:
    """ReLU against linear in the point's variant."""
    place = int(point[claims.scaled]) * len(PLACEMENTS) + PLACEMENTS.index(point[claims.placement])
    leads = relu_against_linear(int(point[n]), int(point[d]), int(point[depth]))
    return Measured(*interval(leads[layer, place]))


def _averaged(point: Point, square: float) -> tuple[Measured, ...]:
    """Growth of the norm, rho^0 and rho^L of averages over the weights, alpha_i^2 = square.

    Block by block: a power of the averaged block would lose tokens that sum to zero to rounding.
    """
    x = tensor(point[X])
    moments = start = torch.einsum("kz,ly->kzly", x, x)
    for _ in range(int(point[depth])):
        moments = averaged_block(moments, square, square)
    before, after = (torch.einsum("kzlz->kl", m) for m in (start, moments))
    values = (
        float(after.trace() / before.trace()),
        float(correlation(before)),
        float(correlation(after)),
    )
    return tuple(Measured(v, rounding(v, 1.0)) for v in values)


@measures(claims.scaled_growth, claims.first_correlation, claims.last_correlation)
def with_scaling(point: Point) -> tuple[Measured, ...]:
    """At alpha_i^2 = 1/L."""
    return _averaged(point, 1 / int(point[depth]))


@measures(claims.unscaled_growth)
def without_scaling(point: Point) -> Measured:
    """At alpha_i = 1."""
    return _averaged(point, 1.0)[0]
