"""Singular values of products of row-stochastic matrices and of their rests, with weights."""

from __future__ import annotations

from torch import Tensor

from claims.domain import Point
from claims.naitsaada2025 import product_of_rests as claims
from claims.naitsaada2025.interlacing import W
from claims.naitsaada2025.product_rows import layers
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.naitsaada2025.interlacing import one, squares
from numeric.naitsaada2025.products import product_of
from numeric.registry import measures


def products(at: Point) -> tuple[Tensor, Tensor]:
    """A_p...A_1 and A_p^perp...A_1^perp."""
    factors = tensor(at[layers])
    return product_of(factors), product_of(factors - 1 / factors.shape[-1])


@measures(
    claims.largest_of_rests, claims.largest_of_rests_with_weights, claims.second_of_equal_rows
)
def values_of_products(at: Point) -> tuple[Measured, ...]:
    """Squared singular values of R, RW and (A - R)W."""
    whole, rest = products(at)
    w: Tensor = tensor(at[W])
    error = rounding(1 + squares(w)[0])
    chosen: tuple[tuple[Tensor, int], ...] = ((rest, 1), (rest @ w, 1), ((whole - rest) @ w, 2))
    return tuple(Measured(one(matrix, place).value, error) for matrix, place in chosen)
