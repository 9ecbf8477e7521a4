r"""The exponents of $Z_{ij}$ by torch: of the table, and of rows of queries and keys."""

from __future__ import annotations

import math

from torch import Tensor

from claims.domain import Point
from claims.naitsaada2025 import inner_products as claims
from claims.naitsaada2025.attention import WK, WQ, X0
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.registry import measures


def _factors(point: Point) -> tuple[Tensor, Tensor]:
    """Queries and keys."""
    x, query, key = (tensor(point[s]) for s in (X0, WQ, WK))
    return x @ query, x @ key


def _scale(point: Point) -> float:
    """What sums of products of entries are at most."""
    x, query, key = (tensor(point[s]).norm() for s in (X0, WQ, WK))
    return float(1 + x * query * x * key)


@measures(claims.exponent)
def exponent(point: Point, i: int, j: int) -> Measured:
    """log Z_ij, from the table of all logits."""
    queries, keys = _factors(point)
    logits = queries @ keys.mT / math.sqrt(queries.shape[1])
    return Measured(float(logits[i - 1, j - 1]), rounding(_scale(point)))


@measures(claims.inner_product)
def inner_product(point: Point, i: int, j: int) -> Measured:
    """The inner product of a row of queries and one of keys."""
    queries, keys = _factors(point)
    return Measured(float((queries[i - 1] * keys[j - 1]).sum()), rounding(_scale(point)))
