r"""Proof of Lemma D.5, Eq. (45): the gradient of the values at the second step, with the exact softmax."""

from __future__ import annotations

from typing import Any

from claims.domain import Point
from claims.im2026.bigrams import every_word
from claims.im2026.corpora import bigram_map, first_tokens, next_tokens, uniform_attention
from claims.im2026.first_steps import (
    ANY_RATE,
    SETTING,
    after,
    gradient,
    other_weights_after_one_step,
    output_after_one,
    output_weights_after_one_step,
)
from claims.im2026.notation import N, T, eta, j, k, source
from claims.model import Claim, Hypothesis
from claims.statement import Compare
from claims.terms import evaluated, family


def _displayed(at: Point) -> Any:
    """Factor by factor."""
    mixing = uniform_attention(int(at[T])).T
    parts = [
        at[eta] * x.T * mixing * (y - output_after_one(at, i)) * bigram_map(at).T
        for i, (x, y) in enumerate(zip(first_tokens(at), next_tokens(at), strict=True))
    ]
    return -sum(parts[1:], start=parts[0]) / (at[N] * at[T])


def _gradient(at: Point) -> Any:
    return gradient(at, after(at, 1)).value


value_slope = family(
    r"\bigl(\partial\mathcal L/\partial V^{{(1)}}\bigr)_{{{}{}}}",
    lambda at, row, column: evaluated(_gradient, at)[row - 1, column - 1],
)
displayed = family(
    r"\bigl(\tfrac{{-1}}{{NT}}\textstyle\sum_i\eta X_i^\top A_0^\top"
    r"(Y_i-\mathcal S(F(X_i)))\bar B^\top\bigr)_{{{}{}}}",
    lambda at, row, column: evaluated(_displayed, at)[row - 1, column - 1],
)
gradient_of_values_with_the_exact_softmax = Claim(
    id="im2026.eq-45.gradV",
    source=source("App. D.1", "proof of Lemma D.5, Eq. (45)"),
    kind="identity",
    title=r"At the second step the gradient of $V^{(1)}$ has $\eta\bar B$ in the place of $W_O$.",
    statement=every_word(j, k, body=Compare(value_slope(j, k), "=", displayed(j, k))),
    domain=ANY_RATE,
    hypotheses=(*SETTING, Hypothesis(r"\text{after one step};\ A_i^{(1)}=A_0,\ \text{as}\ W^{(1)}=P^{(1)}=0")),
    uses=(output_weights_after_one_step, other_weights_after_one_step),
    printed=(
        r"\frac{\partial \mathcal{L}}{\partial V^{(1)}} = \frac{-1}{NT} \sum_{i=1}^N \eta X_i^\top "
        r"A_i^{(1)\top} (Y_i - \mathcal{S}(F_\theta(X_i))) \bar{B}^\top"
    ),
)  # fmt: skip
