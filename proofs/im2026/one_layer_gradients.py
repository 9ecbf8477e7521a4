"""Proofs of Lemma D.1: one occurrence of the weight at a time, those in A behind the softmax Jacobian."""

from __future__ import annotations

from typing import Any

from sympy import MatrixSymbol

from claims.im2026 import one_layer_gradients as claims
from claims.im2026.backpropagation import ATTENTION, DIAGONALS, OUTPUT, POSITIONS, VALUES
from claims.im2026.notation import N, T
from claims.im2026.one_layer_gradients import A, R, X, hidden
from claims.model import Claim
from proofs.calculus.networks import network
from proofs.certificate import Certificate
from proofs.im2026.backpropagation import (
    RESIDUAL,
    SOFTMAX,
    decided,
    differentiated,
    jacobian_rows,
    of_each,
    summed,
    through_softmax,
)
from proofs.registry import proves

UPSTREAM = -R / (N * T)
"""The derivative of the loss by the outputs."""
F = (X + A * X * VALUES) * OUTPUT
POSITION_LOGITS = MatrixSymbol(r"\mathrm{DM}(P)", T, T)
LOGITS: dict[Any, Any] = {
    **through_softmax(A, X * ATTENTION * X.T + POSITION_LOGITS),
    POSITION_LOGITS: (POSITIONS, DIAGONALS),
}


@proves(claims.gradient_of_the_output_matrix)
def by_the_last_product(claim: Claim) -> Certificate:
    """F = h W_O."""
    return decided(claim, summed(differentiated(hidden * OUTPUT, UPSTREAM, OUTPUT)), RESIDUAL)


@proves(claims.gradient_of_the_value_matrix)
def by_the_values(claim: Claim) -> Certificate:
    """F = (X + A X V) W_O, where A does not depend on V."""
    return decided(claim, summed(differentiated(F, UPSTREAM, VALUES)), RESIDUAL)


@proves(claims.gradient_of_the_attention_matrix)
def by_the_logits(claim: Claim) -> Certificate:
    """A depends on W by way of its logits."""
    value = summed(differentiated(F, UPSTREAM, ATTENTION, LOGITS))
    return decided(claim, value, RESIDUAL, SOFTMAX)


@proves(claims.gradient_of_the_positions)
def by_the_diagonals(claim: Claim) -> Certificate:
    """DM(P) is linear in P, with the tensor D for its derivative."""
    value = summed(differentiated(F, UPSTREAM, POSITIONS, LOGITS))
    return decided(claim, value, RESIDUAL, SOFTMAX)


@proves(claims.derivative_by_the_outputs_without_a_sign)
def by_the_quotient_rule(claim: Claim) -> Certificate:
    """-log S_y has the derivative S - e_y, and the loss is the mean of NT of these."""
    value = network(claims.U - claims.Y).scaled(1 / (N * T))
    return decided(claim, of_each(value), RESIDUAL)


@proves(claims.derivative_by_the_attention)
def by_the_product_with_values(claim: Claim) -> Certificate:
    """F is linear in A."""
    return decided(claim, of_each(differentiated(F, UPSTREAM, A)), RESIDUAL)


@proves(claims.derivative_by_the_logits)
def by_the_softmax_jacobian(claim: Claim) -> Certificate:
    """A = S(B) by rows."""
    B = MatrixSymbol("B", T, T)
    value = of_each(differentiated(F, UPSTREAM, B, through_softmax(A, B)))
    return decided(claim, (of_each(jacobian_rows(A)), value), RESIDUAL, SOFTMAX)
