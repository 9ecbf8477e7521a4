"""Formulas that agree with all that was read because nothing that was read could have denied them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from claims import intervals
from claims.domain import Point
from claims.model import Relation
from claims.statement import And, Compare, ForAll, Formula, Iff, Implies, Monotone, Not, Or
from numeric.agreement import COMPUTED, CaseResult
from numeric.broken import UNREAD, compared
from numeric.neighbours import neighbours
from numeric.readings import Readings

__all__ = ["is_one", "leaves_open", "says_nothing", "tells"]

STRICT = frozenset({"<", ">", "!="})
"""Signs that equal sides deny, which rounding may hide."""
Place = tuple[Readings, Point]


def says_nothing(statement: Formula, readings: list[Readings]) -> bool:
    """Whether readings leave a formula possible whatever is true.

    Nowhere is what it asserts asked for, as where a premise always fails or a range is empty.  Or none
    establishes it, and besides equalities that are left possible none establishes anything, as of a limit
    of quantities or of all members of a sequence, of which the first ones are read, or some equality is
    told from its neighbours nowhere.
    """
    if not _is_asserted(statement, [(r, r.point) for r in readings]):
        return True
    if any(_established(statement, r) for r in readings):
        return False
    besides = _besides_equalities(statement)
    return not any(_established(besides, r) for r in readings) or not tells(statement, readings)


def leaves_open(statement: Any, found: Any) -> bool:
    """Whether a measurement agrees with a statement that it says nothing of, or with a strict order of
    sides that are equal up to rounding."""
    if isinstance(statement, Relation):
        return statement.relation in STRICT and any(map(_is_equal, found.cases))
    readings: list[Readings] = found.readings
    return bool(readings) and (
        says_nothing(statement, readings) or _has_equal_sides(statement, readings)
    )


def _is_equal(case: CaseResult) -> bool:
    """Whether both sides of a relation are one number, as far as it can be known."""
    sides = case.estimate, case.claimed
    return all(isinstance(side, float) for side in sides) and is_one(*sides, case.half_width)


def is_one(left: float, right: float, width: float) -> bool:
    """Whether two numbers are equal up to the rounding of what was computed, and not drawn.

    >>> is_one(3.0, 3.0 + 1e-9, 1e-8), is_one(3.0, 3.1, 1e-8), is_one(3.0, 3.1, 0.2)
    (True, False, False)
    """
    return abs(left - right) <= width <= COMPUTED * (1 + abs(left))


def _has_equal_sides(statement: Formula, readings: list[Readings]) -> bool:
    """Whether a strict order holds, if at all, by no more than rounding, and with it the formula."""
    return any(
        atom.sign in STRICT and _are_equal(atom, r, at)
        for r in readings
        if not _established(statement, r)
        for atom, at in _compared(statement, r)
    )


def tells(statement: Formula, readings: list[Readings], counts: Any = lambda atom: True) -> bool:
    """Whether some reading tells each equality that counts from its neighbours, or from none of them."""
    told: dict[Compare, bool] = {}
    for r in readings:
        for atom, at in compared(statement, r, r.point):
            if atom.sign == "=" and counts(atom) and not told.get(atom):
                told[atom] = True not in (_left(twin, r, at) for twin in neighbours(atom))
    return all(told.values())


def _compared(statement: Formula, readings: Readings) -> Iterator[tuple[Compare, Point]]:
    with suppress(*UNREAD):
        yield from compared(statement, readings, readings.point)


def _are_equal(atom: Compare, readings: Readings, at: Point) -> bool:
    """Whether both sides are one number, as far as it can be known."""
    with suppress(*UNREAD):
        (left, one), (right, other) = intervals.sides(atom.left, atom.right, readings, at)
        return is_one(left, right, one + other)
    return False


def _left(statement: Formula, readings: Readings, at: Any) -> bool | None:
    """Whether readings leave a formula possible; None where they cannot judge it."""
    with suppress(*UNREAD):
        return True in statement.possible(readings, at)
    return None


def _established(statement: Formula, readings: Readings) -> bool:
    with suppress(*UNREAD):
        return False not in statement.possible(readings, readings.point)
    return False


def _is_asserted(statement: Formula, places: list[Place]) -> bool:
    """Whether each part of a formula is asserted at one of some places at least."""
    if isinstance(statement, And):
        return all(_is_asserted(part, places) for part in statement.formulas)
    if isinstance(statement, Or):
        return any(_is_asserted(part, places) for part in statement.formulas)
    if isinstance(statement, Implies):
        there = [place for place in places if _left(statement.premise, *place) is not False]
        return _is_asserted(statement.conclusion, there)
    if isinstance(statement, ForAll | Monotone):
        every = statement.unfolded() if isinstance(statement, Monotone) else statement
        return _is_asserted(every.body, list(_inside(every, places)))
    return bool(places)


def _inside(every: ForAll, places: Iterable[Place]) -> Iterator[Place]:
    for readings, at in places:
        with suppress(*UNREAD):
            yield from ((readings, inner) for inner in every.instances(at) if inner is not None)


@dataclass(frozen=True)
class _Granted(Formula):
    """An equality, taken to hold where readings leave it possible and nowhere else."""

    equality: Compare

    def possible(self, readings: Any, at: Point) -> frozenset[bool]:
        return frozenset({True in self.equality.possible(readings, at)})


def _besides_equalities(statement: Formula) -> Formula:
    """With those granted that it asserts; what it denies, or asks for first, stays."""
    if isinstance(statement, Compare):
        return _Granted(statement) if statement.sign == "=" else statement
    if isinstance(statement, Implies):
        return replace(statement, conclusion=_besides_equalities(statement.conclusion))
    if isinstance(statement, Not | Iff):
        return statement
    inside = statement.parts()
    return statement.mapped(_besides_equalities, lambda term: term) if inside else statement
