"""What each rule hands on: premises, hypotheses, words, and the check that is made again.

A rule that forgets one of them proves too much, although the formula is right.
"""

from __future__ import annotations

import pytest
from sympy import Function, Integer, Rational, Sum, Symbol, exp, log, oo, symbols

from claims.domain import Domain, Real, Size
from claims.statement import (
    And,
    Compare,
    Exists,
    ForAll,
    Formula,
    Implies,
    Not,
    Or,
    Quantity,
    Tends,
)  # fmt: skip
from claims.terms import MaxOver, Recursion
from proofs import facts, kernel
from proofs.calculus.curves import MonotoneSign
from proofs.calculus.inequalities import BoxBound, SignOnInterval, SumOfSquares
from proofs.kernel import ProofError, Theorem, Within
from proofs.noci2022 import network
from proofs.noci2022.sums import same_sums

x, y, z = symbols("x y z", real=True)
n = Symbol("n", integer=True, positive=True)
i, j, k = symbols("i j k", integer=True)
t = Symbol("t", integer=True, nonnegative=True)
s = Symbol("s", positive=True)
a, b, c = (Function(name, real=True) for name in "abc")
domain = Domain((Size(n, 1),))
double = Quantity("2n", lambda at: 2 * at[n])


def le(left, right) -> Compare:
    return Compare(left, "<=", right)


def said(formula: Formula, *given: Formula) -> Theorem:
    """A premise in words, under hypotheses: whatever is made of it must show both."""
    return kernel.words(formula, "said", *map(kernel.assume, given))


G, H = le(z, 7), le(z, 9)
"""Hypotheses that no rule below touches."""


def applications() -> dict[str, tuple[Theorem, tuple[Theorem, ...], set[Formula]]]:
    """A theorem by each rule, the premises that it must name, the hypotheses that it must keep."""
    found: dict[str, tuple[Theorem, tuple[Theorem, ...], set[Formula]]] = {}

    def one(name: str, made: Theorem, premises: tuple[Theorem, ...], *kept: Formula) -> None:
        found[name] = (made, premises, set(kept))

    first, second = said(le(x, 2), G), said(le(y, 3), H)
    one("words", kernel.words(le(x, 5), "so", first, second), (first, second), G, H)
    one("joint", kernel.joint(le(x + y, 6), first, second, given=[le(z, 1)]), (first, second),
        G, H, le(z, 1))  # fmt: skip
    one("both", kernel.both(first, second), (first, second), G, H)
    pair = kernel.both(first, second)
    one("part", kernel.part(pair, 1), (pair,), G, H)
    under = kernel.joint(le(x, 3), kernel.assume(le(x, 2)), second)
    one("cut", kernel.cut(under, first), (under, first), G, H)
    one("discharge", kernel.discharge(under, le(x, 2)), (under,), H)
    value = kernel.derived(double, n + n, domain, "addition", first)
    held = next(h for h in value.hypotheses if isinstance(h, Within))
    one("derived", value, (first,), G, held)
    one("rewritten", kernel.rewritten(value, 2 * n), (value,), G, held)

    ranged = said(le(a(i), 1), Compare(i, ">=", 1), le(i, n), G)
    every = kernel.generalise(ranged, i, 1, n)
    one("generalise", every, (ranged,), G)
    one("instance", kernel.instance(every, j), (every,), G, Compare(j, ">=", 1), le(j, n))
    one("substitute", kernel.substitute(said(le(s, x), le(s, y)), {s: z}), (), le(z, y),
        Compare(z, ">", 0))  # fmt: skip
    there = said(le(a(j), 1), G)
    shape = Exists(i, 1, n, le(a(i), 1))
    existence = kernel.exists(there, shape, j)
    one("exists", existence, (there,), G, Compare(j, ">=", 1), le(j, n))
    from_it = kernel.joint(le(x, 1), said(Implies(le(a(k), 1), le(x, 1)), H),
                           kernel.assume(le(a(k), 1)))  # fmt: skip
    one("choose", kernel.choose(existence, k, from_it), (existence, from_it), G, H,
        Compare(j, ">=", 1), le(j, n))  # fmt: skip

    falls = said(ForAll(k, 0, oo, le(a(k + 1), a(k))), H)
    step = kernel.joint(le(a(t + 1), 1), kernel.assume(le(a(t), 1)), kernel.instance(falls, t))
    start = said(le(a(0), 1), G)
    one("induction", kernel.induction(start, step, t), (start, step), G, H)
    later, case = said(ForAll(k, 1, oo, le(a(k), 1)), H), said(le(a(0), 1), G)
    one("prepended", kernel.prepended(case, later), (case, later), G, H)

    terms = said(ForAll(j, 1, n, le(a(j), b(j))), G)
    one("sum_compared", kernel.sum_compared(terms), (terms,), G)
    signs = said(ForAll(j, 1, n, Compare(a(j), ">=", 0)), G)
    one("sum_at_least_term", kernel.sum_at_least_term(signs, i), (signs,), G, Compare(i, ">=", 1),
        le(i, n))  # fmt: skip
    bounded = said(ForAll(j, 1, n, le(a(j), x)), G)
    one("extremum_compared", kernel.extremum_compared(bounded, MaxOver), (bounded,), G)
    return found | limits()


