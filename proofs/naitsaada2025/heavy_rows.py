"""How likely one of many Pareto variables is large."""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Rational, Symbol, exp, oo, symbols

from claims.model import Claim
from claims.naitsaada2025 import heavy_rows as claims
from claims.naitsaada2025 import rank_collapse
from claims.naitsaada2025.heavy_rows import C, a, delta
from claims.naitsaada2025.notation import T
from claims.statement import Compare
from proofs.calculation import algebra
from proofs.calculus.curves import MonotoneSign
from proofs.calculus.inequalities import BoxBound
from proofs.certificate import Certificate
from proofs.conclude import at_every_choice, conclude
from proofs.facts import EXP_ABOVE_TANGENT, POWER_FALLS, POWER_INCREASES
from proofs.kernel import (
    Theorem,
    assume,
    both,
    certified,
    cut,
    fact,
    joint,
    substitute,
    unfold,
    within,
    words,
)  # fmt: skip
from proofs.naitsaada2025.far_out import at_a_size_beyond, opposite_at_size, size
from proofs.registry import proves

DOMAIN = claims.one_entry_keeps_the_rank_with_polynomial_probability.domain


level, count = Symbol("y", positive=True), Symbol("n", real=True)
ONE = level ** (-(4 + delta))
"""That a variable is above a level."""


@cache
def falls_with_the_index(low: Any, high: Any) -> Theorem:
    """y^-high <= y^-low."""
    share = joint(Compare(1 / level, "<=", 1), given=[Compare(level, ">=", 1)])
    return cut(fact(POWER_FALLS, a=1 / level, p=low, q=high), share)


@cache
def one_of_many() -> Theorem:
    """(1 - x)^n <= e^(-nx) <= 1 - nx/4 where 0 <= n <= y^2, so that n x <= 1."""
    y = Symbol("s", real=True)
    slope = BoxBound(exp(-y) - Rational(1, 4), ((y, 0, 1),))
    convex = certified(MonotoneSign(1 - y / 4 - exp(-y), slope, 0, ">=0"))
    small = cut(falls_with_the_index(2, 4 + delta), joint(Compare(2, "<=", 4 + delta)))
    some, few = Compare(count, ">=", 0), Compare(count, "<=", level**2)
    tangent = fact(EXP_ABOVE_TANGENT, x=-ONE)
    power = fact(POWER_INCREASES, a=1 - ONE, b=exp(-ONE), p=count)
    ends = [
        joint(Compare(0, "<=", count * ONE), given=[some]),
        joint(Compare(count * ONE, "<=", 1), small, given=[some, few]),
        joint(Compare(1 - ONE, ">=", 0), small, given=[Compare(level, ">=", 1)]),
        joint(Compare(1 - ONE, "<=", exp(-ONE)), tangent),
    ]
    many = cut(substitute(convex, {y: count * ONE}), *ends)
    goal = Compare(1 - (1 - ONE) ** count, ">=", count * ONE / 4)
    return joint(goal, cut(power, *ends), many)


def one_of_many_is_large(tokens: Any, known: Theorem) -> Theorem:
    """P(max Z > 4T) >= T^2 (4T)^(-4-delta)/4, where its value is known and T >= 1."""
    some = joint(Compare(tokens, ">=", 1), known, given=[Compare(tokens, ">=", 12)])
    many = cut(
        substitute(one_of_many(), {level: 4 * tokens, count: tokens**2}),
        *(joint(f, some) for f in (
            Compare(4 * tokens, ">", 0), Compare(4 * tokens, ">=", 1), Compare(tokens**2, ">=", 0),
            Compare(tokens**2, "<=", (4 * tokens) ** 2),
        )),
    )  # fmt: skip
    goal = Compare(known.formula.left, ">=", many.formula.right)  # type: ignore[attr-defined]
    return joint(goal, known, many)


def value(heavy: Any, tokens: Any, *where: Any) -> Theorem:
    """1 - (1 - x)^(T^2), the definition."""
    return unfold(heavy, 1 - (1 - (4 * tokens) ** (-(4 + delta))) ** tokens**2, *where)


def at_every_constant(claim: Claim) -> Theorem:
    """t^2 (4t)^(-5)/4 > 2C/t^7 for t > 8192 C: for indices up to five and seventh powers or more."""
    known = value(claims.heavy_at(size), size, claim.domain, ((size, 12, oo),))
    some = joint(Compare(size, ">=", 1), given=[Compare(size, ">=", 12)])
    wide, positive = joint(Compare(4 * size, ">=", 1), some), joint(Compare(size, ">", 0), some)
    light = cut(
        substitute(falls_with_the_index(4 + delta, 5), {level: 4 * size}), wide,
        joint(Compare(4 * size, ">", 0), some),
        joint(Compare(4 + delta, "<=", 5), given=[Compare(delta, "<=", 1)]),
    )  # fmt: skip
    steep = cut(
        substitute(falls_with_the_index(7, a), {level: size}), some, positive,
        assume(Compare(7, "<=", a)),
    )  # fmt: skip
    constant = Compare(C, ">", 0)
    long = joint(
        Compare(size**4, ">", 8192 * C), joint(Compare(size**4, ">=", size), some),
        given=[Compare(size, ">", 8192 * C)],
    )  # fmt: skip
    least = joint(Compare(2 * C / size**7, "<", size**2 / (4 * size) ** 5 / 4), long, some)
    u, v, w = symbols("u v w", real=True)
    heavy = algebra(
        Compare(w * u / 4, "<=", w * v / 4), (Compare(u, "<=", v), Compare(w, ">=", 0)),
        {u: (4 * size) ** -5, v: (4 * size) ** (-(4 + delta)), w: size**2},
        light, joint(Compare(size**2, ">=", 0)),
    )  # fmt: skip
    order = algebra(
        Compare(2 * w * u, "<=", 2 * w * v), (Compare(u, "<=", v), Compare(w, ">", 0)),
        {u: size**-a, v: size**-7, w: C}, steep,
    )  # fmt: skip
    above = joint(
        Compare(2 * C * size**-a, "<", one_of_many_is_large(size, known).formula.right),
        heavy, order, least,
    )  # fmt: skip
    fails = joint(opposite_at_size(claim), one_of_many_is_large(size, known), above)
    none = joint(Compare(8192 * C, ">=", 0), given=[constant])
    return at_a_size_beyond(8192 * C, none, claim, fails, [constant])


@proves(
    claims.collapse_is_overwhelming_under_a_fourth_moment,
    rank_collapse.collapse_in_width_at_every_depth,
)
def by_one_large_entry(claim: Claim) -> Certificate:
    """The entry's probability is derived; what it does to the stable rank is argued, and measured."""
    text = (
        "its row has more than half of its weight on one token, so that the row and the mean of the "
        "others span two directions of comparable share"
    )
    keeps = words(claims.kept.at_least(Rational(1, 2)), text, within(DOMAIN))
    method = "probability of the largest of independent variables"
    large = one_of_many_is_large(T, value(claims.heavy, T, DOMAIN))
    return at_every_choice(
        conclude(claim, both(large, keeps), method=method), claim, at_every_constant
    )
