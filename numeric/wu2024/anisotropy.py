"""Where the solved equilibria lie: inner products, singular values and stable rank in floats."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from claims.domain import Point
from claims.wu2024 import anisotropy as claims
from claims.wu2024.notation import N, k, w
from numeric.agreement import Measured, rounding
from numeric.registry import measures
from numeric.wu2024.coexistence import alternating, grown_at, solved


def with_signs(point: Point) -> Tensor:
    """The equilibrium of rank N whose last coordinates have the signs sigma."""
    return solved(tuple(float(s) for s in point[claims.signs]), float(point[w]))


def of_rank(point: Point) -> Tensor:
    """The equilibrium of rank k whose last coordinates have the signs sigma."""
    return grown_at(point, int(point[k]), claims.signs)[0]


def printed(point: Point) -> Tensor:
    return alternating(int(point[N]), float(point[w]))


def pairs(x: Tensor) -> Tensor:
    """<X_i, X_j> for i < j."""
    above = torch.ones(len(x), len(x), device=x.device).triu(1).bool()
    return (x @ x.T)[above]


@measures(claims.least_cosine, claims.least_absolute_cosine)
def least_cosines(point: Point) -> tuple[Measured, ...]:
    """The least cosine of two tokens, and the least absolute one."""
    cosines = pairs(of_rank(point))
    if not len(cosines):
        return Measured(math.inf), Measured(math.inf)
    error = rounding(1.0)
    return Measured(float(cosines.min()), error), Measured(float(cosines.abs().min()), error)


@measures(claims.off_axis)
def farthest_from_the_axis(point: Point) -> Measured:
    """The largest squared sine of the angle between a token and the last axis."""
    x = of_rank(point)
    return Measured(float(x[:, :-1].square().sum(dim=-1).max()), rounding(1.0))


@measures(claims.stable_rank)
def stable_rank(point: Point) -> Measured:
    """|X*|_F^2/|X*|_2^2 from the singular values."""
    squares = torch.linalg.svdvals(printed(point)).square()
    value = float(squares.sum() / squares.max())
    return Measured(value, rounding(value))


@measures(claims.least_square, claims.least_printed_cosine)
def least_singular_value_and_cosine(point: Point) -> tuple[Measured, ...]:
    """sigma_min^2 and the least absolute cosine of the rows (33)."""
    x = printed(point)
    least = float(torch.linalg.svdvals(x).min().square())
    return Measured(least, rounding(1.0)), Measured(float(pairs(x).abs().min()), rounding(1.0))
