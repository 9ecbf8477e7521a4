"""Energies through attention with exchangeable rows: one factor at a time, by two recursions."""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Expr, Integer, Sum, Symbol, symbols

from claims.domain import Domain
from claims.model import Claim
from claims.naitsaada2025 import exchangeable as claims
from claims.naitsaada2025.exchangeable import SHARE, UNEVEN, j, shares
from claims.naitsaada2025.exchangeable import uneven as r
from claims.naitsaada2025.markov import row_facts
from claims.naitsaada2025.notation import T, d, depth, p
from claims.statement import And, Compare, Formula
from claims.terms import Recursion
from proofs.calculation import algebra, at_places, linked, sums_compared
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.facts import JENSEN
from proofs.kernel import (
    Theorem,
    assume,
    both,
    cut,
    fact,
    generalise,
    induction,
    instance,
    joint,
    part,
    recursion_start,
    recursion_step,
    sum_at_least_term,
    unfold,
)
from proofs.registry import proves

METHOD = "second moments of a row, one independent factor at a time; induction in their number"
t = Symbol("t", integer=True, nonnegative=True)
g, h, e, rho, n = symbols("g h e rho n", real=True)
SEVERAL = Compare(T, ">=", 2)


def _through(name: str, start: Expr, more: int) -> Recursion:
    """What a factor multiplies by r, and adds one to where the sum of all entries does not vanish."""
    return Recursion(name, lambda: start, lambda _, before: r * before() + more)


differences = _through("c", T - 1, 0)
mean_row = _through("m", Integer(1), 1)
everything = _through("e", T, 1)
centred = _through("b", T, 0)


@cache
def _in_range() -> tuple[Theorem, Theorem]:
    """0 <= r <= 1 - 1/T: the square of a mean is below a mean square, and no share is above one."""
    whole, signs = map(assume, row_facts(shares))
    one, size, known = Integer(1), assume(SEVERAL), assume(UNEVEN)
    total = instance(whole, one)
    ones = linked(Compare(sum_of(1 / T), "=", 1), size)
    positive = generalise(joint(Compare(1 / T, ">=", 0), size), j, 1, T)
    mean = cut(fact(JENSEN, w=1 / T, x=SHARE, k=j, low=1, high=T), ones, positive)
    least = linked(Compare(sum_of(SHARE**2), ">=", 1 / T), mean, total, size)

    def square(a: Any) -> Theorem:
        value = SHARE.xreplace({j: a})
        sign = at_places(signs, one, a)
        some = sum_at_least_term(generalise(at_places(signs, one, j), j, 1, T), a)
        return joint(Compare(value**2, "<=", value), sign, some, total)

    most = linked(Compare(sum_of(SHARE**2), "<=", 1), sums_compared(square, T), total)
    low = joint(Compare(r, ">=", 0), known, least)
    return low, joint(Compare(r, "<=", 1 - 1 / T), known, most)


def sum_of(term: Expr) -> Expr:
    """The sum over the row."""
    return Sum(term, (j, 1, T))


def _closed(function: Recursion, value: Any) -> Theorem:
    """(1 - r) f(t) = v(r^t) for all t, where v is affine and v(r e) is one step after v(e)."""
    goal = lambda at: Compare((1 - r) * function(at), "=", value(r**at, r, T))  # noqa: E731
    more = 0 if function is differences else 1
    given = (Compare((1 - rho) * g, "=", value(e, rho, n)), Compare(h, "=", rho * g + more))
    step = Compare((1 - rho) * h, "=", value(rho * e, rho, n))
    terms = {g: function(t), h: function(t + 1), e: r**t, rho: r, n: T}
    one = algebra(step, given, terms, assume(goal(t)), recursion_step(function, t))
    return induction(joint(goal(Integer(0)), recursion_start(function)), one, t)


def _solved(function: Recursion, value: Any, layers: Any, goal: Formula, read: Theorem) -> Theorem:
    """The value itself: r is below one."""
    found = instance(_closed(function, value), layers)
    return joint(goal, read, found, *_in_range(), assume(SEVERAL))


def _differences(power: Any, ratio: Any, tokens: Any) -> Expr:
    return (1 - ratio) * (tokens - 1) * power


def _mean_row(power: Any, ratio: Any, tokens: Any) -> Expr:
    return 1 - ratio * power


