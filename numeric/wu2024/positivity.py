"""Lemma 8 measured: entries of products of D A."""

from __future__ import annotations

from torch import Tensor

from claims.domain import Point
from claims.wu2024 import positivity as claims
from claims.wu2024.notation import attention
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.registry import measures


def class_factors(point: Point) -> Tensor:
    """D^{(t)} A^{(t)} (layers, n, n)."""
    return tensor(point[claims.scales]) * tensor(point[attention])


@measures(claims.product_entry)
def entry_of_the_product(point: Point, i: int, j: int) -> Measured:
    """An entry of the product of all factors, the last on the left; sums of positive terms."""
    factors = class_factors(point)
    product = factors[0]
    for factor in factors[1:]:
        product = factor @ product
    value = float(product[i - 1, j - 1])
    return Measured(value, rounding(value))
