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
from claims.terms import MaxOver, MinOver, Recursion
from claims.wu2024.notation import N, d, t
from proofs.calculation import (
    at_places,
    extremum_over,
    for_all,
    linked,
    multiplied,
    replaced,
    summed_over,
    sums_compared,
    weighed,
)
from proofs.kernel import (
    Theorem,
    assume,
    cut,
    extremum_bounds,
    instance,
    joint,
    part,
    recursion_start,
    recursion_step,
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
    entry_below_norm,
    inner,
    minus,
    picked,
    polarised,
    regrouped,
    root_below,
    rotation_keeps_products,
    row,
)
from proofs.wu2024.spherical import to_last_layer

n, k = symbols("n k", integer=True)
turn = Recursion(
    r"\tilde W",
    lambda m, k: KroneckerDelta(m, k),
    lambda u, m, k, before: combination(lambda p: before(m, p), SPHERE.value(u), d)(k),
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
    mixed, value = FRAME.moved(u, i), SPHERE.value(u)

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
    q = Symbol("q", real=True)
    same = replaced(SPHERE.moved(u, i)(k) / sqrt(q), q, norms)
    divided = weighed(
        lambda p: turn(u + 1, p, k), lambda p: recursion_step(FRAME.tokens, u, i, p), d
    )
    ratio = replaced(q / sqrt(norms.formula.right), q, moved)
    goal = Compare(SPHERE.tokens(u + 1, i, k), "=", rotated(u + 1, i)(k))
    return linked(goal, recursion_step(SPHERE.tokens, u, i, k), same, ratio, divided)


def first_tokens() -> Theorem:
    """No layers: W~ = I."""
    chosen = picked(lambda p: FRAME.tokens(0, i, p), k, d)
    term = weighed(lambda p: FRAME.tokens(0, i, p), lambda p: recursion_start(turn, p, k), d)
    goal = Compare(SPHERE.tokens(0, i, k), "=", rotated(0, i)(k))
    begun = [recursion_start(tokens, i, k) for tokens in (SPHERE.tokens, FRAME.tokens)]
    return linked(goal, *begun, chosen, term)


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

    def product(u: Any) -> Expr:
        return inner(row(turns(u), n), row(turns(u), k))

    def ends(equal: Any) -> Theorem:
        """<W~_n, W~_k> with both rows read by their definition."""
        return multiplied(lambda p: equal(n, p), lambda p: equal(k, p), d)

    def over(right: Any, *theorems: Theorem) -> Theorem:
        return for_all(linked(Compare(right, "=", KroneckerDelta(n, k)), *theorems), (n, d), (k, d))

    chosen = picked(lambda p: KroneckerDelta(n, p), k, d)
    start = over(product(0), ends(lambda a, p: recursion_start(turn, a, p)), chosen)
    known = at_places(assume(rows_are_orthonormal(layer)), n, k)
    one, other = (row(turns(layer), a) for a in (n, k))
    kept = rotation_keeps_products(one, other, SPHERE.value(layer), SPHERE.orthogonal(layer))
    step = ends(lambda a, p: recursion_step(turn, layer, a, p))
    return to_last_layer(start, over(product(layer + 1), step, kept, known), layer, t)


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
    own = extremum_bounds(FEATURE.extreme(kind, t), i)
    inside = Compare(chart(t, i, m), sign, FEATURE.extreme(kind, earlier))
    return joint(inside, instance(stays, t - earlier), own)


def squared_gap(u: Any, one: tuple[Any, Any], other: tuple[Any, Any], *later: Theorem) -> Theorem:
    """|Y - Y'|^2 <= d width^2 at layer u for tokens at layers from u on, as for `square_of_gap`."""
    square = square_of_gap(u, one, other, *later)
    total = summed_over(square, (m, d))
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
    width = width_bound(earlier)
    gap = minus(*(row(FRAME.at(u), i) for u in (t, earlier)))
    whole = linked(
        Compare(gap(k) ** 2, "<=", d * width**2), squared_move(), entry_below_norm(gap, k)
    )
    return root_below(gap(k), width, whole, contraction_below_one())


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
    return extremum_over(MaxOver, move, (i, N), (k, d))
