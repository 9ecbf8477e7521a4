"""Offers that once made `0 = 1` of rules that are each right: ends, names, roots, ranges, limits."""

from __future__ import annotations

import pytest
from sympy import (
    Eq,
    Float,
    I,
    Integer,
    Integral,
    Limit,
    Product,
    Rational,
    Sum,
    Symbol,
    cbrt,
    log,
    oo,
    symbols,
    tanh,
)

from claims.domain import Real
from claims.statement import Compare, Exists, Implies, Quantity
from claims.terms import MaxOver, put
from proofs import facts, kernel
from proofs.kernel import ProofError
from proofs.shapes import lost
from twofold import check

x, y, z, w = symbols("x y z w", real=True)
n = Symbol("n", integer=True, positive=True)
j, k = symbols("j k", integer=True)
q = Quantity("q", lambda at: Integer(1))


def refused(offer) -> None:
    with pytest.raises((ProofError, ValueError)):
        offer()


@pytest.mark.parametrize(
    "offer",
    [
        lambda: kernel.identity(Sum(1, (j, 1, x)), x),
        lambda: kernel.identity(Sum(1, (j, 0, Rational(1, 2))), Rational(3, 2)),
        lambda: kernel.extremum_reached(MaxOver(j, (j, Rational(1, 2), Rational(3, 4)))),
        lambda: kernel.compute(Exists(k, Rational(1, 2), 2, Compare(k, "=", 0))),
    ],
)
def test_ranges_end_at_integers(offer) -> None:
    refused(offer)


@pytest.mark.parametrize("term", [log(1 + x**2 * k), tanh(log(1 + x**2 * k))])
def test_limits_do_not_hide_a_parameter_that_may_vanish(term) -> None:
    refused(lambda: kernel.limit(term, k))


def test_a_check_of_such_a_limit_is_not_settled() -> None:
    parameter, count = symbols("X N")
    term = tanh(log(1 + (97 * parameter - 13) ** 2 * count))
    answer = check(Eq(Limit(term, count, oo), 1, evaluate=False), [Real(parameter, 0, 1)])
    assert answer.verdict == "unsettled"


def test_a_product_does_not_take_a_name_in() -> None:
    put_in = put(Product(x, (j, 1, 2)), {x: j})
    assert j in put_in.free_symbols
    assert put_in.doit() == j**2


@pytest.mark.parametrize("term", [Integral(x, (y, 0, 1)), Limit(x * y, y, 0)])
def test_other_binders_are_refused(term) -> None:
    refused(lambda: kernel.identity(term, term))


def test_what_a_term_needs_is_kept_though_another_need_comes() -> None:
    """x/y is needed at y = 0 before, 1/z at z = 0 after: as many needs, and not the same."""
    premise = Compare(x, "=", 0) & Compare(y, "=", 0)
    before = Implies(premise, Compare(y / x + w, "=", w))
    values = {y: x, w: 1 / z}
    assert any(x in f.free_symbols() for f in lost(before, values, before.substitute(values)))


@pytest.mark.parametrize(
    "offer",
    [
        lambda: kernel.fact(facts.GEOMETRIC, k=2 * n, q=2 * n / (2 * n + 1)),
        lambda: kernel.fact(facts.FUBINI, a=k, j=k, k=k, rows=1, columns=2),
        lambda: kernel.fact(facts.CAUCHY_SCHWARZ, a=k * log(x), b=1, k=k, low=1, high=2),
    ],
)
def test_facts_ask_for_indices_and_real_terms(offer) -> None:
    refused(offer)


@pytest.mark.parametrize("term", [oo, -oo, Float(10) ** 16])
def test_only_finite_exact_terms_are_put_in(term) -> None:
    less = kernel.joint(Compare(y, "<", y + 1))
    refused(lambda: kernel.substitute(less, {y: term}))


@pytest.mark.parametrize(
    "formula",
    [
        Compare(I * (I + 1), "=", I - 1),
        Compare((cbrt(-1) - Rational(1, 2)) ** 2, "=", -Rational(3, 4)),
        Compare(Float("1e-41", 60), "=", 0),
    ],
)
def test_evaluation_is_of_exact_real_numbers(formula) -> None:
    refused(lambda: kernel.compute(formula))


def test_a_quantity_is_no_index() -> None:
    size = Quantity("m", lambda at: Integer(1), integer=True)
    refused(lambda: kernel.generalise(kernel.joint(Compare(size, ">=", size)), size, 1, oo))


def test_another_form_needs_a_domain_to_be_confirmed_on() -> None:
    same = kernel.joint(Compare(q, "=", q))
    refused(lambda: kernel.rewritten(same, q + 1, lambda *_: True))


@pytest.mark.parametrize("symbol", [Symbol("i", imaginary=True), Symbol("A", commutative=False)])
def test_symbols_stand_for_real_numbers(symbol) -> None:
    refused(lambda: kernel.assume(Compare(symbol**2, ">=", 0)))
