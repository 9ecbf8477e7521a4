"""Means over tokens that a step adds to weights, near what it adds to leading terms."""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Abs, Expr, Integer, KroneckerDelta, Rational, Sum, Symbol, symbols

from claims.im2026.attention_scores import centred as leading_score
from claims.im2026.bigrams import bigram
from claims.im2026.cooperation import composed_value
from claims.im2026.leading_terms import position_entry, word_entry
from claims.im2026.notation import T, depth, i, j, k, layer, m, words
from claims.im2026.parting_layers import follows
from claims.im2026.small_starts import (
    TRAINED,
    attention,
    hidden,
    output,
    positions,
    probability,
    score,
    sensitivity,
    value,
    weight,
)
from claims.statement import Compare
from proofs.calculation import at_places, linked, place, summed_over
from proofs.facts import DELTA, DELTA_SUM, FUBINI
from proofs.im2026.absolute_sums import Range, carried, mean_sized, outer, per_text, total, triangle
from proofs.im2026.bigrams import bigram as bigram_entry
from proofs.im2026.bigrams import means_compared, x
from proofs.im2026.contexts import share, t, token_mean
from proofs.im2026.leading_values import composed
from proofs.im2026.lowest_orders import centred
from proofs.im2026.orders import BEFORE, COLUMN, LAYER, PLACE, ROW, TEXT, every, in_prefix, n
from proofs.im2026.small_layers import sensed_totals
from proofs.im2026.small_passes import (
    MIXED,
    NEAR,
    attention_moved,
    attention_row,
    guesses_near,
    residual,
    residual_size,
    state_near,
    state_short,
)
from proofs.im2026.small_scores import SCORES_NEAR, leading_scores_size, scores_near
from proofs.im2026.small_sensitivities import G_GAP, G_SIZE, follows_size
from proofs.im2026.small_weights import (
    ALL,
    TOKENS,
    box,
    by,
    far,
    following,
    named,
    pairs,
    sum_sign,
    token_size,
    y,
)
from proofs.kernel import (
    Theorem,
    cut,
    fact,
    identity,
    instance,
    joint,
    substitute,
    sum_rearranged,
    unfold,
)

# Gradients ----------------------------------------------------------------------------------------


def times(one: Theorem, other: Theorem, *signs: Theorem) -> Theorem:
    """p q <= a b from p <= a and q <= b, which the signs say are not negative."""
    p, r, a, b = symbols("p r a b", real=True)
    given = (
        Compare(p, "<=", a), Compare(r, "<=", b), Compare(p, ">=", 0), Compare(r, ">=", 0),
    )  # fmt: skip
    first = joint(Compare(p * r, "<=", a * r), given=(given[0], given[3]))
    second = joint(Compare(a * r, "<=", a * b), given=given[:3])
    terms = {
        p: one.formula.left, a: one.formula.right, r: other.formula.left, b: other.formula.right,
    }  # fmt: skip
    return cut(
        substitute(joint(Compare(p * r, "<=", a * b), first, second), terms), one, other, *signs
    )


def outer_below(a: Expr, b: Expr, small: Theorem, short: Theorem) -> Theorem:
    """sum |a_j b_k| is at most the product of bounds of the sums."""
    found = outer(a, b)
    product = times(small, short, sum_sign(a, ROW), sum_sign(b, COLUMN))
    return joint(Compare(found.formula.left, "<=", product.formula.right), found, product)


def moved_by(body: Expr, first: Expr, second: Expr, same: Theorem, *bounds: Theorem) -> Theorem:
    """sum |a + b| is at most the sum of bounds."""
    p, r, b = symbols("p r b", real=True)
    each = joint(Compare(Abs(b), "<=", Abs(p) + Abs(r)), given=(Compare(b, "=", p + r),))
    each = cut(substitute(each, {p: first, r: second, b: body}), same)
    found = summed_over(each, ROW, COLUMN)
    pulled = sum_rearranged(
        found.formula.right, total(Abs(first), ROW, COLUMN) + total(Abs(second), ROW, COLUMN)
    )
    one, other = bounds
    goal = Compare(found.formula.left, "<=", one.formula.right + other.formula.right)
    return joint(goal, found, pulled, one, other)


