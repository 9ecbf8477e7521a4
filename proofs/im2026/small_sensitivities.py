"""What is passed back to the last layer and to attention, near its leading term."""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Abs, Expr, Integer, Rational, Sum, Symbol, symbols

from claims.im2026.attention_scores import score as score_of_pair
from claims.im2026.bigrams import bigram
from claims.im2026.cooperation import composed_value
from claims.im2026.notation import depth, i, j, layer, m, words
from claims.im2026.parting_layers import follows
from claims.im2026.small_starts import (
    TRAINED,
    hidden,
    output,
    passed_back,
    probability,
    sensitivity,
    value,
)
from claims.statement import Compare
from proofs.calculation import at_places, linked, place, summed_over
from proofs.im2026.absolute_sums import carried, total
from proofs.im2026.bigrams import x
from proofs.im2026.contexts import t
from proofs.im2026.lowest_orders import centred
from proofs.im2026.orders import LAYER, PLACE, ROW, TEXT, every, n
from proofs.im2026.small_passes import (
    GUESSED,
    NEAR,
    RESIDUAL,
    entry_below,
    guesses_near,
    passed,
    residual,
    residual_size,
    state_entry,
    state_near,
)
from proofs.im2026.small_weights import (
    ALL,
    OUTPUT,
    OUTPUTS,
    TOKENS,
    VALUES,
    box,
    by,
    column_below,
    composed_size,
    far,
    followed_size,
    following,
    following_size,
    output_size,
    pairs,
    said_of,
    value_columns,
    value_gap,
    y,
)
from proofs.kernel import Theorem, assume, cut, instance, joint, substitute, sum_rearranged, unfold

# Backward -----------------------------------------------------------------------------------------


def top_term(row: Any) -> Sum:
    """An entry of R W_O^T."""
    a = place("a")
    return Sum(residual(a) * output(n, row, a), (a, 1, words))


@cache
def top_read() -> Theorem:
    """G in the last layer is R W_O^T."""
    return said_of(sensitivity(n, depth, i, t, j), top_term(j), *TOKENS)


@cache
def top_size() -> Theorem:
    """sum_j |G_tj| <= 21 y / 4 in the last layer."""
    term = top_term(j)
    a = term.limits[0][0]
    small = instance(output_size(), a)
    found = carried(residual(a), output(n, j, a), (a, 1, words), ROW, OUTPUT, small)
    rows = linked(
        Compare(Sum(Abs(residual(a)), (a, 1, words)), "<=", RESIDUAL),
        at_places(residual_size(), i, t),
    )
    same = joint(Compare(Abs(sensitivity(n, depth, i, t, j)), "=", Abs(term)), top_read())
    sizes = summed_over(same, ROW)
    bound = by(Compare(OUTPUT * rows.formula.left, "<=", Rational(21, 4) * y), rows)
    theorem = joint(Compare(sizes.formula.left, "<=", Rational(21, 4) * y), sizes, found, bound)
    return every(theorem, TEXT, PLACE)


