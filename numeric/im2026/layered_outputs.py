"""The gradient of the values of the first of two layers, by autograd."""

from __future__ import annotations

import torch

from claims.domain import Point
from claims.im2026 import layered_outputs as claims
from claims.im2026.notation import T, words
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.im2026.network import Weights, gradients, tokens_of, zero_start
from numeric.registry import directly


@directly(claims.values_learn_from_the_output)
def value_gradient(point: Point) -> Measured:
    """dL/dV^(1) of a network whose attention weights are zero."""
    zero = zero_start(2, int(point[T]), int(point[words]))
    values = torch.stack([tensor(point[claims.V1]), tensor(point[claims.V2])])
    weights = Weights(zero.attention, zero.positions, values, tensor(point[claims.weights]))
    found = gradients(weights, tokens_of(point)).value[0]
    return Measured(found, rounding(found, 1.0))
