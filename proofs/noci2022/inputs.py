"""Proofs on the input gradient: its three parts, their exact norms, and what is left of Eq. (8)."""

from __future__ import annotations

from functools import cache

from sympy import Expr
from sympy.matrices.expressions import MatrixExpr

from claims.model import Claim
from claims.noci2022 import inputs as claims
from claims.typeset import typeset
from proofs.calculus.networks import network
from proofs.certificate import Certificate, Identity, Value
from proofs.conclude import argued
from proofs.decide import confirmation_points, decide, find_witness, refute
from proofs.noci2022.backward import BY_MOMENTS, SIZES, WEIGHT_LAWS
from proofs.noci2022.setup import expected_norm, uniform_jacobian
from proofs.registry import proves


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
    return argued(claim, steps=steps, method=method, scope=scope)


def _parallelogram(a: MatrixExpr, b: MatrixExpr, claim: Claim) -> Identity:
    """E|a+b|^2 <= 2E|a|^2 + 2E|b|^2, since the difference is E|a-b|^2, an expected square."""
    plus, minus, left, right = (expected_norm(network(m).normal()) for m in (a + b, a - b, a, b))
    label = rf"2\|A\|^2+2\|B\|^2-\|A+B\|^2=\|A-B\|^2,\ A={typeset(a)},\ B={typeset(b)}:\quad"
    return Identity(2 * left + 2 * right - plus, minus, BY_MOMENTS, claim.domain, label=label)
