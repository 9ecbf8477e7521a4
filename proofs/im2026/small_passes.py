"""Hidden states, attention and outputs of networks whose weights are small."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from sympy import Abs, Expr, Integer, Rational, Sum, Symbol, exp, symbols

from claims.im2026.notation import depth, i, j, k, layer, m, words
from claims.im2026.small_starts import (
    attention,
    hidden,
    logit,
    output,
    positions,
    probability,
    value,
    weight,
)
from claims.statement import Compare, Formula
from proofs.calculation import at_places, linked, place, summed_over
from proofs.im2026.absolute_sums import Range, carried, near_uniform, total, triangle, weighed_by
from proofs.im2026.bigrams import x
from proofs.im2026.contexts import t
from proofs.im2026.lowest_orders import centred
from proofs.im2026.orders import (
    BEFORE,
    COLUMN,
    LAYER,
    PLACE,
    ROW,
    TEXT,
    at_layer,
    every,
    in_prefix,
    n,
    q,
    said,
)
from proofs.im2026.small_weights import (
    ALL,
    ATTENTION_ROWS,
    POSITIONS,
    TOKENS,
    TURNED,
    box,
    by,
    following_size,
    named,
    output_is_small,
    said_of,
    token_size,
    value_rows,
    y,
)
from proofs.kernel import (
    Theorem,
    assume,
    cut,
    discharge,
    induction,
    instance,
    joint,
    substitute,
    sum_at_least_term,
    sum_rearranged,
)

# Forward ------------------------------------------------------------------------------------------


@cache
def attention_row() -> tuple[Theorem, Theorem]:
    """A is not negative, and its rows add up to one."""
    z = lambda at: logit(n, layer, i, t, at)  # noqa: E731
    own, limits = exp(z(m)), BEFORE
    whole = Sum(exp(z(k)), (k, 1, t))
    signs = every(joint(Compare(own, ">=", 0)), BEFORE)
    first = joint(Compare(exp(z(Integer(1))), ">", 0))
    positive = joint(Compare(whole, ">", 0), sum_at_least_term(signs, Integer(1)), first)
    now = said_of(weight(n, layer, i, t, m), own / whole, LAYER, TEXT, PLACE, BEFORE)
    e, s, g = symbols("e S g", real=True)
    ratio = joint(Compare(e / s, ">=", 0), given=(Compare(e, ">", 0), Compare(s, ">", 0)))
    ratio = cut(substitute(ratio, {e: own, s: whole}), joint(Compare(own, ">", 0)), positive)
    sign = joint(Compare(weight(n, layer, i, t, m), ">=", 0), now, ratio)
    pulled = sum_rearranged(Sum(g * own, limits), g * whole)
    pulled = cut(substitute(pulled, {g: 1 / whole}), positive)
    found = summed_over(now, BEFORE)
    goal = Compare(Sum(weight(n, layer, i, t, m), BEFORE), "=", 1)
    one = linked(goal, found, pulled, joint(Compare(pulled.formula.right, "=", 1), positive))
    size = joint(Compare(Abs(weight(n, layer, i, t, m)), "=", weight(n, layer, i, t, m)), sign)
    sizes = summed_over(size, BEFORE)
    one_size = joint(Compare(Sum(Abs(weight(n, layer, i, t, m)), BEFORE), "=", 1), sizes, one)
    seen = (LAYER, TEXT, PLACE)
    return every(sign, *seen, BEFORE), every(one_size, *seen)


def over_layers(
    last: Any,
    body: Formula,
    start: Theorem,
    step: Callable[[Theorem], Theorem],
    ranges: tuple[Range, ...],
) -> Theorem:
    """For q from zero to `last` and all indices: `step` is given the case q for all of them."""
    after = Compare(q + 1, "<=", last)
    whole = Compare(q, "<=", last).implies(said(body, *ranges))
    before = joint(said(body, *ranges), assume(whole), assume(after))
    found = step(before)
    following_ = discharge(every(cut(found, assume(after)), *ranges), after)
    first = joint(whole.substitute({q: Integer(0)}), every(start, *ranges))
    return induction(first, following_, q)


NEAR = Rational(9, 8)


def state_size(known: Theorem, state: Expr, position: Any) -> Theorem:
    """sum_j |h_tj| <= 9/8, where sum_j |h_tj - X_tj| is at most 1/8."""
    own = x(i, position, j)
    u, v = symbols("u v", real=True)
    each = substitute(joint(Compare(Abs(u), "<=", Abs(u - v) + Abs(v))), {u: state, v: own})
    found = summed_over(each, ROW)
    pulled = sum_rearranged(found.formula.right, Sum(Abs(state - own), ROW) + Sum(Abs(own), ROW))
    return joint(
        Compare(found.formula.left, "<=", NEAR), found, pulled, known, token_size(position)
    )


def layers_are_few(at: Any) -> Theorem:
    """6 l y^2 <= y / 2 for l <= L."""
    a, b, u = symbols("a b u", real=True)
    given = (
        Compare(a, "<=", b), Compare(b * u, "<=", Rational(1, 12)), Compare(u, ">=", 0),
    )  # fmt: skip
    less = joint(Compare(a * u, "<=", Rational(1, 12)), given=given)
    found = joint(Compare(6 * a * u**2, "<=", u / 2), less, given=given[2:])
    return cut(substitute(found, {a: at, b: depth, u: y}), *box)


@cache
def forward() -> Theorem:
    """sum_j |h_tj - X_tj| <= 6 l y^2 after l layers."""
    places = (TEXT, PLACE)

    def apart(at: Any, position: Any) -> Any:
        return Sum(Abs(hidden(n, at, i, position, j) - x(i, position, j)), ROW)

    body = Compare(apart(q, t), "<=", 6 * q * y**2)
    one = said_of(hidden(n, 0, i, t, j), x(i, t, j), *TOKENS)
    none = joint(Compare(Abs(hidden(n, 0, i, t, j) - x(i, t, j)), "=", 0), one)
    none = summed_over(none, ROW)
    start = linked(body.substitute({q: Integer(0)}), none)
    b = place("b")

    def step(before: Theorem) -> Theorem:
        below = layers_are_few(q)
        there = in_prefix(at_places(before, i, m))
        near = by(Compare(apart(q, m), "<=", Rational(1, 8)), there, below)
        size = state_size(near, hidden(n, q, i, m, j), m)
        moved = Sum(hidden(n, q, i, m, b) * value(n, q + 1, b, j), (b, 1, words))
        rows = at_places(value_rows(), q + 1, b)
        small = carried(
            hidden(n, q, i, m, b),
            value(n, q + 1, b, j),
            (b, 1, words),
            ROW,
            3 * y**2,
            named(rows, ROW),
        )
        u, v = symbols("u v", real=True)
        less = joint(
            Compare(3 * u * v, "<=", Rational(27, 8) * u),
            given=(Compare(v, "<=", NEAR), Compare(u, ">=", 0)),
        )
        less = cut(
            substitute(less, {u: y**2, v: size.formula.left}), size, by(Compare(y**2, ">=", 0))
        )
        small = in_prefix(
            linked(Compare(small.formula.left, "<=", Rational(27, 8) * y**2), small, less)
        )
        mixed = carried(
            weight(n, q + 1, i, t, m), moved, BEFORE, ROW, Rational(27, 8) * y**2, small
        )
        mixed = joint(
            Compare(mixed.formula.left, "<=", Rational(27, 8) * y**2), mixed,
            at_places(attention_row()[1], q + 1, i, t),
        )  # fmt: skip
        added = Sum(weight(n, q + 1, i, t, m) * moved, BEFORE)
        now = said_of(
            hidden(n, q + 1, i, t, j), hidden(n, q, i, t, j) + added, (q, 0, depth - 1), *TOKENS
        )
        each = joint(
            Compare(
                Abs(hidden(n, q + 1, i, t, j) - x(i, t, j)), "<=",
                Abs(hidden(n, q, i, t, j) - x(i, t, j)) + Abs(added),
            ), now,
        )  # fmt: skip
        found = summed_over(each, ROW)
        pulled = sum_rearranged(found.formula.right, apart(q, t) + mixed.formula.left)
        return by(body.substitute({q: q + 1}), found, pulled, mixed, at_places(before, i, t))

    return over_layers(depth, body, start, step, places)


def state_near(at: Any, position: Any = t) -> Theorem:
    """sum_j |h_tj - X_tj| <= y / 2, for a layer up to the last."""
    known = at_layer(forward(), at, i, position)
    return by(Compare(known.formula.left, "<=", y / 2), known, layers_are_few(at))


def state_short(at: Any, position: Any = t) -> Theorem:
    """sum_j |h_tj| <= 9/8."""
    known = state_near(at, position)
    near = by(Compare(known.formula.left, "<=", Rational(1, 8)), known)
    return state_size(near, hidden(n, at, i, position, j), position)


def entry_below(
    term: Callable[[Any], Expr], limits: Range, at: Any, most: Any, known: Theorem
) -> Theorem:
    """|a_k| <= c at one index, where sum_k |a_k| <= c."""
    index = limits[0]
    signs = every(joint(Compare(Abs(term(index)), ">=", 0)), limits)
    one = sum_at_least_term(signs, at)
    return linked(Compare(Abs(term(at)), "<=", most), one, known)


def state_entry(at: Any, position: Any, word: Any) -> Theorem:
    """|h_tj| <= 9/8."""
    return entry_below(
        lambda one: hidden(n, at, i, position, one), ROW, word, NEAR, state_short(at, position)
    )


def passed(
    g: Callable[[Any], Expr], v: Callable[[Any, Any], Expr], h: Callable[[Any], Expr], most: Any,
    columns: Callable[[Any], Theorem], high: Any, entries: Callable[[Any], Theorem], *signs: Theorem,
) -> Theorem:  # fmt: skip
    """|sum_ab g_a v_ba h_b| <= c H sum_a |g_a|, where sum_b |v_ba| <= c and |h_b| <= H."""
    a, b = place("a"), place("b")
    limits = ((a, 1, words), (b, 1, words))
    p, r, s, c = symbols("p r s c", real=True)
    one = joint(Compare(Abs(r * s), "<=", c * Abs(r)), given=(Compare(Abs(s), "<=", c),))
    product = joint(Compare(Abs(p * r * s), "=", Abs(p) * Abs(r * s)))
    each = joint(Compare(Abs(p * r * s), "<=", Abs(p) * (c * Abs(r))), one, product)
    each = cut(substitute(each, {p: g(a), r: v(b, a), s: h(b), c: high}), entries(b))
    found = summed_over(each, *limits)
    inner = sum_rearranged(
        Sum(each.formula.right, limits[1]), high * (Abs(g(a)) * Sum(Abs(v(b, a)), limits[1]))
    )
    pulled = summed_over(inner, limits[0])
    bound = weighed_by(g(a), most, named(columns(a), limits[1]), limits[0])
    out = sum_rearranged(pulled.formula.right, high * bound.formula.left)
    u, w, z = symbols("u w z", real=True)
    scaled = joint(Compare(z * u, "<=", z * w), given=(Compare(u, "<=", w), Compare(z, ">=", 0)))
    scaled = cut(
        substitute(scaled, {u: bound.formula.left, w: bound.formula.right, z: high}), bound, *signs
    )
    tri = triangle(g(a) * v(b, a) * h(b), *limits)
    goal = Compare(tri.formula.left, "<=", high * bound.formula.right)
    return joint(goal, tri, found, pulled, out, scaled)


# How attention and outputs move -------------------------------------------------------------------

LOGIT, MIXED = 109 * y**4, Rational(545, 2) * y**4
"""The largest logit of attention, and its rows' distance from uniform ones."""
OUTPUT_LOGIT, GUESSED, RESIDUAL = Rational(45, 32) * y, Rational(225, 64) * y, Rational(7, 3)
"""The largest logit of the output, how far probabilities are from uniform ones, and what comes next."""


