"""Both tokens of the example in the plane, followed together layer by layer in float64."""

from __future__ import annotations

import torch

from claims.domain import Point
from claims.wu2024 import both_tokens as claims
from claims.wu2024.basin import first_ratio, second_ratio
from claims.wu2024.notation import w
from numeric.agreement import Measured, rounding
from numeric.registry import measures
from numeric.wu2024.basin import tokens_after
from numeric.wu2024.layers import jordan_matrix
from numeric.wu2024.plane import layer_norm


@measures(claims.coordinate)
def followed_coordinate(point: Point, layers: int, token: int, b: int) -> Measured:
    """A coordinate of either token after some layers, from the ratios at the start."""
    first, second = float(point[first_ratio]), float(point[second_ratio])
    tokens = layer_norm(torch.tensor([[1.0, first], [-1.0, -second]], dtype=torch.float64))
    tokens = tokens_after(tokens, jordan_matrix(2, float(point[w])), layers)
    return Measured(float(tokens[token - 1, b - 1]), rounding(1.0, operations=1000 * (layers + 1)))
