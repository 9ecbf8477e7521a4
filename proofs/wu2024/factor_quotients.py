r"""Products of non-negative matrices become ergodic where a_t/b_t has a divergent sum: for every sequence.

For columns y and z > 0, $\rho=y/z$ and $Y=\sum y$, $Z=\sum z$, a factor with entries from a to b moves the
largest quotient M, and the least one, by $a/b$ of what they are from $Y/Z$: $\sum_kM_{ik}(Mz_k-y_k)\ge a(MZ-Y)$
and $\sum_kM_{ik}z_k\le bZ$.  So the range of quotients contracts by $1-a/b$, and
$\prod(1-a_t/b_t)\le1/(1+\sum a_t/b_t)$.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Expr, Integer, KroneckerDelta, Sum, Symbol, oo, symbols

from claims.statement import Compare, ForAll
from claims.terms import MaxOver, MinOver, Recursion
from claims.wu2024 import hartfiel as claims
from claims.wu2024.hartfiel import factor, first, high, low, step
from claims.wu2024.notation import N
from claims.wu2024.positivity import i
from proofs.calculation import at_places, body_at, linked, summed_over
from proofs.facts import DELTA, DELTA_SUM
from proofs.kernel import (
    Theorem,
    assume,
    both,
    choose,
    cut,
    discharge,
    extremum_bounds,
    extremum_reached,
    fact,
    generalise,
    identity,
    induction,
    instance,
    joint,
    recursion_start,
    recursion_step,
    substitute,
    sum_split,
)
from proofs.wu2024.averages import n, other, s
from proofs.wu2024.norms import exchanged
from proofs.wu2024.positivity import down, up
from proofs.wu2024.quotients import Quotients, no_zero, side

k = Symbol("k", integer=True)
product = Recursion(
    "P",
    lambda a, b: KroneckerDelta(a, b),
    lambda t, a, b, before: Sum(factor(t, a, k) * before(k, b), (k, 1, N)),
)
"""Entries of the product of the first t factors."""


def entries(a: Any, b: Any) -> Theorem:
    """0 <= a_s <= M_ab <= b_s, b_s > 0."""
    known = at_places(assume(claims.ENTRIES), s, a, b)
    signs = instance(assume(claims.SIGNS), s)
    return joint(known.formula & signs.formula & Compare(factor(s, a, b), ">=", 0), known, signs)


def every(body: Any) -> ForAll:
    return ForAll(i, 1, N, body)


# Positive products ------------------------------------------------------------------------------------


@cache
def nonnegative() -> Theorem:
    """For all s: P >= 0."""

    def body(t: Any) -> ForAll:
        return every(Compare(product(t, i, down), ">=", 0))

    term = joint(
        Compare(factor(s, i, k) * product(s, k, down), ">=", 0), entries(i, k),
        instance(assume(body(s)), k),
    )  # fmt: skip
    step_ = linked(body(s + 1).body, summed_over(term, (k, N)), recursion_step(product, s, i, down))
    delta = fact(DELTA, a=i, b=down, term=Integer(1), place=k)
    start = joint(body(Integer(0)).body, recursion_start(product, i, down), delta)
    return induction(generalise(start, i, 1, N), generalise(step_, i, 1, N), s)


def total(t: Any, column: Any) -> Sum:
    return Sum(product(t, k, column), (k, 1, N))


@cache
def no_column_vanishes() -> Theorem:
    """For all s: the sum of a column is positive."""
    sums = lambda b: Sum(factor(s, i, b), (i, 1, N))  # noqa: E731
    least = MinOver(sums(other), (other, 1, N))
    own = at_places(assume(claims.COLUMNS), s, k)
    positive = joint(Compare(sums(k), ">", 0), linked(Compare(sums(k), "=", own.formula.left)), own)
    found = body_at(extremum_reached(least).formula, k)
    above = choose(
        extremum_reached(least), k, joint(Compare(least, ">", 0), assume(found), positive)
    )
    sign = instance(instance(nonnegative(), s), k)
    term = joint(
        Compare(sums(k) * product(s, k, down), ">=", least * product(s, k, down)),
        extremum_bounds(least, k), sign,
    )  # fmt: skip
    whole = summed_over(term, (k, N))
    swap = exchanged(lambda a, b: factor(s, a, b) * product(s, b, down), N, N)
    moved = recursion_step(product, s, i, down)
    column = summed_over(moved, (i, N))
    low_ = linked(Compare(total(s + 1, down), ">=", least * total(s, down)), column, swap, whole)
    body = lambda t: Compare(total(t, down), ">", 0)  # noqa: E731
    step_ = joint(body(s + 1), low_, above, assume(body(s)))
    delta = fact(DELTA_SUM, place=down, k=k, low=1, high=N)
    starts = summed_over(recursion_start(product, k, down), (k, N))
    start = linked(body(Integer(0)), starts, delta)
    return induction(start, step_, s)


RHO = Quotients(product)


@cache
def positive_at_first() -> Theorem:
    """After the factor t_1 every entry is positive."""
    at = {s: first}
    term = joint(
        Compare(factor(s, i, k) * product(s, k, down), ">=", low(s) * product(s, k, down)),
        entries(i, k), instance(instance(nonnegative(), s), k),
    )  # fmt: skip
    more = linked(
        Compare(product(s + 1, i, down), ">=", low(s) * total(s, down)),
        summed_over(term, (k, N)), recursion_step(product, s, i, down),
    )  # fmt: skip
    own = joint(
        Compare(product(first + 1, i, down), ">", 0), substitute(more, at),
        instance(no_column_vanishes(), first), assume(claims.POSITIVE),
    )  # fmt: skip
    return generalise(own, i, 1, N)


@cache
def stays_positive() -> Theorem:
    """A row allowable factor keeps a positive column positive."""
    least = MinOver(product(s, other, down), (other, 1, N))
    found = body_at(extremum_reached(least).formula, k)
    own = instance(assume(RHO.positive), k)
    above = choose(extremum_reached(least), k, joint(Compare(least, ">", 0), assume(found), own))
    term = joint(
        Compare(factor(s, i, k) * product(s, k, down), ">=", factor(s, i, k) * least),
        extremum_bounds(least, k), entries(i, k),
    )  # fmt: skip
    row = at_places(assume(claims.ROWS), s, i)
    more = linked(
        Compare(product(s + 1, i, down), ">=", least * Sum(factor(s, i, k), (k, 1, N))),
        summed_over(term, (k, N)), recursion_step(product, s, i, down),
    )  # fmt: skip
    body = joint(Compare(product(s + 1, i, down), ">", 0), more, above, row)
    return generalise(body, i, 1, N)


# One factor ---------------------------------------------------------------------------------------------


def kappa(t: Any) -> Expr:
    return low(t) / high(t)


def mean() -> Expr:
    """Y/Z."""
    return total(s, up) / total(s, down)


@cache
def toward_mean(kind: type) -> Theorem:
    """An extreme moves by a/b of its distance to Y/Z, which is on its inner side."""
    sign, m_ = side(kind), RHO.extreme(kind, s)
    gap, known, near = RHO.gap(kind, s, k), entries(i, k), RHO.apart(kind, k)
    more = joint(Compare(factor(s, i, k) * gap, ">=", low(s) * gap), known, near)
    less = joint(
        Compare(factor(s, i, k) * product(s, k, down), "<=", high(s) * product(s, k, down)), known,
        instance(assume(RHO.positive), k),
    )  # fmt: skip
    moved = [recursion_step(product, s, i, column) for column in (up, down)]
    then = RHO.gap(kind, s + 1, i)
    whole = sign * (m_ * total(s, down) - total(s, up))
    above = linked(Compare(then, ">=", low(s) * whole), summed_over(more, (k, N)), *moved)
    below = linked(
        Compare(product(s + 1, i, down), "<=", high(s) * total(s, down)), summed_over(less, (k, N)),
        moved[1],
    )  # fmt: skip
    inner = linked(Compare(whole, ">=", 0), summed_over(near, (k, N)))
    signs, positive = instance(assume(claims.SIGNS), s), instance(no_column_vanishes(), s)
    moved_end = RHO.moves(
        kind, s + 1, (total(s, up), total(s, down)), low(s), high(s), above,
        instance(stays_positive(), i), below, positive, inner, signs,
    )  # fmt: skip
    outer = joint(Compare(sign * (m_ - mean()), ">=", 0), inner, positive)
    return both(moved_end, outer)


@cache
def one_factor() -> Theorem:
    """width' <= (1 - kappa) width, the largest quotient never rises and the least never falls."""
    ends = [toward_mean(kind) for kind in (MaxOver, MinOver)]
    signs = instance(assume(claims.SIGNS), s)
    share = joint(Compare(kappa(s), ">=", 0), signs)
    m, l, y, q, m2, l2 = symbols("m l y q M L", real=True)  # noqa: E741
    given = (
        Compare(m2, "<=", m - q * (m - y)), Compare(l2, ">=", l - q * (l - y)), Compare(m - y, ">=", 0),
        Compare(y - l, ">=", 0), Compare(q, ">=", 0),
    )  # fmt: skip
    lemma = joint(
        Compare(m2 - l2, "<=", (1 - q) * (m - l)) & Compare(m2, "<=", m) & Compare(l2, ">=", l),
        given=given,
    )
    tops, bottoms = ([RHO.extreme(kind, t) for t in (s, s + 1)] for kind in (MaxOver, MinOver))
    put_in = {m: tops[0], l: bottoms[0], y: mean(), q: kappa(s), m2: tops[1], l2: bottoms[1]}
    inner = joint(Compare(mean() - bottoms[0], ">=", 0), ends[1])
    return cut(cut(substitute(lemma, put_in), *ends, inner, share), no_zero(assume(RHO.positive)))


