r"""Proofs of Eq. (23)-(25) and of the common point: tokens gather, at a rate, for every N and d."""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Abs, Integer, Symbol, oo, sqrt

from claims.model import Claim
from claims.statement import Compare
from claims.wu2024 import sphere_limits as claims
from claims.wu2024.cone import margin as GAMMA
from claims.wu2024.cone import sigma_min
from claims.wu2024.notation import N, d, epsilon, r, t
from claims.wu2024.sphere_limits import later, spread_after, turned_move
from proofs.calculation import for_all
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.kernel import (
    Theorem,
    assume,
    both,
    cut,
    generalise,
    identity,
    joint,
    limit,
    limit_combined,
    limit_rewritten,
    squeezed,
    substitute,
    unfold,
)
from proofs.registry import proves
from proofs.wu2024 import averages
from proofs.wu2024.chart import contraction_below_one, floor, margin, margin_at_most_one
from proofs.wu2024.collapse import decay_vanishes
from proofs.wu2024.gathering import SPHERE, endless, spread_of_tokens
from proofs.wu2024.norms import squared_spread_is_nonnegative
from proofs.wu2024.row_factors import (
    error,
    errors_are_small,
    factors_settle,
    factors_share_a_limit,
    largest_factor_move,
    mixture_is_close_to_inverses,
    mixture_stays_away_from_zero,
    products_have_unit_rows,
)
from proofs.wu2024.turning import earlier, largest_move, tokens_settle

RATE = (1 - (epsilon * GAMMA) ** r) ** (t / r - (r - 1) / r)
DECAY = (1 - (epsilon * GAMMA) ** r) ** (2 * (t / r - (r - 1) / r))
CONSTANT = 2 * N * d / GAMMA**2


def in_terms_of_the_claim(theorem: Theorem) -> Theorem:
    """For attention above epsilon in all layers, and heights above gamma."""
    return endless(substitute(theorem, {floor: epsilon, margin: GAMMA}), epsilon)


@cache
def spread_stays_below() -> Theorem:
    """For all t: mu^2 <= 2 N d/gamma^2 (1 - (eps gamma)^r)^(2(t/r - (r-1)/r))."""
    squared = in_terms_of_the_claim(spread_of_tokens())
    whole = squared.formula.left
    read = unfold(spread_after(t), whole, claims.collapsing_tokens, ((t, 0, oo),))
    return generalise(
        joint(Compare(spread_after(t), "<=", CONSTANT * DECAY), squared, read), t, 0, oo
    )


@cache
def spread_vanishes() -> Theorem:
    """mu^2 is squeezed to zero."""
    whole = spread_of_tokens().formula.left
    read = unfold(spread_after(t), whole, claims.collapsing_tokens, ((t, 0, oo),))
    positive = squared_spread_is_nonnegative(SPHERE.at(t))
    low = generalise(joint(Compare(0, "<=", spread_after(t)), positive, read), t, 0, oo)
    factor, sequence = 1 - (epsilon * GAMMA) ** r, Symbol("a", real=True)
    scale = CONSTANT * factor ** (-2 * (r - 1) / r)
    squares = limit_combined(scale * sequence**2, {sequence: period_decay_vanishes()})
    split = identity(CONSTANT * DECAY, scale * factor ** (2 * t / r), by="powers add")
    vanishing = limit_rewritten(squares, generalise(split, t, 0, oo))
    return squeezed(low, spread_stays_below(), limit(Integer(0), t), vanishing)


@cache
def period_decay_vanishes() -> Theorem:
    """(1 - (eps gamma)^r)^(t/r) -> 0."""
    decay = substitute(decay_vanishes(Integer(1)), {epsilon: epsilon * GAMMA})
    return cut(decay, joint(Compare(epsilon * GAMMA, ">", 0)), below_one())


def below_one() -> Theorem:
    """eps gamma < 1."""
    small = in_terms_of_the_claim(margin_at_most_one())
    return joint(Compare(epsilon * GAMMA, "<", 1), small, given=(Compare(epsilon, "<", 1),))


def factor_is_positive() -> Theorem:
    """1 - (eps gamma)^r > 0, so that its powers and roots have values."""
    contracts = in_terms_of_the_claim(contraction_below_one())
    return joint(Compare(1 - (epsilon * GAMMA) ** r, ">", 0), contracts)


@proves(claims.tokens_collapse_under_layernorm)
def by_contraction_in_the_chart(claim: Claim) -> Certificate:
    """All features contract in the chart, and LayerNorm brings tokens no further apart."""
    return conclude(
        claim, cut(both(spread_vanishes(), spread_stays_below()), factor_is_positive()),
        method=r"contraction over $r$ layers in the chart $X/\langle X,v\rangle$",
    )  # fmt: skip


@cache
def turned_back_settles() -> Theorem:
    """From layer t on no later layer moves X W~^T further than sqrt(d) times the width in the chart."""
    ends = substitute(tokens_settle(), {earlier: t, t: t + later})
    found = endless(substitute(ends, {floor: epsilon, margin: GAMMA}), epsilon, t + later)
    found = cut(found, joint(Compare(t, "<=", t + later)))
    read = unfold(
        turned_move(t, later), largest_move(t, t + later), claims.collapsing_tokens,
        ((t, 0, oo), (later, 0, oo)),
    )  # fmt: skip
    bound = joint(Compare(turned_move(t, later), "<=", found.formula.right), found, read)
    return for_all(bound, (t, 0, oo), (later, 0, oo))


