"""Moments of the squared singular values of the Jacobian, sampled factor by factor."""

from __future__ import annotations

from claims.domain import Point
from claims.naitsaada2025 import jacobian_bulk as claims
from numeric.agreement import Measured
from numeric.naitsaada2025.second_moments import limit_of, mean_of, variance_of
from numeric.registry import directly


@directly(claims.mean_of_the_jacobian_as_printed)
def limit_of_the_mean(point: Point) -> Measured:
    """tr J J^T/(T d): J is a Kronecker product of independent factors."""
    return limit_of("jacobian", mean_of, 1)(point)


@directly(claims.variance_of_the_jacobian_as_printed)
def limit_of_the_variance(point: Point) -> Measured:
    """tr (J J^T)^2/(T d), less the squared mean."""
    return limit_of("jacobian", variance_of, 2)(point)
