"""Means over products of Markov matrices with gamma entries, drawn in double precision."""

from __future__ import annotations

from functools import reduce

import torch
from torch import Tensor

from claims.domain import Point
from claims.naitsaada2025 import products as claims
from claims.naitsaada2025.notation import T, p, q
from claims.naitsaada2025.products import a, growth
from numeric.agreement import Measured
from numeric.naitsaada2025.spectral_gap import SOFT_EDGE
from numeric.registry import measures
from numeric.remembered import remembered
from numeric.sampling import Numbers, gamma, quick_stream
from numeric.trends import limit_of_means, mean_and_reach, mean_of_runs

DRAWS, MANY = 128, 256


def draws(tokens: int) -> int:
    """More for few tokens, where products are far from concentrated (and cheap), fewer for many."""
    return max(DRAWS if tokens <= MANY else DRAWS // 4, 2**18 // tokens**3)


def markov(rng: Numbers, count: int, tokens: int, shape: int) -> Tensor:
    """I.i.d. Markov matrices: gamma variables, each row over its sum."""
    z = gamma(rng, shape, count, tokens, tokens)
    return z / z.sum(-1, keepdim=True)


@remembered()
def means(tokens: int, count: int, shape: int) -> tuple[Measured, Measured, Measured]:
    """Squared norms along ones, of the product less its mean, and of the product of the rests."""
    rng = quick_stream("naitsaada2025", "products", tokens, count, shape)
    runs = draws(tokens)
    row = torch.full((runs, 1, tokens), tokens**-0.5, dtype=torch.float64)
    product = torch.eye(tokens, dtype=torch.float64).expand(runs, tokens, tokens)
    rest = product
    for _ in range(count):  # from A_p on the left to A_1
        factor = markov(rng, runs, tokens, shape)
        row, product, rest = row @ factor, product @ factor, rest @ (factor - 1 / tokens)
    found = (row - tokens**-0.5, product - 1 / tokens, rest)
    squares = (each.square().sum((-1, -2)) for each in found)
    return tuple(mean_of_runs(square) for square in squares)  # type: ignore[return-value]


@measures(claims.along, claims.whole, claims.rest)
def mean_squares(at: Point) -> tuple[Measured, ...]:
    """E of the three squared norms."""
    return means(int(at[T]), int(at[p]), int(at[a]))


def row_along_ones(name: str, runs: int, tokens: int, count: int, shape: int) -> Tensor:
    """phi^T A_p...A_1: one row through all factors, (runs, 1, tokens)."""
    rng = quick_stream("naitsaada2025", name, tokens, count, shape)
    row = torch.full((runs, 1, tokens), tokens**-0.5, dtype=torch.float64)
    for _ in range(count):
        row = row @ markov(rng, runs, tokens, shape)
    return row


@remembered()
def along_ones(tokens: int, count: int, shape: int) -> tuple[float, float]:
    """E |phi^T (A_p...A_1 - phi phi^T)|^2."""
    row = row_along_ones("along", DRAWS, tokens, count, shape)
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


@remembered()
def following(tokens: int, count: int, shape: int) -> tuple[float, float]:
    """E |phi^T A_p...A_1|^2."""
    row = row_along_ones("following", draws(tokens), tokens, count, shape)
    return mean_and_reach(row.square().sum((-1, -2)))


@measures(claims.following_ones)
def mean_square_of_the_row_along_ones(at: Point, width: int) -> Measured:
    """Weights multiply squared lengths by d, in mean."""
    mean, reach = following(width // int(at[growth]), int(at[p]), int(at[a]))
    scale = float(width) ** int(at[q])
    return Measured(scale * mean, scale * reach)


@measures(claims.following_ones_with_weights)
def mean_square_of_the_row_at_the_size(at: Point) -> Measured:
    """The same at the number of tokens of the point."""
    return mean_square_of_the_row_along_ones(at, int(at[growth] * at[T]))


@measures(claims.along_with_weights, claims.whole_with_weights)
def mean_squares_with_weights(at: Point) -> tuple[Measured, ...]:
    """The same for the row along ones and for the whole product."""
    scale = float(at[growth] * at[T]) ** int(at[q])
    found = means(int(at[T]), int(at[p]), int(at[a]))[:2]
    return tuple(Measured(scale * each.value, scale * each.error) for each in found)


def product_of(factors: Tensor) -> Tensor:
    """A_p...A_1 of (A_1, ..., A_p), the second axis from the end but one."""
    return reduce(lambda found, factor: factor @ found, factors.unbind(-3))


def drawn(name: str, tokens: int, count: int, shape: int) -> Tensor:
    """Independent i.i.d. Markov matrices, some for each run."""
    rng = quick_stream("naitsaada2025", name, tokens, count, shape)
    return torch.stack([markov(rng, 192, tokens, shape) for _ in range(count)], 1)


SIZES = (16, 32, 64)


@remembered()
def second_squares(count: int, shape: int) -> tuple[Measured, Measured]:
    """T^p s_2^2 of products, and T^p s_1^2 of products of the rests, as T grows."""
    found: tuple[list[tuple[float, float]], ...] = ([], [])
    for tokens in SIZES:
        factors, scale = drawn("second", tokens, count, shape), float(tokens) ** count
        second = torch.linalg.svdvals(product_of(factors))[:, 1]
        first = torch.linalg.svdvals(product_of(factors - 1 / tokens))[:, 0]
        for means, values in zip(found, (second, first), strict=True):
            means.append(mean_and_reach(scale * values.square()))
    return tuple(limit_of_means(means, SOFT_EDGE) for means in found)  # type: ignore[return-value]


@measures(claims.scaled_second, claims.scaled_rest)
def scaled_second_squares(at: Point) -> tuple[Measured, ...]:
    """The limit of T^p s_2^2 of a product, and that of T^p s_1^2 of the product of the rests."""
    return second_squares(int(at[p]), int(at[a]))


@remembered()
def largest_of_product(tokens: int, count: int, shape: int) -> tuple[float, float]:
    """s_1 of a product."""
    product = product_of(drawn("largest", tokens, count, shape))
    return mean_and_reach(torch.linalg.matrix_norm(product, ord=2))


@measures(claims.first_of_product)
def limit_of_the_first(at: Point) -> Measured:
    """The limit of s_1 of a product, with corrections of order 1/T."""
    return limit_of_means([largest_of_product(size, int(at[p]), int(at[a])) for size in SIZES])
