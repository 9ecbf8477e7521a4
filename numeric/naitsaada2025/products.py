"""Means over products of Markov matrices with gamma entries, drawn in double precision."""

from __future__ import annotations

from functools import cache

import torch
from torch import Tensor

from claims.domain import Point
from claims.naitsaada2025 import products as claims
from claims.naitsaada2025.notation import T, p
from claims.naitsaada2025.products import a
from numeric.agreement import Measured
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


@measures(claims.along_at)
def mean_square_along_ones(at: Point, tokens: int) -> Measured:
    """E |phi^T (A_p...A_1 - phi phi^T)|^2 for so many tokens."""
    return means(tokens, int(at[p]), int(at[a]))[0]
