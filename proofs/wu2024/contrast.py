r"""Collapse without LayerNorm under uniform causal attention and W_V of norm one.

Rows of Z = A^t X W_V^t stay nearer and nearer to the first: the mean of the first i differences from it,
its own of zero among them, is at most 1 - 1/i times as long as the longest, and W_V adds no more than its
norm.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Expr, Integer, KroneckerDelta, Sum, Symbol, oo

from claims.model import Claim
from claims.statement import Compare, ForAll
from claims.terms import MaxOver, entry
from claims.wu2024 import unnormalised as claims
from claims.wu2024.notation import N, X, d, t
from claims.wu2024.unnormalised import apart, b, farthest, mixed_apart, passed, squared_norm
from proofs.calculation import at_places, for_all, linked, summed_over, sums_compared
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.facts import CAUCHY_SCHWARZ, DELTA, DELTA_SUM, GEOMETRIC
from proofs.kernel import (
    Theorem,
    assume,
    both,
    cut,
    extremum_bounds,
    fact,
    generalise,
    induction,
    instance,
    joint,
    limit,
    limit_combined,
    recursion_start,
    squeezed,
    substitute,
    sum_compared,
    unfold,
)
from proofs.registry import proves
from proofs.wu2024.norms import exchanged, summed

DOMAIN = claims.every_input
(VALUES,) = (v for v in DOMAIN.variables if isinstance(v, claims.ValueMatrix))
POSITIVE, SHORTER = VALUES.facts()
i, j = Symbol("i", integer=True, positive=True), Symbol("j", integer=True)
RATE = (1 - Integer(1) / N) ** 2
LARGEST = MaxOver(Sum((entry(X)(j, b) - entry(X)(1, b)) ** 2, (b, 1, d)), (j, 1, N))


def gap(layer: Any, row: Any, column: Any) -> Expr:
    return passed(layer, row, column) - passed(layer, 1, column)


def bound(layer: Any) -> Expr:
    return farthest * RATE**layer


def share(layer: Any) -> Expr:
    """What the norm of W_V divides squares by after so many layers."""
    return squared_norm**-layer


def near_at(layer: Any) -> ForAll:
    """Every row, divided by the norms so far, is so near to the first."""
    near = Compare(share(layer) * apart(layer, i), "<=", bound(layer))
    return ForAll(i, 1, N, near)


def not_negative(row: Any) -> Theorem:
    """A squared distance."""
    squares = sums_compared(lambda k: joint(Compare(0, "<=", gap(t, row, k) ** 2)), d)
    return linked(Compare(apart(t, row), ">=", 0), squares)


@cache
def at_the_start() -> Theorem:
    """The largest distance is what the claim calls it."""
    read = unfold(farthest, LARGEST, DOMAIN)
    own = extremum_bounds(LARGEST, i)

    def square(k: Any) -> Theorem:
        starts = (recursion_start(passed, row, k) for row in (i, Integer(1)))
        value = (entry(X)(i, k) - entry(X)(1, k)) ** 2
        return joint(Compare(gap(0, i, k) ** 2, "=", value), *starts)

    same = sums_compared(square, d)
    here = joint(near_at(Integer(0)).body, read, own, same)
    return generalise(here, i, 1, N)


def mean_gap(column: Any) -> Expr:
    """The gap between the mean of the first i rows and the first row."""
    return Sum(passed(t, j, column), (j, 1, i)) / i - passed(t, 1, column)


def shorter_mean(column: Any) -> Theorem:
    """(i^-1 sum_j g_j)^2 <= (i - 1) i^-2 sum_j g_j^2: g_1 = 0, and the others are i - 1."""
    own, apart_ = KroneckerDelta(j, 1), gap(t, j, column)
    other = fact(DELTA, a=j, b=Integer(1), term=apart_, place=j)
    squares = fact(CAUCHY_SCHWARZ, a=1 - own, b=apart_, k=j, low=1, high=i)
    same = summed_over(joint(Compare((1 - own) * apart_, "=", apart_), other), (j, i))
    once = summed_over(joint(Compare((1 - own) ** 2, "=", 1 - own), other), (j, i))
    ones = fact(DELTA_SUM, place=Integer(1), k=j, low=1, high=i)
    few = linked(Compare(once.formula.left, "=", i - 1), once, ones)
    all_ = summed(lambda k: gap(t, k, column), i)
    mean_ = linked(Compare(i * mean_gap(column), "=", all_))
    total = summed(lambda k: gap(t, k, column) ** 2, i)
    whole = linked(Compare(all_**2, "<=", (i - 1) * total), squares, same, few)
    return joint(Compare(mean_gap(column) ** 2, "<=", (i - 1) * total / i**2), whole, mean_)


IN_RANGE = Compare(i, "<=", N)


def first_row_is_near() -> Theorem:
    """The first row is at no distance from itself."""
    own = sums_compared(lambda c: joint(Compare(gap(t, Integer(1), c) ** 2, "=", 0)), d)
    return linked(Compare(apart(t, Integer(1)), "=", 0), own)


_bound = Symbol("B", real=True)


def others_count() -> Theorem:
    """Where no distance is above a bound, the first i ones add up to at most i - 1 times the bound."""
    part_, k = share(t), Symbol("k", integer=True)
    each = assume(ForAll(k, 1, i, Compare(part_ * apart(t, k), "<=", _bound)))
    own, first_row = KroneckerDelta(k, 1), first_row_is_near()
    apart_ = fact(DELTA, a=k, b=Integer(1), term=apart(t, j), place=j)
    near = Compare(part_ * apart(t, k), "<=", _bound * (1 - own))
    others = summed_over(joint(near, instance(each, k), apart_, first_row), (k, i))
    ones = fact(DELTA_SUM, place=Integer(1), k=k, low=1, high=i)
    total = Sum(apart(t, k), (k, 1, i))
    return linked(Compare(part_ * total, "<=", (i - 1) * _bound), others, ones)


@cache
def mean_is_nearer() -> Theorem:
    """The mean of the first i rows is at most 1 - 1/N times as far from the first as any row."""
    largest, part_, k = bound(t), share(t), Symbol("k", integer=True)
    columns = sums_compared(shorter_mean, d)
    swap = exchanged(lambda row, column: gap(t, row, column) ** 2, i, d)
    each = cut(instance(assume(near_at(t)), k), assume(Compare(k, "<=", i)), assume(IN_RANGE))
    few = cut(substitute(others_count(), {_bound: largest}), for_all(each, (k, i)))
    first = instance(assume(near_at(t)), i)
    scaled = linked(
        Compare(part_ * mixed_apart(t, i), "<=", (i - 1) ** 2 * largest / i**2), columns, swap, few,
        given=(POSITIVE,),
    )  # fmt: skip
    positive = joint(Compare(largest, ">=", 0), first, not_negative(i), given=(POSITIVE,))
    return joint(
        Compare(part_ * mixed_apart(t, i), "<=", RATE * largest),
        scaled,
        positive,
        given=(IN_RANGE,),
    )


def next_layer() -> Theorem:
    """W_V stretches by no more than its norm."""
    stretched = at_places(assume(SHORTER), t, i)
    goal = near_at(t + 1).body
    return generalise(joint(goal, stretched, mean_is_nearer(), given=(POSITIVE,)), i, 1, N)


# The spread -----------------------------------------------------------------------------------------


def mean(layer: Any, column: Any) -> Expr:
    return summed(lambda k: passed(layer, k, column), N) / N


def deviations(column: Any) -> Expr:
    return summed(lambda k: (passed(t, k, column) - mean(t, column)) ** 2, N)


def below_first_row(column: Any) -> Theorem:
    """Squared distances to the mean are least in sum."""
    goal = Compare(deviations(column), "<=", summed(lambda k: gap(t, k, column) ** 2, N))
    return linked(goal)


def spread_is_small() -> Theorem:
    """mu^2 of the tokens is at most N times the largest squared distance from the first."""
    every = induction(at_the_start(), next_layer(), t)
    rows = sum_compared(assume(ForAll(i, 1, N, Compare(share(t) * apart(t, i), "<=", _bound))))
    columns = sums_compared(below_first_row, d)
    swap = exchanged(lambda row, column: gap(t, row, column) ** 2, N, d)
    whole = share(t) * columns.formula.left
    read = unfold(claims.spread_after(t), whole, DOMAIN, ((t, 0, oo),))
    few = linked(Compare(whole, "<=", N * _bound), columns, swap, rows, given=(POSITIVE,))
    near = cut(substitute(few, {_bound: bound(t)}), instance(every, t))
    body = joint(Compare(claims.spread_after(t), "<=", N * bound(t)), read, near)
    return generalise(body, t, 0, oo)


@proves(claims.inputs_collapse_without_layernorm)
def by_distances_from_the_first_token(claim: Claim) -> Certificate:
    """Distances from the first token fall by 1 - 1/N a layer, and bound the spread."""
    above, sequence = spread_is_small(), Symbol("a", real=True)
    inside = joint(Compare(RATE, ">=", 0) & Compare(RATE, "<", 1))
    decay = cut(fact(GEOMETRIC, q=RATE, k=t), inside)
    high = limit_combined(N * farthest * sequence, {sequence: decay})
    meets = squeezed(spread_not_negative(), above, limit(Integer(0), t), high)
    return conclude(claim, both(above, meets), method="distances from the first token shrink")


def spread_not_negative() -> Theorem:
    """A sum of squares, divided by a positive number."""

    def column(k: Any) -> Theorem:
        squares = sums_compared(
            lambda row: joint(Compare(0, "<=", (passed(t, row, k) - mean(t, k)) ** 2)), N
        )
        return linked(Compare(0, "<=", deviations(k)), squares)

    columns = sums_compared(column, d)
    whole = share(t) * columns.formula.right
    read = unfold(claims.spread_after(t), whole, DOMAIN, ((t, 0, oo),))
    body = linked(Compare(0, "<=", claims.spread_after(t)), columns, read, given=(POSITIVE,))
    return generalise(body, t, 0, oo)
