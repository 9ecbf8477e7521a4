"""How many members a statement speaks of at a point, where each of them is read or added by itself."""

from __future__ import annotations

from typing import Any

from sympy import Expr, Integer, Sum, oo

from claims.domain import Point
from claims.model import Relation
from claims.statement import Exists, ForAll, Formula
from claims.terms import MaxOver, MinOver, value_of

__all__ = ["extent"]


def extent(statement: Any, at: Point) -> int:
    """The members under the widest nest of quantifiers, sums and extrema.

    Where the range of an inner one depends on an outer index, that index stands at its first value.

    >>> from sympy import symbols
    >>> from claims.statement import Compare
    >>> n, j, k = symbols("n j k", integer=True)
    >>> everywhere = ForAll(j, 1, n, Compare(Sum(k * j, (k, 1, n - 1)), "<=", n**3))
    >>> extent(everywhere, {n: Integer(5)})
    20
    """
    if isinstance(statement, ForAll | Exists):
        found = _range(statement.low, statement.high, at)
        if found is None:
            return extent(statement.body, at)
        first, count = found
        return count * extent(statement.body, {**at, statement.index: first})
    if isinstance(statement, Relation):
        return max((extent(side, at) for side in statement.rhs), default=1)
    if isinstance(statement, Formula):
        return max((extent(part, at) for part in statement.parts()), default=1)
    if isinstance(statement, tuple):
        return max((extent(part, at) for part in statement), default=1)
    return _of_term(statement, at) if isinstance(statement, Expr) else 1


def _of_term(term: Expr, at: Point) -> int:
    if isinstance(term, Sum | MaxOver | MinOver):
        *_, (index, low, high) = map(tuple, term.args[1:])
        body = type(term)(term.args[0], *term.args[1:-1]) if len(term.args) > 2 else term.args[0]
        found = _range(low, high, at)
        if found is None:
            return _of_term(body, at)
        return found[1] * _of_term(body, {**at, index: found[0]})
    return max((_of_term(part, at) for part in term.args if isinstance(part, Expr)), default=1)


def _range(low: Any, high: Any, at: Point) -> tuple[Integer, int] | None:
    """The first index and how many there are; None where that has no value at the point."""
    try:
        first, last = value_of(low, at), value_of(high, at)
        return None if last is oo else (Integer(first), max(0, int(last) - int(first) + 1))
    except (KeyError, TypeError, ValueError, ArithmeticError):
        return None
