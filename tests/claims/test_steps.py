"""Functions that step are exact at numbers near a step, where SymPy rounds."""

from __future__ import annotations

from typing import Any

import pytest
from sympy import (
    Abs,
    Add,
    Function,
    Heaviside,
    I,
    Integer,
    KroneckerDelta,
    Max,
    Min,
    Mod,
    Ne,
    Piecewise,
    Product,
    Rational,
    Sum,
    Symbol,
    acos,
    acosh,
    atan,
    binomial,
    ceiling,
    cos,
    erf,
    exp,
    factorial,
    floor,
    frac,
    gamma,
    log,
    loggamma,
    oo,
    pi,
    sign,
    sqrt,
    symbols,
    tanh,
    uppergamma,
    zeta,
)

from claims.exact import less, read_off, vanishes
from claims.exact import sign as sign_of
from claims.steps import built, misjudged, steps
from claims.sums import totalled
from claims.terms import MaxOver, MinOver, put, value_of
from proofs import facts, kernel

x, y = symbols("x y", real=True)
n = Symbol("n", integer=True)
j = Symbol("j", integer=True)
BELOW_ONE = tanh(1000)
ANGLE = acos(1000 * sqrt(1000001) / 1000001)
"""About 1/1000; SymPy says that its sign is zero."""
ONE = sqrt(2) + sqrt(3) - sqrt(5 + 2 * sqrt(6)) + 1

VALUES = [
    (floor(x), BELOW_ONE, 0), (floor(x), 1000 + BELOW_ONE, 1000), (floor(x), -BELOW_ONE, -1),
    (floor(x), ONE, 1),
    (floor(x), exp(100), 26881171418161354484126255515800135873611118), (floor(x), Rational(-7, 2), -4),
    (ceiling(x), BELOW_ONE, 1), (ceiling(x), 1 + exp(-100), 2), (ceiling(x), -BELOW_ONE, 0),
    (ceiling(x), ONE, 1),
    (frac(x), BELOW_ONE, BELOW_ONE), (frac(x), 3 + BELOW_ONE, BELOW_ONE), (Mod(x, 1), 3 + BELOW_ONE, BELOW_ONE),
    (Mod(x, pi), 7, 7 - 2 * pi), (sign(x), ANGLE, 1), (sign(x), -ANGLE, -1), (sign(x - 1), ONE, 0),
    (Abs(x), -ANGLE, ANGLE), (Abs(x - 1), ONE, 0), (Heaviside(x - 1), BELOW_ONE, 0),
    (Heaviside(x - 1), ONE, Rational(1, 2)), (Heaviside(x), ANGLE, 1), (Max(x, 1), BELOW_ONE, 1),
    (Max(x, 0), ANGLE, ANGLE), (Max(x, 0, y), ANGLE, None), (Min(x, 1), BELOW_ONE, BELOW_ONE),
    (Min(x, 0), ANGLE, 0),
    (Max(x, 1), ONE, 1), (KroneckerDelta(x, 1), BELOW_ONE, 0), (KroneckerDelta(x, 1), ONE, 1),
    (Piecewise((1, x >= 1), (0, True)), BELOW_ONE, 0), (Piecewise((1, x >= 1), (0, True)), ONE, 1),
    (Piecewise((1, x > 0), (0, True)), ANGLE, 1), (Piecewise((1, Ne(x, 1) & (x > 0)), (0, True)), ONE, 0),
    (Piecewise((floor(x), x < 1), (7, True)), BELOW_ONE, 0),
]  # fmt: skip


@pytest.mark.parametrize(("term", "number", "value"), VALUES)
def test_numbers_near_a_step(term: Any, number: Any, value: Any) -> None:
    if value is None:  # a part of it is open
        assert put(term, {x: number}) == Max(ANGLE, y)
        assert value_of(term, {x: number, y: Integer(1)}) == 1
        return
    for found in (put(term, {x: number}), value_of(term, {x: number})):
        assert (found - value).expand() == 0 or found.equals(value)


