"""How fast tokens align, from networks averaged over their weights."""

from __future__ import annotations

import torch

from claims.domain import Point
from claims.noci2022 import growth as claims
from claims.noci2022.notation import X, depth
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.noci2022.network import MomentMap, correlation, extrapolated, gram_after
from numeric.registry import directly

LIMIT_IS_ONE = 1e-6
"""Integer tokens of the sizes drawn here that are not aligned keep 1 - rho above 1e-4."""


@directly(claims.limiting_correlation_is_one_only_when_aligned)
def followed_flags(point: Point) -> Measured:
    """The flags of the claim, the limit from L = 16 ... 1024."""
    limit = extrapolated(lambda layers: correlation(gram_after(point, layers)), most=10)
    if limit.error > LIMIT_IS_ONE:
        raise ArithmeticError(f"limit known to {limit.error} only: deeper networks are needed")
    gram = gram_after(point, 0)
    norms = gram.diagonal().sqrt()
    cosines = gram / torch.outer(norms, norms)
    sums, squares = float(gram.sum()), float(gram.trace())  # integers, hence exact
    flags = (
        abs(limit.value - 1) <= LIMIT_IS_ONE,
        sums == len(gram) * squares,
        bool(((cosines - 1).abs() < 1e-9).all()),
        sums == squares,
        bool(((cosines.abs() - 1).abs() < 1e-9).all()),
    )
    return Measured(flags)


@directly(claims.correlation_is_close_to_one_in_shallow_networks)
def averaged_missing_correlation(point: Point) -> Measured:
    """1 - rho^L, pair by pair."""
    return Measured(1 - float(correlation(gram_after(point, int(point[depth])))), rounding(1.0))


@directly(claims.angle_increases_with_depth)
def averaged_correlations(point: Point) -> Measured:
    """(rho^0, ..., rho^L), to ten digits, so that equal correlations are equal numbers."""
    block, x = MomentMap.of(point), tensor(point[X])
    grams = [x @ x.T, *(block.after(layer) for layer in range(1, int(point[depth]) + 1))]
    return Measured(tuple(round(float(correlation(gram)), 10) for gram in grams))