@cache
def top_near() -> Theorem:
    """sum_j |G_tj - x ((Y - U_O) B^T)_tj| <= 14 y^2 in the last layer."""
    a = place("a")
    limits = (a, 1, words)
    guess = probability(n, 1, i, t, a) - 1 / words
    error = output(n, j, a) - far * bigram(j, a)
    small = instance(output_size(), a)
    one = carried(guess, output(n, j, a), limits, ROW, OUTPUT, small)
    guesses = linked(
        Compare(Sum(Abs(guess), limits), "<=", GUESSED), at_places(guesses_near(), i, t)
    )
    two = carried(centred(a), error, limits, ROW, 3 * y**2, instance(assume(OUTPUTS), a))
    ahead = linked(Compare(Sum(Abs(centred(a)), limits), "<=", 2), following_size())
    first, second = Sum(guess * output(n, j, a), limits), Sum(centred(a) * error, limits)
    f = Sum(centred(a) * bigram(j, a), limits)
    split = linked(
        Compare(sensitivity(n, depth, i, t, j) - far * f, "=", second - first), top_read()
    )
    gap = sensitivity(n, depth, i, t, j) - far * f
    each = joint(Compare(Abs(gap), "<=", Abs(first) + Abs(second)), split)
    found = summed_over(each, ROW)
    pulled = sum_rearranged(found.formula.right, Sum(Abs(first), ROW) + Sum(Abs(second), ROW))
    y2 = by(Compare(y**2, ">=", 0))
    u, v = symbols("u v", real=True)
    scaled = joint(
        Compare(5 * u / 4 * v, "<=", Rational(2025, 256) * u**2),
        given=(Compare(v, "<=", Rational(225, 64) * u), Compare(u, ">=", 0)),
    )
    scaled = cut(substitute(scaled, {u: y, v: Sum(Abs(guess), limits)}), guesses, *box)
    twice = joint(Compare(3 * u * v, "<=", 6 * u), given=(Compare(v, "<=", 2), Compare(u, ">=", 0)))
    twice = cut(substitute(twice, {u: y**2, v: Sum(Abs(centred(a)), limits)}), ahead, y2)
    theorem = joint(
        Compare(found.formula.left, "<=", 14 * y**2), found, pulled, one, two, scaled, twice, y2
    )
    follows_ = unfold(follows(i, t, j), following(j), TRAINED, TOKENS)
    same = linked(
        Compare(Abs(sensitivity(n, depth, i, t, j) - far * follows(i, t, j)), "=", Abs(gap)),
        follows_,
    )
    same = summed_over(same, ROW)
    theorem = joint(Compare(same.formula.left, "<=", 14 * y**2), same, theorem)
    return every(theorem, TEXT, PLACE)


@cache
def follows_size() -> Theorem:
    """sum_j |((Y - U_O) B^T)_tj| <= 2, the entries by name."""
    read_ = unfold(follows(i, t, j), following(j), TRAINED, TOKENS)
    same = linked(Compare(Abs(follows(i, t, j)), "=", Abs(following(j))), read_)
    found = summed_over(same, ROW)
    theorem = linked(Compare(found.formula.left, "<=", 2), found, followed_size())
    return every(theorem, TEXT, PLACE)


def sensed(one: Any) -> Expr:
    return sensitivity(n, layer, i, t, one)


G_SIZE = Sum(Abs(sensitivity(n, layer, i, t, j)), ROW)
"""g, the size of a row of G."""
G_GAP = Sum(Abs(sensitivity(n, layer, i, t, j) - far * follows(i, t, j)), ROW)
"""d, how far it is from its leading term."""
PASSED = Rational(27, 8) * y**2 * G_SIZE


@cache
def passed_read() -> Theorem:
    """M = G V^T h^T."""
    a, b = place("a"), place("b")
    body = sensed(a) * value(n, layer, b, a) * hidden(n, layer - 1, i, m, b)
    term = Sum(Sum(body, (b, 1, words)), (a, 1, words))
    return said_of(passed_back(n, layer, i, t, m), term, LAYER, TEXT, PLACE, ALL)


def value_column(one: Any) -> Theorem:
    """sum_b |V_ba| <= 3 y^2."""
    return at_places(value_columns(), layer, one)


@cache
def passed_size() -> Theorem:
    """|M_tm| <= 27 y^2 g / 8."""
    found = passed(
        sensed, lambda row, column: value(n, layer, row, column),
        lambda one: hidden(n, layer - 1, i, m, one), 3 * y**2, value_column, NEAR,
        lambda one: state_entry(layer - 1, m, one),
    )  # fmt: skip
    goal = Compare(Abs(passed_back(n, layer, i, t, m)), "<=", PASSED)
    return every(linked(goal, found, passed_read()), LAYER, TEXT, PLACE, ALL)


def constant(number: Any) -> Theorem:
    """A number is not negative."""
    return by(Compare(number, ">=", 0))


