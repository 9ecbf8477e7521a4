"""Names that are bound in one place and free in another; functions with poles; limits with steps."""

from __future__ import annotations

from functools import partial
from typing import Any

from sympy import (
    Heaviside,
    Integer,
    KroneckerDelta,
    Rational,
    Sum,
    Symbol,
    acos,
    beta,
    binomial,
    cos,
    cosh,
    cot,
    coth,
    factorial,
    ff,
    floor,
    frac,
    gamma,
    log,
    oo,
    pi,
    rf,
    sec,
    sin,
    sinh,
    sqrt,
    tan,
)  # fmt: skip
from wrong_certificates import (
    Offer,
    a,
    b,
    bare,
    each,
    family,
    ge,
    i,
    j,
    k,
    le,
    m,
    n,
    x,
    y,
)  # fmt: skip

from claims.statement import And, Compare, Exists, ForAll, Formula, Implies, Not, Tends
from claims.terms import MaxOver
from proofs import facts, kernel, smt
from proofs.calculus.inequalities import SignOnInterval, SumOfSquares
from proofs.kernel import Theorem

NO = Compare(Integer(0), "=", Integer(1))

# Limits along an index ----------------------------------------------------------------------------


def always(formula: Formula) -> Theorem:
    """A formula that holds by arithmetic, for all n >= 1."""
    return kernel.generalise(kernel.joint(formula), n, 1, oo)


@family
def limits_that_speak_of_the_index() -> Any:
    """`n/m -> 0` as m grows holds for every n, and says nothing of `n/n`."""
    u, v = Symbol("u"), Symbol("v")
    falls, rises = kernel.limit(n / m, m), kernel.limit(m / n, m)
    vanishes = kernel.limit(1 / n, n)
    one = always(le(Integer(1), Integer(1)))
    same = kernel.generalise(kernel.identity(n / n, Integer(1)), n, 1, oo)
    diagonal = kernel.assume(ForAll(m, 1, oo, le(a(m), n - m)))
    below = kernel.assume(ForAll(n, 1, oo, le(Integer(0), a(n))))
    zero = kernel.limit(0 * n + Integer(0), n)
    false: list[Offer] = [
        partial(kernel.limit_combined, u + v, {u: vanishes, v: falls}),
        partial(kernel.limit_combined, u * v, {u: vanishes, v: falls}),
        partial(kernel.squeezed, one, one, falls, falls),
        partial(kernel.squeezed, below, diagonal, zero, zero),
        partial(kernel.outgrown, one, rises), partial(kernel.limit_rewritten, falls, same),
        lambda: kernel.limit_rewritten(falls, one).formula.limit == 0,
    ]  # fmt: skip
    true = partial(kernel.limit_combined, u + v, {u: vanishes, v: kernel.limit(1 / m, m)})
    return iter(false), iter([true])


@family
def steps_beyond_every_place() -> Any:
    far = 10**45
    terms = [
        Heaviside(n - far), Heaviside(far - n), KroneckerDelta(n, far), floor(n / Integer(far)),
        frac(n / Integer(far)), 1 / (1 + Heaviside(n - far)), n * KroneckerDelta(n, far) + 1,
    ]  # fmt: skip
    return each(kernel.limit, *((term, n) for term in terms)), each(kernel.limit, ((n + 1) / n, n))


@family
def limits_are_told_apart_by_their_own_index() -> Any:
    """What stands outside of a limit or a range is another name, though it be the same letter."""
    pairs: list[tuple[Formula, Formula]] = [
        (Tends(1 / n, n, n), Tends(1 / n, n, m)),
        (Tends(n / m, m, Integer(0)), Tends(n / m, n, Integer(0))),
        (ForAll(i, 1, i, le(a(i), 0)), ForAll(i, 1, j, le(a(i), 0))),
        (ForAll(i, 1, i, le(a(i), 0)), ForAll(j, 1, j, le(a(j), 0))),
    ]  # fmt: skip
    same = (lambda f=f, g=g: smt.canonical(f) == smt.canonical(g) for f, g in pairs)
    kept = ForAll(i, 1, i, le(a(i), 0))
    ends = [
        lambda: i in kept.substitute({i: Integer(3)}).free_symbols(),
        lambda: smt.canonical(kept.substitute({i: Integer(3)})) == smt.canonical(kept),
        lambda: i not in kept.free_symbols(),
    ]
    one, other = (smt.canonical(ForAll(u, 1, n, le(a(u), 0))) for u in (i, j))
    return iter([*same, *ends]), iter([lambda: one == other])


# Names that are free as well ----------------------------------------------------------------------


