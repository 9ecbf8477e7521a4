"""Entropies of softmaxes: sums of exponentials above their tangents, for every number of logits."""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Expr, Integer, KroneckerDelta, Sum, Symbol, exp, log, oo, symbols

from claims.model import Claim
from claims.noci2022 import entropy as claims
from claims.noci2022.entropy import beta, gap, times, top
from claims.noci2022.notation import n
from claims.statement import Compare
from claims.terms import entry
from proofs.calculation import algebra, linked, replaced, summed_over
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.facts import (
    DELTA,
    DELTA_SUM,
    EXP_ABOVE_TANGENT,
    LOG_BELOW_TANGENT,
    LOG_INCREASES,
)
from proofs.kernel import (
    Theorem,
    assume,
    both,
    cut,
    discharge,
    fact,
    generalise,
    identity,
    instance,
    joint,
    limit,
    part,
    squeezed,
    substitute,
    sum_at_least_term,
    sum_rearranged,
    unfold,
)
from proofs.registry import proves

j = Symbol("j'", integer=True)
PLACE = (j, 1, n)
a, b, c, u, f, p, q, s = symbols("a b c u f p q s", real=True)
first_factor, other_factor = symbols("beta_1 beta_2", real=True)
logit = entry(claims.z)


def total(term: Expr) -> Sum:
    return Sum(term, PLACE)


def weight(factor: Any) -> Expr:
    """$e^{\\beta z_j}$."""
    return exp(factor * logit(j, 1))


def whole(factor: Any) -> Sum:
    return total(weight(factor))


def moment(factor: Any) -> Expr:
    """The mean logit under the softmax, times the sum of weights."""
    return total(weight(factor) * logit(j, 1))


def positive_sum(factor: Any) -> Theorem:
    """The exponentials have a positive sum."""
    signs = generalise(joint(Compare(weight(factor), ">=", 0)), *PLACE)
    first = joint(Compare(exp(factor * logit(Integer(1), 1)), ">", 0))
    return joint(Compare(whole(factor), ">", 0), sum_at_least_term(signs, Integer(1)), first)


def entropy_read(quantity: Any, factor: Any, domain: Any, over: Any = ()) -> Theorem:
    """$H_\\beta=\\log S-\\beta\\sum_jz_je^{\\beta z_j}/S$."""
    share, above = weight(factor) / whole(factor), positive_sum(factor)
    y, w = Symbol("y", real=True), Symbol("w", positive=True)
    read = unfold(quantity, -total(share * log(share)), domain, over)
    apart = substitute(
        identity(log(exp(y) / w), y - log(w)), {y: factor * logit(j, 1), w: whole(factor)}
    )
    apart = cut(apart, above)
    value = share * (factor * logit(j, 1) - log(whole(factor)))
    each = joint(Compare(share * log(share), "=", value), apart)
    summed = summed_over(each, PLACE)
    ones = joint(Compare(total(share), "=", 1), sum_rearranged(total(share), Integer(1)), above)
    goal = Compare(quantity, "=", log(whole(factor)) - factor * moment(factor) / whole(factor))
    return linked(goal, read, summed, ones, above)


def positive(x: Any) -> Theorem:
    """$e^x>0$."""
    return joint(Compare(exp(x), ">", 0))


def tangent(x: Any, y: Any) -> Theorem:
    """$e^x\\ge e^y(1+x-y)$."""
    given = Compare(q * b, "=", a), Compare(q, ">=", 1 + u), Compare(b, ">", 0)
    terms = {a: exp(x), q: exp(x - y), b: exp(y), u: x - y}
    steep = fact(EXP_ABOVE_TANGENT, x=x - y)
    return algebra(Compare(a, ">=", b * (1 + u)), given, terms, steep, positive(y))


@cache
def slope() -> Theorem:
    """$\\log S_\\beta-\\log S_{\\beta'}\\ge(\\beta-\\beta')\\mathbb E_{\\beta'}z$: a convex function."""
    factor, other = first_factor, other_factor
    own, far = factor * logit(j, 1), other * logit(j, 1) + c
    apart = identity(exp(far), exp(c) * weight(other))
    goal = Compare(weight(factor), ">=", exp(c) * weight(other) * (1 + own - far))
    summed = summed_over(joint(goal, tangent(own, far), apart), PLACE)
    ends = whole(factor), whole(other)
    inside = (1 - c) * ends[1] + (factor - other) * moment(other)
    summed = linked(Compare(ends[0], ">=", exp(c) * inside), summed)
    first, second = positive_sum(factor), positive_sum(other)
    log_ratio = log(ends[0] / ends[1])
    summed = cut(substitute(summed, {c: log_ratio}), first, second)
    given = (
        Compare(a, ">=", a / b * ((1 - c) * b + u * f)), Compare(a, ">", 0), Compare(b, ">", 0),
    )  # fmt: skip
    share = joint(Compare(a / b * ((1 - c) * b + u * f), "=", a * (1 - c + u * f / b)), given=given)
    below = joint(Compare(1, ">=", 1 - c + u * f / b), share, given=given)
    bound = joint(Compare(c, ">=", u * f / b), below)
    terms = {a: ends[0], b: ends[1], c: log_ratio, u: factor - other, f: moment(other)}
    found = cut(substitute(bound, terms), summed, first, second)
    v, w = symbols("v w", positive=True)
    parts = substitute(identity(log(v / w), log(v) - log(w)), {v: ends[0], w: ends[1]})
    goal = Compare(log(ends[0]) - log(ends[1]), ">=", (factor - other) * moment(other) / ends[1])
    return joint(goal, found, cut(parts, first, second))


