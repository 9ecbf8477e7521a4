r"""The rank of $MM^\top$ for a matrix whose entries are terms of a point."""

from __future__ import annotations

from typing import Any

from sympy import ImmutableDenseMatrix, Integer
from sympy.core.function import UndefinedFunction

from claims.domain import Point
from claims.terms import family, value_of

__all__ = ["exact_rank", "gram_rank"]


def exact_rank(matrix: ImmutableDenseMatrix) -> int:
    """Over the field that its entries generate."""
    return int(matrix.to_DM().to_field().rank())


def gram_rank(name: str, entries: Any) -> UndefinedFunction:
    """A function of how many rows and columns are meant of the matrix M with these entries."""

    def define(point: Point, rows: int, columns: int) -> Any:
        rows, columns = int(rows), int(columns)
        values = [
            value_of(entries(Integer(i), Integer(k)), point)
            for i in range(1, rows + 1)
            for k in range(1, columns + 1)
        ]
        block = ImmutableDenseMatrix(rows, columns, values)
        return Integer(exact_rank(block * block.T))

    made = family(name, define)
    made.entries = entries
    return made
