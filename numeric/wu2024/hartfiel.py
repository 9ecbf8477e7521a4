"""Products of non-negative matrices, factor by factor in float64, rescaled on the way."""

from __future__ import annotations

import math
from typing import Any

from torch import Tensor

from claims.domain import Point
from claims.wu2024 import hartfiel as claims
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.registry import measures
from numeric.remembered import remembered


class _Products:
    r"""P^{(0)}, P^{(1)}, ..., each over its scale, as far as was asked for.

    A factor $(1-s)I+s\mathbf 1\mathbf 1^\top$ adds to $(1-s)P$ the column sums of P, and multiplies them
    by $1+(N-1)s$: each product is $aP^{(0)}$ plus $b$ times the column sums of $P^{(0)}$.
    """

    def __init__(self, head: Any, decay: float):
        self.head, self.decay = tensor(head), decay
        self.totals = self.head.sum(dim=0)
        self.found = [(1.0, 0.0, 0.0)]

    def at(self, layer: int) -> tuple[Tensor, float]:
        """The product over its scale, and the logarithm of the scale."""
        size = len(self.head)
        while len(self.found) <= layer:
            share = 0.5 / (len(self.found) + 1) ** self.decay
            own, summed, scale = self.found[-1]
            grown = 1 + (size - 1) * share
            kept = (1 - share) / grown
            self.found.append((kept * own, kept * summed + share / grown, scale + math.log(grown)))
        own, summed, scale = self.found[layer]
        return own * self.head + summed * self.totals, scale


_products = remembered(maxsize=4)(_Products)


def first_factors(point: Point, layer: int) -> tuple[Tensor, float]:
    """P^{(t)} over its scale, and the logarithm of the scale."""
    return _products(point[claims.head], float(point[claims.decay])).at(layer)


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