def limits() -> dict[str, tuple[Theorem, tuple[Theorem, ...], set[Formula]]]:
    """The same for rules on sequences."""
    low, high = said(Tends(a(k), k, x), G), said(Tends(b(k), k, x), H)
    below = said(ForAll(k, 0, oo, le(a(k), c(k))), le(z, 1))
    above = said(ForAll(k, 0, oo, le(c(k), b(k))), le(z, 2))
    rises = said(Tends(a(k), k, oo), G)
    equal = said(ForAll(k, 0, oo, Compare(c(k), "=", a(k))), H)
    u = Symbol("u", real=True)
    return {
        "squeezed": (kernel.squeezed(below, above, low, high), (below, above, low, high),
                     {G, H, le(z, 1), le(z, 2)}),
        "outgrown": (kernel.outgrown(below, rises), (below, rises), {G, le(z, 1)}),
        "limit_combined": (kernel.limit_combined(u + 1, {u: low}), (low,), {G}),
        "limit_rewritten": (kernel.limit_rewritten(low, equal), (low, equal), {G, H}),
    }  # fmt: skip


APPLIED = applications()


@pytest.mark.parametrize("rule", APPLIED)
def test_a_rule_hands_on_what_its_premises_need(rule: str) -> None:
    made, premises, kept = APPLIED[rule]
    assert set(made.premises) >= set(premises) and len(made.premises) >= len(premises)
    assert made.hypotheses == kept
    assert made.argued and made.failures() == []
    assert made.text == {"words": "so", "derived": "addition"}.get(rule, "")


@pytest.mark.parametrize("rule", APPLIED)
def test_a_forged_premise_shows_in_what_is_made_of_it(rule: str) -> None:
    """A premise that was changed behind the kernel's back is found from whatever rests on it."""
    made, _, _ = applications()[rule]
    for premise in made.premises:
        kept = premise.formula
        object.__setattr__(premise, "formula", le(1, 0))
        assert not made.genuine() and premise in made.failures()
        object.__setattr__(premise, "formula", kept)
    assert made.genuine()


def test_what_was_never_made_is_not_genuine() -> None:
    bare = object.__new__(Theorem)
    for name in Theorem.__slots__[1:]:
        object.__setattr__(bare, name, () if name == "premises" else None)
    assert not bare.genuine()


# Checks that are made again -----------------------------------------------------------------------


def test_a_check_is_made_when_asked_again() -> None:
    holds = [True]
    argued = kernel.words(le(x, 1), "for now", check=lambda: holds[0])
    above = kernel.both(argued, kernel.assume(le(y, 1)))
    assert above.failures() == []
    holds[0] = False
    assert above.failures() == [argued] and above.genuine()
    with pytest.raises(ProofError, match="does not give"):
        kernel.words(le(x, 1), "no longer", check=lambda: holds[0])


