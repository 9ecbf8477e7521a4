"""How far the norm behind Gaussian matrices is from its mean: Chernoff's bound, factor by factor."""

from __future__ import annotations

from functools import cache

from sympy import Abs, Expr, Integer, Max, Rational, Symbol, exp, log, symbols

from claims.domain import Domain
from claims.model import Claim
from claims.naitsaada2025 import concentration as claims
from claims.naitsaada2025 import triangle
from claims.naitsaada2025.concentration import chernoff, squared_norm, t, v
from claims.naitsaada2025.notation import d, q
from claims.statement import Compare, Quantity
from proofs.calculation import algebra, replaced
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.facts import BERNOULLI, CHERNOFF_OF_FACTORS, EXP_INCREASES, POWER_INCREASES
from proofs.kernel import (
    Theorem,
    both,
    cut,
    discharge,
    fact,
    identity,
    joint,
    substitute,
    unfold,
)
from proofs.naitsaada2025.exponentials import (
    SLOW,
    as_one,
    decays,
    log_above,
    log_below,
    raised,
    s,
    smaller,
    z,
)
from proofs.naitsaada2025.growth import WHERE, below, c
from proofs.naitsaada2025.triangle import between_difference_and_sum
from proofs.registry import proves

u, w = symbols("u w", positive=True)
METHOD = f"Chernoff's bound for each factor; union over the factors; {WHERE}"
TAIL = exp(-d * SLOW / 8)
"""How likely one factor is off by s, at most."""


@cache
def above_its_mean() -> Theorem:
    """P(N_q > w^q) <= exp(-d min(s, s^2)/8) for w >= (1 + s) d, at the rate y = 1 + s."""
    wide = Compare(w, ">=", (1 + s) * d)
    tail, rest = squared_norm.above(d, q, w**q), -(1 - 1 / (1 + s)) * q * w / 2
    bound = cut(
        fact(CHERNOFF_OF_FACTORS, tail=squared_norm.above, d=d, k=q, b=w, y=1 + s),
        joint(Compare(1 + s, ">=", 1)), joint(Compare(1 + s, ">", 0)),
    )  # fmt: skip
    most, end = q * d / 2 * (s - SLOW / 4), -q * d * SLOW / 8
    power = raised(log(1 + s), s - SLOW / 4, q * d / 2, log_above())
    tilted = smaller(rest, end - most, wide)
    found = as_one(tail, ((1 + s) ** (q * d / 2), exp(rest)), most, end, bound, power, tilted)
    fewer = smaller(end, -d * SLOW / 8, Compare(q, ">=", 1))
    return joint(Compare(tail, "<=", TAIL), found, fewer)


@cache
def below_its_mean() -> Theorem:
    """P(N_q < c) <= q exp(-d min(s, s^2)/8) for (1 + s)^q = 1 + u and c <= max(0, 1 - u) d^q.

    By Bernoulli's inequality, twice, 1 - u <= (1 - s)^q for s <= 1, where y = 1/(1 + s); beyond, u >= 1, and
    y = e^(-s/4).
    """
    split = Compare((1 + s) ** q, "=", 1 + u)
    low = Compare(c, "<=", Max(0, 1 - u) * d**q)
    goal = Compare(squared_norm.below(d, q, c), "<=", q * TAIL)
    near, far, one = Compare(s, "<=", 1), Compare(s, ">", 1), Compare(q, ">=", 1)
    grows = fact(BERNOULLI, x=s, p=q)
    rest, end = d * s * (1 - s) / 2, -d * s**2 / 8
    single = cut(
        below(squared_norm, d, q, c, (1 - s) * d, 1 / (1 + s)),
        joint(Compare(1 / (1 + s), "<=", 1)),
        joint(Compare(d * (1 - s), ">=", 0), given=(near,)),
    )  # fmt: skip
    slower = joint(Compare(-log(1 + s), "<=", -s + 3 * s**2 / 4), log_below())
    power = raised(-log(1 + s), -s + 3 * s**2 / 4, d / 2, slower)
    falls = cut(fact(BERNOULLI, x=-s, p=q), joint(Compare(-s, ">=", -1), given=(near,)))
    least = joint(
        Compare(Max(0, 1 - u) * d**q, "<=", (1 - s) ** q * d**q),
        falls,
        grows,
        fact(POWER_INCREASES, a=Integer(0), b=1 - s, p=q),
        given=(split, near),
    )
    split_level = identity(((1 - s) * d) ** q, (1 - s) ** q * d**q)
    first, second = (1 + s) ** (-d / 2), exp(rest)
    reached = joint(
        Compare(goal.left, "<=", q * first * second), single, least, split_level, given=(low,)
    )
    whole = joint(Compare(first * second, "<=", first * second))
    bounded = as_one(
        first * second, (first, second), end - rest, end, whole, power, smaller(rest, rest)
    )
    small = discharge(
        joint(goal, reached, bounded, smaller(end, -d * SLOW / 8), given=(near, one)), near
    )
    unlikely = cut(
        below(squared_norm, d, q, c, Integer(0), exp(-s / 4)),
        smaller(-s / 4, Integer(0)),
    )
    none = joint(Compare(c, "<=", 0), grows, given=(split, far, low, one))
    large = discharge(
        joint(goal, unlikely, none, smaller(-d * s / 8, -d * SLOW / 8), given=(one,)), far
    )
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
    """P(|r - 1| >= t) <= 2 q exp(-d min(s, s^2)/8) for r^power = N_q/d^q and (1 + s)^q = 1 + u, where
    (1 + t)^power >= 1 + u and max(0, 1 - t)^power <= max(0, 1 - u)."""
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
    level = replaced(squared_norm.above(d, q, c), c, identity(wide**q, up))
    low = joint(Compare(down, "<=", Max(0, 1 - deviation) * d**q))
    near = cut(substitute(below_its_mean(), {s: own, u: deviation, c: down}), low, positive)
    read = unfold(quantity, squared_norm.above(d, q, up) + squared_norm.below(d, q, down), domain)
    return joint(
        Compare(quantity, "<=", most), read, level, far, near, given=(Compare(q, ">=", 1),)
    )


