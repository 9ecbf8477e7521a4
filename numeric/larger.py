"""A claim measured at the sizes of models and of the papers, where no witness of a proof looked.

Each case is judged as at small sizes.  A claim for which nothing can be large, or whose estimator
takes no more than a few tokens, is not measured here, and the reason is said.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from torch import Tensor

from claims.domain import Point
from claims.model import Claim, Mutant, Relation
from claims.statement import Formula
from numeric.agreement import CaseResult
from numeric.estimators import estimator_of
from numeric.reach import UNLIMITED, Reach, shortest
from numeric.readings import Readings, reach_of_reading, readable
from numeric.registry import (
    Effort,
    Measurement,
    measure,
    measure_case,
    measure_reading,
)
from numeric.scales import Scale, has_scale, points_at

__all__ = ["AtScale", "measure_at_every_scale", "reach_of", "why_not"]

LONGEST_NAME = 40
LEAST = 5
"""Fewer tokens or features than this are no larger scale: the small cases reach them."""


@dataclass(frozen=True)
class AtScale:
    """What was found at one scale: a status, or the reason why nothing was measured."""

    scale: str
    status: str | None
    reason: str = ""


def reach_of(claim: Claim) -> Reach:
    """How many tokens or features the estimators of a claim take."""
    if isinstance(claim.statement, Formula):
        return shortest(map(reach_of_reading, claim.statement.quantities()))
    estimator = estimator_of(claim, larger=True)
    return UNLIMITED if estimator is None else estimator.reach


def why_not(claim: Claim, scale: Scale) -> str:
    """Why a claim is not measured at a scale; empty where it can be."""
    if not has_scale(claim.domain):
        return "the statement is about objects of fixed size"
    reach = reach_of(claim)
    return reach.reason if reach.largest is not None and reach.largest < LEAST else ""


def measure_at_every_scale(
    claim: Claim, *, seed: int, budget: float, effort: Effort, variants: Sequence[Mutant] = ()
) -> tuple[Measurement, list[AtScale]] | None:
    """A measurement at small sizes and at the larger scales of an effort, which share the budget."""
    shares = 1 + len(effort.larger)
    found = measure(claim, seed=seed, budget=budget / shares, effort=effort, variants=variants)
    if found is None:
        return None
    summary = [AtScale("small", found.status)]
    for scale, count, samples in effort.larger:
        reason = why_not(claim, scale)
        if reason:
            summary.append(AtScale(scale.name, None, reason))
            continue
        capped = replace(effort, max_samples=samples)
        cases = _cases(claim, scale, (seed, count), budget / shares, capped, variants)
        if not cases:
            reason = "no point of this size was found within the hypotheses"
            summary.append(AtScale(scale.name, None, reason))
            continue
        found.cases.extend(cases)
        found.excluded |= {name for case in cases for name in case.excluded}
        killed = {name for case in cases for name in case.killed}
        found.killed |= killed
        found.spoken |= killed
        status = _together([case.status for case in cases])
        summary.append(AtScale(scale.name, status))
        if status == "disagrees" and not claim.left_open:  # else one choice of several was seen
            found.status = "disagrees"
    return found, summary


def _together(statuses: list[str]) -> str:
    """As at small sizes, but that one case without power is enough to say so."""
    for status in ("disagrees", "underpowered"):
        if status in statuses:
            return status
    return "agrees"


def _cases(
    claim: Claim,
    scale: Scale,
    chosen: tuple[int, int],
    budget: float,
    effort: Effort,
    variants: Sequence[Mutant],
) -> list[CaseResult]:
    seed, count = chosen
    points = points_at(claim, scale, seed, count, reach_of(claim).largest)
    share = budget / max(1, len(points))
    judged = tuple(v for v in variants if v.domain is None and v.define is None)
    results = []
    for place, (kind, point) in enumerate(points):
        stream = f"{scale.name}/{place}"
        if isinstance(claim.statement, Formula):
            if not all(map(readable, claim.statement.quantities())):
                continue
            reading = Readings(point, seed, f"{claim.id}/{stream}", share, larger=True)
            result = measure_reading(claim, reading, judged)
        else:
            estimator = estimator_of(claim, larger=True)
            if estimator is None or not isinstance(claim.statement, Relation):
                continue
            result = measure_case(claim, estimator, point, (seed, stream), share, effort, judged)
        at = _described(kind, point)
        estimate, claimed = _size_of(result.estimate), _size_of(result.claimed)
        results.append(replace(result, at=at, estimate=estimate, claimed=claimed, scale=scale.name))
    return results


def _size_of(value: Any) -> Any:
    """An array's Frobenius norm, which a report has room for; what was compared are its entries."""
    if isinstance(value, Tensor):
        return float(value.double().norm())
    if isinstance(value, tuple | list):
        return tuple(map(_size_of, value))
    if isinstance(value, dict):
        return {name: _size_of(each) for name, each in value.items()}
    return value


def _described(kind: str, point: Point) -> dict[str, Any]:
    """A large point in few words: its numbers, the shapes of its matrices, the kind of its tokens."""
    words = {str(name): _in_short(value) for name, value in point.items()}
    return {**words, r"\text{tokens}": kind}


def _in_short(value: Any) -> Any:
    if hasattr(value, "shape"):
        rows, cols = value.shape
        return f"{rows} × {cols}"
    if hasattr(value, "edges"):
        return value.name if len(value.name) <= LONGEST_NAME else f"a graph on {value.size} tokens"
    if isinstance(value, tuple):
        return f"{len(value)} values" if len(value) > 1 else _in_short(value[0])
    return value
