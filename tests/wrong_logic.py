"""Dropped hypotheses, misused quantifiers and inductions."""

from __future__ import annotations

from functools import partial
from typing import Any

from sympy import (
    Integer,
    Rational,
    Symbol,
    exp,
    oo,
    sqrt,
)  # fmt: skip
from wrong_certificates import (
    Offer,
    a,
    bare,
    claim_of,
    each,
    family,
    ge,
    i,
    j,
    judged,
    k,
    le,
    m,
    n,
    p,
    s,
    t,
    x,
    y,
)
from wrong_values import PLACE, SIZE, TINY

from claims.domain import Choice, Condition, Domain, Real, Size
from claims.gaussian_growth import Growth, Shares
from claims.iid_shares import Iid
from claims.naitsaada2025.notation import mean_Z
from claims.naitsaada2025.shares import FOURTH_MOMENT, ROWS, SECOND_MOMENT, Z
from claims.statement import (
    Compare,
    Exists,
    ForAll,
    Formula,
    Implies,
    Predicate,
    Quantity,
    Tends,
)  # fmt: skip
from claims.terms import MaxOver
from proofs import facts, kernel
from proofs.certificate import Certificate
from proofs.kernel import Theorem

# Hypotheses ---------------------------------------------------------------------------------------

PARABOLA = Quantity("p(2-p)", lambda at: at[p] * (2 - at[p]))


def parabola(
    *variables: Any, conditions: tuple[Condition, ...] = (), bound: Any = p
) -> Certificate:
    """p (2 - p) >= p by 0 <= p <= 1, concluded for another domain or bound."""
    domain = Domain((Real(p, 0, 1),))
    theorem = kernel.joint(
        ge(PARABOLA, p), kernel.unfold(PARABOLA, p * (2 - p), domain), given=[ge(p, 0), le(p, 1)]
    )
    return judged(claim_of(ge(PARABOLA, bound), *variables, conditions=conditions), theorem)


def sizes(low: int, required: int) -> Certificate:
    """n >= required on a domain from `low` on, by a theorem for n >= required."""
    whole = Symbol("n", integer=True)
    value = Quantity("n", lambda at: at[whole])
    domain = Domain((Size(whole, required),))
    theorem = kernel.joint(
        ge(value, required), kernel.unfold(value, whole, domain), given=[ge(whole, required)]
    )
    return judged(claim_of(ge(value, required), Size(whole, low)), theorem)


@family
def domains() -> Any:
    half = Rational(1, 2)
    wide = [(Real(p, 0, 2),), (Real(p, -1, 1),), (Real(p),), (Real(p, 0),), (Real(p, 1, 2),),
            (Choice(p, (Integer(0), Integer(3))),), (Real(p, half, Rational(101, 100)),)]  # fmt: skip
    false: list[Offer] = [partial(parabola, *row) for row in wide]
    false += [
        partial(parabola, Real(p, 0, 1), bound=bound)
        for bound in (p + Rational(1, 10**6), 2 * p, sqrt(p) + TINY, 1, p + p * (1 - p) * half * 3)
    ]
    false += [partial(sizes, low, low + 1) for low in (1, 2, 5, 9)]
    return iter(false), iter(
        [partial(parabola, Real(p, Rational(1, 3), half)), partial(sizes, 3, 2)]
    )


@family
def dropped_conditions() -> Any:
    upper = Condition("x\\le1", lambda at: at[x] <= 1, le(x, 1))
    unsaid = Condition("x\\le1", lambda at: at[x] <= 1)

    def offer(held: tuple[Condition, ...], mine: tuple[Condition, ...]) -> Certificate:
        claim = claim_of(le(PLACE, 1), Real(x, 0, 2), conditions=held)
        needed = Domain((Real(x, 0, 2),), mine)
        theorem = kernel.joint(le(PLACE, 1), kernel.unfold(PLACE, x, needed), given=[le(x, 1)])
        return judged(claim, theorem)

    false = each(offer, ((), (upper,)), ((), (unsaid,)), ((unsaid,), (upper,)), ((), ()))
    return false, each(offer, ((upper,), (upper,)))


