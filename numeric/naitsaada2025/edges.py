"""Singular values of products of attention and Gaussian weights, drawn."""

from __future__ import annotations

import math
from functools import reduce

import numpy as np
import torch
from torch import Tensor

from claims.domain import Point
from claims.naitsaada2025 import edges as claims
from claims.naitsaada2025.notation import T, ell, gamma, p, q, sigma_A, sigma_V
from claims.naitsaada2025.products import growth
from numeric.agreement import Measured, rounding
from numeric.naitsaada2025.products import draws, markov
from numeric.naitsaada2025.signal_scales import squared_row
from numeric.naitsaada2025.spectral_gap import SOFT_EDGE
from numeric.registry import directly, measures
from numeric.remembered import remembered
from numeric.sampling import Numbers, normal, quick_stream
from numeric.trends import limit_of_means, mean_and_reach

RUNS, LOTS = 96, 16
SIZES = (16, 32, 64)


def runs_of(tokens: int) -> int:
    """More runs for few tokens or features, where singular values vary more."""
    return max(RUNS, RUNS * 96 // tokens)


def attention(rng: Numbers, count: int, tokens: int) -> list[Tensor]:
    """Independent matrices of exponential variables, some for each run."""
    return [markov(rng, runs_of(tokens), tokens, 1) for _ in range(count)]


def weights(rng: Numbers, count: int, rows: int, width: int) -> list[Tensor]:
    """Standard Gaussian matrices, the first with as many rows as tokens."""
    shapes = [(rows, width)] + [(width, width)] * (count - 1)
    return [normal(rng, runs_of(rows), *shape) for shape in shapes[:count]]


def largest(matrix: Tensor) -> Tensor:
    """s_1^2, the largest eigenvalue of the smaller Gram matrix."""
    rows, columns = matrix.shape[-2:]
    gram = matrix @ matrix.mT if rows <= columns else matrix.mT @ matrix
    return torch.linalg.eigvalsh(gram)[..., -1]


@remembered()
def gaussian_norm(width: int, rows: int) -> tuple[float, float]:
    """d^{-1/2} s_1 of a T x d matrix."""
    rng = quick_stream("naitsaada2025", "Gaussian norm", width, rows)
    matrix = normal(rng, 4 * runs_of(width), rows, width, std=width**-0.5)
    return mean_and_reach(torch.linalg.matrix_norm(matrix, ord=2))


def limit_of_the_norm(growth_: int, square: bool) -> Measured:
    """The mean of d^{-1/2} s_1, as d grows."""
    sizes = [(width, width if square else width // growth_) for width in (24, 48, 96)]
    return limit_of_means([gaussian_norm(*size) for size in sizes], SOFT_EDGE)


@measures(claims.first_norm, claims.later_norm)
def limits_of_the_norms(at: Point) -> tuple[Measured, ...]:
    """Of T rows and d columns, and of d rows."""
    return tuple(limit_of_the_norm(int(at[growth]), square) for square in (False, True))


@directly(claims.a_power_of_four_is_lost)
def limit_of_the_denominator(point: Point) -> Measured:
    """The squared edges of all factors, multiplied one by one."""
    a, v, ratio = (float(point[x]) for x in (sigma_A, sigma_V, gamma))
    factors = [2 * a] * int(point[ell]) + [v * (1 + ratio**-0.5)] + [2 * v] * (int(point[ell]) - 1)
    value = math.prod(factor**2 for factor in factors)
    return Measured(value, rounding(value, operations=100))


@remembered()
def edges(layers: int, width: int, tokens: int) -> tuple[float, float]:
    """The product of the squared largest singular values of all factors."""
    rng = quick_stream("naitsaada2025", "edges", layers, width, tokens)
    centred = [factor - 1 / tokens for factor in attention(rng, layers, tokens)]
    factors = [*centred, *weights(rng, layers, tokens, width)]
    return mean_and_reach(torch.stack([largest(factor) for factor in factors]).prod(0))


@measures(claims.product_limit)
def limit_of_the_product(at: Point) -> Measured:
    """Its mean, as T grows."""
    sizes = [(int(at[growth]) * tokens, tokens) for tokens in SIZES]
    return limit_of_means([edges(int(at[ell]), *size) for size in sizes], SOFT_EDGE)


@remembered()
def squared_norms(tokens: int, times: int) -> tuple[tuple[float, float], tuple[float, float]]:
    """|A^perp|_F^2/(T - 1), and |W|_F^2/d by its rows."""
    rng = quick_stream("naitsaada2025", "squared norms", tokens)
    factor = markov(rng, draws(tokens), tokens, 1) - 1 / tokens
    squares = factor.square().sum((-1, -2)) / (tokens - 1)
    return mean_and_reach(squares), squared_row(times * tokens)


@measures(claims.mean_squares)
def product_of_mean_squares(at: Point) -> Measured:
    """The factors are independent: their means multiply."""
    layers = int(at[ell])
    found = squared_norms(int(at[T]), int(at[growth]))
    value, share = 1.0, 1.0
    for mean, reach in found * layers:
        value, share = value * mean, share * (1 + reach / mean)
    return Measured(value, value * (share - 1))


def product(factors: list[Tensor]) -> Tensor:
    """Of factors from left to right."""
    return reduce(torch.matmul, factors)


@remembered()
def second_square(factors: int, count: int, width: int, tokens: int) -> tuple[float, float]:
    """d^{p-q} s_2^2."""
    rng = quick_stream("naitsaada2025", "second", factors, count, width, tokens)
    signal = product([*attention(rng, factors, tokens), *weights(rng, count, tokens, width)])
    squares = torch.linalg.svdvals(signal)[:, 1].square()
    return mean_and_reach(float(width) ** (factors - count) * squares)


def limit_of_the_second(factors: int, count: int, times: int) -> Measured:
    """Its mean, as T grows."""
    means = [second_square(factors, count, times * tokens, tokens) for tokens in SIZES]
    return limit_of_means(means, SOFT_EDGE)


@measures(claims.scaled_second)
def scaled_second(at: Point) -> Measured:
    """The same for so many factors."""
    return limit_of_the_second(int(at[p]), int(at[q]), int(at[growth]))


@measures(claims.second_together)
def second_of_one_layer(at: Point) -> Measured:
    """The same for one factor of each kind."""
    return limit_of_the_second(1, 1, int(at[growth]))


@remembered()
def deviation_of_first(factors: int, count: int, width: int, tokens: int) -> tuple[float, float]:
    """d (d^{-q/2} s_1 - 1)^2, of several lots of runs."""
    rng = quick_stream("naitsaada2025", "deviation", factors, count, width, tokens)
    squares = torch.cat(
        [
            largest(
                product([*attention(rng, factors, tokens), *weights(rng, count, tokens, width)])
            )
            for _ in range(LOTS)
        ]
    )
    return mean_and_reach(width * (squares.sqrt() / width ** (count / 2) - 1).square())


@measures(claims.deviation_limit)
def limit_of_the_deviation(at: Point) -> Measured:
    """Its mean, as d grows."""
    sizes = [(int(tokens / at[gamma]), tokens) for tokens in (8, 16, 32)]
    each = (deviation_of_first(int(at[p]), int(at[q]), *size) for size in sizes)
    return limit_of_means(list(each))


@remembered()
def one_layer() -> tuple[Measured, Measured, Measured]:
    """The limits of s_1(A), T^(1/2) s_2(A) and d^(-1/2) s_1(W)."""
    found: tuple[list[tuple[float, float]], ...] = ([], [], [])
    for tokens in SIZES:
        rng = quick_stream("naitsaada2025", "one layer", tokens)
        (factor,), (weight,) = attention(rng, 1, tokens), weights(rng, 1, tokens, tokens)
        own = torch.linalg.svdvals(factor)
        values = own[:, 0], math.sqrt(tokens) * own[:, 1], (largest(weight) / tokens).sqrt()
        for means, each in zip(found, values, strict=True):
            means.append(mean_and_reach(each))
    powers = (1, SOFT_EDGE, SOFT_EDGE)
    return tuple(map(limit_of_means, found, powers))  # type: ignore[return-value]


@measures(claims.largest_first, claims.largest_second, claims.largest_weight)
def values_of_one_layer(at: Point) -> tuple[Measured, ...]:
    """The three limits, which no ratio of sizes enters."""
    return one_layer()


@measures(claims.log_tail)
def log_of_the_tail(at: Point, tokens: int) -> Measured:
    """The logarithm of the integral of the density 5 x^-6 from 5T/2 on, over powers of two."""
    start = 2.5 * tokens
    nodes, share = np.polynomial.legendre.leggauss(40)
    total = 0.0
    for n in range(40):  # each doubling of x by a Gauss rule; what is beyond is below rounding
        low, high = start * 2.0**n, start * 2.0 ** (n + 1)
        x = (high + low) / 2 + (high - low) / 2 * nodes
        total += float((share * claims.TAIL * x ** -(claims.TAIL + 1)).sum()) * (high - low) / 2
    return Measured(math.log(total), rounding(math.log(total)))
