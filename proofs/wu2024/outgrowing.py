r"""(38) with a rate: every coordinate of the first token outgrows the one before it, and $e_d$ is the limit.

From a layer T on at which p_j = X_{1,j}/X_{1,1} are positive, (j - 1) p_j(t) >= w (t - T - j + 2) p_{j-1}(t)
for t > T: what p_j gains in a layer is w p_{j-1}, and neither changes much in one (`slow_change`).
"""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Integer, Sum, Symbol, oo, sqrt, symbols

from claims.model import Claim
from claims.statement import Compare, ForAll, Implies
from claims.wu2024 import jordan as claims
from claims.wu2024.jordan import i, j, last, place, quotient, ratio
from claims.wu2024.jordan import late as t
from claims.wu2024.notation import T, d, w
from proofs.calculation import body_at, conjuncts, linked, square_at, summed_over
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.kernel import (
    Theorem,
    assume,
    both,
    choose,
    congruent,
    cut,
    discharge,
    generalise,
    induction,
    instance,
    joint,
    limit,
    outgrown,
    recursion_step,
    squeezed,
    substitute,
    sum_split,
    unfold,
)
from proofs.registry import proves
from proofs.wu2024.jordan import STEEP, WIDE, e, first_coordinate, x
from proofs.wu2024.slow_change import (
    enough_steps,
    grown,
    is_slow,
    m,
    n,
    once_positive,
    one_more,
    p,
    positive_later,
    s,
    some_layer,
)

DOMAIN = claims.first_token_tends_to_the_last_axis.domain
LAYERS = ((t, 0, oo),)
LATER = Compare(t, ">=", T + 1)
UP = Compare(e(1, 1), ">", 0)


def outgrowing(top: Any, b: Any) -> Theorem:
    """(b - 1) p_b >= w (t - T - b + 2) p_{b-1} for 2 <= b <= top and t > T, where p_1, ..., p_top > 0 at T."""
    slow = substitute(is_slow(), {i: top})
    rates = []
    for at in (b, b - 1):
        body = instance(slow, at)
        found = joint(body.formula.conclusion, body, given=(Compare(b, "<=", top),))
        rates.append(instance(found, t - 1 - T))
    gained = grown(t - 1, b)
    q, g, h, k, z, slope = symbols("q g h k z v", real=True)  # p_b(t), p_{b-1} at t and t - 1
    lemma = joint(
        Compare((k - 1) * q, ">=", slope * (z - k + 2) * g),
        joint(
            Compare(slope * z * (g - h), "<=", slope * (k - 2) * g),
            given=(Compare(slope, ">", 0), Compare(z * (g - h), "<=", (k - 2) * g)),
        ),
        given=(Compare(z * slope * h, "<=", (k - 1) * q),),
    )
    values = {q: p(t, b), g: p(t, b - 1), h: p(t - 1, b - 1), k: b, z: t - T, slope: w}
    first = joint(Compare((t - T) * w * p(t - 1, b - 1), "<=", (b - 1) * p(t, b)), rates[0], gained)
    second = joint(
        Compare((t - T) * (p(t, b - 1) - p(t - 1, b - 1)), "<=", (b - 2) * p(t, b - 1)), rates[1]
    )
    return cut(substitute(lemma, values), first, second, assume(STEEP), assume(LATER))


# The quotients --------------------------------------------------------------------------------------


def next_quotient() -> Theorem:
    """(38), where its quotients are defined."""
    step, *_ = conjuncts(claims.first_token_tends_to_the_last_axis.formula)
    read = [
        unfold(quotient(t + 1, i), x(t + 1, i) / x(t + 1, i - 1), DOMAIN, LAYERS),
        *(unfold(ratio(at, i - 1), x(at, i - 1) / x(at, 1), DOMAIN, LAYERS) for at in (t, t + 1)),
        *(unfold(place(t, b), x(t, b), DOMAIN, LAYERS) for b in (i, i - 1, i - 2)),
    ]
    moves = [recursion_step(x, t, b) for b in (i, i - 1)]
    ones = [instance(first_coordinate(), at) for at in (t, t + 1)]
    given = (Compare(i, ">=", 3), UP)
    found = joint(step.body, *read, *moves, *ones, given=given)
    return generalise(cut(found, assume(Compare(t, ">=", 0))), t, 0, oo)


