"""Proofs of Eqs. (97)-(102): norms at their bounds, then polynomials on the box."""

from __future__ import annotations

from claims.im2026 import one_layer_forward as claims
from claims.model import Claim
from proofs.certificate import Certificate
from proofs.im2026.chains import by_norms
from proofs.registry import proves


@proves(claims.value_matrix_is_of_second_order)
def by_the_bound_of_the_gap(claim: Claim) -> Certificate:
    """The leading term and its error."""
    return by_norms(claim, claims.value_matrix)


@proves(claims.hidden_states_stay_near_the_inputs)
def by_one_product(claim: Claim) -> Certificate:
    """Inputs and what attention adds."""
    return by_norms(claim, claims.hidden_states)


@proves(claims.outputs_stay_near_the_uniform_distribution)
def by_products(claim: Claim) -> Certificate:
    """Hidden states times the output matrix, then the softmax."""
    return by_norms(
        claim,
        claims.output_matrix,
        claims.output_operator,
        claims.logit_matrix,
        claims.hidden_row,
        claims.logit_row,
        claims.logit_range,
        claims.distance,
    )
