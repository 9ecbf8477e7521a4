"""The true softmax on equal tokens."""

from __future__ import annotations

from claims.domain import Point
from claims.noci2022 import collapsed_softmax as claims
from claims.noci2022.notation import WV, X
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.noci2022.background import attention_of
from numeric.registry import measures


@measures(claims.weight)
def attention_weight(point: Point, i: int, j: int) -> Measured:
    """One entry of the softmax."""
    return Measured(float(attention_of(point)[i - 1, j - 1]), rounding(1.0))


@measures(claims.output)
def output(point: Point, i: int, b: int) -> Measured:
    """One entry of A X W^V."""
    values = tensor(point[X]) @ tensor(point[WV])
    entry = float((attention_of(point) @ values)[i - 1, b - 1])
    return Measured(entry, rounding(float(values.abs().sum())))