# From the factor t_1 on -----------------------------------------------------------------------------------

FIRST = first + 1


def at_count(theorem: Theorem, t: Any) -> Theorem:
    """A theorem about s factors where z is positive, for t factors."""
    return instance(generalise(discharge(theorem, RHO.positive), s, 0, oo), t)


@cache
def positive_later() -> Theorem:
    """For all n: z is positive after t_1 + 1 + n factors."""
    body = lambda m: RHO.positive.substitute({s: FIRST + m})  # noqa: E731
    following = at_count(stays_positive(), FIRST + n)
    step_ = joint(body(n + 1), following, assume(body(n)))
    return induction(joint(body(Integer(0)), positive_at_first()), step_, n)


def gains(count: Any) -> Expr:
    """1 + the sum of a_t/b_t over so many factors after t_1."""
    return 1 + Sum(kappa(step), (step, FIRST, first + count))


@cache
def contracts() -> Theorem:
    """For all n: (1 + sum kappa) width(n) <= width(0), and the least quotient is no less than at first."""
    at = lambda m: FIRST + m  # noqa: E731

    def body(m: Any) -> Any:
        narrow = Compare(gains(m) * RHO.width(at(m)), "<=", RHO.width(FIRST))
        return (
            narrow
            & Compare(RHO.extreme(MinOver, at(m)), ">=", RHO.extreme(MinOver, FIRST))
            & Compare(gains(m), ">=", 1)
        )

    one = at_count(one_factor(), at(n))
    there = instance(positive_later(), n)
    moved = joint(one.formula.conclusion, one, there)
    last = sum_split(gains(n + 1).args[1] if gains(n + 1).args[0] == 1 else gains(n + 1).args[0])
    signs = instance(assume(claims.SIGNS), at(n))
    share = joint(Compare(kappa(at(n)), ">=", 0), signs)
    q, g, w0, w1, w2 = symbols("q g u v w", real=True)
    lemma = joint(
        Compare((g + q) * w2, "<=", w0),
        joint(Compare((g + q) * (1 - q), "<=", g), given=(Compare(q, ">=", 0), Compare(g, ">=", 1))),
        given=(Compare(w2, "<=", (1 - q) * w1), Compare(g * w1, "<=", w0), Compare(q, ">=", 0),
               Compare(g, ">=", 1), Compare(w1, ">=", 0), Compare(w2, ">=", 0)),
    )  # fmt: skip
    put_in = {
        q: kappa(at(n)),
        g: gains(n),
        w0: RHO.width(FIRST),
        w1: RHO.width(at(n)),
        w2: RHO.width(at(n + 1)),
    }
    known = assume(body(n))
    less = cut(
        substitute(lemma, put_in),
        known,
        moved,
        share,
        RHO.not_negative(at(n)),
        RHO.not_negative(at(n + 1)),
    )
    grown = joint(Compare(gains(n + 1), "=", gains(n) + kappa(at(n))), last)
    step_ = joint(body(n + 1), less, grown, known, moved, share)
    zero = Integer(0)
    nothing = identity(Sum(kappa(step), (step, FIRST, first)), zero)
    return induction(joint(body(zero), nothing), step_, n)


@cache
def gains_grow() -> Theorem:
    """For all n: the sum over more factors is no less."""
    m = symbols("m", integer=True, nonnegative=True)
    body = lambda c: Compare(gains(m + c), ">=", gains(m))  # noqa: E731
    signs = instance(assume(claims.SIGNS), FIRST + m + n)
    share = joint(Compare(kappa(FIRST + m + n), ">=", 0), signs)
    total_ = Sum(kappa(step), (step, FIRST, first + m + n + 1))
    step_ = joint(body(n + 1), sum_split(total_), share, assume(body(n)))
    return generalise(induction(joint(body(Integer(0))), step_, n), m, 0, oo)