@family
def moments_of_shares() -> Any:
    """What a fact says of independent variables, with another power, limit, law or moment."""
    scaled, squared = n**4 * Z.shares(2, 2)(n), Z.moment(2) ** 2
    end = squared / Z.moment(1) ** 4
    other = Iid("Z", Z.at)

    def known(of: Iid = Z, order: int = 4) -> Theorem:
        return kernel.fact(facts.SHARES, share=of.shares(2, 2)(n), k=n, order=order)

    def offer(stated: Formula, *conditions: Condition, of: Iid = Z, order: int = 4) -> Certificate:
        mean = kernel.unfold(of.moment(1), mean_Z, ROWS)
        positive = kernel.joint(
            Compare(of.moment(1), ">", 0), mean, given=[Compare(mean_Z, ">", 0)]
        )
        claim = claim_of(stated, *ROWS.variables, conditions=conditions)
        return judged(claim, kernel.cut(known(of, order), positive))

    terms = [n**3 * Z.shares(2, 2)(n), n**5 * Z.shares(2, 2)(n), n**4 * Z.shares(4)(n),
             n**4 * Z.shares(2, 2)(2 * n), n**4 * Z.shares(2)(n) ** 2]  # fmt: skip
    ends = [squared, Z.moment(4) / Z.moment(1) ** 4, Z.moment(2) / Z.moment(1) ** 2, 1, end + TINY]
    stated = [Tends(term, n, end) for term in terms] + [Tends(scaled, n, limit) for limit in ends]
    true = Tends(scaled, n, end)
    false: list[Offer] = [partial(offer, one, FOURTH_MOMENT) for one in stated]
    false += [partial(offer, true), partial(offer, true, SECOND_MOMENT)]
    false += [partial(offer, true, FOURTH_MOMENT, of=other)]
    false += [partial(offer, true, other.with_moment(4)), partial(known, order=1)]
    put_in = [{Z.moment(2): 1}, {Z.moment(1): n}]
    false += [lambda at=at: bare(kernel.substitute(known(), at)) for at in put_in]
    return iter(false), iter(
        [partial(offer, true, FOURTH_MOMENT), partial(offer, true, SECOND_MOMENT, order=2)]
    )


@family
def growth_behind_gaussian_matrices() -> Any:
    """What facts say of tails, with another rate, level, number of factors, degrees of freedom or growth."""
    grown, other = (Growth("N", lambda at, place: Shares.equal(1)) for _ in range(2))
    level, bound = (2 * n) ** m, 2 ** (n * m / 2) * exp(-n * m / 2)
    half, least = Rational(1, 2), (n / 2) ** 2

    def offer(of: Growth, d: Any, k: Any, x: Any, most: Any, at: Any = None) -> Certificate:
        known = kernel.fact(facts.CHERNOFF_OF_FACTORS, tail=grown.above, d=n, k=m, b=2 * n, y=2)
        known = kernel.substitute(known, at) if at else known
        return judged(claim_of(le(of.above(d, k, x), most), Size(n, 1), Size(m, 1)), known)

    def united(goal: Any) -> Certificate:
        """P(N_2 < d^2/4) from one factor and another, each below d/2."""
        known = kernel.part(kernel.fact(
            facts.UNION, tail=grown.below, d=n, k=1, a=n / 2, b=n / 2, c=least
        ), 1)  # fmt: skip
        positive = kernel.joint(ge(n / 2, 0))
        return judged(claim_of(goal, Size(n, 1)), kernel.cut(known, positive))

    first, second = grown.below(n, 1, n / 2), grown.factor(n, 2, n / 2)
    small = (grown, n, m, level)
    false: list[Offer] = list(each(
        offer, (*small, bound - TINY), (*small, bound**2), (*small, bound.subs(n, n + 1)),
        (*small, bound.subs(m, m + 1)), (grown, n, m, level / 2, bound), (other, n, m, level, bound),
        (grown, n, m + 1, level, bound), (grown, n + 1, m, level, bound),
        (*small, bound.subs(n, 3), {n: 3}), (grown, 3, m, level, bound.subs(n, 3), {n: 3}),
    ))  # fmt: skip
    twice = grown.below(n, 2, least)
    false += each(
        united, le(twice, first), le(twice, second), le(twice, first * second),
        le(twice, first + second - TINY), le(grown.below(n, 3, least), first + second),
        le(twice, other.below(n, 1, n / 2) + second), le(twice, first + other.factor(n, 2, n / 2)),
    )  # fmt: skip
    wrong_rates = [(grown.above, half), (grown.factor, Integer(2)), (grown.above, Integer(0))]
    false += [
        lambda tail=tail, y=y: bare(
            kernel.cut(kernel.fact(facts.CHERNOFF_OF_FACTORS, tail=tail, d=n, k=m, b=n, y=y))
        )
        for tail, y in wrong_rates
    ]
    three = (grown, Integer(3), m, level.subs(n, 3), bound.subs(n, 3), {n: 3})
    return iter(false), iter(
        [
            partial(offer, *small, bound),
            partial(offer, *three),
            partial(united, le(twice, first + second)),
        ]
    )


