r"""All steps from a start with small rows and columns: the induction of Theorem 4.1, in absolute values.

What training has added to weights stays near leading terms in sums over all entries.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from sympy import Abs, Expr, Integer, Rational, Sum, oo, symbols

from claims.im2026.bigrams import bigram
from claims.im2026.cooperation import composed_value
from claims.im2026.leading_terms import position_entry, word_entry
from claims.im2026.notation import depth, eta, i, j, k, layer, m, words
from claims.im2026.small_starts import (
    TRAINED,
    attention,
    hidden,
    output,
    pace,
    pairs_travelled,
    positions,
    score,
    sensitivity,
    sized,
    travelled,
    value,
    weight,
)
from claims.statement import And, Compare, ForAll
from proofs.calculation import algebra, at_places, integers_apart, linked, place, summed_over
from proofs.im2026.absolute_sums import Range, row_below
from proofs.im2026.contexts import t, token_mean
from proofs.im2026.orders import BEFORE, COLUMN, LAYER, ROW, every, n, said
from proofs.im2026.small_gradients import (
    LEADS,
    apart_by,
    attention_gradient,
    leading_maps_size,
    output_gradient,
    position_gradient,
    value_gradient,
)
from proofs.im2026.small_passes import residual
from proofs.im2026.small_scores import same_size
from proofs.im2026.small_weights import (
    ALL,
    BOX,
    HALF,
    TURNED,
    column_below,
    far,
    named,
    pairs,
    said_of,
    value_gap,
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
    part,
    substitute,
    sum_rearranged,
    unfold,
)

# All steps ----------------------------------------------------------------------------------------

STEP = ((n, 0, oo),)
COUNT = n * (n - 1) * (n - 2) * (3 * n - 1) / 24
"""3 binom(n, 4) + 2 binom(n, 3)."""


def far_read() -> tuple[Theorem, Theorem, Theorem]:
    """x, c and y."""
    return (
        unfold(travelled(n), n * eta, TRAINED, STEP),
        unfold(pairs_travelled(n), n * (n - 1) / 2 * eta**2, TRAINED, STEP),
        unfold(pace(n), (n + HALF) * eta, TRAINED, STEP),
    )


def premise(steps: Any) -> Compare:
    """The horizon."""
    return Compare(depth * steps * eta, "<=", Rational(1, 12))


Entry = Callable[[Any, Any], Expr]
BEGUN = 3 * eta**4
"""The largest row or column of a start."""
LINES_OF_START = (
    (Sum(Abs(output(0, j, k)), ROW), (COLUMN,)),
    (Sum(Abs(value(0, layer, j, k)), ROW), (LAYER, COLUMN)),
    (Sum(Abs(value(0, layer, j, k)), COLUMN), (LAYER, ROW)),
    (Sum(Abs(attention(0, layer, j, k)), ROW), (LAYER, COLUMN)),
    (Sum(Abs(attention(0, layer, j, k)), COLUMN), (LAYER, ROW)),
    (Sum(Abs(positions(0, layer, m)), ALL), (LAYER,)),
)
"""Columns and rows of a start, each with the indices for which there is one."""
STARTS = tuple(said(Compare(size, "<=", BEGUN), *over) for size, over in LINES_OF_START)
"""What is assumed of a start."""


def gained(weights: Any, steps: Any, *place_: Any) -> Expr:
    """What training has added to an entry."""
    return weights(steps, *place_) - weights(0, *place_)


def bounds(steps: Any) -> tuple[Any, ...]:
    """How far what some steps have added to weights is from their leading terms."""
    count = COUNT.subs(n, steps)
    last = 65 * steps**5 * eta**5
    values = gained(value, steps, layer, j, k)
    places = gained(positions, steps, layer, m) - count * eta**4 * position_entry(m)
    return (
        Compare(
            sized(gained(output, steps, j, k) - steps * eta * bigram(j, k)), "<=", 5 * steps**2 * eta**2 / 2
        ),
        said(Compare(
            sized(values - steps * (steps - 1) / 2 * eta**2 * composed_value(j, k)), "<=",
            8 * steps**3 * eta**3), LAYER),
        said(Compare(
            sized(gained(attention, steps, layer, j, k) - count * eta**4 * word_entry(j, k)), "<=", last),
            LAYER),
        said(Compare(Sum(Abs(places), ALL), "<=", last), LAYER),
    )  # fmt: skip


def beside(whole: Expr, own: Expr, near: Theorem, begun: Theorem, *ranges: Range) -> Theorem:
    """sum |a| <= c + d from sum |a - b| <= c and sum |b| <= d."""
    u, v = symbols("u v", real=True)
    each = joint(Compare(Abs(u), "<=", Abs(u - v) + Abs(v)))
    found = summed_over(substitute(each, {u: whole, v: own}), *ranges)
    pulled = sum_rearranged(found.formula.right, near.formula.left + begun.formula.left)
    most = near.formula.right + begun.formula.right
    return joint(Compare(found.formula.left, "<=", most), found, pulled, near, begun)


@cache
def counted() -> tuple[Theorem, ...]:
    """n (n - 1) >= 0, 0 <= COUNT <= n^4 / 8 for whole n."""
    apart = integers_apart(Integer(0), n), integers_apart(Integer(1), n)
    zero = joint(Compare(n, ">=", 0))
    pairs_ = joint(Compare(n * (n - 1), ">=", 0), apart[0], zero)
    triples = joint(Compare((n - 1) * (n - 2), ">=", 0), *apart, zero, given=(Compare(n, ">=", 1),))
    sign = joint(Compare(COUNT, ">=", 0), discharge(joint(
        Compare(COUNT, ">=", 0), joint(Compare((n - 1) * (n - 2) * (n * (3 * n - 1)), ">=", 0), triples, joint(
            Compare(n * (3 * n - 1), ">=", 0), given=(Compare(n, ">=", 1),)))), Compare(n, ">=", 1)),
        joint(Compare(n, "=", 0) | Compare(n, ">=", 1), apart[0], zero))  # fmt: skip
    cubic = joint(
        Compare((n - 1) * (n - 2) * (3 * n - 1), "<=", 3 * n**3), given=(Compare(n, ">=", 1),)
    )
    below = joint(Compare(COUNT, "<=", n**4 / 8), discharge(joint(
        Compare(COUNT, "<=", n**4 / 8), joint(
            Compare(n * ((n - 1) * (n - 2) * (3 * n - 1)), "<=", n * (3 * n**3)), cubic, zero)),
        Compare(n, ">=", 1)),
        joint(Compare(n, "=", 0) | Compare(n, ">=", 1), apart[0], zero))  # fmt: skip
    return pairs_, sign, below


def within_box() -> tuple[Theorem, ...]:
    """The box, where the next step is within the horizon."""
    read_ = far_read()
    near = assume(premise(n + 1))
    one = joint(Compare(depth, ">=", 1))
    a, b, u = symbols("a b u", real=True)
    given = (Compare(a * (b + 1) * u, "<=", Rational(1, 12)), Compare(a, ">=", 1), Compare(b, ">=", 0),
             Compare(u, ">", 0))  # fmt: skip
    sign = joint(Compare((b + 1) * u, ">=", 0), given=given[2:])
    least = joint(
        Compare((b + 1) * u, "<=", Rational(1, 12)),
        sign,
        joint(Compare((a - 1) * ((b + 1) * u), ">=", 0), sign, given=given[1:2]),
        given=given[:1],
    )
    half = joint(Compare(a * (u / 2), ">=", 0), given=(given[1], given[3]))
    terms = {a: depth, b: n, u: eta}
    known = (near, one, joint(Compare(n, ">=", 0)), joint(Compare(eta, ">", 0)))
    least = cut(substitute(least, terms), *known)
    half = cut(substitute(half, terms), *known)
    rate = joint(Compare(eta, ">", 0))
    return (
        joint(BOX[0], *read_, rate), joint(BOX[1], *read_, least, rate),
        linked(BOX[2], read_[2], near, half), joint(BOX[3], *read_, rate), joint(BOX[4], *read_, rate),
        joint(BOX[5], read_[1], cut(substitute(joint(Compare(a / 2 * u**2, ">=", 0), given=(
            Compare(a, ">=", 0),)), {a: n * (n - 1), u: eta}), counted()[0])),
        joint(BOX[6], read_[1], read_[2], cut(substitute(joint(
            Compare(b * (b - 1) / 2 * u**2, "<=", ((b + HALF) * u) ** 2 / 2), joint(
                Compare(b * (b - 1) * u**2, "<=", (b + HALF)**2 * u**2), joint(
                    Compare(b * (b - 1), "<=", (b + HALF)**2), given=(Compare(b, ">=", 0),)), joint(
                        Compare(u**2, ">=", 0)))), {b: n, u: eta}), joint(Compare(n, ">=", 0)))),
    )  # fmt: skip


def led_by(
    a: Expr, b: Expr, old: Any, new: Any, equal: Theorem, known: Theorem, *ranges: Range
) -> Theorem:
    """A bound of sum |a - new b| from that of sum |a - old b|, where new = old."""
    p, r, f, g = symbols("p r f g", real=True)
    each = joint(Compare(Abs(p - f * r), "=", Abs(p - g * r)), given=(Compare(f, "=", g),))
    each = cut(substitute(each, {p: a, r: b, f: new, g: old}), equal)
    found = summed_over(each, *ranges)
    return linked(Compare(found.formula.left, "<=", known.formula.right), found, known)


def size_with(a: Expr, b: Expr, factor: Any, known: Theorem, lead: Theorem, sign: Theorem,
              *ranges: Range) -> Theorem:  # fmt: skip
    """sum |a| <= c + f d from sum |a - f b| <= c, sum |b| <= d and f >= 0."""
    u, v, w = symbols("u v w", real=True)
    each = substitute(
        joint(Compare(Abs(u), "<=", Abs(u - w * v) + w * Abs(v)), given=(Compare(w, ">=", 0),)),
        {u: a, v: b, w: factor},
    )
    found = summed_over(cut(each, sign), *ranges)
    size = lead.formula.left
    pulled = sum_rearranged(found.formula.right, known.formula.left + factor * size)
    product = joint(Compare(w * u, "<=", w * v), given=(Compare(u, "<=", v), Compare(w, ">=", 0)))
    product = cut(substitute(product, {w: factor, u: size, v: lead.formula.right}), lead, sign)
    return joint(
        Compare(found.formula.left, "<=", known.formula.right + factor * lead.formula.right), found, pulled,
        known, product,
    )  # fmt: skip


@cache
def with_start() -> tuple[Theorem, ...]:
    """The bounds after n steps and of a start are at most those by powers of (n + 1/2) eta."""
    e, p = symbols("e p", real=True)
    zero = (Compare(p, ">=", 0), Compare(e, ">", 0), Compare(e, "<=", Rational(1, 12)))
    cube = joint(Compare(e**3, ">=", 0), given=zero[1:2])
    square = joint(Compare(e**2, "<=", Rational(1, 12)), given=zero[1:])
    fourth = joint(Compare(12 * e**4, "<=", e**2), joint(
        Compare(e**2 * e**2, "<=", e**2 / 12), square, joint(Compare(e**2, ">=", 0))))  # fmt: skip
    first = joint(Compare(5 * p**2 * e**2 / 2 + 3 * e**4, "<=", 3 * ((p + HALF) * e) ** 2), fourth, joint(
        Compare(p**2 * e**2, ">=", 0)), joint(Compare(p * e**2, ">=", 0), given=zero[:1]))  # fmt: skip
    third_ = joint(
        Compare(12 * e**4, "<=", e**3),
        joint(Compare(e**3 * e, "<=", e**3 / 12), cube, given=zero[2:]),
    )
    second = joint(Compare(8 * p**3 * e**3 + 3 * e**4, "<=", 12 * ((p + HALF) * e) ** 3), third_, *(
        joint(Compare(p**power * e**3, ">=", 0), cube, joint(
            Compare(p**power, ">=", 0), given=zero[:1])) for power in (1, 2, 3)), cube)  # fmt: skip
    fifth = joint(Compare(65 * p**5 * e**5, "<=", Rational(65, 12) * p**4 * e**4), joint(
        Compare(p**4 * e**4 * (p * e), "<=", p**4 * e**4 / 12), joint(Compare(p**4 * e**4, ">=", 0)),
        given=(Compare(p * e, "<=", Rational(1, 12)),)))  # fmt: skip
    turned = 65 * p**5 * e**5 + 3 * e**4 + 8 * (p**4 / 8 * e**4)
    last = joint(
        Compare(turned, "<=", 48 * ((p + HALF) * e) ** 4), fifth, *(
            joint(Compare(p**power * e**4, ">=", 0), joint(Compare(e**4, ">=", 0)), joint(
                Compare(p**power, ">=", 0), given=zero[:1])) for power in (1, 2, 3, 4)), joint(
                    Compare(e**4, ">=", 0)))  # fmt: skip
    X, _, Y = far_read()
    boxed = within_box()
    small = joint(Compare(eta, "<=", Rational(1, 12)), rate_is_small())
    far_small = linked(Compare(n * eta, "<=", Rational(1, 12)), X, boxed[4], boxed[1])
    numbers = joint(Compare(n, ">=", 0)), joint(Compare(eta, ">", 0)), small, far_small
    first, second, last = (
        cut(substitute(found, {p: n, e: eta}), *numbers) for found in (first, second, last)
    )
    return named_power(first, 3, 2, Y), named_power(second, 12, 3, Y), named_power(last, 48, 4, Y)


def in_lines(near: Theorem, entry: Entry) -> tuple[Theorem, Theorem]:
    """A bound of a whole matrix, of column k and of row j."""
    rows = named(row_below(entry, j, words, near), COLUMN)
    return column_below(near, entry, k), rows


LINES = ((ROW, COLUMN), (COLUMN, ROW))
"""Along a column, for every column, and the other way round."""


def in_every_line(now: Entry, start: Entry, known: Theorem, begun: Sequence[Theorem], most: Any,
                  *more: Theorem) -> list[Theorem]:  # fmt: skip
    """Columns and rows of a matrix of every layer are at most `most`.

    `known` bounds all that it has gained since the start, of whose columns and rows `begun` speaks.
    """
    found = []
    for line, own, (along, at) in zip(
        in_lines(known, lambda row, column: now(row, column) - start(row, column)), begun, LINES, strict=True
    ):  # fmt: skip
        size = beside(now(j, k), start(j, k), line, at_places(own, layer, at[0]), along)
        whole = joint(Compare(size.formula.left, "<=", most), size, *more)
        found.append(every(whole, LAYER, at))
    return found


def hypotheses(before: Theorem) -> tuple[Theorem, ...]:
    """What the gradients need of n steps, where the next one is within the horizon."""
    X, C, _ = far_read()
    first, second, last = with_start()
    columns, *starts, places = map(assume, STARTS)
    known = led_by(
        gained(output, n, j, k), bigram(j, k), n * eta, far, X, part(before, 0), ROW, COLUMN
    )
    entry = lambda row, column: gained(output, n, row, column) - far * bigram(row, column)  # noqa: E731
    known = beside(
        output(n, j, k) - far * bigram(j, k), output(0, j, k), column_below(known, entry, k),
        instance(columns, k), ROW,
    )  # fmt: skip
    outputs = every(joint(Compare(known.formula.left, "<=", 3 * y**2), known, first), COLUMN)
    known = led_by(
        gained(value, n, layer, j, k), composed_value(j, k), n * (n - 1) / 2 * eta**2, pairs, C,
        instance(part(before, 1), layer), ROW, COLUMN,
    )  # fmt: skip
    values = in_every_line(
        value_gap, lambda row, column: value(0, layer, row, column), known, starts[:2], 12 * y**3, second
    )  # fmt: skip
    by_words, by_places = leading_maps_size()
    _, count, few = counted()
    a, b, e = symbols("a b e", real=True)
    fourth = joint(Compare(e**4, ">=", 0))
    sign = joint(Compare(a * e**4, ">=", 0), fourth, given=(Compare(a, ">=", 0),))
    sign = cut(substitute(sign, {a: COUNT, e: eta}), count)
    less = joint(Compare(a * e**4, "<=", b * e**4), fourth, given=(Compare(a, "<=", b),))
    less = cut(substitute(less, {a: COUNT, b: n**4 / 8, e: eta}), few)
    known = size_with(
        gained(attention, n, layer, j, k), word_entry(j, k), COUNT * eta**4, instance(part(before, 2), layer),
        by_words, sign, ROW, COLUMN,
    )  # fmt: skip
    scores = in_every_line(
        lambda row, column: attention(n, layer, row, column),
        lambda row, column: attention(0, layer, row, column), known, starts[2:], TURNED, less, last,
    )  # fmt: skip
    known = size_with(
        gained(positions, n, layer, m), position_entry(m), COUNT * eta**4, instance(part(before, 3), layer),
        by_places, sign, ALL,
    )  # fmt: skip
    size = beside(
        positions(n, layer, m), positions(0, layer, m), known, instance(places, layer), ALL
    )
    whole = joint(Compare(size.formula.left, "<=", TURNED), size, less, last)
    return *within_box(), outputs, *values, *scores, every(whole, LAYER)


def named_power(known: Theorem, factor: Any, power: int, read_: Theorem) -> Theorem:
    """A bound by a power of (n + 1/2) eta, as one of y."""
    u, v = symbols("u v", real=True)
    same = joint(Compare(factor * u**power, "=", factor * v**power), given=(Compare(u, "=", v),))
    same = cut(substitute(same, {u: y, v: (n + HALF) * eta}), read_)
    a, b, c = symbols("a b c", real=True)
    terms = {a: known.formula.left, b: known.formula.right, c: factor * y**power}
    return algebra(
        Compare(a, "<=", c), (Compare(a, "<=", b), Compare(c, "=", b)), terms, known, same
    )


def rate_is_small() -> Theorem:
    """eta <= 1/12, where the next step is within the horizon."""
    return assume(Compare(eta, "<=", Rational(1, 12)))


def moved(after: Expr, own: Expr, added: Expr, lead: Expr, old: Any, slope: Any, counts: Theorem,
          read_: Theorem, close: Theorem, steep: Theorem, *ranges: Range) -> Theorem:  # fmt: skip
    """sum |after - new lead| <= sum |own - old lead| + eta sum |added - slope lead|."""
    a, o, d, b, f, g, h, e = symbols("a o d b f g h e", real=True)
    given = (Compare(a, "=", o + e * d), Compare(g, "=", f + e * h), Compare(e, ">", 0))
    same = joint(Compare(a - g * b, "=", (o - f * b) + e * (d - h * b)), given=given[:2])
    p, r = symbols("p r", real=True)
    apart = joint(Compare(Abs(p + e * r), "<=", Abs(p) + e * Abs(r)), given=given[2:])
    apart = substitute(apart, {p: o - f * b, r: d - h * b})
    each = same_size(apart, same)
    new = counts.formula.left
    each = cut(
        substitute(each, {a: after, o: own, d: added, b: lead, f: old, g: new, h: slope, e: eta}), read_,
        counts, joint(Compare(eta, ">", 0)),
    )  # fmt: skip
    found = summed_over(each, *ranges)
    ends = close.formula.left, steep.formula.left
    pulled = linked(Compare(found.formula.right, "=", ends[0] + eta * ends[1]))
    c, s = symbols("c s", real=True)
    scaled = joint(Compare(e * c, "<=", e * s), given=(Compare(c, "<=", s), Compare(e, ">", 0)))
    scaled = cut(
        substitute(scaled, {e: eta, c: steep.formula.left, s: steep.formula.right}), steep,
        joint(Compare(eta, ">", 0)),
    )  # fmt: skip
    goal = Compare(found.formula.left, "<=", close.formula.right + eta * steep.formula.right)
    return joint(goal, found, pulled, close, scaled)


def counts_after(new: Any, old: Any, slope: Any) -> Theorem:
    """The multiple of a leading term after the next step."""
    X, C, _ = far_read()
    p, e, f, g = symbols("p e f g", real=True)
    put_in = {n: p, eta: e}
    goal = Compare(new.subs(put_in), "=", (old + eta * slope).subs({far: f, pairs: g}).subs(put_in))
    given = Compare(f, "=", p * e), Compare(g, "=", p * (p - 1) / 2 * e**2)
    return algebra(goal, given, {p: n, e: eta, f: far, g: pairs}, X, C)


def closing(goal_left: Any, goal_right: Any, known: Theorem, *more: Theorem) -> Theorem:
    """The bounds after the next step, from those before it: y is (n + 1/2) eta."""
    p, e, z = symbols("p e z", real=True)
    put_in = {n: p, eta: e}
    left, right = (term.subs(y, z).subs(put_in) for term in (goal_left, goal_right))
    free = joint(Compare(left.subs(z, (p + HALF) * e), "<=", right.subs(z, (p + HALF) * e)), *more)
    same = joint(
        Compare(left, "=", left.subs(z, (p + HALF) * e)), given=(Compare(z, "=", (p + HALF) * e),)
    )
    found = joint(Compare(left, "<=", right), free, same)
    found = cut(
        substitute(found, {p: n, e: eta, z: y}), far_read()[2], joint(Compare(n, ">=", 0)),
        joint(Compare(eta, ">", 0)),
    )  # fmt: skip
    return joint(Compare(known.formula.left, "<=", goal_right), known, found)


def powers(degree: int) -> list[Theorem]:
    """n^a eta^b >= 0."""
    p, e = symbols("p e", real=True)
    base = joint(Compare(e**degree, ">=", 0), given=(Compare(e, ">", 0),))
    return [
        joint(Compare(p**power * e**degree, ">=", 0), base, joint(
            Compare(p**power, ">=", 0), given=(Compare(p, ">=", 0),))) for power in range(1, degree + 1)
    ] + [base]  # fmt: skip


def next_gain(weights: Any, place_: tuple[Any, ...], body: Expr, lead: Expr, old: Any, new: Any, slope: Any,
              close: Theorem, steep: Theorem, *ranges: Range) -> Theorem:  # fmt: skip
    """How near its leading term is what n + 1 steps have added, from that of n steps and of their gradient."""
    before, after, mean_ = (
        gained(weights, n, *place_),
        gained(weights, n + 1, *place_),
        token_mean(body),
    )
    layers = (LAYER,) if layer in place_ else ()
    read_ = said_of(weights(n + 1, *place_), weights(n, *place_) + eta * mean_, *layers, *ranges)
    grown = linked(Compare(after, "=", before + eta * mean_), read_)
    counts = counts_after(new, old, slope)
    return moved(after, before, mean_, lead, old, slope, counts, grown, close, steep, *ranges)


@cache
def after_steps() -> Theorem:
    """For all n: within the horizon what was added to weights is near their leading terms."""

    def whole(steps: Any) -> Any:
        return premise(steps).implies(And(bounds(steps)))

    now = joint(
        premise(n), assume(premise(n + 1)), joint(Compare(depth * eta, ">=", 0)),
    )  # fmt: skip
    before = joint(And(bounds(n)), assume(whole(n)), now)
    known = hypotheses(before)
    target = bounds(n + 1)
    near = [part(before, 0), *(instance(part(before, place_), layer) for place_ in (1, 2, 3))]
    steep = [cut(output_gradient(), *known)]
    for gradient in (value_gradient(), attention_gradient(), position_gradient()):
        steep.append(instance(cut(gradient, *known), layer))
    first = next_gain(
        output, (j, k), hidden(n, depth, i, t, j) * residual(k), bigram(j, k), n * eta, (n + 1) * eta,
        Integer(1), near[0], steep[0], ROW, COLUMN,
    )  # fmt: skip
    first = closing(first.formula.right, target[0].right, first)
    mixed = Sum(weight(n, layer, i, t, m) * hidden(n, layer - 1, i, m, j), BEFORE)
    second = next_gain(
        value, (layer, j, k), mixed * sensitivity(n, layer, i, t, k), composed_value(j, k),
        n * (n - 1) / 2 * eta**2, (n + 1) * n / 2 * eta**2, far, near[1], steep[1], ROW, COLUMN,
    )  # fmt: skip
    second = every(closing(second.formula.right, target[1].body.right, second, *powers(3)), LAYER)
    counts = COUNT * eta**4, COUNT.subs(n, n + 1) * eta**4, LEADS
    body = Sum(
        hidden(n, layer - 1, i, t, j) * score(n, layer, i, t, m) * hidden(n, layer - 1, i, m, k),
        BEFORE,
    )
    third = next_gain(
        attention, (layer, j, k), body, word_entry(j, k), *counts, near[2], steep[2], ROW, COLUMN
    )
    third = every(closing(third.formula.right, target[2].body.right, third, *powers(5)), LAYER)
    a = place("b")
    body = Sum(score(n, layer, i, t, a) * apart_by(a), (a, 1, t))
    fourth = next_gain(
        positions, (layer, m), body, position_entry(m), *counts, near[3], steep[3], ALL
    )
    fourth = every(closing(fourth.formula.right, target[3].body.right, fourth, *powers(5)), LAYER)
    following_ = joint(And(target), first, second, third, fourth)
    step = discharge(following_, premise(n + 1))
    none = [
        every(linked(goal.body), LAYER) if isinstance(goal, ForAll) else linked(goal)
        for goal in bounds(Integer(0))
    ]
    return induction(joint(whole(Integer(0)), *none), step, n)
