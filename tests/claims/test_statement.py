"""Formulas: truth from exact values, truth from intervals, substitution without capture."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp
from sympy import Integer, Matrix, MatrixSymbol, Rational, Sum, Symbol, exp, symbols

from claims.errors import UserError
from claims.intervals import NoNumber
from claims.statement import (
    And,
    Compare,
    Exists,
    ForAll,
    Formula,
    Iff,
    Implies,
    Monotone,
    Not,
    Or,
    Quantity,
    Tends,
)  # fmt: skip
from claims.terms import MaxOver, MinOver, Recursion, entry, family, value_of

n = Symbol("n", integer=True, positive=True)
i, j, k = symbols("i j k", integer=True)
x = Symbol("x", real=True)
X = MatrixSymbol("X", n, n)
double = Quantity("2n", lambda at: 2 * at[n])
power = family("n^{{{}}}", lambda at, e: at[n] ** e)


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        (double.equals(2 * n, n + n), True),
        (double.at_most(n), False),
        (double.above(n) & double.below(3 * n), True),
        (double.equals(n) | double.equals(2 * n), True),
        (~double.equals(n), True),
        (double.equals(n).implies(double.equals(7)), True),
        (double.equals(4).iff(Compare(n, "=", 2)), True),
        (ForAll(k, 0, 3, Compare(power(k + 1), ">", power(k))), True),
        (ForAll(k, 0, 3, Compare(power(k), "<", 8)), False),
        (Exists(k, 0, 3, Compare(power(k), "=", 4)), True),
        (Exists(k, 0, 1, Compare(power(k), "=", 4)), False),
        (Monotone(power(k), k, "<", 0, 3), True),
        (Tends(1 / (k + x), k, Integer(0)), True),
        (Tends(1 / (k + x), k, Integer(1)), False),
    ],
)
def test_truth(formula: Formula, expected: bool) -> None:
    assert formula.truth({n: Integer(2), x: Rational(1, 2)}) is expected


def test_unbounded_ranges_are_refuted_or_left_open() -> None:
    from sympy import oo

    assert ForAll(k, 0, oo, Compare(power(k), ">", 0)).truth({n: Integer(2)}) is None
    assert ForAll(k, 0, oo, Compare(power(k), "<", 9)).truth({n: Integer(2)}) is False
    assert Exists(k, 0, oo, Compare(power(k), "=", 8)).truth({n: Integer(2)}) is True


@pytest.mark.parametrize(
    "formula",
    [
        ForAll(k, 0, n / 2 - 1, Compare(power(k), ">", 1)),
        ForAll(k, Rational(1, 2), n, Compare(power(k), ">", 0)),
        Compare(Sum(power(k), (k, 0, n / 2 - 1)), "=", 0),
        Exists(k, -Rational(1, 2), n, Compare(power(k), "=", 1)),
    ],
)
def test_ranges_hold_the_integers_between_their_ends(formula: Formula) -> None:
    """From 0 to -1/2 there is none."""
    assert formula.truth({n: Integer(1)}) is True


rounded = Quantity("r", lambda at: Decimal(1))
one = Compare(rounded, "=", 1 - exp(-(10**9)))
least = Compare(rounded, ">=", 1 - exp(-(10**9)))


@pytest.mark.parametrize(
    "formula",
    [
        one, least, one & least, one | least, ~~one, ForAll(k, 0, 1, one), Exists(k, 0, 1, one),
        Compare(n, ">", 0).implies(one), one.iff(least), Monotone(rounded, k, "<=", 0, 2),
    ],
)  # fmt: skip
def test_what_rounding_makes_true_is_not_denied(formula: Formula) -> None:
    """A decimal agrees with what it may be unequal to: the contrary is open, and so is what follows."""
    at = {n: Integer(1)}
    assert formula.truth(at) is True
    assert (~formula).truth(at) is None
    assert formula.implies(Compare(n, "<", 0)).truth(at) is None
    assert Exists(k, 0, 1, ~formula).truth(at) is None
    assert (~~formula).truth(at) is True


def test_statements_are_no_truth_values() -> None:
    with pytest.raises(TypeError, match="no truth value"):
        bool(double.equals(1))
    with pytest.raises(UserError, match="must be one of"):
        Compare(n, "==", 1)


def test_quantities_of_one_name_are_two() -> None:
    other = Quantity("2n", lambda at: at[n])
    assert other != double and {other, double} == {double, other}
    assert Compare(other + double, "=", 3 * n).truth({n: Integer(5)}) is True


readings = st.tuples(
    st.floats(-10, 10), st.floats(0, 2), st.floats(-10, 10), st.floats(0, 2), st.floats(-1, 1),
    st.floats(-1, 1),
)  # fmt: skip
first, second = (Quantity(name, lambda at: Integer(0)) for name in ("a", "b"))


def test_intervals_are_compared_in_double_precision_whatever_others_left() -> None:
    third = Compare(first, "=", Rational(1, 3))
    for bits in (2, 53):
        with mp.workprec(bits):
            assert third.possible(lambda *_: (1 / 3, 1e-9), {}) == {True, False}
            assert third.possible(lambda *_: (0.375, 1e-9), {}) == {False}  # a third, to two bits


@given(readings, st.sampled_from(["=", "!=", "<=", "<", ">=", ">"]))
@settings(deadline=None)
def test_what_is_inside_the_intervals_is_possible(values, sign) -> None:
    """Whatever the true values, if they lie in the intervals the truth they give is possible."""
    a, wa, b, wb, ua, ub = values
    formulas = [
        Compare(first, sign, second),
        Not(Compare(first + 1, sign, 2 * second)),
        Implies(Compare(first, ">", 0), Compare(first * second, sign, 1)),
        Iff(Compare(first, "<", second), Compare(second, sign, 0)),
        Or((Compare(first, sign, 1), And((Compare(second, "<", 1), Compare(first, ">", 1))))),
    ]
    truth_at = {first: Rational(a + ua * wa), second: Rational(b + ub * wb)}

    def read(quantity, at):
        return {first: (a, wa * 1.000001 + 1e-9), second: (b, wb * 1.000001 + 1e-9)}[quantity]

    for formula in formulas:
        truth = formula.substitute(truth_at).truth({})
        assert truth in formula.possible(read, {})


def test_intervals_exclude() -> None:
    def read(quantity, at):
        return (3.0, 0.1)

    assert first.at_most(2).possible(read, {}) == {False}
    assert first.at_most(4).possible(read, {}) == {True}
    assert first.equals(3).possible(read, {}) == {True, False}
    with pytest.raises(NoNumber):  # what has no value is neither equal nor unequal
        Compare(first, "=", float("nan")).possible(read, {})


def test_nothing_is_known_beside_a_quotient_by_zero() -> None:
    """Where a side is an exact number divided by zero, as where a denominator that is read may vanish."""
    x = Symbol("x", real=True)
    one = Quantity("q", lambda at: Integer(1))
    for left, right in ((one, 1 / x), (one * (1 - exp(-x)) / x, Integer(1))):
        said = Compare(left, "<=", right)
        assert said.possible(lambda *_: (1.0, 1e-9), {x: Integer(0)}) == {True, False}
        assert said.possible(lambda *_: (0.5, 1e-9), {x: Rational(1, 9)}) == {True}


@pytest.mark.parametrize("sign", ["=", "<=", ">=", "<"])
@pytest.mark.parametrize("entries", [(1.0, float("nan")), (float("nan"), 1.0)])
def test_no_entry_without_value_hides_behind_another(
    sign: str, entries: tuple[float, float]
) -> None:
    with pytest.raises(NoNumber):
        Compare(first, sign, (1, 1)).possible(lambda *_: (list(entries), 0.0), {})


def test_members_of_a_family_are_read_with_their_index() -> None:
    seen = []

    def read(quantity, at):
        seen.append(int(value_of(quantity.args[0], at)))
        return (float(2 ** seen[-1]), 0.0)

    formula = ForAll(k, 0, 2, Compare(power(k + 1), "=", 2 * power(k)))
    assert formula.possible(read, {n: Integer(2)}) == {True}
    assert set(seen) == {0, 1, 2, 3}


def test_substitution_does_not_capture() -> None:
    formula = ForAll(i, 1, n, Compare(Sum(entry(X)(i, j) * x, (j, 1, n)), "<=", x))
    changed = formula.substitute({x: i + j})
    assert {i, j} <= changed.free_symbols()
    at = {n: Integer(2), X: Matrix([[1, 2], [3, 4]])}
    for value in (-3, 5):
        by_hand = formula.truth({**at, x: Integer(value)})
        assert changed.truth({**at, i: Integer(value), j: Integer(0)}) is by_hand


def test_terms_with_indices() -> None:
    at = {n: Integer(2), X: Matrix([[1, 2], [3, 4]])}
    assert value_of(MaxOver(Sum(entry(X)(i, j), (j, 1, n)), (i, 1, n)), at) == 7
    assert value_of(MinOver(entry(X)(i, i), (i, 1, n)), at) == 1
    assert value_of(Sum(entry(X)(i, j), (i, 1, j), (j, 1, n)), at) == 7
    fibonacci = Recursion("f", lambda m: m, lambda t, m, before: before(m) + before(m - 1))
    assert value_of(fibonacci(2, n), at) == 4  # n + 2 (n - 1) + (n - 2)
    with pytest.raises(TypeError, match="has no value"):
        value_of(entry(Symbol("Y"))(1, 1), at)


def test_no_layer_comes_before_the_first() -> None:
    doubled = Recursion("g", lambda: Integer(1), lambda t, before: 2 * before())
    with pytest.raises(LookupError, match="layer -1: must be at least 0"):
        Compare(doubled(n), ">", 0).truth({n: -1})