OFF = ((claims.off_square, t, 1), (claims.off_norm, Max(t, t**2), 2))
"""Each chance with the deviation of the square that it asks for."""
BOUNDED = claims.product_of_chi_squares_deviates_at_rate_d.domain


@proves(claims.tail_of_the_norm_behind_gaussian_matrices)
def by_chernoff(claim: Claim) -> Certificate:
    """One factor must deviate by s, (1 + s)^q = 1 + t; a norm by t only if its square by max(t, t^2)."""
    return conclude(claim, both(*(deviates(*off, BOUNDED) for off in OFF)), method=METHOD)


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
    """P(N_q > (d w)^q) <= 2 e^(-3 w/8) at 1/y = 1 - 3/(4 q d): y^(q d) <= 4 by Bernoulli's inequality."""
    x = Symbol("x", positive=True)
    many, rate = q * d, Compare(x, "=", 1 - 3 / (4 * q * d))
    sizes = Compare(q, ">=", 1), Compare(d, ">=", 1)
    bound = cut(
        fact(CHERNOFF_OF_FACTORS, tail=squared_norm.above, d=d, k=q, b=d * w, y=1 / x),
        joint(Compare(1 / x, ">=", 1), given=(rate,)),
    )  # fmt: skip
    several = joint(Compare(many, ">=", 1), given=sizes)
    raised_to = cut(fact(BERNOULLI, x=x - 1, p=many), joint(Compare(x - 1, ">=", -1)), several)
    quarter = joint(Compare(x**many, ">=", Rational(1, 4)), raised_to, several, given=(rate,))
    half = cut(fact(POWER_INCREASES, a=Rational(1, 4), b=x**many, p=Rational(1, 2)), quarter)
    e, f, g, h, i = symbols("e f g h i", nonnegative=True)
    chance = Symbol("P", real=True)
    given = (
        Compare(chance, "<=", f * h), Compare(f * g, "=", 1), Compare(g, ">=", Rational(1, 2)),
        Compare(h, "<=", i),
    )  # fmt: skip
    tail, rest, end = squared_norm.above(d, q, (d * w) ** q), -(1 - x) * many * w / 2, -3 * w / 8
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
    same = replaced(squared_norm.above(d, q, c), c, identity((d * root) ** q, level))
    read = unfold(claims.upper_tail, squared_norm.above(d, q, level), SUB_WEIBULL)
    theorem = joint(Compare(claims.upper_tail, "<=", bound.formula.right), read, same, bound)
    return conclude(claim, theorem, method=f"means of squares; Chernoff's bound; {WHERE}")


def far_or_spilled() -> Theorem:
    """s_1(AW)/d^(q/2) is off by t + epsilon only if that of the mean is by t, or s_1(A^perp W) is large."""
    x, y, z = symbols("x y z", real=True)
    scale, epsilon = Symbol("scale", positive=True), claims.epsilon
    mean, rest = Compare(Abs(y / scale - 1), ">=", t), Compare(z, ">=", epsilon * scale)
    goal = Compare(Abs(x / scale - 1), ">=", t + epsilon).implies(mean | rest)
    given = Compare(Abs(y - z), "<=", x), Compare(x, "<=", y + z)
    norms = {x: triangle.of_product, y: triangle.of_mean, z: triangle.of_rest}
    return algebra(goal, given, {**norms, scale: d ** (q / 2)}, between_difference_and_sum())


@proves(claims.probability_that_attention_keeps_the_norm)
def by_the_triangle_inequality(claim: Claim) -> Certificate:
    """|s_1(AW) - s_1(phi phi^T W)| <= s_1(A^perp W) for every outcome, and Lemma A.2 for the first part."""
    theorem = both(far_or_spilled(), deviates(*OFF[1], BOUNDED))
    return conclude(claim, theorem, method=f"triangle inequality for the operator norm; {METHOD}")