@cache
def passed_near() -> Theorem:
    """|M_tm - x c M0_tm| <= 27 y^2 d / 8 + 28 y^4, with M0 = (Y - U_O) B^T (Phi^T B^T)^T X^T."""
    a, b = place("a"), place("b")
    limits = ((a, 1, words), (b, 1, words))
    f = lambda one: follows(i, t, one)  # noqa: E731
    entry_of = lambda row, column: composed_value(row, column)  # noqa: E731
    state = lambda one: hidden(n, layer - 1, i, m, one)  # noqa: E731
    moved = lambda one: hidden(n, layer - 1, i, m, one) - x(i, m, one)  # noqa: E731
    gap = lambda one: sensed(one) - far * f(one)  # noqa: E731
    own = lambda row, column: value(n, layer, row, column)  # noqa: E731
    first = passed(
        gap, own, state, 3 * y**2, value_column, NEAR, lambda one: state_entry(layer - 1, m, one)
    )
    second = passed(
        f, value_gap, state, 12 * y**3, lambda one: at_places(assume(VALUES), layer, one), NEAR,
        lambda one: state_entry(layer - 1, m, one),
    )  # fmt: skip
    near = state_near(layer - 1, m)
    third = passed(
        f, entry_of, moved, Integer(2), lambda one: column_below(composed_size(), entry_of, one), y / 2,
        lambda one: entry_below(moved, ROW, one, y / 2, near), constant(y / 2),
    )  # fmt: skip
    products = (
        total(gap(a) * own(b, a) * state(b), *limits), total(f(a) * value_gap(b, a) * state(b), *limits),
        total(f(a) * entry_of(b, a) * moved(b), *limits),
    )  # fmt: skip
    leading = total(f(a) * composed_value(b, a) * x(i, m, b), *limits)
    read_ = unfold(score_of_pair(i, t, m), leading, TRAINED, (TEXT, PLACE, ALL))
    now = passed_back(n, layer, i, t, m) - far * pairs * score_of_pair(i, t, m)
    split = linked(
        Compare(now, "=", products[0] + far * products[1] + far * pairs * products[2]),
        passed_read(),
        read_,
    )
    size = linked(Compare(Sum(Abs(f(j)), ROW), "<=", 2), at_places(follows_size(), i, t))
    p, r, s, w, c, u, d, e = symbols("p r s w c u d e", real=True)
    one, two, three = (found.formula for found in (first, second, third))
    sizes = [f.left.args[0] for f in (one, two, three)]
    terms = {
        p: sizes[0],
        r: sizes[1],
        s: sizes[2],
        w: far,
        c: pairs,
        u: y,
        d: G_GAP,
        e: Sum(Abs(f(j)), ROW),
    }
    given = (
        Compare(Abs(p), "<=", Rational(27, 8) * u**2 * d), Compare(Abs(r), "<=", Rational(27, 2) * u**3 * e),
        Compare(Abs(s), "<=", u * e), Compare(e, "<=", 2), Compare(u, ">=", 0), Compare(w, ">=", 0),
        Compare(w, "<=", u), Compare(c, ">=", 0), Compare(c, "<=", u**2 / 2),
    )  # fmt: skip
    second_ = joint(Compare(Abs(r), "<=", 27 * u**3), given=given[1:5])
    third_ = joint(Compare(Abs(s), "<=", 2 * u), given=(given[2], given[3], given[4]))
    second_ = joint(Compare(Abs(w * r), "<=", 27 * u**4), second_, given=given[4:7])
    third_ = joint(Compare(Abs(c * s), "<=", u**3), third_, given=(given[4], *given[7:]))
    z = Symbol("z", real=True)
    third_ = cut(
        substitute(
            joint(Compare(Abs(w * z), "<=", u**4), given=(Compare(Abs(z), "<=", u**3), *given[4:7])),
            {z: c * s},
        ), third_,
    )  # fmt: skip
    goal = Compare(Abs(p + w * r + w * c * s), "<=", Rational(27, 8) * u**2 * d + 28 * u**4)
    found = joint(goal, second_, third_, given=given[:1])
    known = [
        linked(given[k_].substitute(terms), th) for k_, th in enumerate((first, second, third))
    ]
    found = cut(substitute(found, terms), *known, size, *box)
    theorem = joint(
        Compare(Abs(now), "<=", Rational(27, 8) * y**2 * G_GAP + 28 * y**4), split, found
    )
    return every(theorem, LAYER, TEXT, PLACE, ALL)
