"""Gradient norms over Gaussian tokens, exactly, and why Eq. (18) speaks of an empty case.

The weights are averaged first (their second moments are all that enters), then the tokens, both on
trace words for symbolic n and d.  Nothing is assumed about norm and scatter: their covariance is
computed, and a statement that assumes it away is vacuous where it repeats that assumption's value.
"""

from __future__ import annotations

from functools import cache

from sympy import Expr, factor

from claims.domain import Domain
from claims.expressions import FrobSq
from claims.model import Claim, Relation
from claims.noci2022 import moments as claims
from claims.noci2022.notation import X, centre, d, d_k, d_v, n, norm_scatter, normX, rho, sigma_x
from claims.statement import Compare
from proofs.calculus.deltas import vanishes
from proofs.calculus.wick import expectation
from proofs.certificate import Certificate, Checked, Identity
from proofs.conclude import vacuous
from proofs.decide import decide
from proofs.kernel import Theorem, derived, joint
from proofs.noci2022.setup import expected_norm, uniform_jacobian
from proofs.noci2022.terms import expected_scatter_norm
from proofs.noci2022.tokens import TOKENS, covariance_exists, one_width
from proofs.registry import proves

__all__ = [
    "contradiction",
    "equal",
    "excluded",
    "gradient",
    "norm_covariance",
    "without_covariance",
]

BY_WORDS = "integration by parts on trace words, weights first, then tokens"


@cache
def gradient(parameter: str) -> Expr:
    """E over Xavier weights and Gaussian tokens of ||dS/d(parameter)||_F^2."""
    return one_width(expectation(expected_norm(uniform_jacobian(parameter)), [TOKENS]))


@cache
def norm_covariance() -> Expr:
    """Cov(||X||_F^2, ||X^T L X||_F^2)."""
    joint = expectation(normX * FrobSq(X.T * centre * X), [TOKENS])
    apart = expectation(normX, [TOKENS]) * expectation(FrobSq(X.T * centre * X), [TOKENS])
    return one_width(joint - apart)


@cache
def joint_moment() -> Expr:
    """E[||X||^2 ||X^T X - n xbar xbar^T||^2] / (d n^2), the right-hand side of Eq. (7)."""
    return one_width(expectation(normX * norm_scatter, [TOKENS]) / (d * n**2))


def equal(left: Expr, right: Expr) -> bool:
    """Equality of rational functions of n, d, rho and sigma_x."""
    return vanishes(left - right)


@cache
def without_covariance() -> Expr:
    """Eq. (7) with the expectation of the product replaced by the product of the expectations."""
    apart = expectation(normX, [TOKENS]) * expectation(norm_scatter, [TOKENS])
    return one_width(apart / (d * n**2))


@cache
def excluded() -> Theorem:
    """The assumption excludes the Gaussian model but at rho = 1: a covariance of zero means rho = 1.

    Cov = 4 (1 - rho)^3 times a product of positive factors.
    """
    uncorrelated = claims.norm_and_scatter_are_uncorrelated
    covariance = uncorrelated.quantity
    assert covariance is not None
    value = derived(covariance, factor(norm_covariance()), uncorrelated.domain, BY_WORDS)
    given = [Compare(n, ">=", 2), Compare(d, ">=", 1), Compare(sigma_x, ">", 0)]
    wanted = covariance.equals(0).implies(Compare(rho, "=", 1))
    return joint(wanted, value, given=given)


@cache
def contradiction() -> tuple[Checked, ...]:
    """What is left at rho = 1."""
    return (
        Checked(
            r"\rho=1:\ \mathbb E\left\|\tfrac{\partial S}{\partial W^Q}\right\|_F^2=0",
            "both the exact and the assumed value vanish",
            lambda: (
                vanishes(gradient("queries").subs(rho, 1))
                and vanishes(without_covariance().subs(rho, 1))
            ),
        ),
    )


def agrees_with_print(
    domain: Domain, lhs: str, value: Expr, scale: Expr | int = 1
) -> Identity:  # fmt: skip
    """E[||X||^2] E[||X^T L X||^2] / (d n^2), times a scale, which the excluded assumption would give."""
    label = rf"\text{{under the excluded assumption }} {lhs}"
    return Identity(
        scale * without_covariance(), value, "product of the two expectations", domain, label
    )


@proves(claims.value_gradient_norm_of_gaussian_tokens)
def by_averaging_the_mean_token(claim: Claim) -> Certificate:
    """Average the squared value Jacobian over the tokens."""
    return decide(
        claim, gradient("values"), steps=(covariance_exists(),), method=BY_WORDS, same=equal
    )


@proves(claims.scatter_norm_of_gaussian_tokens)
def by_trace_words(claim: Claim) -> Certificate:
    """Contract X^T L X X^T L X in all ways."""
    return decide(claim, expected_scatter_norm(), method=BY_WORDS, same=equal)


@proves(claims.norm_and_scatter_are_uncorrelated)
def by_sixth_moments(claim: Claim) -> Certificate:
    """Joint moment minus product of moments, all by contraction."""
    return decide(claim, norm_covariance(), method=BY_WORDS, same=equal)


@proves(
    claims.query_gradient_norm_of_gaussian_tokens,
    claims.query_gradient_moment,
)
def by_sixth_moments_of_the_gradient(claim: Claim) -> Certificate:
    """The exact value decides; the assumed one, under hypotheses that exclude each other, does not."""
    statement = claim.statement
    assert isinstance(statement, Relation)
    exact = Identity(
        gradient("queries"),
        joint_moment(),
        BY_WORDS,
        claim.domain,
        r"\mathbb E\|\partial S/\partial W^Q\|_F^2",
    )
    assumed = all(equal(without_covariance(), side) for side in statement.rhs)
    if claims.UNCORRELATED in claim.hypotheses and assumed:
        printed = agrees_with_print(claim.domain, statement.lhs, statement.rhs[0])
        return vacuous(
            claim,
            method=r"the hypotheses hold together only at $\rho=1$, where both sides vanish",
            steps=(exact, *contradiction(), printed),
            theorem=excluded(),
        )
    return decide(claim, gradient("queries"), steps=(exact,), method=BY_WORDS, same=equal)


@proves(claims.query_gradient_norm_restated)
def by_the_product_of_two_means(claim: Claim) -> Certificate:
    """Both means by contraction: degrees two and four in the tokens."""
    return decide(claim, without_covariance(), method=BY_WORDS, same=equal)


@proves(claims.query_gradient_norm_for_one_width)
def by_averaging_the_weights(claim: Claim) -> Certificate:
    """Eq. (7) at d_v = d_k = d, for tokens that stay fixed."""
    return decide(
        claim,
        expected_norm(uniform_jacobian("queries")).subs({d_v: d, d_k: d}),
        method="integration by parts on trace words",
    )
