"""Lemma 8 measured: entries of products of D A."""

from __future__ import annotations

from torch import Tensor

from claims.domain import Point
from claims.wu2024 import positivity as claims
from claims.wu2024.notation import T, attention
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


def product_from(point: Point, last: int, first: int) -> Tensor:
    """The factors of the layers from `first` to `last`, the last on the left."""
    factors = class_factors(point)
    product = factors[first]
    for layer in range(first + 1, last + 1):
        product = factors[layer] @ product
    return product


@measures(claims.apart_blocks, claims.apart_whole, claims.shared_blocks, claims.shared_whole)
def entries_of_blocks(point: Point, i: int, j: int) -> tuple[Measured, ...]:
    """Products of two blocks, without a common factor and with one, beside those of all factors."""
    size = int(point[T])
    first = product_from(point, size, 0)
    matrices = (
        product_from(point, 2 * size + 1, size + 1) @ first, product_from(point, 2 * size + 1, 0),
        product_from(point, 2 * size, size) @ first, product_from(point, 2 * size, 0),
    )  # fmt: skip
    values = [float(matrix[i - 1, j - 1]) for matrix in matrices]
    return tuple(Measured(value, rounding(value)) for value in values)
