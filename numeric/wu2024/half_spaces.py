"""Products of tokens with their sum, and the two-sided example, measured on the tokens."""

from __future__ import annotations

import torch
from torch import Tensor

from claims.domain import Point
from claims.wu2024 import half_spaces as claims
from claims.wu2024.notation import N, X, d
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.registry import measures


@measures(claims.along_sum)
def product_with_the_sum(point: Point, token: int) -> Measured:
    """<X_i, sum of all tokens>."""
    tokens = tensor(point[X])
    value = tokens[token - 1] @ tokens.sum(dim=0)
    return Measured(float(value), rounding(1 + tokens.square().sum() * len(tokens)))


def tilted_tokens(point: Point) -> Tensor:
    """X' (N, d), at least two of them: e_d turned to the side of e_1, the second one to the other side."""
    tokens = torch.zeros(max(2, int(point[N])), int(point[d]), dtype=torch.float64)
    tokens[:, 0] += 0.8
    tokens[1, 0] -= 1.6
    tokens[:, -1] += 0.6
    return tokens


@measures(claims.tilted)
def tilted_coordinate(point: Point, token: int, b: int) -> Measured:
    """X'_{i,b}."""
    return Measured(float(tilted_tokens(point)[token - 1, b - 1]), rounding(1.0))


@measures(claims.tilted_square)
def tilted_squared_length(point: Point, token: int) -> Measured:
    """|X'_i|^2."""
    return Measured(float(tilted_tokens(point)[token - 1].square().sum()), rounding(2.0))


@measures(claims.tilted_pair)
def tilted_product(point: Point) -> Measured:
    """<X'_1, X'_2>."""
    first, second, *_ = tilted_tokens(point)
    return Measured(float(first @ second), rounding(2.0))
