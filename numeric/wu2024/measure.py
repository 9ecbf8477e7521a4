"""mu and its relatives on tensors; integer tokens are measured in integers, hence exactly."""

from __future__ import annotations

import torch
from torch import Tensor

from claims.domain import Point
from claims.wu2024 import measure as claims
from claims.wu2024.notation import WV, A, X
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.reach import PAIRS
from numeric.registry import directly, measures
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


MEASURES = (
    mu,
    column_range,
    largest_distance,
    summed_deviations,
    lambda x: x.norm(dim=(-2, -1)),
    lambda x: mu(x).square(),
)


def _rounded(point: Point, value: Tensor) -> Measured:
    """A number of the size of the entries, or of their square."""
    size = 1 + tensor(point[X]).abs().sum()
    return Measured(float(value), rounding(size + size.square()))


def equal_rows(x: Tensor) -> Tensor:
    """Every token replaced by the mean token."""
    return x.mean(dim=-2, keepdim=True).expand_as(x)


def _other(point: Point, x: Tensor) -> Measured:
    """The measure that the point names."""
    scale = float(point[claims.scale])
    found = _rounded(point, scale * MEASURES[int(point[claims.kind])](x))
    return Measured(found.value, scale * found.error)


@measures(claims.other_measure, reach=PAIRS)
def other_measure(point: Point) -> Measured:
    """mu'(X) = c times the measure that the point names."""
    return _other(point, tensor(point[X]))


@measures(claims.on_equal_rows, reach=PAIRS)
def other_measure_on_equal_rows(point: Point) -> Measured:
    """mu'(1 gamma_X)."""
    return _other(point, equal_rows(tensor(point[X])))


@measures(claims.mu)
def spread(point: Point) -> Measured:
    """mu(X)."""
    return _rounded(point, mu(tensor(point[X])))


@measures(claims.distance)
def distance_to_equal_rows(point: Point) -> Measured:
    """||X - 1 gamma_X||_F."""
    x = tensor(point[X])
    return _rounded(point, (x - equal_rows(x)).norm())


@measures(claims.squared_mu)
def squared_mu(point: Point) -> Measured:
    """mu(X)^2."""
    return _rounded(point, mu(tensor(point[X])).square())


def _next(point: Point, x: Tensor, value: Tensor) -> Tensor:
    """A X W_V."""
    return tensor(point[A]) @ x @ value


def _pairs(x: Tensor, sizes: Tensor) -> tuple[Measured, ...]:
    """Squared differences of all ordered pairs of tokens, and squared ranges, each added up.

    `sizes` bounds the terms of which the entries are sums.
    """
    gaps = (x.unsqueeze(0) - x.unsqueeze(1)).square()
    error = rounding(len(x) * (1 + sizes.square().sum()))
    return Measured(float(gaps.sum()), error), Measured(float(gaps.amax(dim=(0, 1)).sum()), error)


@measures(claims.differences, claims.ranges)
def differences_and_ranges(point: Point) -> tuple[Measured, ...]:
    """Of the tokens."""
    x = tensor(point[X])
    return _pairs(x, x)


@measures(claims.differences_next, claims.ranges_next)
def differences_and_ranges_of_the_next_tokens(point: Point) -> tuple[Measured, ...]:
    """Of the tokens after a layer."""
    x, value = tensor(point[X]), tensor(point[WV])
    return _pairs(_next(point, x, value), _next(point, x.abs(), value.abs()))


def _off_the_mean(x: Tensor, other: Tensor, sizes: Tensor) -> Measured:
    """What columns are off the means of columns; `sizes` bounds the terms that are added up."""
    found = (x - other.mean(dim=0)).square().sum()
    return Measured(float(found), rounding(len(x) * (1 + sizes.square().sum())))


@measures(claims.columns_off_their_mean)
def columns_off_their_mean(point: Point) -> Measured:
    """Of the tokens, from their own means."""
    x = tensor(point[X])
    return _off_the_mean(x, x, x)


@measures(claims.next_columns_off_the_mean)
def next_columns_off_the_mean(point: Point) -> Measured:
    """Of the tokens after a layer, from the means of those before."""
    x, value = tensor(point[X]), tensor(point[WV])
    sizes = _next(point, x.abs(), value.abs()) + x.abs()
    return _off_the_mean(_next(point, x, value), x, sizes)
