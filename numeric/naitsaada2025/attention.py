"""Softmax attention at initialisation by torch."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal, localcontext
from typing import Any

import torch
from torch import Generator, Tensor

from claims.domain import Point
from claims.naitsaada2025 import attention as claims
from claims.naitsaada2025.notation import T, d, d_qk, sigma_qk
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.reach import KRONECKER, Reach
from numeric.registry import directly, measures, samples
from numeric.remembered import remembered
from numeric.sampling import Source, normal, quick_stream, stream, uniform
from numeric.trends import mean_of_runs


def attention_of(point: Point) -> Tensor:
    """A(X_0), keys transposed."""
    x, query, key = (tensor(point[s]) for s in (claims.X0, claims.WQ, claims.WK))
    return ((x @ query) @ (x @ key).mT / math.sqrt(query.shape[1])).softmax(dim=-1)


@measures(claims.weight)
def weight(point: Point, i: int, j: int) -> Measured:
    """A_ij."""
    found = float(attention_of(point)[i - 1, j - 1])
    return Measured(found, rounding(found))


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


@remembered(maxsize=64)
def over_orders(queries: Any, keys: Any) -> Tensor:
    """A for random orders of the keys, the orders in front."""
    query, key = tensor(queries), tensor(keys)
    logits = query @ key.mT / math.sqrt(key.shape[1])
    rng = stream("orders", *key.shape)
    orders = uniform(rng, ORDERS, len(key)).argsort(dim=1)
    return logits[:, orders].softmax(dim=-1).movedim(1, 0)


@measures(claims.mean_weight)
def mean_weight(point: Point, i: int, j: int) -> Measured:
    """A_ij over random orders of the keys, with six standard errors."""
    drawn = over_orders(point[claims.Q], point[claims.K])[:, i - 1, j - 1]
    return Measured(float(drawn.mean()), 6 * float(drawn.std()) / math.sqrt(ORDERS) + rounding(1.0))


@measures(claims.covariance, reach=KRONECKER)
def covariance(point: Point, i: int, a: int, j: int, b: int) -> Measured:
    """Covariances of X_0 W^Q: its Jacobian by W^Q times its transpose, times the variance."""
    x = tensor(point[claims.X0])
    weights = torch.zeros(x.shape[1], int(point[d_qk]), dtype=x.dtype)
    full = torch.func.jacrev(lambda w: x @ w)(weights)
    one, other = full[i - 1, a - 1].flatten(), full[j - 1, b - 1].flatten()
    return Measured(float(point[sigma_qk]) ** 2 * float(one @ other), rounding(10.0))


PARTS, RUNS, ROWS = 16, 2**16, 32
"""Of queries and of keys: squares of norms have heavy tails, and variances over several rows have less."""


def projected(rng: Source, count: int, point: Point, rows: int) -> Tensor:
    """Rows of X_0 W over the first rows of a larger orthogonal matrix, shape (count, rows, d_qk)."""
    features = rows + 4
    mirror = torch.arange(1.0, features + 1, dtype=torch.float64)
    turned = torch.eye(features) - 2 * torch.outer(mirror, mirror) / mirror.square().sum()
    weights = normal(rng, count, features, int(point[d_qk]), std=float(point[sigma_qk]))
    return turned[:rows] @ weights


def variance_of_norms(point: Point, vectors_of: Callable[[Tensor], Tensor], name: str) -> Measured:
    """The variance over rows of their squared norms, with a logit's factors.

    The other factor of both logits enters linearly: given the shared one, each square has the mean
    sigma^2 |shared|^2 / d_qk, and the two are independent.
    """
    rng = quick_stream("naitsaada2025", name, point[d_qk], point[sigma_qk])
    runs = RUNS // (2 if int(point[d_qk]) > 8 else 1)  # tails of long vectors are lighter
    found = []
    for _ in range(PARTS):
        vectors = vectors_of(projected(rng, runs // PARTS, point, ROWS))
        found.append(vectors.square().sum(dim=-1).var(dim=1))
    factor = float(point[sigma_qk]) ** 4 / int(point[d_qk]) ** 2
    return mean_of_runs(factor * torch.cat(found))


@directly(claims.entries_are_called_independent)
def covariance_of_shared_queries(point: Point) -> Measured:
    """Cov(M_11^2, M_12^2) from independent queries."""
    return variance_of_norms(point, lambda queries: queries, "queries")


@directly(claims.attention_is_called_markov)
def covariance_of_shared_keys(point: Point) -> Measured:
    """The same for the difference of two keys, from independent pairs of them."""
    return variance_of_norms(point, lambda keys: keys[:, ::2] - keys[:, 1::2], "keys")


@samples(claims.squared_logit)
def squared_logit(point: Point, rng: Generator, count: int) -> Tensor:
    """M_11^2, the key averaged."""
    query = projected(rng, count, point, 1)[:, 0]
    return query.square().sum(dim=-1) * float(point[sigma_qk]) ** 2 / int(point[d_qk])


@measures(claims.of_logits)
def of_logits(point: Point, i: int, j: int) -> Measured:
    """An entry of the softmax of given logits."""
    weights = tensor(point[claims.B]).softmax(dim=-1)
    found = float(weights[i - 1, j - 1])
    return Measured(found, rounding(found))


@measures(claims.isometry_gap)
def isometry_gap(point: Point) -> Measured:
    """||X_0 X_0^T - I||_F^2."""
    gram = tensor(point[claims.X0]) @ tensor(point[claims.X0]).mT
    gap = gram - torch.eye(len(gram), dtype=gram.dtype)
    return Measured(float(gap.square().sum()), rounding(1 + gram.square().sum()))


@directly(claims.value_gradients_of_degenerate_attention_vanish)
def value_gradient(point: Point) -> Measured:
    """||dX_1/dW^V||_F^2 by autograd, one layer of uniform attention."""
    x = tensor(point[claims.X0])
    size, width = x.shape
    uniform = torch.full((size, size), 1 / size, dtype=x.dtype)
    weights = torch.zeros(width, width, dtype=x.dtype)
    full = torch.func.jacrev(lambda w: uniform @ x @ w)(weights)
    return Measured(float(full.square().sum()), rounding(float(width)))


DIGITS = 200


@measures(claims.least_singular_value, reach=Reach(20, "two hundred digits"))
def least_singular_value(point: Point) -> Measured:
    """Of softmax attention over orthonormal tokens, for one draw of the weights of unit variance.

    From drawn queries and keys on with many digits: at d_qk = 1 it may be far below rounding.
    """
    size, width, keys = (int(point[s]) for s in (T, d, d_qk))
    rng = stream("rank", point[claims.draw], size, width, keys)
    x = torch.linalg.qr(normal(rng, width, width)).Q[:size]
    query, key = (x @ normal(rng, width, keys) for _ in range(2))
    with localcontext(prec=DIGITS):
        inverse = inverted(shares_of(query.tolist(), key.tolist()))
        largest = max(abs(x) for row in inverse for x in row)
        scaled = torch.tensor(
            [[float(x / largest) for x in row] for row in inverse], dtype=torch.float64
        )
        least = float(1 / largest) / float(torch.linalg.matrix_norm(scaled, ord=2))
    return Measured(least, rounding(least))


def shares_of(queries: list[list[float]], keys: list[list[float]]) -> list[list[Decimal]]:
    """Softmax of queries and keys, to the digits of the context."""
    root = Decimal(len(queries[0])).sqrt()
    dot = lambda q, k: sum(Decimal(a) * Decimal(b) for a, b in zip(q, k, strict=True))  # noqa: E731
    rows = [[(dot(q, k) / root).exp() for k in keys] for q in queries]
    return [[x / sum(row) for x in row] for row in rows]


def inverted(matrix: list[list[Decimal]]) -> list[list[Decimal]]:
    """The inverse, by elimination with the largest pivot of a column."""
    size = len(matrix)
    rows = [[*row, *(Decimal(i == j) for j in range(size))] for i, row in enumerate(matrix)]
    for k in range(size):
        best = max(range(k, size), key=lambda i: abs(rows[i][k]))
        rows[k], rows[best] = rows[best], rows[k]
        rows[k] = [x / rows[k][k] for x in rows[k]]
        for i in range(size):
            if i != k:
                rows[i] = [x - rows[i][k] * y for x, y in zip(rows[i], rows[k], strict=True)]
    return [row[size:] for row in rows]
