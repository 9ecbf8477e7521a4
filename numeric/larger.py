"""A claim measured at the sizes of models and of the papers, where no witness of a proof looked.

Each case is judged as at small sizes.  A claim for which nothing can be large, or whose estimator
takes no more than a few tokens, is not measured here, and the reason is said.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from torch import Tensor

from claims.domain import Point
from claims.intervals import NoNumber
from claims.model import Claim, Mutant, Relation
from claims.statement import Formula
from numeric import device
from numeric.agreement import CaseResult
from numeric.device import Device
from numeric.estimators import estimator_of
from numeric.extent import extent
from numeric.memory import TooMuch, refusing
from numeric.reach import UNLIMITED, Reach, shortest
from numeric.readings import Readings, reach_of_reading, readable
from numeric.registry import (
    PAPER_CASES,
    Effort,
    Measurement,
    measure,
    measure_case,
    measure_reading,
)
from numeric.sampling import by_its_seed, stream_seed
from numeric.scales import (
    MODEL,
    PAPER,
    SMALL,
    Scale,
    has_scale,
    holds_exact_matrices,
    points_at,
)
from numeric.sides import NotInFloats
from numeric.thinning import thinned

__all__ = [
    "AtScale", "measure_at_every_scale", "measured_on", "place_of", "reach_of", "scales_of", "why_not",
]  # fmt: skip

LONGEST_NAME = 40
EXACT = "matrices that are computed exactly, whose digits grow with their size, are part of a point"
ONE_BY_ONE = "members of the statement, such as pairs of tokens, would be read one by one"
MOST_MEMBERS = 2**12
NO_FLOAT = "numbers beyond those of floating point arise at this size"
NO_POINT = "no exact point of this size was found within the hypotheses"


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
    if reach.largest is not None and reach.largest < scale.least:
        return reach.reason
    return EXACT if scale.is_large and holds_exact_matrices(claim.domain) else ""


@by_its_seed
def measure_at_every_scale(
    claim: Claim, *, seed: int, budget: float, effort: Effort, variants: Sequence[Mutant] = ()
) -> tuple[Measurement, list[AtScale]] | None:
    """A measurement at small sizes and at larger scales, which share the budget."""
    larger = scales_of(effort)
    share = budget / (1 + len(larger))
    with device.using(place_of(SMALL)):
        found = measure(claim, seed=seed, budget=share, effort=effort, variants=variants)
    if found is None:
        return None
    judged = tuple(v for v in variants if v.domain is None and v.define is None)
    summary = [AtScale("small", found.status)]
    for scale, count, samples in larger:
        task = _Task(claim, scale, seed, share, replace(effort, max_samples=samples), judged)
        with device.using(place_of(scale)):
            cases, reason = task.measured(count)
        if not cases:
            summary.append(AtScale(scale.name, None, reason))
            continue
        found.cases.extend(cases)
        found.excluded |= {name for case in cases for name in case.excluded}
        killed = {name for case in cases for name in case.killed}
        found.killed |= killed
        found.spoken |= killed
        status = _together([case.status for case in cases])
        summary.append(AtScale(scale.name, status))
        if status == "disagrees" and found.status != status:
            # of what the print leaves open one choice of several was seen
            found.status = "depends" if claim.left_open else status
    return found, summary


def place_of(scale: Scale) -> Device:
    """Where a scale is measured: at few tokens and features a card waits for each of many operations."""
    return device.active() if scale.is_large else device.PROCESSOR


def measured_on(scales: Sequence[AtScale]) -> str:
    """The names of the devices on which a claim was measured."""
    named = {scale.name: scale for scale in (SMALL, MODEL, PAPER)}
    where = [place_of(named[each.scale]).name for each in scales if each.status]
    return ", ".join(dict.fromkeys(where))


def scales_of(effort: Effort) -> tuple[tuple[Scale, int, int], ...]:
    """The larger scales of an effort, and on a card that of the papers whatever the effort."""
    if not device.active().in_parts:
        return effort.larger
    return (*(each for each in effort.larger if each[0] != PAPER), PAPER_CASES)


def _together(statuses: list[str]) -> str:
    """As at small sizes, but that one case without power is enough to say so."""
    for status in ("disagrees", "underpowered"):
        if status in statuses:
            return status
    return "agrees"


@dataclass(frozen=True)
class _Task:
    """A claim at one scale, with its share of the budget, and the variants that it may exclude."""

    claim: Claim
    scale: Scale
    seed: int
    budget: float
    effort: Effort
    variants: tuple[Mutant, ...]

    def measured(self, count: int) -> tuple[list[CaseResult], str]:
        """Up to so many cases; or none, and why."""
        reason = why_not(self.claim, self.scale)
        if reason:
            return [], reason
        largest = reach_of(self.claim).largest
        points = points_at(self.claim, self.scale, self.seed, count, largest)
        results, reasons = [], [NO_POINT]
        for place, (kind, point) in enumerate(points):
            task, members = self._shortened(place, point) if self.scale.is_large else (self, "")
            if task is None:
                reasons.append(f"{members} {ONE_BY_ONE}")
                continue
            try:
                result = task._case(place, point, self.budget / len(points))
            except BEYOND[self.scale.is_large] as error:
                reasons.append(_said(error))
                continue
            if result is not None:
                shown = _shown(result, kind, point, self.scale)
                read = {r"\text{members}": members} if members else {}
                results.append(replace(shown, at=shown.at | read))
        return results, "" if results else reasons[-1]

    def _shortened(self, place: int, point: Point) -> tuple[_Task | None, str]:
        """The task with no more members than can be read one by one, or None; how many, if not all.

        Variants are read at the same members; one of which too many would be read is not judged.
        """
        statement = self.claim.statement
        members = extent(statement, point)
        if members <= MOST_MEMBERS:
            return self, ""
        seed = stream_seed(self.seed, self.claim.id, "members", place)
        some = {
            each: thinned(each, point, Random(seed))
            for each in (statement, *(v.statement for v in (*self.claim.mutants, *self.variants)))
        }
        read = {each for each, few in some.items() if extent(few, point) <= MOST_MEMBERS}
        if statement not in read:
            return None, str(members)
        mutants, variants = (
            tuple(replace(v, statement=some[v.statement]) for v in those if v.statement in read)
            for those in (self.claim.mutants, self.variants)
        )
        claim = replace(self.claim, statement=some[statement], mutants=mutants)
        words = f"blocks of {extent(some[statement], point)} of {members}"
        return replace(self, claim=claim, variants=variants), words

    def _case(self, place: int, point: Point, share: float) -> CaseResult | None:
        """One point's result; None where nothing reads the claim at this size."""
        claim, lot, stream = self.claim, self.scale.lot, f"{self.scale.name}/{place}"
        with refusing(limited=True) if self.scale.is_large else nullcontext():
            if isinstance(claim.statement, Formula):
                if not all(map(readable, claim.statement.quantities())):
                    return None
                name = f"{claim.id}/{stream}"
                reading = Readings(point, self.seed, name, share, larger=True, lot=lot)
                return measure_reading(claim, reading, self.variants)
            estimator = estimator_of(claim, larger=True)
            if estimator is None or not isinstance(claim.statement, Relation):
                return None
            return measure_case(
                claim, estimator, point, (self.seed, stream), share, self.effort, self.variants, lot
            )


BEYOND: dict[bool, tuple[type[Exception], ...]] = {
    False: (),
    True: (*Device.out_of_memory, NoNumber, NotInFloats, OverflowError, TooMuch),
}
"""What costs a claim a scale and no more: only where sizes are those of the papers."""


def _said(error: Exception) -> str:
    """The reason for a report, in one line."""
    if isinstance(error, OverflowError | NoNumber):
        return NO_FLOAT
    return (str(error).splitlines() or ["out of memory"])[0]


def _shown(result: CaseResult, kind: str, point: Point, scale: Scale) -> CaseResult:
    """A case as a report has room for it."""
    estimate, claimed = _size_of(result.estimate), _size_of(result.claimed)
    at = _described(kind, point)
    return replace(result, at=at, estimate=estimate, claimed=claimed, scale=scale.name)


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
    if not isinstance(value, tuple):
        return value
    if len(value) == 1:
        return _in_short(value[0])
    if not value or not all(hasattr(member, "shape") for member in value):
        return f"{len(value)} values"
    shapes = set(map(_in_short, value))
    return f"{len(value)} of {shapes.pop()}" if len(shapes) == 1 else f"{len(value)} matrices"
