"""Terms at a point in ball arithmetic, held to decimals."""

from __future__ import annotations

from decimal import Decimal, localcontext

import pytest
from sympy import (
    ImmutableDenseMatrix,
    Integer,
    KroneckerDelta,
    MatrixSymbol,
    Piecewise,
    Rational,
    Sum,
    Symbol,
    oo,
    sqrt,
    symbols,
)

from claims.domain import Array, Domain, Size
from claims.terms import MaxOver, MinOver, Recursion, entry, family, value_of
from proofs import digits
from proofs.confirm import confirmed_at_points

n, t = symbols("n t", integer=True, positive=True)
i, j, k = symbols("i j k", integer=True)
x = Symbol("x", real=True)
X = MatrixSymbol("X", n, n)
POINT = {n: Integer(2), x: Rational(1, 3), X: ImmutableDenseMatrix([[3, 4], [-1, Rational(1, 2)]])}

halved = Recursion(
    "h",
    lambda i: sqrt(Sum(entry(X)(i, j) ** 2, (j, 1, n))),
    lambda t, i, before: before(i) / 2 + Piecewise((x, i <= 1), (before(i - 1), True)),
)
shifted = family("s_{{{}}}", lambda at, k: Decimal(k) / 4 + Decimal(int(at[t])))


def decimal(value: object) -> Decimal:
    with localcontext(prec=60):
        return Decimal(str(value_of(value, POINT).evalf(60)))


@pytest.mark.parametrize(
    "term",
    [
        MaxOver(entry(X)(i, 1) * sqrt(2), (i, 1, n)),
        MinOver(Sum(entry(X)(i, j) * sqrt(j), (j, i, n)), (i, 1, n)),
        Sum(KroneckerDelta(i, j) * entry(X)(i, j) / sqrt(3), (i, 1, n), (j, 1, n)),
        halved(Integer(3), Integer(2)) ** 2 - x,
        Sum(halved(Integer(2), j) * j, (j, 1, n)),
    ],
)
def test_it_agrees_with_the_exact_value_and_with_no_other(term: object) -> None:
    exact = decimal(term)
    for _ in range(2):  # what was remembered of the point is what was found
        known = digits.balls_at(POINT)
        assert digits.agrees(exact, term, POINT, known) is True
        assert digits.agrees(exact + Decimal(10) ** -39, term, POINT, known) is False


def test_indices_of_a_point_share_what_does_not_depend_on_them() -> None:
    known = digits.balls_at(POINT)
    for later, value in ((1, Decimal("1.25")), (2, Decimal("2.25"))):
        at = {**POINT, t: Integer(later)}
        assert digits.agrees(value, shifted(Integer(1)), at, known) is True
        assert digits.agrees(value, Sum(shifted(j) * j, (j, 1, 1)), at, known) is True
        total = Sum(t * j, (j, 1, n))
        assert digits.agrees(Decimal(3 * later), total, at, known) is True


def test_what_no_ball_reads_is_not_decided() -> None:
    infinite = Sum(entry(X)(1, 1) / j**2, (j, 1, oo))
    for term in (infinite, 1 / (x - x**2 * 3), sqrt(-x), Symbol("unknown"), X[0, 0]):
        assert digits.agrees(Decimal(0), term, POINT, {}) is None


def test_a_definition_in_decimals_is_held_to_the_term() -> None:
    norm = family("r_{{{}}}", lambda at, i: decimal_norm(at[X].row(i - 1)))
    term = sqrt(Sum(entry(X)(i, j) ** 2, (j, 1, n)))
    domain, over = Domain((Size(n, 1, 2), Array(X, 2))), ((i, 1, n),)
    assert confirmed_at_points(norm(i), term, domain, over)
    assert not confirmed_at_points(norm(i), term + entry(X)(i, 1) / 10**20, domain, over)


def decimal_norm(row: ImmutableDenseMatrix) -> Decimal:
    with localcontext(prec=60):
        return sum((Decimal(int(e)) ** 2 for e in row), Decimal(0)).sqrt()
