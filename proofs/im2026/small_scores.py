"""Scores of attention near those of the leading terms."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from sympy import Abs, Expr, Integer, Rational, Sum, Symbol, symbols

from claims.im2026.attention_scores import centred as leading_score
from claims.im2026.attention_scores import score as score_of_pair
from claims.im2026.cooperation import composed_value
from claims.im2026.notation import i, j, layer, m, words
from claims.im2026.parting_layers import follows
from claims.im2026.small_starts import TRAINED, passed_back, score, weight
from claims.statement import Compare
from proofs.calculation import algebra, at_places, linked, place, summed_over
from proofs.im2026.absolute_sums import total, triangle
from proofs.im2026.bigrams import x
from proofs.im2026.contexts import t
from proofs.im2026.orders import BEFORE, LAYER, PLACE, ROW, TEXT, every, in_prefix, n
from proofs.im2026.small_passes import MIXED, attention_moved, attention_row, entry_below, passed
from proofs.im2026.small_sensitivities import (
    G_GAP,
    G_SIZE,
    PASSED,
    follows_size,
    passed_near,
    passed_size,
    sensed,
)
from proofs.im2026.small_weights import (
    ALL,
    box,
    column_below,
    composed_size,
    far,
    pairs,
    said_of,
    sum_sign,
    token_size,
    y,
)
from proofs.kernel import Theorem, cut, identity, joint, substitute, sum_rearranged, unfold

# Scores -------------------------------------------------------------------------------------------


@cache
def scored_read() -> tuple[Theorem, Theorem]:
    """S, and Q of the leading terms, on the tokens that a row sees."""
    a = place("q")
    heard = lambda one: weight(n, layer, i, t, one) * passed_back(n, layer, i, t, one)  # noqa: E731
    own = weight(n, layer, i, t, m) * (passed_back(n, layer, i, t, m) - Sum(heard(a), (a, 1, t)))
    first = said_of(score(n, layer, i, t, m), own, LAYER, TEXT, PLACE, BEFORE)
    pair = lambda one: score_of_pair(i, t, one)  # noqa: E731
    centred_ = (pair(m) - Sum(pair(a), (a, 1, t)) / t) / t
    return first, unfold(leading_score(i, t, m), centred_, TRAINED, (TEXT, PLACE, BEFORE))


@cache
def heard_size() -> Theorem:
    """|sum_m A_tm M_tm| <= 27 y^2 g / 8."""
    own = lambda one: weight(n, layer, i, t, one) * passed_back(n, layer, i, t, one)  # noqa: E731
    tri = triangle(own(m), BEFORE)
    u, v, c = symbols("u v c", real=True)
    product = joint(Compare(Abs(u * v), "<=", c * Abs(u)), given=(Compare(Abs(v), "<=", c),))
    known = in_prefix(at_places(passed_size(), layer, i, t, m))
    each = cut(
        substitute(
            product, {u: weight(n, layer, i, t, m), v: passed_back(n, layer, i, t, m), c: PASSED}
        ), known,
    )  # fmt: skip
    found = summed_over(each, BEFORE)
    pulled = sum_rearranged(
        found.formula.right, PASSED * Sum(Abs(weight(n, layer, i, t, m)), BEFORE)
    )
    one = at_places(attention_row()[1], layer, i, t)
    theorem = linked(Compare(tri.formula.left, "<=", PASSED), tri, found, pulled, one)
    return every(theorem, LAYER, TEXT, PLACE)


@cache
def scores_size() -> Theorem:
    """sum_m |S_tm| <= 27 y^2 g / 4, on the tokens that a row sees."""
    a, v, w, c = symbols("a v w c", real=True)
    given = Compare(Abs(v), "<=", c), Compare(Abs(w), "<=", c)
    apart = joint(Compare(Abs(v - w), "<=", 2 * c), given=given)
    z = Symbol("z", real=True)
    each = joint(Compare(Abs(a * z), "<=", 2 * c * Abs(a)), given=(Compare(Abs(z), "<=", 2 * c),))
    each = cut(substitute(each, {z: v - w}), apart)
    now, _ = scored_read()
    sum_ = at_places(heard_size(), layer, i, t)
    terms = {
        a: weight(n, layer, i, t, m), v: passed_back(n, layer, i, t, m), w: sum_.formula.left.args[0],
        c: PASSED,
    }  # fmt: skip
    each = cut(substitute(each, terms), in_prefix(at_places(passed_size(), layer, i, t, m)), sum_)
    each = linked(
        Compare(Abs(score(n, layer, i, t, m)), "<=", 2 * PASSED * Abs(weight(n, layer, i, t, m))),
        each,
        now,
    )
    found = summed_over(each, BEFORE)
    pulled = sum_rearranged(
        found.formula.right, 2 * PASSED * Sum(Abs(weight(n, layer, i, t, m)), BEFORE)
    )
    one = at_places(attention_row()[1], layer, i, t)
    theorem = linked(Compare(found.formula.left, "<=", 2 * PASSED), found, pulled, one)
    return every(theorem, LAYER, TEXT, PLACE)


def same_size(known: Theorem, same: Theorem) -> Theorem:
    """|a| <= c from |b| <= c and a = b."""
    a, b, c = symbols("a b c", real=True)
    terms = {a: same.formula.left, b: same.formula.right, c: known.formula.right}
    given = Compare(Abs(b), "<=", c), Compare(a, "=", b)
    return algebra(Compare(Abs(a), "<=", c), given, terms, known, same)


GAP = Rational(27, 8) * y**2 * G_GAP + 28 * y**4
"""How far what is passed back is from its leading term."""


@cache
def heard_near() -> Theorem:
    """|sum_m A_tm M_tm - x c mean of M0| <= 545 y^4 / 2 (27 y^2 g / 8) + (27 y^2 d / 8 + 28 y^4)."""
    own = passed_back(n, layer, i, t, m)
    moved = weight(n, layer, i, t, m) - 1 / t
    gap = own - far * pairs * score_of_pair(i, t, m)
    u, v, c = symbols("u v c", real=True)
    product = joint(Compare(Abs(u * v), "<=", c * Abs(u)), given=(Compare(Abs(v), "<=", c),))
    known = in_prefix(at_places(passed_size(), layer, i, t, m))
    each = cut(substitute(product, {u: moved, v: own, c: PASSED}), known)
    found = summed_over(each, BEFORE)
    pulled = sum_rearranged(found.formula.right, PASSED * Sum(Abs(moved), BEFORE))
    rows = at_places(attention_moved(), layer, i, t)
    p, s, b = symbols("p s b", real=True)
    scaled = joint(Compare(p * s, "<=", b * p), given=(Compare(s, "<=", b), Compare(p, ">=", 0)))
    scaled = cut(
        substitute(scaled, {p: PASSED, s: Sum(Abs(moved), BEFORE), b: MIXED}), rows, passed_sign()
    )
    one = linked(
        Compare(Abs(Sum(moved * own, BEFORE)), "<=", MIXED * PASSED), triangle(moved * own, BEFORE), found,
        pulled, scaled,
    )  # fmt: skip
    near = in_prefix(at_places(passed_near(), layer, i, t, m))
    sums = summed_over(near, BEFORE)
    two = linked(Compare(Abs(Sum(gap, BEFORE)), "<=", t * GAP), triangle(gap, BEFORE), sums)
    a, w, k_ = symbols("a w k", real=True)
    divided = joint(
        Compare(Abs(a / w), "<=", k_), given=(Compare(Abs(a), "<=", w * k_), Compare(w, ">=", 1))
    )
    divided = cut(
        substitute(divided, {a: Sum(gap, BEFORE), w: t, k_: GAP}), two,
        joint(Compare(t, ">=", 1), given=(Compare(t, ">=", 1),)),
    )  # fmt: skip
    q_ = place("q")
    heard = Sum(weight(n, layer, i, t, q_) * passed_back(n, layer, i, t, q_), (q_, 1, t))
    mean_ = Sum(score_of_pair(i, t, q_), (q_, 1, t)) / t
    split = linked(
        Compare(heard - far * pairs * mean_, "=", Sum(moved * own, BEFORE) + Sum(gap, BEFORE) / t),
        joint(Compare(t, ">=", 1), given=(Compare(t, ">=", 1),)),
    )
    theorem = joint(
        Compare(Abs(heard - far * pairs * mean_), "<=", MIXED * PASSED + GAP), split, one, divided
    )
    return every(theorem, LAYER, TEXT, PLACE)


def passed_sign() -> Theorem:
    """27 y^2 g / 8 is not negative."""
    u, v = symbols("u v", real=True)
    found = joint(Compare(Rational(27, 8) * u**2 * v, ">=", 0), given=(Compare(v, ">=", 0),))
    return cut(substitute(found, {u: y, v: G_SIZE}), sum_sign(sensed(j), ROW))


SCORES_NEAR = 20 * y**4 * G_SIZE + Rational(27, 4) * y**2 * G_GAP + 56 * y**4


def score_apart(**terms: Any) -> Theorem:
    """|a (M - B) - K (s - r) w| <= 2 p |a - w| + (e + z) w: a score, beside a leading one.

    For w > 0, |M| and |B| at most p, |M - K s| <= e and |B - K r| <= z.
    """
    return substitute(_score_apart(), {Symbol(name, real=True): terms[name] for name in terms})


@cache
def _score_apart() -> Theorem:
    a, M, B, K, s, r, w, p, e, z = symbols("a M B K s r w p e z", real=True)
    gap = a * (M - B) - K * ((s - r) * w)
    split = identity(gap, (a - w) * (M - B) + w * ((M - K * s) - (B - K * r)))
    size = joint(
        Compare(Abs(M - B), "<=", 2 * p), given=(Compare(Abs(M), "<=", p), Compare(Abs(B), "<=", p))
    )
    u, v, c = symbols("u v c", real=True)
    product = joint(Compare(Abs(u * v), "<=", c * Abs(u)), given=(Compare(Abs(v), "<=", c),))
    one = cut(substitute(product, {u: a - w, v: M - B, c: 2 * p}), size)
    near = joint(
        Compare(Abs((M - K * s) - (B - K * r)), "<=", e + z),
        given=(Compare(Abs(M - K * s), "<=", e), Compare(Abs(B - K * r), "<=", z)),
    )
    two = cut(substitute(product, {u: w, v: (M - K * s) - (B - K * r), c: e + z}), near)
    positive = joint(Compare(Abs(w), "=", w), given=(Compare(w, ">", 0),))
    return joint(
        Compare(Abs(gap), "<=", 2 * p * Abs(a - w) + (e + z) * w), split, one, two, positive
    )


@cache
def scores_near() -> Theorem:
    """sum_m |S_tm - x c Q_tm| <= 20 y^4 g + 27 y^2 d / 4 + 56 y^4, on the tokens that a row sees."""
    now, lead = scored_read()
    near_heard = at_places(heard_near(), layer, i, t)
    q_ = place("q")
    heard = Sum(weight(n, layer, i, t, q_) * passed_back(n, layer, i, t, q_), (q_, 1, t))
    mean_ = Sum(score_of_pair(i, t, q_), (q_, 1, t)) / t
    apart = score_apart(
        a=weight(n, layer, i, t, m), M=passed_back(n, layer, i, t, m), B=heard, K=far * pairs,
        s=score_of_pair(i, t, m), r=mean_, w=1 / t, p=PASSED, e=GAP, z=MIXED * PASSED + GAP,
    )  # fmt: skip
    each = cut(
        apart, in_prefix(at_places(passed_size(), layer, i, t, m)),
        linked(Compare(Abs(heard), "<=", PASSED), at_places(heard_size(), layer, i, t)),
        in_prefix(at_places(passed_near(), layer, i, t, m)),
        linked(Compare(Abs(heard - far * pairs * mean_), "<=", MIXED * PASSED + GAP), near_heard),
        joint(Compare(1 / t, ">", 0), given=(Compare(t, ">=", 1),)),
        joint(Compare(t, "!=", 0), given=(Compare(t, ">=", 1),)),
    )  # fmt: skip
    body = score(n, layer, i, t, m) - far * pairs * leading_score(i, t, m)
    same = linked(Compare(body, "=", each.formula.left.args[0]), now, lead)
    each = same_size(each, same)
    found = summed_over(each, BEFORE)
    moved = Sum(Abs(weight(n, layer, i, t, m) - 1 / t), BEFORE)
    pulled = linked(
        Compare(found.formula.right, "=", 2 * PASSED * moved + 2 * GAP + MIXED * PASSED),
        joint(Compare(t, ">=", 1), given=(Compare(t, ">=", 1),)),
    )
    rows = at_places(attention_moved(), layer, i, t)
    p, u, x_, g_, d_ = symbols("p u X g d", real=True)
    given = (
        Compare(x_, "<=", Rational(545, 2) * u**4), Compare(u, ">=", 0), Compare(u, "<=", Rational(1, 12)),
        Compare(g_, ">=", 0),
    )  # fmt: skip
    lead_ = joint(Compare(2 * p * x_, "<=", 545 * u**4 * p), given=(given[0], Compare(p, ">=", 0)))
    lead_ = cut(
        substitute(lead_, {p: Rational(27, 8) * u**2 * g_}),
        joint(Compare(Rational(27, 8) * u**2 * g_, ">=", 0), given=given[3:]),
    )
    square = joint(Compare(u**2, "<=", Rational(1, 144)), given=given[1:3])
    sixth = joint(
        Compare(Rational(1635 * 27, 16) * (u**2 * (u**4 * g_)), "<=", 20 * (u**4 * g_)),
        square,
        joint(Compare(u**4 * g_, ">=", 0), given=given[3:]),
    )
    goal = Compare(
        2 * (Rational(27, 8) * u**2 * g_) * x_ + 2 * (Rational(27, 8) * u**2 * d_ + 28 * u**4)
        + Rational(545, 2) * u**4 * (Rational(27, 8) * u**2 * g_), "<=",
        20 * u**4 * g_ + Rational(27, 4) * u**2 * d_ + 56 * u**4,
    )  # fmt: skip
    whole = joint(goal, lead_, sixth)
    whole = cut(
        substitute(whole, {u: y, g_: G_SIZE, d_: G_GAP, x_: moved}),
        rows,
        sum_sign(sensed(j), ROW),
        *box,
    )
    theorem = joint(Compare(found.formula.left, "<=", SCORES_NEAR), found, pulled, whole)
    return every(theorem, LAYER, TEXT, PLACE)


@cache
def leading_scores_size() -> Theorem:
    """sum_m |Q_tm| <= 8, on the tokens that a row sees."""
    a, b = place("a"), place("b")
    entry_of = lambda row, column: composed_value(row, column)  # noqa: E731
    found = passed(
        lambda one: follows(i, t, one), entry_of, lambda one: x(i, m, one), Integer(2),
        lambda one: column_below(composed_size(), entry_of, one), Integer(1),
        lambda one: entry_below(
            lambda w: x(i, m, w), ROW, one, Integer(1),
            linked(Compare(Sum(Abs(x(i, m, j)), ROW), "<=", 1), token_size(m)),
        ),
    )  # fmt: skip
    limits = ((a, 1, words), (b, 1, words))
    leading = total(follows(i, t, a) * composed_value(b, a) * x(i, m, b), *limits)
    read_ = unfold(score_of_pair(i, t, m), leading, TRAINED, (TEXT, PLACE, ALL))
    size = linked(
        Compare(Sum(Abs(follows(i, t, j)), ROW), "<=", 2), at_places(follows_size(), i, t)
    )
    one = linked(Compare(Abs(score_of_pair(i, t, m)), "<=", 4), found, read_, size)
    one = in_prefix(one)
    sums = summed_over(one, BEFORE)
    mean_ = linked(
        Compare(Abs(Sum(score_of_pair(i, t, m), BEFORE)), "<=", 4 * t),
        triangle(score_of_pair(i, t, m), BEFORE), sums,
    )  # fmt: skip
    _, lead = scored_read()
    s, r, w = symbols("s r w", real=True)
    given = (
        Compare(Abs(s), "<=", 4), Compare(Abs(r), "<=", 4 * w), Compare(w, ">=", 1),
    )  # fmt: skip
    inside = joint(Compare(Abs(r / w), "<=", 4), given=given[1:])
    apart = joint(Compare(Abs(s - r / w), "<=", 8), inside, given=given[:1])
    z = Symbol("z", real=True)
    each = joint(Compare(Abs(z / w), "<=", 8 / w), given=(Compare(Abs(z), "<=", 8), given[2]))
    each = cut(substitute(each, {z: s - r / w}), apart)
    row = renamed_sum(lambda one: score_of_pair(i, t, one))
    each = cut(
        substitute(each, {s: score_of_pair(i, t, m), r: row, w: t}),
        one, linked(Compare(Abs(row), "<=", 4 * t), mean_),
        joint(Compare(t, ">=", 1), given=(Compare(t, ">=", 1),)),
    )  # fmt: skip
    each = linked(Compare(Abs(leading_score(i, t, m)), "<=", 8 / t), each, lead)
    found = summed_over(each, BEFORE)
    theorem = linked(
        Compare(found.formula.left, "<=", 8),
        found,
        joint(Compare(t, ">=", 1), given=(Compare(t, ">=", 1),)),
    )
    return every(theorem, TEXT, PLACE)


def renamed_sum(term: Callable[[Any], Expr]) -> Sum:
    """The sum over the tokens that a row sees."""
    one = Symbol("q'", integer=True)
    return Sum(term(one), (one, 1, t))
