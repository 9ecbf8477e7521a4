r"""Attention moves late: from zero its weights are of order $\eta^4$, so that $A=A_0+O(\eta^4)$.

Scores are products with $G=O(\eta)$ and $V=O(\eta^2)$, and a step of $W$ or $P$ is $\eta$ times such scores.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from sympy import Expr, Integer, Sum, exp

from claims.im2026.cooperation import STEPS
from claims.im2026.notation import N, T, i, j, k, layer, m, words
from claims.im2026.parting_layers import uniform_weight
from claims.im2026.series import attention, hidden, logit, positions, score, weight
from claims.statement import Compare
from proofs.calculation import at_places, integers_apart, linked, place, summed_over
from proofs.im2026.bigrams import means_compared
from proofs.im2026.contexts import t, token_mean
from proofs.im2026.leading_values import values_begin_at_two
from proofs.im2026.lowest_orders import (
    PAIRS,
    SCORED,
    attention_begins_uniform,
    scores_vanish,
    sensitivities_begin_later,
    starts_at_one,
)
from proofs.im2026.orders import (
    BEFORE,
    LAYER,
    PLACE,
    TEXT,
    Term,
    both_words,
    by_steps,
    cauchy,
    every,
    in_prefix,
    n,
    no_sum,
    of,
    read,
    series,
)
from proofs.kernel import Theorem, assume, cut, discharge, joint, unfold

__all__ = [
    "ZEROS", "attention_after", "by_distance", "collected", "distances_compared", "later", "no_scores",
    "positions_after", "uniform", "weights_begin_at_four",
]  # fmt: skip

OFFSET = (LAYER, (m, 1, T))
later = place("b")


ZEROS = (
    lambda a, b: at_places(values_begin_at_two(), n, layer, b, a),
    lambda a, _: at_places(sensitivities_begin_later(), layer, i, t, a),
)
"""V has no coefficient of the first order, G no constant one."""


@cache
def no_scores(order: int) -> Theorem:
    """S has no coefficient up to the second order."""
    return scores_vanish(order, *ZEROS)


def by_distance(body: Any) -> Expr:
    """The sum over positions `later` from m on, over NT."""
    return Sum(Sum(body, (later, m, T)), (i, 0, N - 1)) / (N * T)


def distances_compared(known: Theorem) -> Theorem:
    """Such sums of what `known` says of all pairs of positions, here of those m - 1 apart."""
    inside = (Compare(m, ">=", 1), Compare(later, ">=", m), Compare(later, "<=", T))
    each = cut(at_places(known, i, later, later - m + 1), *map(assume, inside))
    return summed_over(each, (i, 0, N - 1), (later, m, T))


def positions_after(order: int, closed: Callable[[Any], Any], *known: Theorem) -> Theorem:
    """A coefficient of P after n steps in every layer."""
    found = of(score, layer, i, later, later - m + 1)
    return by_steps(
        lambda steps, p: positions(steps, p, layer, m), order, closed,
        lambda p: by_distance(found(p - 1)), *known, ranges=OFFSET,
    )  # fmt: skip


def collected(order: int) -> Expr:
    """What a step of W collects at two positions: h S h."""
    return cauchy(
        order, of(hidden, layer - 1, i, t, j), of(score, layer, i, t, m),
        of(hidden, layer - 1, i, m, k),
    )  # fmt: skip


def attention_after(order: int, closed: Callable[[Any], Any], *known: Theorem) -> Theorem:
    """A coefficient of W after n steps in every layer."""
    return by_steps(
        lambda steps, p: attention(steps, p, layer, j, k), order, closed,
        lambda p: token_mean(Sum(collected(p - 1), (m, 1, T))), *known, ranges=PAIRS,
    )  # fmt: skip


@cache
def no_positions(order: int) -> Theorem:
    """P has no coefficient up to the third order."""
    none = distances_compared(at_places(no_scores(order - 1), layer))
    return positions_after(order, lambda _: Integer(0), none)


@cache
def no_attention_by_words(order: int) -> Theorem:
    """W has no coefficient up to the third order."""
    none = [at_places(no_scores(p), layer, i, t, m) for p in range(order)]
    each = joint(Compare(collected(order - 1), "=", 0), *none)
    means = means_compared(summed_over(each, (m, T)), t)
    return attention_after(order, lambda _: Integer(0), means)


def weights_begin_at_four(quantity: Any, order: int) -> Theorem:
    """A coefficient of W or P up to the third order, for all steps."""
    if order == 0:
        return starts_at_one(quantity)
    return no_attention_by_words(order) if quantity is attention else no_positions(order)


@cache
def no_logits(order: int) -> Theorem:
    """X W X^T and the scores of differences have no coefficient up to the third order."""
    ranges = (LAYER, TEXT, PLACE, BEFORE)

    def by_words(p: int) -> Term:
        return lambda a, b: cauchy(
            p, of(hidden, layer - 1, i, t, a), of(attention, layer, a, b),
            of(hidden, layer - 1, i, m, b),
        )  # fmt: skip

    def zeros(p: int) -> Callable[[Any, Any], Theorem]:
        return lambda a, b: at_places(weights_begin_at_four(attention, p), n, layer, a, b)

    now = series(
        of(logit, layer, i, t, m),
        lambda p: both_words(by_words(p), words) + positions(n, p, layer, t - m + 1), order, *ranges,
    )  # fmt: skip
    flat = no_sum(by_words(order), words, *map(zeros, range(order + 1)))
    away = in_prefix(at_places(weights_begin_at_four(positions, order), n, layer, t - m + 1))
    goal = Compare(logit(n, order, layer, i, t, m), "=", 0)
    return every(joint(goal, now, flat, away), *ranges)


def exponential(order: int, at: Any) -> Expr:
    """A coefficient of e^z: its derivative is z' e^z."""
    z = of(logit, layer, i, t, at)
    if order == 0:
        return exp(z(0))
    parts = (q * z(q) * exponential(order - q, at) for q in range(1, order + 1))
    return sum(parts, start=Integer(0)) / order


