r"""Neighbouring layers after $n$ steps from zero: what one adds to hidden states, the other to sensitivities.

Above a layer $h$ is $AhV$ more and below it $G$ is $A^\top GV^\top$ more, first with $V=\tbinom n2\eta^2M$;
all that has to do with trained attention comes later.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Expr, Sum

from claims.im2026.cooperation import STEPS, composed_value
from claims.im2026.notation import T, depth, i, j, k, layer, m, words
from claims.im2026.parting_layers import (
    follows,
    layers_part_at_the_fourth_order,
    mixed_again,
    mixed_once,
    uniform_weight,
)
from claims.im2026.series import attention, hidden, sensitivity, value, weight
from claims.statement import Compare
from proofs.calculation import at_places, linked, place, summed_over, weighed
from proofs.facts import FUBINI
from proofs.im2026.bigrams import x
from proofs.im2026.contexts import t
from proofs.im2026.late_attention import no_scores, uniform, weights_begin_at_four
from proofs.im2026.leading_values import (
    first_sensitivities,
    following,
    values_begin_at_two,
    values_move_by_contexts,
)
from proofs.im2026.lowest_orders import from_above, none_of, sensitivities_begin_later, token_at
from proofs.im2026.orders import (
    COLUMN,
    LAYER,
    PLACE,
    ROW,
    TEXT,
    Term,
    both_words,
    cauchy,
    every,
    n,
    no_sum,
    of,
    series,
)
from proofs.kernel import Theorem, fact, joint, unfold

__all__ = [
    "BELOW", "DEEP", "PAIRS_OF_STEPS", "all_mixed", "dropped", "dropped_again", "first_order", "higher",
    "lower", "risen", "risen_again",
]  # fmt: skip

TOKENS = (TEXT, PLACE, ROW)
BELOW = (layer, 1, depth - 1)
DEEP = layers_part_at_the_fourth_order.domain
"""Networks in which layers have neighbours."""
PAIRS_OF_STEPS = n * (n - 1) / 2
one, other = place("a"), place("b")


def no_value(at: Any, row: Any, column: Any) -> tuple[Theorem, Theorem]:
    """V has no coefficient of order zero or one."""
    return none_of(value, at, row, column), at_places(values_begin_at_two(), n, at, row, column)


def moved(at: Any, row: Any, column: Any) -> Theorem:
    """That of the second order."""
    return at_places(values_move_by_contexts(), n, at, row, column)


def risen(position: Any, word: Any) -> Expr:
    """An entry of A_0 X M."""
    return Sum(composed_value(one, word) * mixed_once(i, position, one), (one, 1, words))


def dropped(position: Any, word: Any) -> Expr:
    """An entry of A_0^T (Y - U_O) B^T M^T."""
    inner = Sum(follows(i, other, one) * composed_value(word, one), (one, 1, words))
    return Sum(uniform_weight(other, position) * inner, (other, 1, T))


@cache
def all_mixed() -> Theorem:
    """(A_0 X)_tj = sum_m (A_0)_tm x_mj."""
    total = Sum(uniform_weight(t, m) * x(i, m, j), (m, 1, T))
    return every(unfold(mixed_once(i, t, j), total, STEPS, TOKENS), *TOKENS)


@cache
def higher(order: int) -> Theorem:
    """h of a layer and of the one before: the same up to eta, and A_0 X M apart at eta^2."""

    def attended(p: int) -> Term:
        return lambda b, a: cauchy(
            p, of(weight, layer, i, t, b), of(hidden, layer - 1, i, b, a), of(value, layer, a, j)
        )

    def each(b: Any, a: Any) -> Theorem:
        """A product at second order."""
        term = PAIRS_OF_STEPS * uniform_weight(t, b) * x(i, b, a) * composed_value(a, j)
        return joint(
            Compare(attended(2)(b, a), "=", term), *no_value(layer, a, j), moved(layer, a, j),
            at_places(uniform(0), layer, i, t, b), token_at(layer - 1, b, a),
        )  # fmt: skip

    now = series(
        of(hidden, layer, i, t, j),
        lambda p: hidden(n, p, layer - 1, i, t, j) + both_words(attended(p), T), order,
        LAYER, *TOKENS,
    )  # fmt: skip
    before = hidden(n, order, layer - 1, i, t, j)
    if order < 2:
        none = no_sum(
            attended(order), T, *(
                lambda _, a, p=p: no_value(layer, a, j)[p] for p in range(order + 1)
            ),
        )  # fmt: skip
        same = linked(Compare(hidden(n, order, layer, i, t, j), "=", before), now, none)
        return every(same, LAYER, *TOKENS)
    sums = summed_over(summed_over(each(other, one), (one, words)), (other, T))
    swap = fact(
        FUBINI, a=uniform_weight(t, other) * x(i, other, one) * composed_value(one, j),
        j=other, k=one, rows=T, columns=words,
    )  # fmt: skip
    goal = Compare(hidden(n, 2, layer, i, t, j), "=", before + PAIRS_OF_STEPS * risen(t, j))
    rows = weighed(lambda a: composed_value(a, j), lambda a: at_places(all_mixed(), i, t, a), words)
    return every(linked(goal, now, sums, swap, rows), LAYER, *TOKENS)


@cache
def first_order() -> Theorem:
    """[eta] G = n (Y - U_O) B^T in every layer."""
    read = unfold(follows(i, t, k), following(), STEPS, (TEXT, PLACE, COLUMN))
    goal = Compare(sensitivity(n, 1, layer, i, t, k), "=", n * follows(i, t, k))
    return every(joint(goal, first_sensitivities(), read), LAYER, TEXT, PLACE, COLUMN)


@cache
def lower(order: int) -> Theorem:
    """G of a layer and of the next: the same up to eta^2, and A_0^T (Y - U_O) B^T M^T apart at eta^3."""
    at = layer + 1

    def zeros(b: Any, a: Any) -> list[Theorem]:
        """What vanishes in the products at position b and word a."""
        late = [
            at_places(no_scores(p), at, i, *pair)
            for p in range(min(order, 2) + 1)
            for pair in ((t, b), (b, t))
        ]
        early = [
            at_places(weights_begin_at_four(attention, p), n, at, *pair)
            for p in range(order + 1)
            for pair in ((j, a), (a, j))
        ]
        none = at_places(sensitivities_begin_later(), at, i, b, a)
        return [*late, *early, *no_value(at, j, a), none]

    def each(b: Any, a: Any) -> Theorem:
        term = n * PAIRS_OF_STEPS * uniform_weight(b, t) * follows(i, b, a) * composed_value(j, a)
        return joint(
            Compare(from_above(3, at)(b, a), "=", term), *zeros(b, a), moved(at, j, a),
            at_places(uniform(0), at, i, b, t), at_places(first_order(), at, i, b, a),
        )  # fmt: skip

    now = series(
        of(sensitivity, layer, i, t, j),
        lambda p: sensitivity(n, p, at, i, t, j) + both_words(from_above(p, at), T), order,
        BELOW, *TOKENS, domain=DEEP,
    )  # fmt: skip
    above = sensitivity(n, order, at, i, t, j)
    if order < 3:
        flat = joint(Compare(from_above(order, at)(other, one), "=", 0), *zeros(other, one))
        extra: Any = 0
    else:
        flat = each(other, one)
        extra = n * PAIRS_OF_STEPS * dropped(t, j)
    sums = summed_over(summed_over(flat, (one, words)), (other, T))
    goal = Compare(sensitivity(n, order, layer, i, t, j), "=", above + extra)
    return every(linked(goal, now, sums), BELOW, *TOKENS)


@cache
def all_mixed_again() -> Theorem:
    """(A_0^2 X)_tj = sum_m (A_0)_tm (A_0 X)_mj."""
    total = Sum(uniform_weight(t, m) * mixed_once(i, m, j), (m, 1, T))
    return every(unfold(mixed_again(i, t, j), total, STEPS, TOKENS), *TOKENS)


def risen_again() -> Theorem:
    """sum_m (A_0)_tm (A_0 X M)_mj = sum_a M_aj (A_0^2 X)_ta."""
    swap = fact(
        FUBINI, a=uniform_weight(t, m) * composed_value(one, j) * mixed_once(i, m, one),
        j=m, k=one, rows=T, columns=words,
    )  # fmt: skip
    rows = weighed(
        lambda a: composed_value(a, j), lambda a: at_places(all_mixed_again(), i, t, a), words
    )
    left = Sum(uniform_weight(t, m) * risen(m, j), (m, 1, T))
    right = Sum(composed_value(one, j) * mixed_again(i, t, one), (one, 1, words))
    return linked(Compare(left, "=", right), swap, rows)


def falling() -> Expr:
    """An entry of (Y - U_O) B^T M^T."""
    return Sum(follows(i, t, one) * composed_value(k, one), (one, 1, words))


def dropped_again() -> Theorem:
    """sum_t (A_0 X)_tj (A_0^T F)_tk = sum_t (A_0^2 X)_tj F_tk for F = (Y - U_O) B^T M^T."""
    later = place("b")
    inner = falling().subs(t, later)
    swap = fact(
        FUBINI, a=mixed_once(i, t, j) * uniform_weight(later, t) * inner,
        j=t, k=later, rows=T, columns=T,
    )  # fmt: skip
    rows = weighed(
        lambda b: inner.subs(later, b), lambda b: at_places(all_mixed_again(), i, b, j), T
    )
    left = Sum(mixed_once(i, t, j) * dropped(t, k), (t, 1, T))
    right = Sum(mixed_again(i, t, j) * falling(), (t, 1, T))
    return linked(Compare(left, "=", right), swap, rows)
