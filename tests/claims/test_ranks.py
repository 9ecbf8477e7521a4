"""The rank of a Gram matrix, and the pseudo-inverses of layers."""

from __future__ import annotations

from decimal import Context, Decimal

import pytest
from sympy import (
    E,
    ImmutableDenseMatrix,
    Integer,
    MatrixSymbol,
    Rational,
    cos,
    exp,
    log,
    pi,
    sin,
    sqrt,
    symbols,
)

from claims.errors import OnlyMeasured
from claims.naitsaada2025.full_rank import pseudo_inverse
from claims.ranks import exact_rank, gram_rank
from claims.singular import singular_values
from claims.terms import entry, family, value_of

M = MatrixSymbol("M", 3, 3)
rank = gram_rank(r"\mathrm{{rank}}(MM^\top)", entry(M))


@pytest.mark.parametrize(
    ("rows", "value"),
    [([[0]], 0), ([[3, 0], [0, 4]], 2), ([[1, 2], [2, 4]], 1), ([[1], [2]], 1), ([[0, 0], [0, 5]], 1)],
)  # fmt: skip
def test_known_values(rows: list[list[int]], value: int) -> None:
    block = ImmutableDenseMatrix(rows)
    assert value_of(rank(*block.shape), {M: block}) == value


def test_it_is_of_the_block_that_is_named() -> None:
    block = ImmutableDenseMatrix([[1, 0, 0], [1, 0, 2]])
    found = [value_of(rank(2, columns), {M: block}) for columns in (1, 2, 3)]
    assert found == [Integer(1), Integer(1), Integer(2)]


@pytest.mark.parametrize("shape", [(Rational(3, 2), 2), (2, Rational(5, 2))])
def test_no_block_ends_between_rows(shape: tuple[object, object]) -> None:
    with pytest.raises(ValueError, match="integer"):
        value_of(rank(*shape), {M: ImmutableDenseMatrix.eye(3)})


@pytest.mark.parametrize(
    "rows", [[[2, 1], [1, 1]], [[1, 1], [1, 1]], [[0, 0], [0, 0]], [[0, Rational(1, 2)], [0, 0]]]
)
def test_the_conditions_of_penrose(rows: list[list[int]]) -> None:
    one = ImmutableDenseMatrix(rows)
    other = pseudo_inverse(one)
    assert one * other * one == one and other * one * other == other
    assert one * other == (one * other).T and other * one == (other * one).T


x, y = symbols("x y")


@pytest.mark.parametrize(
    ("rows", "value"),
    [
        ([[sqrt(2) + sqrt(3), 1], [sqrt(5 + 2 * sqrt(6)), 1]], 1), ([[sqrt(2), 2], [1, sqrt(2)]], 1),
        ([[sqrt(2), 2], [1, sqrt(3)]], 2), ([[E, E**2], [1, E]], 1), ([[pi, 1], [2, 3]], 2),
        ([[log(2), log(4)], [1, 2]], 1), ([[x, x * y], [1, y]], 1), ([[x, y], [1, y]], 2),
    ],
)  # fmt: skip
def test_rank_over_a_field_that_is_known(rows: list[list], value: int) -> None:
    assert exact_rank(ImmutableDenseMatrix(rows)) == value


@pytest.mark.parametrize(
    "rows",
    [
        [[log(6), log(2) + log(3)], [1, 1]], [[cos(1) ** 2 + sin(1) ** 2, 1], [1, 1]],
        [[cos(2), 2 * cos(1) ** 2 - 1], [1, 1]], [[sqrt(E), exp(Rational(5, 6))], [1, exp(Rational(1, 3))]],
        [[E, pi], [1, 1]],
    ],
)  # fmt: skip
def test_no_rank_is_given_where_numbers_may_depend_on_one_another(rows: list[list]) -> None:
    """The first four have rank one, and to SymPy two."""
    with pytest.raises(OnlyMeasured, match="measure it"):
        exact_rank(ImmutableDenseMatrix(rows))


def test_logarithms_of_products_have_no_rank_here() -> None:
    """It is two; with log 6 apart from log 2 and log 3 it would be three, and a true bound refuted."""
    of_products = gram_rank("r", lambda row, column: log(row * column))
    assert value_of(of_products(2, 2), {}) == 2
    with pytest.raises(OnlyMeasured):
        value_of(of_products(3, 3), {})


def test_decimals_have_no_rank_here() -> None:
    """A product of a column and a row of roots has rank one, and rounded to sixty digits three."""
    root = family("r_{{{}}}", lambda at, i: Decimal(int(i) + 1).sqrt(Context(prec=60)))
    product = gram_rank("r", lambda row, column: root(row) * root(column + 3))
    values = singular_values("s_{{{}}}", lambda row, column: root(row) * root(column + 3))
    for asked in (product(3, 3), values(2, 3, 3)):
        with pytest.raises(OnlyMeasured, match="of decimals"):
            value_of(asked, {})
