"""How far the norm behind Gaussian matrices is from its mean: Chernoff's bound for chi-squares, factor by factor."""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import E, Expr, Integer, Max, Min, Rational, Symbol, cancel, exp, factorial, log, oo, symbols

from claims.domain import Domain
from claims.model import Claim
from claims.naitsaada2025 import concentration as claims
from claims.naitsaada2025.concentration import a, chernoff, squared_norm, t, v
from claims.naitsaada2025.notation import d, q
from claims.statement import Compare, Quantity
from proofs.calculation import algebra, replaced
from proofs.calculus.inequalities import MonotoneSign, SignOnInterval
from proofs.certificate import Certificate, Checked
from proofs.conclude import argued, conclude
from proofs.facts import BERNOULLI, CHERNOFF_OF_FACTORS, EXP_ABOVE_TANGENT, EXP_INCREASES, POWER_INCREASES
from proofs.kernel import (
    Theorem,
    assume,
    both,
    certified,
    compute,
    cut,
    discharge,
    fact,
    identity,
    induction,
    instance,
    joint,
    substitute,
    unfold,
)
from proofs.naitsaada2025.growth import below, c
from proofs.registry import proves

s, u, w, width = symbols("s u w n", positive=True)
METHOD = "Chernoff's bound for each factor; union over the factors"
SLOW = Min(s, s**2)
"""What the exponent of one factor that is off by s is, times d/8."""


@cache
def log_above() -> Theorem:
    """log(1 + s) <= s - min(s, s^2)/4: by slopes s (s - 1)/(2 (1 + s)) up to one, and then below 3/4."""
    near, far = log(1 + s) - s + s**2 / 4, log(1 + s) - log(2) - 3 * (s - 1) / 4
    shown = []
    for gap, low, high in ((near, 0, 1), (far, 1, oo)):
        slope = cancel(gap.diff(s) * 4 * (1 + s))
        sign = SignOnInterval(slope, s, low, high, "<=0")
        shown.append(certified(MonotoneSign(gap, sign, low, "<=0", 4 * (1 + s))))
    small, large = (
        discharge(theorem, Compare(s, sign, 1)) for theorem, sign in zip(shown, ("<=", ">="), strict=True)
    )
    return joint(Compare(log(1 + s), "<=", s - SLOW / 4), small, large, compute(Compare(log(2), "<=", Rational(3, 4))))


@cache
def log_below() -> Theorem:
    """log(1 + s) >= s - 3 s^2/4, by the slope s (1 + 3 s)/(2 (1 + s))."""
    gap = log(1 + s) - s + 3 * s**2 / 4
    slope = SignOnInterval(cancel(gap.diff(s) * 2 * (1 + s)), s, 0, oo, ">=0")
    return certified(MonotoneSign(gap, slope, 0, ">=0", 2 * (1 + s)))


TAIL = exp(-d * SLOW / 8)
"""How likely one factor is off by s, at most."""


def raised(logarithm: Expr, most: Expr, power: Expr, *known: Theorem) -> Theorem:
    """exp(logarithm)^power <= exp(power most) where the theorems say that logarithm <= most."""
    grown = cut(fact(EXP_INCREASES, a=logarithm, b=most), *known)
    base = exp(logarithm)
    return cut(fact(POWER_INCREASES, a=base, b=exp(most), p=power), grown, joint(Compare(base, ">=", 0)))


def smaller(less: Expr, more: Expr, *given: Compare) -> Theorem:
    """exp(less) <= exp(more)."""
    return cut(fact(EXP_INCREASES, a=less, b=more), joint(Compare(less, "<=", more), given=given))


def product_below(tail: Expr, factors: tuple[Expr, Expr], most: Expr, end: Expr, *known: Theorem) -> Theorem:
    """tail <= exp(end) from tail <= p e, p <= exp(most), e <= exp(end - most), all but the first given."""
    g, h, i, j, p = symbols("g h i j p", real=True)
    given = (
        Compare(p, "<=", g * h), Compare(g, "<=", i), Compare(h, "<=", j),
        Compare(h, ">=", 0), Compare(i, ">=", 0),
    )  # fmt: skip
    first, second = factors
    terms = {p: tail, g: first, h: second, i: exp(most), j: exp(end - most)}
    signs = joint(Compare(second, ">=", 0)), joint(Compare(exp(most), ">=", 0))
    return algebra(Compare(p, "<=", i * j), given, terms, *known, *signs)


