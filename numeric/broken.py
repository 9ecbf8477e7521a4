"""Which comparison of a formula the measurement rules out, and what it read on either side."""

from __future__ import annotations

import math
from contextlib import suppress
from typing import Any

from claims import intervals
from claims.domain import Point
from claims.failures import failures
from claims.records import failure_record, plain
from claims.statement import Compare, Formula
from numeric.readings import Readings

__all__ = ["measured_failures", "widths_of"]

UNREAD = (ArithmeticError, LookupError, TypeError, ValueError)


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
