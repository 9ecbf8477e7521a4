"""Rows of products of row-stochastic matrices, entry by entry, and their covariance by drawing."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from claims.domain import Point
from claims.naitsaada2025 import product_rows as claims
from claims.naitsaada2025.notation import T
from claims.naitsaada2025.product_rows import A1, A2, layers
from claims.naitsaada2025.products import a
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.naitsaada2025.products import draws, markov, product_of
from numeric.registry import measures
from numeric.remembered import remembered
from numeric.sampling import quick_stream
from numeric.trends import mean_and_reach


@measures(claims.covariance_of_rows)
def covariance_of_two_rows(at: Point) -> Measured:
    """Of a product of two matrices, averaged over its columns and over the pairs of its rows."""
    return Measured(*shared_column(int(at[T]), int(at[a])))


@remembered()
def shared_column(tokens: int, shape: int) -> tuple[float, float]:
    """The mean over all columns and all pairs of rows."""
    rng = quick_stream("naitsaada2025", "rows", tokens, shape)
    left, right = (markov(rng, draws(tokens), tokens, shape) - 1 / tokens for _ in range(2))
    product = (left + 1 / tokens) @ right
    pairs = product.sum(1).square().sum(-1) - product.square().sum((-1, -2))
    return mean_and_reach(pairs / (tokens**2 * (tokens - 1)))


@measures(claims.sum_of_row)
def sum_of_a_row(at: Point, k: int) -> Measured:
    """The sum of a row of A_2 A_1."""
    row = (tensor(at[A2]) @ tensor(at[A1]))[k - 1]
    return Measured(float(row.sum()), rounding(1.0))


@measures(claims.product_entry)
def entry_of_the_product(at: Point, k: int, m: int) -> Measured:
    """An entry of A_2 A_1."""
    return Measured(float((tensor(at[A2]) @ tensor(at[A1]))[k - 1, m - 1]), rounding(1.0))


_LAST: dict[str, Any] = {}


def expanded(at: Point) -> tuple[Tensor, Tensor, Tensor]:
    """The product, that of the rests, and the mean of I + A_1^perp + ...; the last ones are kept.

    They are read entry by entry, and large points are slow to turn into tensors.
    """
    if _LAST.get("of") is not at[layers]:
        factors = tensor(at[layers])
        tokens = factors.shape[-1]
        unit = torch.eye(tokens, dtype=factors.dtype)
        total = unit
        for factor in reversed(factors[:-1].unbind(0)):  # Horner's rule
            total = unit + total @ (factor - 1 / tokens)
        found = product_of(factors), product_of(factors - 1 / tokens), total.mean(0).expand_as(unit)
        _LAST.update(of=at[layers], found=found)
    return _LAST["found"]  # type: ignore[no-any-return]


def _entry(matrix: Tensor, k: int, m: int) -> Measured:
    return Measured(float(matrix[k - 1, m - 1]), rounding(1.0))


@measures(claims.full_entry)
def entry_of_all(at: Point, k: int, m: int) -> Measured:
    """An entry of the product."""
    return _entry(expanded(at)[0], k, m)


@measures(claims.rest_entry)
def entry_of_the_rests(at: Point, k: int, m: int) -> Measured:
    """An entry of the product of the rests."""
    return _entry(expanded(at)[1], k, m)


@measures(claims.leading_entry)
def entry_of_the_leading_part(at: Point, k: int, m: int) -> Measured:
    """An entry of the mean of I + A_1^perp + ..."""
    return _entry(expanded(at)[2], k, m)
