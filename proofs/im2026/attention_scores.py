"""Proofs about scores: sums over positions in the kernel, what words do by the index calculus."""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Identity, Sum, Symbol, ZeroMatrix

from claims.expressions import ones
from claims.im2026 import attention_scores as claims
from claims.im2026.attention_scores import (
    CONTEXT,
    SQUARE,
    based,
    centred,
    length,
    recipe,
    score,
)
from claims.im2026.backpropagation import SubDiagonals
from claims.im2026.corpora import CORPORA
from claims.im2026.notation import N, T, i, k, m, words
from claims.im2026.one_layer_gradients import X, Y
from claims.model import Claim
from claims.statement import Compare
from proofs.calculation import for_all, linked
from proofs.calculus.allones import Spectral
from proofs.calculus.differentials import substitute
from proofs.calculus.networks import Network, equal, network
from proofs.certificate import Certificate, Checked
from proofs.conclude import conclude
from proofs.decide import decide
from proofs.im2026.backpropagation import of_each, read, same_gradient, summed
from proofs.kernel import Theorem, both, generalise, joint, unfold
from proofs.registry import proves

t = Symbol("t", integer=True, positive=True)
"""A position, which says of itself that it is one."""
METHOD = "the softmax Jacobian at uniform rows, sums over positions"
TOKENS = ((i, 0, N - 1), (t, 1, T))
SEEN, HIDDEN = (*TOKENS, (m, 1, t)), (*TOKENS, (m, t + 1, T))


def everywhere(theorem: Theorem) -> Theorem:
    """For every sequence and position."""
    return for_all(theorem, *TOKENS)


def row_of_the_jacobian(family: Any = score) -> Any:
    """a_m M_m - a_m sum_k a_k M_k with a = 1/t on the first t places."""
    return family(i, t, m) / t - Sum(family(i, t, k) / t, (k, 1, t)) / t


@cache
def masked_and_centred(family: Any = score) -> Theorem:
    """Q(t, m) for m <= t."""
    said = unfold(centred(i, t, m), row_of_the_jacobian(family), CORPORA, SEEN)
    return linked(Compare(centred(i, t, m), "=", recipe(t, m, family)), said)


@proves(claims.centring_by_the_softmax_jacobian)
def by_the_jacobian_of_uniform_rows(claim: Claim) -> Certificate:
    """Diag(a) - a^T a with a = 1/t on the first t places."""
    above = unfold(centred(i, t, m), 0, CORPORA, HIDDEN)
    parts = generalise(masked_and_centred(), m, 1, t), generalise(above, m, t + 1, T)
    return conclude(claim, everywhere(both(*parts)), method=METHOD)


@proves(claims.output_column)
def by_the_rows_of_the_scores(claim: Claim) -> Certificate:
    """Row t of Q holds row t of the scores."""
    theorem = everywhere(generalise(masked_and_centred(), m, 1, t))
    return conclude(claim, theorem, method=METHOD)


@proves(claims.eq_82_by_columns)
def by_row_t_of_the_scores(claim: Claim) -> Certificate:
    """J_t times row t."""
    theorem = everywhere(generalise(masked_and_centred(based), m, 1, t))
    return conclude(claim, theorem, method=METHOD)


@cache
def row_sums_vanish() -> Theorem:
    """t times the mean is the sum; the places beyond t hold zeros."""
    row = Sum(row_of_the_jacobian(), (m, 1, t))
    said = unfold(claims.row_sum(i, t), row, CORPORA, TOKENS)
    return everywhere(linked(Compare(claims.row_sum(i, t), "=", 0), said))


ZERO = Checked(r"\sum_m(Q_i)_{tm}=0", METHOD, lambda: not row_sums_vanish().failures())


@proves(claims.rows_sum_to_zero)
def by_the_mean_of_the_row(claim: Claim) -> Certificate:
    """Every entry of the column of row sums is zero."""
    return decide(claim, network(ZeroMatrix(N * T, 1)), steps=(ZERO,), method=METHOD)


