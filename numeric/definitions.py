"""An estimator held to the exact definition, at the small points at which it measured a relation.

A statement that measures false may be true, and its estimator wrong; where the definition has an exact
value, it tells which.  The interval misses what the estimator estimates with the probability that was
paid for already, at all looks together, so that looking again, and longer, costs none.
"""

from __future__ import annotations

from typing import Any

from claims.domain import Point
from claims.errors import UNDEFINED, BadDefinition
from claims.model import Claim, Relation
from claims.points import place_of
from claims.witness import TimeUp, at_most, value_at
from numeric import device
from numeric.agreement import Candidate, Contest, compare
from numeric.estimators import Estimator, estimator_of
from numeric.exact import numbers
from numeric.registry import Measurement, drawn, holds_no_number

__all__ = ["disagreement"]

SECONDS = 1.0
"""For the definition at a point: where it is costly, nothing is said."""
LONGER = 2
"""Points at which more samples are drawn where the statement is called false at larger sizes alone."""
DIGITS = (4, 9, 17)


def disagreement(claim: Claim, found: Measurement, *, seed: int, most: int) -> str | None:
    """Where a measurement excludes what the definition gives; None where it does not.

    A quantity without an exact value is not judged.  Where the statement measures false, up to `most`
    samples are drawn at some of the points, until a small gap would be seen.
    """
    estimator = estimator_of(claim)
    if estimator is None or not isinstance(claim.statement, Relation):
        return None
    for index, (point, case) in enumerate(zip(found.points, found.cases, strict=False)):
        defined = _defined(claim, estimator, point)
        if defined is None:
            continue
        value, width = case.estimate, case.half_width
        longer = found.status == "disagrees" and estimator.random and index < LONGER
        if longer and compare("=", value, defined, width):
            contest = Contest(Candidate("definition", "=", (defined,)))
            with device.using(device.PROCESSOR):  # where the case was measured
                estimate, width = drawn(
                    claim, estimator, point, (seed, index), contest, found.share, most
                )
            value = estimate.mean
        if not compare("=", value, defined, width):
            return (
                f"the estimator and the definition of {claim.id} disagree at {place_of(point)}: "
                f"{_against(value, width, defined)}; mend one of them"
            )
    return None


def _defined(claim: Claim, estimator: Estimator, point: Point) -> Any:
    """The exact value of the left-hand side as the estimator measures it, in floats; None without one."""
    try:
        with at_most(SECONDS):
            seen = estimator.seen(numbers(value_at(claim, point)), point)
    except BadDefinition:
        raise
    except (TimeUp, *UNDEFINED):  # also what nothing but a measurement evaluates
        return None
    return None if holds_no_number(seen) else seen


def _against(estimate: Any, width: float, defined: Any) -> str:
    """The interval and the value, to as many digits as show that they differ."""
    if not isinstance(estimate, float) or not isinstance(defined, float):
        return "an entry lies beyond the rounding error"
    for digits in DIGITS:
        low, high, value = (
            f"{x:.{digits}g}" for x in (estimate - width, estimate + width, defined)
        )
        if value not in {low, high}:
            break
    return f"[{low}, {high}] against {value}"