@cache
def logit_size() -> Theorem:
    """|Z_tm| <= 109 y^4."""
    a, b = place("a"), place("b")
    at = layer - 1
    body = hidden(n, at, i, t, a) * attention(n, layer, a, b) * hidden(n, at, i, m, b)
    rows = lambda one: at_places(assume(ATTENTION_ROWS), layer, one)  # noqa: E731
    found = passed(
        lambda one: hidden(n, at, i, t, one), lambda row, column: attention(n, layer, column, row),
        lambda one: hidden(n, at, i, m, one), TURNED, rows, NEAR, lambda one: state_entry(at, m, one),
    )  # fmt: skip
    u, v = symbols("u v", real=True)
    less = joint(
        Compare(54 * u * v, "<=", Rational(243, 4) * u),
        given=(Compare(v, "<=", NEAR), Compare(u, ">=", 0)),
    )
    fourth = by(Compare(y**4, ">=", 0))
    size = state_short(at)
    less = cut(substitute(less, {u: y**4, v: size.formula.left}), size, fourth)
    apart = in_prefix(
        entry_below(
            lambda one: positions(n, layer, one), ALL, t - m + 1, TURNED, instance(assume(POSITIONS), layer)
        )
    )  # fmt: skip
    now = said_of(
        logit(n, layer, i, t, m), total(body, (a, 1, words), (b, 1, words)) + positions(n, layer, t - m + 1),
        LAYER, TEXT, PLACE, BEFORE,
    )  # fmt: skip
    theorem = linked(
        Compare(Abs(logit(n, layer, i, t, m)), "<=", LOGIT), now, found, less, apart, fourth
    )
    return every(in_prefix(theorem), LAYER, TEXT, PLACE, BEFORE)