@family
def signs_that_the_domain_lacks() -> Any:
    def positive(low: Any) -> Certificate:
        value = Quantity("s", lambda at: at[s])
        claim = claim_of(Compare(value, ">", 0), Real(s, low, 1))
        return judged(claim, kernel.joint(value.above(0), kernel.unfold(value, s, claim.domain)))

    def in_a_hypothesis_only() -> Certificate:
        """The sign of s is used to discharge a condition, and stands in no formula."""
        given = Implies(Compare(s, ">", 0), le(x, 1))
        condition = Condition("s>0\\Rightarrow x\\le1", lambda at: at[s] <= 0 or at[x] <= 1, given)
        claim = claim_of(le(PLACE, 1), Real(x, 0, 2), Real(s, -1, 1), conditions=(condition,))
        unfolded = kernel.unfold(PLACE, x, claim.domain)
        return judged(claim, kernel.joint(le(PLACE, 1), unfolded, given=[given]))

    def integers_that_are_none() -> Certificate:
        value = Quantity("k", lambda at: at[k])
        claim = claim_of(le(value, 0), Real(k, 0, 1, open_high=True))
        below = kernel.next_integer(k, Integer(1))
        return judged(
            claim, kernel.joint(le(value, 0), below, kernel.unfold(value, k, claim.domain))
        )

    false = [*each(positive, -1, -TINY), in_a_hypothesis_only, integers_that_are_none]
    return iter(false), each(positive, Rational(1, 2))


@family
def irrelevant_theorems() -> Any:
    """True theorems about something else."""
    others = [
        partial(kernel.fact, facts.EXP_ABOVE_TANGENT, x=x), partial(kernel.joint, ge(x**2, 0)),
        partial(kernel.identity, (x + 1) ** 2, x**2 + 2 * x + 1),
        partial(kernel.compute, le(1, 2)), partial(kernel.joint, ge(PARABOLA**2, 0)),
        partial(kernel.limit, 1 / k, k), partial(kernel.extremum_reached, MaxOver(a(j), (j, 1, n))),
    ]  # fmt: skip
    claims = [
        claim_of(ge(PARABOLA, 2), Real(p, 0, 1)),
        claim_of(Compare(PARABOLA, "=", p), Real(p, 0, 1)),
    ]
    false = (lambda c=c, o=o: judged(c, o()) for c in claims for o in others)
    return false, iter([partial(parabola, Real(p, 0, 1))])


@family
def predicates_are_not_one() -> Any:
    true, false = (
        Predicate("all is well", lambda *_: True),
        Predicate("nothing is", lambda *_: False),
    )

    def offer(said: Predicate, wanted: Predicate) -> Certificate:
        return judged(claim_of(wanted, Real(p, 0, 1)), kernel.words(said, "obviously"))

    def cut() -> bool:
        return bare(kernel.cut(kernel.assume(false), kernel.words(true, "obviously")))

    return iter([partial(offer, true, false), cut]), each(offer, (true, true))


# Quantifiers --------------------------------------------------------------------------------------


