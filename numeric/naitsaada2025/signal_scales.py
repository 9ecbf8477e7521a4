"""Squared lengths of signals and gradient factors, and edges of Gaussian products, drawn."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from claims.domain import Point
from claims.naitsaada2025 import signal_scales as claims
from claims.naitsaada2025.notation import T, depth, ell
from claims.naitsaada2025.products import growth
from numeric.agreement import Measured
from numeric.naitsaada2025.products import along_ones, draws, markov
from numeric.naitsaada2025.spectral_gap import SOFT_EDGE
from numeric.registry import measures
from numeric.remembered import remembered
from numeric.sampling import Source, normal, quick_stream
from numeric.trends import limit_of_means, mean_and_reach


def squared_lengths(start: Tensor, factors: Any) -> Tensor:
    """|x A...A W...W|^2 for each run, one factor after the other."""
    found = start
    for factor in factors:
        found = found @ factor
    return found.square().sum((-1, -2))


@remembered()
def parts(tokens: int, layers: int) -> tuple[tuple[float, float], ...]:
    """Squared norms of the mean token, of all tokens, and of the product of the rests, before weights."""
    rng, runs = quick_stream("naitsaada2025", "parts", tokens, layers), draws(tokens)
    unit = torch.eye(tokens, dtype=torch.float64).expand(runs, tokens, tokens)
    row = torch.full((runs, 1, tokens), tokens**-0.5, dtype=torch.float64)
    drawn = [markov(rng, runs, tokens, 1) for _ in range(layers)]
    centred = [factor - 1 / tokens for factor in drawn]
    found = (
        squared_lengths(row, drawn),
        squared_lengths(unit, drawn),
        squared_lengths(unit, centred),
    )
    return tuple(mean_and_reach(each) for each in found)


def _scaled(found: tuple[float, float], wide: int, count: int) -> Measured:
    """Weights have a known second moment: each multiplies squared lengths by d, in mean."""
    return Measured(found[0] * float(wide) ** count, found[1] * float(wide) ** count)


@measures(claims.mean_row, claims.all_tokens, claims.other_part)
def signals(at: Point) -> tuple[Measured, ...]:
    """Squared norms of the signal after all layers."""
    tokens, layers = int(at[T]), int(at[ell])
    wide = int(at[growth]) * tokens
    return tuple(_scaled(found, wide, layers) for found in parts(tokens, layers))


@measures(claims.row_at)
def mean_token(at: Point, tokens: int) -> Measured:
    """The squared norm of the mean token after all layers."""
    return _row(tokens, int(at[ell]), int(at[ell]), int(at[growth]))


def _row(tokens: int, factors: int, weights: int, times: int) -> Measured:
    """The part along ones, and one more for the mean itself, to which it is orthogonal."""
    mean, reach = along_ones(tokens, factors, 1)
    return _scaled((1 + mean, reach), times * tokens, weights)


@measures(claims.first_factor)
def first_factor(at: Point) -> Measured:
    """E |phi^T P_1|^2."""
    return _row(int(at[T]), int(at[depth]), int(at[ell]) - 1, int(at[growth]))


@measures(claims.all_of_first_factor)
def all_of_the_first_factor(at: Point) -> Measured:
    """E |P_1|_F^2."""
    found = parts(int(at[T]), int(at[depth]))[1]
    return _scaled(found, int(at[growth]) * int(at[T]), int(at[ell]) - 1)


@measures(claims.second_factor)
def second_factor(at: Point) -> Measured:
    """E |P_2|_F^2/d by one row of a Gaussian product, of unit length before each factor."""
    wide, count = int(at[growth]) * int(at[T]), int(at[depth]) - int(at[ell])
    mean, reach = squared_row(wide)
    return Measured(mean**count, mean**count * ((1 + reach / mean) ** count - 1))


@remembered()
def squared_row(width: int) -> tuple[float, float]:
    """E |x^T W|^2 for a unit row x: the direction does not matter."""
    runs = max(512, 2**16 // width)
    rng: Source = quick_stream("naitsaada2025", "rows of weights", width)
    return mean_and_reach(normal(rng, runs, width).square().sum(-1))


@remembered()
def largest_square(count: int, width: int) -> tuple[float, float]:
    """d^-k s_1^2 of a product of k Gaussian matrices."""
    rng, runs = quick_stream("naitsaada2025", "edge", count, width), 2**16 // width
    product = normal(rng, runs, width, width, std=width**-0.5)
    for _ in range(count - 1):
        product = product @ normal(rng, runs, width, width, std=width**-0.5)
    return mean_and_reach(torch.linalg.matrix_norm(product, ord=2).square())


@measures(claims.edge)
def limit_of_the_largest_square(at: Point) -> Measured:
    """The mean of d^(l - L) s_1^2(P_2), as d grows."""
    count = int(at[depth]) - int(at[ell])
    return limit_of_means([largest_square(count, width) for width in (24, 48, 96)], SOFT_EDGE)
