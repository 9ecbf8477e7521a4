"""Proofs of Lemma 3.1 and of the steps of its proof, for symbolic n, d_v, d_k and variances.

The Jacobian comes from the product rule on index networks, its squared norm is a trace of a word,
and the expectation over the weights is taken by Gaussian integration by parts.  Only second moments
of the weights enter, so the results hold for any i.i.d. zero-mean law with these variances.
"""

from __future__ import annotations

from claims.model import Claim
from claims.noci2022 import backward as claims
from claims.noci2022.notation import WK, WV, X, centre
from proofs.calculus.networks import frobenius_square, network
from proofs.certificate import Certificate
from proofs.decide import decide
from proofs.noci2022.setup import expected_norm, uniform_jacobian
from proofs.registry import proves

SIZES = r"all integers $n\ge2$, $d_v\ge1$, $d_k\ge1$ and all real tokens"
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
    return decide(claim, value, method=BY_MOMENTS)


@proves(claims.value_jacobian_norm_chain)
def by_trace_of_a_kronecker_product(claim: Claim) -> Certificate:
    """The squared norm of a Kronecker product is the product of the squared norms."""
    value = frobenius_square(uniform_jacobian("values")).scalar()
    return decide(claim, value, method="normal form of traces")


@proves(claims.query_jacobian_of_uniform_attention)
def by_product_rule_queries(claim: Claim) -> Certificate:
    """dS/dW^Q by the chain rule through the logits, compared entry by entry for symbolic sizes."""
    value = uniform_jacobian("queries")
    return decide(claim, value, method="index calculus")


@proves(claims.query_jacobian_norm_of_uniform_attention)
def by_trace_of_the_query_jacobian(claim: Claim) -> Certificate:
    """Squaring the Kronecker form leaves two traces."""
    value = frobenius_square(uniform_jacobian("queries")).scalar()
    return decide(claim, value, method="normal form of traces")


@proves(claims.second_moment_of_the_weighted_scatter)
def by_second_moments(claim: Claim) -> Certificate:
    """E W W^T = (columns) sigma^2 I, applied to W^K and then to W^V."""
    value = expected_norm(network(WV.T * X.T * centre * X * WK).normal())
    return decide(claim, value, method=BY_MOMENTS)
