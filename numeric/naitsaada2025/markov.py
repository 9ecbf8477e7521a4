"""Row-normalised weights and laws with finitely many atoms, as float64 tensors."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from claims.domain import Point
from claims.naitsaada2025 import markov as claims
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.registry import measures


def rows_normalised(weights: Tensor) -> Tensor:
    """Every row over its sum."""
    return weights / weights.sum(dim=-1, keepdim=True)


@measures(claims.weight)
def entry_of_markov(point: Point, i: int, j: int) -> Measured:
    """A[Z]_ij."""
    return Measured(float(rows_normalised(tensor(point[claims.Z]))[i - 1, j - 1]), rounding(1.0))


@measures(claims.rescaled)
def entry_of_rescaled(point: Point, i: int, j: int) -> Measured:
    """A[cZ]_ij."""
    scaled = float(point[claims.c]) * tensor(point[claims.Z])
    return Measured(float(rows_normalised(scaled)[i - 1, j - 1]), rounding(1.0))


@measures(claims.row_sum)
def sum_of_row(point: Point, i: int) -> Measured:
    """The sum of a row of A[Z]."""
    return Measured(float(rows_normalised(tensor(point[claims.Z]))[i - 1].sum()), rounding(1.0))


@measures(claims.modulus)
def modulus(point: Point, k: int) -> Measured:
    """|lambda_k|, the largest first; a multiple eigenvalue is known to a root of the rounding only."""
    found = torch.linalg.eigvals(tensor(point[claims.A])).abs().sort(descending=True).values
    value = float(found[k - 1])
    size = len(found)
    return Measured(value, rounding(1.0) if value > 1 / 2 else rounding(1.0) ** (1 / size))


@measures(claims.total_of_row)
def total_of_row(point: Point, i: int) -> Measured:
    """The sum of a row of A."""
    return Measured(float(tensor(point[claims.A])[i - 1].sum()), rounding(1.0))


@measures(claims.mixed)
def mixed(point: Point, i: int) -> Measured:
    """(Ax)_i."""
    moved = tensor(point[claims.A]) @ tensor(point[claims.x])
    return Measured(float(moved[i - 1, 0]), rounding(tensor(point[claims.x])))


@measures(claims.covariance, claims.shares_squared)
def pairs_of_a_row(point: Point) -> tuple[Measured, ...]:
    """The mean product of entries in two places less that of their means, over all pairs of places."""
    row = rows_normalised(tensor(point[claims.z]))[0]
    products = torch.outer(row, row)
    off = ~torch.eye(len(row), dtype=torch.bool)
    mean = float(products[off].mean())
    squares = float(products.diagonal().sum())
    return Measured(mean - float(row.mean()) ** 2, rounding(mean)), Measured(squares, rounding(1.0))


@measures(claims.variance, claims.unevenness)
def spread_of_a_law(point: Point) -> tuple[Measured, ...]:
    """The variance, and the mean square of the difference of two independent copies."""
    atoms, chances = tensor(point[claims.atoms])[0], tensor(point[claims.chances])[0]
    variance = float(chances @ (atoms - chances @ atoms).square())
    gaps = (atoms[:, None] - atoms).square()
    exact = bool(gaps.max() == 0)  # a constant, whatever was rounded in its mean
    size = 0.0 if exact else rounding(gaps)
    return Measured(0.0 if exact else variance, size), Measured(
        float(chances @ gaps @ chances), size
    )


GRID = 2**16


def gaussian_mean(log_value: Any, point: Point) -> float:
    """E f(mu + s N) by the trapezoidal rule over 400 standard deviations, from log f."""
    x = torch.linspace(-400, 400, GRID, dtype=torch.float64)
    density = -x.square() / 2 - math.log(math.sqrt(2 * math.pi))
    integrand = log_value(float(point[claims.mu]) + float(point[claims.spread]) * x) + density
    return float((integrand.logsumexp(dim=0) + math.log(float(x[1] - x[0]))).exp())


@measures(claims.mean_of_weights)
def mean_of_weights(point: Point) -> Measured:
    """E e^B for lognormal B: beyond float64 where the density does not outweigh it."""
    return Measured(gaussian_mean(torch.exp, point))


@measures(claims.first_moment, claims.second_moment)
def moments_of_weights(point: Point) -> tuple[Measured, ...]:
    """E Z and E Z^2 for Z = e^B with Gaussian B."""
    found = [gaussian_mean(lambda b, k=k: k * b, point) for k in (1, 2)]
    return tuple(Measured(value, rounding(value)) for value in found)
