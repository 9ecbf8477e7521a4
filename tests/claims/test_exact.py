"""Exact comparison: right where it answers, silent where it cannot."""

from __future__ import annotations

from decimal import Decimal

import flint
import pytest
from sympy import (
    AccumBounds,
    E,
    ImmutableDenseMatrix,
    Integer,
    Rational,
    Sum,
    Symbol,
    acos,
    cos,
    erf,
    exp,
    log,
    nan,
    oo,
    pi,
    sqrt,
)

from claims.exact import agree, ball, compare, middle, root_of_squares, sign
from claims.radicals import separation
from claims.whole import whole_between

x = Symbol("x", real=True)


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (Rational(-1, 3), -1),
        (sqrt(2) + sqrt(3) - sqrt(5 + 2 * sqrt(6)), 0),
        (acos(1000 * sqrt(1000001) / 1000001), 1),  # SymPy's is_zero says that this is zero
        (exp(Rational(1, 3)) ** 3 - E, 0),
        (log(8) - 3 * log(2), 0),
        (pi - Rational(355, 113), -1),
        (oo, 1),
        (Decimal(10) ** -50, 0),
        (Decimal(10) ** -30, 1),
        (flint.arb("1 +/- 2"), None),
    ],
)
def test_signs(number, expected) -> None:
    assert sign(number) == expected


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        (0.4, 0.4, True),
        (0.1 + 0.2, 0.3, None),  # rounding may be all of it
        (0.4, 0.5, False),
        (0.1, Rational(1, 10), None),  # sixteen digits of it
        (0.1, Rational(1, 10) + Rational(1, 10**8), False),
        (ImmutableDenseMatrix([[4]]), 4, True),
        (ImmutableDenseMatrix([[4, 4]]), 4, False),
        ((1, 2), (1, 2), True),
        ((1, 2), (1,), False),
        (ImmutableDenseMatrix([[1, 2]]), ImmutableDenseMatrix([[1], [2]]), False),
        (ImmutableDenseMatrix([[1, sqrt(4)]]), ImmutableDenseMatrix([[1, 2]]), True),
        (oo, oo, True),
        (oo, 1, False),
        ((x + 1) ** 2, x**2 + 2 * x + 1, True),
        ((x + 1) ** 2, x**2 + 1, False),
        (True, False, False),
        (Decimal("0." + 60 * "3"), Rational(1, 3), True),
        (abs(Sum(x, (x, 1, 2)) - 1), 2, True),  # algebraic by its assumptions, and not written out
    ],
)
def test_agreement(left, right, expected) -> None:
    assert agree(left, right) is expected


def test_comparisons() -> None:
    assert compare(exp(1), "<", Rational(27182818285, 10**10)) is True
    assert compare(exp(1), ">=", 3) is False
    assert compare(sqrt(2), "<=", sqrt(2)) is True
    assert compare(sqrt(2), "<", sqrt(2)) is False
    assert compare(flint.arb("0 +/- 1"), "<", 0) is None
    assert compare(0.1 * 3, "<=", Rational(3, 10)) is None  # above it by rounding
    assert compare(0.4, "<=", Rational(3, 10)) is False
    assert compare(ImmutableDenseMatrix([[4]]), "<", 5) is True


def test_what_is_known_by_bounds_is_compared_where_they_decide() -> None:
    between = AccumBounds(1, sqrt(5))
    for sign_, other, expected in (
        ("<=", Rational(1, 4), False), (">", Rational(1, 4), True), ("<", 3, True), (">=", 3, False),
        ("<=", 2, None), ("=", 2, None), ("=", 3, False), ("!=", 3, True),
    ):  # fmt: skip
        assert compare(between, sign_, other) is expected, (sign_, other)
    assert compare(3, "<=", between) is False and compare(between, "<=", between) is None


def test_irrational_numbers_agree_with_sixty_digits_to_forty() -> None:
    number = sqrt(2) + exp(Rational(1, 3))
    digits = Decimal(str(number.evalf(60)))
    assert agree(digits, number) is True
    assert agree(digits + Decimal(10) ** -30, number) is False
    assert compare(number, "<", digits + Decimal(10) ** -30) is True