def test_parts_are_evaluated_before_a_step_is_taken() -> None:
    near = Rational(6597069766651, 2199023255552)  # less than 3 by 2^-41
    total = Sum(2 * j**2, (j, 1, n + 1))
    assert value_of(floor(x + total), {x: near, n: Integer(1)}) == 12
    most = MaxOver(j + tanh(n), (j, 1, n))
    assert value_of(floor(most), {n: Integer(1000)}) == 1000


def test_a_number_beside_an_integer_that_is_open_is_not_rounded() -> None:
    """SymPy takes the number for one: $\\lfloor n+\\tanh1000\\rfloor=n+1$."""
    beside = {x: n + 2 + BELOW_ONE}
    assert put(floor(x), beside) == n + 2 and put(ceiling(x), beside) == n + 3
    assert put(frac(x), beside) == BELOW_ONE
    assert put(floor(x), {x: n + Rational(1, 2)}) == n
    assert put(floor(x), {x: y + BELOW_ONE}) == floor(y + BELOW_ONE)
    assert put(floor(x), {x: Rational(1, 2) + BELOW_ONE}) == 1


def test_sums_are_those_of_the_project() -> None:
    """SymPy's sum of ones from 3 to -10 is -12, and this one is none; and it takes j for another j."""
    back = Sum(1, (j, 3, n))
    for function in (floor, ceiling, Abs, sign):
        assert put(function(back), {n: Integer(-10)}) == 0
    assert put(Max(back, -1), {n: Integer(-10)}) == 0
    assert put(Piecewise((1, back >= 0), (2, True)), {n: Integer(-10)}) == 1
    shadowed = Sum(j * Sum(2 * j, (j, 0, 1)), (j, n, 0))
    assert put(floor(shadowed), {n: Integer(-1)}) == -2
    assert put(floor(Product(j, (j, 1, n)) + x), {n: Integer(4)}) == floor(x) + 24
    assert put(floor(back), {n: Integer(10**9)}) == 10**9 - 2


def test_what_is_not_decided_is_said() -> None:
    open_ = Function("f", real=True)(1)
    assert built(Max, open_, 1) == Max(open_, 1)
    hidden = tanh(10**9)  # one, as far as the digits that are looked at go
    with pytest.raises(ValueError, match=r"floor of .* is not decided"):
        built(floor, hidden)
    with pytest.raises(ValueError, match="is not decided"):
        built(Max, hidden, 1)
    large = 1 / (1 - BELOW_ONE)  # of 868 digits, if it is finite: more than are looked at
    for unknown in (large, zeta(3)):
        with pytest.raises(ValueError, match=r"floor of .* is not decided"):
            built(floor, unknown)


MISJUDGED = [
    ANGLE, -ANGLE, acos(tanh(10)), acosh(1 + Rational(1, 10**10)), loggamma(1 + Rational(1, 10**9)),
]  # fmt: skip


@pytest.mark.parametrize("number", MISJUDGED)
def test_numbers_whose_sign_sympy_misjudges(number: Any) -> None:
    assert number.is_zero and sign_of(number) in {-1, 1}
    assert misjudged(number)
    for term in (cos(2 * x), x * y, exp(x), (x + 1) ** y):
        for values in ({x: number}, {x: number, y: Integer(2)}):
            with pytest.raises(ValueError, match="SymPy takes its sign for another"):
                put(term, values)
    with pytest.raises(ValueError, match="SymPy takes its sign for another"):
        value_of(cos(2 * x), {x: number})


@pytest.mark.parametrize(
    "number",
    [
        Integer(0), Rational(-1, 3), pi, tanh(10), acos(Rational(1, 3)), -tanh(1) - 1, erf(-2),
        gamma(Rational(1, 3)),
        acos(2), atan(1) - pi / 4, ONE, x, acos(x), acosh(1 + Rational(1, 10**3)),
    ],
)  # fmt: skip
def test_numbers_whose_sign_it_does_not(number: Any) -> None:
    assert not misjudged(number)
    assert built(exp, number) == exp(number)


