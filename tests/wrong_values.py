"""False values, false algebra, false arithmetic and false inequalities."""

from __future__ import annotations

from functools import partial
from math import prod
from typing import Any

from sympy import (
    Abs,
    Expr,
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
    tan,
)  # fmt: skip
from wrong_certificates import (
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
    plain,
    s,
    t,
    x,
    y,
    z,
)

from claims.domain import Domain, Real, Size
from claims.statement import (
    Compare,
    Exists,
    ForAll,
    Formula,
    Iff,
    Implies,
    Quantity,
)  # fmt: skip
from claims.terms import MaxOver
from proofs import facts, kernel
from proofs.calculus.curves import MonotoneSign
from proofs.calculus.inequalities import BoxBound, SignOnInterval, SumOfSquares
from proofs.certificate import Certificate
from proofs.kernel import Theorem

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
