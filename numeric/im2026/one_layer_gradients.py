"""Gradients of a network with one layer, by autograd."""

from __future__ import annotations

from claims.domain import Point
from claims.im2026 import one_layer_gradients as claims
from claims.im2026.backpropagation import ATTENTION, POSITIONS
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.im2026.backpropagation import MIDDLE, SMALL, gradient_by, jacobians_of_rows
from numeric.im2026.network import one_hot, position_matrix, tokens_of
from numeric.registry import directly

for _claim, _what in (
    (claims.gradient_of_the_output_matrix, "W_O"),
    (claims.gradient_of_the_value_matrix, "V"),
    (claims.gradient_of_the_attention_matrix, "W"),
    (claims.gradient_of_the_positions, "P"),
    (claims.derivative_by_the_outputs_without_a_sign, "output"),
    (claims.derivative_by_the_attention, "attention"),
):
    directly(_claim, reach=MIDDLE)(gradient_by(_what))


@directly(claims.derivative_by_the_logits, reach=SMALL)
def jacobians_and_gradient(point: Point) -> Measured:
    """The Jacobian of each row of the attention, and the gradient by the logits."""
    score = tensor(point[ATTENTION])
    x = one_hot(tokens_of(point)[:, :-1], score.shape[0])
    logits = x @ score @ x.mT + position_matrix(tensor(point[POSITIONS])[:, 0])
    gradient = gradient_by("logits")(point)
    error = max(gradient.error, rounding(1.0))
    return Measured((jacobians_of_rows(logits), gradient.value), error)
