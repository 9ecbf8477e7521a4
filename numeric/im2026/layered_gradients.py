"""Gradients of networks with several layers, by autograd."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from claims.domain import Point
from claims.im2026 import layered_gradients as claims
from claims.im2026.backpropagation import layer_of
from claims.im2026.notation import N, T, depth, eta, words
from numeric.agreement import Measured, rounding
from numeric.im2026 import network
from numeric.im2026.backpropagation import SMALL, gradient_by, jacobians_of_rows, weights_of
from numeric.im2026.network import tokens_of
from numeric.registry import directly

for _claim, _what in (
    (claims.gradient_of_the_output_matrix, "W_O"),
    (claims.derivative_by_the_outputs_without_the_mean, "output"),
    (claims.gradient_of_a_value_matrix, "V"),
    (claims.gradient_of_an_attention_matrix, "W"),
    (claims.gradient_of_the_positions, "P"),
):
    directly(_claim, reach=SMALL)(gradient_by(_what))


def _residual(*parts: Callable[[Point], Measured]) -> Callable[[Point], Measured]:
    """-NT times gradients."""

    def measured(point: Point) -> Measured:
        scale = -float(point[N] * point[T])
        found = [part(point) for part in parts]
        values = tuple(scale * each.value for each in found)
        error = abs(scale) * max(each.error for each in found)
        return Measured(values if len(values) > 1 else values[0], error)

    return measured


directly(claims.derivative_by_the_logits, reach=SMALL)(_residual(gradient_by("logits")))


@directly(claims.jacobian_of_a_row_of_attention, reach=SMALL)
def jacobians_of_attention(point: Point) -> Measured:
    """By autograd, from the logits of the layer."""
    weights, tokens = weights_of(point), tokens_of(point)
    place = layer_of(point) - 1
    inputs = network.one_hot(tokens[:, :-1], weights.output.shape[0])
    below = network.hidden_states(weights, inputs)[place]
    logits = below @ weights.attention[place] @ below.mT
    logits = logits + network.position_matrix(weights.positions[place])
    scale = max(1.0, float(logits.abs().max()))
    return Measured(jacobians_of_rows(logits), rounding(scale))


@directly(claims.residuals_go_backward, reach=SMALL)
def derivatives_by_hidden_states(point: Point) -> Measured:
    """By the last ones, and by those below the layer."""
    above = gradient_by("hidden", int(point[depth]) - layer_of(point))
    return _residual(above, gradient_by("hidden", -1))(point)


@directly(claims.first_step_from_zero, reach=SMALL)
def weights_after_one_step(point: Point) -> Measured:
    """Gradient descent from zero, once."""
    start = network.zero_start(int(point[depth]), int(point[T]), int(point[words]))
    *_, after = network.descent(start, tokens_of(point), float(point[eta]), 1)
    place = layer_of(point) - 1
    layers = (after.attention[place], after.value[place], after.positions[place][:, None])
    found: tuple[Tensor, ...] = (after.output, *layers)
    return Measured(tuple(map(torch.clone, found)), rounding(float(point[eta])))
