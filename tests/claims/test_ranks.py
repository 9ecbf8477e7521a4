"""The rank of a Gram matrix, and the pseudo-inverses of layers."""

from __future__ import annotations

import pytest
from sympy import ImmutableDenseMatrix, Integer, MatrixSymbol, Rational

from claims.naitsaada2025.full_rank import pseudo_inverse
from claims.ranks import gram_rank
from claims.terms import entry, value_of

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


@pytest.mark.parametrize(
    "rows", [[[2, 1], [1, 1]], [[1, 1], [1, 1]], [[0, 0], [0, 0]], [[0, Rational(1, 2)], [0, 0]]]
)
def test_the_conditions_of_penrose(rows: list[list[int]]) -> None:
    one = ImmutableDenseMatrix(rows)
    other = pseudo_inverse(one)
    assert one * other * one == one and other * one * other == other
    assert one * other == (one * other).T and other * one == (other * one).T
