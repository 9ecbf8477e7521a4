"""Centred logits of softmax attention over orthonormal tokens, read off log A."""

from __future__ import annotations

from functools import cache

from claims.domain import Point
from claims.naitsaada2025 import centred_logits as claims
from claims.naitsaada2025.notation import sigma_qk
from numeric.agreement import Measured
from numeric.registry import measures
from numeric.sampling import generator, sphere
from numeric.trends import mean_of_runs

WORK = 2**22
"""Logits that are drawn for a mean."""


@cache
def standard(tokens: int, width: int) -> Measured:
    """E tr (L L^T)^2 for standard normal queries and keys: of degree four in either."""
    rng = generator(0, "naitsaada2025", "centred logits", tokens, width)
    runs = min(2**17, max(256, WORK // (tokens * max(tokens, width))))
    queries, keys = (sphere(rng, runs, tokens, width, degree=4) for _ in range(2))
    logits = (queries @ keys.mT / width**0.5).log_softmax(dim=-1)
    logits = logits - logits.mean(dim=-1, keepdim=True)
    return mean_of_runs((logits @ logits.mT).square().sum((-1, -2)))


@measures(claims.fourth)
def fourth_power(point: Point, tokens: int, width: int) -> Measured:
    """Logits are of degree two in the deviation of the weights."""
    found, scale = standard(tokens, width), float(point[sigma_qk]) ** 8
    return Measured(scale * found.value, scale * found.error)
