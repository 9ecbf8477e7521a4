"""Where a comparison of polynomials may fail by little, or at one point: at roots, and where it turns."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from sympy import Expr, Integer, Mul, Poly, Pow, Rational, fraction, real_roots, together
from sympy.polys.polyerrors import BasePolynomialError

from claims.domain import Point, Real, Size
from claims.statement import Compare, Formula
from twofold.expectations import symbols_of

__all__ = ["WRITTEN_OUT", "degree_at_most", "turning_points"]

DEGREE = 12
"""The largest degree of a polynomial whose roots are looked for."""
WRITTEN_OUT = 2000
"""The largest degree of polynomials that are written out or factored, which nothing interrupts."""
DIGITS = 25
"""Of a root that is no rational."""


def turning_points(statement: Formula, variable: Any, base: Point) -> Iterator[Any]:
    """Values of one variable, the others as in `base`, at and beside the roots of each difference.

    They say where to look, and no more: what fails there is decided exactly.

    >>> from sympy import Symbol
    >>> n = Symbol("n", integer=True)
    >>> list(turning_points(Compare((n - 97) ** 2, ">", 0), Size(n), {n: Integer(1)}))
    [96, 97, 98]
    """
    if not isinstance(variable, Size | Real):
        return
    for comparison in statement.walk():
        if not isinstance(comparison, Compare):
            continue
        with suppress(BasePolynomialError, NotImplementedError, TypeError):
            difference = comparison.left - comparison.right
            if not difference.is_rational_function(variable.symbol):
                continue
            if degree_at_most(difference) > WRITTEN_OUT:
                continue
            others = {s: base[s] for s in symbols_of(difference) - {variable.symbol} if s in base}
            numerator = fraction(together(difference.subs(others)))[0]
            yield from _beside(Poly(numerator, variable.symbol, domain="QQ"), variable)


def _beside(difference: Poly, variable: Any) -> Iterator[Any]:
    if not 1 <= difference.degree() <= DEGREE:
        return
    found: list[Any] = []
    for root in (*real_roots(difference), *real_roots(difference.diff())):
        near = root if root.is_Rational else Rational(str(root.evalf(DIGITS)))
        if isinstance(variable, Size):
            below = near.p // near.q
            found += map(Integer, (below - 1, below, below + 1))
        else:
            found += (near, near - 1, near + 1)
    yield from dict.fromkeys(found)


def degree_at_most(f: Expr) -> int:
    """A bound of the degrees in a function whose powers are written out.

    >>> from sympy import Symbol
    >>> degree_at_most((Symbol("x") ** 2 + 1) ** 10 + 5)
    20
    """
    parts = [degree_at_most(part) for part in f.args if isinstance(part, Expr)]
    if isinstance(f, Pow) and f.exp.is_Rational:
        return parts[0] * max(abs(int(f.exp.p)), int(f.exp.q))
    return sum(parts) if isinstance(f, Mul) else max(parts, default=1)
