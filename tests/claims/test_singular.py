"""The least singular value of a matrix variable, and of the blocks that it is a function of."""

from __future__ import annotations

from decimal import Decimal

import pytest
from sympy import ImmutableDenseMatrix, Integer, MatrixSymbol, Rational, sqrt

from claims import exact
from claims.singular import least_singular_value
from claims.statement import Compare
from claims.terms import value_of

M = MatrixSymbol("M", 3, 3)
sigma = least_singular_value(r"\sigma_{{\min}}(M)", M)


@pytest.mark.parametrize(
    ("rows", "value"),
    [
        ([[3, 0], [0, 4]], Integer(3)),
        ([[0, -2, 0], [5, 0, 0]], Integer(2)),
        ([[1, 1], [0, 1]], (sqrt(5) - 1) / 2),
        ([[1, 2], [2, 4]], Integer(0)),
        ([[1], [2]], Integer(0)),
        ([[0, 0], [0, 0]], Integer(0)),
        ([[Rational(1, 3), Rational(2, 3), Rational(2, 3)]], Integer(1)),
    ],
)
def test_known_values(rows: list[list[int]], value: object) -> None:
    block = ImmutableDenseMatrix(rows)
    found = value_of(sigma(*block.shape), {M: block})
    assert exact.compare(found, "=", value) is True


def test_dependent_rows_are_found_exactly() -> None:
    """A root of rounding errors would be small, and above zero."""
    block = ImmutableDenseMatrix([[1, 2, 3], [4, 5, 6], [7, 8, 9]])
    assert Compare(sigma(3, 3), ">", 0).truth({M: block}) is False
    assert Compare(sigma(2, 3), ">", 0).truth({M: block}) is True


def test_it_is_of_the_block_that_is_named() -> None:
    block = ImmutableDenseMatrix([[3, 0, 1], [0, 4, 0]])
    assert value_of(sigma(1, 1), {M: block}) == Decimal(3)
    assert exact.compare(value_of(sigma(2, 2), {M: block}), "=", Integer(3)) is True
    assert exact.compare(value_of(sigma(2, 3), {M: block}), "=", sqrt(10)) is True
