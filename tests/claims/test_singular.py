"""Singular values and eigenvalues: known ones, small and multiple ones, and those that are not known."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from sympy import (
    Expr,
    I,
    ImmutableDenseMatrix,
    Integer,
    MatrixSymbol,
    Rational,
    Symbol,
    exp,
    pi,
    sqrt,
)

from claims import exact
from claims.domain import Domain, Real
from claims.errors import OnlyMeasured
from claims.model import Claim, Source
from claims.singular import eigenvalue_moduli, least_singular_value, singular_values
from claims.statement import Compare
from claims.terms import entry, value_of
from proofs import kernel
from proofs.decide import refute

M = MatrixSymbol("M", 3, 3)
sigma = least_singular_value(r"\sigma_{{\min}}(M)", M)
s = singular_values("s_{{{}}}", entry(M))
modulus = eigenvalue_moduli(r"|\lambda_{{{}}}|", entry(M))
Rows = list[list[Any]]


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


def all_of(values: Any, rows: Rows) -> list[Any]:
    """The values of each place that there is, and one more."""
    block = ImmutableDenseMatrix(rows)
    places = range(1, max(block.shape) + 2)
    return [value_of(values(Integer(j), *block.shape), {M: block}) for j in places]


def agree(found: list[Any], known: list[Expr]) -> bool:
    return [exact.compare(a, "=", b) for a, b in zip(found, known, strict=True)] == [True] * len(
        known
    )


TINY = Rational(1, 10**35)


@pytest.mark.parametrize(
    ("rows", "known"),
    [
        ([[1, 1], [1, 1 + TINY]], None), ([[sqrt(2), 1], [sqrt(2), 1 + TINY]], None),
        ([[10**50, 0], [0, TINY]], [10**50, TINY, 0]), ([[pi * TINY, 0], [0, pi]], [pi, pi * TINY, 0]),
        ([[3, 0, 0], [0, 4, 0]], [4, 3, 0, 0]), ([[3, 4], [6, 8], [0, 0]], [sqrt(125), 0, 0, 0]),
        ([[0, 0], [0, 0]], [0, 0, 0]), ([[2, 0], [0, 2]], [2, 2, 0]),
    ],
)  # fmt: skip
def test_small_values_beside_large_ones_keep_their_digits(
    rows: Rows, known: list[Expr] | None
) -> None:
    """The product of two is the determinant."""
    found = all_of(s, rows)
    if known is None:
        determinant = abs(ImmutableDenseMatrix(rows).det())
        largest, least = (Rational(str(value)) for value in found[:2])
        assert abs(largest * least / determinant - 1) < Rational(1, 10**40)
        assert value_of(sigma(2, 2), {M: ImmutableDenseMatrix(rows)}) == found[1]
    else:
        assert agree(found, [Integer(0) + value for value in known])


def similar(rows: Rows) -> Rows:
    """The matrix in another basis, in which nothing shows."""
    base = ImmutableDenseMatrix(len(rows), len(rows), lambda a, b: 1 + (a + b) % 3 - 2 * (a == b))
    return (base * ImmutableDenseMatrix(rows) * base.inv()).tolist()


@pytest.mark.parametrize(
    ("rows", "known"),
    [
        (similar([[1, 1, 0], [0, 1, 1], [0, 0, 1]]), [1, 1, 1, 0]), (similar([[0, 1], [0, 0]]), [0, 0, 0]),
        (similar([[0, 1, 0], [0, 0, 1], [0, 0, 0]]), [0, 0, 0, 0]), ([[0, -2], [2, 0]], [2, 2, 0]),
        ([[TINY]], [TINY, 0]), ([[2, 0], [0, sqrt(2)]], [2, sqrt(2), 0]), ([[exp(1)]], [exp(1), 0]),
        ([[2, 0, 0], [0, 0, 0], [0, 0, -3]], [3, 2, 0, 0]),
    ],
)  # fmt: skip
def test_eigenvalues_that_are_small_or_of_one_matrix_many_times(
    rows: Rows, known: list[Expr]
) -> None:
    assert agree(all_of(modulus, rows), [Integer(0) + value for value in known])


@pytest.mark.parametrize(
    "rows",
    [
        [[sqrt(2), 1], [0, sqrt(2)]],
        [[sqrt(2), 2], [1, sqrt(2)]],
        [[Rational(1, 3).evalf(60)]],
        [[I]],
    ],
)
def test_eigenvalues_that_are_not_told_apart_are_not_known(rows: Rows) -> None:
    """A double one, one that is zero to all digits, that of a decimal, and of no real matrix."""
    with pytest.raises(OnlyMeasured):
        all_of(modulus, rows)


def test_a_true_statement_about_a_double_eigenvalue_is_not_refuted() -> None:
    x = Symbol("x", real=True)
    shear = eigenvalue_moduli(
        r"|\lambda_{{{}}}|", lambda i, k: (2 - i) * (2 - k) + (i - 1) * (k - 1) + x * (3 - 2 * k)
    )
    claim = Claim(
        id="toy.shear", source=Source("toy", "1"), kind="identity", title="A toy.",
        statement=Compare(shear(2, 2, 2), "=", 1), domain=Domain((Real(x),)),
    )  # fmt: skip
    assert refute(claim, method="toy", steps=()).status == "undecided"


def test_a_small_eigenvalue_is_not_zero() -> None:
    small = Symbol("y", positive=True)
    domain = Domain((Real(small, 0, Rational(1, 10**14), open_low=True),))
    own = eigenvalue_moduli(r"|\lambda_{{{}}}|", lambda i, k: small)(1, 1, 1)
    assert kernel.derived(own, small, domain, "toy").formula == Compare(own, "=", small)
    with pytest.raises(kernel.ProofError):
        kernel.derived(own, Integer(0), domain, "toy")


HALF = Rational(1, 2)


@pytest.mark.parametrize("least", [TINY**2, sqrt(2) * TINY**2])
def test_what_comparisons_would_take_for_zero_is_not_known(least: Expr) -> None:
    for values in (s(2, 2, 2), sigma(2, 2), modulus(2, 2, 2)):
        with pytest.raises(OnlyMeasured, match="zero"):
            value_of(values, {M: ImmutableDenseMatrix([[1, 0], [0, least]])})


@pytest.mark.parametrize("at", [(1 + HALF, 2, 2), (1, 2 + HALF, 2), (1, 2, 2 + HALF), (0, 2, 2)])
def test_there_are_no_values_between_places(at: tuple[Any, ...]) -> None:
    for values in (s, modulus):
        with pytest.raises(ValueError, match=r"integer|from one"):
            value_of(values(*at), {M: ImmutableDenseMatrix.eye(3)})