def fourth_power() -> Theorem:
    """y^4 <= 1 / 20736."""
    u = Symbol("u", real=True)
    given = (Compare(u, ">=", 0), Compare(u, "<=", Rational(1, 12)))
    square = joint(Compare(u**2, "<=", Rational(1, 144)), given=given)
    v = Symbol("v", real=True)
    fourth = joint(
        Compare(v**2, "<=", Rational(1, 20736)),
        given=(Compare(v, ">=", 0), Compare(v, "<=", Rational(1, 144))),
    )
    return by(
        Compare(y**4, "<=", Rational(1, 20736)), cut(substitute(square, {u: y}), *box),
        cut(substitute(fourth, {v: y**2}), cut(substitute(square, {u: y}), *box), by(Compare(y**2, ">=", 0))),
    )  # fmt: skip


@cache
def attention_near() -> Theorem:
    """|A_tm - 1/t| <= 545 y^4 / (2 t) on the tokens that a row sees."""
    z = lambda at: logit(n, layer, i, t, at)  # noqa: E731
    known = at_places(logit_size(), layer, i, t, m)
    near = near_uniform(z, t, m, LOGIT, known)
    small = by(Compare(LOGIT, "<=", Rational(1, 8)), fourth_power())
    sign = by(Compare(LOGIT, ">=", 0))
    near = cut(near, small, sign)
    now = said_of(
        weight(n, layer, i, t, m), exp(z(m)) / Sum(exp(z(k)), (k, 1, t)), LAYER, TEXT, PLACE, BEFORE
    )
    goal = Compare(Abs(weight(n, layer, i, t, m) - 1 / t), "<=", MIXED / t)
    near = linked(goal, near, now)
    return every(near, LAYER, TEXT, PLACE, BEFORE)


