"""Proofs of Eqs. (103)-(109) and (118)-(121): norms at their bounds, then polynomials on the box."""

from __future__ import annotations

from claims.im2026 import one_layer_updates as claims
from claims.model import Claim
from proofs.certificate import Certificate
from proofs.decide import refute
from proofs.im2026.chains import by_norms
from proofs.registry import proves


@proves(claims.output_matrix_after_one_more_step)
def by_two_products(claim: Claim) -> Certificate:
    """The error of the output, and what attention adds to the inputs."""
    return by_norms(claim, claims.output_slope, claims.output_step)


@proves(claims.value_matrix_after_one_more_step)
def by_three_products(claim: Claim) -> Certificate:
    """The errors of the output, of attention and of the output matrix."""
    return by_norms(claim, claims.value_slope, claims.value_step)


@proves(claims.product_of_output_and_value)
def by_both_errors(claim: Claim) -> Certificate:
    """The error of the value matrix and that of the output matrix."""
    return by_norms(claim, claims.product)


@proves(claims.scores_stay_near_their_leading_term)
def by_the_sharper_bound_of_the_value_matrix(claim: Claim) -> Certificate:
    """The error of the output and that of the product."""
    return by_norms(claim, claims.scores)


@proves(claims.attention_weights_after_one_more_step)
def by_the_norm_of_the_inputs(claim: Claim) -> Certificate:
    """A factor on either side of the einsum."""
    return by_norms(claim, claims.weight_slope, claims.attention_step)


@proves(claims.position_weights_after_one_more_step)
def by_sums_of_sub_diagonals(claim: Claim) -> Certificate:
    """A sub-diagonal has at most T entries."""
    return by_norms(claim, claims.position_slope, claims.position_step)


@proves(claims.slope_of_the_value_matrix_as_printed)
def by_a_sequence_that_is_nearer(claim: Claim) -> Certificate:
    """A mean over sequences exceeds the bound of one of them."""
    return refute(claim, method="a network after its first step")
