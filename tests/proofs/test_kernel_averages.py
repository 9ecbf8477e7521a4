"""Rules that averages need: equals for equals, and the order of the integers."""

import pytest
from sympy import Function, Rational, Symbol, symbols

from claims.statement import Compare
from proofs.kernel import ProofError, congruent, next_integer

f = Function("f", real=True)
place, a, b = symbols("place a b", integer=True)


def test_equal_places_give_equal_values_under_the_equation():
    found = congruent(f(place) + place, place, a, b)
    assert found.formula == Compare(f(a) + a, "=", f(b) + b)
    assert found.hypotheses == {Compare(a, "=", b)}


def test_a_place_that_declares_a_sign_takes_no_unsigned_term():
    with pytest.raises(ProofError, match="declares"):
        congruent(f(place), Symbol("p", integer=True, positive=True), a, b)


def test_a_place_declared_an_integer_takes_no_other_number():
    with pytest.raises(ProofError, match="integer"):
        congruent(f(place), place, a, Symbol("x", real=True))


def test_an_integer_below_another_is_at_least_one_below():
    found = next_integer(a, b)
    assert found.formula == Compare(a + 1, "<=", b)
    assert found.hypotheses == {Compare(a, "<", b)}


@pytest.mark.parametrize("less", [Symbol("x", real=True), Rational(1, 2) * a])
def test_real_numbers_have_no_next_one(less):
    with pytest.raises(ProofError, match="integers"):
        next_integer(less, b)