@cache
def attention_moved() -> Theorem:
    """sum_m |A_tm - 1/t| <= 545 y^4 / 2."""
    found = summed_over(at_places(attention_near(), layer, i, t, m), BEFORE)
    divided = joint(Compare(t / t, "=", 1), given=(Compare(t, ">=", 1),))
    theorem = linked(
        Compare(found.formula.left, "<=", MIXED), found, divided, given=(Compare(t, ">=", 1),)
    )
    return every(theorem, LAYER, TEXT, PLACE)


def output_logit(word: Any) -> Expr:
    """An entry of h W_O."""
    a = place("a")
    return Sum(hidden(n, depth, i, t, a) * output(n, a, word), (a, 1, words))


@cache
def output_logits_size() -> Theorem:
    """|F_tk| <= 45 y / 32."""
    a = place("a")
    tri = triangle(hidden(n, depth, i, t, a) * output(n, a, k), (a, 1, words))
    u, v = symbols("u v", real=True)
    product = joint(
        Compare(Abs(u * v), "<=", 5 * y / 4 * Abs(u)), given=(Compare(Abs(v), "<=", 5 * y / 4),)
    )
    small = at_places(every(output_is_small(), ROW, COLUMN), a, k)
    each = cut(substitute(product, {u: hidden(n, depth, i, t, a), v: output(n, a, k)}), small)
    found = summed_over(each, (a, 1, words))
    size = Sum(Abs(hidden(n, depth, i, t, a)), (a, 1, words))
    pulled = sum_rearranged(found.formula.right, 5 * y / 4 * size)
    short = linked(Compare(size, "<=", NEAR), state_short(depth))
    bound = by(Compare(5 * y / 4 * size, "<=", OUTPUT_LOGIT), short)
    return joint(Compare(Abs(output_logit(k)), "<=", OUTPUT_LOGIT), tri, found, pulled, bound)