def product_moved(p: Expr, a: Expr, b: Expr, c: Expr, *bounds: Theorem) -> tuple[Expr, Theorem]:
    """p a - b c, and what sum |p a - b c| is below, by bounds of sum |p (a - c)| and sum |(p - b) c|."""
    u, v, w, z = symbols("u v w z", real=True)
    same = identity(u * v - w * z, u * (v - z) + (u - w) * z)
    same = substitute(same, {u: p, v: a, w: b, z: c})
    body = p * a - b * c
    return body, moved_by(body, p * (a - c), (p - b) * c, same, *bounds)


def gradient(quantity: Any, collected: Expr, leads: Expr, body: Expr, most: Any, known: Theorem,
             *more: Theorem, ranges: tuple[Range, ...] = (ROW, COLUMN)) -> Theorem:  # fmt: skip
    """sum |mean collected - leading| <= most, for the body of the mean of both."""
    found = mean_sized(body, most, known, *ranges)
    same = linked(Compare(token_mean(collected) - leads, "=", token_mean(body)), *more)
    sizes = summed_over(
        joint(Compare(Abs(same.formula.left), "=", Abs(same.formula.right)), same), *ranges
    )
    return joint(Compare(sizes.formula.left, "<=", most), sizes, found)


@cache
def output_gradient() -> Theorem:
    """sum |mean h R - B| <= 5 y."""
    state, own, guess = (
        hidden(n, depth, i, t, j),
        x(i, t, j),
        probability(n, 1, i, t, k) - 1 / words,
    )
    body = state * residual(k) - own * centred(k)
    rest = at_places(residual_size(), i, t)
    one = outer_below(state - own, residual(k), state_near(depth), rest)
    size = linked(Compare(Sum(Abs(own), ROW), "<=", 1), token_size())
    other = outer_below(own, -guess, size, negated(guess, at_places(guesses_near(), i, t)))
    p, r, a, b = symbols("p r a b", real=True)
    same = substitute(
        identity(p * (a - r) - b * (a - w_), (p - b) * (a - r) + b * -(r - w_)),
        {p: state, b: own, a: x(i, t + 1, k), r: probability(n, 1, i, t, k), w_: 1 / words},
    )
    row = moved_by(body, (state - own) * residual(k), own * -guess, same, one, other)
    row = by(Compare(row.formula.left, "<=", 5 * y), row)
    known = per_text(row, 5 * y)
    return gradient(
        output, state * residual(k), bigram(j, k), body, 5 * y, known, bigram_entry(j, k)
    )


w_ = Symbol("w", real=True)


def negated(term: Expr, known: Theorem, limits: Range = COLUMN) -> Theorem:
    """sum |-a| is bounded as sum |a| is."""
    return linked(Compare(Sum(Abs(-term), limits), "<=", known.formula.right), known)


def mixed_size(position: Any = m) -> tuple[Expr, Theorem, Theorem]:
    """A h, that its rows have size 9/8 at most, and that they are near shares of words."""
    state = hidden(n, layer - 1, i, m, j)
    mixed = Sum(weight(n, layer, i, t, m) * state, BEFORE)
    one = at_places(attention_row()[1], layer, i, t)
    size = carried(
        weight(n, layer, i, t, m), state, BEFORE, ROW, NEAR, in_prefix(state_short(layer - 1, m))
    )
    size = joint(Compare(size.formula.left, "<=", NEAR), size, one)
    moved = state - x(i, m, j)
    near = carried(
        weight(n, layer, i, t, m), moved, BEFORE, ROW, y / 2, in_prefix(state_near(layer - 1, m))
    )
    near = by(Compare(near.formula.left, "<=", y / 2), near, one)
    shifted = weight(n, layer, i, t, m) - 1 / t
    away = carried(
        shifted, x(i, m, j), BEFORE, ROW, Integer(1),
        in_prefix(linked(Compare(Sum(Abs(x(i, m, j)), ROW), "<=", 1), token_size(m))),
    )  # fmt: skip
    away = joint(
        Compare(away.formula.left, "<=", MIXED), away, at_places(attention_moved(), layer, i, t)
    )
    first, second = (
        Sum(weight(n, layer, i, t, m) * moved, BEFORE),
        Sum(shifted * x(i, m, j), BEFORE),
    )
    positive = joint(Compare(t, ">=", 1), given=(Compare(t, ">=", 1),))
    same = linked(Compare(mixed - share(j), "=", first + second), positive)
    p, r, b = symbols("p r b", real=True)
    each = joint(Compare(Abs(b), "<=", Abs(p) + Abs(r)), given=(Compare(b, "=", p + r),))
    each = cut(substitute(each, {p: first, r: second, b: mixed - share(j)}), same)
    found = summed_over(each, ROW)
    pulled = sum_rearranged(found.formula.right, Sum(Abs(first), ROW) + Sum(Abs(second), ROW))
    shares = joint(Compare(found.formula.left, "<=", y / 2 + MIXED), found, pulled, near, away)
    return mixed, size, shares


