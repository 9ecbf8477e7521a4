"""False theorems and certificates by the dozen, in families, each with a true sibling."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from math import prod
from typing import Any

from sympy import (
    Abs,
    Add,
    Expr,
    Float,
    Function,
    I,
    Integer,
    Mod,
    Piecewise,
    Rational,
    Sum,
    Symbol,
    acos,
    asin,
    atan,
    cos,
    exp,
    floor,
    log,
    oo,
    pi,
    sin,
    sqrt,
    symbols,
    tan,
)  # fmt: skip

from claims.domain import Choice, Condition, Domain, Real, Size
from claims.model import Claim, Source
from claims.statement import (
    Compare,
    Exists,
    ForAll,
    Formula,
    Iff,
    Implies,
    Predicate,
    Quantity,
    Tends,
)  # fmt: skip
from claims.terms import MaxOver, MinOver, Recursion
from proofs import facts, kernel
from proofs.calculus.inequalities import BoxBound, MonotoneSign, SignOnInterval, SumOfSquares
from proofs.certificate import Certificate, Limit
from proofs.conclude import conclude
from proofs.confirm import confirmed_limit
from proofs.kernel import Theorem

x, y, z, p = symbols("x y z p", real=True)
s = Symbol("s", positive=True)
plain = Symbol("c")
n, m = symbols("n m", integer=True, positive=True)
i, j, k, r = symbols("i j k r", integer=True)
t = Symbol("t", integer=True, nonnegative=True)
a, b = Function("a", real=True), Function("b", real=True)

Offer = Callable[[], Any]


@dataclass(frozen=True)
class Family:
    """False offers of one kind, and true ones that must be accepted, lest nothing be."""

    name: str
    false: tuple[Offer, ...]
    true: tuple[Offer, ...]


def accepted(found: Any) -> bool:
    """Whether an offer was believed: a theorem was made, or a certificate stands when rechecked."""
    if isinstance(found, Certificate):
        return found.status in {"proved", "vacuous"} and found.recheck() == []
    assert isinstance(found, Theorem | bool), found
    return isinstance(found, Theorem) or found


def bare(theorem: Theorem) -> bool:
    """Whether a theorem needs nothing: with its hypothesis a false one may be true."""
    return not theorem.hypotheses and not theorem.argued


FAMILIES: list[Family] = []


def family(make: Callable[[], tuple[Iterator[Offer], Iterator[Offer]]]) -> None:
    false, true = make()
    FAMILIES.append(Family(make.__name__, tuple(false), tuple(true)))


def le(left: Any, right: Any) -> Compare:
    return Compare(left, "<=", right)


def ge(left: Any, right: Any) -> Compare:
    return Compare(left, ">=", right)


def each(make: Callable[..., Any], *rows: Any) -> Iterator[Offer]:
    """One offer for each row of arguments."""
    return (partial(make, *(row if isinstance(row, tuple) else (row,))) for row in rows)


def claim_of(statement: Formula, *variables: Any, conditions: tuple[Condition, ...] = ()) -> Claim:
    return Claim(
        id="toy.wrong", source=Source("toy", "1"), kind="bound", title="A toy.",
        statement=statement, domain=Domain(variables, conditions),
    )  # fmt: skip


def judged(claim: Claim, theorem: Theorem) -> Certificate:
    return conclude(claim, theorem, method="toy", scope="toy")


# Values -------------------------------------------------------------------------------------------


def vanishing(symbol: Any, count: int) -> Expr:
    """The product that is zero at 1, ..., count."""
    return prod(symbol - place for place in range(1, count + 1))


@family
def identities_at_small_sizes() -> Any:
    symbols_ = (n, Symbol("n", integer=True), Symbol("n", real=True), Symbol("n"))
    rows = [(u + vanishing(u, count), u) for u in symbols_ for count in range(1, 13)]
    return each(kernel.identity, *rows), each(kernel.identity, ((n + 1) ** 2, n**2 + 2 * n + 1))


SIZE = Quantity("n", lambda at: at[n])
PLACE = Quantity("x", lambda at: at[x])
ONE_SIZE, TWO_SIZES = Domain((Size(n, 1),)), Domain((Size(n, 1), Size(m, 2)))
MIXED = Domain((Size(n, 1), Real(x, -1, 1)))


@family
def values_at_small_sizes() -> Any:
    counts = range(1, 13)
    values = [(SIZE, n + vanishing(n, count), ONE_SIZE) for count in counts]
    values += [(SIZE, n + vanishing(n, count) * (n - m), TWO_SIZES) for count in counts]
    values += [(PLACE, x + vanishing(n, count), MIXED) for count in counts]
    values += [(PLACE, x * (1 + vanishing(n, count)), MIXED) for count in (3, 6, 9, 12)]
    derived = (partial(kernel.derived, *row, "by hand") for row in values)
    unfolded = each(kernel.unfold, *values)
    return (o for both in (derived, unfolded) for o in both), each(
        kernel.unfold, (SIZE, n, TWO_SIZES)
    )


UNDEFINED = Quantity("q", lambda at: (at[x] ** 2 + at[x]) / at[x] if at[x] else Integer(0))


@family
def values_where_there_is_none() -> Any:
    domain = Domain((Real(x, -1, 1),))
    away = Domain((Real(x, Rational(1, 2), 1),))
    false = each(kernel.unfold, (UNDEFINED, (x**2 + x) / x, domain), (UNDEFINED, x + 1, domain))
    return false, each(kernel.unfold, (UNDEFINED, x + 1, away))


@family
def a_cache_does_not_confuse_domains() -> Any:
    def after_another() -> Theorem:
        """The first domain is gone when the second, which may bear its address, is asked for."""
        for _ in range(200):
            kernel.unfold(PLACE, Abs(x), Domain((Real(x, 0, 1),)))
        return kernel.unfold(PLACE, Abs(x), Domain((Real(x, -1, 1),)))

    return iter([after_another]), each(kernel.unfold, (PLACE, Abs(x), Domain((Real(x, 0, 1),))))


# Algebra ------------------------------------------------------------------------------------------


@family
def algebra() -> Any:
    rows = [
        (sqrt(x**2), x), (sqrt(x**2), -x), (log(x * y), log(x) + log(y)), (log(x**2), 2 * log(x)),
        (sqrt(x * y), sqrt(x) * sqrt(y)), ((x**2) ** y, x ** (2 * y)), ((x**y) ** z, x ** (y * z)),
        (Integer(0) ** x, Integer(0)), (Integer(0) ** t, Integer(0)), (x**0 - 1, x),
        (floor(x), x), (floor(2 * x), 2 * floor(x)), (floor(x + y), floor(x) + floor(y)),
        (Abs(x + y), Abs(x) + Abs(y)), (acos(cos(x)), x), (asin(sin(x)), x), (atan(tan(x)), x),
        (log(exp(plain)), plain), (exp(x * y), exp(x) * exp(y)), ((-1) ** k, 1), (Mod(k, 2), 0),
        (Sum(a(j), (j, 1, n)) ** 2, Sum(a(j) ** 2, (j, 1, n))), (1 / (x + y), 1 / x + 1 / y),
    ]  # fmt: skip
    true = each(kernel.identity, (sqrt(x**2), Abs(x)), (log(s * s), 2 * log(s)))
    return each(kernel.identity, *rows), true


TINY = Rational(1, 10**300)
NEAR = [
    (acos(1000 * sqrt(1000001) / 1000001), Integer(0)), (cos(TINY), Integer(1)),
    (acos(10**6 * sqrt(10**12 + 1) / (10**12 + 1)), Integer(0)), (exp(TINY), Integer(1)),
    (sin(TINY), Integer(0)), (log(1 + TINY), Integer(0)), (exp(-(10**6)), Integer(0)),
    (sqrt(10**2000 + 1), Integer(10**1000)), (atan(10**40), pi / 2), (TINY, Integer(0)),
    (exp(pi * sqrt(163)), Integer(640320**3 + 744)), (sin(TINY), TINY), (cos(TINY) - 1, Integer(0)),
    (sqrt(2) + sqrt(3), Rational("3.14626436994197234232913506571557044551247712918732870")),
]  # fmt: skip


@family
def numbers_that_are_nearly_equal() -> Any:
    computed = (partial(kernel.compute, Compare(*side)) for side in [(u, "=", v) for u, v in NEAR])
    false = [*each(kernel.identity, *NEAR), *computed]
    false += [
        partial(kernel.certified, SumOfSquares(weight * x**2, ((weight, x),)))
        for weight in (cos(TINY) - 1, log(1 - TINY), sin(-TINY), exp(-TINY) - 1)
    ]
    true = Compare(sqrt(2) + sqrt(3), "=", sqrt(5 + 2 * sqrt(6)))
    return iter(false), each(kernel.compute, true)


@family
def what_may_have_no_value() -> Any:
    """Algebra in general position against arithmetic at one point."""
    zero = Compare(x, "=", 0)
    quotient = (x**2 + x) / x
    roots = (sqrt(x) + 1) ** 2 + (sqrt(x) - 1) ** 2 - 2

    def never_zero() -> bool:
        at_zero = kernel.joint(zero.implies(Compare(quotient, "=", 0)))
        cancelled = kernel.identity(quotient, x + 1)
        return bare(kernel.joint(Compare(x, "!=", 0), at_zero, cancelled))

    def never_zero_by_two_quotients() -> bool:
        twice = kernel.identity((x**2 + 2 * x) / x, x + 2)
        both = [kernel.substitute(e, {x: 0}) for e in (kernel.identity(quotient, x + 1), twice)]
        return bare(kernel.joint(Compare(0, "=", 1), *both))

    def never_zero_by_substitution() -> bool:
        vanishes = kernel.joint(Implies(Compare(y, "=", 0), Compare(y / x, "=", 0)))
        return bare(kernel.substitute(vanishes, {y: x}))

    def never_zero_by_substituted_quotient() -> bool:
        vanishes = kernel.joint(Implies(zero, Compare(x * z, "=", 0)))
        return bare(kernel.substitute(vanishes, {z: 1 / x}))

    def never_zero_by_equals() -> bool:
        equal = kernel.congruent(y / x, y, x, 2 * x)
        return bare(kernel.discharge(equal, Compare(x, "=", 2 * x)))

    def never_zero_by_normal_form() -> bool:
        lemma = kernel.joint(Compare(quotient, "=", 0), given=[zero])
        cut = kernel.cut(kernel.assume(Compare(x + 1, "=", 0)), lemma)
        return cut.hypotheses == {zero}

    def all_are_nonnegative() -> bool:
        return bare(
            kernel.joint(ge(x, 0), kernel.joint(ge(roots, 0)), kernel.identity(roots, 2 * x))
        )

    def squares_of_roots() -> bool:
        return bare(kernel.substitute(kernel.joint(ge(plain**2, 0)), {plain: sqrt(x)}))

    def minus_one_is_positive() -> bool:
        above = kernel.joint(Compare(exp(sqrt(x)), ">", 0))
        return bare(kernel.substitute(above, {x: -(pi**2)}))

    def imaginary() -> bool:
        return bare(kernel.substitute(kernel.joint(ge(plain**2, 0)), {plain: I}))

    def linear_in_general_position() -> bool:
        made = kernel.sum_rearranged(
            Sum(quotient * a(j), (j, 1, n)), (x + 1) * Sum(a(j), (j, 1, n))
        )
        return bare(made)

    chains = (
        never_zero, never_zero_by_two_quotients, never_zero_by_substitution, imaginary,
        never_zero_by_substituted_quotient, never_zero_by_equals, never_zero_by_normal_form,
        all_are_nonnegative, squares_of_roots, minus_one_is_positive, linear_in_general_position,
    )  # fmt: skip
    return iter(chains), each(kernel.identity, ((s**2 + s) / s, s + 1))


# Arithmetic ---------------------------------------------------------------------------------------


@family
def joints() -> Any:
    rows: list[tuple[Formula, list[Formula]]] = [
        (ge(x, x + 1), []), (Compare(x, "<", x), []), (Compare(x**2, ">", 0), []),
        (Compare(x, "<", y), [le(x, y)]), (le(x, y), [ge(x, y)]), (le(x * z, y * z), [le(x, y)]),
        (le(1 / x, 1 / y), [ge(x, y)]), (le(x**2, y**2), [le(x, y)]), (Compare(x, "=", y), [le(x, y)]),
        (le(x / y, 1), [le(x, y)]), (Compare(x / x**2 * x, "=", 2), []), (le(x, 1), [le(x**2, 4)]),
        (le(sqrt(x), x), [ge(x, 0)]), (ge(x**3, 0), []), (le(exp(x), 1 + x), []),
        (Compare(1 / x, "!=", 0), []), (Compare(x / y, "=", x), [Compare(y, "=", 0)]),
        (ge(log(x), 0), []), (le(log(s), s), []), (ge(Sum(a(j), (j, 1, n)), 0), []),
        (Compare(s, ">=", 1), []), (ge(x**y, 0), []), (ge(k, 1), [Compare(k, ">", 0)]),
        (Iff(le(x, 1), le(x, 2)), []), (Implies(le(x, 2), le(x, 1)), []),
        (ForAll(i, 1, n, le(a(i), 2)), [ForAll(i, 1, n, le(a(i), 1))]),
        (ForAll(i, 1, n, le(a(i), 1)), [Exists(i, 1, n, le(a(i), 1))]),
        (ForAll(i, 1, m, le(a(i), 1)), [ForAll(i, 1, n, le(a(i), 1))]),
        (ge(Piecewise((x, x > 0), (-x, x > -1)), 0), []), (le(MaxOver(a(j), (j, 1, n)), a(1)), []),
    ]  # fmt: skip
    false = (partial(kernel.joint, goal, given=given) for goal, given in rows)
    true = partial(kernel.joint, le(x * z, y * z), given=[le(x, y), ge(z, 0)])
    return false, iter([true])


@family
def reversed_and_strict_facts() -> Any:
    """What a fact gives, read the wrong way round."""
    known = [
        kernel.fact(facts.EXP_INCREASES, a=x, b=y), kernel.fact(facts.LOG_INCREASES, a=s, b=s + 1),
        kernel.fact(facts.EXP_ABOVE_TANGENT, x=x), kernel.fact(facts.LOG_BELOW_TANGENT, x=s),
        kernel.fact(facts.POWER_INCREASES, a=x, b=y, p=z), kernel.fact(facts.BERNOULLI, x=x, p=z),
        kernel.fact(facts.POWER_FALLS, a=x, p=y, q=z),
    ]  # fmt: skip
    turned = {"<=": (">=", "<", ">"), ">=": ("<=", ">", "<")}
    false = [
        partial(kernel.joint, Compare(f.formula.left, sign, f.formula.right), f)
        for f in known
        for sign in turned[f.formula.sign]
    ]
    return iter(false), each(kernel.joint, (known[0].formula, known[0]))


# Certificates of inequalities ---------------------------------------------------------------------


def slope_one(low: Any, high: Any) -> SignOnInterval:
    return SignOnInterval(Integer(1), x, low, high, ">0")


@family
def certificates() -> Any:
    broken = Piecewise((x, x < 1), (x - 5, True))
    rows = [
        SumOfSquares(x**2 - 1, ((1, x),)), SumOfSquares(x**2 + y, ((1, x),), (y,)),
        SumOfSquares(x * y, ((1, x), (1, y))), SumOfSquares(-(x**2), ((-1, x),)),
        SumOfSquares(x**3, ((x, x),)), SumOfSquares(plain**2, ((1, plain),)),
        SumOfSquares((x - 1) * y, (), ((x - 1) * y,), given=(x - 1,)),
        SumOfSquares(x + vanishing(n, 9), (), (s,)), SumOfSquares(x - y, (), (x - y,)),
        SignOnInterval(x**2 - 1, x, 0, oo, ">=0"), SignOnInterval(x**2 - 1, x, 1, oo, ">0"),
        SignOnInterval(x - 1, x, -oo, 1, ">=0"), SignOnInterval((x - 1) ** 2, x, 0, 2, ">0"),
        SignOnInterval((x - 1) ** 3, x, 0, 2, ">=0"), SignOnInterval(1 - x, x, 0, 2, "<=0"),
        SignOnInterval(x * y, x, 0, 1, ">=0"), SignOnInterval(1 / x, x, -1, 1, ">=0"),
        SignOnInterval(x, x, 1, 0, ">=0"), SignOnInterval(x - sqrt(2), x, 1, 2, ">=0"),
        BoxBound(exp(x) - 2, ((x, 0, 1),)), BoxBound(x * y + TINY, ((x, -1, 1), (y, -1, 1))),
        BoxBound(x**2, ((x, -1, 1),), ">0"), BoxBound(1 / x, ((x, -1, 1),)),
        BoxBound(x + y, ((x, 0, 1),)), BoxBound(-TINY + 0 * x, ((x, 0, 1),)),
        MonotoneSign(x - 1, slope_one(0, 1), 0, ">=0"), MonotoneSign(x, slope_one(0, 1), 1, ">=0"),
        MonotoneSign(x, slope_one(0, 1), 0, "<=0"), MonotoneSign(-x, slope_one(0, 1), 0, ">=0"),
        MonotoneSign(broken, slope_one(0, 3), 0, ">=0"), MonotoneSign(x, slope_one(0, oo), oo, "<0"),
        MonotoneSign(atan(tan(x)), slope_one(0, 3), 0, ">=0"),
        MonotoneSign(x - 3 * floor(x / 2), slope_one(0, 3), 0, ">=0"),
        MonotoneSign(x**2, SignOnInterval(-2 * x, x, 0, 1, "<=0"), 0, "<=0", -1),
    ]  # fmt: skip
    true = each(kernel.certified, SumOfSquares(x**2 - 2 * x * y + y**2, ((1, x - y),)))
    return each(kernel.certified, *rows), true


@family
def certificates_for_wider_claims() -> Any:
    """A certificate on an interval concludes nothing outside it, nor a hypothesis about itself."""
    square = SignOnInterval(x**2 - 1, x, 1, oo, ">=0")
    itself = SumOfSquares(x - 1, (), (x - 1,), given=(x - 1,))
    box = BoxBound(2 - exp(x), ((x, 0, Rational(1, 2)),))
    away = MonotoneSign(x - 1 - log(x), SignOnInterval(x - 1, x, 1, oo, ">=0"), 1, ">0", x)
    rows = [
        (square, Real(x, 0, 3)), (square, Real(x, Rational(99, 100), oo)), (square, Real(x)),
        (itself, Real(x, 0, 2)), (itself, Real(x, -oo, 1)), (box, Real(x, 0, 1)), (box, Real(x, 0)),
        (away, Real(x, 1, 2)), (away, Real(x, Rational(1, 2), 2)),
    ]  # fmt: skip

    def offer(certificate: Any, variable: Real) -> Certificate:
        value = Quantity("f", lambda at: certificate.expression.subs(x, at[x]))
        formula = certificate.concludes()[0]
        claim = claim_of(Compare(value, formula.sign, 0), variable)
        unfolded = kernel.unfold(value, certificate.expression, claim.domain)
        theorem = kernel.joint(claim.statement, unfolded, kernel.certified(certificate))
        return judged(claim, theorem)

    return each(offer, *rows), each(offer, (square, Real(x, 1, 3)), (itself, Real(x, 1, 2)))


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
        partial(lambda u, v: confirmed_limit(u, k, Integer(0) + v), *row) for row in WRONG_LIMITS
    )
    true = (
        partial(lambda u, v: confirmed_limit(u, k, v), *row)
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

    direct = (lambda make=make: Certificate("proved", "m", "s", theorem=make()) for make in forged)
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
