"""Lemma 8 measured: entries of products of D A."""

from __future__ import annotations

import torch
from torch import Tensor

from claims.domain import Point
from claims.wu2024 import positivity as claims
from claims.wu2024.notation import attention, epsilon
from numeric.agreement import Measured
from numeric.exact import tensor
from numeric.registry import directly

TOLERANCE = 1e-9


def class_factors(point: Point) -> Tensor:
    """D^{(t)} A^{(t)} (layers, n, n)."""
    return tensor(point[claims.scales]) * tensor(point[attention])


@directly(claims.products_over_the_diameter_are_positive)
def entries_of_products(point: Point) -> Measured:
    """The flags of the claim for the product of all factors, the last on the left."""
    factors = class_factors(point)
    product = factors[0]
    for factor in factors[1:]:
        product = factor @ product
    low = float(point[epsilon]) * float(point[claims.C_1])
    high, length = float(point[claims.C_2]), len(factors)
    least, largest = float(product.min()), float(product.max())
    slack, above = 1 + TOLERANCE, torch.finfo(torch.float64).tiny
    return Measured(
        (
            least > above and least * slack >= low**length,
            largest <= slack * high**length,
            least > above and least * slack >= low ** (length - 1),
            largest <= slack * high ** (length - 1),
            largest <= slack,
        )
    )