def test_a_value_rewritten_is_the_same_value() -> None:
    value = kernel.derived(double, n + n, domain, "addition")
    for wrong in (3 * n, 2 * n + 1, n**2 + 1):
        with pytest.raises(ProofError, match="does not give"):
            kernel.rewritten(value, wrong)
    for wrong, equal in ((3 * n, network.same), (n + n, same_sums)):
        with pytest.raises(ProofError, match="does not give"):
            kernel.rewritten(
                kernel.derived(double, n + n, domain, "addition"), wrong + 1, equal=equal
            )
    bound = kernel.joint(double.at_least(1), value, given=[Compare(n, ">=", 1)])
    for other in (bound, kernel.assume(Compare(x, "=", y)), kernel.assume(Not(le(x, y)))):
        with pytest.raises(ProofError, match="gives no value"):
            kernel.rewritten(other, 2 * n)


# Hypotheses that a rule brings itself -------------------------------------------------------------


def test_a_member_of_a_family_is_read_within_its_range() -> None:
    from claims.terms import family

    power = family("n^{{{}}}", lambda at, e: at[n] ** e)
    finite = kernel.unfold(power(k), n**k, domain, over=((k, 1, n),))
    bare = {h for h in finite.hypotheses if not isinstance(h, Within)}
    assert bare == {Compare(k, ">=", 1), le(k, n)}
    open_ended = kernel.unfold(power(k), n**k, domain, over=((k, 0, oo),))
    assert {h for h in open_ended.hypotheses if not isinstance(h, Within)} == {Compare(k, ">=", 0)}
    assert len(open_ended.hypotheses) == 2


def test_a_value_is_known_within_its_domain_only() -> None:
    for made in (
        kernel.derived(double, 2 * n, domain, "addition"),
        kernel.unfold(double, 2 * n, domain),
    ):
        (held,) = made.hypotheses
        assert isinstance(held, Within) and held.domain is domain
    (held,) = kernel.within(domain).hypotheses
    assert held.truth({n: Integer(3)}) is True and held.truth({n: Integer(0)}) is False


def test_the_next_step_of_a_recursion_is_a_later_one() -> None:
    doubled = Recursion("g", lambda: Integer(1), lambda t, before: 2 * before())
    assert kernel.recursion_step(doubled, t).hypotheses == frozenset()
    assert kernel.recursion_step(doubled, k).hypotheses == {Compare(k, ">=", 0)}
    formula = kernel.recursion_step(doubled, t).formula
    assert formula == Compare(doubled(t + 1), "=", 2 * doubled(t))
    assert kernel.recursion_start(doubled).formula == Compare(doubled(0), "=", 1)


def test_a_recursion_takes_its_other_arguments_along() -> None:
    grows = Recursion("h", lambda m: m, lambda t, m, before: before(m) + before(m + 1))
    assert kernel.recursion_start(grows, k).formula == Compare(grows(0, k), "=", k)
    step = kernel.recursion_step(grows, t, k).formula
    assert step == Compare(grows(t + 1, k), "=", grows(t, k) + grows(t, k + 1))


def test_an_identity_needs_values_on_both_sides() -> None:
    assert kernel.identity((x + 1) ** 2, x**2 + 2 * x + 1).hypotheses == frozenset()
    hidden = kernel.identity((x**2 - 1) / (x - 1), x + 1).hypotheses
    assert hidden == {Compare(x - 1, "!=", 0)}
    for wrong in (x**2 + 1, x**2 + 2 * x):
        with pytest.raises(ProofError, match="does not give"):
            kernel.identity((x + 1) ** 2, wrong)
    length = Sum(1, (j, 1, k))  # k where k is no less than zero, else nothing is added
    for sides in ((length, k), (k, length)):
        with pytest.raises(ProofError, match="negative length"):
            kernel.identity(*sides)


def test_only_closed_formulas_are_evaluated() -> None:
    assert kernel.compute(le(Rational(1, 3), Rational(1, 2))).hypotheses == frozenset()
    for wrong in (le(Rational(1, 2), Rational(1, 3)), ForAll(k, 0, oo, Compare(2**k, ">", 0))):
        with pytest.raises(ProofError, match=r"does not give|not of exact real numbers"):
            kernel.compute(wrong)
    with pytest.raises(ProofError, match="free symbols"):
        kernel.compute(le(x, x))


