"""Agreement of a measurement with a claim: by standard error and an error budget, never by tolerance.

The budget is the probability that a whole audit raises any false alarm.  It is divided evenly over
all claims of the index (encoded or not, so that adding a claim to a run changes no verdict), then
over the cases of a claim and the looks at the data, and so holds by the union bound.

Drawing is sequential.  After each look the interval either separates the claim from its nearest
false twin, or drawing goes on (the sample doubles), or the cap is reached and the test says
`underpowered`.  Looking again is paid for: look j may use budget * 6 / (pi^2 (j+1)^2).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from numeric.estimates import Estimate

__all__ = ["FALSE_ALARM_BUDGET", "CaseResult", "Measured", "compare", "draw_until_told", "rounding"]

FALSE_ALARM_BUDGET = 1e-6
CHUNK = 2048
"""Samples per draw.  A power of two, so that blocks always pair."""


@dataclass(frozen=True)
class Measured:
    """A deterministic measurement: a number, array or flags, and a bound on its rounding error."""

    value: Any
    error: float = 0.0


def rounding(*scales: Any, operations: int = 1000) -> float:
    """A bound on accumulated float64 rounding for quantities of the given magnitudes."""
    size = max((float(torch.as_tensor(s).abs().max()) for s in scales), default=1.0)
    return operations * torch.finfo(torch.float64).eps * max(size, 1e-300)


@dataclass
class CaseResult:
    """One case: estimate against every candidate value, by name ("claim" is the statement itself)."""

    at: dict[str, Any]
    estimate: Any
    standard_error: float
    half_width: float
    samples: int
    claimed: Any
    status: str
    z: float | None
    killed: list[str] = field(default_factory=list)
    looks: list[tuple[int, float, float]] = field(default_factory=list)
    """Samples, mean and half-width each time the test looked at the data."""
    excluded: list[str] = field(default_factory=list)
    """Variants that the interval excludes."""
    scale: str = "small"


def look_budget(budget: float, look: int) -> float:
    """The share of look number `look` (from 0); the shares of all looks sum to `budget`."""
    return budget * 6 / (math.pi**2 * (look + 1) ** 2)


def draw_until_told(
    draw: Callable[[int, int], Tensor],
    candidates: Sequence[float],
    budget: float,
    max_samples: int,
    watch: Callable[[int, float, float], None] = lambda samples, mean, half_width: None,
) -> tuple[Estimate, float, bool]:
    """Draw until the interval is shorter than the least gap between candidates, or meets none.

    `draw(chunk_index, count)` returns `count` i.i.d. samples of chunk number `chunk_index`.
    Returns the estimate, the half-width of its interval, and whether it can tell the candidates;
    `watch` sees every look on the way: samples so far, their mean, the half-width.
    """
    gap = least_gap(candidates)
    estimate, chunks, target, look = Estimate(), 0, 1, 0
    while True:
        while chunks < target:
            estimate.add(draw(chunks, CHUNK))
            chunks += 1
        width = estimate.half_width(look_budget(budget, look))
        watch(estimate.samples, estimate.mean, width)
        decided = all(abs(estimate.mean - c) > width for c in candidates)
        told = decided or (width < gap / 2 if gap > 0 else False)
        if told or 2 * target * CHUNK > max_samples:
            return estimate, width, told
        target, look = 2 * target, look + 1


def least_gap(candidates: Sequence[float]) -> float:
    """The least distance from the first candidate to any other; 5% of its size when it is alone."""
    reference, *others = candidates
    gaps = [abs(other - reference) for other in others if other != reference]
    return min(gaps) if gaps else 0.05 * abs(reference) or 0.05


def compare(relation: str, estimate: Any, claimed: Any, width: float) -> bool:
    """Whether an estimate with the given half-width is consistent with `lhs relation claimed`."""
    if isinstance(estimate, tuple):
        return len(estimate) == len(claimed) and all(
            compare(relation, a, b, width) for a, b in zip(estimate, claimed, strict=True)
        )
    left, right = (torch.as_tensor(side, dtype=torch.float64) for side in (estimate, claimed))
    if left.ndim and right.ndim and left.shape != right.shape:
        return False
    unequal = left != right  # equal infinities agree, although their difference is undefined
    difference = (left - right)[unequal]
    if difference.isnan().any():
        return False
    signs = {"<=": 1, "<": 1, ">=": -1, ">": -1}  # an interval cannot tell < from <=
    excess = signs[relation] * difference if relation in signs else difference.abs()
    return bool((excess <= width).all())
