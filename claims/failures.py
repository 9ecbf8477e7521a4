"""Which comparison of a false statement fails at a point: what a reader of a counterexample looks for.

A conjunction fails in one part, a disjunction in all of its parts, and what is said of all indices at
one of them.  Both witnesses write what they found this way (`claims.records`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from claims import exact
from claims.denials import OPPOSITE
from claims.domain import Point
from claims.model import Relation
from claims.statement import (
    And,
    Compare,
    ForAll,
    Formula,
    Iff,
    Implies,
    Monotone,
    Not,
    Or,
)
from claims.terms import value_of

__all__ = ["Failure", "entry_that_differs", "failures", "failures_of_relation"]


@dataclass(frozen=True)
class Failure:
    """A comparison that fails, the point with bound indices put in, and the values of both sides.

    `given` holds there, and without it the comparison would not be asserted.
    """

    comparison: Compare
    at: Point
    left: Any
    right: Any
    given: Formula | None = None


Truth = Callable[[Formula, Point], bool | None]
Sides = Callable[[Compare, Point], tuple[Any, Any]]


def exact_truth(formula: Formula, at: Point) -> bool | None:
    """Whether a formula holds, from exact values."""
    return formula.truth(at)


def exact_sides(comparison: Compare, at: Point) -> tuple[Any, Any]:
    """Both sides of a comparison, as exact values."""
    return value_of(comparison.left, at), value_of(comparison.right, at)


def failures(
    formula: Formula, at: Point, truth: Truth = exact_truth, sides: Sides = exact_sides
) -> tuple[Failure, ...]:
    """The comparisons that fail together, so that a false statement is false; for most it is one.

    Empty where the statement holds, is not decided, or fails for another reason, such as that there
    is no index of some kind.  A measurement hands in its own `truth` and `sides`.
    """
    return _Search(truth, sides)(formula, at)


@dataclass(frozen=True)
class _Search:
    truth: Truth
    sides: Sides

    def __call__(self, formula: Formula, at: Point) -> tuple[Failure, ...]:
        if self.truth(formula, at) is not False:
            return ()
        match formula:
            case Compare():
                return (Failure(formula, at, *self.sides(formula, at)),)
            case And(parts):
                return self._first((part, at) for part in parts)
            case Or(parts):
                found = [self(part, at) for part in parts]
                return tuple(each for group in found for each in group) if all(found) else ()
            case Not(Compare(left, sign, right)):
                return self(Compare(left, OPPOSITE[sign], right), at)
            case Implies(premise, conclusion):
                return _given(premise, self(conclusion, at))
            case Iff(left, right):
                holds, broken = (left, right) if self.truth(left, at) else (right, left)
                return _given(holds, self(broken, at))
            case ForAll():
                return self._first(
                    (formula.body, inner) for inner in formula.instances(at) if inner
                )
            case Monotone():
                return self(formula.unfolded(), at)
        return ()

    def _first(self, parts: Iterable[tuple[Formula, Point]]) -> tuple[Failure, ...]:
        return next((found for part in parts if (found := self(*part))), ())


def _given(premise: Formula, found: tuple[Failure, ...]) -> tuple[Failure, ...]:
    """The failures of a conclusion, of which the outermost premise is named first."""
    return tuple(
        replace(each, given=premise if each.given is None else And((premise, each.given)))
        for each in found
    )


def failures_of_relation(
    relation: Relation, quantity: Any, value: Any, at: Point
) -> tuple[Failure, ...]:
    """The first link of a printed chain that fails, when its left-hand side has this value."""
    for side, right in zip(relation.rhs, relation.values(at), strict=True):
        if exact.compare(value, relation.relation, right) is False:
            comparison = Compare(quantity, relation.relation, side)
            return (Failure(comparison, at, value, right),)
    return ()


def entry_that_differs(left: Any, right: Any) -> tuple[int, int] | None:
    """Row and column, from one on, of the first entry in which two matrices of one shape differ."""
    if getattr(left, "shape", None) is None or left.shape != getattr(right, "shape", None):
        return None
    places = ((i, j) for i in range(left.shape[0]) for j in range(left.shape[1]))
    return next(
        ((i + 1, j + 1) for i, j in places if exact.agree(left[i, j], right[i, j]) is False), None
    )
