"""Calculations with sums: what is linked, and what is not."""

from __future__ import annotations

import pytest
from sympy import Sum, Symbol, symbols

from claims.statement import Compare, ForAll
from claims.terms import MaxOver, entry
from proofs.calculation import (
    algebra,
    extremum_over,
    linked,
    multiplied,
    one_power_less,
    power_falls,
    replaced,
    weighed,
)
from proofs.kernel import ProofError, Theorem, assume, instance

n, m = symbols("n m", integer=True, positive=True)
i, j = symbols("i j", integer=True)
c, e, p, q = symbols("c e p q", real=True)
a, b, w = (entry(Symbol(name)) for name in "abw")


def every(left: object, sign: str, right: object) -> Theorem:
    return assume(ForAll(i, 1, n, Compare(left, sign, right)))


def total(term: object) -> Sum:
    return Sum(term, (i, 1, n))


def test_sums_are_linked_up_to_linearity() -> None:
    known = assume(Compare(total(a(i)), "=", 2))
    found = linked(Compare(total(c * a(i) + 3), "=", 2 * c + 3 * n), known)
    assert found.hypotheses == known.hypotheses and not found.failures()


def test_sums_over_other_ranges_are_not() -> None:
    known = assume(Compare(total(a(i)), "=", 2))
    with pytest.raises(ProofError):
        linked(Compare(Sum(a(i), (i, 1, m)), "=", 2), known)
    with pytest.raises(ProofError):
        linked(Compare(total(a(i) ** 2), "=", 4), known)


def test_a_divisor_stays_as_it_is_written() -> None:
    """(c e)^q is not written as c^q e^q, which would need both to have a value."""
    term = 1 / (1 - (c * e) ** q)
    known = assume(Compare(p, "=", n * term))
    found = linked(Compare(p, "=", total(term)), known)
    assert found.hypotheses == known.hypotheses


def test_weights_of_an_inequality_need_a_sign() -> None:
    below, signs = every(a(i), "<=", b(i)), every(w(i), ">=", 0)
    found = weighed(w, lambda k: instance(below, k), n, lambda k: instance(signs, k))
    wanted = Compare(total(w(i) * a(i)), "<=", total(w(i) * b(i)))
    assert linked(wanted, found).hypotheses == below.hypotheses | signs.hypotheses
    with pytest.raises(ProofError):
        weighed(w, lambda k: instance(below, k), n)


def test_products_of_equals() -> None:
    one, other = every(a(i), "=", b(i)), every(w(i), "=", 2 * a(i))
    found = multiplied(lambda k: instance(one, k), lambda k: instance(other, k), n)
    assert linked(Compare(total(a(i) * w(i)), "=", 2 * total(a(i) * b(i))), found)


def test_what_is_not_shown_stays_assumed() -> None:
    falls = power_falls(c, 1, n, assume(Compare(c, "<=", 1)))
    assert Compare(c, ">", 0) in falls.hypotheses and falls.formula == Compare(c**n, "<=", c)
    less = one_power_less(c, e)
    assert less.hypotheses == {Compare(c, ">", 0)}
    given = Compare(p, "<=", q)
    shown = algebra(Compare(2 * p, "<=", 2 * q), (given,), {p: c, q: e})
    assert shown.hypotheses == {Compare(c, "<=", e)}


def test_equals_in_the_place_of_a_symbol() -> None:
    equal = assume(Compare(p, "=", q))
    assert replaced(c * e, e, equal).formula == Compare(c * p, "=", c * q)


def test_extrema_over_two_indices() -> None:
    pairs = assume(ForAll(i, 1, n, ForAll(j, 1, m, Compare(a(i) * b(j), "<=", c))))
    found = extremum_over(MaxOver, instance(instance(pairs, i), j), (i, n), (j, m))
    assert found.formula == Compare(MaxOver(MaxOver(a(i) * b(j), (j, 1, m)), (i, 1, n)), "<=", c)