@pytest.mark.parametrize(
    ("sign", "expected"), [("<", None), (">", None), ("<=", True), (">=", True)]
)
def test_no_strict_order_is_refuted_by_digits_that_agree(sign: str, expected: bool | None) -> None:
    """`1 - e^(-10^9)` is below one and is one to two hundred digits."""
    assert compare(Decimal(1), sign, 1 - exp(-(10**9))) is expected
    assert compare(Decimal(1), sign, Decimal(1)) is expected


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (Decimal(1), 1 - exp(-(10**9))),
        ((1, Decimal(1)), (1, 1 - exp(-(10**9)))),
        (ImmutableDenseMatrix([[erf(12).evalf(60)]]), ImmutableDenseMatrix([[1]])),
    ],
)
def test_no_difference_is_denied_by_digits_that_agree(left, right) -> None:
    """They are taken for equal, and may be unequal."""
    assert compare(left, "=", right) is True
    assert compare(left, "!=", right) is None


def test_integers_between_ends_that_are_none() -> None:
    assert list(whole_between(Rational(-1, 2), sqrt(5))) == [0, 1, 2]
    assert not whole_between(0, Rational(-1, 2)) and not whole_between(
        Rational(1, 3), Decimal("0.9")
    )


@pytest.mark.parametrize("radius", ["1e-30", "3e-77"])
def test_balls_around_zero_have_powers_and_lengths(radius: str) -> None:
    """To flint a ball with its middle at zero has no power, and one that reaches below zero no root."""
    small, two = flint.arb(0, radius), flint.arb(2)
    assert not (small**2).is_finite()
    found = root_of_squares([small, small])
    assert found.contains(0) and found < flint.arb("1e-29") and middle(found) == 0
    assert root_of_squares([flint.arb(3), flint.arb(4)]).contains(5) and root_of_squares([]) == 0
    y = Symbol("y", real=True)
    at = {x: 1 + small, y: 1 - small}
    assert ball((x - y) ** 2 + 1, at).contains(1) and ball((x - y) ** 2 + 1, at) < two
    assert ball((x - y) ** 3, at).contains(0) and not ball(1 / (x - y), at).is_finite()


def test_numbers_with_one_polynomial_are_told_apart() -> None:
    """Their difference is nearly zero, and zero is a root of what differences of its roots are roots of."""
    small = sqrt(2) / Integer(10) ** 500
    assert sign(sqrt(1 + small) - sqrt(1 - small)) == 1
    assert sign((1 - small) ** Rational(1, 3) - (1 + small) ** Rational(1, 3)) == -1


def test_roots_are_never_nearer_to_zero_than_said() -> None:
    numbers = (
        sqrt(2) - Rational(99, 70),
        sqrt(2) + sqrt(3) - Rational(22, 7),
        cos(pi / 7) - Rational(9, 10),
    )
    assert all(abs(number.evalf(60)) >= Rational(1, 2 ** separation(number)) for number in numbers)
    assert separation(log(2)) is None and separation(Rational(1, 4)) == 3


UNDEFINED_ROW = ImmutableDenseMatrix([[nan, nan]])
ROW, ONE, ZERO = (ImmutableDenseMatrix([row]) for row in ([0, 0], [1], [0]))


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ((ROW, ZERO), (UNDEFINED_ROW, ONE), False),
        ((ROW, ONE), (UNDEFINED_ROW, ONE), None),
        ((nan, Integer(1)), (Integer(0), Integer(2)), False),
        (((nan, Integer(1)), Integer(3)), ((Integer(0), Integer(2)), Integer(3)), False),
        (((nan, Integer(1)), Integer(3)), ((Integer(0), Integer(1)), Integer(3)), None),
        ((Integer(1), ONE), (Integer(1), ONE), True),
        ((Integer(1), Integer(1)), (Integer(1),), False),
    ],
)
def test_an_undefined_part_of_a_tuple_hides_no_false_one(left, right, expected) -> None:
    """A token without neighbours has no row of weights by its formula; that its row sums to one is false."""
    opposite = None if expected is None else not expected
    assert (compare(left, "=", right), compare(left, "!=", right)) == (expected, opposite)
