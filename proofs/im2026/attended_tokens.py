"""The mean covariance of logits and scores, by exchanging sums over words and over tokens."""

from __future__ import annotations

from typing import Any

from sympy import KroneckerDelta, Sum, Symbol

from claims.im2026 import attended_tokens as claims
from claims.im2026.attended_tokens import covariance, logit, mean_covariance
from claims.im2026.corpora import CORPORA
from claims.im2026.notation import N, T, words
from claims.im2026.score_norms import attention_map_norm, by_positions, by_words, centred, score
from claims.model import Claim
from claims.statement import Compare
from proofs.calculation import for_all, linked, place, summed_over
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.im2026.corpus_norms import at_sequence, i, j, k, nest, reordered, squares, t, token
from proofs.im2026.first_steps import NEXT, PLACE, WORD, S
from proofs.im2026.score_norms import EARLIER, centred_entry, n
from proofs.kernel import Theorem, both, cut, generalise, joint, unfold
from proofs.registry import proves
from proofs.wu2024.norms import picked

PAIR = ((j, 1, words), (k, 1, words))
d = Symbol("d", integer=True, positive=True)
"""A distance of positions, counted from one."""
Q = centred(i - 1, t, n)
ON_WORDS = by_words(j, k) * token(i, t, j) * token(i, n, k)


def norm_by_words() -> Theorem:
    r"""$\|\bar Q\|_F^2$ as a mean of $\sum_n(Q_i)_{tn}x_t\bar Qx_n^\top$."""
    inner = Sum(token(i, t, j) * Q * token(i, n, k), (n, 1, t))
    means = nest(inner, S, PLACE) / (N * T)
    entry = unfold(by_words(j, k), means, CORPORA, PAIR)
    square = joint(Compare(by_words(j, k) ** 2, "=", by_words(j, k) * means), entry)
    read = unfold(attention_map_norm, nest(by_words(j, k) ** 2, WORD, NEXT), CORPORA)
    turned = reordered(ON_WORDS * Q, (WORD, NEXT, S, PLACE, EARLIER), (2, 3, 4, 0, 1))
    value = nest(Q * nest(ON_WORDS, WORD, NEXT), S, PLACE, EARLIER) / (N * T)
    goal = Compare(attention_map_norm, "=", value)
    return linked(goal, read, summed_over(square, WORD, NEXT), turned)


def norm_by_positions() -> Theorem:
    r"""$\|\Delta\|^2$ as a mean of $\sum_n(Q_i)_{tn}\Delta_{t-n+1}$."""
    apart = t - n + 1
    chosen = Q * KroneckerDelta(d, apart)
    means = nest(chosen, S, PLACE, EARLIER) / (N * T)
    entry = unfold(by_positions(d), means, CORPORA, ((d, 1, T),))
    square = joint(Compare(by_positions(d) ** 2, "=", by_positions(d) * means), entry)
    read = unfold(claims.position_map_norm, nest(by_positions(d) ** 2, (d, T)), CORPORA)
    term = by_positions(d) * chosen
    turned = reordered(term, ((d, T), S, PLACE, EARLIER), (1, 2, 3, 0))
    inside = (
        joint(Compare(apart, ">=", 1), given=(Compare(n, "<=", t),)),
        joint(Compare(apart, "<=", T), given=(Compare(n, ">=", 1), Compare(t, "<=", T))),
    )
    one = cut(picked(by_positions, apart, T), *inside)
    each = linked(Compare(nest(term, (d, T)), "=", Q * by_positions(apart)), one)
    goal = Compare(
        claims.position_map_norm,
        "=",
        nest(Q * by_positions(apart), S, PLACE, EARLIER) / (N * T),
    )
    rows = summed_over(each, S, PLACE, EARLIER)
    return linked(goal, read, summed_over(square, (d, T)), turned, rows)


def covariance_of_a_token() -> Theorem:
    r"""$\sum_nz_{tn}(Q_i)_{tn}$, where z is the sum of what words and positions give."""
    h = place("h")
    tokens = ((h, 0, N - 1), (t, 1, T))
    seen = (*tokens, (n, 1, t))
    on_words = by_words(j, k) * token(h + 1, t, j) * token(h + 1, n, k)
    value = nest(on_words, WORD, NEXT) + by_positions(t - n + 1)
    said = at_sequence(for_all(unfold(logit(h, t, n), value, CORPORA, seen), *seen), i, t, n)
    z, g = logit(h, t, n), score(h, t, n)

    def mean(term: Any) -> Any:
        return Sum(term, (n, 1, t)) / t

    whole = unfold(covariance(h, t), mean(z * g) - mean(z) * mean(g), CORPORA, tokens)
    whole = at_sequence(for_all(whole, *tokens), i, t)
    own = logit(i - 1, t, n) * Q
    entry = centred_entry()
    scored = joint(Compare(own, "=", logit(i - 1, t, n) * entry.formula.right), entry)
    same = linked(
        Compare(covariance(i - 1, t), "=", Sum(own, (n, 1, t))), whole, summed_over(scored, EARLIER)
    )
    parts = Q * (nest(ON_WORDS, WORD, NEXT) + by_positions(t - n + 1))
    split = summed_over(joint(Compare(own, "=", parts), said), EARLIER)
    return linked(Compare(covariance(i - 1, t), "=", split.formula.right), same, split)


@proves(claims.attended_tokens_predict_better_on_average)
def by_exchanging_sums(claim: Claim) -> Certificate:
    """The mean covariance is a sum of squares."""
    total = summed_over(covariance_of_a_token(), S, PLACE)
    means = nest(covariance(i - 1, t), S, PLACE) / (N * T)
    read = unfold(mean_covariance, means, CORPORA)
    value = attention_map_norm + claims.position_map_norm
    same = linked(
        Compare(mean_covariance, "=", value), read, total, norm_by_words(), norm_by_positions()
    )
    norms = (
        unfold(attention_map_norm, nest(by_words(j, k) ** 2, WORD, NEXT), CORPORA),
        unfold(claims.position_map_norm, nest(by_positions(d) ** 2, (d, T)), CORPORA),
    )
    signs = squares(by_words(j, k), WORD, NEXT), squares(by_positions(d), (d, T))
    least = joint(Compare(mean_covariance, ">=", 0), same, *norms, *signs)
    apart = joint(Compare(t, "!=", 0), given=(Compare(t, ">=", 1),))
    theorem = cut(both(same, least), generalise(apart, t, 1, T))
    return conclude(claim, theorem, method="sums over words, positions and tokens")
