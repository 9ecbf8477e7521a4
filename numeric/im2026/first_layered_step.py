"""Both ends of the displays in the proof of Lemma D.9: autograd, and the printed products in torch."""

from __future__ import annotations

import torch
from torch import Tensor

from claims.domain import Point
from claims.im2026 import first_layered_step as claims
from claims.im2026.backpropagation import layer_of
from numeric.agreement import Measured, rounding
from numeric.im2026 import network
from numeric.im2026.backpropagation import SMALL, intermediate, weights_of
from numeric.im2026.network import one_hot, tokens_of
from numeric.registry import directly


class Layer:
    """The layer of a point, sequence by sequence: its derivatives, and h, A, G, S of Lemma D.8."""

    def __init__(self, point: Point):
        self.weights, tokens = weights_of(point), tokens_of(point)
        size, self.place = self.weights.output.shape[0], layer_of(point)
        inputs, targets = one_hot(tokens[:, :-1], size), one_hot(tokens[:, 1:], size)
        self.states = network.hidden_states(self.weights, inputs)
        self.below = self.states[self.place - 1]
        self.attention = network.attentions(self.weights, inputs)[self.place - 1]
        self.residuals = targets - (self.states[-1] @ self.weights.output).softmax(-1)
        self.count = tokens[:, 1:].numel()
        self.gradients = network.gradients(self.weights, tokens)
        self.inside, _ = intermediate(self.weights, tokens)

    def back(self, place: int) -> Tensor:
        """G of a layer."""
        return -self.count * self.inside["hidden", place]

    def scores(self) -> Tensor:
        """S: the Jacobian of each row of the attention times a row of G V^T h^T."""
        value = self.weights.value[self.place - 1]
        upstream = self.back(self.place) @ value.mT @ self.below.mT
        return network.times_softmax_jacobians(self.attention, upstream)

    def mean(self, terms: Tensor) -> Tensor:
        """-1/(NT) times the sum over the sequences."""
        return -terms.sum(dim=0) / self.count


def _read(*found: Tensor) -> Measured:
    scale = max(1.0, *(float(each.detach().abs().max()) for each in found))
    return Measured(tuple(each.detach().clone() for each in found), rounding(scale))


@directly(claims.first_gradient_of_the_output_matrix, reach=SMALL)
def by_the_output_matrix(point: Point) -> Measured:
    """The derivative, and the product of hidden states and residuals."""
    at = Layer(point)
    return _read(at.gradients.output, at.mean(at.states[-1].mT @ at.residuals))


@directly(claims.nothing_goes_backward_from_zero, reach=SMALL)
def by_hidden_states(point: Point) -> Measured:
    """The last derivative, the product for it, and the one below the layer."""
    at = Layer(point)
    last = at.residuals @ at.weights.output.mT
    found = (at.back(at.weights.depth), last, at.back(at.place - 1))
    return _read(*(each.flatten(0, 1) for each in found))


@directly(claims.values_rest_at_zero, reach=SMALL)
def by_values(point: Point) -> Measured:
    """The derivative, and the product of hidden states, attention and G."""
    at = Layer(point)
    product = at.below.mT @ at.attention.mT @ at.back(at.place)
    return _read(at.gradients.value[at.place - 1], at.mean(product))


@directly(claims.attention_weights_rest_at_zero, reach=SMALL)
def by_attention_weights(point: Point) -> Measured:
    """S, the derivative, and the product of both with hidden states."""
    at = Layer(point)
    scores, own = at.scores(), at.gradients.attention[at.place - 1]
    return _read(scores.flatten(0, 1), own, at.mean(at.below.mT @ scores @ at.below))


@directly(claims.positions_rest_at_zero, reach=SMALL)
def by_positions(point: Point) -> Measured:
    """The derivative, and the sums of S along its sub-diagonals."""
    at = Layer(point)
    scores = at.scores()
    sums = [scores.diagonal(-m, 1, 2).sum(-1) for m in range(scores.shape[-1])]
    own = at.gradients.positions[at.place - 1]
    return _read(own[:, None], at.mean(torch.stack(sums, dim=-1))[:, None])
