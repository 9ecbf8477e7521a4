"""Left-hand sides of the induction by rows, for matrices that attain the norms."""

from __future__ import annotations

import math

from torch import Tensor

from claims.domain import Point
from claims.im2026 import one_layer_rows as claims
from claims.im2026.notation import eta, s, words
from numeric.agreement import Measured
from numeric.im2026.chains import Aligned, norm_of
from numeric.im2026.one_layer_updates import moved
from numeric.registry import measures


def _value(at: Aligned) -> Tensor:
    """The leading term of the value matrix."""
    return math.comb(int(at[s]), 2) * at[eta] ** 2 * at(claims.features)


@measures(claims.value_norm, claims.logit, claims.row, claims.distance)
def forward(point: Point) -> tuple[Measured, ...]:
    """V, the logits of attention, a row of logits and the softmax of it."""
    at = Aligned(point)
    leading = 2 * moved(int(at[s])) * at[eta] ** 4
    return (
        norm_of(_value(at) + at(claims.value_gap)),
        norm_of(leading * at.unit + 2 * at(claims.weight_gap)),
        norm_of((at.unit + at(claims.value)) @ at(claims.output)),
        norm_of(math.e**2 / at[words] * at(claims.logit_row)),
    )


@measures(
    claims.output_slope, claims.value_slope, claims.score,
    claims.einsum,
)  # fmt: skip
def backward(point: Point) -> tuple[Measured, ...]:
    """Errors of the gradients of W_O and V, of the scores and of the einsum."""
    at = Aligned(point)
    residual, output, value = at(claims.residual), at(claims.output), at(claims.value)
    first, gap = residual @ output, at(claims.output_gap)
    return (
        norm_of(residual + value @ residual + value),
        norm_of(first + at(claims.attention_gap) @ output + gap),
        norm_of(first @ value + output @ at(claims.value_gap) + gap @ _value(at)),
        norm_of(at(claims.score_gap) + 3 * at(claims.attention_gap) @ at(claims.scores)),
    )


@measures(claims.output_step, claims.value_step, claims.weight_step)
def one_step(point: Point) -> tuple[Measured, ...]:
    """The old error and that of the gradient."""
    at, (a, b, c) = Aligned(point), (claims.OUTPUT, claims.VALUE, claims.WEIGHTS)
    x = at[s] * at[eta]
    slopes = 2 * float(a) * x, 3 * float(b) * x**2, 5 * float(c) * x**4
    gaps = claims.output_gap, claims.value_gap, claims.weight_gap
    return tuple(
        norm_of(at(gap) + at[eta] * slope * at.unit)
        for gap, slope in zip(gaps, slopes, strict=True)
    )