def test_equals_may_stand_for_each_other_where_they_are_equal() -> None:
    made = kernel.congruent(z**2 + x, z, x, y)
    assert made.formula == Compare(x**2 + x, "=", y**2 + x)
    assert made.hypotheses == {Compare(x, "=", y)}
    with pytest.raises(ProofError, match="declares a sign"):
        kernel.congruent(s**2, s, 1, x)
    with pytest.raises(ProofError, match="declares a sign"):
        kernel.congruent(s**2, s, x, 1)
    assert kernel.congruent((-1) ** k, k, i, j).hypotheses == {Compare(i, "=", j)}
    for left, right in ((x, j), (i, x)):
        with pytest.raises(ProofError, match="not known to be one"):
            kernel.congruent((-1) ** k, k, left, right)


def test_an_equality_that_hides_a_quotient_keeps_its_denominator() -> None:
    left = kernel.congruent(z / x, z, x, y)
    right = kernel.congruent(z / x, z, y, x)
    for made in (left, right):
        assert Compare(x, "!=", 0) in made.hypotheses


def test_the_order_of_integers() -> None:
    made = kernel.next_integer(i, j)
    assert made.formula == le(i + 1, j) and made.hypotheses == {Compare(i, "<", j)}
    for less, more in ((x, j), (i, x)):
        with pytest.raises(ProofError, match="known to be integers"):
            kernel.next_integer(less, more)


def test_a_fact_is_used_under_its_conditions() -> None:
    made = kernel.fact(facts.GEOMETRIC, q=x, k=k)
    assert made.hypotheses and made.text == facts.GEOMETRIC.reference and not made.argued
    assert made.rule == f"fact: {facts.GEOMETRIC.name}"
    assert made.hypotheses == set(facts.GEOMETRIC.instance(q=x, k=k)[0])


def test_a_certificate_is_checked_again_and_keeps_what_it_is_given() -> None:
    made = kernel.certified(SumOfSquares(x**2 - 2 * x + 1, ((1, x - 1),)))
    assert made.hypotheses == frozenset() and made.failures() == []
    with pytest.raises(ProofError, match="does not give"):
        kernel.certified(SumOfSquares(x**2 - 2 * x, ((1, x - 1),)))


def test_every_kind_of_certificate_is_known() -> None:
    slope = SignOnInterval(x - 1, x, 1, oo, ">=0")
    rising = MonotoneSign(x - 1 - log(x), slope, anchor=1, sign=">=0", multiplier=x)
    for certificate, formula, given in (
        (SumOfSquares(x**2 - 2 * x + 1, ((1, x - 1),)), x**2 - 2 * x + 1, set()),
        (slope, x - 1, {Compare(x, ">=", 1)}),
        (rising, x - 1 - log(x), {Compare(x, ">=", 1)}),
        (BoxBound(exp(x), ((x, 0, 5),)), exp(x), {Compare(x, ">=", 0), le(x, 5)}),
    ):
        made = kernel.certified(certificate)
        assert made.formula.left == formula and made.hypotheses == given
        assert made.rule == certificate.name and made.failures() == []


# Premises of another shape ------------------------------------------------------------------------


def test_cut_and_discharge_keep_what_was_not_proved() -> None:
    both = kernel.joint(le(x + y, 5), kernel.assume(le(x, 2)), kernel.assume(le(y, 3)))
    assert kernel.cut(both, kernel.joint(le(1, 2))).hypotheses == {le(x, 2), le(y, 3)}
    assert kernel.cut(both, said(le(x, 2), G)).hypotheses == {le(y, 3), G}
    assert kernel.cut(both, said(And((le(x, 1), le(y, 1))), G)).hypotheses == {G}
    assert kernel.discharge(both, le(x, 2)).hypotheses == {le(y, 3)}
    assert kernel.discharge(both, le(x, 1)).hypotheses == {le(x, 2), le(y, 3)}
    value = kernel.derived(double, 2 * n, domain, "addition")
    held = set(value.hypotheses)
    assert kernel.cut(value, kernel.joint(le(1, 2))).hypotheses == held
    assert kernel.discharge(value, *held).hypotheses == held


def test_rules_refuse_premises_of_another_shape() -> None:
    plain, pair = kernel.assume(le(x, 1)), kernel.assume(Or((le(x, 1), le(y, 1))))
    with pytest.raises(ProofError, match="no conjunction"):
        kernel.part(pair, 0)
    with pytest.raises(ProofError, match="no statement for all"):
        kernel.instance(plain, j)
    with pytest.raises(ProofError, match="no statement for all"):
        kernel.prepended(plain, kernel.assume(Exists(k, 1, oo, le(a(k), 1))))
    with pytest.raises(ProofError, match="says of nothing"):
        kernel.choose(kernel.assume(ForAll(i, 1, n, le(a(i), 0))), j, plain)


