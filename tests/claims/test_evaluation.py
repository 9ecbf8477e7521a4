"""Terms compiled once say what SymPy says of them, at every point and for every index."""

from __future__ import annotations

from typing import Any

import pytest
from sympy import (
    ImmutableDenseMatrix,
    Integer,
    MatrixSymbol,
    Piecewise,
    Rational,
    Sum,
    Symbol,
    oo,
    sqrt,
    symbols,
)

from claims.evaluation import value_at
from claims.points import Placed
from claims.terms import MaxOver, MinOver, Recursion, entry, family, value_of

n = Symbol("n", integer=True, positive=True)
i, j, k = (Symbol(name, integer=True) for name in "ijk")
X = MatrixSymbol("X", n, n)
x = entry(X)
VALUE = ImmutableDenseMatrix(3, 3, lambda a, b: Rational(a - 2 * b, a + b + 1))
AT: dict[Any, Any] = {n: Integer(3), X: VALUE}


def test_sums_of_fractions() -> None:
    term = Sum(x(i, j) ** 2 / (1 + Sum(x(j, k), (k, 1, j)) ** 2), (j, 1, i), (i, 1, n))
    found = Integer(0)
    for a in range(3):
        for b in range(a + 1):
            found += VALUE[a, b] ** 2 / (1 + sum(VALUE[b, c] for c in range(b + 1)) ** 2)
    assert value_of(term, AT) == found


def test_roots_and_extrema() -> None:
    """A root is no fraction, and the sum around it is left to SymPy."""
    term = Sum(sqrt(j), (j, 1, n)) * MaxOver(x(1, j), (j, 1, n)) + MinOver(sqrt(j), (j, 2, n)) * x(
        1, 1
    )
    assert value_of(term, AT) == 0 * sqrt(2)
    assert value_of(Sum(sqrt(j) * x(2, 1), (j, 1, n)), AT) == (1 + sqrt(2) + sqrt(3)) / 2


def test_a_divisor_that_vanishes_has_no_value() -> None:
    assert not value_of(1 / x(1, 1) + x(2, 1), AT).is_finite


def test_cases() -> None:
    term = Sum(Piecewise((x(j, 1), j <= 2), (Integer(7), True)), (j, 1, n))
    assert value_of(term, AT) == Rational(1, 2) + 7


def test_an_infinite_range_has_no_value() -> None:
    with pytest.raises(TypeError, match="infinite range"):
        value_of(Sum(x(j, 1), (j, 1, oo)), AT)


def test_recursions_start_at_zero() -> None:
    grow = Recursion("g", lambda a: a + n, lambda t, a, before: before(a) * (t + 2) + x(a, 1))
    found = [value_of(grow(Integer(t), Integer(2)), AT) for t in range(3)]
    assert found == [5, 10 + Rational(1, 2), 3 * (10 + Rational(1, 2)) + Rational(1, 2)]
    with pytest.raises(LookupError, match="at least 0"):
        value_of(grow(n - 4, Integer(1)), AT)


def test_places_of_a_point_share_its_values_and_no_others() -> None:
    """A definition that keeps what it computes is asked for each point."""
    scaled = family("{}", lambda at, place: at[n] * place, kept=True)
    term = Sum(scaled(i) * x(i, j), (i, 1, n)) + k
    other = {**AT, X: VALUE + ImmutableDenseMatrix.ones(3, 3)}
    for base in (AT, other, AT):
        for a in (1, 2, 3):
            indices = {j: Integer(a), k: Integer(5)}
            direct = value_of(term, {**base, **indices})
            assert value_of(term, Placed(Placed(base, {j: Integer(a)}), {k: Integer(5)})) == direct


def test_sums_depend_on_every_index_around_them() -> None:
    """Indices from the point, and from a range around the sum."""
    first, last = (Sum(x(i, j) * x(k, j), (j, 1, n)) for _ in range(2))
    at = {**AT, i: Integer(1), k: Integer(2)}
    both = value_of(Sum(first, (i, 1, n)) - Sum(last, (k, 1, n)), at)
    rows = [VALUE.row(a) for a in range(3)]
    total = sum(rows[1:], start=rows[0])
    assert both == total.dot(rows[1]) - total.dot(rows[0])


def test_a_condition_that_is_open_chooses_no_branch() -> None:
    s, t = symbols("s t", real=True)
    cases = Piecewise((1, s > 0), (2, True))
    assert value_at(cases + t, {s: Integer(2), t: Integer(0)}) == 1
    assert value_at(cases, {s: 2}) == 1 and value_at(cases, {s: -2}) == 2
    with pytest.raises(TypeError, match="is not known at this point"):
        value_at(cases, {t: Integer(1)})
    with pytest.raises(TypeError, match="no condition holds"):
        value_at(Piecewise((1, s > 0)), {s: Integer(-1)})
