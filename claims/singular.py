"""Singular values: the least one of a matrix variable; all, and eigenvalues, of one whose entries are terms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from inspect import signature
from typing import Any
from weakref import WeakKeyDictionary

import flint
import mpmath
from sympy import Dummy, Expr, Float, ImmutableDenseMatrix, Integer, Rational, Symbol, sympify
from sympy.core.function import UndefinedFunction

from claims.domain import Point
from claims.errors import OnlyMeasured
from claims.exact import DIGITS, SLACK, ball, middle, read_off
from claims.ranks import exact_rank
from claims.terms import family, holding, put, value_of
from claims.whole import whole

__all__ = [
    "Root", "Written", "eigenvalue_moduli", "least_singular_value", "matrix_of", "moduli",
    "singular_values", "written_of",
]  # fmt: skip

KNOWN = DIGITS - 10
"""How many digits of a value are given."""
BITS = 320
"""Of balls around roots of a characteristic polynomial."""


class Root(Decimal):
    """A decimal of a number whose square is a root of a polynomial, given by integers, constant first."""

    polynomial: tuple[Integer, ...]

    @classmethod
    def of(cls, value: Decimal, polynomial: tuple[Integer, ...]) -> Root:
        made = cls(value)
        made.polynomial = polynomial
        return made

    def is_not(self, other: Any) -> bool:
        """Whether a number is shown not to be the same, however many digits agree."""
        if not isinstance(other, Expr) or other.free_symbols or other.has(Float):
            return False
        left = sum((c * other ** (2 * k) for k, c in enumerate(self.polynomial)), Integer(0))
        try:
            return bool(read_off(left, lambda found: True if _is_apart(found) else None))
        except (TypeError, ValueError):
            return False


def _is_apart(found: flint.arb) -> bool:
    return bool(found.is_finite() and not found.contains(0))


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


def least_of(block: Any) -> Any:
    """Zero exactly where rows are dependent; else to fifty digits."""
    found = _all_of(block)
    return _beside_zero(found[-1]) if len(found) == block.rows else Integer(0)


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

    def define(point: Point, *at: Any) -> Any:
        place, rows, columns, *elsewhere = map(whole, at)
        if place < 1:
            raise ValueError(f"value {place}: they are counted from one")
        cells = [
            [value_of(written.at(i, k, *elsewhere), point) for k in range(1, columns + 1)]
            for i in range(1, rows + 1)
        ]
        return value(ImmutableDenseMatrix(cells), place)

    made = holding(family(name, define), written.entry)
    _WRITTEN[made] = written
    return made


_WRITTEN = WeakKeyDictionary[Any, Written]()


def written_of(function: Any) -> Written | None:
    """The entries of the matrix of which a function made here says something; None of another one."""
    return _WRITTEN.get(function)


def _singular(matrix: ImmutableDenseMatrix, place: int) -> Any:
    """Zero exactly beyond the rank; else to fifty digits."""
    found = _all_of(matrix)
    return _beside_zero(found[place - 1]) if place <= len(found) else Integer(0)


@lru_cache(maxsize=4096)
def _all_of(matrix: ImmutableDenseMatrix) -> list[Decimal]:
    """Those that are not zero: of a matrix of fractions, from the roots of a polynomial."""
    exact = _in_fractions(matrix)
    if exact is None:
        return _decomposed(matrix, exact_rank(matrix))
    gram = exact * exact.transpose()
    polynomial = tuple(map(Integer, map(int, gram.charpoly().numer().coeffs())))
    with flint.ctx.workprec(BITS):
        squares = (root.real for root in _roots(gram) if root != 0)
        found = sorted((_digits(square.sqrt()) for square in squares), reverse=True)
    return [Root.of(value, polynomial) for value in found]


def _decomposed(matrix: ImmutableDenseMatrix, rank: int) -> list[Decimal]:
    """As many as the rank, with more digits where the least is small beside the largest.

    What is lost is a share of the largest.
    """
    for digits in (DIGITS, 4 * DIGITS, 16 * DIGITS) if rank else ():
        with mpmath.workdps(digits):
            cells = [[mpmath.mpf(str(e)) for e in row] for row in matrix.evalf(digits).tolist()]
            found = list(mpmath.svd_r(mpmath.matrix(cells), compute_uv=False))[:rank]
            if found[-1] > found[0] * mpmath.mpf(10) ** (KNOWN + 2 - digits):
                return [Decimal(mpmath.nstr(value, KNOWN)) for value in found]
    if rank:
        raise OnlyMeasured("singular values that differ too much: measure them")
    return []


def _modulus(matrix: ImmutableDenseMatrix, place: int) -> Any:
    if matrix.rows != matrix.cols:
        raise ValueError(f"{matrix}: has no eigenvalues")
    if place > matrix.rows:
        return Integer(0)
    return _beside_zero(moduli(matrix)[place - 1])


@lru_cache(maxsize=1024)
def moduli(matrix: ImmutableDenseMatrix) -> list[Decimal]:
    """Of eigenvalues, the largest first.

    Of fractions as above: of a multiple eigenvalue, iterations give a share of the digits only.

    Of other entries where balls tell all eigenvalues apart.
    """
    exact = _in_fractions(matrix)
    with flint.ctx.workprec(BITS):
        found = _apart(matrix) if exact is None else _roots(exact)
        return sorted((_digits(abs(value)) for value in found), reverse=True)


def _in_fractions(matrix: ImmutableDenseMatrix) -> flint.fmpq_mat | None:
    """The same matrix for FLINT; None where an entry is no fraction."""
    cells = list(matrix)
    if not all(isinstance(e, Rational) for e in cells):
        return None
    fractions = [flint.fmpq(int(e.p), int(e.q)) for e in cells]
    return flint.fmpq_mat(matrix.rows, matrix.cols, fractions)


def _roots(exact: flint.fmpq_mat) -> list[flint.acb]:
    """The eigenvalues, each as often as it is a root of the characteristic polynomial."""
    found: Any = exact.charpoly().complex_roots()
    return [root for root, times in found for _ in range(times)]


def _apart(matrix: ImmutableDenseMatrix) -> list[flint.acb]:
    if not matrix.has(Float):  # which is known to some digits only
        try:
            cells = [flint.acb(ball(e, {})) for e in matrix]
            return list(flint.acb_mat(matrix.rows, matrix.cols, cells).eig())
        except (TypeError, ValueError):
            pass
    raise OnlyMeasured("eigenvalues that are not told apart: measure them")


def _beside_zero(value: Decimal) -> Any:
    """A value, unless it is one that comparisons take for zero and is not."""
    if 0 < value < SLACK:
        raise OnlyMeasured(f"{value}: is not told from zero; measure it")
    return value or Integer(0)


def _digits(value: flint.arb) -> Decimal:
    if value == 0:
        return Decimal(0)
    if value.rel_accuracy_bits() < 3.33 * KNOWN:
        raise OnlyMeasured("a value of which not all digits are known: measure it")
    return middle(value, KNOWN)
