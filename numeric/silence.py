"""Formulas that agree with all that was read because nothing that was read could have denied them."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Any

from claims.statement import Compare, Formula, Iff, Implies, Not
from numeric.broken import UNREAD, compared
from numeric.neighbours import neighbours
from numeric.readings import Readings

__all__ = ["says_nothing", "tells"]


def says_nothing(statement: Formula, readings: list[Readings]) -> bool:
    """Whether readings leave a formula possible whatever is true.

    None of them establishes it, and besides its equalities none establishes anything, as of a limit
    of quantities or of all members of a sequence, of which the first ones are read, or some equality is
    told from its neighbours nowhere.
    """
    if any(_established(statement, r) for r in readings):
        return False
    besides = _besides_equalities(statement)
    return not any(_established(besides, r) for r in readings) or not tells(statement, readings)


def tells(statement: Formula, readings: list[Readings], counts: Any = lambda atom: True) -> bool:
    """Whether some reading tells each equality that counts from its neighbours, or from none of them."""
    told: dict[Compare, bool] = {}
    for r in readings:
        for atom, at in compared(statement, r, r.point):
            if atom.sign == "=" and counts(atom) and not told.get(atom):
                told[atom] = True not in (_left(twin, r, at) for twin in neighbours(atom))
    return all(told.values())


def _left(statement: Formula, readings: Readings, at: Any) -> bool | None:
    """Whether readings leave a formula possible; None where they cannot judge it."""
    with suppress(*UNREAD):
        return True in statement.possible(readings, at)
    return None


def _established(statement: Formula, readings: Readings) -> bool:
    with suppress(*UNREAD):
        return False not in statement.possible(readings, readings.point)
    return False


def _besides_equalities(statement: Formula) -> Formula:
    """Without those that it asserts; what it denies, or asks for first, stays."""
    if isinstance(statement, Compare):
        return Compare(0, "=", 0) if statement.sign == "=" else statement
    if isinstance(statement, Implies):
        return replace(statement, conclusion=_besides_equalities(statement.conclusion))
    if isinstance(statement, Not | Iff):
        return statement
    inside = statement.parts()
    return statement.mapped(_besides_equalities, lambda term: term) if inside else statement