def test_the_first_case_is_the_one_before() -> None:
    later = kernel.assume(ForAll(k, 1, oo, le(a(k), 1)))
    for wrong in (le(a(1), 1), le(a(0), 2), le(b(0), 1)):
        with pytest.raises(ProofError, match="is not the case 0"):
            kernel.prepended(kernel.assume(wrong), later)
    assert kernel.prepended(kernel.assume(le(a(0), 1)), later).formula == ForAll(
        k, 0, oo, le(a(k), 1)
    )
    with pytest.raises(ProofError, match="known to be an integer"):
        kernel.assume(ForAll(k, Rational(1, 2), oo, le(a(k), 1)))
    naturals = Symbol("m", integer=True, positive=True)
    with pytest.raises(ProofError, match="declares more"):
        kernel.prepended(
            kernel.assume(le(a(0), 1)), kernel.assume(ForAll(naturals, 1, oo, le(a(naturals), 1)))
        )


def test_induction_starts_at_an_integer_that_its_index_allows() -> None:
    def square(place) -> Compare:
        return Compare(a(place) ** 2, ">=", 0)

    def step_of(index: Symbol) -> Theorem:
        return kernel.joint(square(index + 1), kernel.assume(square(index)))

    later = kernel.joint(square(k + 1), kernel.assume(square(k)), given=[Compare(k, ">=", 2)])
    assert kernel.induction(kernel.assume(square(2)), later, k, 2).hypotheses == {square(2)}
    with pytest.raises(ProofError, match="something else is assumed of k"):
        kernel.induction(kernel.assume(square(1)), later, k, 1)
    half = Rational(1, 2)
    with pytest.raises(ProofError, match="known to be an integer"):
        kernel.induction(kernel.assume(square(half)), step_of(k), k, half)
    positive = Symbol("m", integer=True, positive=True)
    with pytest.raises(ProofError, match="declares more"):
        kernel.induction(kernel.assume(square(0)), step_of(positive), positive, 0)
    holding = Recursion("f", lambda: k, lambda t, before: before())
    inside = Compare(holding(0) ** 2, ">=", 0)  # k stands in it, where no substitution reaches
    with pytest.raises(ProofError, match="holds it inside"):
        kernel.induction(kernel.assume(inside), kernel.joint(inside, kernel.assume(inside)), k)
    assert kernel.induction(kernel.assume(square(-3)), step_of(k), k, -3).formula.low == -3
    assert kernel.induction(kernel.assume(square(0)), step_of(k), k).formula.low == 0


def test_a_range_does_not_end_at_its_own_index() -> None:
    with pytest.raises(ProofError, match="would end at"):
        kernel.generalise(kernel.joint(Compare(i, "=", i)), i, 1, i + 1)


def test_a_choice_is_not_made_in_the_conclusion() -> None:
    there = kernel.assume(Exists(i, 1, n, le(a(i), 0)))
    with pytest.raises(ProofError, match="something else is assumed of j"):
        kernel.choose(there, j, kernel.joint(le(a(j), 1), kernel.assume(le(a(j), 0))))
    ranged = kernel.assume(Exists(i, 1, j, le(a(i), 0)))
    with pytest.raises(ProofError, match="something else is assumed of j"):
        kernel.choose(ranged, j, kernel.joint(le(x, x)))
    few = Symbol("m", integer=True, positive=True)
    from_zero = kernel.assume(Exists(i, 0, n, le(a(i), 0)))
    with pytest.raises(ProofError, match="declares more"):
        kernel.choose(from_zero, few, kernel.joint(le(x, x)))


def test_substitution_is_for_variables_and_outside_of_domains() -> None:
    with pytest.raises(ProofError, match="holds there only"):
        kernel.substitute(kernel.derived(double, 2 * n, domain, "addition"), {n: Integer(2)})
    about = kernel.assume(double.at_least(1))
    for thing in (double, x + 1):
        with pytest.raises(ProofError, match="is no variable"):
            kernel.substitute(about, {thing: Integer(0)})


