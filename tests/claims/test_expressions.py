"""Exact evaluation agrees with SymPy's own matrices and refuses what it cannot mean."""

from __future__ import annotations

import pytest
from sympy import (
    Eq,
    ImmutableDenseMatrix,
    MatrixSymbol,
    Piecewise,
    Sum,
    Trace,
    latex,
    symbols,
)
from sympy.matrices.expressions import (
    HadamardPower,
    HadamardProduct,
    Identity,
    KroneckerProduct,
    MatPow,
)

from claims.expressions import Commutation, Entrywise, FrobSq, Named, Total, explicit, ones
from claims.statement import Quantity
from claims.terms import value_of

n, d = symbols("n d", integer=True, positive=True)
i, j, k = symbols("i j k", integer=True)
X = MatrixSymbol("X", n, d)
POINT = {n: 2, d: 3, X: ImmutableDenseMatrix(2, 3, range(6))}


def test_norms_traces_and_sums() -> None:
    assert explicit(FrobSq(X), POINT) == explicit(Trace(X * X.T), POINT) == 55
    assert explicit(Total(X * X.T), POINT) == explicit(FrobSq(X.T * ones(n)), POINT) == 83
    assert explicit(n * FrobSq(X) / 5 + Trace(X.T * X) ** 2, POINT) == 22 + 55**2


def test_matrices() -> None:
    centre = Named("L", Identity(n) - ones(n, n) / n)
    assert explicit(centre * ones(n), POINT) == ImmutableDenseMatrix.zeros(2, 1)
    assert explicit(HadamardProduct(X, X), POINT)[1, 2] == 25
    assert explicit(KroneckerProduct(X, Identity(2)), POINT).shape == (4, 6)


def test_a_quantity_that_is_a_matrix_has_multiples() -> None:
    matrix = Quantity("M", lambda at: at[X])
    assert value_of(2 * matrix, POINT) == 2 * POINT[X]
    assert value_of(-matrix, POINT) == -POINT[X]


@pytest.mark.parametrize(("rows", "cols"), [(2, 3), (3, 2), (1, 4), (3, 3)])
def test_commutation_matrix_turns_columns_into_rows(rows: int, cols: int) -> None:
    b = ImmutableDenseMatrix(rows, cols, range(rows * cols))
    by_columns = lambda m: ImmutableDenseMatrix(list(m.T))  # noqa: E731
    assert explicit(Commutation(rows, cols), {}) * by_columns(b) == by_columns(b.T)
    assert explicit(Commutation(rows, cols).T, {}) == explicit(Commutation(cols, rows), {})


def test_missing_values_and_unknown_nodes_are_errors() -> None:
    with pytest.raises(KeyError):
        explicit(FrobSq(X), {n: 2, d: 3})
    with pytest.raises(TypeError, match="no explicit form"):
        explicit(Trace(HadamardPower(X * X.T, 2)), POINT)


def test_entries_are_those_that_exist() -> None:
    """Before the first one Python counts from the end."""
    assert explicit(X[1, d - 1], POINT) == 5 and explicit(Sum(X[0, k], (k, 0, d - 1)), POINT) == 3
    assert (
        explicit((X * X.T)[0, 1], POINT) == 14 and explicit(Sum(X[0, k], (k, 2, n - 2)), POINT) == 0
    )
    for place in ((-1, 0), (0, -n), (k - 1, 0)):
        with pytest.raises(ValueError, match="no entry at"):
            explicit(X[place], {**POINT, k: 0})
    with pytest.raises(ValueError, match="must be an integer"):
        explicit(X[n / 4, 0], POINT)


def test_sums_in_entries() -> None:
    """One without terms is nothing, and its index is another one than that of the entry."""
    below = Sum(1, (k, 1, i - 1)) + i * Sum(j, (j, 1, 2))
    entries = Entrywise(below + Piecewise((0, Eq(i, 0)), (X[i - 1, j], True)), [(i, n)], [(j, d)])
    assert explicit(entries, POINT) == ImmutableDenseMatrix([[0, 0, 0], [3, 4, 5]])


def test_powers_and_sizes_are_integers() -> None:
    square, half = X * X.T, n / 4
    inside = Entrywise(i, [(i, half)], [(j, n)])
    for term in (MatPow(square, half), Identity(half), ones(half), inside):
        with pytest.raises(ValueError, match="must be an integer"):
            explicit(term, POINT)
    assert explicit(MatPow(square, n / 2), POINT) == explicit(square, POINT)


def test_latex_reads_like_the_papers() -> None:
    assert latex(FrobSq(X)) == r"\left\|X\right\|_F^2"
    assert latex(FrobSq(Named(r"\bar x", X.T * ones(n) / n))) == r"\left\|\bar x\right\|^2"
    assert latex(Total(X * X.T, "C(X)")) == "C(X)"
