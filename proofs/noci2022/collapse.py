"""Proofs about tokens of rank one: X = a x^T put into the networks of means and second moments."""

from __future__ import annotations

from functools import cache

from sympy.matrices.expressions import MatrixExpr

from claims.expressions import ones
from claims.model import Claim
from claims.noci2022 import collapse as claims
from claims.noci2022.collapse import a, c, x
from claims.noci2022.notation import X, n, scatter, xbar
from proofs.calculus.differentials import substitute
from proofs.calculus.networks import Network, network
from proofs.certificate import Certificate
from proofs.decide import decide
from proofs.registry import proves

METHOD = "index calculus"
TOKENS = r"all integers $n\ge2$, $d_v\ge1$ and all real tokens"
RANK_ONE = r"all integers $n\ge2$, $d_v\ge1$, all real $a$ and $x$"


@cache
def _covariance() -> Network:
    """(1/n) sum_k (X_k - xbar)(X_k - xbar)^T, from tokens without their mean."""
    deviations = X - ones(n) * xbar.T
    return network(deviations.T * deviations / n).normal()


@cache
def _with_tokens(matrix: MatrixExpr, tokens: MatrixExpr) -> Network:
    return substitute(network(matrix), X, tokens).normal()


@proves(claims.covariance_of_tokens_is_the_centred_gram_matrix)
def by_expanding_deviations(claim: Claim) -> Certificate:
    """Products of deviations from the mean expand into two terms."""
    return decide(claim, _covariance(), method=METHOD)


@proves(claims.rank_one_tokens_have_zero_covariance)
def by_substitution(claim: Claim) -> Certificate:
    """The covariance with X = a x^T."""
    value = substitute(_covariance(), X, a * x.T).normal()
    return decide(claim, value, method=METHOD)


@proves(claims.moments_of_rank_one_tokens)
def by_substituting_each_moment(claim: Claim) -> Certificate:
    """X = a x^T in the two moments, X = c 1 x^T in the scatter."""
    value = (
        _with_tokens(xbar * xbar.T, a * x.T),
        _with_tokens(X.T * X, a * x.T),
        _with_tokens(scatter, c * ones(n) * x.T),
    )
    return decide(claim, value, method=METHOD)
