r"""Unit vectors in the span of some singular vectors and orthogonal to others.

Of $T$ dimensions $T-1$ conditions leave one: there is a unit vector $z$ in the span of $u_1,\dots,u_{i+1}$
of one matrix that is orthogonal to $u_1,\dots,u_{i-1}$ of another and to the ones, or instead of the ones
to $r$ given columns if it lies in the span of $u_1,\dots,u_{i+r}$.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import mpmath
from sympy import ImmutableDenseMatrix, Rational, Sum, Symbol

from claims.domain import Computed, Point
from claims.naitsaada2025.stable_rank import DIGITS
from claims.statement import Compare, ForAll, Formula
from claims.terms import entry, value_of

__all__ = ["Crossing", "crossing"]


@lru_cache(maxsize=4096)
def orthogonal_to(conditions: ImmutableDenseMatrix) -> ImmutableDenseMatrix:
    """A unit column that every row is orthogonal to; there are fewer rows than columns."""
    with mpmath.workdps(2 * DIGITS):
        rows = [[mpmath.mpf(int(e.p)) / int(e.q) for e in row] for row in conditions.tolist()]
        matrix = mpmath.matrix(rows)
        found, vectors = mpmath.eigsy(matrix.T * matrix)
        least = min(range(conditions.cols), key=lambda place: abs(found[place]))
        column = [
            Rational(mpmath.nstr(vectors[row, least], DIGITS)) for row in range(conditions.cols)
        ]
    return ImmutableDenseMatrix(column)


@dataclass(frozen=True)
class Crossing(Computed):
    """The columns $z^{(p)}$, by the matrices of singular vectors that they meet."""

    within: Any = None
    """Column p lies in the span of its first p columns, and of one more for each further condition."""
    apart: Any = None
    """Column p is orthogonal to its first p - 1 columns."""
    level: bool = False
    """Whether the columns sum to zero."""
    besides: Any = None
    """A matrix to whose columns they are orthogonal."""

    @property
    def further(self) -> Any:
        """How many conditions there are besides the singular vectors."""
        return int(self.level) + (0 if self.besides is None else self.besides.shape[1])

    def facts(self) -> tuple[Formula, ...]:
        p, k, row = (Symbol(name, integer=True) for name in ("p", "place", "row"))
        rows, count = self.symbol.shape
        z, last = entry(self.symbol), p + self.further

        def along(vectors: Any) -> Any:
            return Sum(entry(vectors)(row, k) * z(row, p), (row, 1, rows))

        def none(where: Formula, vectors: Any) -> Formula:
            return ForAll(k, 1, rows, where.implies(Compare(along(vectors), "=", 0)))

        said = [
            Compare(Sum(z(row, p) ** 2, (row, 1, rows)), "=", 1),
            Compare(Sum(along(self.within) ** 2, (k, 1, rows)), "=", 1),
            none(Compare(k, ">", last), self.within),
            none(Compare(k, "<", p), self.apart),
        ]
        if self.level:
            said.append(Compare(Sum(z(row, p), (row, 1, rows)), "=", 0))
        if self.besides is not None:
            product = Sum(entry(self.besides)(row, k) * z(row, p), (row, 1, rows))
            said.append(ForAll(k, 1, self.besides.shape[1], Compare(product, "=", 0)))
        return tuple(ForAll(p, 1, count, formula) for formula in said)


def crossing(symbol: Any, within: Any, apart: Any, *, level: bool, besides: Any = None) -> Crossing:
    """Such columns, as many as the symbol has."""

    def columns(at: Point) -> ImmutableDenseMatrix:
        one, other = at[within].T, at[apart].T
        size, count = one.rows, int(value_of(symbol.shape[1], at))
        further = ImmutableDenseMatrix.ones(int(level), size)
        if besides is not None:
            further = further.col_join(at[besides].T)
        found = []
        for p in range(1, count + 1):
            rows = one[p + further.rows :, :].col_join(other[: p - 1, :]).col_join(further)
            found.append(orthogonal_to(ImmutableDenseMatrix(rows)))
        return ImmutableDenseMatrix.hstack(ImmutableDenseMatrix.zeros(size, 0), *found)

    return Crossing(symbol, columns, within=within, apart=apart, level=level, besides=besides)
