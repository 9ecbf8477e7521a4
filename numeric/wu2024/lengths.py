r"""Lengths and distances of unit tokens, measured on the tokens themselves.

Named axes: `n` tokens, `d` features.  Tokens count from one in a statement.
"""

from __future__ import annotations

from torch import Tensor

from claims.domain import Point
from claims.wu2024 import lengths as claims
from claims.wu2024.notation import WV, A, X
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.registry import measures
from numeric.wu2024.layers import mu


@measures(claims.phi, claims.spread)
def least_cosine_and_spread(point: Point) -> tuple[Measured, Measured]:
    """The least inner product of two tokens, and mu."""
    tokens = tensor(point[X])
    error = rounding(1 + tokens.square().sum())
    return Measured(float((tokens @ tokens.mT).min()), error), Measured(float(mu(tokens)), error)


@measures(claims.own_least)
def least_squared_norm(point: Point) -> Measured:
    """The least <X_i, X_i>."""
    squares = tensor(point[X]).square().sum(dim=-1)
    return Measured(float(squares.min()), rounding(1 + squares.sum()))


@measures(claims.cosine)
def product_of_tokens(point: Point, one: int, other: int) -> Measured:
    """<X_i, X_j>."""
    tokens = tensor(point[X])
    return Measured(float(tokens[one - 1] @ tokens[other - 1]), rounding(1 + tokens.square()))


@measures(claims.half_distance)
def half_squared_distance(point: Point, one: int, other: int) -> Measured:
    """|X_i - X_j|^2/2."""
    tokens = tensor(point[X])
    gap = tokens[one - 1] - tokens[other - 1]
    return Measured(float(gap.square().sum() / 2), rounding(1 + tokens.square()))


def mixed(point: Point) -> Tensor:
    """A X W."""
    return tensor(point[A]) @ tensor(point[X]) @ tensor(point[WV])


@measures(claims.before_layernorm)
def squared_length(point: Point, token: int) -> Measured:
    """|(A X W)_i|^2."""
    length = mixed(point)[token - 1].square().sum()
    return Measured(float(length), rounding(1.0, length))


@measures(claims.scale)
def factor_of_layernorm(point: Point, token: int) -> Measured:
    """D_ii."""
    norm = mixed(point)[token - 1].norm()
    return Measured(float(1 / norm), rounding(1 / norm, 1 / norm**2))
