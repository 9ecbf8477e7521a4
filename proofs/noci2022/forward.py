"""Proofs of Lemmas 3.2, 3.3 at finite depth and of the moment lemmas A.4 and A.6.

Second moments of one layer or block come from integration by parts on words; only the variance of
the weights enters.  Depth is by induction: the closed forms are held to base and step.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Expr, Integer, Trace
from sympy.matrices.expressions import MatrixExpr, OneMatrix

from claims.expressions import FrobSq, Total
from claims.model import Claim
from claims.noci2022 import forward as claims
from claims.noci2022.notation import WV, X, d_v, depth, ell
from proofs.calculus.wick import Gaussian, expectation, expectation_of_matrix
from proofs.certificate import Certificate
from proofs.decide import decide
from proofs.noci2022.network import BY_BLOCKS, S, block, induction, same, tokens
from proofs.registry import proves

BY_PARTS = "integration by parts on words, the column $e_j$ of unit norm"


# One layer ----------------------------------------------------------------------------------------


def of_unit_column(expression: Any) -> Any:
    """|e_j|^2 = 1 and 1^T e_j = 1: a unit vector is a column of the identity."""
    e = claims.e_j
    ones = {Trace(e * e.T): 1, Total(e * e.T): 1, Trace(e.T * e): 1, FrobSq(e): 1, Total(e): 1}
    return expression.xreplace({k: Integer(v) for k, v in ones.items()}).doit()


def layer_moments(outputs: MatrixExpr) -> tuple[Any, ...]:
    """(E D e_j e_j^T D^T, E ||D||_F^2, E C(D)) for D linear in a zero-mean W of variance 1/d_v."""
    e, law = claims.e_j, (Gaussian(WV, 1 / d_v),)
    column = expectation_of_matrix(outputs * e * e.T * outputs.T, law)
    norm, sums = (expectation(s, law) for s in (FrobSq(outputs), Total(outputs * outputs.T)))
    return of_unit_column(column), norm, sums


@cache
def linear_layer() -> tuple[Any, ...]:
    """Moments of D = X (W + mu 11^T): a mean mu of the weights is kept beside the random part."""
    return layer_moments(X * (WV + claims.mu * OneMatrix(d_v, d_v)))


@proves(claims.linear_layer_preserves_second_moments)
def by_second_moments_of_the_weights(claim: Claim) -> Certificate:
    """E W e_j e_j^T W^T = I/d for zero-mean weights; a mean would add rank-one terms."""
    centred = claim.domain is claims.zero_mean_layer
    value = without_mean(linear_layer()) if centred else linear_layer()
    return decide(claim, value, method=BY_PARTS)


def without_mean(values: Any) -> tuple[Any, ...]:
    """The values at mu = 0."""
    return tuple(value.subs(claims.mu, 0).doit() for value in values)


@cache
def attention_layer() -> tuple[Any, ...]:
    return layer_moments(S)


@proves(claims.uniform_attention_second_moments)
def by_second_moments_of_the_mean_token(claim: Claim) -> Certificate:
    """All rows of S are the mean token times W^V."""
    return decide(claim, attention_layer(), method=BY_PARTS)


# Depth --------------------------------------------------------------------------------------------


@proves(claims.uniform_mean_token)
def by_normal_form_of_traces(claim: Claim) -> Certificate:
    """Both sides are 1^T X X^T 1."""
    return decide(claim, Total(X * X.T), method="normal form of traces")


def by_induction(claim: Claim, value: Expr) -> Certificate:
    """A closed form in C(X) and ||X||_F^2 whose base and step are certified."""
    return decide(claim, tokens(value), steps=induction(), method=BY_BLOCKS, same=same)


@proves(claims.inner_products_after_depth)
def by_induction_on_inner_products(claim: Claim) -> Certificate:
    """C is multiplied by the same factor in every block."""
    return by_induction(claim, block().inner_products(depth))


@proves(claims.inner_products_grow_by_a_constant_factor)
def by_one_more_block(claim: Claim) -> Certificate:
    """The printed links hold E C(Z^l) and E C(X^l), which are averaged in the same way."""
    return by_induction(claim, block().inner_products(ell + 1))


@proves(claims.norm_after_depth)
def by_induction_on_the_norm(claim: Claim) -> Certificate:
    """The norm takes up a share of C in every block; the geometric sum is its closed form."""
    return by_induction(claim, block().norm(depth))


@proves(claims.norm_grows_with_the_inner_products)
def by_one_more_block_of_the_norm(claim: Claim) -> Certificate:
    """The printed links hold E C(X^l) and E ||X^l||_F^2, which are averaged in the same way."""
    return by_induction(claim, block().norm(ell + 1))


@proves(claims.norm_grows_by_a_constant_factor_over_the_second_half)
def by_the_second_half_of_a_block(claim: Claim) -> Certificate:
    """The printed link holds E ||Z^l||_F^2, which is averaged in the same way."""
    return by_induction(claim, block().norm(ell + 1))
