"""Moments of the squared singular values of the Jacobian, sampled factor by factor."""

from __future__ import annotations

from claims.domain import Point
from claims.naitsaada2025 import jacobian_bulk as claims
from claims.naitsaada2025.free_products import power
from claims.naitsaada2025.notation import ell
from numeric.agreement import Measured
from numeric.naitsaada2025.second_moments import limit_of, mean_of, square_of, variance_of
from numeric.registry import directly

FEW = 64
"""Draws where many points are looked at, and a mean is compared with one far from it."""


@directly(claims.mean_of_the_jacobian_as_printed)
def limit_of_the_mean(point: Point) -> Measured:
    """tr J J^T/(T d): J is a Kronecker product of independent factors."""
    return limit_of("jacobian", mean_of, 1)(point)


@directly(claims.variance_of_the_jacobian_as_printed)
def limit_of_the_variance(point: Point) -> Measured:
    """tr (J J^T)^2/(T d), less the squared mean."""
    return limit_of("jacobian", variance_of, 2)(point)


@directly(claims.moments_of_the_jacobian_as_printed)
def limit_of_the_moment(point: Point) -> Measured:
    """tr (J J^T)^k/(T d) for k = 1, 2."""
    order = int(point[power])
    return limit_of("jacobian", (mean_of, square_of)[order - 1], order)(point)


@directly(claims.mean_vanishes_below_one)
def growth_of_the_mean(point: Point) -> Measured:
    """The mean with one layer more over the mean."""
    deeper = {**point, ell: point[ell] + 1}
    after, before = (limit_of("jacobian", mean_of, 1, FEW)(at) for at in (deeper, point))
    value = after.value / before.value
    return Measured(value, (after.error + value * before.error) / (before.value - before.error))