def probability_read() -> Theorem:
    """An entry of the softmax of the outputs."""
    whole = Sum(exp(output_logit(j)), (j, 1, words))
    share = exp(output_logit(k)) / whole
    return said_of(probability(n, 1, i, t, k), share, TEXT, PLACE, COLUMN)


@cache
def guesses_near() -> Theorem:
    """sum_k |p_tk - 1/|V|| <= 225 y / 64."""
    near = near_uniform(output_logit, words, k, OUTPUT_LOGIT, output_logits_size())
    near = cut(
        near,
        by(Compare(OUTPUT_LOGIT, "<=", Rational(1, 8))),
        by(Compare(OUTPUT_LOGIT, ">=", 0)),
    )
    goal = Compare(Abs(probability(n, 1, i, t, k) - 1 / words), "<=", GUESSED / words)
    near = linked(goal, near, probability_read())
    found = summed_over(near, COLUMN)
    theorem = linked(Compare(found.formula.left, "<=", GUESSED), found)
    return every(theorem, TEXT, PLACE)


def residual(word: Any) -> Expr:
    """An entry of Y - S(F)."""
    return x(i, t + 1, word) - probability(n, 1, i, t, word)


def residual_below(most: Any, *guesses: Theorem) -> Theorem:
    """sum_k |R_tk| <= c, where probabilities are so near to uniform ones that it follows from 2 and that."""
    p = probability(n, 1, i, t, k)
    u, v, w = symbols("u v w", real=True)
    each = substitute(
        joint(Compare(Abs(u - v), "<=", Abs(u - w) + Abs(v - w))),
        {u: x(i, t + 1, k), v: p, w: 1 / words},
    )
    found = summed_over(each, COLUMN)
    parts = Sum(Abs(centred(k)), COLUMN) + Sum(Abs(p - 1 / words), COLUMN)
    pulled = sum_rearranged(found.formula.right, parts)
    goal = Compare(found.formula.left, "<=", most)
    theorem = joint(goal, found, pulled, following_size(), *guesses)
    return every(theorem, TEXT, PLACE)


@cache
def residual_size() -> Theorem:
    """sum_k |R_tk| <= 7/3."""
    return residual_below(RESIDUAL, at_places(guesses_near(), i, t), *box)
