"""Norms of one layer of attention with exponential $Z$, drawn."""

from __future__ import annotations

from claims.domain import Point
from claims.naitsaada2025 import collapse_floor as claims
from claims.naitsaada2025.notation import T, d
from numeric.agreement import Measured
from numeric.layers import squared_norm
from numeric.naitsaada2025.ensembles import LAWS, markov
from numeric.registry import measures
from numeric.remembered import remembered
from numeric.sampling import normal, quick_stream
from numeric.trends import mean_of_runs

WORK = 2**20
"""Entries of attention matrices that are drawn for a mean."""


@remembered()
def _energies(tokens: int, width: int) -> tuple[Measured, Measured]:
    rng = quick_stream("naitsaada2025", "one layer", tokens, width)
    count = max(256, WORK // (tokens * width))
    rows = markov(LAWS["exponential"], rng, count, tokens)
    x = rows @ normal(rng, count, tokens, width)  # X_0 = (I 0) picks rows of W
    return mean_of_runs(squared_norm(x)), mean_of_runs(squared_norm(x @ x.mT))


@measures(claims.energy, claims.covariance_energy)
def energies(point: Point) -> tuple[Measured, ...]:
    """E|X|^2 and E|X X^T|^2."""
    return _energies(int(point[T]), int(point[d]))


@measures(claims.energy_at)
def energy_at(_: Point, size: int) -> Measured:
    """E|X|^2 with as many features as tokens."""
    return _energies(size, size)[0]


@measures(claims.covariance_energy_at)
def covariance_energy_at(_: Point, size: int) -> Measured:
    """E|X X^T|^2 with as many features as tokens."""
    return _energies(size, size)[1]
