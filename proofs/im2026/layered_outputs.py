"""Eqs. (159)-(164): outputs and gradients of many layers."""

from __future__ import annotations

from sympy import E, Rational

from claims.im2026 import layered_outputs as claims
from claims.im2026.layered_gradients import V
from claims.model import Claim
from claims.statement import Compare
from proofs.certificate import Certificate
from proofs.im2026.backpropagation import decided, differentiated, summed
from proofs.im2026.layered_chains import by_links
from proofs.im2026.layered_gradients import LAYER, UPSTREAM
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


@proves(claims.values_learn_from_the_output, claims.values_learn_from_the_output_at_first)
def by_the_values(claim: Claim) -> Certificate:
    """A layer is linear in its values, and G is what comes back to it."""
    return decided(claim, summed(differentiated(LAYER, UPSTREAM, V)))
