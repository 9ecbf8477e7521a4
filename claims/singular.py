"""Singular values: the least one of a matrix variable; all, and eigenvalues, of one whose entries are terms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from inspect import signature
from typing import Any
from weakref import WeakKeyDictionary

import mpmath
from sympy import Dummy, Expr, ImmutableDenseMatrix, Integer, Symbol, sympify
from sympy.core.function import UndefinedFunction

from claims.domain import Point
from claims.ranks import exact_rank
from claims.terms import family, put, value_of

__all__ = [
    "Written", "eigenvalue_moduli", "least_singular_value", "matrix_of", "singular_values", "written_of",
]  # fmt: skip

DIGITS = 60


def least_singular_value(name: str, matrix: Any) -> UndefinedFunction:
    """min |x M| over unit rows x: a function of how many rows and columns of the matrix M are meant."""

    def define(point: Point, rows: int, columns: int) -> Any:
        block = point[matrix][:rows, :columns]
        if block.shape != (rows, columns):  # a slice ends where the matrix does
            raise ValueError(f"{matrix}: has no {rows} rows and {columns} columns")
        return least_of(block)

    made = family(name, define)
    _MATRICES[made] = matrix
    return made


_MATRICES = WeakKeyDictionary[Any, Any]()


def matrix_of(function: Any) -> Any:
    """The matrix whose least singular value a function made here is; None of another function."""
    return _MATRICES.get(function)


@lru_cache(maxsize=4096)
def least_of(block: Any) -> Any:
    """Zero exactly where rows are dependent; else to fifty digits."""
    if exact_rank(block) < block.rows:
        return Integer(0)
    with mpmath.workdps(DIGITS):
        whole = (block * block.T).evalf(DIGITS)
        entries = [[mpmath.mpf(str(e)) for e in row] for row in whole.tolist()]
        least = min(mpmath.eigsy(mpmath.matrix(entries), eigvals_only=True))
        return Decimal(mpmath.nstr(mpmath.sqrt(least), DIGITS - 10))


@dataclass(frozen=True)
class Written:
    """An entry of a matrix as a term in its row, its column, and what else it depends on.

    `kind` says of what the function is: "singular" values or moduli of "eigenvalues".
    """

    kind: str
    row: Symbol
    column: Symbol
    others: tuple[Symbol, ...]
    entry: Expr

    def at(self, row: Any, column: Any, *others: Any) -> Expr:
        places = (self.row, self.column, *self.others)
        return put(self.entry, dict(zip(places, (row, column, *others), strict=True)))


def singular_values(name: str, entries: Callable[..., Any]) -> UndefinedFunction:
    r"""$s_j(M)$, a function of j, of how many rows and columns are meant, and of what else M depends on.

    `entries(i, k, *others)` is written once, as for a rank.  $s_1\ge s_2\ge\dots$, and zero beyond the
    last.

    >>> from sympy import ImmutableDenseMatrix, MatrixSymbol
    >>> from claims.terms import entry
    >>> X = MatrixSymbol("X", 2, 2)
    >>> s = singular_values(r"s_{{{}}}", lambda i, k: 2 * entry(X)(i, k))
    >>> round(value_of(s(2, 2, 2), {X: ImmutableDenseMatrix([[3, 0], [0, 4]])}), 6)
    Decimal('6.000000')
    """
    return _made(name, "singular", entries, _singular)


def eigenvalue_moduli(name: str, entries: Callable[..., Any]) -> UndefinedFunction:
    r"""$|\\lambda_j(M)|$, largest first, a function of the same as `singular_values` for square matrices."""
    return _made(name, "eigenvalues", entries, _modulus)


def _made(
    name: str, kind: str, entries: Callable[..., Any], value: Callable[..., Any]
) -> UndefinedFunction:
    count = len(signature(entries).parameters)
    row, column, *others = (Dummy(letter, integer=True) for letter in "ik" + "l" * (count - 2))
    written = Written(kind, row, column, tuple(others), sympify(entries(row, column, *others)))

    def define(point: Point, place: int, rows: int, columns: int, *elsewhere: Any) -> Any:
        cells = [
            [value_of(written.at(i, k, *elsewhere), point) for k in range(1, int(columns) + 1)]
            for i in range(1, int(rows) + 1)
        ]
        if place < 1:
            raise ValueError(f"value {place}: they are counted from one")
        return value(ImmutableDenseMatrix(cells), int(place))

    made = family(name, define)
    _WRITTEN[made] = written
    return made


_WRITTEN = WeakKeyDictionary[Any, Written]()


def written_of(function: Any) -> Written | None:
    """The entries of the matrix of which a function made here says something; None of another one."""
    return _WRITTEN.get(function)


def _singular(matrix: ImmutableDenseMatrix, place: int) -> Any:
    """Zero exactly beyond the rank; else to fifty digits."""
    if place > exact_rank(matrix):
        return Integer(0)
    return _all_of(matrix)[place - 1]


@lru_cache(maxsize=1024)
def _all_of(matrix: ImmutableDenseMatrix) -> list[Decimal]:
    with mpmath.workdps(DIGITS):
        cells = [[mpmath.mpf(str(e)) for e in row] for row in matrix.evalf(DIGITS).tolist()]
        found = mpmath.svd_r(mpmath.matrix(cells), compute_uv=False)
        return [Decimal(mpmath.nstr(value, DIGITS - 10)) for value in found]


TINY = Decimal("1e-12")
"""Moduli below are zero: of a multiple eigenvalue not all digits are known."""


def _modulus(matrix: ImmutableDenseMatrix, place: int) -> Any:
    if matrix.rows != matrix.cols:
        raise ValueError(f"{matrix}: has no eigenvalues")
    if place > matrix.rows:
        return Integer(0)
    found = _moduli(matrix)[place - 1]
    return Integer(0) if found < TINY else found


@lru_cache(maxsize=1024)
def _moduli(matrix: ImmutableDenseMatrix) -> list[Decimal]:
    with mpmath.workdps(DIGITS):
        cells = [[mpmath.mpf(str(e)) for e in row] for row in matrix.evalf(DIGITS).tolist()]
        found, _ = mpmath.eig(mpmath.matrix(cells))
        return sorted((Decimal(mpmath.nstr(abs(v), DIGITS - 10)) for v in found), reverse=True)
