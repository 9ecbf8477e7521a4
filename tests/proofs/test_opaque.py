"""Terms that may have no value are functions of their symbols, one for each term and for no other."""

from __future__ import annotations

from typing import Any

import pytest
from sympy import (
    Function,
    I,
    Integer,
    MatrixSymbol,
    Piecewise,
    Rational,
    Sum,
    expand,
    sqrt,
    symbols,
)

from claims.bound import NUMBERED, apart, place
from proofs.opaque import MARK, opaque, put_apart

x, y, z = symbols("x y z", real=True)
j, k, n, m = symbols("j k n m", integer=True, positive=True)


def held(term: Any) -> Any:
    return opaque(term, expand)


def put(term: Any, values: Any) -> Any:
    return put_apart(term, values, expand)


def test_what_is_held_is_a_real_function_of_its_symbols_and_of_a_mark() -> None:
    found = held(1 / (x - y))
    assert isinstance(found, Function) and found.is_real
    assert found.args == (MARK, x, y)


def test_what_is_held_under_a_sum_is_a_function_of_its_index_as_well() -> None:
    (found,) = held(apart(Sum(1 / (x - j), (j, 1, n)))).atoms(type(held(1 / (x - place(0)))))
    assert found.args == (MARK, x, place(0)) and place(0) in NUMBERED


@pytest.mark.parametrize(
    "total", [Sum(1 / (x - j), (j, 1, n)), Sum(1 / (x - j * k), (k, j, n), (j, n, m))]
)
def test_ranges_stay(total: Any) -> None:
    assert held(apart(total)).args[1:] == apart(total).args[1:]


def test_a_matrix_is_no_argument() -> None:
    assert held(1 / MatrixSymbol("A", 2, 2)[0, 0]).args == (MARK,)


def test_equal_terms_are_held_as_one() -> None:
    assert held(1 / (x * (x + 1) + y)) == held(1 / (x**2 + x + y)) != held(1 / (x**2 + x - y))
    double = Sum(Sum(1 / (x + j - 2 * k), (k, 1, j)), (j, 1, n))
    renamed = Sum(Sum(1 / (x + k - 2 * j), (j, 1, k)), (k, 1, n))
    assert held(apart(double)) == held(apart(renamed))
    assert held(apart(double)) != held(apart(Sum(Sum(1 / (x - 2 * j + k), (k, 1, j)), (j, 1, n))))


def test_powers_of_one_term_are_powers_of_what_is_held() -> None:
    assert held(1 / x**2) == held(1 / x) ** 2
    assert held(x ** Rational(3, 2)) == held(sqrt(x)) ** 3
    assert held(1 / ((-2) ** n + x) ** 2) == held(1 / ((-2) ** n + x)) ** 2


def test_factors_and_terms_stay_apart() -> None:
    assert held(I / x) == I * held(1 / x)
    assert held(y + z / x) == y + z * held(1 / x)
    assert held(1 / (x * y)) == held(1 / x) * held(1 / y)


def test_a_branch_is_held_inside() -> None:
    found = held(Piecewise((1 / x, y > 1 / z), (x, True)))
    assert found == Piecewise((held(1 / x), y > held(1 / z)), (x, True))


def test_roots_of_negative_numbers_are_held_by_their_parts() -> None:
    """The square of one need not be what the reals say: each power is a term of its own."""
    third = (-2) ** Rational(1, 3)
    assert held(third**2) != held(third) ** 2
    first, second = (put(sqrt(x), {x: -p}) for p in symbols("p q", positive=True))
    assert first != second and not first.has(I)


class Imaginary(Function):
    """A function that becomes imaginary when it is evaluated."""

    @classmethod
    def eval(cls, argument: Any) -> Any:
        return I * argument


class AlsoImaginary(Imaginary):
    """Another one."""


def test_imaginary_functions_of_one_argument_are_told_apart() -> None:
    first, second = (f(x, evaluate=False) for f in (Imaginary, AlsoImaginary))
    assert held(first) != held(second)


@pytest.mark.parametrize(
    ("term", "values", "same"),
    [
        (Sum(y / (x - j), (j, 1, n)), {y: z}, Sum(z / (x - j), (j, 1, n))),
        (Sum(1 / (x - j), (j, 1, n)), {n: m}, Sum(1 / (x - j), (j, 1, m))),
        (Sum(1 / (x - j), (j, n, 2 * n)), {n: m}, Sum(1 / (x - j), (j, m, 2 * m))),
        (Sum(Sum(1 / (x - j * k), (k, 1, j)), (j, 1, n)), {n: m},
         Sum(Sum(1 / (x - j * k), (k, 1, j)), (j, 1, m))),
        (Sum(n / (x - j), (j, n, m)), {n: Integer(2), m: Integer(5)}, Sum(2 / (x - j), (j, 2, 5))),
        (y / x, {y: x + 1}, (x + 1) / x),
    ],
)  # fmt: skip
def test_terms_are_put_in_everywhere(term: Any, values: Any, same: Any) -> None:
    assert put(term, values) == held(apart(same))


def test_nothing_cancels_that_may_have_no_value() -> None:
    assert put(y / x, {y: x}) == x * held(1 / x) != 1
    assert put(y / x - z / x, {y: z}) == 0


def test_an_index_does_not_capture_what_is_put_in() -> None:
    found = put(Sum(y / (x - j), (j, 1, n)), {y: place(0)})
    assert place(0) in found.free_symbols


@pytest.mark.parametrize("term", [x + 1, Sum(j, (j, 1, n)), 1 / (x**2 + 1), True, (x, y)])
def test_what_always_has_a_value_stays(term: Any) -> None:
    assert held(term) == term