@family
def names_that_are_bound_elsewhere() -> Any:
    """Of a name nothing may be assumed to generalise over it, though a hypothesis also binds it."""
    every = ForAll(i, 1, n, le(b(i), 0))
    some = Exists(i, 1, n, le(b(i), 0))
    idle = always(le(Integer(0), Integer(0)))
    tends = Tends(1 / i, i, Integer(0))

    def hidden(beside: Formula, said: Formula) -> Theorem:
        """For all i what a hypothesis says of one i, beside something that binds i."""
        both = kernel.assume(And((beside, said)))
        return kernel.generalise(kernel.part(both, 1), i, 1, oo)

    def implied(beside: Formula) -> Theorem:
        given = [Implies(beside, le(a(i), 1)), beside]
        return kernel.generalise(kernel.joint(le(a(i), 1), given=given), i, 1, n)

    def contradiction() -> bool:
        """0 = 1 from `for all n: 0 <= 0, and n >= 5` at n = 7, said of n = 1."""
        there = And((idle.formula, ge(n, 5)))
        every_n = kernel.generalise(kernel.part(kernel.assume(there), 1), n, 1, oo)
        seven = kernel.substitute(every_n, {n: Integer(7)})
        known = kernel.both(idle, kernel.compute(ge(Integer(7), 5)))
        one = kernel.instance(kernel.cut(seven, known), Integer(1))
        return bare(kernel.joint(NO, one))

    def chosen() -> Theorem:
        beside = And((ForAll(j, 1, n, le(b(j), 0)), le(a(j), 5)))
        says = kernel.joint(le(x, 5), given=[le(a(j), 0), beside, Implies(le(a(j), 5), le(x, 5))])
        return kernel.choose(kernel.assume(Exists(i, 1, n, le(a(i), 0))), j, says)

    def inductive() -> Theorem:
        """The step is assumed for one k, beside something that binds k."""
        step = Implies(le(a(k), 1), le(a(k + 1), 1))
        both = kernel.assume(And((ForAll(k, 0, 0, le(b(k), 0)), step)))
        before = kernel.assume(le(a(k), 1))
        after = kernel.joint(le(a(k + 1), 1), before, kernel.part(both, 1))
        return kernel.induction(kernel.assume(le(a(0), 1)), after, k)

    false: list[Offer] = [
        *each(hidden, *((f, said) for f in (every, some, tends) for said in (le(a(i), 1), ge(i, 5)))),
        *each(implied, every, some, tends), contradiction, chosen, inductive,
    ]  # fmt: skip
    free = partial(kernel.generalise, kernel.joint(le(0, i**2), given=[every]), i, 1, n)
    return iter(false), iter([free])


@family
def names_captured_by_a_range() -> Any:
    """A term that is put under a range with its own name means something else there."""
    row = kernel.assume(ForAll(i, 1, n, ForAll(j, 1, n, le(a(i), b(j)))))
    total = kernel.assume(le(Sum(x * a(j), (j, 1, n)), x))
    shape = Exists(i, 1, n, ForAll(j, 1, n, le(a(i), b(j))))
    diagonal = kernel.assume(ForAll(j, 1, n, le(a(j), b(j))))

    def says(made: Theorem, wrong: Formula) -> bool:
        return smt.canonical(made.formula) == smt.canonical(wrong)

    false: list[Offer] = [
        lambda: says(kernel.instance(row, j), ForAll(j, 1, n, le(a(j), b(j)))),
        lambda: says(kernel.substitute(total, {x: j}), le(Sum(j * a(j), (j, 1, n)), j)),
        lambda: says(
            kernel.congruent(Sum(k * a(j), (j, 1, n)), k, j, i),
            Compare(Sum(j * a(j), (j, 1, n)), "=", Sum(i * a(j), (j, 1, n))),
        ),
        lambda: says(
            kernel.congruent(MaxOver(k * a(j), (j, 1, n)), k, j, i),
            Compare(MaxOver(j * a(j), (j, 1, n)), "=", MaxOver(i * a(j), (j, 1, n))),
        ),
        partial(kernel.exists, diagonal, shape, j),
        lambda: says(
            kernel.substitute(kernel.limit(n / m, m), {n: m}), Tends(Integer(1), m, Integer(0))
        ),
    ]  # fmt: skip
    return iter(false), iter(
        [lambda: says(kernel.instance(row, k), ForAll(j, 1, n, le(a(k), b(j))))]
    )


