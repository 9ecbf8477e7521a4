"""Moments of the singular values of the covariance, sampled through the layers."""

from __future__ import annotations

import math

from torch import Generator, Tensor

from claims.domain import Point
from claims.naitsaada2025 import covariance_bulk as claims
from claims.naitsaada2025.notation import gamma, sigma_V
from numeric.agreement import Measured
from numeric.naitsaada2025.second_moments import (
    limit_of,
    mean_of,
    relative_variance_of,
    variance_of,
)
from numeric.registry import directly, measures, samples
from numeric.sampling import normal


@directly(claims.mean_of_the_covariance_as_printed)
@measures(claims.whole_mean)
def limit_of_the_mean(point: Point) -> Measured:
    """tr Sigma_l/T, zeros included."""
    return limit_of("covariance", mean_of, 1)(point)


@directly(claims.variance_of_the_covariance_as_printed, claims.variance_at_constant_mean_as_printed)
def limit_of_the_variance(point: Point) -> Measured:
    """tr Sigma_l^2/T, less the squared mean."""
    return limit_of("covariance", variance_of, 2)(point)


@directly(claims.limit_law_of_the_covariance)
def limit_of_the_relative_variance(point: Point) -> Measured:
    """Of the spectrum of each draw, variance over squared mean; too coarse to exclude the print."""
    return limit_of("covariance", relative_variance_of, 0)(point)


@samples(claims.alpha_is_the_variance_of_an_entry)
def squared_entry(point: Point, rng: Generator, count: int) -> Tensor:
    """The square of an entry of W^V over sqrt(gamma), whose mean is zero."""
    weights = normal(rng, count, 1, 1, std=float(point[sigma_V]))
    return (weights / math.sqrt(float(point[gamma]))).square()[:, 0, 0]
