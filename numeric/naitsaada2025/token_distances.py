"""Distances of two tokens after one layer, sampled: two rows of attention, the values between them."""

from __future__ import annotations

from torch import Tensor

from claims.domain import Point
from claims.naitsaada2025 import token_distances as claims
from claims.naitsaada2025.notation import T, d
from claims.naitsaada2025.products import a
from claims.naitsaada2025.shares import GAMMA
from numeric.agreement import Measured
from numeric.naitsaada2025.second_moments import centred_rows, orthonormal_rows
from numeric.registry import measures
from numeric.remembered import remembered
from numeric.sampling import quick_stream, sphere
from numeric.trends import limit_of_means, mean_and_reach, mean_of_runs

DRAWS, LONG = 4096, (128, 256, 512)


def two_rows(tokens: int, shape: int, draws: int) -> Tensor:
    """Two rows of attention, (draws, 2, T)."""
    rng = quick_stream("naitsaada2025", "rows", str(tokens), str(shape))
    return centred_rows(rng, (draws, 2, tokens), shape**-0.5, GAMMA) + 1 / tokens


def squared_gap(x: Tensor) -> Tensor:
    return (x[:, 0] - x[:, 1]).square().sum(dim=-1)


@measures(claims.squared_distance)
def mean_squared_gap(at: Point) -> Measured:
    """The mean of ||x_1 - x_2||^2, through tokens and values; the length of W is averaged exactly."""
    tokens, features, shape = (int(at[s]) for s in (T, d, a))
    rng = quick_stream("naitsaada2025", "values", str(tokens), str(features))
    mixed = two_rows(tokens, shape, DRAWS) @ orthonormal_rows(rng, tokens, features)
    return mean_of_runs(squared_gap(mixed @ sphere(rng, DRAWS, features, features)))


@remembered()
def _relative(tokens: int, shape: int) -> tuple[float, float]:
    """Its share of the mean of ||x||^2: X_0 keeps lengths, and W multiplies both by d in the mean."""
    rows = two_rows(tokens, shape, DRAWS)
    gap, reach = mean_and_reach(squared_gap(rows))
    length, wide = mean_and_reach(rows.square().sum(dim=-1).mean(dim=-1))
    return gap / length, gap / length * (reach / gap + wide / length)


@measures(claims.relative_distance)
def limiting_relative_gap(at: Point) -> Measured:
    """The limit of that share, from three lengths of the context."""
    return limit_of_means([_relative(tokens, int(at[a])) for tokens in LONG])
