"""Proofs of Lemmas D.8 and D.9: one layer of the chain rule, for a layer anywhere in the network."""

from __future__ import annotations

from typing import Any

from sympy import MatrixSymbol, ZeroMatrix

from claims.im2026 import layered_gradients as claims
from claims.im2026.backpropagation import DIAGONALS, OUTPUT
from claims.im2026.layered_gradients import U_O, A, G, P, R, U, V, W, X, Y, h, top
from claims.im2026.notation import N, T, eta
from claims.model import Claim
from proofs.calculus.differentials import substitute
from proofs.calculus.networks import Network, network
from proofs.certificate import Certificate, Checked
from proofs.im2026.backpropagation import (
    RESIDUAL,
    SOFTMAX,
    decided,
    differentiated,
    jacobian_rows,
    of_each,
    summed,
    through_softmax,
    without,
)
from proofs.registry import proves

UPSTREAM = -G / (N * T)
"""The derivative of the loss by what leaves the layer."""
LAYER = h + A * h * V
POSITION_LOGITS = MatrixSymbol(r"\mathrm{DM}(P)", T, T)
LOGITS: dict[Any, Any] = {
    **through_softmax(A, h * W * h.T + POSITION_LOGITS),
    POSITION_LOGITS: (P, DIAGONALS),
}


@proves(claims.gradient_of_the_output_matrix)
def by_the_last_product(claim: Claim) -> Certificate:
    """F = h W_O."""
    return decided(claim, summed(differentiated(top * OUTPUT, -R / (N * T), OUTPUT)), RESIDUAL)


@proves(claims.derivative_by_the_outputs_without_the_mean)
def by_the_quotient_rule(claim: Claim) -> Certificate:
    """-log S_y has the derivative S - e_y, and the loss is the mean of NT of these."""
    return decided(claim, of_each(network(U - Y).scaled(1 / (N * T))), RESIDUAL)


@proves(claims.residuals_go_backward)
def by_four_occurrences(claim: Claim) -> Certificate:
    """h stands by itself, before V, and on both sides of W."""
    last = differentiated(top * OUTPUT, R, top)
    below = differentiated(LAYER, G, h, LOGITS)
    return decided(claim, (of_each(last), of_each(below)), RESIDUAL, SOFTMAX)


@proves(claims.gradient_of_a_value_matrix)
def by_the_values(claim: Claim) -> Certificate:
    """The layer is linear in V."""
    return decided(claim, summed(differentiated(LAYER, UPSTREAM, V)))


@proves(claims.jacobian_of_a_row_of_attention)
def by_the_rows_of_the_softmax(claim: Claim) -> Certificate:
    """A = S(B) by rows, whatever the layer."""
    return decided(claim, of_each(jacobian_rows(A)), SOFTMAX)


@proves(claims.derivative_by_the_logits)
def by_the_softmax_jacobian(claim: Claim) -> Certificate:
    """A = S(B) by rows."""
    B = MatrixSymbol("B", T, T)
    value = differentiated(LAYER, G, B, through_softmax(A, B))
    return decided(claim, of_each(value), SOFTMAX)


@proves(claims.gradient_of_an_attention_matrix)
def by_the_logits(claim: Claim) -> Certificate:
    """A depends on W by way of its logits."""
    return decided(claim, summed(differentiated(LAYER, UPSTREAM, W, LOGITS)), SOFTMAX)


@proves(claims.gradient_of_the_positions)
def by_the_diagonals(claim: Claim) -> Certificate:
    """DM(P) is linear in P, with the tensor D for its derivative."""
    return decided(claim, summed(differentiated(LAYER, UPSTREAM, P, LOGITS)), SOFTMAX)


def _nothing_is_left(net: Network, symbol: MatrixSymbol) -> bool:
    """Whether a network vanishes where a matrix does."""
    return not without(net, symbol).normal().terms


def _layer_keeps_tokens() -> bool:
    """A layer whose V is zero gives its input again."""
    moved = without(network(LAYER), V) - network(h)
    return not moved.normal().terms


def _residuals_stay_zero() -> bool:
    """G^(L) vanishes with W_O, and G^(l-1) with G^(l); so do the gradients of the layer."""
    last = differentiated(top * OUTPUT, R, top)
    others = [differentiated(LAYER, G, x, LOGITS) for x in (h, V, W, P)]
    return _nothing_is_left(last, OUTPUT) and all(_nothing_is_left(net, G) for net in others)


KEPT = Checked(r"V^{(l)}=0\Rightarrow h_i^{(l)}=h_i^{(l-1)}", "index calculus", _layer_keeps_tokens)
ZERO = Checked(
    r"G_i^{(L)}=R_iW_O^\top,\ W_O=0\Rightarrow G_i^{(l)}=0,\ "
    r"\tfrac{\partial\mathcal L}{\partial(W^{(l)},V^{(l)},P^{(l)})}=0",
    "product and chain rule in index calculus", _residuals_stay_zero,
)  # fmt: skip


@proves(claims.first_step_from_zero)
def by_residuals_that_stay_zero(claim: Claim) -> Certificate:
    """With W_O = 0 nothing goes backward; with V = 0 the tokens come through, and S(0) is uniform."""
    net = differentiated(top * OUTPUT, -R / (N * T), OUTPUT)
    at_zero = substitute(substitute(net, top, X), R, Y - U_O)
    value = (
        summed(at_zero).scaled(-eta),
        *(network(ZeroMatrix(*x.shape)) for x in (W, V, P)),
    )
    return decided(claim, value, RESIDUAL, KEPT, ZERO)
