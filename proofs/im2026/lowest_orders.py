r"""The lowest orders in the learning rate, after any number of steps from zero and in every layer.

Weights have no constant coefficient, so that hidden states begin with the tokens, attention with $A_0$,
residuals with $Y_i-U_O$, sensitivities $G$ and scores $S$ with nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from sympy import Expr, Integer, Sum, exp

from claims.im2026.cooperation import STEPS
from claims.im2026.notation import T, depth, i, j, k, layer, m, words
from claims.im2026.series import (
    attention,
    hidden,
    output,
    passed_back,
    positions,
    residual,
    score,
    sensitivity,
    value,
    weight,
)
from claims.statement import Compare
from proofs.calculation import at_places, linked, place, summed_over
from proofs.im2026.bigrams import x
from proofs.im2026.contexts import t
from proofs.im2026.orders import (
    BEFORE,
    COLUMN,
    LAYER,
    PLACE,
    ROW,
    TEXT,
    Term,
    at_layer,
    both_words,
    cauchy,
    every,
    in_layers,
    in_prefix,
    n,
    no_sum,
    of,
    q,
    read,
    said,
    series,
    softmax_of_zeros,
)
from proofs.kernel import Theorem, assume, induction, joint, unfold

__all__ = [
    "PAIRS", "SCORED", "attention_begins_uniform", "centred", "heard", "none_of", "products_of_words",
    "residuals_begin_centred", "rows_of_the_jacobian", "rows_unheard", "same_in_all_layers",
    "scores_begin_later", "scores_vanish", "sensitivities_begin_later", "silent", "token_at", "top",
    "what_is_passed_back",
]  # fmt: skip

TOKENS = (TEXT, PLACE, ROW)
PAIRS = (LAYER, ROW, COLUMN)
SCORED = (LAYER, TEXT, PLACE, (m, 1, T))
OF_WEIGHTS = {
    output: (ROW, COLUMN), value: PAIRS, attention: PAIRS, positions: (LAYER, (m, 1, T)),
}  # fmt: skip


@cache
def starts_at_one(quantity: Any) -> Theorem:
    """A weight has no constant coefficient: descent adds multiples of eta to zero."""
    ranges = OF_WEIGHTS[quantity]
    places = [index for index, _, _ in ranges]
    none = Compare(quantity(n, 0, *places), "=", 0)
    begins = unfold(quantity(Integer(0), 0, *places), 0, STEPS, ranges)
    stays = read(quantity(n + 1, 0, *places), quantity(n, 0, *places), *ranges)
    before = at_places(assume(said(none, *ranges)), *places)
    step = joint(none.substitute({n: n + 1}), stays, before)
    return induction(every(begins, *ranges), every(step, *ranges), n)


def none_of(quantity: Any, *places: Any) -> Theorem:
    """A constant coefficient of a weight, which is zero."""
    return at_places(starts_at_one(quantity), n, *places)


# A pass -------------------------------------------------------------------------------------------


@cache
def hidden_states_begin_with_tokens() -> Theorem:
    """h = X + O(eta)."""
    body = Compare(hidden(n, 0, q, i, t, j), "=", x(i, t, j))
    start = read(hidden(n, 0, 0, i, t, j), x(i, t, j), *TOKENS)

    def attended(order: int) -> Term:
        return lambda a, b: cauchy(
            order, of(weight, q + 1, i, t, a), of(hidden, q, i, a, b), of(value, q + 1, b, j)
        )

    def step(before: Theorem) -> Theorem:
        now = series(
            of(hidden, q + 1, i, t, j),
            lambda p: hidden(n, p, q, i, t, j) + both_words(attended(p), T),
            0, (q, 0, depth - 1), *TOKENS,
        )  # fmt: skip
        none = no_sum(attended(0), T, lambda a, b: none_of(value, q + 1, b, j))
        return linked(body.substitute({q: q + 1}), now, before, none)

    return in_layers(depth, body, start, step, TOKENS)


def token_at(at: Any, position: Any, word: Any) -> Theorem:
    """A hidden state begins with the token."""
    return at_layer(hidden_states_begin_with_tokens(), at, i, position, word)


@cache
def attention_begins_uniform() -> Theorem:
    """A = A_0 + O(eta), on the tokens that a row sees."""
    ranges = (LAYER, TEXT, PLACE, BEFORE)

    def by_words(at: Any) -> Term:
        return lambda a, b: (
            hidden(n, 0, layer - 1, i, t, a) * attention(n, 0, layer, a, b)
            * hidden(n, 0, layer - 1, i, at, b)
        )  # fmt: skip

    def logit(at: Any) -> Expr:
        return both_words(by_words(at), words) + positions(n, 0, layer, t - at + 1)

    flat = no_sum(by_words(m), words, lambda a, b: none_of(attention, layer, a, b))
    away = in_prefix(none_of(positions, layer, t - m + 1))
    none = linked(Compare(logit(m), "=", 0), flat, away)
    own = exp(logit(m)) / Sum(exp(logit(k)), (k, 1, t))
    now = read(weight(n, 0, layer, i, t, m), own, *ranges)
    goal = Compare(weight(n, 0, layer, i, t, m), "=", 1 / t)
    return every(joint(goal, now, softmax_of_zeros(none, m, t)), *ranges)


@cache
def residuals_begin_centred() -> Theorem:
    """R = Y - U_O + O(eta)."""
    ranges = (TEXT, PLACE, COLUMN)
    one = place("a")

    def term(word: Any) -> Expr:
        return hidden(n, 0, depth, i, t, one) * output(n, 0, one, word)

    def logit(word: Any) -> Expr:
        return Sum(term(word), (one, 1, words))

    zero = joint(Compare(term(k), "=", 0), none_of(output, one, k))
    none = linked(Compare(logit(k), "=", 0), summed_over(zero, (one, words)))
    own = exp(logit(k)) / Sum(exp(logit(j)), (j, 1, words))
    now = read(residual(n, 0, 1, i, t, k), x(i, t + 1, k) - own, *ranges)
    goal = Compare(residual(n, 0, 1, i, t, k), "=", centred(k))
    return every(joint(goal, now, softmax_of_zeros(none, k, words)), *ranges)


def centred(word: Any) -> Expr:
    """An entry of Y - U_O."""
    return x(i, t + 1, word) - 1 / words


def top(order: int, word: Any) -> Sum:
    """A coefficient of R W_O^T."""
    one = place("a")
    return Sum(cauchy(order, of(residual, 1, i, t, one), of(output, word, one)), (one, 1, words))


def from_above(order: int, at: Any) -> Term:
    """What a layer adds to sensitivities, by positions and words: A^T G V^T + S h W^T + S^T h W."""

    def term(a: Any, b: Any) -> Expr:
        state = of(hidden, at - 1, i, a, b)
        return (
            cauchy(
                order, of(weight, at, i, a, t), of(sensitivity, at, i, a, b), of(value, at, j, b)
            )
            + cauchy(order, of(score, at, i, t, a), state, of(attention, at, j, b))
            + cauchy(order, of(score, at, i, a, t), state, of(attention, at, b, j))
        )

    return term


def same_in_all_layers(order: int, *zeros: Callable[[Any, Any, Any], Theorem]) -> Theorem:
    """The coefficient of G in all layers is that of R W_O^T."""
    at = depth - q
    body = Compare(sensitivity(n, order, at, i, t, j), "=", top(order, j))
    start = series(of(sensitivity, depth, i, t, j), lambda p: top(p, j), order, *TOKENS)

    def step(before: Theorem) -> Theorem:
        now = series(
            of(sensitivity, at - 1, i, t, j),
            lambda p: sensitivity(n, p, at, i, t, j) + both_words(from_above(p, at), T),
            order, (q, 0, depth - 2), *TOKENS,
        )  # fmt: skip
        none = no_sum(
            from_above(order, at), T, lambda a, b: none_of(value, at, j, b),
            lambda a, b: none_of(attention, at, j, b), lambda a, b: none_of(attention, at, b, j),
            *((lambda a, b, zero=zero: zero(at, a, b)) for zero in zeros),
        )  # fmt: skip
        return linked(body.substitute({q: q + 1}), now, before, none)

    return in_layers(depth - 1, body, start, step, TOKENS)


@cache
def sensitivities_begin_later() -> Theorem:
    """G = O(eta), as W_O is."""
    known = at_layer(same_in_all_layers(0), depth - layer, i, t, k)
    total = top(0, k)
    one = total.limits[0][0]
    none = summed_over(
        joint(Compare(total.function, "=", 0), none_of(output, k, one)), (one, words)
    )
    goal = Compare(sensitivity(n, 0, layer, i, t, k), "=", 0)
    return every(linked(goal, known, none), LAYER, TEXT, PLACE, COLUMN)


def products_of_words(order: int, at: Any) -> Term:
    """An entry of G V^T h^T by words, for position `at`."""
    return lambda a, b: cauchy(
        order, of(sensitivity, layer, i, t, a), of(value, layer, b, a), of(hidden, layer - 1, i, at, b),
    )  # fmt: skip


def what_is_passed_back(order: int, at: Any) -> Theorem:
    """What is passed back to row t of the attention from a position."""
    found = series(
        of(passed_back, layer, i, t, m), lambda p: both_words(products_of_words(p, m), words), order,
        *SCORED,
    )  # fmt: skip
    return at_places(every(found, *SCORED), layer, i, t, at)


def heard(order: int, at: Any) -> Expr:
    """That times the attention which the position gets."""
    return cauchy(order, of(weight, layer, i, t, at), of(passed_back, layer, i, t, at))


def rows_of_the_jacobian(order: int) -> Theorem:
    """A coefficient of S, by the definition: row by row the softmax Jacobian of G V^T h^T."""
    one = place("q")

    def term(p: int) -> Expr:
        whole = lambda q: Sum(heard(q, one), (one, 1, T))  # noqa: E731
        return heard(p, m) - cauchy(p, of(weight, layer, i, t, m), whole)

    return series(of(score, layer, i, t, m), term, order, *SCORED)


def silent(order: int, at: Any, *zeros: Callable[[Any, Any], Theorem]) -> Theorem:
    """Nothing is passed back from a position at that order.

    `zeros` say by two words what vanishes of G and V beside the constant coefficient of V.
    """
    none = lambda a, b: none_of(value, layer, b, a)  # noqa: E731
    nothing = no_sum(products_of_words(order, at), words, none, *zeros)
    return linked(
        Compare(passed_back(n, order, layer, i, t, at), "=", 0),
        what_is_passed_back(order, at),
        nothing,
    )


def nothing_heard(order: int, at: Any, *zeros: Callable[[Any, Any], Theorem]) -> Theorem:
    """Nor is anything heard of it."""
    parts = (silent(p, at, *zeros) for p in range(order + 1))
    return joint(Compare(heard(order, at), "=", 0), *parts)


def rows_unheard(order: int, *zeros: Callable[[Any, Any], Theorem]) -> list[Theorem]:
    """Nor of all positions together, order by order."""
    one, found = place("q"), []
    for p in range(order + 1):
        total = summed_over(nothing_heard(p, one, *zeros), (one, T))
        found.append(linked(Compare(total.formula.left, "=", 0), total))
    return found


def scores_vanish(order: int, *zeros: Callable[[Any, Any], Theorem]) -> Theorem:
    """A coefficient of S, where nothing is heard of any position up to that order."""
    goal = Compare(score(n, order, layer, i, t, m), "=", 0)
    own = nothing_heard(order, m, *zeros)
    rows = rows_unheard(order, *zeros)
    return every(joint(goal, rows_of_the_jacobian(order), own, *rows), *SCORED)


@cache
def scores_begin_later() -> Theorem:
    """S = O(eta)."""
    return scores_vanish(0)
