"""Limits of stable ranks and of shares of singular values, from draws of three sizes."""

from __future__ import annotations

import torch
from torch import Tensor

from claims.domain import Point
from claims.naitsaada2025 import threshold_bound as claims
from numeric.agreement import Measured
from numeric.naitsaada2025.products import markov
from numeric.naitsaada2025.spectral_gap import SOFT_EDGE
from numeric.registry import measures
from numeric.remembered import remembered
from numeric.sampling import normal, quick_stream
from numeric.trends import limit_of_means, mean_and_reach

RUNS = {32: 1536, 64: 1024, 128: 512}
"""Runs for each number of tokens; singular values of few vary more."""


@remembered()
def squares_without_the_gap(tokens: int) -> Tensor:
    """Squared singular values of A^perp W."""
    rng = quick_stream("naitsaada2025", "without the gap", tokens)
    rest = markov(rng, RUNS[tokens], tokens, 1) - 1 / tokens
    return torch.linalg.svdvals(rest @ normal(rng, RUNS[tokens], tokens, tokens)).square()


@measures(claims.limit_of_the_rank)
def scaled_rank(at: Point) -> Measured:
    """The stable rank of the covariance over T, in the limit."""
    ranks = {}
    for tokens in RUNS:
        squares = squares_without_the_gap(tokens)
        ranks[tokens] = squares.square().sum(-1) / squares[:, 0].square() / tokens
    return limit_of_means([mean_and_reach(ranks[tokens]) for tokens in RUNS], SOFT_EDGE)


@measures(claims.share_above)
def share_above(at: Point) -> Measured:
    """The share of squared singular values above a level, in the limit."""
    level = int(at[claims.cut])
    shares = ((squares_without_the_gap(n) > level).double().mean(-1) for n in RUNS)
    return limit_of_means([mean_and_reach(share) for share in shares], SOFT_EDGE)
