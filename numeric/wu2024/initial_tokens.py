"""Cosines between initial embeddings at initialisation, from the models' embedding layers alone."""

from __future__ import annotations

from functools import cache

from torch import Generator, Tensor

from claims.domain import Point
from claims.wu2024 import initial_tokens as claims
from claims.wu2024.notation import N
from numeric.agreement import Measured, rounding
from numeric.registry import measures
from numeric.sampling import generator, normal
from numeric.wu2024.stacks import draw_tokens, pairwise_cosines

SEQUENCES = 24
"""In ALBERT about half of them hold a negative cosine, 0.1 below zero where it is least."""
STD, WIDTH, NARROW = 0.02, 768, 128


def embeddings(name: str, rng: Generator, size: int) -> Tensor:
    """Initial embeddings (n, 768) of n different random words under a model's random weights."""
    if name == claims.BERT:
        return draw_tokens(rng, 1, size, WIDTH)[0]
    if name == claims.ALBERT:
        return draw_tokens(rng, 1, size, NARROW)[0] @ normal(rng, NARROW, WIDTH, std=STD)
    return sum(normal(rng, size, WIDTH, std=STD) for _ in range(2))  # type: ignore[return-value]


@cache
def least_cosine(name: str, size: int) -> float:
    """Over all pairs of all sequences, each with weights of its own."""
    rngs = (generator(0, "wu2024", "initial", name, size, run) for run in range(SEQUENCES))
    return min(float(pairwise_cosines(embeddings(name, rng, size)).min()) for rng in rngs)


@measures(claims.least_cosine)
def least_initial_cosine(point: Point) -> Measured:
    """The least cosine found: negative in one sequence is negative."""
    return Measured(least_cosine(point[claims.model], int(point[N])), rounding(1.0))