RECIPE = Checked(
    r"(Q_i)_{tm}=\tfrac1t\bigl((M_i)_{tm}-\tfrac1t\sum_{k\le t}(M_i)_{tk}\bigr)", METHOD,
    lambda: not masked_and_centred().failures(),
)  # fmt: skip


def _averaged(claim: Claim, net: Network, *steps: Checked) -> Certificate:
    """Judge the mean over tokens of what each sequence gives."""
    value, method = summed(net).scaled(1 / (N * T)), "index calculus"
    return decide(claim, value, steps=steps, method=method, same=same_gradient)


@proves(claims.word_pairs)
def by_the_places_of_words(claim: Claim) -> Certificate:
    """Rows of X say where a word stands."""
    return _averaged(claim, network(X.T * claims.Q * X))


@proves(claims.word_map_by_the_recipe)
def by_centring_under_the_average(claim: Claim) -> Certificate:
    """The recipe gives Q_i, row by row."""
    return _averaged(claim, network(X.T * claims.C * X), RECIPE)


@proves(claims.scores_by_distance)
def by_centring_along_a_diagonal(claim: Claim) -> Certificate:
    """Sums along sub-diagonals of what the recipe gives."""
    return _averaged(claim, read(SubDiagonals(claims.C)), RECIPE)


CENTRE = Identity(words) - ones(words, words) / words


def _in_centred_words(side: Any) -> Network:
    """A side with C Sigma C in the place of Sigma."""
    net = side if isinstance(side, Network) else read(side)
    return substitute(net, SQUARE, CENTRE * SQUARE * CENTRE)


def _same_scores(left: Any, right: Any) -> bool:
    try:
        return same_gradient(*map(_in_centred_words, (left, right)))
    except (TypeError, ValueError):
        return False


ROWS = Checked(
    r"Y1=1\Rightarrow Y-U_O=YC,\quad C=I-\tfrac1{|\mathcal V|}11^\top", "index calculus",
    lambda: equal(Y * CENTRE, Y - Y * ones(words, words) / words),
)  # fmt: skip
SQUARES = Checked(
    r"\bar B=BC,\ C^2=C\Rightarrow\Sigma_{\bar B}=C\Sigma_{\bar B}C", "index calculus",
    lambda: equal(CENTRE * CENTRE, CENTRE),
)  # fmt: skip


@proves(claims.scores_of_pairs, claims.baseline_changes_nothing)
def by_rows_that_sum_to_zero(claim: Claim) -> Certificate:
    """Y - U_O = Y C, since rows of Y sum to one, and C leaves the square of B-bar as it is."""
    value = of_each(network(Y * CENTRE * SQUARE * CONTEXT * X.T))
    return decide(claim, value, steps=(ROWS, SQUARES), method="index calculus", same=_same_scores)


@proves(claims.baseline_centres_rows)
def by_a_row_of_scores(claim: Claim) -> Certificate:
    """A row of scores has no reason to sum to zero: a search finds one that does not."""
    theorem = everywhere(generalise(masked_and_centred(based), m, 1, t))
    return conclude(claim, theorem, method="exact evaluation")


@proves(claims.norm_of_a_uniform_row)
def by_the_eigenvalue_across(claim: Claim) -> Certificate:
    """I/t - 11^T/t^2 has the eigenvalue 1/t across the ones vector, where there is room, and 0 along."""
    jacobian = Spectral.combination(length, 1 / length, -1 / length**2)
    along = Checked(r"J_t1=0", r"algebra of $I$ and $11^\top$", lambda: jacobian.along == 0)
    method = r"the algebra of $I$ and $11^\top$"
    return decide(claim, jacobian.across, steps=(along,), method=method)


@proves(claims.einsum_by_norms_of_columns)
def by_the_squares_of_rows(claim: Claim) -> Certificate:
    """Squares of all entries, row by row."""
    squares = Sum(claims.contracted(t, m) ** 2, (m, 1, T), (t, 1, T))
    domain = (claim.base or claim).domain
    whole, rows = (unfold(each, squares, domain) for each in (claims.whole, claims.rows))
    theorem = joint(Compare(claims.whole, "=", claims.rows), whole, rows)
    return conclude(claim, theorem, method="sums of squares of entries")
