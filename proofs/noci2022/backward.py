"""Proofs of Lemma 3.1 and of the steps of its proof, for symbolic n, d_v, d_k and variances.

The Jacobian comes from the product rule on index networks, its squared norm is a trace of a word,
and the expectation over the weights is taken by Gaussian integration by parts.  Only second moments
of the weights enter, so the results hold for any i.i.d. zero-mean law with these variances.
"""

from __future__ import annotations

from functools import cache

from sympy import Expr, latex
from sympy.matrices.expressions import MatrixExpr

from claims.model import Claim
from claims.noci2022 import backward as claims
from claims.noci2022.notation import WK, WV, X, centre
from proofs.calculus.networks import frobenius_square, network
from proofs.certificate import Certificate, Identity, Value
from proofs.decide import confirmation_points, decide, find_witness, refute
from proofs.noci2022.setup import expected_norm, uniform_jacobian
from proofs.registry import proves

SIZES = "all integers n >= 2, d_v >= 1, d_k >= 1 and all real tokens"
WEIGHT_LAWS = f"{SIZES}; all i.i.d. zero-mean weights with the stated variances"
BY_MOMENTS = "Gaussian integration by parts on trace words"

_PARAMETER_OF = {
    claims.value_gradient_norm_of_uniform_attention.id: "values",
    claims.query_gradient_norm_of_uniform_attention.id: "queries",
    claims.key_gradient_norm_of_uniform_attention.id: "keys",
}


@proves(
    claims.value_gradient_norm_of_uniform_attention,
    claims.query_gradient_norm_of_uniform_attention,
    claims.key_gradient_norm_of_uniform_attention,
)
def by_moments_of_the_jacobian(claim: Claim) -> Certificate:
    """The Jacobian by the product rule, its norm as a trace, the weights averaged."""
    value = expected_norm(uniform_jacobian(_PARAMETER_OF[claim.parent or claim.id]))
    return decide(claim, value, method=BY_MOMENTS, scope=WEIGHT_LAWS)


@proves(claims.value_jacobian_norm_chain)
def by_trace_of_a_kronecker_product(claim: Claim) -> Certificate:
    """The squared norm of a Kronecker product is the product of the squared norms."""
    value = frobenius_square(uniform_jacobian("values")).scalar()
    return decide(claim, value, method="normal form of traces", scope=SIZES)


@proves(claims.query_jacobian_of_uniform_attention)
def by_product_rule_queries(claim: Claim) -> Certificate:
    """dS/dW^Q by the chain rule through the logits, compared entry by entry for symbolic sizes."""
    value = uniform_jacobian("queries")
    return decide(claim, value, method="index calculus", scope=f"{SIZES} and weights")


@proves(claims.query_jacobian_norm_of_uniform_attention)
def by_trace_of_the_query_jacobian(claim: Claim) -> Certificate:
    """Squaring the Kronecker form leaves two traces."""
    value = frobenius_square(uniform_jacobian("queries")).scalar()
    return decide(claim, value, method="normal form of traces", scope=f"{SIZES} and weights")


@proves(claims.second_moment_of_the_weighted_scatter)
def by_second_moments(claim: Claim) -> Certificate:
    """E W W^T = (columns) sigma^2 I, applied to W^K and then to W^V."""
    value = expected_norm(network(WV.T * X.T * centre * X * WK).normal())
    return decide(claim, value, method=BY_MOMENTS, scope=WEIGHT_LAWS)


@proves(claims.input_jacobian_splits_in_three)
def by_product_rule_input(claim: Claim) -> Certificate:
    """dS/dX by the product rule: the logits move on both sides, and so do the values."""
    value = uniform_jacobian("input")
    return decide(claim, value, method="index calculus", scope=f"{SIZES} and weights")


_PART_OF = {
    claims.first_part_norm.id: claims.A1,
    claims.second_part_norm.id: claims.A2,
    claims.mean_part_norm.id: claims.A3,
}


@cache
def _part_norm(claim_id: str) -> Expr:
    return expected_norm(network(_PART_OF[claim_id]).normal())


@proves(claims.first_part_norm, claims.second_part_norm, claims.mean_part_norm)
def by_moments_of_a_part(claim: Claim) -> Certificate:
    """The printed matrix itself, squared and averaged."""
    value = _part_norm(claim.parent or claim.id)
    return decide(claim, value, method=BY_MOMENTS, scope=WEIGHT_LAWS)


@proves(claims.input_gradient_bound)
def by_exact_value_of_the_input_gradient(claim: Claim) -> Certificate:
    """The exact value settles any bound; its term ||X||_F^2 tr(X^T L X) is what Eq. (8) lacks."""
    value = expected_norm(uniform_jacobian("input"))
    return decide(claim, value, method=BY_MOMENTS, scope=WEIGHT_LAWS)


@proves(claims.input_gradient_triangle)
def by_parallelogram(claim: Claim) -> Certificate:
    """|A+B|^2 + |A-B|^2 = 2|A|^2 + 2|B|^2 for the pairs (A_1 + A_2, A_3) and (A_1, A_2)."""
    method, scope = "parallelogram identity and exact moments", WEIGHT_LAWS
    both = claims.A1 + claims.A2
    norms = (
        expected_norm(uniform_jacobian("input")),
        *(expected_norm(network(m).normal()) for m in (both, claims.A1, claims.A2, claims.A3)),
    )
    if find_witness(claim, norms) is not None:
        return refute(claim, value=norms, method=method, scope=scope)
    text = (
        r"(\mathbb E\|\tfrac{\partial S}{\partial X}\|^2,\mathbb E\|A_1+A_2\|^2,\mathbb E\|A_i\|^2)"
    )
    confirmed = Value(text, norms, claim.define, confirmation_points(claim))
    steps = (
        confirmed,
        _parallelogram(both, claims.A3, claim),
        _parallelogram(claims.A1, claims.A2, claim),
    )
    return Certificate("proved", method, scope, steps)


def _parallelogram(a: MatrixExpr, b: MatrixExpr, claim: Claim) -> Identity:
    """E|a+b|^2 <= 2E|a|^2 + 2E|b|^2, since the difference is E|a-b|^2, an expected square."""
    plus, minus, left, right = (expected_norm(network(m).normal()) for m in (a + b, a - b, a, b))
    label = rf"2\|A\|^2+2\|B\|^2-\|A+B\|^2=\|A-B\|^2,\ A={latex(a)},\ B={latex(b)}:\quad"
    return Identity(2 * left + 2 * right - plus, minus, BY_MOMENTS, claim.domain, label=label)
