"""Spectral norms of exact matrices: a test, and matrices that pass it at any size."""

from __future__ import annotations

from fractions import Fraction
from operator import mul
from random import Random
from typing import Any

from sympy import ImmutableDenseMatrix, Integer, sympify

__all__ = ["MOST_BY_TRIAL", "signed_selection", "spectral_at_most"]


def spectral_at_most(matrix: ImmutableDenseMatrix, bound: Any) -> bool:
    """||W||_2 <= bound: elimination in bound^2 I - W^T W meets no negative pivot."""
    columns = [[_fraction(e) for e in matrix.col(j)] for j in range(matrix.cols)]
    most = _fraction(sympify(bound) ** 2)
    rows = [
        [most * (i == j) - sum(map(mul, u, v)) for j, v in enumerate(columns)]
        for i, u in enumerate(columns)
    ]
    while rows:
        (pivot, *beside), *below = rows
        if pivot < 0 or (pivot == 0 and any(beside)):
            return False
        rows = [
            [e - row[0] / pivot * b for e, b in zip(row[1:], beside, strict=True)]
            if row[0]
            else row[1:]
            for row in below
        ]
    return True


def _fraction(rational: Any) -> Fraction:
    return Fraction(int(rational.p), int(rational.q))


MOST_BY_TRIAL = 5
"""Larger matrices are within a bound too seldom to be found by trial."""


def signed_selection(size: int, rng: Random) -> ImmutableDenseMatrix:
    """Some rows of a permutation matrix, with signs, the others zero: of spectral norm one or zero."""
    places = rng.sample(range(size), size)
    signs = [rng.choice((1, 1, -1, -1, 0)) for _ in places]
    return ImmutableDenseMatrix(size, size, lambda i, j: Integer(signs[i] * (places[i] == j)))