@family
def facts_of_terms_without_a_value() -> Any:
    """What holds of every real number is given what is none."""

    def logarithms_of_negative_numbers() -> bool:
        """$y\\ge1+\\log y$ and $1/y\\ge1-\\log y$ would exclude every negative y."""
        above, below = (kernel.fact(facts.EXP_ABOVE_TANGENT, x=u) for u in (log(y), -log(y)))
        positive = kernel.joint(ge(y, 0), above, below)
        return bare(kernel.joint(NO, kernel.substitute(positive, {y: Integer(-1)})))

    def integer_part_of_infinity() -> bool:
        part = kernel.fact(facts.INTEGER_PART, x=oo)
        return bare(kernel.joint(NO, part, kernel.compute(Not(Compare(oo, "<", oo)))))

    def bernoulli(term: Any) -> bool:
        return kernel.fact(facts.BERNOULLI, x=term, p=Integer(2)).hypotheses <= {
            ge(term, -1),
            ge(2, 1),
        }

    named = [logarithms_of_negative_numbers, integer_part_of_infinity]
    return iter([*named, *each(bernoulli, log(y), acos(y), sqrt(y), 1 / y)]), each(bernoulli, y)


@family
def sums_that_are_not_finite() -> Any:
    """A sum that grows without end equals itself and one more: it has no value to be compared."""
    endless = [
        Sum(1, (j, 1, oo)),
        Sum(j, (j, 1, oo)),
        Sum(1 / j, (j, 1, oo)),
        MaxOver(j, (j, 1, oo)),
    ]

    def one_more(total: Any) -> bool:
        equal = kernel.compute(Compare(total, "=", total + 1))
        return bare(kernel.joint(NO, equal, kernel.joint(Compare(total, "<", total + 1))))

    negative = [Compare(Sum(j, (j, 5, 2)), "=", value) for value in (-7, 0)]
    return iter([*each(one_more, *endless), *each(kernel.compute, *negative)]), each(
        kernel.compute, Compare(Integer(2), "<", Integer(3))
    )


# Functions with poles -----------------------------------------------------------------------------


@family
def functions_with_poles() -> Any:
    """A functional equation holds where its terms have values: at a pole it would give 0 = 1."""

    def at_a_pole(left: Any, right: Any, place: Formula, wrong: Formula, values: Any) -> bool:
        equation = kernel.identity(left, right)
        there = kernel.joint(Implies(place, wrong), equation)
        return bare(kernel.joint(NO, kernel.substitute(there, values)))

    def zero(term: Any) -> Compare:
        return Compare(term, "=", 0)

    rows = [
        (gamma(x + 1), x * gamma(x), zero(x), zero(gamma(x + 1)), {x: Integer(0)}),
        (factorial(k) * (k + 1), factorial(k + 1), zero(k + 1), zero(factorial(k + 1)), {k: Integer(-1)}),
        (tan(x) * cos(x), sin(x), zero(cos(x)), zero(sin(x)), {x: pi / 2}),
        (cot(x) * sin(x), cos(x), zero(sin(x)), zero(cos(x)), {x: Integer(0)}),
        (sec(x) * cos(x), Integer(1), zero(cos(x)), zero(Integer(1)), {x: pi / 2}),
        (coth(x) * sinh(x), cosh(x), zero(sinh(x)), zero(cosh(x)), {x: Integer(0)}),
        (rf(x, k) * (x + k), rf(x, k + 1), zero(x + k), zero(rf(x, k + 1)), {x: Integer(1), k: Integer(-1)}),
        (ff(x, k) * (x - k), ff(x, k + 1), zero(x - k), zero(ff(x, k + 1)), {x: Integer(-1), k: Integer(-1)}),
    ]  # fmt: skip

    def symmetric_below_zero() -> bool:
        equal = kernel.identity(binomial(x, k), binomial(x, x - k))
        return bare(kernel.joint(NO, kernel.substitute(equal, {x: Integer(-2), k: Integer(1)})))

    def beta_by_gamma() -> bool:
        return bare(kernel.identity(beta(x, y), gamma(x) * gamma(y) / gamma(x + y)))

    def certified_at_a_pole(certificate: Any) -> bool:
        """A quotient is positive beside its pole, and said to be so at the pole: so there is none."""
        positive = kernel.certified(certificate)
        away = kernel.joint(Compare(x, "!=", 0), positive)
        there = kernel.substitute(away, {x: Integer(0)})
        inside = (ge(1, 0), ge(0, Rational(-1, 2)))
        return bare(kernel.cut(kernel.joint(NO, there), *map(kernel.compute, inside)))

    quotient = (x**2 + x) / x
    certificates = [
        SumOfSquares(quotient - x - 1 + x**2, ((1, x),)),
        SignOnInterval(quotient, x, Rational(-1, 2), 1, ">0"),
        SumOfSquares(gamma(x + 1) - x * gamma(x) - x + x**2 + y, ((1, x),), (y - x,), given=(y - x,)),
    ]  # fmt: skip

    true = each(kernel.identity, (gamma(n + 1), n * gamma(n)), (binomial(n, 2), n * (n - 1) / 2))
    poles = [*each(at_a_pole, *rows), *each(certified_at_a_pole, *certificates)]
    return iter([*poles, symmetric_below_zero, beta_by_gamma]), true
