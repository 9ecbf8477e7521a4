"""Products of non-negative matrices, factor by factor in float64, rescaled on the way."""

from __future__ import annotations

import math
from typing import Any

from torch import Tensor

from claims.domain import Point
from claims.wu2024 import hartfiel as claims
from claims.wu2024.notation import N
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.registry import measures
from numeric.remembered import remembered


def first_factors(point: Point, layer: int) -> tuple[Tensor, float]:
    """P^{(t)} over its scale, and the logarithm of the scale."""
    return _first_factors(point[claims.head], int(point[N]), float(point[claims.decay]), layer)


@remembered(maxsize=256)
def _first_factors(head: Any, size: int, decay: float, layer: int) -> tuple[Tensor, float]:
    product, scale = tensor(head), 0.0
    for step in range(1, layer + 1):
        share = 0.5 / (step + 1) ** decay
        product = (1 - share) * product + share * product.sum(dim=0, keepdim=True)
        largest = float(product.max())
        product, scale = product / largest, scale + math.log(largest)
    return product, scale


@measures(claims.product_entry)
def entry_of_product(point: Point, layer: int, row: int, column: int) -> Measured:
    """P_ij; sums of terms that are not negative."""
    product, scale = first_factors(point, layer)
    value = float(product[row - 1, column - 1]) * math.exp(min(scale, 700.0))
    return Measured(value, rounding(value, operations=10 * (layer + 1)))


@measures(claims.against_rank_one)
def entry_against_rank_one(point: Point, layer: int, row: int, column: int) -> Measured:
    """P_ij/S_ij for S_ij = P_i1 P_1j/P_11."""
    product, _ = first_factors(point, layer)
    below = float(product[row - 1, 0] * product[0, column - 1])
    if below <= 0:
        return Measured(0.0, math.inf)
    value = float(product[row - 1, column - 1] * product[0, 0]) / below
    return Measured(value, rounding(1 + value, operations=10 * (layer + 1)))
