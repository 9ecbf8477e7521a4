"""Logarithms, powers and exponentials that Chernoff's bounds for chi-squares come to."""

from __future__ import annotations

from functools import cache

from sympy import E, Expr, Integer, Min, Rational, Symbol, cancel, exp, factorial, log, oo, symbols

from claims.naitsaada2025.concentration import a
from claims.naitsaada2025.notation import d
from claims.statement import Compare
from proofs.calculation import algebra
from proofs.calculus.curves import MonotoneSign
from proofs.calculus.inequalities import SignOnInterval
from proofs.facts import EXP_ABOVE_TANGENT, EXP_INCREASES, POWER_INCREASES
from proofs.kernel import (
    Theorem,
    assume,
    certified,
    compute,
    cut,
    discharge,
    fact,
    identity,
    induction,
    instance,
    joint,
)

s, z = symbols("s z", positive=True)
n = Symbol("n", integer=True, positive=True)
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
        discharge(theorem, Compare(s, sign, 1))
        for theorem, sign in zip(shown, ("<=", ">="), strict=True)
    )
    return joint(
        Compare(log(1 + s), "<=", s - SLOW / 4),
        small,
        large,
        compute(Compare(log(2), "<=", Rational(3, 4))),
    )


@cache
def log_below() -> Theorem:
    """log(1 + s) >= s - 3 s^2/4, by the slope s (1 + 3 s)/(2 (1 + s))."""
    gap = log(1 + s) - s + 3 * s**2 / 4
    slope = SignOnInterval(cancel(gap.diff(s) * 2 * (1 + s)), s, 0, oo, ">=0")
    return certified(MonotoneSign(gap, slope, 0, ">=0", 2 * (1 + s)))


def raised(logarithm: Expr, most: Expr, power: Expr, *known: Theorem) -> Theorem:
    """exp(logarithm)^power <= exp(power most) where the theorems say that logarithm <= most."""
    grown = cut(fact(EXP_INCREASES, a=logarithm, b=most), *known)
    base = exp(logarithm)
    return cut(
        fact(POWER_INCREASES, a=base, b=exp(most), p=power), grown, joint(Compare(base, ">=", 0))
    )


def smaller(less: Expr, more: Expr, *given: Compare) -> Theorem:
    """exp(less) <= exp(more)."""
    return cut(fact(EXP_INCREASES, a=less, b=more), joint(Compare(less, "<=", more), given=given))


def as_one(
    tail: Expr, factors: tuple[Expr, Expr], most: Expr, end: Expr, *known: Theorem
) -> Theorem:
    """tail <= exp(end) where the theorems say tail <= p e, p <= exp(most) and e <= exp(end - most)."""
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
    e, f, g, h, i, j, y = symbols("e f g h i j y", positive=True)
    given = Compare(g * h, ">=", f), Compare(e * h, "=", 1)
    terms = {e: E, f: x / a, g: exp(x / a), h: exp(-1)}
    base = algebra(
        Compare(e * f, "<=", g) & Compare(e * f, ">=", 0), given, terms, tangent, positive
    )
    power = cut(fact(POWER_INCREASES, a=E * x / a, b=exp(x / a), p=a), base)
    whole = identity((E * x / a) ** a * (a**a * exp(-a)), z**a * d**a)
    least = instance(factorial_above(), a)
    bounds = Compare(e, "<=", f), Compare(g, "<=", h)
    products = Compare(e * g, "=", i * j), Compare(f * y, "=", 1)
    terms = {
        e: (E * x / a) ** a, f: exp(x), g: a**a * exp(-a), h: factorial(a), i: z**a, j: d**a, y: exp(-x),
    }  # fmt: skip
    goal = Compare(y, "<=", h / i / j)
    return algebra(goal, (*bounds, *products), terms, power, whole, least)
