"""Whether one statement asks no more than another: by its form, or at every point that is tried.

Of the variants of a statement those that follow from it tell nothing of who judges them.  What is
said here decides no verdict: it only says which variants are tried first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sympy import Expr, oo
from sympy.core.function import AppliedUndef

from claims.domain import Point
from claims.model import Relation
from claims.statement import (
    And,
    Compare,
    Exists,
    ForAll,
    Formula,
    Iff,
    Implies,
    Monotone,
    Not,
    Or,
)  # fmt: skip
from claims.terms import value_of

__all__ = ["REVERSED", "asks_no_more"]

ALSO = {("<", "<="), (">", ">="), ("=", "<="), ("=", ">=")}
"""Signs of which the first gives the second."""
REVERSED = {"<=": ">=", "<": ">", ">=": "<=", ">": "<"}
"""The sign of an order with its sides exchanged."""
UNKNOWN = (KeyError, TypeError, ValueError, ArithmeticError, AttributeError, LookupError)


def asks_no_more(after: Any, before: Any, points: Sequence[Point]) -> bool:
    """Whether `after` follows from `before`, as far as its form and the points tell.

    >>> from sympy import Integer, symbols
    >>> n, k = symbols("n k", integer=True, positive=True)
    >>> bound = lambda side: Compare(n, "<=", side)
    >>> points = [{n: Integer(value)} for value in (1, 2, 5)]
    >>> [asks_no_more(bound(side), bound(n**2), points) for side in (n**3, 2 * n**2, n, n + 2)]
    [True, True, False, False]
    >>> asks_no_more(bound(n), bound(n) & bound(n**2), points)
    True
    >>> all_of, some = ForAll(k, 1, n, bound(k)), Exists(k, 1, n, bound(k))
    >>> asks_no_more(some, all_of, points), asks_no_more(all_of, some, points)
    (True, False)
    """
    if after == before:
        return True
    if isinstance(before, Relation) and isinstance(after, Relation):
        return _relation(after, before, points)
    if isinstance(before, Compare) and isinstance(after, Compare):
        return _comparison(after, before, points)
    if isinstance(before, And):
        wanted = after.formulas if isinstance(after, And) else (after,)
        return all(_from_one_of(formula, before.formulas, points) for formula in wanted)
    if isinstance(before, Or) and isinstance(after, Or):
        return all(any(asks_no_more(a, b, points) for a in after.formulas) for b in before.formulas)
    if isinstance(before, Not) and isinstance(after, Not):
        return asks_no_more(before.body, after.body, points)
    if isinstance(after, Implies):
        return _implication(after, before, points)
    if isinstance(before, ForAll | Exists | Monotone):
        return _ranged(after, before, points)
    return False


def _from_one_of(after: Formula, formulas: Sequence[Formula], points: Sequence[Point]) -> bool:
    return after in formulas or any(asks_no_more(after, b, points) for b in formulas)


def _relation(after: Relation, before: Relation, points: Sequence[Point]) -> bool:
    signs = before.relation, after.relation
    if len(after.rhs) != len(before.rhs) or (signs[0] != signs[1] and signs not in ALSO):
        return False
    pairs = zip(before.rhs, after.rhs, strict=True)
    return all(_no_tighter(after.relation, *pair, points) for pair in pairs)


def _comparison(after: Compare, before: Compare, points: Sequence[Point]) -> bool:
    """The same sign or a weaker one, and no side moved the wrong way."""
    if before.sign != after.sign and (before.sign, after.sign) not in ALSO:
        return False
    left = _no_tighter(REVERSED.get(after.sign, after.sign), before.left, after.left, points)
    return left and _no_tighter(after.sign, before.right, after.right, points)


def _implication(after: Implies, before: Any, points: Sequence[Point]) -> bool:
    """From an implication, from its conclusion alone, or one half of an equivalence."""
    if isinstance(before, Iff):
        return {after.premise, after.conclusion} == {before.left, before.right}
    if not isinstance(before, Implies):
        return asks_no_more(after.conclusion, before, points)
    premise = asks_no_more(before.premise, after.premise, points)
    return premise and asks_no_more(after.conclusion, before.conclusion, points)


def _ranged(after: Any, before: Any, points: Sequence[Point]) -> bool:
    """The same of the same range or of a smaller one; that there is one, where there are any."""
    if isinstance(before, Monotone):
        same = isinstance(after, Monotone) and (before.term, before.direction) == (
            after.term, after.direction
        )  # fmt: skip
        return same and _within(after, before, points)
    if not isinstance(after, ForAll | Exists) or after.index != before.index:
        return False
    inside = [
        {**point, before.index: end}
        for point in points
        for end in _ends(before, point)
        if end != oo
    ]
    if (before.low, before.high) == (after.low, after.high):
        if not asks_no_more(after.body, before.body, inside):
            return False
        weaker = isinstance(before, ForAll) and bool(points) and _never_empty(before, points)
        return type(after) is type(before) or weaker
    if type(after) is not type(before) or after.body != before.body:
        return False
    inner, outer = (after, before) if isinstance(after, ForAll) else (before, after)
    return _within(inner, outer, points)


def _ends(formula: Any, point: Point) -> tuple[Any, ...]:
    try:
        return value_of(formula.low, point), value_of(formula.high, point)
    except UNKNOWN:
        return ()


def _never_empty(formula: Any, points: Sequence[Point]) -> bool:
    ends = [_ends(formula, point) for point in points]
    return all(len(pair) == 2 and pair[0] <= pair[1] for pair in ends)


def _within(inner: Any, outer: Any, points: Sequence[Point]) -> bool:
    """Whether one range is inside another at every point."""
    ends = [(_ends(inner, point), _ends(outer, point)) for point in points]
    return bool(ends) and all(
        len(i) == len(o) == 2 and o[0] <= i[0] and i[1] <= o[1] for i, o in ends
    )


def _no_tighter(sign: str, before: Any, after: Any, points: Sequence[Point]) -> bool:
    """Whether a side was not moved towards the other one, at any point where it has a value."""
    if before == after:
        return True
    if sign == "=" or not (isinstance(before, Expr) and isinstance(after, Expr)):
        return False
    if any(map(_reads, (before, after))):  # what is read would have to be computed
        return False
    gaps = [gap for point in points if (gap := _gap(before, after, point)) is not None]
    upwards = sign in {"<=", "<"}
    return bool(gaps) and all(gap >= 0 if upwards else gap <= 0 for gap in gaps)


def _reads(term: Expr) -> bool:
    return bool(term.has(AppliedUndef)) or any(hasattr(s, "define") for s in term.free_symbols)


def _gap(before: Expr, after: Expr, point: Point) -> float | None:
    """By how much a side grew; None where it has no value."""
    try:
        return float(value_of(after, point)) - float(value_of(before, point))
    except UNKNOWN:
        return None
