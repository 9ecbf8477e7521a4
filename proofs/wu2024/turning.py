r"""Tokens in the frame that turns with the value matrices settle: where tokens on the sphere end.

With W~ the product of the value matrices so far, X = Y W~, where Y follows the dynamics without
value matrices; rows of W~ are orthonormal, so that X W~^T = Y.  From layer u on every z_i stays
between the extremes of layer u, so that no token of Y moves further than their width.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Abs, Expr, KroneckerDelta, Symbol, sqrt, symbols

from claims.statement import Compare, ForAll, Formula
from claims.terms import MaxOver, MinOver, Recursion, entry
from claims.wu2024.notation import WV, N, d, t
from claims.wu2024.unit_tokens import Orthogonal
from proofs.calculation import at_places, for_all, linked, place, sums_compared, weighed
from proofs.kernel import (
    Theorem,
    assume,
    congruent,
    cut,
    extremum_bounds,
    extremum_compared,
    generalise,
    instance,
    joint,
    part,
    recursion_start,
    recursion_step,
    substitute,
    sum_at_least_term,
    sum_compared,
)
from proofs.wu2024.averages import i
from proofs.wu2024.chart import (
    FEATURE,
    FRAME,
    at_layer,
    chart,
    chart_is_wider,
    contraction_below_one,
    layer,
    m,
    shares,
    weights,
    width_bound,
)
from proofs.wu2024.gathering import SPHERE, before_layernorm, products_agree, square_of_gap
from proofs.wu2024.norms import (
    Row,
    Rows,
    combination,
    combination_inside,
    inner,
    minus,
    picked,
    polarised,
    regrouped,
    rotation_keeps_products,
    row,
)
from proofs.wu2024.spherical import to_last_layer

value = entry(WV)
orthogonal = assume(Orthogonal(WV).facts()[0])
n, k = symbols("n k", integer=True)
turn = Recursion(
    r"\tilde W",
    lambda m, k: KroneckerDelta(m, k),
    lambda u, m, k, before: combination(lambda p: before(m, p), value, d)(k),
)
"""The product of as many value matrices as layers, the first on the left."""


def turns(u: Any) -> Rows:
    return lambda m, k: turn(u, m, k)


def rotated(u: Any, one: Any) -> Row:
    """(Y W~)_i."""
    return combination(row(FRAME.at(u), one), turns(u), d)


def turned_back(u: Any, one: Any, feature: Any) -> Expr:
    """(X W~^T)_ik."""
    return inner(row(SPHERE.at(u), one), row(turns(u), feature))


# X = Y W~ -----------------------------------------------------------------------------------------


def tokens_are_rotated(u: Any) -> Formula:
    equal = Compare(SPHERE.tokens(u, i, k), "=", rotated(u, i)(k))
    return ForAll(i, 1, N, ForAll(k, 1, d, equal))


def everywhere(theorem: Theorem) -> Theorem:
    """For all tokens and features."""
    return for_all(theorem, (i, N), (k, d))


def moved_are_rotated(u: Any) -> Theorem:
    """(AXW)_ik = sum_l (AY)_il W~'_lk, with the W~' of the next layer."""
    known, own = assume(tokens_are_rotated(u)), lambda p: weights(u, i, p)
    mixed = FRAME.moved(u, i)

    def averaged(p: Any) -> Theorem:
        """(AX)_ip W_pk = sum_l (AY)_il W~_lp W_pk."""
        term = weighed(own, lambda q: at_places(known, q, p), N)
        moved = regrouped(own, FRAME.at(u), turns(u), p, (N, d))
        left, right = combination(own, SPHERE.at(u))(p), combination(mixed, turns(u), d)(p)
        return linked(Compare(left * value(p, k), "=", right * value(p, k)), term, moved)

    outer = sums_compared(averaged, d)
    whole = regrouped(mixed, turns(u), value, k, (d, d))
    step = weighed(mixed, lambda p: recursion_step(turn, u, p, k), d)
    goal = Compare(SPHERE.moved(u, i)(k), "=", combination(mixed, turns(u + 1), d)(k))
    return linked(goal, outer, whole, step)


def next_tokens(u: Any) -> Theorem:
    """X' = Y' W~': both are divided by one norm."""
    moved = moved_are_rotated(u)
    norms = cut(before_layernorm(u, i, i), instance(products_agree(), u))
    old, new = norms.formula.left, norms.formula.right
    q = Symbol("q", real=True)
    same = cut(congruent(SPHERE.moved(u, i)(k) / sqrt(q), q, old, new), norms)
    divided = weighed(
        lambda p: turn(u + 1, p, k), lambda p: recursion_step(FRAME.tokens, u, i, p), d
    )
    ratio = cut(congruent(q / sqrt(new), q, moved.formula.left, moved.formula.right), moved)
    goal = Compare(SPHERE.tokens(u + 1, i, k), "=", rotated(u + 1, i)(k))
    return linked(goal, recursion_step(SPHERE.tokens, u, i, k), same, ratio, divided)