@cache
def above_its_mean() -> Theorem:
    """P(N_q > w^q) <= exp(-d min(s, s^2)/8) for w >= (1 + s) d, at the rate y = 1 + s."""
    wide = Compare(w, ">=", (1 + s) * d)
    tail, rest = squared_norm.above(q, w**q), -(1 - 1 / (1 + s)) * q * w / 2
    bound = cut(
        fact(CHERNOFF_OF_FACTORS, tail=squared_norm.above, k=q, b=w, y=1 + s),
        joint(Compare(1 + s, ">=", 1)), joint(Compare(1 + s, ">", 0)),
    )  # fmt: skip
    most, end = q * d / 2 * (s - SLOW / 4), -q * d * SLOW / 8
    power = raised(log(1 + s), s - SLOW / 4, q * d / 2, log_above())
    tilted = smaller(rest, end - most, wide)
    found = product_below(tail, ((1 + s) ** (q * d / 2), exp(rest)), most, end, bound, power, tilted)
    fewer = smaller(end, -d * SLOW / 8, Compare(q, ">=", 1))
    return joint(Compare(tail, "<=", TAIL), found, fewer)


@cache
def below_its_mean() -> Theorem:
    """P(N_q < c) <= q exp(-d min(s, s^2)/8) for (1 + s)^q = 1 + u and c <= max(0, 1 - u) d^q.

    By Bernoulli's inequality, twice, 1 - u <= (1 - s)^q for s <= 1, with the rate y = 1/(1 + s); beyond, u >= 1,
    with y = e^(-s/4).
    """
    split = Compare((1 + s) ** q, "=", 1 + u)
    low = Compare(c, "<=", Max(0, 1 - u) * d**q)
    goal = Compare(squared_norm.below(q, c), "<=", q * TAIL)
    grows = fact(BERNOULLI, x=s, p=q)
    near, far = Compare(s, "<=", 1), Compare(s, ">", 1)

    chance, one = squared_norm.below(q, c), Compare(q, ">=", 1)
    rest, end = d * s * (1 - s) / 2, -d * s**2 / 8
    single = cut(
        below(squared_norm, q, c, (1 - s) * d, 1 / (1 + s)),
        joint(Compare(1 / (1 + s), "<=", 1)),
        joint(Compare(d * (1 - s), ">=", 0), given=(near,)),
    )  # fmt: skip
    slower = joint(Compare(-log(1 + s), "<=", -s + 3 * s**2 / 4), log_below())
    power = raised(-log(1 + s), -s + 3 * s**2 / 4, d / 2, slower)
    falls = cut(fact(BERNOULLI, x=-s, p=q), joint(Compare(-s, ">=", -1), given=(near,)))
    least = joint(
        Compare(Max(0, 1 - u) * d**q, "<=", (1 - s) ** q * d**q),
        falls, grows, fact(POWER_INCREASES, a=Integer(0), b=1 - s, p=q), given=(split, near),
    )
    split_level = identity(((1 - s) * d) ** q, (1 - s) ** q * d**q)
    first, second = (1 + s) ** (-d / 2), exp(rest)
    reached = joint(Compare(chance, "<=", q * first * second), single, least, split_level, given=(low,))
    whole = joint(Compare(first * second, "<=", first * second))
    bounded = product_below(
        first * second, (first, second), end - rest, end, whole, power, smaller(rest, rest)
    )
    small = discharge(joint(goal, reached, bounded, smaller(end, -d * SLOW / 8), given=(near, one)), near)
    unlikely = cut(
        below(squared_norm, q, c, Integer(0), exp(-s / 4)),
        smaller(-s / 4, Integer(0)),
    )
    none = joint(Compare(c, "<=", 0), grows, given=(split, far, low, one))
    large = discharge(joint(goal, unlikely, none, smaller(-d * s / 8, -d * SLOW / 8), given=(one,)), far)
    return joint(goal, small, large)


def share(deviation: Expr) -> Expr:
    """By how much each factor deviates: (1 + s)^q = 1 + u."""
    return (1 + deviation) ** (1 / q) - 1


@cache
def share_is_positive() -> Theorem:
    """s > 0 for u > 0, or else 1 + u = (1 + s)^q <= 1."""
    base = 1 + share(u)
    small = Compare(base, "<=", 1)
    power = fact(POWER_INCREASES, a=base, b=Integer(1), p=q)
    known = cut(power, joint(Compare(base, ">=", 0)), joint(Compare(q, ">=", 0)))
    return joint(Compare(share(u), ">", 0), discharge(known, small))