def slope_between(factor: Any, other: Any) -> Theorem:
    return substitute(slope(), {first_factor: factor, other_factor: other})


@proves(claims.entropy_falls_with_the_range_of_logits)
def by_a_convex_function(claim: Claim) -> Certificate:
    """The logarithm of the sum of exponentials is above its tangents, from one multiple to the other."""
    domain, one, zero = claims.entropy_falls_with_the_range_of_logits.domain, Integer(1), Integer(0)
    read = entropy_read(claims.scaled_entropy, beta, domain)
    multiples = entropy_read(claims.entropy(times), times, domain, ((times, 0, oo),))
    every = generalise(multiples, times, 0, oo)
    flat, own = (instance(every, k) for k in (zero, one))
    count = replaced(log(s), s, sum_rearranged(whole(zero), n))
    most = joint(Compare(claims.entropy(zero), "=", log(n)), flat, count)
    below = joint(Compare(claims.entropy(one), "<=", log(n)), own, slope_between(zero, one), count)
    y, r, t, h = symbols("y r t h", real=True)
    given = (
        Compare(y - h, ">=", (1 - beta) * r), Compare(h - y, ">=", (beta - 1) * t),
        Compare(beta, ">", 1),
    )  # fmt: skip
    rising = joint(Compare(r, ">=", t), given=given)
    falls = joint(Compare(h - beta * r, "<=", y - t), rising, given=given)
    terms = {
        y: log(whole(one)), h: log(whole(beta)), r: moment(beta) / whole(beta),
        t: moment(one) / whole(one),
    }  # fmt: skip
    falls = cut(substitute(falls, terms), slope_between(one, beta), slope_between(beta, one))
    goal, same, more = (
        Compare(claims.scaled_entropy, "<=", claims.entropy(one)),
        Compare(beta, "=", 1),
        given[-1],
    )
    value = log(whole(s)) - s * moment(s) / whole(s)
    equal = cut(replaced(value, s, assume(same)), positive_sum(beta), positive_sum(one))
    cases = (
        discharge(joint(goal, falls, read, own), more),
        discharge(joint(goal, equal, read, own), same),
    )
    falls = joint(goal, *cases, given=(Compare(beta, ">=", 1),))
    theorem = both(most, below, falls)
    return conclude(claim, theorem, method="tangents of a convex function")


# One logit is the largest -------------------------------------------------------------------------

DIRAC = claims.softmax_of_large_logits_is_a_dirac.domain
FALL = times * logit(top, 1) - times * logit(j, 1)
"""What the multiples of the largest logit and of another one differ by."""
REST, FALLS = total(exp(-FALL)), total(FALL * exp(-FALL))
LEFT = claims.left(times)
FACTOR = Compare(times, ">=", 0)
ROOM = Compare(gap, ">", 0)


def falls_fast() -> tuple[Theorem, Theorem]:
    """$x\\ge0$ and $(1+x)e^{-x}\\le\\delta_{jm}+(1-\\delta_{jm})(1+kg)e^{-kg}$ for $x=k(z_m-z_j)$."""
    x, y, d, e, h, drop = symbols("x y d e h v", real=True)
    delta, place, level = KroneckerDelta(j, top), Symbol("i'", integer=True), times * gap
    zero_or_one = fact(DELTA, a=j, b=top, term=place, place=place)
    bit = [part(zero_or_one, k) for k in (0, 1)]
    apart = instance(assume(claims.BELOW), j)
    signs = Compare(d, ">=", 0), Compare(d * (1 - d), "=", 0), Compare(gap * (1 - d), "<=", drop)
    wide = joint(Compare(level * (1 - d), "<=", times * drop), given=(*signs, FACTOR))
    long = joint(Compare(drop, ">=", 0), given=(*signs, ROOM))
    long = joint(Compare(times * drop, ">=", 0), long, given=(FACTOR,))
    inside = {d: delta, drop: logit(top, 1) - logit(j, 1)}
    known = (*bit, joint(signs[-1].substitute(inside), apart))
    wide, long = (cut(substitute(found, inside), *known) for found in (wide, long))
    given = (
        Compare(x, ">=", y), Compare(y, ">=", 0), Compare(h, ">=", e * (1 + x - y)), Compare(e, ">", 0),
    )  # fmt: skip
    grown = joint(Compare((1 + y) * h, ">=", (1 + y) * (e * (1 + x - y))), given=given)
    cross = joint(Compare(e * (y * (x - y)), ">=", 0), given=given)
    falling = joint(Compare((1 + x) * e, "<=", (1 + y) * h), grown, cross)
    off, bound = Compare(d, "=", 0), Compare((1 + x) * e, "<=", d + (1 - d) * (1 + y) * h)
    away = joint(Compare(x, ">=", y), given=(Compare(y * (1 - d), "<=", x), off))
    off_it = discharge(joint(bound, cut(falling, away), given=(off,)), off)
    on = Compare(d, "=", 1)
    on_it = discharge(joint(bound, given=(on, Compare(1, ">=", e * (1 + x)))), on)
    found = joint(bound, off_it, on_it, given=signs[:2])
    terms = {x: FALL, y: level, e: exp(-FALL), h: exp(-level), d: delta}
    flat = joint(Compare(level, ">=", 0), given=(ROOM, FACTOR))
    lemmas = tangent(-level, -FALL), tangent(Integer(0), -FALL), positive(-FALL), wide, flat, *bit
    return long, cut(substitute(found, terms), *lemmas)


