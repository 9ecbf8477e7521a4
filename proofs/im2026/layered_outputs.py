"""Eqs. (159)-(164): outputs and gradients of many layers."""

from __future__ import annotations

from sympy import E, Rational, Trace

from claims.im2026 import layered_outputs as claims
from claims.im2026.notation import T
from claims.model import Claim
from claims.statement import Compare
from proofs.calculus.differentials import gradient
from proofs.certificate import Certificate
from proofs.decide import decide
from proofs.im2026.layered_chains import by_links
from proofs.kernel import compute
from proofs.registry import proves


@proves(
    claims.outputs_stay_near_uniform,
    claims.output_matrix_keeps_its_bound,
    claims.values_keep_their_bound,
)
def by_polynomials(claim: Claim) -> Certificate:
    """Each link follows from the ranges of the norms, and e^2 <= 7.4."""
    return by_links(
        claim, *map(compute, (Compare(E**2, "<=", Rational(74, 10)), Compare(E**2, ">=", 0)))
    )


@proves(claims.values_learn_from_the_output)
def by_the_product_rule(claim: Claim) -> Certificate:
    """The loss has slope -R/T in the output; the product rule through both layers."""
    X, A, R = claims.tokens, claims.mixing, claims.residual
    first = X + A * X * claims.V1
    output = (first + A * first * claims.V2) * claims.weights
    value = gradient(Trace(-R.T * output) / T, claims.V1)
    return decide(claim, value, method="product rule")