@cache
def quotient_is_large() -> Theorem:
    """X_i/X_{i-1} is at least w (t - T - i + 2)/(i - 1)."""
    read = unfold(quotient(t, i), x(t, i) / x(t, i - 1), DOMAIN, LAYERS)
    given = (Compare(i, ">=", 3), UP)
    positive = positive_later(i, t - T, i - 1)
    found = joint(claims.outgrows_from, outgrowing(i, i), read, positive, given=given)
    return cut(found, assume(LATER), assume(given[0]))


def quotient_grows() -> Theorem:
    """So it tends to infinity."""
    bound = claims.outgrows_from.right
    below = joint(Compare(bound, "<=", quotient(t, i)), quotient_is_large())
    slope, shift = Symbol("a", positive=True), Symbol("c", real=True)
    runs = substitute(limit(slope * (t - shift), t), {slope: w / (i - 1), shift: T + i - 2})
    steep = joint(Compare(w / (i - 1), ">", 0), given=(STEEP, Compare(i, ">=", 3)))
    tends = outgrown(generalise(below, t, T + 1, oo), cut(runs, steep))
    return choose(some_layer(), T, tends)


# The last coordinate --------------------------------------------------------------------------------

FAR, ENOUGH = Compare(t, ">=", T + d), claims.enough


def rises(b: Any) -> Theorem:
    """p_{b-1} <= p_b for 2 <= b <= d."""
    q, g, k, z, low, slope, top = symbols("q g k z y v c", real=True)
    steps = (Compare(z, ">=", low), Compare(low * slope, ">", top), Compare(slope, ">", 0))
    steep = joint(Compare(z * slope, ">", top), given=steps)
    given = (Compare(g, ">", 0), Compare(k, ">", 0), Compare(k, "<=", top))
    more = joint(Compare(slope * z * g, ">=", k * g), steep, given=given)
    lemma = joint(
        Compare(g, "<=", q), more, given=(Compare(k * q, ">=", slope * z * g), *given[:2])
    )
    values = {q: p(t, b), g: p(t, b - 1), k: b - 1, z: t - T - b + 2}
    values |= {low: t - T - d, slope: w, top: d - 1}
    known = outgrowing(d, b), positive_later(d, t - T, b - 1), assume(FAR), assume(ENOUGH)
    found = cut(substitute(lemma, values), *known)
    inside = (Compare(b, ">=", 2), Compare(b, "<=", d), FAR, WIDE)
    return cut(found, *map(assume, inside))


@cache
def largest() -> Theorem:
    """p_j <= p_k for j <= k <= d."""

    def upto(k: Any) -> Implies:
        return Implies(Compare(k, "<=", d), ForAll(j, 1, k, Compare(p(t, j), "<=", p(t, k))))

    only = (Compare(j, ">=", 1), Compare(j, "<=", 1))
    same = congruent(x(t, m), m, j, Integer(1))
    alone = joint(Compare(p(t, j), "<=", p(t, 1)), same)
    alone = cut(alone, joint(Compare(j, "=", 1), given=only))
    start = joint(upto(Integer(1)), generalise(alone, j, 1, 1))
    following = Compare(n + 1, "<=", d)
    held = joint(upto(n).conclusion, assume(upto(n)), given=(following,))
    goal = Compare(p(t, j), "<=", p(t, n + 1))
    own = joint(Compare(p(t, n + 1), "<=", p(t, n + 1)))
    every = one_more(goal, t, held, own, cut(rises(n + 1), assume(following)))
    return induction(start, discharge(every, following), n, 1)


