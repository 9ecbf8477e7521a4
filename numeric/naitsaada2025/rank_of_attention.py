"""How near to rank one attention is: softmax over orthonormal tokens, and means over Markov matrices."""

from __future__ import annotations

import torch
from torch import Tensor

from claims.domain import Point
from claims.naitsaada2025 import rank_of_attention as claims
from claims.naitsaada2025.markov import A
from claims.naitsaada2025.notation import sigma_qk
from claims.naitsaada2025.products import a
from claims.naitsaada2025.spectral_gap import regime
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.layers import squared_norm
from numeric.naitsaada2025.ensembles import REGIMES, attention, key_query_logits
from numeric.naitsaada2025.products import markov
from numeric.naitsaada2025.stable_rank import SPECTRAL, stable_rank
from numeric.registry import measures
from numeric.remembered import remembered
from numeric.sampling import quick_stream
from numeric.trends import mean_of_runs

RUNS = 256


@remembered()
def distances(name: str, sigma: float, size: int) -> dict[str, Tensor]:
    """(s_2/s_1)^2 and sr - 1 of softmax attention on orthonormal tokens."""
    rng = quick_stream("naitsaada2025", "rank", name, str(sigma), size)
    matrices = attention("softmax", key_query_logits(rng, RUNS, size, REGIMES[name](size), sigma))
    squares = torch.linalg.svdvals(matrices).square()
    over = squares / squares[:, :1]
    return {claims.VALUES: over[:, 1], claims.STABLE: over[:, 1:].sum(dim=-1)}


@measures(claims.distance)
def mean_distance(point: Point, size: int) -> Measured:
    """By the proxy that is chosen."""
    found = distances(str(point[regime]), float(point[sigma_qk]), size)
    return mean_of_runs(found[str(point[claims.proxy])])


WORK = 2**20
"""Entries of attention matrices that are drawn for a mean."""


@remembered()
def means(tokens: int, shape: int) -> tuple[Measured, Measured]:
    """E |A|_F^2 and E |A A^T|_F^2 over gamma variables of a shape."""
    rng = quick_stream("naitsaada2025", "rank, means", tokens, shape)
    drawn = markov(rng, max(RUNS, WORK // tokens**2), tokens, shape)
    return mean_of_runs(squared_norm(drawn)), mean_of_runs(squared_norm(drawn @ drawn.mT))


@measures(claims.square_at)
def mean_square(point: Point, tokens: int) -> Measured:
    """E |A|_F^2."""
    return means(tokens, int(point[a]))[0]


@measures(claims.gram_at)
def mean_gram(point: Point, tokens: int) -> Measured:
    """E |A A^T|_F^2."""
    return means(tokens, int(point[a]))[1]


@measures(claims.rank, claims.square, claims.gram, reach=SPECTRAL)
def of_one_matrix(point: Point) -> tuple[Measured, ...]:
    """sr(A), |A|_F^2, |A A^T|_F^2."""
    matrix = tensor(point[A])
    values = (
        float(stable_rank(matrix)), float(matrix.square().sum()),
        float((matrix @ matrix.mT).square().sum()),
    )  # fmt: skip
    return tuple(Measured(value, rounding(value)) for value in values)
