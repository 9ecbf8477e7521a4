"""False sums, extrema and limits; forged theorems and certificates."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from sympy import (
    Add,
    Float,
    Integer,
    Max,
    Mod,
    Rational,
    Sum,
    Symbol,
    atan,
    cos,
    exp,
    floor,
    log,
    oo,
    pi,
    sin,
)  # fmt: skip
from wrong_certificates import (
    Offer,
    a,
    b,
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
    n,
    p,
    s,
    t,
    x,
    y,
)
from wrong_logic import PARABOLA
from wrong_values import TINY

from claims.bound import place
from claims.domain import Choice, Real, Size
from claims.statement import (
    Compare,
    ForAll,
    Formula,
    Quantity,
    Tends,
)  # fmt: skip
from claims.terms import MaxOver, MinOver, Recursion, entry
from proofs import facts, kernel
from proofs.calculus.inequalities import SumOfSquares
from proofs.certificate import Certificate, Limit
from proofs.conclude import conclude
from proofs.confirm import confirmed_limit
from proofs.kernel import Theorem

# Sums, extrema, limits ----------------------------------------------------------------------------

TOTAL = Sum(a(j), (j, 1, n))


@family
def sums() -> Any:
    free = Symbol("index_0", integer=True)
    doubled = Sum(2 * a(j) + 1, (j, 1, n))
    endless = Sum(a(j) + a(j + 1), (j, 1, oo))
    rearranged = [
        (doubled, 2 * TOTAL + n - 1), (doubled, TOTAL**2), (doubled, n * TOTAL), (doubled, 2 * TOTAL),
        (Sum(a(j) * b(j), (j, 1, n)), TOTAL * Sum(b(j), (j, 1, n))), (Sum(1, (j, 1, k)), k),
        (Sum(a(j), (j, 1, n)), Sum(a(j), (j, 0, n - 1))), (Sum(j * a(j), (j, 1, n)), j * TOTAL),
        (Sum(a(j) * a(free), (j, 1, n)), Sum(a(j) ** 2, (j, 1, n))), (Sum(a(j) ** 2, (j, 1, n)), TOTAL),
        (endless, Sum(a(j), (j, 1, oo)) + Sum(a(j + 1), (j, 1, oo))),
        (Sum(Sum(a(j) - a(k), (j, 1, oo)), (k, 1, oo)), Sum(Sum(a(j) - a(k), (k, 1, oo)), (j, 1, oo))),
    ]  # fmt: skip
    lengths = [
        (Sum(1, (j, 1, k)), k),
        (Sum(j, (j, 1, k)), k * (k + 1) / 2),
        (Sum(x, (j, k, 3)), x * (4 - k)),
    ]
    unequal = kernel.assume(ForAll(j, 1, n, Compare(a(j), "!=", b(j))))
    signed = kernel.assume(ForAll(j, 1, n, ge(a(j), -1)))
    length = Quantity("L", lambda at: max(Integer(0), at[k]))

    def negative_length() -> Certificate:
        claim = claim_of(length.equals(k), Choice(k, (Integer(-1), Integer(2))))
        return judged(claim, kernel.unfold(length, Sum(1, (j, 1, k)), claim.domain))

    false: list[Offer] = [
        *each(kernel.sum_rearranged, *rearranged), *each(kernel.identity, *lengths),
        partial(kernel.sum_compared, kernel.assume(le(a(j), b(j)))), negative_length,
        partial(kernel.sum_compared, unequal),
        partial(kernel.sum_compared, kernel.assume(ForAll(j, 1, oo, le(a(j), b(j))))),
        partial(kernel.sum_at_least_term, signed, i),
        partial(kernel.sum_at_least_term, kernel.assume(ForAll(j, 1, n, ge(a(j), 0))), x),
        partial(kernel.sum_split, Sum(a(j), (j, 1, oo))), partial(kernel.sum_split, Sum(a(j), (j, 1, x))),
        partial(kernel.sum_split, Sum(a(j) * b(k), (j, 1, n), (k, 1, n))),
        lambda: bare(kernel.sum_split(Sum(a(j), (j, 1, k)))),
        partial(kernel.fact, facts.FUBINI, a=a(j) * b(k), j=j, k=k, rows=oo, columns=oo),
        partial(kernel.fact, facts.FUBINI, a=a(j) * b(k), j=j, k=k, rows=k, columns=n),
    ]  # fmt: skip
    return iter(false), each(kernel.sum_rearranged, (doubled, 2 * TOTAL + n))


@family
def extrema() -> Any:
    top, endless = MaxOver(a(j), (j, 1, n)), MaxOver(j, (j, 1, oo))
    bounded = kernel.assume(ForAll(j, 1, n, le(a(j), x)))
    moving = kernel.assume(ForAll(j, 1, n, le(a(j), b(j))))
    false: list[Offer] = [
        partial(kernel.extremum_bounds, top, x), partial(kernel.extremum_bounds, endless, i),
        partial(kernel.extremum_reached, endless), partial(kernel.extremum_compared, moving, MaxOver),
        partial(kernel.extremum_reached, MinOver(1 / j, (j, 1, oo))),
        partial(kernel.extremum_compared, bounded, MinOver),
        partial(kernel.extremum_compared, kernel.assume(ForAll(j, 1, oo, le(a(j), x))), MaxOver),
        lambda: bare(kernel.extremum_reached(MaxOver(a(j), (j, 1, k)))),
        lambda: bare(kernel.extremum_bounds(top, n + 1)),
        lambda: kernel.extremum_compared(
            kernel.assume(f := ForAll(j, 1, k, le(a(j), x))), MaxOver
        ).hypotheses == {f},
        partial(kernel.joint, Compare(top, "=", MinOver(a(j), (j, 1, n)))),
    ]  # fmt: skip
    return iter(false), each(kernel.extremum_reached, top)


SLOW = log(k) / k ** Rational(1, 100)
WRONG_LIMITS = [
    (Mod(k, 2), 0), (Mod(k, 2), 1), (10**10 + 9 + 1 / k, 10**10), ((1 + 1 / k) ** k, 3), (SLOW, 1),
    (1 / k + Mod(k, 2), 0), (floor(k / 2) * 2 / k, 2), (k - 2 * floor(k / 2), 0), (sin(pi * k / 2), 0),
    ((-1) ** k, 1), (sin(k), 0), (cos(2 * pi * k), 0), (1 / log(k), Rational(1, 30)), (Mod(k, 16), 0),
    (10**20 + 0 * k, 10**20 + 1), (Rational(999, 1000) ** k + TINY * 10**280, 0), (floor(1 / k + 1), 2),
]  # fmt: skip


@family
def wrong_limits() -> Any:
    where = ({x: Rational(1, 2)},)
    steps = (
        partial(lambda u, v: Limit(u + 0 * x, k, Integer(0) + v, where).check(), *row)
        for row in WRONG_LIMITS
    )
    confirmed = (
        partial(lambda u, v: confirmed_limit(Tends(u, k, Integer(0) + v)), *row)
        for row in WRONG_LIMITS
    )
    true = (
        partial(lambda u, v: confirmed_limit(Tends(u, k, v)), *row)
        for row in [((k + 1) / k, 1), (2 / k, 0)]
    )
    return (o for both in (steps, confirmed) for o in both), true


@family
def limits() -> Any:
    u = Symbol("u", real=True)
    falls = kernel.fact(facts.GEOMETRIC, q=Rational(1, 2), k=k)
    low = kernel.assume(ForAll(k, 1, oo, le(0, a(k))))
    high = kernel.assume(ForAll(k, 1, oo, le(a(k), 1 + 1 / k)))
    zero, one = kernel.limit(Integer(0), k), kernel.limit(1 + 1 / k, k)
    false: list[Offer] = [
        *each(kernel.limit, *((term, k) for term in (
            Mod(k, 2), (-1) ** k, sin(k), s**k, x * k, 1 / (1 + x**2 * k), k**x, exp(-x * k), atan(x * k),
            s * k - k, 1 / (1 + (x - 5) ** 2 * k), k * x - floor(k * x), Float(1) * Mod(k, 3),
        ))),
        partial(kernel.limit_combined, 1 / u, {u: falls}), partial(kernel.limit_combined, k * u, {u: falls}),
        partial(kernel.limit_combined, u**x, {u: falls}), partial(kernel.limit_combined, log(u), {u: falls}),
        partial(kernel.squeezed, low, high, zero, one), partial(kernel.squeezed, low, high, one, one),
        partial(kernel.squeezed, low, low, zero, zero), partial(kernel.fact, facts.GEOMETRIC, q=1 - 1 / k, k=k),
        partial(kernel.limit_rewritten, zero, kernel.assume(ForAll(k, 1, oo, le(a(k), 0)))),
        partial(kernel.limit_rewritten, zero, kernel.assume(ForAll(k, 1, n, Compare(a(k), "=", 0)))),
        lambda: judged(
            claim_of(Tends(1 / (1 + x**2 * k), k, Integer(0)), Real(x, -1, 1)),
            kernel.limit(1 / (1 + x**2 * k), k),
        ),
    ]  # fmt: skip
    return iter(false), each(kernel.limit, (1 / (1 + s**2 * k), k), ((k + x) / k, k))


# Forgeries ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Trust:
    """A certificate that says of itself that it is one."""

    name: str = "trust me"

    def concludes(self) -> Any:
        return Compare(x**2 + 1, "<", 0), ()

    def check(self) -> bool:
        return True


class Nonsense(SumOfSquares):
    """A certificate of a known kind, whose check is another."""

    def check(self) -> bool:
        return True


def changed(**values: Any) -> Theorem:
    """A theorem whose parts were set after a rule had made it."""
    theorem = kernel.joint(ge(x**2, 0), kernel.assume(le(x, 1)))
    for name, value in values.items():
        object.__setattr__(theorem, name, value)
    return theorem


def made_by_hand(formula: Formula) -> Theorem:
    theorem = object.__new__(Theorem)
    values = ((lambda: True), False, formula, frozenset(), (), "because", "")
    names = ("again", "argued", "formula", "hypotheses", "premises", "rule", "text")
    for name, value in zip(names, values, strict=True):
        object.__setattr__(theorem, name, value)
    return theorem


@family
def forgeries() -> Any:
    false = ge(PARABOLA, 2)
    claim = claim_of(false, Real(p, 0, 1))
    forged = [
        partial(made_by_hand, false), partial(changed, formula=false),
        partial(changed, formula=false, hypotheses=frozenset()),
        lambda: kernel.joint(false, made_by_hand(false)),
        lambda: kernel.joint(false, changed(formula=false, hypotheses=frozenset())),
        lambda: kernel.both(made_by_hand(false), kernel.joint(ge(x**2, 0))),
    ]  # fmt: skip
    concluded = (lambda make=make: judged(claim, make()) for make in forged)
    said = kernel.words(ge(PARABOLA, p), "obviously")

    def held_back() -> bool:
        """A written argument that says it is none."""
        theorem = kernel.generalise(said, i, 1, n)
        object.__setattr__(theorem, "argued", False)
        return theorem.genuine() and theorem.failures() == []

    direct = (lambda make=make: Certificate("proved", "m", theorem=make()) for make in forged)
    other: list[Offer] = [
        partial(kernel.certified, Trust()), partial(kernel.certified, Nonsense(x - 1, ())), held_back,
        partial(kernel.fact, facts.Fact("all is one", "nowhere", lambda: ((), le(1, 0)))),
        partial(kernel.fact, facts.Fact(facts.FUBINI.name, "x", lambda: ((), le(1, 0)))),
        partial(Theorem, object(), false, "because"), partial(Theorem, None, false, "because"),
        partial(kernel.words, false, "obviously", check=lambda: False),
        partial(kernel.compute, le(1, 0)), partial(kernel.compute, le(x, x)),
        partial(kernel.compute, Tends(Mod(k, 2), k, Integer(0))),
        lambda: judged(claim, kernel.joint(false, given=[false])),
        lambda: judged(claim, kernel.discharge(kernel.assume(false), false)),
    ]  # fmt: skip
    return (o for part in (concluded, direct, other) for o in part), iter(
        [lambda: bare(kernel.compute(le(0, 1)))]
    )


@family
def names_of_bound_indices_capture_nothing() -> Any:
    """Normal forms name indices by depth, and a term may already bear such names, bound or free."""
    u, v = place(0), place(1)
    m = entry(Symbol("M"))
    pairs = [
        (Sum(m(v, u), (u, 1, n), (v, 1, n)), Sum(m(v, v), (u, 1, n), (v, 1, n))),
        (Sum(m(u, v), (v, 1, n), (u, 1, n)), Sum(m(u, u), (v, 1, n), (u, 1, n))),
        (Sum(m(u, j), (j, 1, n)), Sum(m(j, j), (j, 1, n))),
        (Sum(m(v, j), (j, 1, n), (k, 1, n)), Sum(m(k, j), (j, 1, n), (k, 1, n))),
        (Sum(m(j, j), (j, 1, n), (j, 1, n)), Sum(m(j, k), (j, 1, n), (k, 1, n))),
    ]
    true = [
        (Sum(m(u, v), (v, 1, n), (u, 1, n)), Sum(m(v, u), (u, 1, n), (v, 1, n))),
        (Sum(m(u, v), (v, 1, u), (u, 1, n)), Sum(m(j, k), (k, 1, j), (j, 1, n))),
        (Sum(m(u, j), (j, 1, n)), Sum(m(u, v), (v, 1, n))),
    ]

    def offers(sides: Any) -> Any:
        rearranged = (partial(kernel.sum_rearranged, *pair) for pair in sides)
        joined = (partial(kernel.joint, Compare(left, "=", right)) for left, right in sides)
        return iter([*rearranged, *joined])

    return offers(pairs), offers(true)


@family
def recursions() -> Any:
    one = Recursion("g", lambda: Integer(1), lambda t, before: before())
    two = Recursion("g", lambda: Integer(2), lambda t, before: before())
    starts = [kernel.recursion_start(g) for g in (one, two)]
    false: list[Offer] = [
        partial(kernel.joint, le(1, 0), *starts), partial(kernel.joint, Compare(one(1), "=", 2), starts[0]),
        partial(kernel.joint, Compare(one(t), "=", 1), starts[0]),
        lambda: bare(kernel.recursion_step(one, k)), lambda: bare(kernel.recursion_step(one, Integer(-1))),
    ]  # fmt: skip
    return iter(false), iter([partial(kernel.joint, Compare(one(0), "=", 1), starts[0])])


@family
def undefined_values_are_not_carried() -> Any:
    """What is infinite or has no value at all stands in no theorem."""
    terms = [1 / x, Add(1 / x, -2 / x), log(x) / x]
    made = [kernel.joint(le(0, term**2)) for term in (1 / s, log(s) / s)]
    false: list[Offer] = [partial(kernel.substitute, th, {s: Integer(0)}) for th in made]
    false += [partial(kernel.congruent, term, x, Integer(0), y) for term in terms]
    return iter(false), iter([partial(kernel.congruent, x**2, x, Integer(0), y)])


def counted(end: Any, shown: Any) -> bool:
    """That a quantity is a sum of so many ones, from its value, which is the end of the range."""
    value = Quantity("q", lambda at: end.subs(n, at[n]))
    stated = claim_of(Compare(value, "=", shown), Size(n, 1, 5))
    known = kernel.unfold(value, end, stated.domain)
    return conclude(stated, known, method="toy").status == "proved"


@family
def ranges_that_end_between_integers() -> Any:
    """To SymPy a sum of ones up to 3/2 is 3/2; at small sizes these ends are integers."""
    ends = [n + Max(0, n - 1000) / d for d in (2, 3)]
    false: list[Offer] = [partial(counted, end, Sum(1, (j, 1, end))) for end in ends]
    false += [partial(counted, end, Sum(1, (j, 1 - end, 0))) for end in ends]
    false += [partial(kernel.identity, Sum(1, (j, 1, end)), end) for end in ends]
    even = n + 2 * Max(0, n - 1000)
    true = [
        partial(counted, even, Sum(1, (j, 1, even))),
        partial(counted, n, Sum(1, (j, 1 - n, 0))),
    ]
    return iter(false), iter(true)
