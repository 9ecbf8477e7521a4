"""Chances that growth behind Gaussian matrices is far from its mean: Chernoff's bound for every factor."""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Integer, Symbol, exp, oo

from claims.gaussian_growth import Growth
from claims.statement import Compare
from proofs.facts import CHERNOFF_OF_FACTORS, UNION
from proofs.kernel import (
    Theorem,
    assume,
    cut,
    discharge,
    fact,
    generalise,
    induction,
    instance,
    joint,
    part,
    substitute,
)

WHERE = r"$N_k=R_1\cdots R_k$ is the growth behind $k$ Gaussian matrices"
b = Symbol("b", nonnegative=True)
y = Symbol("y", positive=True)
c = Symbol("c", real=True)
k = Symbol("k", integer=True, nonnegative=True)
f = Symbol("f", integer=True, positive=True)


RATE = y ** (f / 2) * exp(-(1 - 1 / y) * b / 2)
"""Chernoff's bound for one factor of f degrees and the level b."""


def _one_more(of: Growth, level: Any, *given: Compare) -> Theorem:
    """P(N_(k+1) < level) <= P(N_k < b^k) + rate, for a level up to b^(k+1) and y <= 1."""
    union = part(fact(UNION, tail=of.below, d=f, k=k, a=b**k, b=b, c=level), 1)
    single = fact(CHERNOFF_OF_FACTORS, tail=of.factor, d=f, k=k + 1, b=b, y=y)
    goal = Compare(of.below(f, k + 1, level), "<=", of.below(f, k, b**k) + RATE)
    both_known = joint(goal, union, single)
    small = joint(Compare(level, "<=", b**k * b), given=given)
    return cut(both_known, small, instance(_not_negative(), k))


@cache
def _not_negative() -> Theorem:
    """For all k: b^k >= 0."""
    here = Compare(b**k, ">=", 0)
    step = joint(here.substitute({k: k + 1}), assume(here))
    return induction(joint(here.substitute({k: Integer(0)})), step, k)


@cache
def powers(of: Growth) -> Theorem:
    """For all k >= 0: P(N_k < b^k) <= k rate, for y <= 1."""
    here = Compare(of.below(f, k, b**k), "<=", k * RATE)
    zero = Integer(0)
    empty = cut(part(fact(UNION, tail=of.below, d=f, k=zero, a=zero, b=zero, c=zero), 0))
    start = joint(here.substitute({k: zero}), empty)
    step = joint(here.substitute({k: k + 1}), _one_more(of, b ** (k + 1)), assume(here))
    return induction(start, step, k)


@cache
def rarely_below(of: Growth) -> Theorem:
    """For all k >= 0 and c <= b^(k+1): P(N_(k+1) < c) <= (k + 1) rate, for y <= 1."""
    low = Compare(c, "<=", b ** (k + 1))
    goal = Compare(of.below(f, k + 1, c), "<=", (k + 1) * RATE)
    found = joint(goal, _one_more(of, c, low), instance(powers(of), k))
    return generalise(discharge(found, low), k, 0, oo)


def below(of: Growth, freedom: Any, count: Any, level: Any, each: Any, tilt: Any) -> Theorem:
    """level <= each^count => P(N_count < level) <= count rate, with `each` for b and `tilt` for y."""
    there = instance(rarely_below(of), count - 1)
    return substitute(there, {f: freedom, b: each, y: tilt, c: level})
