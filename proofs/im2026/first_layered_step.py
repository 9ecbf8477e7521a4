"""The proof of Lemma D.9, display by display: which factor of each gradient is zero."""

from __future__ import annotations

from claims.im2026 import first_layered_step as claims
from claims.im2026.backpropagation import OUTPUT, SubDiagonals
from claims.im2026.layered_gradients import U_O, A, G, P, R, S, V, W, X, Y, h, top
from claims.im2026.notation import N, T
from claims.model import Claim
from proofs.calculus.differentials import substitute
from proofs.calculus.networks import Network
from proofs.certificate import Certificate
from proofs.im2026.backpropagation import (
    RESIDUAL,
    SOFTMAX,
    decided,
    differentiated,
    of_each,
    read,
    summed,
    without,
)
from proofs.im2026.layered_gradients import KEPT, LAYER, LOGITS, UPSTREAM, ZERO
from proofs.registry import proves


def _mean(net: Network) -> Network:
    """Minus the mean over all tokens, from the term of one sequence."""
    return summed(net).scaled(-1 / (N * T))


@proves(claims.first_gradient_of_the_output_matrix)
def by_uniform_outputs(claim: Claim) -> Certificate:
    """Tokens come through layers whose V is zero; with W_O = 0 every output is uniform."""

    def at_zero(net: Network) -> Network:
        return substitute(substitute(net, top, X), R, Y - U_O)

    derivative = summed(at_zero(differentiated(top * OUTPUT, -R / (N * T), OUTPUT)))
    return decided(claim, (derivative, _mean(at_zero(read(top.T * R)))), RESIDUAL, KEPT)


@proves(claims.nothing_goes_backward_from_zero)
def by_the_recursion(claim: Claim) -> Certificate:
    """R W_O^T vanishes with W_O, and what goes below a layer with what comes from above."""
    last = without(differentiated(top * OUTPUT, R, top), OUTPUT)
    printed = without(read(R * OUTPUT.T), OUTPUT)
    below = without(differentiated(LAYER, G, h, LOGITS), G)
    return decided(claim, tuple(map(of_each, (last, printed, below))), RESIDUAL, SOFTMAX, ZERO)


@proves(claims.values_rest_at_zero)
def by_the_factor_of_the_values(claim: Claim) -> Certificate:
    """G is a factor."""
    derivative = summed(without(differentiated(LAYER, UPSTREAM, V), G))
    return decided(claim, (derivative, _mean(without(read(h.T * A.T * G), G))), ZERO)


@proves(claims.attention_weights_rest_at_zero)
def by_the_factor_of_the_scores(claim: Claim) -> Certificate:
    """G is a factor of S."""
    scores = of_each(without(read(S), G))
    derivative = summed(without(differentiated(LAYER, UPSTREAM, W, LOGITS), G))
    value = (scores, derivative, _mean(without(read(h.T * S * h), G)))
    return decided(claim, value, SOFTMAX, ZERO)


@proves(claims.positions_rest_at_zero)
def by_the_factor_on_the_diagonals(claim: Claim) -> Certificate:
    """Sums along sub-diagonals of zero are zero."""
    derivative = summed(without(differentiated(LAYER, UPSTREAM, P, LOGITS), G))
    return decided(claim, (derivative, _mean(without(read(SubDiagonals(S)), G))), SOFTMAX, ZERO)
