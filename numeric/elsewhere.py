"""A variant of a claim, measured at one place that somebody else chose.

Where a statement fails exactly, samples and floating point should see it, too.  Who chose the place
says nothing of the values there: these are read by the claim's own estimators.
"""

from __future__ import annotations

from dataclasses import replace

from claims.domain import Point
from claims.model import Claim, Mutant, Relation
from claims.statement import Formula
from numeric import device
from numeric.agreement import CaseResult
from numeric.estimators import estimator_of
from numeric.readings import Readings, readable
from numeric.registry import Effort, measure_case, measure_reading, ruled_out
from numeric.sampling import by_its_seed

__all__ = ["excludes", "measured_at"]

OUTSIDE = (ArithmeticError, TypeError, ValueError, LookupError, RuntimeError)
"""What an estimator raises at a point for which it was not made."""


@device.using(device.PROCESSOR)  # the place is small
def excludes(
    claim: Claim, variant: Mutant, point: Point, *, seed: int, budget: float, effort: Effort
) -> bool:
    """Whether what is measured at a point rules the variant out; `budget` is the risk of an error."""
    twin = claim.variant(variant)
    try:
        if isinstance(twin.statement, Formula):
            name = f"{claim.id}/elsewhere"
            return ruled_out(twin.statement, Readings(point, seed, name, budget))
        estimator = estimator_of(claim)
        if estimator is None or variant.define or not isinstance(twin.statement, Relation):
            return False
        stream = (seed, "elsewhere")
        case = measure_case(twin, estimator, point, stream, budget, effort, ())
    except OUTSIDE:
        return False
    return case.status == "disagrees"


@by_its_seed
@device.using(device.PROCESSOR)
def measured_at(
    claim: Claim, point: Point, *, seed: int, budget: float, effort: Effort
) -> CaseResult | None:
    """A claim measured at one point; None where its estimators were not made for that.

    What is read there has no power where it leaves open whether a formula fails.
    """
    try:
        if isinstance(claim.statement, Formula):
            if not all(map(readable, claim.statement.quantities())):
                return None
            readings = Readings(point, seed, f"{claim.id}/elsewhere", budget)
            case = measure_reading(claim, readings, ())
            told = case.status != "agrees" or False not in claim.formula.possible(readings, point)
            return case if told else replace(case, status="underpowered")
        estimator = estimator_of(claim)
        if estimator is None or not isinstance(claim.statement, Relation):
            return None
        return measure_case(claim, estimator, point, (seed, "elsewhere"), budget, effort, ())
    except OUTSIDE:
        return None
