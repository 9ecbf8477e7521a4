"""Softmax attention at initialisation by torch."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import torch
from torch import Generator, Tensor

from claims.domain import Point
from claims.naitsaada2025 import attention as claims
from claims.naitsaada2025.notation import T, d, d_qk, sigma_qk
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.reach import Reach
from numeric.registry import measures, samples
from numeric.sampling import generator, normal


def attention_of(point: Point) -> Tensor:
    """A(X_0), keys transposed."""
    x, query, key = (tensor(point[s]) for s in (claims.X0, claims.WQ, claims.WK))
    return ((x @ query) @ (x @ key).mT / math.sqrt(query.shape[1])).softmax(dim=-1)


@measures(claims.weight)
def weight(point: Point, i: int, j: int) -> Measured:
    """A_ij."""
    return Measured(float(attention_of(point)[i - 1, j - 1]), rounding(1e-9))


@measures(claims.row_sum)
def row_sum(point: Point, i: int) -> Measured:
    """The sum of a row of A."""
    return Measured(float(attention_of(point)[i - 1].sum()), rounding(1.0))


@measures(
    claims.query_columns, claims.key_rows, claims.transposed_key_rows, claims.attention_rows,
    claims.attention_columns,
)  # fmt: skip
def sizes(point: Point) -> tuple[Measured, ...]:
    """Rows and columns of the factors of the logits, and of A."""
    x, query, key = (tensor(point[s]) for s in (claims.X0, claims.WQ, claims.WK))
    found = ((x @ query).shape[1], key.shape[0], key.mT.shape[0], *attention_of(point).shape)
    return tuple(Measured(float(size)) for size in found)


@measures(
    claims.attention_width, claims.token_rows, claims.token_columns, claims.value_rows,
    claims.output_rows, claims.output_columns,
)  # fmt: skip
def sizes_of_layer(point: Point) -> tuple[Measured, ...]:
    """Rows and columns of the factors of a layer, and of its output."""
    x, values, weights = tensor(point[claims.X0]), tensor(point[claims.WV]), attention_of(point)
    found = (weights.shape[1], *x.shape, values.shape[0], *(weights @ x @ values).shape)
    return tuple(Measured(float(size)) for size in found)


ORDERS = 2**10


@lru_cache(maxsize=64)
def over_orders(queries: Any, keys: Any) -> Tensor:
    """A for random orders of the keys, the orders in front."""
    query, key = tensor(queries), tensor(keys)
    logits = query @ key.mT / math.sqrt(key.shape[1])
    rng = generator(0, "orders", *key.shape)
    orders = torch.rand(ORDERS, len(key), generator=rng, dtype=torch.float64).argsort(dim=1)
    return logits[:, orders].softmax(dim=-1).movedim(1, 0)


@measures(claims.mean_weight)
def mean_weight(point: Point, i: int, j: int) -> Measured:
    """A_ij over random orders of the keys, with six standard errors."""
    drawn = over_orders(point[claims.Q], point[claims.K])[:, i - 1, j - 1]
    return Measured(float(drawn.mean()), 6 * float(drawn.std()) / math.sqrt(ORDERS) + rounding(1.0))
