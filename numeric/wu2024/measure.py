"""mu and its relatives on tensors; integer tokens are measured in integers, hence exactly."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import torch
from sympy import Integer, Rational
from torch import Tensor

from claims.domain import Point
from claims.model import Relation
from claims.wu2024 import measure as claims
from claims.wu2024.notation import N, X, d
from numeric.adversary import Objective
from numeric.agreement import Measured, rounding
from numeric.evaluate import evaluate
from numeric.exact import tensor
from numeric.registry import attacks, directly
from numeric.wu2024.layers import mu


def least_squares(x: Tensor) -> Tensor:
    """The minimiser of ||X - 1 x^T||_F by a least squares solver: (1, d)."""
    return torch.linalg.lstsq(torch.ones_like(x[:, :1]), x).solution


@directly(claims.measure_is_the_minimiser)
def squared_size_of_argmin(point: Point) -> Measured:
    """||arg min||^2."""
    x = tensor(point[X])
    return Measured(float(least_squares(x).square().sum()), rounding(1 + x.square().sum()))


@directly(claims.measure_is_the_least_distance_to_equal_rows)
def least_squared_distance(point: Point) -> Measured:
    """The squared residual of the least squares solution."""
    x = tensor(point[X])
    residual = (x - least_squares(x)).square().sum()
    return Measured(float(residual), rounding(1 + x.square().sum()))


def column_range(x: Tensor) -> Tensor:
    return (x.amax(dim=-2) - x.amin(dim=-2)).amax(dim=-1)


def largest_distance(x: Tensor) -> Tensor:
    return (x.unsqueeze(-2) - x.unsqueeze(-3)).square().sum(dim=-1).flatten(-2).amax(dim=-1).sqrt()


def summed_deviations(x: Tensor) -> Tensor:
    return (x - x.mean(dim=-2, keepdim=True)).norm(dim=-1).sum(dim=-1)


MEASURES = (mu, column_range, largest_distance, summed_deviations, lambda x: x.norm(dim=(-2, -1)))


@directly(claims.lipschitz_measures_are_bounded_by_mu)
def other_measure(point: Point) -> Measured:
    """mu'(X) = c times the measure that the point names."""
    x, scale = tensor(point[X]), float(point[claims.scale])
    value = float(scale * MEASURES[int(point[claims.kind])](x))
    return Measured(value, rounding(scale * (1 + x.abs().sum())))


def _sides(arrays: Mapping[Any, Tensor]) -> tuple[Tensor, Tensor]:
    statement = claims.lipschitz_measures_are_bounded_by_mu.statement
    assert isinstance(statement, Relation)
    values = {**arrays, N: 3.0, d: 2.0, claims.lipschitz: math.sqrt(2)}
    return largest_distance(arrays[X]), evaluate(statement.rhs[0], values)


attacks(claims.lipschitz_measures_are_bounded_by_mu)(
    Objective(
        fixed={N: Integer(3), d: Integer(2), claims.kind: Integer(2), claims.scale: Integer(1)},
        free={X: (3, 2)},
        sides=_sides,
    )
)


@directly(claims.measure_by_pairs_of_tokens)
def exact_squared_mu(point: Point) -> Measured:
    """mu^2 of integer tokens: N^2 mu^2 = sum (N X_ij - sum_i X_ij)^2 in 64-bit integers."""
    x = torch.tensor([[int(e) for e in row] for row in point[X].tolist()], dtype=torch.int64)
    scaled = len(x) * x - x.sum(dim=0, keepdim=True)
    return Measured(Rational(int(scaled.square().sum()), len(x) ** 2))