def deviates(quantity: Quantity, deviation: Expr, power: int, domain: Domain) -> Theorem:
    """P(|s - 1| >= t) <= 2 q exp(-d min(s, s^2)/8) for s^power the squared norm over d^q, and a deviation u
    with (1 + t)^power >= 1 + u and (1 - t)^power <= 1 - u for t <= 1."""
    own, wide, most = share(deviation), d * (1 + t) ** (power / q), chernoff(deviation)
    up, down = (1 + t) ** power * d**q, Max(0, 1 - t) ** power * d**q
    positive = substitute(share_is_positive(), {u: deviation})
    further = cut(
        fact(POWER_INCREASES, a=1 + deviation, b=(1 + t) ** power, p=1 / q),
        joint(Compare(1 + deviation, "<=", (1 + t) ** power) & Compare(1 + deviation, ">=", 0)),
        joint(Compare(1 / q, ">=", 0)),
    )
    reach = joint(Compare(wide, ">=", d * (1 + own)), further)
    far = cut(substitute(above_its_mean(), {s: own, w: wide}), reach, positive)
    level = replaced(squared_norm.above(q, c), c, identity(wide**q, up))
    low = joint(Compare(down, "<=", Max(0, 1 - deviation) * d**q))
    near = cut(substitute(below_its_mean(), {s: own, u: deviation, c: down}), low, positive)
    read = unfold(quantity, squared_norm.above(q, up) + squared_norm.below(q, down), domain)
    return joint(Compare(quantity, "<=", most), read, level, far, near, given=(Compare(q, ">=", 1),))


OFF = ((claims.off_square, t, 1), (claims.off_norm, Max(t, t**2), 2))
"""Each chance with the deviation of the square that it asks for."""
BOUNDED = claims.product_of_chi_squares_deviates_at_rate_d.domain


@proves(claims.tail_of_the_norm_behind_gaussian_matrices)
def by_chernoff(claim: Claim) -> Certificate:
    """One factor must deviate by s, (1 + s)^q = 1 + t; a norm by t only if its square by max(t, t^2)."""
    return conclude(claim, both(*(deviates(*off, BOUNDED) for off in OFF)), method=METHOD)


n = Symbol("n", integer=True, positive=True)
z = Symbol("z", positive=True)


@cache
def factorial_above() -> Theorem:
    """n! >= (n/e)^n for n >= 1, by induction: (1 + 1/n)^n <= e."""
    here = Compare(n**n * exp(-n), "<=", factorial(n))
    tangent = fact(EXP_ABOVE_TANGENT, x=1 / n)
    power = cut(fact(POWER_INCREASES, a=1 + 1 / n, b=exp(1 / n), p=n), tangent)
    ratio = identity((n + 1) ** n, (1 + 1 / n) ** n * n**n)
    following = identity(factorial(n + 1), (n + 1) * factorial(n))
    e, f, g, h, i, j, x, y = symbols("e f g h i j x y", positive=True)
    given = (
        Compare(e, "<=", x), Compare(x * y, "=", 1), Compare(f, "=", e * g), Compare(g * h, "<=", j),
    )  # fmt: skip
    steps = Compare((i + 1) * f * h * y, "<=", (i + 1) * j)
    terms = {
        e: (1 + 1 / n) ** n, f: (n + 1) ** n, g: n**n, h: exp(-n), i: n, j: factorial(n), x: E,
        y: exp(-1),
    }  # fmt: skip
    grown = algebra(steps, given, terms, power, ratio, assume(here))
    step = joint(here.substitute({n: n + 1}), grown, following)
    start = joint(here.substitute({n: Integer(1)}), compute(Compare(1 / E, "<=", 1)))
    return induction(start, step, n, 1)


@cache
def decays() -> Theorem:
    """exp(-d z) <= a!/(d z)^a: e^x >= x^a/a!, by the tangent of e^(x/a) at one, and a! >= (a/e)^a."""
    x = d * z
    tangent, positive = fact(EXP_ABOVE_TANGENT, x=x / a - 1), compute(Compare(E, ">", 0))
    power = fact(POWER_INCREASES, a=E * x / a, b=exp(x / a), p=a)
    e, f, g, h = symbols("e f g h", positive=True)
    given = Compare(g * h, ">=", f), Compare(e * h, "=", 1)
    terms = {e: E, f: x / a, g: exp(x / a), h: exp(-1)}
    base = algebra(Compare(e * f, "<=", g) & Compare(e * f, ">=", 0), given, terms, tangent, positive)
    power = cut(
        fact(POWER_INCREASES, a=E * x / a, b=exp(x / a), p=a), base,
    )  # fmt: skip
    whole = identity((E * x / a) ** a * (a**a * exp(-a)), z**a * d**a)
    least = instance(factorial_above(), a)
    i, j, k, y = symbols("i j k y", positive=True)
    given = (
        Compare(e, "<=", f), Compare(g, "<=", h), Compare(e * g, "=", i * j), Compare(f * y, "=", 1),
    )  # fmt: skip
    terms = {
        e: (E * x / a) ** a, f: exp(x), g: a**a * exp(-a), h: factorial(a), i: z**a, j: d**a, y: exp(-x),
    }  # fmt: skip
    return algebra(Compare(y, "<=", h / i / j), given, terms, power, whole, least)


