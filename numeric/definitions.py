"""Estimators held to exact definitions, at the small points at which they measured.

A statement that measures false may be true, and its estimator wrong; where the definition has an exact
value, it tells which.  The interval misses what the estimator estimates with the probability that was
paid for already, at all looks together, so that looking again, and longer, costs none.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from sympy import Expr, Integer, Sum, oo
from sympy.core.function import AppliedUndef

from claims.domain import Point
from claims.errors import UNDEFINED, BadDefinition
from claims.model import Claim, Relation
from claims.points import place_of
from claims.statement import Formula, is_measured
from claims.terms import value_of
from claims.time_limits import TimeUp, at_most
from claims.whole import whole_between
from claims.witness import value_at
from numeric import device
from numeric.agreement import Candidate, Contest, compare
from numeric.estimators import Estimator, estimator_of
from numeric.exact import numbers
from numeric.readings import Readings, readable
from numeric.registry import Measurement, drawn, holds_no_number
from numeric.sampling import by_its_seed

__all__ = ["disagreement", "members"]

SECONDS = 1.0
"""For the definition at a point: where it is costly, nothing is said."""
READ = 3
"""First points at which each quantity of a formula is compared."""
FIRST = 3
"""Values of a bound index at which a family is compared."""
LONGER = 2
"""Points at which more samples are drawn where the statement is called false at larger sizes alone."""
DIGITS = (4, 9, 17)


@by_its_seed
def disagreement(claim: Claim, found: Measurement, *, seed: int, most: int) -> str | None:
    """Where a measurement excludes what the definition gives; None where it does not.

    A quantity without an exact value is not judged.  Where a relation measures false, up to `most`
    samples are drawn at some of the points, until a small gap would be seen.
    """
    if isinstance(claim.statement, Formula):
        return next(filter(None, (_misread(claim, r) for r in _looked_at(claim, found))), None)
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


def _looked_at(claim: Claim, found: Measurement) -> Iterator[Readings]:
    """The first ones, and of the others the first at which every integer is above its least."""
    yield from found.readings[:READ]
    others = (r for r in found.readings[READ:] if claim.domain.is_raised(r.point))
    yield from islice(others, 1)


def _misread(claim: Claim, readings: Readings) -> str | None:
    """Where what was read of a formula's quantities is not what they are defined to be; None if nowhere."""
    for quantity, at in members(claim.formula, readings.point):
        if not _is_read(quantity) or is_measured(getattr(quantity, "func", quantity)):
            continue
        try:
            with at_most(SECONDS):
                defined = numbers(value_of(quantity, at))
                value, width = readings(quantity, at)
        except (TimeUp, *UNDEFINED):
            continue
        if not holds_no_number(defined) and not compare("=", value, defined, width):
            return (
                f"the estimator and the definition of {quantity} disagree at {place_of(at)}: "
                f"{_against(value, width, defined)}; mend one of them"
            )
    return None


def _is_read(quantity: Any) -> bool:
    """Whether it is one of the quantities, or a member of one of the families, that estimators read."""
    return readable(quantity) or readable(getattr(quantity, "func", None))


def members(formula: Any, at: Point) -> Iterator[tuple[Any, Point]]:
    """Quantities of a formula, each with a point that holds the first values of its bound indices.

    >>> from sympy import symbols
    >>> from claims.statement import Compare, ForAll
    >>> n, k = symbols("n k", integer=True)
    >>> found = members(ForAll(k, 2, 3, Compare(n, "<", k)), {n: 1})
    >>> sorted({(str(one), point[k]) for one, point in found})
    [('k', 2), ('k', 3), ('n', 2), ('n', 3)]
    """
    if not isinstance(formula, Formula):
        term = formula if isinstance(formula, Expr) else Integer(0)
        summed = {limits[0] for total in term.atoms(Sum) for limits in total.limits}
        for atom in sorted(term.free_symbols | term.atoms(AppliedUndef), key=str, reverse=True):
            if not atom.free_symbols & summed:
                yield atom, at
        return
    points = [at]
    if hasattr(formula, "index"):
        low, high = (getattr(formula, end, other) for end, other in (("low", 0), ("high", oo)))
        first, last = value_of(low, at), value_of(high, at)
        few = whole_between(first, min(last, first + FIRST - 1))
        points = [{**at, formula.index: Integer(k)} for k in few]
    for part in formula.parts():
        for piece in part if isinstance(part, tuple) else (part,):
            for inside in points:
                yield from members(piece, inside)


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