def first_tokens() -> Theorem:
    """No layers: W~ = I."""
    chosen = picked(lambda p: FRAME.tokens(0, i, p), k, d)
    term = weighed(lambda p: FRAME.tokens(0, i, p), lambda p: recursion_start(turn, p, k), d)
    goal = Compare(SPHERE.tokens(0, i, k), "=", rotated(0, i)(k))
    return linked(
        goal, recursion_start(SPHERE.tokens, i, k), recursion_start(FRAME.tokens, i, k), chosen,
        term,
    )  # fmt: skip


@cache
def all_tokens_are_rotated() -> Theorem:
    """X = Y W~ at all layers up to the last."""
    return to_last_layer(everywhere(first_tokens()), everywhere(next_tokens(layer)), layer, t)


# X W~^T = Y ---------------------------------------------------------------------------------------


def rows_are_orthonormal(u: Any) -> Formula:
    product = inner(row(turns(u), n), row(turns(u), k))
    return ForAll(n, 1, d, ForAll(k, 1, d, Compare(product, "=", KroneckerDelta(n, k))))


@cache
def turns_are_orthogonal() -> Theorem:
    """Rows of W~ are orthonormal."""

    def ends(u: Any, equal: Any) -> Theorem:
        """<W~_n, W~_k> with both rows read by their definition."""
        return sums_compared(
            lambda p: joint(
                Compare(turn(u, n, p) * turn(u, k, p), "=",
                        equal(n, p).formula.right * equal(k, p).formula.right),
                equal(n, p), equal(k, p),
            ),
            d,
        )  # fmt: skip

    def over(theorem: Theorem) -> Theorem:
        return for_all(theorem, (n, d), (k, d))

    begun = ends(0, lambda a, p: recursion_start(turn, a, p))
    chosen = picked(lambda p: KroneckerDelta(n, p), k, d)
    goal = Compare(inner(row(turns(0), n), row(turns(0), k)), "=", KroneckerDelta(n, k))
    start = linked(goal, begun, chosen)
    known = assume(rows_are_orthonormal(layer))
    one, other = (row(turns(layer), a) for a in (n, k))
    kept = rotation_keeps_products(one, other, value, orthogonal)
    step = ends(layer + 1, lambda a, p: recursion_step(turn, layer, a, p))
    after = inner(row(turns(layer + 1), n), row(turns(layer + 1), k))
    following = linked(
        Compare(after, "=", KroneckerDelta(n, k)), step, kept, at_places(known, n, k)
    )
    return to_last_layer(over(start), over(following), layer, t)


@cache
def turned_back_is_unturned(u: Any) -> Theorem:
    """(X W~^T)_ik = Y_ik."""
    rows = row(FRAME.at(u), i)
    read = weighed(
        lambda p: turn(u, k, p), lambda p: at_places(all_tokens_are_rotated(), u, i, p), d
    )
    inside = combination_inside(rows, turns(u), row(turns(u), k), d)
    deltas = weighed(rows, lambda p: at_places(turns_are_orthogonal(), u, p, k), d)
    chosen = picked(rows, k, d)
    goal = Compare(turned_back(u, i, k), "=", rows(k))
    return linked(goal, read, inside, deltas, chosen)


