"""What the kernel's rules on ranges conclude and need, as formulas."""

from __future__ import annotations

import pytest
from sympy import Function, Integer, Piecewise, Sum, Symbol, binomial, oo

from claims.statement import And, Compare, ForAll
from claims.terms import MaxOver, MinOver, Recursion
from proofs import shapes
from proofs.calculus.normal import same
from proofs.sense import ProofError

a = Function("a", real=True)
k, n, p = (Symbol(name, integer=True) for name in "knp")
s, t, x, y = (Symbol(name, real=True) for name in "stxy")
ONE = Integer(1)


def every(left, sign, right, low=ONE, high=n):
    return ForAll(k, low, high, Compare(left, sign, right))


@pytest.mark.parametrize(
    ("kind", "sign"), [(MaxOver, "<="), (MaxOver, "<"), (MinOver, ">="), (MinOver, ">")]
)
def test_an_extremum_is_bounded_as_its_members_are(kind: type, sign: str) -> None:
    formula, _, needed = shapes.extremum_compared(every(a(k), sign, x), kind)
    assert formula == Compare(kind(a(k), (k, ONE, n)), sign, x)
    assert needed == [Compare(ONE, "<=", n)]


@pytest.mark.parametrize("sign", ["<=", "<", ">=", ">", "=", "!="])
def test_no_other_bound_of_members_bounds_an_extremum(sign: str) -> None:
    for kind, allowed in ((MaxOver, {"<=", "<"}), (MinOver, {">=", ">"})):
        if sign not in allowed:
            with pytest.raises(ProofError):
                shapes.extremum_compared(every(a(k), sign, x), kind)


@pytest.mark.parametrize("premise", [every(0, "<=", k / x), every(k / x, ">", 0)])
def test_what_a_term_needs_is_asked_for_where_it_no_longer_shows(premise) -> None:
    """k/x has no value at x = 0, and its member at k = x is 1."""
    whole = Symbol("x", integer=True)
    formula, _, needed = shapes.sum_at_least_term(premise.substitute({x: whole}), whole)
    assert formula.right == 1
    assert needed == [Compare(whole, ">=", 1), Compare(whole, "<=", n), Compare(whole, "!=", 0)]


def test_members_and_ends_ask_for_what_no_longer_shows() -> None:
    whole = Symbol("X", integer=True)
    inside = [Compare(whole, ">=", 1), Compare(whole, "<=", n)]
    formula, _, needed = shapes.extremum_bounds(MaxOver(k / whole, (k, ONE, n)), whole)
    assert formula.right == 1 and needed == [*inside, Compare(whole, "!=", 0)]
    formula, _, needed = shapes.sum_split(Sum(k / whole, (k, 1, whole)), 0, False)
    assert formula.right == Sum(k / whole, (k, 1, whole - 1)) + 1
    assert needed == [Compare(1, "<=", whole), Compare(whole, "!=", 0)]


def test_a_place_has_a_value_and_lies_in_the_range() -> None:
    place = binomial(n, 2 * p)
    assert shapes.in_range(place, every(a(k), "<=", 1)) == [
        Compare(place, ">=", 1), Compare(place, "<=", n), Compare(n, ">=", 0),
    ]  # fmt: skip


@pytest.mark.parametrize("ends", [(-oo, n), (ONE, oo), (-oo, oo)])
def test_infinite_sums_are_not_finite(ends) -> None:
    shapes.require_finite(Sum(a(k), (k, ONE, n)))
    with pytest.raises(ProofError, match="not finite"):
        shapes.require_finite(Sum(a(k), (k, *ends)))


def test_sides_need_values_where_it_matters_what_they_are() -> None:
    assert shapes.values(same, 1 / x + 1 / x, 2 / x) == []
    sides = (x**2 - 1) / (x - 1), x + 1
    for left, right in (sides, reversed(sides)):
        assert shapes.values(same, left, right) == [Compare(x - 1, "!=", 0)]


def test_what_is_needed_in_one_case_is_asked_for_in_all() -> None:
    """Under the quantifier x != 0 is needed where k > 2; outside of it nothing speaks of k."""
    before = every(Piecewise((y / x, k > 2), (0, True)), "<=", 1)
    assert shapes.lost(before, {y: x}, before.substitute({y: x})) == [Compare(x, "!=", 0)]