@cache
def stays_uniform(order: int) -> Theorem:
    """A has no coefficient of the first three orders, on the tokens that a row sees."""
    ranges, one = (LAYER, TEXT, PLACE, BEFORE), place("q")

    def share(p: int) -> Expr:
        """Long division of e^z by its sum."""
        rest = (
            weight(n, p - q, layer, i, t, m) * Sum(exponential(q, one), (one, 1, t))
            for q in range(1, p + 1)
        )
        return (exponential(p, m) - sum(rest)) / Sum(exponential(0, one), (one, 1, t))

    def none(p: int, at: Any) -> Theorem:
        zeros = (at_places(no_logits(q), layer, i, t, at) for q in range(1, p + 1))
        return joint(Compare(exponential(p, at), "=", 0), *zeros)

    now = series(of(weight, layer, i, t, m), share, order, *ranges)
    sums = []
    for p in range(1, order + 1):
        total = summed_over(none(p, one), (one, t))
        sums.append(linked(Compare(total.formula.left, "=", 0), total))
    goal = Compare(weight(n, order, layer, i, t, m), "=", 0)
    return every(in_prefix(joint(goal, now, none(order, m), *sums)), *ranges)


@cache
def uniform(order: int) -> Theorem:
    """A = A_0 + O(eta^4), for all pairs of tokens."""
    body = weight(n, order, layer, i, t, m)
    value = uniform_weight(t, m) if order == 0 else Integer(0)
    later = (m, t + 1, T)
    seen = at_places(
        (stays_uniform(order) if order else attention_begins_uniform()), layer, i, t, m
    )
    inside, outside = [seen], [read(body, Integer(0), LAYER, TEXT, PLACE, later)]
    if order == 0:
        inside.append(unfold(uniform_weight(t, m), 1 / t, STEPS, (PLACE, BEFORE)))
        outside.append(unfold(uniform_weight(t, m), Integer(0), STEPS, (PLACE, later)))
    goal = Compare(body, "=", value)
    cases = (
        discharge(joint(goal, *inside), Compare(m, "<=", t)),
        discharge(joint(goal, *outside), Compare(m, ">=", t + 1)),
    )
    return every(joint(goal, *cases, integers_apart(t, m)), *SCORED)
