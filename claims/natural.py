"""Which of several counterexamples a reader would rather see: one that looks like an example.

Smallness comes first: the search that found a point is left as it is.  Then it is asked, variable by
variable and among the small points that follow, for one that is as short to write on both sides and less
odd: strengths are positive rather than negative, nonzero rather than zero, inside their range rather
than at its end; tokens are distinct and nonzero; no matrix is zero.  Every point is confirmed like any
other, so that a preference can lose no counterexample.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from typing import Any

from sympy import ImmutableDenseMatrix, Integer, Rational, oo

from claims.domain import Computed, Domain, Point, Real, Size
from claims.errors import UNDEFINED
from claims.terms import value_of

__all__ = ["more_natural", "oddity"]

TRIED, ROUNDS = 12, 2
"""Points that are confirmed, at most, for the sake of looks; rounds over all variables."""
SLACK = 4
"""Characters by which both sides may grow: a fraction for an integer."""
AFTER = 200
"""Small points that are looked through; those that are less odd are few."""
USUAL = (Integer(1), Rational(1, 2), Integer(2), Rational(1, 3))
"""Strengths that a reader would choose."""


def more_natural(
    domain: Domain, found: Point, still_fails: Callable[[Point], bool],
    length: Callable[[Point], int], following: Iterable[Point] = (),
) -> Point:  # fmt: skip
    """A counterexample that looks less odd than the one found, and is as short to write; or that one.

    `length` says how long both sides are, written out.
    """
    current, odd, left = found, oddity(domain, found), TRIED
    if odd == 0:
        return found
    longest = length(found) + SLACK
    for candidates in (*[_changed] * ROUNDS, lambda *_: islice(following, AFTER)):
        for candidate in candidates(domain, current):
            if odd == 0 or left == 0:
                return current
            less = oddity(domain, candidate)
            if less < odd:
                left -= 1
                if still_fails(candidate) and length(candidate) <= longest:
                    current, odd = candidate, less
    return current


def oddity(domain: Domain, point: Point) -> int:
    """How many values of the free variables look odd; a zero matrix counts twice."""
    return sum(_odd(variable, point[variable.symbol], point) for variable in _free(domain))


def _free(domain: Domain) -> list[Any]:
    """Variables that a search may choose: neither sizes nor what others determine."""
    return [v for v in domain.variables if not isinstance(v, Computed | Size) and not _tied(v)]


def _tied(variable: Any) -> Any:
    """The term by which the variables before determine this one, if they do."""
    return getattr(variable, "expression", None)


def _odd(variable: Any, value: Any, point: Point) -> int:
    if isinstance(value, tuple):
        return sum(_odd(None, part, point) for part in value)
    if isinstance(value, ImmutableDenseMatrix):
        return _odd_matrix(value, vector=_is_vector(variable))
    if isinstance(variable, Real):
        return int(bool(value <= 0)) + int(_at_an_end(variable, value, point))
    return 0


def _is_vector(variable: Any) -> bool:
    """Whether an array has one column at every size: a list of strengths and not of tokens."""
    return bool(getattr(getattr(variable, "symbol", None), "shape", (0, 0))[-1] == 1)


def _odd_matrix(value: ImmutableDenseMatrix, *, vector: bool) -> int:
    """Two for a zero matrix, one for rows that are zero or equal; averages are none of these, and
    strengths may be equal."""
    rows = [tuple(value.row(i)) for i in range(value.rows)]
    if not any(map(any, rows)):
        return 2
    if vector:
        return int(not all(map(any, rows)))
    averages = all(bool(min(row) >= 0) and sum(row) == 1 for row in rows)
    repeated = len(set(rows)) < len(rows) or not all(map(any, rows))
    return int(repeated and not (averages and value.cols > 1))


def _at_an_end(variable: Real, value: Any, point: Point) -> bool:
    """Whether a number is an integer at the end of a bounded range, as a correlation of one is."""
    ends = variable.ends(point)
    return bool(value.is_Integer and value != 0 and value in ends and not {oo, -oo} & set(ends))


def _changed(domain: Domain, point: Point) -> Iterator[Point]:
    """The point with one odd value replaced by usual ones, in order of preference."""
    for variable in _free(domain):
        value = point[variable.symbol]
        if _odd(variable, value, point):
            for usual in _usual(value):
                try:
                    candidate = _with(domain, point, variable.symbol, usual)
                except UNDEFINED:  # what is computed from it has no value there
                    continue
                yield candidate


def _usual(value: Any) -> Iterator[Any]:
    if isinstance(value, tuple):
        yield tuple(next(_usual(part), part) if _odd(None, part, {}) else part for part in value)
    elif isinstance(value, ImmutableDenseMatrix):
        yield _tokens(*value.shape)
    else:
        yield from chain([-value] if value < 0 else [], USUAL)


def _tokens(rows: int, columns: int) -> ImmutableDenseMatrix:
    """Distinct nonzero rows: the unit vectors, then twice, three times as long.

    >>> _tokens(3, 2)
    Matrix([
    [1, 0],
    [0, 1],
    [2, 0]])
    """
    entry = lambda i, j: Integer(i // columns + 1 if j == i % columns else 0)  # noqa: E731
    return ImmutableDenseMatrix(rows, columns, entry)


def _with(domain: Domain, point: Point, symbol: Any, value: Any) -> Point:
    """The point with another value of one variable, and what is determined by it."""
    changed = {**point, symbol: value}
    for variable in domain.variables:
        if (term := _tied(variable)) is not None:
            changed[variable.symbol] = value_of(term, changed)
        elif isinstance(variable, Computed):
            changed[variable.symbol] = variable.value(changed)
    return changed
