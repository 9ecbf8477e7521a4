r"""The rank of $MM^\top$ for a matrix whose entries are terms of a point."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

from sympy import Dummy, E, Float, ImmutableDenseMatrix, Integer, Symbol, exp, log, pi
from sympy.core.function import UndefinedFunction

from claims.domain import Point
from claims.errors import OnlyMeasured
from claims.terms import family, holding, put, value_of
from claims.whole import whole

__all__ = ["entries_of", "exact_rank", "gram_rank"]


def exact_rank(matrix: ImmutableDenseMatrix) -> int:
    r"""Over the field that its entries generate.

    Raises `OnlyMeasured` where that is not known: to SymPy $\log6-\log2-\log3$ is not zero, and of decimals
    not all digits are known.

    >>> from sympy import sqrt
    >>> exact_rank(ImmutableDenseMatrix([[sqrt(2) + sqrt(3), 1], [sqrt(5 + 2 * sqrt(6)), 1]]))
    1
    """
    if matrix.has(Float):
        raise OnlyMeasured("the rank of a matrix of decimals: measure it")
    over = matrix.to_DM(extension=True)
    if not (over.domain.is_Numerical or _independent(getattr(over.domain, "symbols", ()))):
        raise OnlyMeasured(f"the rank of a matrix over {over.domain}: measure it")
    return int(over.to_field().rank())


def _independent(generators: tuple[Any, ...]) -> bool:
    """Whether no polynomial in them vanishes: symbols, or a single number that is not algebraic."""
    if len(generators) == 1:
        (only,) = generators
        of_a_fraction = isinstance(only, exp | log) and only.args[0].is_Rational
        return bool(of_a_fraction or only in (E, pi) or isinstance(only, Symbol))
    return bool(generators) and all(isinstance(g, Symbol) for g in generators)


def gram_rank(name: str, entries: Any) -> UndefinedFunction:
    """A function of how many rows and columns are meant of the matrix M with these entries.

    They are written once, at any row and column: a function of one's own might tell numbers from names.
    """
    row, column = Dummy("i", integer=True), Dummy("k", integer=True)
    written = entries(row, column)

    def entry_at(i: Any, k: Any) -> Any:
        return put(written, {row: i, column: k})

    def define(point: Point, *shape: Any) -> Any:
        rows, columns = map(whole, shape)
        values = [
            value_of(entry_at(Integer(i), Integer(k)), point)
            for i in range(1, rows + 1)
            for k in range(1, columns + 1)
        ]
        block = ImmutableDenseMatrix(rows, columns, values)
        return Integer(exact_rank(block * block.T))

    made = holding(family(name, define), written)
    _ENTRIES[made] = entry_at
    return made


_ENTRIES = WeakKeyDictionary[Any, Any]()


def entries_of(function: Any) -> Any:
    """The entries of the matrix M whose rank a function made here is; None of another function."""
    return _ENTRIES.get(function)
