"""Sensitivities from layer to layer: the sum of absolute values hardly grows."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from sympy import Abs, Expr, Integer, Rational, Sum, Symbol, symbols

from claims.im2026.notation import T, depth, i, j, layer, m, words
from claims.im2026.parting_layers import follows
from claims.im2026.small_starts import attention, hidden, score, sensitivity, value, weight
from claims.statement import Compare, Formula
from proofs.calculation import at_places, linked, place, summed_over
from proofs.facts import FUBINI
from proofs.im2026.absolute_sums import carried, per_text, spread, total
from proofs.im2026.contexts import t
from proofs.im2026.orders import BEFORE, LAYER, PLACE, ROW, TEXT, at_layer, every, n, q
from proofs.im2026.small_passes import NEAR, attention_row, over_layers, state_short
from proofs.im2026.small_scores import scores_size
from proofs.im2026.small_sensitivities import (
    G_SIZE,
    PASSED,
    sensed,
    top_near,
    top_size,
    value_column,
)
from proofs.im2026.small_weights import (
    ALL,
    ATTENTION,
    ATTENTION_ROWS,
    TOKENS,
    TURNED,
    box,
    by,
    far,
    named,
    said_of,
    sum_sign,
    y,
)
from proofs.kernel import (
    Theorem,
    assume,
    cut,
    discharge,
    fact,
    induction,
    instance,
    joint,
    substitute,
    sum_rearranged,
    sum_split,
)

# From layer to layer ------------------------------------------------------------------------------


def extended(term: Callable[[Any], Expr], zero: Theorem) -> Theorem:
    """The sum over all tokens is the sum over those that a row sees: `zero` says so of the others."""

    def body(steps: Any) -> Compare:
        return Compare(Sum(term(m), (m, 1, t + steps)), "=", Sum(term(m), BEFORE))

    def whole(steps: Any) -> Formula:
        return Compare(steps, "<=", T - t).implies(body(steps))

    after = Compare(q + 1, "<=", T - t)
    before = joint(body(q), assume(whole(q)), assume(after))
    last = sum_split(Sum(term(m), (m, 1, t + q + 1)))
    none = instance(every(zero, (m, t + 1, T)), t + q + 1)
    none = cut(none, joint(Compare(t + q + 1, "<=", T), assume(after)))
    last = cut(last, joint(Compare(1, "<=", t + q + 1), given=(Compare(t, ">=", 1),)))
    step = discharge(joint(body(q + 1), before, last, none), after)
    start = joint(whole(Integer(0)))
    found = instance(induction(start, step, q), T - t)
    return joint(body(T - t), found)


def unseen(quantity: Any) -> Theorem:
    """An entry beyond the tokens that a row sees is zero."""
    return said_of(quantity(n, layer, i, t, m), Integer(0), LAYER, TEXT, PLACE, (m, t + 1, T))


def over_all(quantity: Any, most: Any, known: Theorem) -> Theorem:
    """A bound of the sum of absolute values over all tokens, from that over those which a row sees."""
    body = quantity(n, layer, i, t, m)
    none = joint(Compare(Abs(body), "=", 0), unseen(quantity))
    whole = extended(lambda one: Abs(quantity(n, layer, i, t, one)), none)
    theorem = linked(Compare(Sum(Abs(body), ALL), "<=", most), whole, known)
    return every(theorem, LAYER, TEXT, PLACE)


@cache
def mixing_size() -> Theorem:
    """sum_m |A_tm| <= 1 over all tokens."""
    return over_all(weight, Integer(1), at_places(attention_row()[1], layer, i, t))


@cache
def all_scores_size() -> Theorem:
    """sum_m |S_tm| <= 27 y^2 g / 4 over all tokens."""
    return over_all(score, 2 * PASSED, at_places(scores_size(), layer, i, t))


def turned_about(
    a: Callable[[Any], Expr], r: Callable[[Any], Expr], rows: Any, columns: Any, by_rows: Theorem,
    by_columns: Theorem, sign: Theorem,
) -> Theorem:  # fmt: skip
    """sum_tj |sum_m a_mt r_mj| <= sum_m rows_m columns_m.

    `by_rows` says that sum_j |r_mj| <= rows_m, which `sign` says is not negative; `by_columns` that
    sum_t |a_mt| <= columns_m.
    """
    found = summed_over(spread(a(m), r(m), ALL, ROW), PLACE)
    bound = by_rows.formula.left
    p, u, v = symbols("p u v", real=True)
    each = joint(Compare(Abs(p) * u, "<=", Abs(p) * v), given=(Compare(u, "<=", v),))
    each = cut(substitute(each, {p: a(m), u: bound, v: rows}), by_rows)
    less = summed_over(each, PLACE, ALL)
    turned = fact(FUBINI, a=Abs(a(m)) * rows, j=t, k=m, rows=T, columns=T)
    pulled = sum_rearranged(Sum(Abs(a(m)) * rows, PLACE), rows * Sum(Abs(a(m)), PLACE))
    product = joint(Compare(u * p, "<=", u * v), given=(Compare(p, "<=", v), Compare(u, ">=", 0)))
    product = cut(
        substitute(product, {u: rows, p: Sum(Abs(a(m)), PLACE), v: columns}), by_columns, sign
    )
    last = summed_over(
        joint(Compare(pulled.formula.left, "<=", rows * columns), pulled, product), ALL
    )
    return linked(
        Compare(found.formula.left, "<=", Sum(rows * columns, ALL)), found, less, turned, last
    )


WORDED = 54 * y**4
"""The largest sum of a row of h W."""


def at_position(theorem: Theorem, position: Any) -> Theorem:
    """A theorem about position t, at another one."""
    return instance(every(theorem, PLACE), position)


@cache
def layer_step() -> Theorem:
    """sum_tj |G^(l-1) - G^(l)| <= 4 y^2 sum_t g_t."""
    a = place("a")
    limits = (a, 1, words)
    own = lambda position, one: sensitivity(n, layer, i, position, one)  # noqa: E731
    valued = Sum(own(m, a) * value(n, layer, j, a), limits)
    rows_of_g = carried(
        own(t, a), value(n, layer, j, a), limits, ROW, 3 * y**2, named(value_column(a), ROW)
    )
    rows_of_g = linked(Compare(rows_of_g.formula.left, "<=", 3 * y**2 * G_SIZE), rows_of_g)
    g_at = lambda position: Sum(Abs(own(position, j)), ROW)  # noqa: E731
    rows_of_g = at_position(rows_of_g, m)
    square = by(Compare(y**2, ">=", 0))
    u, v = symbols("u v", real=True)
    product = joint(Compare(3 * u * v, ">=", 0), given=(Compare(u, ">=", 0), Compare(v, ">=", 0)))
    sign = cut(substitute(product, {u: y**2, v: g_at(m)}), square, sum_sign(own(m, j), ROW))
    mixing = columns_named(mixing_size())
    first = turned_about(
        lambda one: weight(n, layer, i, one, t), lambda one: Sum(own(one, a) * value(n, layer, j, a), limits),
        3 * y**2 * g_at(m), Integer(1), rows_of_g, mixing, sign,
    )  # fmt: skip
    state = lambda position, one: hidden(n, layer - 1, i, position, one)  # noqa: E731
    fourth = by(Compare(y**4, ">=", 0))

    def worded(entry: Expr, small: Theorem) -> Theorem:
        found = carried(state(m, a), entry, limits, ROW, TURNED, small)
        size = linked(Compare(Sum(Abs(state(m, a)), limits), "<=", NEAR), state_short(layer - 1, m))
        less = joint(
            Compare(48 * u * v, "<=", 54 * u),
            given=(Compare(v, "<=", NEAR), Compare(u, ">=", 0)),
        )
        less = cut(substitute(less, {u: y**4, v: size.formula.left}), size, fourth)
        return linked(Compare(found.formula.left, "<=", WORDED), found, less)

    out = worded(attention(n, layer, j, a), at_places(assume(ATTENTION), layer, a))
    back = worded(
        attention(n, layer, a, j), named(at_places(assume(ATTENTION_ROWS), layer, a), ROW)
    )
    scores_row = at_places(all_scores_size(), layer, i, t)
    second = carried(
        score(n, layer, i, t, m),
        Sum(state(m, a) * attention(n, layer, j, a), limits),
        ALL,
        ROW,
        WORDED,
        out,
    )
    w = Symbol("w", real=True)
    scaled = joint(Compare(w * u, "<=", w * v), given=(Compare(u, "<=", v), Compare(w, ">=", 0)))
    positive = joint(Compare(WORDED, ">=", 0), fourth)
    less = cut(
        substitute(scaled, {w: WORDED, u: scores_row.formula.left, v: scores_row.formula.right}), scores_row,
        positive,
    )  # fmt: skip
    second = joint(Compare(second.formula.left, "<=", less.formula.right), second, less)
    second = summed_over(second, PLACE)
    third = turned_about(
        lambda one: score(n, layer, i, one, t),
        lambda one: Sum(state(one, a) * attention(n, layer, a, j), limits),
        WORDED, Rational(27, 4) * y**2 * g_at(m), back, columns_named(all_scores_size()), positive,
    )  # fmt: skip
    terms = (
        Sum(weight(n, layer, i, m, t) * valued, ALL),
        Sum(score(n, layer, i, t, m) * Sum(state(m, a) * attention(n, layer, j, a), limits), ALL),
        Sum(score(n, layer, i, m, t) * Sum(state(m, a) * attention(n, layer, a, j), limits), ALL),
    )  # fmt: skip
    now = said_of(
        sensitivity(n, layer - 1, i, t, j), own(t, j) + sum(terms), (layer, 2, depth), *TOKENS
    )
    gap = sensitivity(n, layer - 1, i, t, j) - own(t, j)
    each = joint(Compare(Abs(gap), "<=", sum(Abs(term) for term in terms)), now)
    found = summed_over(each, PLACE, ROW)
    sums = [total(Abs(term), PLACE, ROW) for term in terms]
    pulled = sum_rearranged(found.formula.right, sum(sums))
    whole_g = Sum(G_SIZE, PLACE)
    ends = [
        linked(Compare(sums[0], "<=", 3 * y**2 * whole_g), first),
        linked(Compare(sums[1], "<=", Rational(729, 2) * y**6 * whole_g), second),
        linked(Compare(sums[2], "<=", Rational(729, 2) * y**6 * whole_g), third),
    ]
    given = (Compare(u, ">=", 0), Compare(u, "<=", Rational(1, 12)), Compare(v, ">=", 0))
    square_ = joint(Compare(u**2, "<=", Rational(1, 144)), given=given[:2])
    fourth_ = joint(Compare(u**4, "<=", Rational(1, 20736)), square_, joint(Compare(u**2, ">=", 0)))
    sixth = joint(
        Compare(729 * (u**4 * (u**2 * v)), "<=", u**2 * v),
        fourth_,
        joint(Compare(u**2 * v, ">=", 0), given=given[2:]),
    )
    size = joint(Compare(3 * u**2 * v + 729 * u**6 * v, "<=", 4 * u**2 * v), sixth)
    size = cut(
        substitute(size, {u: y, v: whole_g}),
        *box,
        linked(Compare(whole_g, ">=", 0), sum_sign(sensed(j), PLACE, ROW)),
    )
    goal = Compare(found.formula.left, "<=", 4 * y**2 * whole_g)
    theorem = joint(goal, found, pulled, *ends, size)
    return every(theorem, (layer, 2, depth), TEXT)


def columns_named(known: Theorem) -> Theorem:
    """A bound of row t, over positions m, as one of row m over positions t."""
    row = at_places(known, layer, i, m)
    old = row.formula.left
    (index, _, _), body = old.limits[0], old.function
    return row if index == t else linked(
        Compare(Sum(body.subs(index, t), PLACE), "<=", row.formula.right), row
    )  # fmt: skip


TOP = Rational(21, 4) * y * T
"""The largest sum of absolute values of G in the last layer."""


@cache
def across_layers() -> Theorem:
    """sum_tj |G^(L-q) - G^(L)| <= 8 q y^2 TOP."""
    at = depth - q
    own = lambda place_: sensitivity(n, place_, i, t, j)  # noqa: E731

    def gap(place_: Any) -> Any:
        return total(Abs(own(place_) - own(depth)), PLACE, ROW)

    body = Compare(gap(at), "<=", 8 * q * y**2 * TOP)
    none = joint(Compare(Abs(own(depth) - own(depth)), "=", 0))
    none = summed_over(none, PLACE, ROW)
    start = linked(body.substitute({q: Integer(0)}), none)
    last = linked(
        Compare(total(Abs(own(depth)), PLACE, ROW), "<=", TOP),
        per_text(at_places(top_size(), i, t), TOP / T),
    )
    u, p, b, e, f, w = symbols("u p b e f w", real=True)

    def step(before: Theorem) -> Theorem:
        known = at_places(before, i)
        moved = at_places(layer_step(), at, i)
        size = substitute(
            joint(Compare(Abs(p), "<=", Abs(p - b) + Abs(b))), {p: own(at), b: own(depth)}
        )
        size = summed_over(size, PLACE, ROW)
        size_ = sum_rearranged(size.formula.right, gap(at) + total(Abs(own(depth)), PLACE, ROW))
        each = substitute(
            joint(Compare(Abs(p - b), "<=", Abs(e - p) + Abs(e - b))),
            {p: own(at - 1), b: own(depth), e: own(at)},
        )
        found = summed_over(each, PLACE, ROW)
        steps = total(Abs(own(at) - own(at - 1)), PLACE, ROW)
        pulled = sum_rearranged(found.formula.right, steps + gap(at))
        few = Compare(8 * w * u**2, "<=", 1)
        given = (
            Compare(e, "<=", 4 * u**2 * f), Compare(f, "<=", p + b), Compare(p, "<=", 8 * w * u**2 * b),
            few, Compare(b, ">=", 0), Compare(u, ">=", 0), Compare(w, ">=", 0),
        )  # fmt: skip
        twice = joint(
            Compare(f, "<=", 2 * b),
            joint(Compare(8 * w * u**2 * b, "<=", b), given=given[3:5]),
            given=given[1:3],
        )
        more = joint(
            Compare(e, "<=", 8 * u**2 * b),
            joint(Compare(4 * u**2 * f, "<=", 8 * u**2 * b), twice),
            given=given[:1],
        )
        goal = joint(Compare(e + p, "<=", 8 * (w + 1) * u**2 * b), more, given=given[2:3])
        terms = {
            e: steps, f: total(Abs(own(at)), PLACE, ROW), p: gap(at), b: TOP, u: y, w: q,
        }  # fmt: skip
        sizes = linked(Compare(terms[f], "<=", gap(at) + TOP), size, size_, last)
        few_ = layers_few()
        goal = cut(
            substitute(goal, terms), linked(Compare(steps, "<=", 4 * y**2 * terms[f]), moved), sizes, known,
            few_, by(Compare(TOP, ">=", 0)), *box, joint(Compare(q, ">=", 0)),
        )  # fmt: skip
        return linked(body.substitute({q: q + 1}), found, pulled, goal)

    return over_layers(depth - 1, body, start, step, (TEXT,))


def layers_few() -> Theorem:
    """8 q y^2 <= 1 for q <= L."""
    a, b, u = symbols("a b u", real=True)
    given = (
        Compare(a, "<=", b), Compare(b * u, "<=", Rational(1, 12)), Compare(u, ">=", 0),
        Compare(u, "<=", Rational(1, 12)),
    )  # fmt: skip
    less = joint(Compare(a * u, "<=", Rational(1, 12)), given=given[:3])
    small = joint(Compare(a * u * u, "<=", Rational(1, 144)), less, given=given[2:])
    found = joint(Compare(8 * a * u**2, "<=", 1), small)
    return cut(
        substitute(found, {a: q, b: depth, u: y}),
        joint(Compare(q, "<=", depth), given=(Compare(q + 1, "<=", depth - 1),)),
        *box,
    )


SENSED, SENSED_GAP = Rational(28, 5) * y, Rational(35, 2) * y**2


@cache
def sensed_totals() -> tuple[Theorem, Theorem]:
    """sum_t g_t <= 28 y T / 5, and sum_t d_t <= 35 y^2 T / 2, in every layer."""
    own = lambda place_: sensitivity(n, place_, i, t, j)  # noqa: E731
    known = at_layer(across_layers(), depth - layer, i)
    gap = total(Abs(own(layer) - own(depth)), PLACE, ROW)
    known = linked(Compare(gap, "<=", 8 * (depth - layer) * y**2 * TOP), known)
    p, b, e, u, w, v = symbols("p b e u w v", real=True)
    given = (
        Compare(v * u, "<=", Rational(1, 12)), Compare(u, ">=", 0), Compare(w, ">=", 1), Compare(b, ">=", 1),
    )  # fmt: skip
    few = joint(Compare((v - w) * u, "<=", Rational(1, 12)), given=given[:3])
    flat = joint(Compare(8 * (v - w) * u**2, "<=", Rational(2, 3) * u), few, given=given[1:2])
    z = Symbol("z", real=True)
    times = joint(
        Compare(
            z * (Rational(21, 4) * u * b), "<=", Rational(2, 3) * u * (Rational(21, 4) * u * b)
        ),
        joint(Compare(u * b, ">=", 0), given=given[1:]),
        given=(Compare(z, "<=", Rational(2, 3) * u),),
    )
    times = cut(substitute(times, {z: 8 * (v - w) * u**2}), flat)
    times = cut(
        substitute(times, {v: depth, w: layer, u: y, b: T}), *box, joint(Compare(layer, ">=", 1)),
        joint(Compare(T, ">=", 1)),
    )  # fmt: skip
    moved = linked(Compare(gap, "<=", Rational(7, 2) * y**2 * T), known, times)
    each = substitute(
        joint(Compare(Abs(p), "<=", Abs(p - b) + Abs(b))), {p: own(layer), b: own(depth)}
    )
    found = summed_over(each, PLACE, ROW)
    pulled = sum_rearranged(found.formula.right, gap + total(Abs(own(depth)), PLACE, ROW))
    last = per_text(at_places(top_size(), i, t), TOP / T)
    small = joint(
        Compare(Rational(7, 2) * u**2 * b, "<=", Rational(7, 24) * u * b),
        joint(Compare(u * (u * b), "<=", u * b / 12), joint(
            Compare(u * b, ">=", 0), given=(given[1], given[3])), given=(Compare(u, "<=", Rational(1, 12)),)),
    )  # fmt: skip
    small = cut(substitute(small, {u: y, b: T}), *box, joint(Compare(T, ">=", 1)))
    whole = linked(
        Compare(total(Abs(own(layer)), PLACE, ROW), "<=", SENSED * T), found, pulled, last, moved, small,
        by(Compare(y * T, ">=", 0), joint(Compare(T, ">=", 1))),
    )  # fmt: skip
    f = far * follows(i, t, j)
    each = substitute(
        joint(Compare(Abs(p - e), "<=", Abs(p - b) + Abs(b - e))),
        {p: own(layer), b: own(depth), e: f},
    )
    found = summed_over(each, PLACE, ROW)
    ends = total(Abs(own(depth) - f), PLACE, ROW)
    pulled = sum_rearranged(found.formula.right, gap + ends)
    near = per_text(at_places(top_near(), i, t), 14 * y**2)
    gaps = linked(
        Compare(total(Abs(own(layer) - f), PLACE, ROW), "<=", SENSED_GAP * T),
        found,
        pulled,
        near,
        moved,
    )
    return every(whole, LAYER, TEXT), every(gaps, LAYER, TEXT)
