"""What comes back through the layers before the first step from a Gaussian start, in float64."""

from __future__ import annotations

from claims.domain import Point
from claims.im2026 import gaussian_step as claims
from claims.im2026.notation import eta
from numeric.agreement import Measured, rounding
from numeric.registry import measures


@measures(claims.sensitivity_below)
def sensitivity_below(point: Point, layers: int) -> Measured:
    """D_{G,l} when every layer adds as much as it may."""
    rate, found = float(point[eta]), float(point[claims.final])
    for _ in range(layers):
        found *= 1 + 8 * rate**4.5 + 72 * rate**8
    return Measured(found, rounding(found))