# Tokens settle ------------------------------------------------------------------------------------

earlier = Symbol("t_1", integer=True, nonnegative=True)


def still_inside(kind: type) -> Theorem:
    """z_im of the last layer is between the extremes of an earlier one."""
    sign = "<=" if kind is MaxOver else ">="
    stays = cut(FEATURE.shifted(FEATURE.stays(kind), earlier), *shares())
    extreme = joint(
        Compare(FEATURE.extreme(kind, t), sign, FEATURE.extreme(kind, earlier)),
        instance(stays, t - earlier),
    )
    own = extremum_bounds(FEATURE.extreme(kind, t), i)
    return joint(Compare(chart(t, i, m), sign, FEATURE.extreme(kind, earlier)), extreme, own)


def squared_gap(u: Any, one: tuple[Any, Any], other: tuple[Any, Any], *later: Theorem) -> Theorem:
    """|Y - Y'|^2 <= d width^2 at layer u for tokens at layers from u on, as for `square_of_gap`."""
    square = square_of_gap(u, one, other, *later)
    total = sum_compared(generalise(square, m, 1, d))
    wide, width = chart_is_wider(one, other), width_bound(u)
    rows = [row(FRAME.at(w), a) for w, a in (one, other)]
    gap = minus(*rows)
    units, heights = ([instance(part(at_layer(w), n), a) for w, a in (one, other)] for n in (0, 1))
    below = linked(
        Compare(inner(gap, gap), "<=", d * width**2), wide, total, *units, polarised(*rows)
    )
    return cut(below, *heights, contraction_below_one())


@cache
def squared_move() -> Theorem:
    """|Y_i(t) - Y_i(t_1)|^2 <= d width^2 at layer t_1 <= t."""
    later = [still_inside(kind) for kind in (MaxOver, MinOver)]
    return squared_gap(earlier, (t, i), (earlier, i), *later)


@cache
def moves_stay_below() -> Theorem:
    """|Y_ik(t) - Y_ik(t_1)| <= sqrt(d) 2/g (1 - (eps g)^r)^(t_1/r - (r-1)/r) for t_1 <= t."""
    width, p = width_bound(earlier), place()
    gap = minus(*(row(FRAME.at(u), i) for u in (t, earlier)))
    own = sum_at_least_term(generalise(joint(Compare(gap(p) ** 2, ">=", 0)), p, 1, d), k)
    whole = linked(Compare(gap(k) ** 2, "<=", d * width**2), squared_move(), own)
    q, w = symbols("q w", real=True)
    root = joint(
        Compare(Abs(q), "<=", sqrt(d) * w),
        given=(Compare(q**2, "<=", d * w**2), Compare(w, ">=", 0)),
    )
    positive = joint(Compare(width, ">=", 0), contraction_below_one())
    return cut(substitute(root, {q: gap(k), w: width}), whole, positive)


def largest_move(u: Any, later: Any) -> Expr:
    """The largest move of an entry of X W~^T between two layers."""
    move = Abs(turned_back(later, i, k) - turned_back(u, i, k))
    return MaxOver(MaxOver(move, (k, 1, d)), (i, 1, N))


@cache
def tokens_settle() -> Theorem:
    """The largest move from layer t_1 to layer t is below sqrt(d) times the width at t_1."""
    bound = sqrt(d) * width_bound(earlier)
    move = joint(
        Compare(Abs(turned_back(t, i, k) - turned_back(earlier, i, k)), "<=", bound),
        moves_stay_below(), turned_back_is_unturned(t), turned_back_is_unturned(earlier),
    )  # fmt: skip
    inside = extremum_compared(generalise(move, k, 1, d), MaxOver)
    return extremum_compared(generalise(inside, i, 1, N), MaxOver)