@cache
def value_gradient() -> Theorem:
    """sum |mean (A h) G - x Phi^T B^T| <= 23 y^2 in every layer."""
    mixed, size, shares = mixed_size()
    g, f = sensitivity(n, layer, i, t, k), follows(i, t, k)
    gap = g - far * f
    gaps = linked(Compare(Sum(Abs(gap), COLUMN), "<=", G_GAP))
    gaps = joint(Compare(Sum(Abs(gap), COLUMN), "<=", G_GAP), gaps)
    one = outer_below(mixed, gap, size, gaps)
    follow = linked(Compare(Sum(Abs(f), COLUMN), "<=", 2), at_places(follows_size(), i, t))
    scaled = linked_scale(f, follow)
    other = outer_below(mixed - share(j), far * f, shares, scaled)
    body, row = product_moved(mixed, g, share(j), far * f, one, other)
    u = Symbol("u", real=True)
    given = (Compare(u, ">=", 0), Compare(u, "<=", Rational(1, 12)))
    cube = joint(
        Compare(u**3, "<=", Rational(1, 1728)),
        joint(Compare(u**2, "<=", Rational(1, 144)), given=given),
        given=given,
    )
    small = joint(
        Compare((u / 2 + Rational(545, 2) * u**4) * (2 * u), "<=", Rational(12, 5) * u**2),
        joint(
            Compare(545 * (u**3 * u**2), "<=", Rational(2, 5) * u**2),
            cube,
            joint(Compare(u**2, ">=", 0)),
        ),
    )
    small = cut(substitute(small, {u: y}), *box)
    row = joint(Compare(row.formula.left, "<=", NEAR * G_GAP + Rational(12, 5) * y**2), row, small)
    sums = summed_over(row, PLACE)
    known = linked(
        Compare(sums.formula.left, "<=", T * (23 * y**2)), sums,
        at_places(sensed_totals()[1], layer, i), by(Compare(y**2 * T, ">=", 0), joint(Compare(T, ">=", 1))),
    )  # fmt: skip
    theorem = gradient(
        value, mixed * g, far * composed_value(j, k), body, 23 * y**2, known, *value_leads()
    )
    return every(theorem, LAYER)


@cache
def value_leads() -> tuple[Theorem, Theorem]:
    """x Phi^T B^T is x times the mean of shares times (Y - U_O) B^T, the entries of which have names."""
    leading = joint(
        Compare(far * composed_value(j, k), "=", far * token_mean(share(j) * following(k))),
        composed(),
    )
    follows_ = unfold(follows(i, t, j), following(j), TRAINED, TOKENS)
    word = at_places(every(follows_, TEXT, PLACE, ROW), i, t, k)
    word = linked(Compare(following(k), "=", follows(i, t, k)), word)
    product = joint(Compare(share(j) * following(k), "=", share(j) * follows(i, t, k)), word)
    return leading, means_compared(product, t)


def linked_scale(f: Expr, known: Theorem) -> Theorem:
    """sum_k |x f_k| <= 2 y."""
    u, v = symbols("u v", real=True)
    each = substitute(
        joint(Compare(Abs(u * v), "=", u * Abs(v)), given=(Compare(u, ">=", 0),)), {u: far, v: f}
    )
    found = summed_over(each, COLUMN)
    pulled = sum_rearranged(found.formula.right, far * Sum(Abs(f), COLUMN))
    product = times(box[4], known, box[3], sum_sign(f, COLUMN))
    return by(Compare(found.formula.left, "<=", 2 * y), found, pulled, product)


LEADS = far * pairs
SCORED = Rational(81, 64) * SCORES_NEAR + Rational(17, 4) * y**4