def read_at_layers(family: Any, term: Any, *more: Any) -> Theorem:
    """A quantity of the claim as a term with indices, at every layer."""
    over = tuple((index, 0, oo) for index in (t, *more))
    return unfold(family(t, *more), term, claims.collapsing_tokens, over)


@cache
def factors_at_every_layer() -> Theorem:
    """Eq. (23)-(24) at every layer."""
    close = 2 * sqrt(d) / (GAMMA * sigma_min) * RATE
    now = [
        (claims.uneven_norms, "=", Integer(0), products_have_unit_rows()),
        (claims.mixed, ">=", sigma_min, mixture_stays_away_from_zero()),
        (claims.from_inverse, "<=", N * close, mixture_is_close_to_inverses()),
        (claims.uneven_factors, "<=", close, factors_share_a_limit()),
    ]
    found = []
    for family, sign, bound, theorem in now:
        known = in_terms_of_the_claim(theorem)
        read = read_at_layers(family, known.formula.left)
        found.append(joint(Compare(family(t), sign, bound), known, read))
    ends = substitute(factors_settle(), {earlier: t, t: t + later})
    moved = endless(substitute(ends, {floor: epsilon, margin: GAMMA}), epsilon, t + later)
    moved = cut(moved, joint(Compare(t, "<=", t + later)))
    read = read_at_layers(claims.moved_factors, largest_factor_move(t, t + later), later)
    move = joint(Compare(claims.moved_factors(t, later), "<=", close), moved, read)
    return generalise(both(*found, generalise(move, later, 0, oo)), t, 0, oo)


@proves(claims.row_factors_share_a_finite_limit)
def by_least_singular_value(claim: Claim) -> Certificate:
    """sigma_min |P_i - P_k| <= |Y_i - Y_k|, which the chart makes small, at one layer or at two."""
    independent = assume(Compare(sigma_min, ">", 0))
    return conclude(
        claim, cut(both(independent, factors_at_every_layer()), factor_is_positive()),
        method=r"contraction over $r$ layers in the chart $X/\langle X,v\rangle$, and the least singular value",
    )  # fmt: skip


@cache
def errors_vanish() -> Theorem:
    """An error is squeezed to zero."""
    places = ((averages.i, N), (averages.j, N))
    known = in_terms_of_the_claim(errors_are_small())
    value, most = error(*(index for index, _ in places)), known.formula.right
    quantity = claims.error_after(t, *(index for index, _ in places))
    over = ((t, 0, oo), *((index, 1, size) for index, size in places))
    read = unfold(quantity, value, claims.collapsing_tokens, over)
    below = joint(Compare(Abs(quantity), "<=", most), known, read)
    sides = [
        generalise(joint(goal, below), t, 0, oo)
        for goal in (Compare(-most, "<=", quantity), Compare(quantity, "<=", most))
    ]
    factor, sequence = 1 - (epsilon * GAMMA) ** r, Symbol("a", real=True)
    scale = 4 * sqrt(d) / (GAMMA * sigma_min) * factor ** (-(r - 1) / r)
    split = identity(most, scale * factor ** (t / r), by="powers add")
    ends = []
    for sign in (-1, 1):
        line = limit_combined(sign * scale * sequence, {sequence: period_decay_vanishes()})
        same = joint(Compare(sign * most, "=", sign * split.formula.right), split)
        ends.append(limit_rewritten(line, generalise(same, t, 0, oo)))
    vanishing = squeezed(*sides, *ends)
    return for_all(both(vanishing, generalise(below, t, 0, oo)), *places)


@proves(claims.error_of_rank_one_vanishes)
def by_distances_of_rows(claim: Claim) -> Certificate:
    """Rows of P are close to the first, and so are their norms: |P_i - P_1| <= |Y_i - Y_1|/sigma_min."""
    independent = assume(Compare(sigma_min, ">", 0))
    return conclude(
        claim, cut(errors_vanish(), factor_is_positive(), independent),
        method=r"contraction over $r$ layers in the chart $X/\langle X,v\rangle$, and the least singular value",
    )  # fmt: skip


@proves(claims.tokens_have_limits_on_the_sphere)
def by_unit_norms_in_the_turning_frame(claim: Claim) -> Certificate:
    """X W~^T stays where its widths in the chart allow, and rows of P X W~ have norm one."""
    known = in_terms_of_the_claim(products_have_unit_rows())
    read = read_at_layers(claims.uneven_norms, known.formula.left)
    unit = joint(Compare(claims.uneven_norms(t), "=", 0), known, read)
    return conclude(
        claim, cut(both(turned_back_settles(), generalise(unit, t, 0, oo)), factor_is_positive()),
        method=r"contraction over $r$ layers in the chart $X/\langle X,v\rangle$, in the frame that turns",
    )  # fmt: skip


@proves(claims.tokens_converge_to_one_point)
def by_turning_back(claim: Claim) -> Certificate:
    """X W~^T is Y, whose tokens stay where their widths in the chart allow."""
    return conclude(
        claim,
        cut(
            both(spread_vanishes(), spread_stays_below(), turned_back_settles()),
            factor_is_positive(),
        ),
        method=r"contraction over $r$ layers in the chart $X/\langle X,v\rangle$, in the frame that turns",
    )