def _everything(power: Any, ratio: Any, tokens: Any) -> Expr:
    return 1 - power + (1 - ratio) * tokens * power


@proves(claims.differences_between_tokens_shrink_by_the_unevenness)
def by_the_sum_and_the_trace(claim: Claim) -> Certificate:
    """A factor turns (sum, trace) of S into (sum, r trace + sum/T)."""
    domain = claims.rows_in_any_order
    across, along = (
        unfold(quantity, function(p), domain)
        for quantity, function in ((claims.across, differences), (claims.along, mean_row))
    )
    one = _solved(differences, _differences, p, claims.across.equals((T - 1) * r**p), across)
    two = _solved(mean_row, _mean_row, p, claims.along.equals((1 - r ** (p + 1)) / (1 - r)), along)
    return conclude(claim, both(one, two, *_in_range()), method=METHOD)


@cache
def _between() -> Theorem:
    """(1 - r) e(t) >= 1 and e(t) <= T for all t."""

    def goal(at: Any) -> And:
        return And((
            Compare((1 - r) * everything(at), ">=", 1), Compare(everything(at), "<=", T),
        ))  # fmt: skip

    known = (*_in_range(), assume(SEVERAL))
    start = joint(goal(Integer(0)), recursion_start(everything), *known)
    given = (
        Compare((1 - rho) * g, ">=", 1), Compare(g, "<=", n), Compare(h, "=", rho * g + 1),
        Compare(rho, ">=", 0), Compare(rho, "<=", 1 - 1 / n), Compare(n, ">=", 2),
    )  # fmt: skip
    step = And((Compare((1 - rho) * h, ">=", 1), Compare(h, "<=", n)))
    terms = {g: everything(t), h: everything(t + 1), rho: r, n: T}
    before = assume(goal(t))
    parts = (part(before, 0), part(before, 1))
    one = algebra(step, given, terms, *parts, recursion_step(everything, t), *known)
    return induction(start, one, t)


@proves(claims.mean_gradient_of_the_values)
def by_the_trace_of_both_factors(claim: Claim) -> Certificate:
    """Weights multiply the trace by d each, and attention takes the identity to e(L)."""
    domain: Domain = claims.deep
    read = unfold(claims.gradient, d**depth * everything(depth), domain)
    some = assume(Compare(depth, ">=", 1))
    weight = joint(Compare(d**depth, ">", 0), given=(Compare(d, ">=", 2),))
    closed = instance(_closed(everything, _everything), depth)
    known = (*_in_range(), assume(SEVERAL))
    number = Compare(everything(depth), "=", (1 - r**depth) / (1 - r) + T * r**depth)
    exact = joint(number, closed, *known)
    total = claims.gradient
    value = joint(total.equals(d**depth * number.right), read, exact)
    last = recursion_step(everything, depth - 1)
    below = cut(instance(_between(), depth - 1), joint(Compare(depth - 1, ">=", 0), some))
    one_more = cut(last, joint(Compare(depth - 1, ">=", 0), some))
    most = joint(Compare(everything(depth), "<=", 1 + T * r), one_more, part(below, 1), *known)
    least = joint(
        Compare(everything(depth), ">=", 1 / (1 - r)), part(instance(_between(), depth), 0), *known
    )
    ends = [
        joint(Compare(total, sign, d**depth * end), read, bound, weight)
        for sign, end, bound in ((">=", 1 / (1 - r), least), ("<=", 1 + T * r, most))
    ]
    return conclude(claim, both(value, *ends), method=METHOD)


@proves(claims.mean_gradient_without_the_gap)
def by_the_trace_of_the_rest(claim: Claim) -> Certificate:
    """A centred factor takes S to r tr S in mean, and each weight multiplies the trace by d."""
    body = Compare(centred(t), "=", T * r**t)
    step = joint(body.substitute({t: t + 1}), assume(body), recursion_step(centred, t))
    every = induction(joint(body.substitute({t: Integer(0)}), recursion_start(centred)), step, t)
    read = unfold(claims.resolved, d**depth * centred(depth), claims.deep)
    goal = claims.resolved.equals(d**depth * T * r**depth)
    return conclude(claim, joint(goal, read, instance(every, depth)), method=METHOD)