def triple_below(a: Expr, c: Expr, b: Expr, small: Theorem, short: Theorem) -> Theorem:
    """sum |a_j c b_k| <= |c| times the product of bounds of the sums."""
    p, r, s = symbols("p r s", real=True)
    each = substitute(joint(Compare(Abs(p * r * s), "=", Abs(r) * Abs(p * s)), joint(
        Compare(Abs(p * r * s), "=", Abs(p) * Abs(r) * Abs(s))), joint(
        Compare(Abs(p * s), "=", Abs(p) * Abs(s)))), {p: a, r: c, s: b})  # fmt: skip
    found = summed_over(each, ROW, COLUMN)
    inner = outer_below(a, b, small, short)
    pulled = sum_rearranged(found.formula.right, Abs(c) * inner.formula.left)
    u, v, w = symbols("u v w", real=True)
    scaled = joint(Compare(Abs(u) * v, "<=", Abs(u) * w), given=(Compare(v, "<=", w),))
    scaled = cut(substitute(scaled, {u: c, v: inner.formula.left, w: inner.formula.right}), inner)
    return joint(Compare(found.formula.left, "<=", scaled.formula.right), found, pulled, scaled)


def outward(term: Expr) -> Theorem:
    """sum_jk |sum_m a| <= sum_m sum_jk |a|."""
    found = summed_over(triangle(term, BEFORE), ROW, COLUMN)
    size = Abs(term)
    first = summed_over(fact(FUBINI, a=size, j=k, k=m, rows=words, columns=t), ROW)
    second = fact(FUBINI, a=Sum(size, COLUMN), j=j, k=m, rows=words, columns=t)
    return joint(
        Compare(found.formula.left, "<=", total(size, BEFORE, ROW, COLUMN)), found, first, second
    )


def leading_sizes() -> Theorem:
    """sum_m |x c Q_tm| <= 4 y^3."""
    own = leading_score(i, t, m)
    u, v, w = symbols("u v w", real=True)
    each = joint(Compare(Abs(u * v * w), "=", u * v * Abs(w)), joint(
        Compare(u * v, ">=", 0), given=(Compare(u, ">=", 0), Compare(v, ">=", 0))), joint(
        Compare(Abs(u * v * w), "=", Abs(u * v) * Abs(w))))  # fmt: skip
    each = cut(substitute(each, {u: far, v: pairs, w: own}), *box)
    found = summed_over(each, BEFORE)
    pulled = sum_rearranged(found.formula.right, LEADS * Sum(Abs(own), BEFORE))
    signs = by(Compare(far, ">=", 0)), by(Compare(pairs, ">=", 0))
    few = times(box[4], box[6], *signs)
    product = joint(Compare(u * v, ">=", 0), given=(Compare(u, ">=", 0), Compare(v, ">=", 0)))
    product = cut(substitute(product, {u: far, v: pairs}), *signs)
    whole = times(few, at_places(leading_scores_size(), i, t), product, sum_sign(own, BEFORE))
    return joint(Compare(found.formula.left, "<=", 4 * y**3), found, pulled, whole)


@cache
def scored_totals() -> Theorem:
    """sum_t of what bounds a row's scores is at most 320 y^4 T."""
    sums = linked(
        Compare(Sum(SCORES_NEAR, PLACE), "=", 20 * y**4 * Sum(G_SIZE, PLACE)
                + Rational(27, 4) * y**2 * Sum(G_GAP, PLACE) + 56 * y**4 * T)
    )  # fmt: skip
    one, other = (at_places(known, layer, i) for known in sensed_totals())
    fourth = by(Compare(y**4, ">=", 0))
    u, v, w, z = symbols("u v w z", real=True)
    first = joint(
        Compare(20 * u**4 * v, "<=", Rational(28, 3) * u**4 * w), joint(
            Compare(u**4 * v, "<=", u**4 * (Rational(7, 15) * w)), joint(Compare(v, "<=", Rational(7, 15) * w),
                joint(Compare(Rational(28, 5) * u * w, "<=", Rational(7, 15) * w),
                      given=(Compare(u, "<=", Rational(1, 12)), Compare(w, ">=", 1))),
                given=(Compare(v, "<=", Rational(28, 5) * u * w),)), joint(Compare(u**4, ">=", 0))),
    )  # fmt: skip
    second = joint(
        Compare(Rational(27, 4) * u**2 * z, "<=", Rational(945, 8) * u**4 * w), joint(
            Compare(u**2 * z, "<=", u**2 * (Rational(35, 2) * u**2 * w)), joint(Compare(u**2, ">=", 0)),
            given=(Compare(z, "<=", Rational(35, 2) * u**2 * w),)),
    )  # fmt: skip
    terms = {u: y, v: Sum(G_SIZE, PLACE), z: Sum(G_GAP, PLACE), w: T}
    count = joint(Compare(T, ">=", 1))
    known = [
        linked(Compare(terms[v], "<=", Rational(28, 5) * y * T), one),
        linked(Compare(terms[z], "<=", Rational(35, 2) * y**2 * T), other), count, *box,
    ]  # fmt: skip
    ends = [cut(substitute(found, terms), *known) for found in (first, second)]
    nonneg = by(Compare(y**4 * T, ">=", 0), count, fourth)
    theorem = joint(Compare(Sum(SCORES_NEAR, PLACE), "<=", 240 * y**4 * T), sums, *ends, nonneg)
    return every(theorem, LAYER, TEXT)