def test_extrema_over_an_index_are_exact() -> None:
    """Of $\\log(2-\\tanh1000)$, about $e^{-2000}$, SymPy sees no digit, so that no member is less than it."""
    tiny = log(2 - tanh(1000))
    assert value_of(MaxOver(j * tiny, (j, 1, 3)), {}) == 3 * tiny
    assert value_of(MinOver(j * tiny, (j, -2, 3)), {}) == -2 * tiny
    assert less(tiny, 2 * tiny) and not less(2 * tiny, tiny) and not less(tiny, tiny)
    with pytest.raises(ValueError, match="is not decided"):
        less(Integer(1), tanh(10**9))


def test_what_simplify_raises_is_not_decided() -> None:
    nested = Sum(Sum(1, (n, 1, j)) * tanh(1), (j, 1, 2)) + Sum(tanh(j), (j, 1, 2))
    assert not vanishes(nested - 1)


def test_a_sign_that_balls_leave_open_is_misjudged() -> None:
    hidden = acosh(1 + Rational(1, 10**4000))
    assert misjudged(hidden) and hidden.is_zero
    assert not misjudged(zeta(3)) and zeta(3).is_positive  # there are no balls of it


@pytest.mark.parametrize(
    "number",
    [factorial(Rational(5, 2)), binomial(Rational(7, 2), Rational(1, 3)), uppergamma(2, 3)],
)
def test_balls_of_functions_of_counting(number: Any) -> None:
    assert sign_of(number - number.evalf(30)) is not None
    assert abs(read_off(number, lambda found: float(found.mid())) - float(number)) < 1e-12
    assert not misjudged(number)


def test_terms_of_sums_are_put_in_where_functions_round() -> None:
    """Of sums of fewer than a thousand terms; others are left as they are."""
    near = acos(1 - Rational(1, 10) ** j)
    with pytest.raises(ValueError, match="SymPy takes its sign for another"):
        totalled(Sum(cos(2 * near), (j, 1, 12)))
    few = Sum(tanh(j), (j, 1, 1000))
    assert totalled(few) == Add(*(tanh(i) for i in range(1, 1001)))
    many = Sum(tanh(j), (j, 1, 1001))
    assert totalled(many).dummy_eq(many)


def test_terms_of_sums_are_not_where_no_function_rounds() -> None:
    assert not totalled(Sum(exp(-j), (j, 1, 2000))).has(Sum)


def test_which_functions_step() -> None:
    assert all(map(steps, (floor, sign, Abs, type(x < y), type(Ne(x, y)))))
    assert not any(map(steps, (exp, Sum, Piecewise, Symbol, max)))
    assert not misjudged(acos(x) < 1)


def test_a_ball_around_an_integer_leaves_the_side_to_the_sign() -> None:
    """No precision separates $1\\mp e^{-10^9}$ from one, but $e^{-10^9}$ itself has a sign."""
    tiny = exp(-(10**9))
    assert built(Mod, 1 - tiny, 1) == 1 - tiny
    assert built(Mod, 1 + tiny, 1) == tiny
    assert built(Mod, 2 - tiny, 2) == 2 - tiny


def test_parts_of_numbers_above_one() -> None:
    assert built(frac, sqrt(2)) == sqrt(2) - 1
    assert put(ceiling(x), {x: n + 1 / BELOW_ONE}) == n + 2  # to SymPy it is n + 1


def test_what_is_infinite_or_not_real_is_left_to_sympy() -> None:
    assert built(floor, oo) == oo and built(Max, oo, sqrt(2)) == oo
    assert built(Abs, sqrt(2) * I) == built(Abs, 1 + I) == sqrt(2)


def test_the_integer_part_of_a_number_is_the_kernel_s_too() -> None:
    of_number = kernel.fact(facts.INTEGER_PART, x=BELOW_ONE)
    of_symbol = kernel.fact(facts.INTEGER_PART, x=x)
    for theorem in (of_number, kernel.substitute(of_symbol, {x: BELOW_ONE})):
        assert theorem.formula.truth({}) is True
