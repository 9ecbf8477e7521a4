r"""(37) with a rate: coordinates that grow like powers of t change by a factor that tends to one.

With p_j = X_{1,j}/X_{1,1}, p_j(t+1) - p_j(t) = w p_{j-1}(t).  From a layer T on at which p_1, ..., p_i
are positive they stay so, and (s + 1)(p_j(T+s+1) - p_j(T+s)) <= (j - 1) p_j(T+s+1), by induction in
j and s: the difference of the two sides starts and grows by what is not negative.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Abs, Integer, Symbol, floor, oo, symbols

from claims.domain import Domain
from claims.model import Claim
from claims.statement import Compare, Exists, ForAll, Implies
from claims.wu2024 import jordan as claims
from claims.wu2024.jordan import change, i, j, ratio
from claims.wu2024.jordan import late as t
from claims.wu2024.notation import T, w
from proofs.calculation import at_places, body_at, integers_apart
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.facts import INTEGER_PART
from proofs.kernel import (
    Theorem,
    assume,
    both,
    choose,
    congruent,
    cut,
    discharge,
    exists,
    fact,
    generalise,
    induction,
    instance,
    joint,
    limit,
    recursion_step,
    squeezed,
    substitute,
    unfold,
)
from proofs.registry import proves
from proofs.wu2024.jordan import STARTS, STEEP, e, first_coordinate, x

DOMAIN = claims.coordinates_grow_slower_than_exponentially.domain
s = Symbol("s", integer=True, nonnegative=True)
n = Symbol("n", integer=True, positive=True)
m = Symbol("m", integer=True)


def p(layers: Any, place: Any) -> Any:
    """X_{1,place}/X_{1,1}."""
    return x(layers, place) / e(1, 1)


def positive(layers: Any, last: Any = i) -> ForAll:
    return ForAll(j, 1, last, Compare(p(layers, j), ">", 0))


def grown(layers: Any, place: Any) -> Theorem:
    """p_j(t+1) = p_j(t) + w p_{j-1}(t) for j >= 2."""
    goal = Compare(p(layers + 1, place), "=", p(layers, place) + w * p(layers, place - 1))
    return joint(goal, recursion_step(x, layers, place), given=(Compare(place, ">=", 2), STARTS))


def constant(layers: Any, place: Any) -> Theorem:
    """p_1 = 1."""
    same = congruent(x(layers, m), m, place, Integer(1))
    one = instance(first_coordinate(), layers)
    found = joint(Compare(p(layers, place), "=", 1), same, one, given=(STARTS,))
    return discharge(found, Compare(place, "=", 1))


@cache
def stays_positive(last: Any) -> Theorem:
    """Coordinates that are positive at T stay so."""
    held = assume(positive(T + s, last))
    inside = (Compare(j, ">=", 1), Compare(j, "<=", last))
    before = discharge(cut(instance(held, j - 1), assume(inside[1])), Compare(j, ">=", 2))
    rises = discharge(grown(T + s, j), Compare(j, ">=", 2))
    step = joint(
        Compare(p(T + s + 1, j), ">", 0), instance(held, j), before, rises, integers_apart(1, j),
        constant(T + s + 1, j), given=(*inside, STEEP),
    )  # fmt: skip
    return induction(assume(positive(T, last)), generalise(step, j, 1, last), s)


def positive_later(last: Any, time: Any, place: Any) -> Theorem:
    return at_places(stays_positive(last), time, place)


# The rate -------------------------------------------------------------------------------------------


def slow(time: Any, place: Any) -> Compare:
    """(s + 1)(p_j(T+s+1) - p_j(T+s)) <= (j - 1) p_j(T+s+1)."""
    now, then = p(T + time, place), p(T + time + 1, place)
    return Compare((time + 1) * (then - now), "<=", (place - 1) * then)


@cache
def is_slow() -> Theorem:
    """For all j <= i and all s >= 0, from all p_j(T) > 0."""
    body = lambda k: Implies(Compare(k, "<=", i), ForAll(s, 0, oo, slow(s, k)))  # noqa: E731
    ones = [constant(T + time, Integer(1)) for time in (s, s + 1)]
    first = joint(slow(s, Integer(1)), *ones)
    start = joint(body(Integer(1)), generalise(first, s, 0, oo))
    following = Compare(n + 1, "<=", i)
    held = joint(body(n).conclusion, assume(body(n)), given=(following,))
    here, beyond = grown(T + s, n + 1), grown(T + s + 1, n + 1)
    zero = joint(
        slow(Integer(0), n + 1), grown(T, n + 1), positive_later(i, Integer(0), n),
        positive_later(i, Integer(0), n + 1), positive_later(i, Integer(1), n + 1),
        given=(STEEP,),
    )  # fmt: skip
    a, b, q, k, z, slope = symbols("a b q k z v", real=True)
    known = (
        Compare(slope, ">", 0), Compare((z + 1) * slope * a, "<=", k * q),
        Compare((z + 1) * (b - a), "<=", (k - 1) * b),
    )  # fmt: skip
    scaled = joint(Compare(slope * (z + 1) * (b - a), "<=", slope * (k - 1) * b), given=known)
    lemma = joint(Compare((z + 2) * slope * b, "<=", k * (q + slope * b)), scaled, given=known)
    values = {a: p(T + s, n), b: p(T + s + 1, n), q: p(T + s + 1, n + 1), k: n, z: s, slope: w}
    applied = substitute(lemma, values)
    before = joint(known[1].substitute(values), assume(slow(s, n + 1)), here)
    applied = cut(applied, before, instance(held, s), assume(STEEP))
    step = joint(slow(s + 1, n + 1), applied, beyond)
    every = cut(induction(zero, step, s), assume(following))
    return induction(start, discharge(every, following), n, 1)


# A layer at which all are positive -------------------------------------------------------------------


def rises_linearly() -> Theorem:
    """p_{n+1}(T + s) >= p_{n+1}(T) + s w p_n(T), for all s, where p_1, ..., p_n are positive at T."""
    above = Compare(p(T + s, n), ">=", p(T, n))
    back = discharge(grown(T + s, n), Compare(n, ">=", 2))
    before = discharge(positive_later(n, s, n - 1), Compare(n, ">=", 2))
    kept = [constant(T + time, n) for time in (s, s + 1)]
    up = joint(
        above.substitute({s: s + 1}),
        assume(above),
        back,
        before,
        integers_apart(1, n),
        *kept,
        given=(STEEP,),
    )
    above_ = instance(induction(joint(above.substitute({s: Integer(0)})), up, s), s)
    linear = Compare(p(T + s, n + 1), ">=", p(T, n + 1) + s * w * p(T, n))
    scaled = joint(Compare(w * p(T + s, n), ">=", w * p(T, n)), above_, given=(STEEP,))
    step = joint(linear.substitute({s: s + 1}), assume(linear), grown(T + s, n + 1), scaled)
    return induction(joint(linear.substitute({s: Integer(0)})), step, s)


def all_positive(last: Any) -> Exists:
    return Exists(T, 0, oo, positive(T, last))


def enough_steps(height: Any, slope: Any) -> Theorem:
    """Some multiple of a positive slope exceeds a height."""
    size, rise = Symbol("u", real=True), Symbol("v", positive=True)
    quotient = Abs(size) / rise
    count = floor(quotient) + 1
    part = fact(INTEGER_PART, x=quotient)
    shape = Exists(s, 0, oo, Compare(s * rise, ">", Abs(size)))
    whole = Symbol("k", real=True)
    over = joint(Compare(whole * rise, ">", Abs(size)), given=(Compare(quotient, "<", whole),))
    over = cut(substitute(over, {whole: count}), joint(Compare(quotient, "<", count), part))
    found = cut(exists(over, shape, count), joint(Compare(count, ">=", 0), part))
    return substitute(found, {size: height, rise: slope})


def one_more(goal: Compare, time: Any, held: Theorem, new: Theorem, *more: Theorem) -> Theorem:
    """The goal for all j <= n + 1: with `more` from what is held of j <= n, and from what is new of n + 1."""
    inside = (Compare(j, ">=", 1), Compare(j, "<=", n + 1))
    before = joint(goal, cut(instance(held, j), assume(inside[0])), *more)
    end = joint(goal, congruent(x(time, m), m, j, n + 1), new)
    cases = discharge(before, Compare(j, "<=", n)), discharge(end, Compare(j, "=", n + 1))
    return generalise(joint(goal, *cases, integers_apart(n, j), given=inside), j, 1, n + 1)


@cache
def some_layer() -> Theorem:
    """There is a layer at which p_1, ..., p_i are positive."""
    body = lambda k: Implies(Compare(k, "<=", i), all_positive(k))  # noqa: E731
    only = (Compare(j, ">=", 1), Compare(j, "<=", 1))
    one = joint(Compare(p(0, j), ">", 0), constant(Integer(0), j), given=only)
    start = exists(generalise(one, j, 1, 1), all_positive(Integer(1)), Integer(0))
    start = joint(body(Integer(1)), start)
    slope = w * p(T, n)
    sloped = joint(Compare(slope, ">", 0), positive_later(n, Integer(0), n), given=(STEEP,))
    many = enough_steps(p(T, n + 1), slope)
    more = body_at(many.formula, s)
    new = joint(
        Compare(p(T + s, n + 1), ">", 0), instance(rises_linearly(), s), assume(more), sloped
    )
    above = Compare(p(T + s, j), ">", 0)
    every = one_more(above, T + s, instance(stays_positive(n), s), new)
    found = exists(every, all_positive(n + 1), T + s)
    found = choose(cut(many, sloped), s, found)
    following = Compare(n + 1, "<=", i)
    known = joint(all_positive(n), assume(body(n)), given=(following,))
    step = discharge(choose(known, T, found), following)
    every_ = instance(induction(start, step, n, 1), i)
    return joint(all_positive(i), every_)


# The statement ---------------------------------------------------------------------------------------


def changes() -> Theorem:
    """The factor is at most one, and at least 1 - (i - 1)/(t + 1 - T), for t >= T."""
    later = Compare(t, ">=", T)
    quotient = x(t, i) / x(t, 1) / (x(t + 1, i) / x(t + 1, 1))
    read = unfold(change(t, i), quotient, DOMAIN, ((t, 0, oo),))
    ones = [instance(first_coordinate(), time) for time in (t, t + 1)]
    value = joint(Compare(change(t, i), "=", p(t, i) / p(t + 1, i)), read, *ones, given=(STARTS,))
    up = [positive_later(i, t - T, i - 1), positive_later(i, t + 1 - T, i)]
    body = instance(is_slow(), i)
    rate = instance(joint(body.formula.conclusion, body), t - T)
    now, then, k, z = symbols("a b k z", real=True)
    given = (Compare(then, ">", 0), Compare(z * (then - now), "<=", k * then))
    lemma = joint(Compare(z * (1 - now / then), "<=", k), given=given)
    values = {now: p(t, i), then: p(t + 1, i), k: i - 1, z: t + 1 - T}
    slow_ = cut(substitute(lemma, values), up[1], rate)
    least = joint(Compare(p(t + 1, i), ">=", p(t, i)), grown(t, i), up[0], given=(STEEP,))
    over = substitute(
        joint(Compare(now / then, "<=", 1), given=(given[0], Compare(then, ">=", now))), values
    )
    over = cut(over, up[1], least)
    return cut(joint(claims.changes_slowly, value, slow_, over), assume(later))


def once_positive(theorem: Theorem, begin: Any, last: Any, domain: Domain) -> Theorem:
    """What holds from a layer on, after every layer T at which relative coordinates are positive."""
    premise = claims.positive_at(T, last)
    read = unfold(ratio(T, j), x(T, j) / x(T, 1), domain, ((T, 0, oo), (j, 1, last)))
    first = instance(first_coordinate(), T)
    given = joint(
        Compare(p(T, j), ">", 0), read, first, instance(assume(premise), j), given=(STARTS,)
    )
    found = cut(generalise(theorem, t, begin, oo), generalise(given, j, 1, last))
    return generalise(discharge(found, premise), T, 0, oo)


@proves(claims.coordinates_grow_slower_than_exponentially)
def by_differences(claim: Claim) -> Certificate:
    """A rate after any layer at which the coordinates are positive; there is one."""
    found = changes()
    rate = once_positive(found, T, i, DOMAIN)
    low = 1 - (i - 1) / (t + 1 - T)
    below = joint(Compare(low, "<=", change(t, i)), found, given=(Compare(t, ">=", T),))
    above = joint(Compare(change(t, i), "<=", 1), found)
    below, above = (generalise(side, t, T, oo) for side in (below, above))
    tends = squeezed(below, above, limit(low, t), limit(Integer(1), t))
    tends = choose(some_layer(), T, tends)
    return conclude(claim, both(tends, rate), method="differences of the coordinates")