@cache
def attention_gradient() -> Theorem:
    """sum |mean h S h - x c Q| <= 320 y^4 in every layer."""
    state, own = hidden(n, layer - 1, i, t, j), x(i, t, j)
    other, word = hidden(n, layer - 1, i, m, k), x(i, m, k)
    S, lead = score(n, layer, i, t, m), LEADS * leading_score(i, t, m)
    term = state * S * other - own * lead * word
    near, short = state_near(layer - 1), state_short(layer - 1)
    seen = lambda known: in_prefix(by_columns(known))  # noqa: E731
    near_m, short_m = seen(state_near(layer - 1, m)), seen(state_short(layer - 1, m))
    size = linked(Compare(Sum(Abs(own), ROW), "<=", 1), token_size())
    parts = (
        (state, S - lead, other, short, short_m), (state - own, lead, other, near, short_m),
        (own, lead, other - word, size, near_m),
    )  # fmt: skip
    bounds = [triple_below(a, c, b, one, two) for a, c, b, one, two in parts]
    p, r, s, u, v, w = symbols("p r s u v w", real=True)
    same = identity(p * r * s - u * v * w, p * (r - v) * s + (p - u) * v * s + u * v * (s - w))
    split = substitute(same, {p: state, r: S, s: other, u: own, v: lead, w: word})
    a, b, c, e = symbols("a b c e", real=True)
    each = joint(
        Compare(Abs(e), "<=", Abs(a) + Abs(b) + Abs(c)), given=(Compare(e, "=", a + b + c),)
    )
    pieces = [first * second * third for first, second, third, _, _ in parts]
    each = cut(substitute(each, {e: term, a: pieces[0], b: pieces[1], c: pieces[2]}), split)
    found = summed_over(each, ROW, COLUMN)
    pulled = sum_rearranged(
        found.formula.right, sum(total(Abs(piece), ROW, COLUMN) for piece in pieces)
    )
    row = Rational(81, 64) * Abs(S - lead) + Rational(17, 16) * y * Abs(lead)
    one = joint(Compare(found.formula.left, "<=", row), found, pulled, *bounds)
    sums = summed_over(one, BEFORE)
    scores_ = at_places(scores_near(), layer, i, t)
    scores_ = linked(Compare(Sum(Abs(S - lead), BEFORE), "<=", SCORES_NEAR), scores_)
    leads = linked(Compare(Sum(Abs(lead), BEFORE), "<=", 4 * y**3), leading_sizes())
    scaled = times(joint(Compare(y, "<=", y)), leads, box[0], sum_sign(lead, BEFORE))
    bound = linked(Compare(sums.formula.right, "<=", SCORED), scores_, scaled)
    row = joint(
        Compare(total(Abs(Sum(term, BEFORE)), ROW, COLUMN), "<=", SCORED),
        outward(term),
        sums,
        bound,
    )
    totals = summed_over(row, PLACE)
    known = linked(
        Compare(totals.formula.left, "<=", T * (321 * y**4)), totals, at_places(scored_totals(), layer, i),
        by(Compare(y**4 * T, ">=", 0), joint(Compare(T, ">=", 1)), by(Compare(y**4, ">=", 0))),
    )  # fmt: skip
    placed = own * leading_score(i, t, m) * word
    read_ = unfold(word_entry(j, k), token_mean(Sum(placed, BEFORE)), TRAINED, (ROW, COLUMN))
    theorem = gradient(
        attention, Sum(state * S * other, BEFORE), LEADS * word_entry(j, k), Sum(term, BEFORE), 321 * y**4,
        known, read_,
    )  # fmt: skip
    return every(theorem, LAYER)


def by_columns(known: Theorem) -> Theorem:
    """A sum over j with its index called k."""
    return named(known, COLUMN)


def apart_by(position: Any) -> Expr:
    """Whether position m stands so far behind position t."""
    return KroneckerDelta(m, t - position + 1)