@proves(claims.norm_concentrates_with_overwhelming_probability)
def by_chernoff_for_every_power(claim: Claim) -> Certificate:
    """The same bound, and e^-x <= a!/x^a."""
    domain = claims.norm_concentrates_with_overwhelming_probability.domain
    quantity, deviation, power = OFF[1]
    bounded = deviates(quantity, deviation, power, domain)
    positive = substitute(share_is_positive(), {u: deviation})
    slow = claims.slowness(deviation)
    rate = cut(substitute(decays(), {z: slow}), joint(Compare(slow, ">", 0), positive))
    end = 2 * q * rate.formula.right
    theorem = joint(Compare(quantity, "<=", end), bounded, rate, given=(Compare(q, ">=", 1),))
    return conclude(claim, theorem, method=f"{METHOD}; $e^x\\ge x^a/a!$")


SUB_WEIBULL = claims.norm_is_sub_weibull.domain


@cache
def sub_weibull() -> Theorem:
    """P(N_q > (d w)^q) <= 2 e^(-3 w/8) at the rate 1/y = 1 - 3/(4 q d): y^(q d) <= 4 by Bernoulli's inequality."""
    x = Symbol("x", positive=True)
    many, rate = q * d, Compare(x, "=", 1 - 3 / (4 * q * d))
    sizes = Compare(q, ">=", 1), Compare(d, ">=", 1)
    bound = cut(
        fact(CHERNOFF_OF_FACTORS, tail=squared_norm.above, k=q, b=d * w, y=1 / x),
        joint(Compare(1 / x, ">=", 1), given=(rate,)),
    )  # fmt: skip
    several = joint(Compare(many, ">=", 1), given=sizes)
    raised_to = cut(
        fact(BERNOULLI, x=x - 1, p=many), joint(Compare(x - 1, ">=", -1)), several
    )
    quarter = joint(Compare(x**many, ">=", Rational(1, 4)), raised_to, several, given=(rate,))
    half = cut(
        fact(POWER_INCREASES, a=Rational(1, 4), b=x**many, p=Rational(1, 2)), quarter
    )
    e, f, g, h, i = symbols("e f g h i", nonnegative=True)
    chance = Symbol("P", real=True)
    given = (
        Compare(chance, "<=", f * h), Compare(f * g, "=", 1), Compare(g, ">=", Rational(1, 2)), Compare(h, "<=", i),
    )  # fmt: skip
    tail, rest, end = squared_norm.above(q, (d * w) ** q), -(1 - x) * many * w / 2, -3 * w / 8
    exponent = algebra(
        Compare(-(1 - e) * f * g / 2, "<=", -3 * g / 8), (Compare((1 - e) * f, "=", Rational(3, 4)),),
        {e: x, f: many, g: w}, joint(Compare((1 - x) * many, "=", Rational(3, 4)), given=(rate,)),
    )  # fmt: skip
    tilted = cut(fact(EXP_INCREASES, a=rest, b=end), exponent)
    power = x ** (many / 2)
    terms = {chance: tail, f: 1 / power, g: power, h: exp(rest), i: exp(end)}
    found = algebra(Compare(chance, "<=", 2 * i), given, terms, bound, half, tilted)
    least = joint(Compare(1 - 3 / (4 * many), ">", 0), given=sizes)
    return cut(substitute(found, {x: 1 - 3 / (4 * many)}), least)


@proves(claims.norm_is_sub_weibull)
def by_the_mean_of_the_squares(claim: Claim) -> Certificate:
    """s >= d^(q/2) v only if the sum of the q chi-squares is at least q d v^(2/q)."""
    level, root = v**2 * d**q, v ** (2 / q)
    bound = substitute(sub_weibull(), {w: root})
    same = replaced(squared_norm.above(q, c), c, identity((d * root) ** q, level))
    read = unfold(claims.upper_tail, squared_norm.above(q, level), SUB_WEIBULL)
    theorem = joint(Compare(claims.upper_tail, "<=", bound.formula.right), read, same, bound)
    return conclude(claim, theorem, method="means of squares; Chernoff's bound")
