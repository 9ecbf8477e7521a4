"""Offers that once made `0 = 1` of rules that are each right: ends, names, roots, ranges, limits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Context, Decimal
from itertools import count
from typing import Any

import pytest
from sympy import (
    Eq,
    Float,
    Function,
    I,
    Integer,
    Integral,
    LambertW,
    Limit,
    Max,
    Product,
    Rational,
    Sum,
    Symbol,
    acos,
    acosh,
    besselj,
    cbrt,
    conjugate,
    cos,
    digamma,
    exp,
    floor,
    log,
    oo,
    re,
    sin,
    sqrt,
    symbols,
    tanh,
    zeta,
)

from claims.bound import variable
from claims.domain import Choice, Computed, Condition, Domain, Real, Size
from claims.model import Claim, Source
from claims.seeds import seeded
from claims.statement import Compare, Exists, ForAll, Formula, Implies, Quantity
from claims.terms import MaxOver, MinOver, Recursion, family, put, value_of
from proofs import facts, kernel
from proofs.calculus.curves import MonotoneSign
from proofs.calculus.inequalities import SignOnInterval
from proofs.conclude import conclude
from proofs.confirm import confirmed_at_points
from proofs.defined import MARK
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


@pytest.mark.seldom
def test_a_check_of_such_a_limit_is_not_settled() -> None:
    parameter, count = symbols("X N")
    term = tanh(log(1 + (97 * parameter - 13) ** 2 * count))
    answer = check(
        Eq(Limit(term, count, oo), 1, evaluate=False), [Real(parameter, 0, 1)], seconds=5.0
    )
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


# What a definition is held to -----------------------------------------------------------------------

several = Domain((Size(n, 1),))
a_place = Quantity("n", lambda at: at[n])
MANY = Compare(a_place, ">=", 10**6)


def judged(theorem: Any, formula: Any, *variables: Any, conditions: Any = ()) -> str:
    """The status of a claim by a theorem that is its statement."""
    claim = Claim(
        id="toy.road", source=Source("toy", "1"), kind="bound", title="A toy.",
        statement=formula, domain=Domain(variables, conditions),
    )  # fmt: skip
    return conclude(claim, theorem, method="toy").status


def test_members_of_a_family_are_looked_at_beyond_the_first_four() -> None:
    """2^k = 1 + k + (k over 2) + (k over 3) for k < 4."""
    power = family("2^{{{}}}", lambda at, place: 2**place + 0 * at[n])
    cake = 1 + k + k * (k - 1) / 2 + k * (k - 1) * (k - 2) / 6
    refused(lambda: kernel.unfold(power(k), cake, several, over=((k, 0, oo),)))


@pytest.mark.parametrize("odd", [lambda size: size == 7, lambda size: int(size) >= 35])
def test_another_seed_looks_at_other_sizes(odd: Callable[[Any], bool]) -> None:
    """A definition that is another one at a single size, or from one on, is found by some seed."""
    found = []
    for seed in range(40):
        with seeded(seed):
            double = Quantity("2n", lambda at: 2 * at[n] + int(odd(at[n])))
            found.append(not confirmed_at_points(double, 2 * n, several))
    assert any(found)


def test_what_a_definition_reads_unseen_is_no_index() -> None:
    reads = Quantity("q", lambda at: at[k])
    refused(lambda: kernel.unfold(reads, k, several, over=((k, 1, 3),)))


@pytest.mark.parametrize(
    ("quantity", "formula"),
    [
        (Quantity("q", lambda at: at[x], positive=True), lambda q: q.above(0)),
        (
            Quantity("q", lambda at: at[x], integer=True),
            lambda q: q.above(0).implies(q.at_least(1)),
        ),
    ],
)
def test_a_quantity_is_what_it_declares(quantity: Any, formula: Callable[[Any], Any]) -> None:
    wanted = formula(quantity)
    if isinstance(wanted, Implies):
        shown = kernel.discharge(kernel.next_integer(0, quantity), quantity.above(0))
    else:
        shown = kernel.joint(wanted)
    assert judged(shown, wanted, Real(x, -1, 1)) != "proved"
    assert judged(shown, wanted, Choice(x, (Integer(1), Integer(2)))) == "proved"


def test_facts_of_a_domain_hold_in_it() -> None:
    value = Quantity("x", lambda at: at[x])
    low = value.at_most(1)
    stronger = Condition("x\\le5", lambda at: at[x] <= 5, Compare(x, "<=", 1))
    setting = (Real(x, 0, 9),)
    shown = kernel.joint(
        low, kernel.unfold(value, x, Domain(setting, (stronger,))), given=[Compare(x, "<=", 1)]
    )
    assert judged(shown, low, *setting, conditions=(stronger,)) != "proved"
    m = Symbol("m", integer=True)
    large = Quantity("m", lambda at: at[m]).at_least(10)
    computed = Computed(m, lambda at: at[n] + 1, known=(Compare(m, ">=", 10),))
    setting = (Size(n, 1), computed)
    shown = kernel.joint(
        large, kernel.unfold(large.left, m, Domain(setting)), given=[Compare(m, ">=", 10)]
    )
    assert judged(shown, large, *setting) != "proved"


def test_nothing_is_proved_where_there_is_no_point() -> None:
    value = Quantity("x", lambda at: at[x])
    none = Condition("x>2", lambda at: at[x] > 2, Compare(x, ">", 2))
    shown = kernel.joint(value.at_least(5), given=[Compare(x, "<=", 1), Compare(x, ">", 2)])
    refused(lambda: judged(shown, value.at_least(5), Real(x, 0, 1), conditions=(none,)))


def test_of_two_close_terms_one_is_no_value() -> None:
    """Decimals of sixty digits agree with both, and show nothing of what tells them apart."""
    root = Quantity("q", lambda at: Decimal(2).sqrt(Context(prec=60)))
    assert kernel.unfold(root, sqrt(2), several).formula == root.equals(sqrt(2))
    refused(lambda: kernel.unfold(root, sqrt(2) + Rational(1, 10**50), several))


# Rules that took somebody's word --------------------------------------------------------------------

below = Symbol("t", integer=True, nonnegative=True)


@pytest.mark.parametrize(
    "offer",
    [
        lambda: kernel.extremum_bounds(MinOver(below, (below, -3, 0)), -3),
        lambda: kernel.sum_split(Sum(below, (below, 0, 3)), shift=2),
        lambda: kernel.fact(facts.DELTA_SUM, place=Integer(-1), k=below, low=-5, high=5),
        lambda: kernel.assume(ForAll(below, -1, 1, Compare(below, ">=", 0))),
    ],
)
def test_an_index_declares_no_more_than_its_range_gives(offer) -> None:
    refused(offer)


@pytest.mark.parametrize(
    "step",
    [
        lambda t, before: ahead(t + 1) + 1,
        lambda t, before: other(t + 1),
    ],
)
def test_a_recursion_rests_on_the_layer_before(step: Callable[..., Any]) -> None:
    asked.append(Recursion("g", lambda: Integer(0), step))
    refused(lambda: kernel.recursion_step(asked[-1], Integer(0)))


asked: list[Recursion] = []


def ahead(t: Any) -> Any:
    """The recursion that is asked about."""
    return asked[-1](t)


other = Recursion("h", lambda: Integer(0), lambda t, before: ahead(t + 1) + 1)
"""Each asks the other for the layer that is asked for."""


def test_a_recursion_has_one_step() -> None:
    numbers = count()
    turns = Recursion("g", lambda: Integer(0), lambda t, before: Integer(next(numbers)))
    one, again = (kernel.recursion_step(turns, Integer(0)).formula for _ in range(2))
    assert one == again
    steps = Recursion("g", lambda: Integer(0), lambda t, before: Integer(1 if t == 0 else 2))
    assert kernel.recursion_step(steps, Integer(0)).formula.right == 2
    assert value_of(steps(Integer(1)), {}) == 2


def test_recursions_may_ask_each_other_for_the_layer_before() -> None:
    even = Recursion("e", lambda: Integer(1), lambda t, before: odd(t))
    odd = Recursion("o", lambda: Integer(0), lambda t, before: even(t))
    assert kernel.recursion_step(even, n).formula == Compare(even(n + 1), "=", odd(n))
    assert even.hidden == frozenset()


def test_an_equality_of_ones_own_counts_for_nothing() -> None:
    value = kernel.unfold(a_place, n, several)
    assert kernel.rewritten(value, n + 0).formula == value.formula
    refused(lambda: kernel.rewritten(value, n + 0, lambda *_: True))
    named = lambda *_: True  # noqa: E731
    named.__module__, named.__qualname__ = "proofs.calculus.normal", "same"
    refused(lambda: kernel.rewritten(value, n + 0, named))


def test_a_derivative_has_a_certificate_of_the_kernels() -> None:
    class Forged(SignOnInterval):
        def check(self) -> bool:
            return True

    falling = Forged(Integer(-1), x, 0, 1, ">=0")
    refused(lambda: kernel.certified(MonotoneSign(-x, falling, anchor=0, sign=">=0")))


def test_names_of_normal_forms_are_taken() -> None:
    for taken in (variable(0), variable(70), MARK):
        refused(lambda taken=taken: kernel.joint(Compare(taken, "<=", taken)))


@pytest.mark.parametrize("number", [acos(2), cbrt(-1), (-1) ** Rational(1, 3)])
def test_numbers_are_real(number) -> None:
    square = kernel.joint(Compare((y - 1) ** 2, ">=", 0))
    refused(lambda: kernel.substitute(square, {y: number}))


@pytest.mark.parametrize("root_of_minus_one", [I, sqrt(-1), (-1) ** Rational(1, 2)])
def test_identities_are_of_real_numbers(root_of_minus_one) -> None:
    """By algebra $i(i+1)=i-1$, which no real number satisfies."""
    i = root_of_minus_one
    for shift in (1, x):
        refused(lambda shift=shift: kernel.identity(i * (i + shift), i * shift - 1))


NEAR_ONE = 1000 * sqrt(1000001) / 1000001


@pytest.mark.parametrize(
    ("term", "same", "values"),
    [
        (cos(2 * acos(x)), 2 * x**2 - 1, {x: NEAR_ONE}),  # gave 1 = 999999/1000001
        (cos(2 * acos(x) * y), 2 * cos(acos(x) * y) ** 2 - 1, {x: NEAR_ONE, y: Integer(1)}),
        (cos(x + y), cos(x) * cos(y) - sin(x) * sin(y), {x: acos(NEAR_ONE), y: Integer(1)}),
        (log(exp(x) * exp(y)), x + y, {x: acos(NEAR_ONE), y: Integer(1)}),
        (2 * log(y), log(y**2), {y: acosh(1 + Rational(1, 10**10))}),
    ],
)  # fmt: skip
def test_numbers_whose_sign_is_misjudged_are_not_put_in(term, same, values) -> None:
    """SymPy takes the arc cosine of a number near one for zero, and its cosine for one."""
    y_ = Symbol("y_", positive=True)
    theorem = kernel.identity(*(put(side, {y: y_}) for side in (term, same)))
    assert kernel.substitute(theorem, {x: Rational(1, 2), y_: Integer(3)})
    refused(lambda: kernel.substitute(theorem, {y_ if s == y else s: v for s, v in values.items()}))


def test_numbers_whose_sign_is_misjudged_make_no_theorem() -> None:
    refused(lambda: kernel.joint(Compare(x * acos(NEAR_ONE), "=", x * acos(NEAR_ONE))))
    assert kernel.joint(Compare(x * acos(Rational(1, 3)), "=", x * acos(Rational(1, 3))))


@pytest.mark.parametrize(
    "function", [zeta, digamma, re, conjugate, LambertW, lambda t: besselj(0, t)]
)
def test_functions_that_no_rule_knows(function) -> None:
    term = function(Symbol("z"))
    refused(lambda: kernel.identity(term, term))


@pytest.mark.parametrize("kind", [MaxOver, MinOver, Sum])
def test_an_index_is_not_taken_for_the_one_of_a_sum_beside_it(kind) -> None:
    """SymPy's `simplify` takes j times the sum of j + 1 for the sum of j (j + 1)."""
    beside = j * Sum(j + 1, (j, 0, n))
    captured = n**3 / 3 + n**2 + 2 * n / 3
    refused(lambda: kernel.identity(kind(beside, (j, 1, 3)), kind(captured, (j, 1, 3))))
    a = Function("a", real=True)
    refused(lambda: kernel.identity(a(j) * beside, a(j) * captured))
    right = j * (n + 1) * (n + 2) / 2
    assert kernel.identity(kind(beside, (j, 1, 3)), kind(right, (j, 1, 3)))


