r"""From the recursion of the cosine gap to its rate: the last steps of App. C.1.1 and App. D.

With q = N eps^{2r} the gap at v + m r is at most (1 - q)^m for v >= t_0.  From layer t one counts
n = floor((t - t_0)/r) periods back, to v = t - n r, and n is at least (t - t_0)/r - 1.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from sympy import Integer, Symbol, floor, symbols

from claims.model import Claim
from claims.statement import Compare
from claims.wu2024 import recursions as claims
from claims.wu2024.cosines import t0
from claims.wu2024.notation import N, epsilon, k, r, t
from claims.wu2024.recursions import RECURSION, gap
from proofs.calculation import algebra, one_power_less, power_falls, replaced
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.facts import INTEGER_PART
from proofs.kernel import (
    Theorem,
    assume,
    both,
    cut,
    discharge,
    fact,
    instance,
    joint,
    part,
    substitute,
)
from proofs.registry import proves
from proofs.wu2024.spherical import to_last_layer

within_two, within_one, shrinks = (part(assume(RECURSION.formula), n) for n in range(3))  # type: ignore[arg-type]
FACTOR = 1 - N * epsilon ** (2 * r)
base = Symbol("b", positive=True)
"""1 - q, between 1/2 and 1."""
m, periods = symbols("m n", integer=True, nonnegative=True)
first = Symbol("v", integer=True, nonnegative=True)


@cache
def base_in_range() -> Theorem:
    """1/2 <= 1 - q < 1: q <= N eps^2 < 1/N <= 1/2."""
    small, tokens = Compare(epsilon, "<", 1 / N), Compare(N, ">=", 2)
    below_one = joint(Compare(epsilon, "<=", 1), given=(small, tokens))
    falls = power_falls(epsilon, 2, 2 * r, below_one)
    square = joint(Compare(epsilon**2, "<=", epsilon / N), given=(small,))
    power = joint(Compare(epsilon ** (2 * r), "<=", epsilon / N), falls, square)
    return joint(
        Compare(FACTOR, ">=", Integer(1) / 2) & Compare(FACTOR, "<", 1), power,
        given=(small, tokens),
    )  # fmt: skip


def over_a_period(here: Callable[[Any], Any], number: Any, start: Any, *inside: Theorem) -> Theorem:
    """From gap(v_n) <= (1 - q)^n c the same of the next period's end, which is `inside` the layers."""
    shrunk = cut(instance(shrinks, here(number)), *inside)
    now = assume(Compare(gap(here(number)), "<=", FACTOR**number * start))
    goal = Compare(gap(here(number + 1)), "<=", FACTOR ** (number + 1) * start)
    return joint(goal, shrunk, now, base_in_range())


@cache
def after_periods() -> Theorem:
    """gap(t) <= (1 - q)^n, where n periods from a layer v >= t_0 on end at t."""
    here = lambda k: first + k * r  # noqa: E731
    whole, begun = Compare(first + periods * r, "=", t), Compare(first, ">=", t0)
    known = (assume(whole), assume(begun), base_in_range())
    before = joint(Compare(here(m), ">=", t0), *known)
    last = joint(Compare(here(m), "<=", t - r), *known, given=(Compare(m + 1, "<=", periods),))
    step = over_a_period(here, m, Integer(1), before, last)
    begin = cut(
        instance(within_one, first), assume(begun), joint(Compare(first, "<=", t), assume(whole))
    )
    start = joint(Compare(gap(first), "<=", FACTOR ** Integer(0)), begin)
    every = instance(to_last_layer(start, step, m, periods), periods)
    return joint(Compare(gap(here(periods)), "<=", FACTOR**periods), every)


@cache
def unrolled() -> Theorem:
    """gap(t_0 + k r) <= (1 - q)^k gap(t_0) for as many periods as end at the last layer."""
    here = lambda number: t0 + number * r  # noqa: E731
    parts = fact(INTEGER_PART, x=(t - t0) / r)
    inside = joint(
        Compare(here(k), "<=", t - r), parts, given=(Compare(k + 1, "<=", claims.periods),)
    )
    step = over_a_period(here, k, gap(t0), inside, joint(Compare(here(k), ">=", t0)))
    start = joint(Compare(gap(t0), "<=", FACTOR ** Integer(0) * gap(t0)))
    return to_last_layer(start, step, k, claims.periods)


@cache
def once_acute() -> Theorem:
    """gap(t) <= (1 - q)^((t - t_0)/r - 1) for t >= t_0."""
    count = (t - t0) / r
    whole, acute = floor(count), Compare(t, ">=", t0)
    parts = fact(INTEGER_PART, x=count)
    none = joint(Compare(count, ">=", 0), given=(acute,))
    many = joint(Compare(whole, ">=", 0), parts, none)
    above = joint(Compare(t - whole * r, ">=", t0), parts)
    reached = substitute(after_periods(), {first: t - whole * r, periods: whole})
    falls = power_falls(FACTOR, count - 1, whole, base_in_range(), parts)
    own = joint(Compare(t, "=", t))
    inside = joint(Compare(t - whole * r, ">=", 0), above)
    shown = cut(reached, many, above, own, inside)
    return joint(Compare(gap(t), "<=", FACTOR ** (count - 1)), shown, falls)


@proves(claims.rate_from_t0_follows)
def by_periods_from_t0(claim: Claim) -> Certificate:
    """Before t_0 the gap is at most 2; after it, whole periods count, and 2 covers the rest."""
    count = Symbol("e", real=True)
    goal = lambda number: Compare(gap(t), "<=", 2 * base**number)  # noqa: E731
    given = Compare(gap(t), "<=", base ** (count - 1)), Compare(base, ">=", Integer(1) / 2)
    later = (t - t0) / r
    put = {base: FACTOR, count: later}
    after = algebra(goal(count), given, put, once_acute(), base_in_range())
    early = Compare(t, "<=", t0)
    before = joint(
        goal(count).substitute(put),
        power_falls(FACTOR, later, 0, base_in_range(), joint(Compare(later, "<=", 0), given=(early,))),
        instance(within_two, t),
    )  # fmt: skip
    theorem = joint(
        goal(count).substitute(put), discharge(before, early),
        discharge(after, Compare(t, ">=", t0)),
    )  # fmt: skip
    return conclude(claim, both(unrolled(), theorem), method="the recursion over whole periods")


@proves(claims.rate_from_the_start_follows)
def by_periods(claim: Claim) -> Certificate:
    """k = floor(t/r) periods from a gap of at most one, and k >= t/r - 1."""
    number = Symbol("e", real=True)
    start = Compare(t0, "=", 0)
    exponents = joint(Compare((t - t0) / r - 1, "=", t / r - 1), given=(start,))
    same = replaced(FACTOR**number, number, exponents)
    apart = one_power_less(FACTOR, t / r, base_in_range())
    begun = cut(once_acute(), joint(Compare(t, ">=", t0), given=(start,)))
    theorem = joint(Compare(gap(t), "<=", 1 / FACTOR * FACTOR ** (t / r)), begun, same, apart)
    return conclude(claim, both(unrolled(), theorem), method="the recursion over whole periods")