@cache
def distance_size() -> Theorem:
    """sum_m of Kronecker's delta is one, for a token that a row sees."""
    a = place("b")
    inside = (Compare(a, ">=", 1), Compare(a, "<=", t), Compare(t, "<=", T))
    one = cut(
        fact(DELTA_SUM, place=t - a + 1, k=m, low=1, high=T), joint(Compare(t - a + 1, ">=", 1), given=inside),
        joint(Compare(t - a + 1, "<=", T), given=inside),
    )  # fmt: skip
    delta = apart_by(a)
    sign = joint(
        Compare(Abs(delta), "=", delta),
        fact(DELTA, a=m, b=t - a + 1, term=Integer(1), place=place("z")),
    )
    sums = summed_over(sign, ALL)
    return every(joint(Compare(sums.formula.left, "<=", 1), sums, one), (a, 1, t))


@cache
def position_gradient() -> Theorem:
    """sum_m |mean of S by distance - x c Delta| <= 321 y^4 in every layer."""
    a = place("b")
    limits = (a, 1, t)
    gap = score(n, layer, i, t, a) - LEADS * leading_score(i, t, a)
    found = carried(gap, apart_by(a), limits, ALL, Integer(1), instance(distance_size(), a))
    scores_ = linked(
        Compare(Sum(Abs(gap), limits), "<=", SCORES_NEAR), at_places(scores_near(), layer, i, t)
    )
    row = joint(Compare(found.formula.left, "<=", SCORES_NEAR), found, scores_)
    totals = summed_over(row, PLACE)
    known = linked(
        Compare(totals.formula.left, "<=", T * (321 * y**4)), totals, at_places(scored_totals(), layer, i),
        by(Compare(y**4 * T, ">=", 0), joint(Compare(T, ">=", 1)), by(Compare(y**4, ">=", 0))),
    )  # fmt: skip
    body = Sum(gap * apart_by(a), limits)
    own = Sum(score(n, layer, i, t, a) * apart_by(a), limits)
    lead = Sum(leading_score(i, t, a) * apart_by(a), limits)
    read_ = unfold(position_entry(m), token_mean(lead), TRAINED, (ALL,))
    theorem = gradient(
        positions, own, LEADS * position_entry(m), body, 321 * y**4, known, read_, ranges=(ALL,)
    )
    return every(theorem, LAYER)


@cache
def leading_maps_size() -> tuple[Theorem, Theorem]:
    """sum |Q| <= 8 and sum |Delta| <= 8."""
    lead, own, word = leading_score(i, t, m), x(i, t, j), x(i, m, k)
    size = linked(Compare(Sum(Abs(own), ROW), "<=", 1), token_size())
    other = in_prefix(linked(Compare(Sum(Abs(word), COLUMN), "<=", 1), token_size(m)))
    term = own * lead * word
    sums = summed_over(triple_below(own, lead, word, size, other), BEFORE)
    row = linked(
        Compare(total(Abs(Sum(term, BEFORE)), ROW, COLUMN), "<=", 8), outward(term), sums,
        at_places(leading_scores_size(), i, t),
    )  # fmt: skip
    found = mean_sized(Sum(term, BEFORE), Integer(8), per_text(row, Integer(8)), ROW, COLUMN)
    read_ = unfold(word_entry(j, k), token_mean(Sum(term, BEFORE)), TRAINED, (ROW, COLUMN))
    same = summed_over(
        joint(Compare(Abs(word_entry(j, k)), "=", Abs(read_.formula.right)), read_), ROW, COLUMN
    )
    by_words = joint(Compare(same.formula.left, "<=", 8), same, found)
    a = place("b")
    limits = (a, 1, t)
    body = Sum(leading_score(i, t, a) * apart_by(a), limits)
    found = carried(
        leading_score(i, t, a), apart_by(a), limits, ALL, Integer(1), instance(distance_size(), a)
    )
    row = linked(
        Compare(found.formula.left, "<=", 8), found, at_places(leading_scores_size(), i, t)
    )
    found = mean_sized(body, Integer(8), per_text(row, Integer(8)), ALL)
    read_ = unfold(position_entry(m), token_mean(body), TRAINED, (ALL,))
    same = summed_over(
        joint(Compare(Abs(position_entry(m)), "=", Abs(read_.formula.right)), read_), ALL
    )
    return by_words, joint(Compare(same.formula.left, "<=", 8), same, found)
