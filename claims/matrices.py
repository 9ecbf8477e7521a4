"""Exact matrices of numbers, made from their entries at once.

SymPy's own constructor looks at every entry for itself: seconds for a matrix of a real layer.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sympy import ImmutableDenseMatrix
from sympy.polys.domains.domain import Domain
from sympy.polys.matrices import DomainMatrix

__all__ = ["exact_matrix"]


def exact_matrix(
    rows: Mapping[int, Mapping[int, Any]], shape: tuple[int, int], domain: Domain
) -> ImmutableDenseMatrix:
    """A matrix by its rows' entries, counted from zero, all of one of SymPy's domains; others are zero.

    >>> from sympy import QQ
    >>> exact_matrix({1: {0: QQ(1, 2)}}, (2, 2), QQ)
    Matrix([
    [  0, 0],
    [1/2, 0]])
    """
    kept = {i: {j: entry for j, entry in row.items() if entry} for i, row in rows.items()}
    # A row without entries, kept as such, would make the matrix unlike an equal one.
    entries = {i: row for i, row in kept.items() if row}
    made: ImmutableDenseMatrix = DomainMatrix(entries, shape, domain).to_Matrix().as_immutable()
    return made
