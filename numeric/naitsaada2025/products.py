"""Means over products of Markov matrices with gamma entries, drawn in double precision."""

from __future__ import annotations

from functools import cache

import torch
from torch import Tensor

from claims.domain import Point
from claims.naitsaada2025 import products as claims
from claims.naitsaada2025.notation import T, p, q
from claims.naitsaada2025.products import A1, A2, a, growth
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.registry import measures
from numeric.sampling import Source, generator, normal
from numeric.trends import mean_and_reach

DRAWS = 256


def markov(rng: Source, count: int, tokens: int, shape: int) -> Tensor:
    """I.i.d. Markov matrices: gamma variables as sums of squared Gaussians, each row over its sum."""
    z = normal(rng, count, tokens, tokens, 2 * shape).square().sum(-1)
    return z / z.sum(-1, keepdim=True)


@cache
def means(tokens: int, count: int, shape: int) -> tuple[Measured, Measured, Measured]:
    """Squared norms along ones, of the product less its mean, and of the product of the rests."""
    rng = generator(0, "naitsaada2025", "products", tokens, count, shape)
    row = torch.full((DRAWS, 1, tokens), tokens**-0.5, dtype=torch.float64)
    product = torch.eye(tokens, dtype=torch.float64).expand(DRAWS, tokens, tokens)
    rest = product
    for _ in range(count):  # from A_p on the left to A_1
        factor = markov(rng, DRAWS, tokens, shape)
        row, product, rest = row @ factor, product @ factor, rest @ (factor - 1 / tokens)
    found = (row - tokens**-0.5, product - 1 / tokens, rest)
    squares = (each.square().sum((-1, -2)) for each in found)
    return tuple(Measured(*mean_and_reach(square)) for square in squares)  # type: ignore[return-value]


@measures(claims.along, claims.whole, claims.rest)
def mean_squares(at: Point) -> tuple[Measured, ...]:
    """E of the three squared norms."""
    return means(int(at[T]), int(at[p]), int(at[a]))


@cache
def along_ones(tokens: int, count: int, shape: int) -> tuple[float, float]:
    """E |phi^T (A_p...A_1 - phi phi^T)|^2: one row through all factors."""
    rng = generator(0, "naitsaada2025", "along", tokens, count, shape)
    row = torch.full((DRAWS, 1, tokens), tokens**-0.5, dtype=torch.float64)
    for _ in range(count):
        row = row @ markov(rng, DRAWS, tokens, shape)
    return mean_and_reach((row - tokens**-0.5).square().sum((-1, -2)))


@measures(claims.along_at)
def mean_square_along_ones(at: Point, tokens: int) -> Measured:
    """The same for so many tokens."""
    return Measured(*along_ones(tokens, int(at[p]), int(at[a])))


@measures(claims.weighted)
def with_weights(at: Point, width: int) -> Measured:
    """Weights have a known second moment: each multiplies squared lengths by d, in mean."""
    mean, reach = along_ones(width // int(at[growth]), int(at[p]), int(at[a]))
    scale = float(width) ** int(at[q])
    return Measured(scale * mean, scale * reach)


@measures(claims.along_with_weights, claims.whole_with_weights)
def mean_squares_with_weights(at: Point) -> tuple[Measured, ...]:
    """The same for the row along ones and for the whole product."""
    scale = float(at[growth] * at[T]) ** int(at[q])
    found = means(int(at[T]), int(at[p]), int(at[a]))[:2]
    return tuple(Measured(scale * each.value, scale * each.error) for each in found)


@measures(claims.covariance_of_rows)
def covariance_of_two_rows(at: Point) -> Measured:
    """Of a product of two matrices, averaged over its columns and over the pairs of its rows."""
    tokens, shape = int(at[T]), int(at[a])
    rng = generator(0, "naitsaada2025", "rows", tokens, shape)
    left, right = (markov(rng, 4 * DRAWS, tokens, shape) - 1 / tokens for _ in range(2))
    product = (left + 1 / tokens) @ right
    pairs = product.sum(1).square().sum(-1) - product.square().sum((-1, -2))
    return Measured(*mean_and_reach(pairs / (tokens**2 * (tokens - 1))))


@measures(claims.sum_of_row)
def sum_of_a_row(at: Point, k: int) -> Measured:
    """The sum of a row of A_2 A_1."""
    row = (tensor(at[A2]) @ tensor(at[A1]))[k - 1]
    return Measured(float(row.sum()), rounding(1.0))


@measures(claims.product_entry)
def entry_of_the_product(at: Point, k: int, m: int) -> Measured:
    """An entry of A_2 A_1."""
    return Measured(float((tensor(at[A2]) @ tensor(at[A1]))[k - 1, m - 1]), rounding(1.0))
