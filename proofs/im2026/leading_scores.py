r"""What attention moves by at its lowest order: scores of the leading terms of $G$ and $V$.

$[\eta]G=n(Y-U_O)\bar B^\top$ and $[\eta^2]V=\tbinom n2\bar\Phi^\top\bar B^\top$ after $n$ steps make
$[\eta^3]S=n\tbinom n2Q_i$ in every layer, so that the next step adds $n\tbinom n2\eta^4$ times $\bar Q$ to
$W$ and times $\Delta$ to $P$.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Sum

from claims.im2026.attention_scores import centred
from claims.im2026.attention_scores import score as score_of_pair
from claims.im2026.cooperation import STEPS, composed_value
from claims.im2026.leading_terms import position_entry, word_entry
from claims.im2026.notation import T, i, j, k, layer, m, s, words
from claims.im2026.parting_layers import follows, uniform_weight
from claims.im2026.series import passed_back, score
from claims.statement import Compare
from proofs.calculation import at_places, linked, place, summed_over
from proofs.im2026.bigrams import means_compared, over, x
from proofs.im2026.contexts import t, token_mean
from proofs.im2026.counts_of_steps import COUNT
from proofs.im2026.late_attention import (
    ZEROS,
    attention_after,
    by_distance,
    collected,
    distances_compared,
    later,
    no_scores,
    positions_after,
    uniform,
)
from proofs.im2026.leading_values import values_move_by_contexts
from proofs.im2026.lowest_orders import (
    SCORED,
    heard,
    products_of_words,
    rows_of_the_jacobian,
    rows_unheard,
    silent,
    token_at,
    what_is_passed_back,
)
from proofs.im2026.neighbours import PAIRS_OF_STEPS, first_order, no_value
from proofs.im2026.orders import every, n
from proofs.kernel import Theorem, joint, unfold

__all__ = ["attention_moves_by_words", "positions_move_by_distances"]

GAINED = n * PAIRS_OF_STEPS
"""n binom(n, 2)."""
SO_FAR = COUNT.subs(s, n)
one, other = place("a"), place("b")


def pair(at: Any) -> Theorem:
    """A score by words: (Y - U_O) B^T (Phi^T B^T)^T X^T."""
    term = follows(i, t, one) * composed_value(other, one) * x(i, at, other)
    value = Sum(Sum(term, (other, 1, words)), (one, 1, words))
    return unfold(score_of_pair(i, t, at), value, STEPS, (*SCORED[1:3], (at, 1, T)))


def passed_back_at_three(at: Any) -> Theorem:
    """G V^T h^T begins with n binom(n, 2) times the scores."""
    factors = follows(i, t, one) * composed_value(other, one) * x(i, at, other)
    each = joint(
        Compare(products_of_words(3, at)(one, other), "=", GAINED * factors),
        at_places(first_order(), layer, i, t, one),
        at_places(values_move_by_contexts(), n, layer, other, one),
        *no_value(layer, other, one), *(zero(one, other) for zero in ZEROS),
        token_at(layer - 1, at, other),
    )  # fmt: skip
    total = summed_over(each, (one, words), (other, words))
    goal = Compare(passed_back(n, 3, layer, i, t, at), "=", GAINED * score_of_pair(i, t, at))
    return linked(goal, what_is_passed_back(3, at), total, pair(at))


def heard_at_three(at: Any) -> Theorem:
    """The same times A_0: attention comes later, and before the third order nothing is passed back."""
    value = GAINED * (uniform_weight(t, at) * score_of_pair(i, t, at))
    return joint(
        Compare(heard(3, at), "=", value), passed_back_at_three(at),
        *(silent(p, at, *ZEROS) for p in range(3)), at_places(uniform(0), layer, i, t, at),
    )  # fmt: skip


@cache
def scores_move() -> Theorem:
    """S begins with n binom(n, 2) eta^3 Q_i."""
    index = place("q")
    row = summed_over(heard_at_three(index), (index, T))
    weighed = lambda at: uniform_weight(t, at) * score_of_pair(i, t, at)  # noqa: E731
    value = weighed(m) - uniform_weight(t, m) * Sum(weighed(index), (index, 1, T))
    goal = Compare(score(n, 3, layer, i, t, m), "=", GAINED * centred(i, t, m))
    theorem = linked(
        goal, rows_of_the_jacobian(3), heard_at_three(m), *rows_unheard(2, *ZEROS), row,
        at_places(uniform(0), layer, i, t, m), unfold(centred(i, t, m), value, STEPS, SCORED[1:]),
    )  # fmt: skip
    return every(theorem, *SCORED)


@cache
def attention_moves_by_words() -> Theorem:
    """The coefficient of eta^4 in W is a sum of n binom(n, 2) times Q after n steps."""
    placed = x(i, t, j) * centred(i, t, m) * x(i, m, k)
    each = joint(
        Compare(collected(3), "=", GAINED * placed), at_places(scores_move(), layer, i, t, m),
        *(at_places(no_scores(p), layer, i, t, m) for p in range(3)),
        token_at(layer - 1, t, j), token_at(layer - 1, m, k),
    )  # fmt: skip
    means = means_compared(summed_over(each, (m, T)), t)
    entry = token_mean(Sum(placed, (m, 1, T)))
    read = unfold(word_entry(j, k), entry, STEPS, over(j, k))
    return attention_after(4, lambda steps: SO_FAR.subs(n, steps) * word_entry(j, k), means, read)


@cache
def positions_move_by_distances() -> Theorem:
    """The coefficient of eta^4 in P is that sum times Delta."""
    sums = distances_compared(at_places(scores_move(), layer))
    entry = by_distance(centred(i, later, later - m + 1))
    read = unfold(position_entry(m), entry, STEPS, ((m, 1, T),))
    return positions_after(4, lambda steps: SO_FAR.subs(n, steps) * position_entry(m), sums, read)
