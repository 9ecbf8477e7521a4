r"""What weights move by at their lowest order: $W_O$ by $\bar B$ at each step, $V$ by a composed map.

$[\eta]W_O(n)=n\bar B$ after $n$ steps, hence $[\eta]G=n(Y-U_O)\bar B^\top$ in every layer, hence
$[\eta^2]V(n)=\tbinom n2\bar\Phi^\top\bar B^\top$.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from sympy import Expr, Integer, Sum

from claims.im2026.bigrams import bigram
from claims.im2026.contexts import context
from claims.im2026.cooperation import STEPS, composed_value
from claims.im2026.notation import depth, i, j, k, layer, m, words
from claims.im2026.series import hidden, output, residual, sensitivity, value, weight
from claims.statement import Compare
from proofs.calculation import at_places, linked, place, summed_over
from proofs.im2026 import bigrams
from proofs.im2026.bigrams import means_compared, over, summed_over_words, x
from proofs.im2026.contexts import share, t, token_mean
from proofs.im2026.lowest_orders import (
    PAIRS,
    attention_begins_uniform,
    centred,
    none_of,
    residuals_begin_centred,
    same_in_all_layers,
    scores_begin_later,
    sensitivities_begin_later,
    token_at,
    top,
)
from proofs.im2026.orders import BEFORE, COLUMN, ROW, at_layer, by_steps, cauchy, in_prefix, n, of
from proofs.kernel import Theorem, joint, unfold

__all__ = ["values_move_by_contexts"]


@cache
def outputs_move_by_bigrams() -> Theorem:
    """The coefficient of eta in W_O is n B after n steps."""
    factors = of(hidden, depth, i, t, j), of(residual, 1, i, t, k)
    each = joint(
        Compare(cauchy(0, *factors), "=", x(i, t, j) * centred(k)),
        token_at(depth, t, j), at_places(residuals_begin_centred(), i, t, k),
    )  # fmt: skip
    return by_steps(
        lambda steps, p: output(steps, p, j, k), 1, lambda steps: steps * bigram(j, k),
        lambda p: token_mean(cauchy(p - 1, *factors)), means_compared(each, t), bigrams.bigram(j, k),
        ranges=(ROW, COLUMN),
    )  # fmt: skip


def collected(order: int) -> Expr:
    """What a step of V collects at a position of the prefix: A h G."""
    return cauchy(
        order, of(weight, layer, i, t, m), of(hidden, layer - 1, i, m, j),
        of(sensitivity, layer, i, t, k),
    )  # fmt: skip


def values_after(order: int, closed: Callable[[Any], Any], *known: Theorem) -> Theorem:
    """A coefficient of V after n steps in every layer."""
    return by_steps(
        lambda steps, p: value(steps, p, layer, j, k), order, closed,
        lambda p: token_mean(Sum(collected(p - 1), BEFORE)), *known, ranges=PAIRS,
    )  # fmt: skip


@cache
def values_begin_at_two() -> Theorem:
    """V = O(eta^2): its first step is a product with G."""
    none = at_places(sensitivities_begin_later(), layer, i, t, k)
    each = joint(Compare(collected(0), "=", 0), none)
    return values_after(1, lambda _: Integer(0), means_compared(summed_over(each, (m, t)), t))


def following() -> Expr:
    """What comes next less the uniform output, weighed by a row of B."""
    one = place("a")
    return Sum(centred(one) * bigram(k, one), (one, 1, words))


def first_sensitivities() -> Theorem:
    """[eta] G = n (Y - U_O) B^T in every layer."""
    same = same_in_all_layers(
        1,
        lambda at, a, b: at_places(values_begin_at_two(), n, at, j, b),
        lambda at, a, b: at_places(scores_begin_later(), at, i, t, a),
        lambda at, a, b: at_places(scores_begin_later(), at, i, a, t),
    )
    total = top(1, k)
    one = total.limits[0][0]
    each = joint(
        Compare(total.function, "=", n * (centred(one) * bigram(k, one))), none_of(output, k, one),
        at_places(residuals_begin_centred(), i, t, one),
        at_places(outputs_move_by_bigrams(), n, k, one),
    )  # fmt: skip
    goal = Compare(sensitivity(n, 1, layer, i, t, k), "=", n * following())
    return linked(goal, at_layer(same, depth - layer, i, t, k), summed_over(each, (one, words)))


def composed() -> Theorem:
    """Phi^T B^T is the mean of the share of a word in the prefix times what follows."""
    one = place("a")
    body = token_mean(centred(one) * share(j))
    entry = unfold(context(one, j), body, STEPS, over(one, j))
    product = Compare(context(one, j) * bigram(k, one), "=", body * bigram(k, one))
    rows = summed_over(joint(product, entry), (one, words))
    total = Sum(context(one, j) * bigram(k, one), (one, 1, words))
    own = unfold(composed_value(j, k), total, STEPS, over(j, k))
    inner = Sum(centred(one) * share(j) * bigram(k, one), (one, 1, words))
    turned = summed_over_words(linked(Compare(inner, "=", share(j) * following())), one, t)
    goal = Compare(composed_value(j, k), "=", token_mean(share(j) * following()))
    return linked(goal, own, rows, turned)


@cache
def values_move_by_contexts() -> Theorem:
    """The coefficient of eta^2 in V is n (n - 1) / 2 times the composed map after n steps."""
    each = joint(
        Compare(collected(1), "=", n * x(i, m, j) * following() / t), first_sensitivities(),
        at_places(attention_begins_uniform(), layer, i, t, m), token_at(layer - 1, m, j),
        at_places(sensitivities_begin_later(), layer, i, t, k),
    )  # fmt: skip
    prefix = summed_over(in_prefix(each), (m, t))
    moved = linked(Compare(prefix.formula.left, "=", n * share(j) * following()), prefix)
    closed = lambda steps: steps * (steps - 1) / 2 * composed_value(j, k)  # noqa: E731
    return values_after(2, closed, means_compared(moved, t), composed())
