"""The least singular value of a matrix variable, by the least eigenvalue of its Gram matrix."""

from __future__ import annotations

from decimal import Decimal
from functools import lru_cache
from typing import Any
from weakref import WeakKeyDictionary

import mpmath
from sympy import Integer
from sympy.core.function import UndefinedFunction

from claims.domain import Point
from claims.ranks import exact_rank
from claims.terms import family

__all__ = ["least_singular_value", "matrix_of"]

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
