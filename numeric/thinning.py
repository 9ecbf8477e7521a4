"""Statements about all tokens, or all pairs of them, read for some, where there are hundreds.

What fails for some fails for all; what holds for those that were read is said to hold for so many.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from sympy import Integer, Min, Symbol

from claims.domain import Point
from claims.statement import And, ForAll, Formula, Implies
from claims.terms import value_of
from claims.whole import whole_between

__all__ = ["BLOCK", "thinned"]

BLOCK = 8
"""Neighbouring values of one index that are read."""


def thinned(statement: Any, at: Point, rng: Random) -> Any:
    """A statement with blocks for the ranges of those of its indices that run over more.

    A nest of two quantifiers is read at two blocks: one at the same values of both, where a statement
    about pairs speaks of a token and itself, and one at values that are drawn for each.

    >>> from sympy import symbols
    >>> from claims.statement import Compare
    >>> j, k = symbols("j k", integer=True)
    >>> pairs = ForAll(j, 1, 100, ForAll(k, 1, 100, Compare(j * k, ">=", 1)))
    >>> for part in thinned(pairs, {}, Random(0)).formulas:
    ...     print(part.latex().replace(chr(92), "/"))
    /forall/,j,k/in/{79,/dots,86/}:/ j k /ge 1
    /forall/,j/in/{71,/dots,78/}:/ /forall/,k/in/{40,/dots,47/}:/ j k /ge 1
    """
    if isinstance(statement, And):
        return And(tuple(thinned(part, at, rng) for part in statement.formulas))
    if isinstance(statement, Implies):
        return Implies(statement.premise, thinned(statement.conclusion, at, rng))
    if not isinstance(statement, ForAll):
        return statement
    cut: set[Symbol] = set()
    start = rng.random()
    same = _blocked(statement, at, lambda: start, cut)
    return same if len(cut) < 2 else And((same, _blocked(statement, at, rng.random, set())))


def _blocked(formula: Formula, at: Point, where: Callable[[], float], cut: set[Symbol]) -> Formula:
    """Blocks for the nest of quantifiers that a formula begins with, `where` in each range from 0 to 1;
    `cut` receives the indices."""
    if not isinstance(formula, ForAll):
        return formula
    low, high, index = formula.low, formula.high, formula.index
    try:
        inside = whole_between(value_of(low, at), value_of(high, at))
    except (KeyError, TypeError, ValueError, OverflowError):  # it depends on an outer index
        return ForAll(
            index, low, Min(high, low + BLOCK - 1), _blocked(formula.body, at, where, cut)
        )
    if len(inside) > BLOCK:
        first = inside[int(where() * (len(inside) - BLOCK + 1))]
        low, high = Integer(first), Integer(first + BLOCK - 1)
        cut.add(index)
    return ForAll(index, low, high, _blocked(formula.body, at, where, cut))
