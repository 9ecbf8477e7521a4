"""Which comparison of a formula the measurement rules out, or comes closest to, and what it read on
either side."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from claims import intervals
from claims.domain import Point
from claims.failures import failures
from claims.records import failure_record, plain
from claims.statement import And, Compare, ForAll, Formula, Implies, Monotone, Or
from claims.terms import put
from claims.typeset import typeset
from numeric.margins import failing_by
from numeric.readings import Readings

__all__ = ["UNREAD", "closest_sides", "compared", "measured_failures", "widths_of"]

UNREAD = (ArithmeticError, LookupError, TypeError, ValueError)
"""What readings raise that cannot judge a formula."""


def measured_failures(statement: Formula, readings: Readings) -> list[dict[str, Any]]:
    """The comparisons that no value inside the intervals saves, with centre and half-width of both sides.

    Empty where the statement stays possible, or where it fails in no single comparison of numbers.
    """

    def truth(formula: Formula, at: Point) -> bool | None:
        possible = formula.possible(readings, at)
        return None if len(possible) == 2 else True in possible

    def sides(comparison: Compare, at: Point) -> Any:
        return intervals.sides(comparison.left, comparison.right, readings, at)

    with suppress(*UNREAD):
        return [
            {
                **failure_record(found, statement),
                "left": plain(found.left[0]), "right": plain(found.right[0]),
                "decimals": [None, None], "widths": [_width(found.left[1]), _width(found.right[1])],
            }
            for found in failures(statement, readings.point, truth, sides)
        ]  # fmt: skip
    return []


def closest_sides(statement: Formula, readings: Readings) -> dict[str, tuple[float, float]]:
    """Both sides, each with its half-width, of the comparison that is closest to failing, by name.

    Quantities under a quantifier have no value but at an index: this is the one that decided.
    """

    def sides(comparison: Compare, at: Point) -> Any:
        return intervals.sides(comparison.left, comparison.right, readings, at)

    def margin(found: tuple[Compare, Point]) -> float:
        with suppress(*UNREAD):
            centres = [side[0] for side in sides(*found)]
            judged = failing_by(found[0], found[1], lambda *_: (centres[0], centres[1]))
            return -math.inf if judged is None else float(judged.value)
        return -math.inf

    made = compared(statement, readings, readings.point)
    comparison, at = max(made, key=margin, default=(None, None))
    if comparison is None or at is None:
        return {}
    with suppress(*UNREAD):
        ends = zip((comparison.left, comparison.right), sides(comparison, at), strict=True)
        bound = {k: v for k, v in at.items() if k not in readings.point}
        return {
            typeset(put(term, bound)): (float(centre), float(width))
            for term, (centre, width) in ends
            if getattr(term, "free_symbols", ())  # a number says itself what it is
        }
    return {}


def compared(statement: Any, readings: Readings, at: Point) -> Iterator[tuple[Compare, Point]]:
    """The comparisons that a formula asserts at a point, each at every index that it is asserted for."""
    if isinstance(statement, Compare):
        yield statement, at
    elif isinstance(statement, ForAll):
        for inner in statement.instances(at):
            yield from () if inner is None else compared(statement.body, readings, inner)
    elif isinstance(statement, Monotone):
        yield from compared(statement.unfolded(), readings, at)
    elif isinstance(statement, Implies):
        if True in statement.premise.possible(readings, at):
            yield from compared(statement.conclusion, readings, at)
    elif isinstance(statement, And):
        for part in statement.formulas:
            yield from compared(part, readings, at)
    elif isinstance(statement, Or):
        for part in statement.formulas:
            if True in part.possible(readings, at):
                yield from compared(part, readings, at)


def _width(value: Any) -> float | None:
    """A half-width; None where the centre is infinite."""
    return value if math.isfinite(value) else None


def widths_of(statement: Formula, readings: Readings) -> dict[str, float]:
    """The half-width of every quantity that stands outside of quantifiers and was drawn."""
    widths = {}
    for quantity in statement.quantities():
        with suppress(*UNREAD):
            if width := float(readings(quantity, readings.point)[1]):
                widths[quantity.name] = width
    return widths