def shifted() -> Theorem:
    """$H_k=\\log S'+X/S'$, where $S'$ adds up $e^{-x_j}$ and $X$ adds up $x_je^{-x_j}$."""
    level = times * logit(top, 1)
    share = exp(-level)
    read = entropy_read(claims.entropy(times), times, DIRAC, ((times, 0, oo),))
    first = linked(Compare(REST, "=", share * whole(times)))
    second = linked(Compare(FALLS, "=", share * (level * whole(times) - times * moment(times))))
    above, whole_above = positive_rest(), positive_sum(times)
    v, w = Symbol("v", real=True), Symbol("w", positive=True)
    split = identity(log(exp(-v) * w), log(w) - v)
    split = cut(substitute(split, {v: level, w: whole(times)}), whole_above)
    ends = (
        joint(Compare(REST, ">", 0), above),
        joint(Compare(share * whole(times), ">", 0), first, above),
    )
    logs = cut(replaced(log(s), s, first), *ends)
    given = (
        Compare(b, "=", p * a), Compare(q, "=", p * (u * a - f)), Compare(p, ">", 0), Compare(a, ">", 0),
    )  # fmt: skip
    ratio = joint(Compare(q / b, "=", u - f / a), given=given)
    terms = {a: whole(times), f: times * moment(times), p: share, u: level, b: REST, q: FALLS}
    ratio = cut(substitute(ratio, terms), first, second, positive(-level), whole_above)
    goal = Compare(claims.entropy(times), "=", log(REST) + FALLS / REST)
    return joint(goal, read, ratio, logs, split)


def positive_rest() -> Theorem:
    """$S'\\ge1$: one of its terms is $e^0$."""
    signs = generalise(joint(Compare(exp(-FALL), ">=", 0)), *PLACE)
    return joint(Compare(REST, ">=", 1), sum_at_least_term(signs, top), given=(claims.INSIDE,))


@proves(claims.softmax_of_large_logits_is_a_dirac)
def by_the_gap(claim: Claim) -> Certificate:
    """$0\\le H_k=\\log S'+X/S'\\le S'-1+X\\le(n-1)(1+kg)e^{-kg}$."""
    long, each = falls_fast()
    ones = fact(DELTA_SUM, place=top, k=j, low=1, high=n)
    few = linked(Compare(REST + FALLS, "<=", 1 + LEFT), summed_over(each, PLACE), ones)
    rest, read = positive_rest(), shifted()
    sign = joint(Compare(FALL * exp(-FALL), ">=", 0), long, positive(-FALL))
    signs = linked(Compare(FALLS, ">=", 0), summed_over(sign, PLACE))
    given = Compare(b, ">=", 1), Compare(q, ">=", 0)
    share = joint(Compare(q / b, "<=", q) & Compare(q / b, ">=", 0), given=given)
    share = cut(substitute(share, {b: REST, q: FALLS}), rest, signs)
    less = cut(fact(LOG_BELOW_TANGENT, x=REST), joint(Compare(REST, ">", 0), rest))
    more = cut(fact(LOG_INCREASES, a=1, b=REST), rest)
    own = claims.entropy(times)
    above = joint(Compare(own, "<=", LEFT), read, share, less, few)
    below = joint(Compare(0, "<=", own), read, share, more)
    low, high = (generalise(side, times, 0, oo) for side in (below, above))
    tends = squeezed(low, high, limit(Integer(0), times), limit(LEFT, times))
    every = generalise(both(below, above), times, 0, oo)
    theorem = both(every, tends)
    return conclude(claim, theorem, method="a sum of terms that fall with the gap")
