"""Both tokens of the example in the plane, followed together layer by layer in float64."""

from __future__ import annotations

import torch
from torch import Tensor

from claims.domain import Point
from claims.wu2024 import both_tokens as claims
from claims.wu2024.basin import pair
from claims.wu2024.notation import w
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.registry import measures
from numeric.wu2024.layers import jordan_matrix, simulate

CAUSAL = torch.tensor([[1.0, 0.0], [0.5, 0.5]], dtype=torch.float64)
"""Attention of zero scores."""


def followed(point: Point, layers: int) -> tuple[Tensor, float]:
    """Both tokens after some layers, and what rounding may have done."""
    value = jordan_matrix(2, float(point[w]))
    tokens = simulate(tensor(point[pair]), CAUSAL, value, layers, normalise=True)[-1]
    return tokens, rounding(1.0, operations=1000 * (layers + 1))


@measures(claims.coordinate)
def followed_coordinate(point: Point, layers: int, token: int, b: int) -> Measured:
    """A coordinate of either token after some layers."""
    tokens, off = followed(point, layers)
    return Measured(float(tokens[token - 1, b - 1]), off)


@measures(claims.ratio_after)
def followed_ratio(point: Point, layers: int) -> Measured:
    """X_{2,2}/X_{2,1} after some layers."""
    tokens, off = followed(point, layers)
    first, second = tokens[1].tolist()
    value = second / first
    return Measured(value, (1 + abs(value)) * off / abs(first))
