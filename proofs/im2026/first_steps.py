r"""The first two steps from zero, entry by entry: for all sizes and every corpus.

Rows of outputs after one step are near uniform by the bound of `near_uniform`, rows of $\bar B$ have
norm at most one, and gradients are means over sequences and tokens of products of two vectors.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Expr, Integer, Sum, Symbol, exp, sqrt, symbols

from claims.im2026 import first_steps as claims
from claims.im2026.first_steps import ANY_RATE, bigram, logit, looked_up, probability
from claims.im2026.notation import N, T, eta, words
from claims.model import Claim
from claims.statement import Compare, ForAll
from proofs.calculation import algebra, at_places, linked
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.facts import CAUCHY_SCHWARZ, EXP_ABOVE_TANGENT, FUBINI, JENSEN
from proofs.im2026.corpus_norms import (
    SEQUENCES,
    SIGN,
    SQUARE,
    TOTAL,
    at_sequence,
    first_residual_row,
    i,
    j,
    k,
    known,
    m,
    mean_of_products,
    nest,
    prefix_is_short,
    prefix_share,
    squares,
    summed,
    t,
    token,
)
from proofs.im2026.near_uniform import Logits, n, r, v
from proofs.kernel import (
    Theorem,
    assume,
    both,
    compute,
    cut,
    fact,
    generalise,
    instance,
    joint,
    substitute,
    sum_at_least_term,
    sum_rearranged,
    unfold,
)
from proofs.registry import proves

S, WORD, NEXT, PLACE = (i, N), (j, words), (k, words), (t, T)
l = Symbol("l", integer=True, positive=True)  # noqa: E741
h = claims.i
"""A sequence, from zero."""
ROW = ((h, 0, N - 1), (t, 1, T), (k, 1, words))
ENTRY = ((j, 1, words), (k, 1, words))


def for_entries(theorem: Theorem) -> Theorem:
    """For all words j and k."""
    return generalise(generalise(theorem, k, 1, words), j, 1, words)


def mean(term: Expr) -> Expr:
    """Over sequences and tokens."""
    return nest(term, S, PLACE) / (N * T)


def residual(column: Any) -> Expr:
    """$Y-U_O$ at sequence i and token t."""
    return token(i, t + 1, column) - 1 / words


# The first step -----------------------------------------------------------------------------------


def bigram_entry() -> Theorem:
    """$\\bar B_{jk}$ as a mean."""
    return unfold(bigram(j, k), mean(token(i, t, j) * residual(k)), ANY_RATE, ENTRY)


@proves(claims.output_weights_after_one_step)
def by_uniform_output(claim: Claim) -> Certificate:
    """The gradient at zero is a sum over the tokens, counted by words."""
    own, following = token(i, t, j), token(i, t + 1, k)
    step = unfold(claims.output_weight(j, k), eta * mean(own * residual(k)), ANY_RATE, ENTRY)
    first = joint(Compare(claims.output_weight(j, k), "=", eta * bigram(j, k)), step, bigram_entry())
    pairs = unfold(claims.pair_share(j, j, k), mean(own * following), ANY_RATE, ENTRY)
    share = unfold(claims.share(j), mean(own), ANY_RATE, ENTRY[:1])
    goal = Compare(bigram(j, k), "=", claims.pair_share(j, j, k) - claims.share(j) / words)
    second = linked(goal, bigram_entry(), pairs, share)
    theorem = for_entries(both(first, second))
    return conclude(claim, theorem, method="the gradient at zero", scope=SEQUENCES)


def zeros(positions: Any, *matrices: Any) -> Theorem:
    """Weight matrices and position scores whose gradient has a factor that is zero."""
    entries = [unfold(w(j, k), Integer(0), ANY_RATE, ENTRY) for w in matrices]
    square = for_entries(both(*entries) if len(entries) > 1 else entries[0])
    scores = unfold(positions(m), Integer(0), ANY_RATE, ((m, 1, T),))
    return both(square, generalise(scores, m, 1, T))


@proves(claims.other_weights_after_one_step)
def by_a_factor_that_is_zero(claim: Claim) -> Certificate:
    """Their gradients have $W_O=0$ as a factor."""
    theorem = zeros(claims.positions_1, claims.attention_1, claims.value_1)
    return conclude(claim, theorem, method="the gradient at zero", scope=SEQUENCES)


@proves(claims.attention_weights_after_two_steps)
def by_values_that_are_zero(claim: Claim) -> Certificate:
    """Their gradients have $V^{(1)}=0$ as a factor."""
    theorem = zeros(claims.positions_2, claims.attention_2)
    return conclude(claim, theorem, method="the gradient after one step", scope=SEQUENCES)


# The forward pass after one step ------------------------------------------------------------------


@cache
def lookup() -> Theorem:
    """$(X_i\\bar B)_{tk}=\\sum_jX_{tj}\\bar B_{jk}$."""
    return unfold(looked_up(h, t, k), Sum(token(h + 1, t, j) * bigram(j, k), (j, 1, words)), ANY_RATE, ROW)


@cache
def forward() -> Theorem:
    """$F(X_i)_{tk}=\\eta(X_i\\bar B)_{tk}$."""
    term = eta * Sum(token(h + 1, t, j) * bigram(j, k), (j, 1, words))
    read = unfold(logit(h, t, k), term, ANY_RATE, ROW)
    return joint(Compare(logit(h, t, k), "=", eta * looked_up(h, t, k)), read, lookup())


def everywhere(theorem: Theorem) -> Theorem:
    """For all sequences, tokens and words k."""
    return generalise(generalise(generalise(theorem, k, 1, words), t, 1, T), h, 0, N - 1)


def here(theorem: Theorem, column: Any = k) -> Theorem:
    """At sequence i (from one), token t and a word."""
    return at_sequence(everywhere(theorem), i, t, column)


@cache
def entries_are_close() -> Theorem:
    """$\\bar B_{jk}-\\bar B_{jl}\\le1$."""
    own, one, other = token(i, t, j), token(i, t + 1, k), token(i, t + 1, l)
    facts = [at_sequence(assume(f), i, row, c) for f in (SQUARE, SIGN) for row, c in ((t, j), (t + 1, k), (t + 1, l))]
    a, b, c = symbols("a b c", real=True)
    given = [f for x in (a, b, c) for f in (Compare(x**2, "=", x), Compare(x, ">=", 0))]
    each = algebra(Compare(a * b - a * c, "<=", 1), given, {a: own, b: one, c: other}, *facts)
    total = summed(each, S, PLACE)
    first = bigram_entry()
    second = at_places(for_entries(first), j, l)
    gap = linked(
        Compare(mean(own * residual(k)) - mean(own * residual(l)), "<=", 1), total
    )
    return joint(Compare(bigram(j, k) - bigram(j, l), "<=", 1), first, second, gap)


def rows_are_close() -> Theorem:
    """$F(X_i)_{tk}-F(X_i)_{tl}\\le\\eta$."""
    x = token(h + 1, t, j)
    sign, whole = at_sequence(assume(SIGN), h + 1, t, j), at_sequence(assume(TOTAL), h + 1, t)
    w, b, c = symbols("w b c", real=True)
    given = (Compare(b - c, "<=", 1), Compare(w, ">=", 0))
    terms = {w: x, b: bigram(j, k), c: bigram(j, l)}
    each = algebra(Compare(w * b - w * c, "<=", w), given, terms, entries_are_close(), sign)
    total = linked(
        Compare(lookup().formula.right - lookup().formula.right.subs(k, l), "<=", 1),
        summed(each, WORD), whole,
    )  # fmt: skip
    other = at_places(everywhere(lookup()), h, t, l)
    gap = joint(Compare(looked_up(h, t, k) - looked_up(h, t, l), "<=", 1), total, lookup(), other)
    own, others = forward(), at_places(everywhere(forward()), h, t, l)
    return joint(Compare(logit(h, t, k) - logit(h, t, l), "<=", eta), gap, own, others)


@proves(claims.forward_pass_after_one_step)
def by_looking_up(claim: Claim) -> Certificate:
    """Values are zero, so that logits are rows of W_O; entries of a row of B differ by at most one."""
    close = generalise(rows_are_close(), l, 1, words)
    theorem = everywhere(both(forward(), close))
    return conclude(claim, theorem, method="entries of the bigram map", scope=SEQUENCES)