def test_what_is_needed_of_an_index_cannot_be_said_outside() -> None:
    before = every((y - k) / (x - k), "<=", 1)
    with pytest.raises(ProofError, match="under a quantifier"):
        shapes.lost(before, {y: x}, before.substitute({y: x}))


@pytest.mark.parametrize("limits", [(k, -oo, ONE), (k, ONE, oo)])
def test_an_infinite_range_need_not_have_a_largest_member(limits) -> None:
    for offer in (shapes.extremum_reached, lambda e: shapes.extremum_bounds(e, ONE)):
        with pytest.raises(ProofError, match="infinite"):
            offer(MaxOver(a(k), limits))


def test_sums_compared_hold_no_case_in_an_inner_sum() -> None:
    cases = Sum(Piecewise((a(p), p < k), (0, True)), (p, 1, n))
    for premise in (every(cases, "<=", x), every(x, "<=", cases)):
        with pytest.raises(ProofError, match="case"):
            shapes.sum_compared(premise)


natural, positive = (
    Symbol("N", integer=True, nonnegative=True),
    Symbol("P", integer=True, positive=True),
)


def test_sums_have_no_negative_length() -> None:
    shapes.require_sums(Sum(a(k), (k, 1, natural)))  # which may be empty
    with pytest.raises(ProofError, match="negative length"):
        shapes.require_sums(Sum(a(k), (k, 3, positive)))


@pytest.mark.parametrize("others", [(), (p, n)])
def test_a_recursion_is_read_with_all_its_places_and_no_more(others) -> None:
    powers = Recursion("g", lambda i: i, lambda t, i, before: i * before(i))
    with pytest.raises(ValueError, match="zip"):
        shapes.recursion_start(powers, others)
    with pytest.raises(ValueError, match="zip"):
        shapes.recursion_step(powers, natural, others)


# Limits -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ends", [(x, n), (ONE, x)])
def test_a_sum_that_is_split_ends_at_integers(ends) -> None:
    with pytest.raises(ProofError, match="integer ends"):
        shapes.sum_split(Sum(a(k), (k, *ends)), 0, False)


def test_what_a_symbol_declares_is_not_asked_for_once_more() -> None:
    ratio = Compare(y / positive, "<=", 1)
    assert shapes.lost(ratio, {y: positive}, ratio.substitute({y: positive})) == []


@pytest.mark.parametrize(
    "premise",
    [every(0, "<=", a(k)), every(0, "<", a(k)), every(a(k), ">=", 0), every(a(k), ">", 0)],
)
def test_a_sum_of_what_is_not_negative_is_at_least_each_term(premise) -> None:
    formula, _, needed = shapes.sum_at_least_term(premise, p)
    assert formula == Compare(Sum(a(k), (k, ONE, n)), ">=", a(p))
    assert needed == [Compare(p, ">=", 1), Compare(p, "<=", n)]


def test_what_cancels_against_a_term_that_is_put_in_is_asked_for() -> None:
    """1/x has no value at x = 0, where nothing is left of it."""
    product = Compare(y * s, "<=", t)
    cancels, stays = {y: 1 / x, s: x}, {y: 1 / x, s: x + 1}
    assert shapes.lost(product, cancels, product.substitute(cancels)) == [Compare(x, "!=", 0)]
    assert shapes.lost(product, stays, product.substitute(stays)) == []
    assert shapes.lost(product, {y: x}, product.substitute({y: x})) == []


def test_sums_are_compared_term_by_term() -> None:
    both = And((Compare(a(k), "<=", x), Compare(a(k), ">=", y)))
    with pytest.raises(ProofError, match="no comparison"):
        shapes.sum_compared(ForAll(k, ONE, n, both))


def test_only_what_is_put_in_may_not_be_hidden() -> None:
    grows = Recursion("g", lambda: ONE, lambda t, before: x * before())
    formula = Compare(grows(natural), "<=", y)
    assert shapes.lost(formula, {y: s}, formula.substitute({y: s})) == []
    with pytest.raises(ProofError, match="inside"):
        shapes.lost(formula, {x: s}, formula.substitute({x: s}))


@pytest.mark.parametrize("sign", ["=", "!="])
def test_other_terms_may_be_negative(sign: str) -> None:
    with pytest.raises(ProofError, match="not negative"):
        shapes.sum_at_least_term(every(a(k), sign, 0), p)


def test_what_a_place_declares_is_not_asked_for() -> None:
    assert shapes.in_range(positive, every(a(k), "<=", 1)) == [Compare(positive, "<=", n)]
