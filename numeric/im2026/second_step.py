"""The gradient of the values at the second step, by autograd and as it is displayed."""

from __future__ import annotations

from claims.domain import Point
from claims.im2026 import second_step as claims
from claims.im2026.notation import eta
from numeric.agreement import Measured, rounding
from numeric.im2026.corpora import uniform_attention
from numeric.im2026.first_steps import change, inputs, trained
from numeric.im2026.network import gradients, one_hot
from numeric.registry import measures


@measures(claims.value_slope)
def value_slope(point: Point, j: int, k: int) -> Measured:
    """An entry of the gradient."""
    texts, weights, _ = trained(point)
    found = gradients(weights[1], texts).value[0][j - 1, k - 1]
    return Measured(float(found), rounding(1.0, float(point[eta])))


@measures(claims.displayed)
def displayed(point: Point, j: int, k: int) -> Measured:
    """An entry of the display."""
    texts, _, found = trained(point)
    size, x = found.bigram.shape[0], inputs(point)
    residual = one_hot(texts[:, 1:], size) - 1 / size - change(point)
    mixed = (uniform_attention(x.shape[1], x) @ x).mT @ residual @ found.bigram.mT
    value = -float(point[eta]) * float(mixed.mean(0)[j - 1, k - 1]) / x.shape[1]
    return Measured(value, rounding(1.0, float(point[eta])))
