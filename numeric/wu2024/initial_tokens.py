"""Cosines between initial embeddings at initialisation, from the models' embedding layers alone."""

from __future__ import annotations

from torch import Generator, Tensor

from claims.domain import Point
from claims.wu2024 import initial_tokens as claims
from claims.wu2024.notation import N
from numeric.agreement import Measured, rounding
from numeric.registry import measures
from numeric.remembered import remembered
from numeric.sampling import normal, stream
from numeric.wu2024.stacks import draw_tokens, pairwise_cosines

SEQUENCES = 3
"""Of a triple; in ALBERT about two in five sequences hold a negative cosine."""
STD, WIDTH, NARROW = 0.02, 768, 128


def embeddings(name: str, rng: Generator, size: int) -> Tensor:
    """Initial embeddings (n, 768) of n different random words under a model's random weights."""
    if name == claims.BERT:
        return draw_tokens(rng, 1, size, WIDTH)[0]
    if name == claims.ALBERT:
        return draw_tokens(rng, 1, size, NARROW)[0] @ normal(rng, NARROW, WIDTH, std=STD)
    return sum(normal(rng, size, WIDTH, std=STD) for _ in range(2))  # type: ignore[return-value]


@remembered()
def least_cosine(name: str, size: int, triple: int) -> float:
    """Over all pairs of the triple's sequences, each with weights of its own."""
    runs = range(SEQUENCES * (triple - 1), SEQUENCES * triple)
    rngs = (stream("wu2024", "initial", name, size, run) for run in runs)
    return min(float(pairwise_cosines(embeddings(name, rng, size)).min()) for rng in rngs)


@measures(*claims.least_cosine.values())
def least_initial_cosines(point: Point) -> tuple[Measured, ...]:
    """The least cosine found, by model."""
    size, triple = int(point[N]), int(point[claims.triple])
    return tuple(
        Measured(least_cosine(name, size, triple), rounding(1.0)) for name in claims.least_cosine
    )