def test_substitution_keeps_divisors_that_cancel() -> None:
    apart = Compare(x, "!=", 0)
    inserted = kernel.substitute(kernel.assume(le(z, x * y)), {y: 1 / x})
    assert apart in inserted.hypotheses
    lost = kernel.substitute(kernel.joint(le(0, z**2), given=[le(y / x, 2)]), {y: x})
    assert apart in lost.hypotheses
    shown = kernel.substitute(kernel.joint(Or((le(y / x, 2), Not(le(y / x, 2))))), {y: x})
    assert apart in shown.hypotheses


def test_an_index_that_cancels_leaves_its_divisor_behind() -> None:
    """i/j <= 2 says something at i = j only where j is not zero."""
    body, apart = le(i / j, 2), Compare(j, "!=", 0)
    assert apart in kernel.instance(kernel.assume(ForAll(i, -n, n, body)), j).hypotheses
    found = kernel.exists(kernel.joint(le(1, 2)), Exists(i, -n, n, body), j)
    assert apart in found.hypotheses


def test_a_choice_lies_in_its_range() -> None:
    there = kernel.assume(Exists(i, 1, n, le(a(i), 0)))
    ranged = [Compare(j, ">=", 1), le(j, n), le(a(j), 0)]
    given = [Implies(le(1, n), le(x, 1))]
    chosen = kernel.choose(there, j, kernel.joint(le(x, 1), given=[*ranged, *given]))
    assert chosen.hypotheses == {*given, there.formula} and chosen.formula == le(x, 1)


def test_a_domain_among_the_hypotheses_hides_none_of_them() -> None:
    value = kernel.derived(double, 2 * n, domain, "addition")
    places = symbols("p:8", real=True)
    many = kernel.joint(double.at_most(2 * n), value, given=[le(p, 1) for p in places])
    lemmas = [kernel.joint(le(p, 1), given=[Compare(p, "=", 0)]) for p in places]
    assert kernel.cut(many, *lemmas).hypotheses == {
        *value.hypotheses, *(Compare(p, "=", 0) for p in places)
    }  # fmt: skip


def test_nothing_undefined_is_a_theorem() -> None:
    for broken in (le(1 / Integer(0), 1), le(x, oo - oo)):
        with pytest.raises(ProofError, match="has no value"):
            kernel.assume(broken)
        with pytest.raises(ProofError, match="has no value"):
            kernel.joint(le(x, x), given=[broken])


def test_sums_split_and_rearranged_stand_alone() -> None:
    total = Sum(a(j), (j, 1, n))
    last = kernel.sum_split(total)
    assert last.formula.left == total and last.formula.right == a(n) + Sum(a(j), (j, 1, n - 1))
    first = kernel.sum_split(total, first=True)
    assert first.formula.right == a(1) + Sum(a(j), (j, 2, n))
    shifted = kernel.sum_split(total, 1)
    assert shifted.formula.right != last.formula.right
    endless = Sum(a(j), (j, 1, oo)) - Sum(a(i), (i, 1, oo))
    for sides in ((endless, Integer(0)), (Integer(0), endless)):
        with pytest.raises(ProofError, match="is not finite"):
            kernel.sum_rearranged(*sides)
    hiding = kernel.sum_rearranged(Sum(a(j) / x, (j, 1, n)), total / x)
    assert hiding.hypotheses <= {Compare(x, "!=", 0)}


def test_domains_compare_as_hypotheses() -> None:
    """Two domains that look alike are two hypotheses."""
    one, other = Within(Domain((Real(x, 0, 1),))), Within(Domain((Real(x, 0, 1),)))
    assert hash(one) == hash(Within(one.domain)) and one.parts() == ()
    assert one.map(lambda term: term + 1) is one
    assert len({one, Within(one.domain)}) == 1 and other.truth({x: Integer(2)}) is False


def test_a_tree_names_every_theorem_once_and_premises_first() -> None:
    base = kernel.assume(le(x, 1))
    left, right = kernel.joint(le(x, 2), base), kernel.joint(le(x, 3), base)
    top = kernel.both(left, right)
    assert list(top.tree()) == [base, left, right, top]
    assert repr(kernel.words(le(x, 1), "so")) == "<theorem by argument in words, argued>"
    assert repr(base) == "<theorem by hypothesis>"
