"""The loss after some steps from a start that is given."""

from __future__ import annotations

from claims.domain import Point
from claims.im2026 import small_losses as claims
from claims.im2026.notation import s
from numeric.agreement import Measured, rounding
from numeric.im2026.leading_terms import TRAINED
from numeric.im2026.network import loss, tokens_of
from numeric.im2026.small_starts import trained
from numeric.registry import measures


@measures(claims.loss, reach=TRAINED)
def loss_after(point: Point, steps: int) -> Measured:
    """The mean cross-entropy of the next token."""
    weights, _ = trained({**point, s: steps})
    found = float(loss(weights, tokens_of(point)))
    return Measured(found, rounding(found))