@pytest.mark.parametrize("function", [floor, abs, lambda ones: Max(ones, -1)])
def test_a_sum_that_goes_back_is_none_where_a_function_steps(function) -> None:
    """By comparison a sum of ones is not negative; SymPy's from 3 to -10 is -12."""
    m = Symbol("m", integer=True)
    ones = Sum(1, (j, k, m))
    above = kernel.sum_compared(kernel.generalise(kernel.joint(Compare(1, ">=", 0)), j, k, m))
    nothing = kernel.sum_rearranged(Sum(0, (j, k, m)), Integer(0))
    whole = kernel.fact(facts.INTEGER_PART, x=ones)
    positive = kernel.joint(Compare(function(ones), ">=", 0), above, nothing, whole)
    assert kernel.substitute(positive, {k: Integer(3), m: Integer(-10)}).formula.truth({}) is True


def test_products_of_negative_length_are_refused() -> None:
    refused(lambda: kernel.identity(Product(x, (j, 1, k)), x**k))


def test_formulas_of_ones_own_are_not_taken_for_known_ones() -> None:
    @dataclass(frozen=True)
    class Or(Formula):
        formulas: tuple[Formula, ...]

        def truth(self, at: Any) -> bool | None:
            return all(f.truth(at) for f in self.formulas)

        def latex(self) -> str:
            return " and ".join(f.latex() for f in self.formulas)

    @dataclass(frozen=True)
    class Less(Compare):
        def truth(self, at: Any) -> bool | None:
            return False

    value = Quantity("x", lambda at: at[x])
    sides = (value.at_most(0), value.at_least(0))
    either = kernel.joint(sides[0] | sides[1])
    assert judged(either, Or(sides), Real(x, -1, 1)) != "proved"
    refused(lambda: kernel.joint(Less(x, "<=", x)))