@family
def quantifiers() -> Any:
    some = Exists(i, 1, n, le(a(i), 0))
    hidden = Symbol("bound_0", integer=True)
    moving = kernel.joint(ge(i, 2 * i - 1), given=[ge(i, 2 * i - 1)])
    least = kernel.joint(le(0, t))
    double = kernel.derived(Quantity("2n", lambda at: 2 * at[n]), 2 * n, Domain((Size(n, 2),)), "x")
    every = kernel.assume(ForAll(i, 1, n, le(a(i), 1)))

    def choice(formula: Formula, *given: Formula) -> Theorem:
        return kernel.choose(
            kernel.assume(some), j, kernel.joint(formula, given=[le(a(j), 0), *given])
        )

    false: list[Offer] = [
        partial(kernel.generalise, kernel.assume(le(a(i), 1)), i, 1, n),
        partial(kernel.generalise, kernel.joint(le(a(i), 2), given=[le(a(i), 1)]), i, 1, n),
        partial(kernel.generalise, kernel.assume(ge(i, 5)), i, 1, n),
        partial(kernel.generalise, least, t, -3, oo), partial(kernel.generalise, least, x, 0, oo),
        partial(kernel.generalise, double, n, 1, oo), partial(kernel.generalise, moving, i, 2 * i - 1, oo),
        partial(kernel.generalise, kernel.joint(le(i, i**2), given=[le(i, i**2)]), i, 1, i**2),
        partial(kernel.instance, every, x), partial(kernel.instance, every, Rational(3, 2)),
        partial(kernel.instance, kernel.assume(some), i),
        lambda: bare(kernel.cut(kernel.instance(every, n + 1), every)),
        partial(kernel.exists, kernel.assume(le(a(j), 1)), some, j),
        partial(kernel.exists, kernel.assume(le(a(j), 0)), some, x),
        lambda: kernel.exists(kernel.assume(le(a(0), 0)), some, 0).hypotheses == {le(a(0), 0)},
        partial(choice, le(a(j), 1)), partial(choice, le(x, 1), Implies(le(a(j), 0), le(x, 1))),
        partial(kernel.choose, every, j, kernel.assume(le(a(j), 1))),
        partial(kernel.next_integer, x, y), partial(kernel.prepended, every, every),
        lambda: judged(
            claim_of(ForAll(i, 1, n, le(a(i), a(hidden))), Size(n, 1)),
            kernel.generalise(kernel.joint(le(a(i), a(i))), i, 1, n),
        ),
    ]  # fmt: skip
    return iter(false), iter([partial(kernel.generalise, kernel.joint(le(0, i**2)), i, 1, n)])


@family
def inductions() -> Any:
    falls = kernel.assume(ForAll(k, 0, oo, le(a(k + 1), a(k))))
    before = kernel.assume(le(a(t), 1))
    step = kernel.joint(le(a(t + 1), 1), before, kernel.instance(falls, t))
    start = kernel.assume(le(a(0), 1))
    assumed = kernel.joint(le(a(t + 1), 1), before, given=[le(a(t + 1), a(t))])
    twice = kernel.joint(le(a(t + 1), 1), before, given=[le(a(t + 1), 1)])
    half = Rational(1, 2)
    false = [
        partial(kernel.induction, kernel.assume(le(a(0), 2)), step, t),  # another base
        partial(kernel.induction, kernel.assume(le(a(1), 1)), step, t),  # a later base
        partial(kernel.induction, kernel.joint(le(0, x**2)), step, t),  # no base
        partial(kernel.induction, start, assumed, t), partial(kernel.induction, start, twice, t),
        partial(kernel.induction, start, kernel.assume(le(a(t + 2), 1)), t),
        partial(kernel.induction, start, before, t), partial(kernel.induction, start, step, x),
        partial(kernel.induction, kernel.assume(le(a(-1), 1)), step, t, -1),
        partial(kernel.induction, kernel.assume(le(a(half), 1)), step, t, half),
        partial(kernel.induction, kernel.assume(le(a(t), 1)), step, t, t),
    ]  # fmt: skip
    return iter(false), each(kernel.induction, (start, step, t))


@family
def substitutions() -> Any:
    domain = Domain((Size(n, 1),))
    value = kernel.unfold(SIZE, n, domain)
    even = Symbol("e", even=True)
    below = kernel.assume(le(SIZE, 3))
    false: list[Offer] = [
        partial(kernel.substitute, value, {n: n + 1}), partial(kernel.substitute, value, {n: m}),
        partial(kernel.substitute, kernel.joint(le(1, n)), {n: Rational(1, 2)}),
        partial(kernel.substitute, kernel.joint(le(1, n)), {n: x}),
        partial(kernel.substitute, kernel.identity((-1) ** even, 1), {even: Integer(3)}),
        partial(kernel.substitute, below, {SIZE: Integer(9)}),
        lambda: bare(kernel.substitute(kernel.joint(Compare(s, ">", 0)), {s: x})),
        lambda: bare(kernel.substitute(kernel.joint(Compare(s, ">", 0)), {s: Integer(-1)})),
        partial(kernel.congruent, s**2, s, x, y), partial(kernel.congruent, (-1) ** (2 * k), k, x, y),
        partial(kernel.substitute, kernel.joint(le(0, 1 / s)), {s: Integer(0)}),
    ]  # fmt: skip
    return false.__iter__(), iter(
        [partial(kernel.substitute, kernel.joint(ge(x**2, 0)), {x: y - 1})]
    )