@cache
def last_is_nearly_all() -> Theorem:
    """1 - (d - 1)^3/(w (t - T - d + 2))^2 <= X_d/|X_1| <= 1."""
    share = (d - 1) / (w * (t - T - d + 2))
    chain = instance(largest(), d - 1)
    chain = instance(joint(chain.formula.conclusion, chain, given=(WIDE,)), j)
    a, b, g, k, z, y = symbols("a b g k z y", real=True)  # p_j, p_{d-1}, p_d
    given = (
        Compare(a, ">", 0), Compare(a, "<=", b), Compare(k * g, ">=", z * b), Compare(z, ">", 0),
        Compare(k, ">", 0),
    )  # fmt: skip
    small = joint(Compare(z * a, "<=", k * g), given=given)
    small = joint(Compare(a, "<=", k / z * g), small, given=given[3:])
    square = joint(Compare(a**2, "<=", y**2), given=(given[0], Compare(a, "<=", y)))
    square = cut(substitute(square, {y: k / z * g}), small)
    values = {a: p(t, j), b: p(t, d - 1), g: p(t, d), k: d - 1, z: w * (t - T - d + 2)}
    room = joint(Compare(values[z], ">", 0), given=(FAR, STEEP))
    own = cut(
        substitute(square, values), positive_later(d, t - T, j), chain, outgrowing(d, d), room,
        assume(WIDE), assume(FAR),
    )  # fmt: skip
    own = joint(Compare(x(t, j) ** 2, "<=", share**2 * x(t, d) ** 2), own, given=(UP,))
    own = cut(own, assume(Compare(j, "<=", d - 1)), assume(WIDE))
    rest = summed_over(own, (j, d - 1))
    whole = Sum(x(t, j) ** 2, (j, 1, d))
    loss = (d - 1) * share**2
    total = linked(
        Compare(whole, "<=", (1 + loss) * x(t, d) ** 2), rest, cut(sum_split(whole), assume(WIDE))
    )
    squares = summed_over(square_at(x(t, j)), (j, d - 1))
    least = linked(Compare(whole, ">=", x(t, d) ** 2), squares, cut(sum_split(whole), assume(WIDE)))
    size, u = symbols("S u", real=True)
    known = (
        Compare(y, ">", 0), Compare(size, ">=", y**2), Compare(size, "<=", (1 + u) * y**2),
        Compare(u, ">=", 0),
    )  # fmt: skip
    root = joint(Compare(sqrt(size), ">=", y) & Compare(sqrt(size), "<=", (1 + u) * y), given=known)
    lemma = joint(
        Compare(1 - u, "<=", y / sqrt(size)) & Compare(y / sqrt(size), "<=", 1), root, given=known
    )
    positive = joint(Compare(x(t, d), ">", 0), positive_later(d, t - T, d), given=(UP,))
    signs = joint(Compare(loss, ">=", 0), room, given=(WIDE,))
    found = cut(
        substitute(lemma, {size: whole, y: x(t, d), u: loss}), positive, least, total, signs
    )
    read = unfold(last(t), x(t, d) / sqrt(whole), DOMAIN, LAYERS)
    return cut(joint(claims.close(1), found, read), assume(FAR), assume(WIDE), assume(STEEP))


def ends_on_the_axis() -> Theorem:
    """X_d/|X_1| tends to one."""
    many = enough_steps(d - 1, w)
    more = joint(Compare(s * w, ">", d - 1), assume(body_at(many.formula, s)), given=(WIDE,))
    from_here = Compare(t, ">=", T + d + s)
    enough = joint(ENOUGH, more, given=(from_here, STEEP))
    near = cut(last_is_nearly_all(), enough, assume(from_here))
    others, most = conjuncts(near.formula)
    below = joint(Compare(1 - others.right, "<=", last(t)), near)
    low, high = (generalise(side, t, T + d + s, oo) for side in (below, joint(most, near)))
    slope, shift, size = Symbol("a", positive=True), Symbol("c", real=True), Symbol("q", real=True)
    rule = limit(1 - size / (slope * (t - shift)) ** 2, t)
    end = cut(substitute(rule, {slope: w, shift: T + d - 2, size: (d - 1) ** 3}), assume(STEEP))
    tends = squeezed(low, high, end, limit(Integer(1), t))
    tends = choose(cut(many, assume(STEEP)), s, tends)
    return choose(substitute(some_layer(), {i: d}), T, tends)


@proves(claims.first_token_tends_to_the_last_axis)
def by_slow_change(claim: Claim) -> Certificate:
    """What a coordinate gains is a multiple of the one before; in the norm the last one survives."""
    rates = (
        once_positive(quotient_is_large(), T + 1, i, DOMAIN),
        once_positive(discharge(last_is_nearly_all(), ENOUGH), T + d, d, DOMAIN),
    )
    theorem = both(next_quotient(), quotient_grows(), ends_on_the_axis(), *rates)
    return conclude(claim, theorem, method="differences of the coordinates")
