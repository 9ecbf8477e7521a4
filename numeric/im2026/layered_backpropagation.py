"""Gradients through many layers, in float64."""

from __future__ import annotations

import math

from claims.domain import Point
from claims.im2026 import layered_backpropagation as claims
from claims.im2026.notation import T, eta, s
from numeric.agreement import Measured, rounding
from numeric.registry import measures


@measures(claims.largest_shift)
def largest_shift(point: Point, layers: int) -> Measured:
    """D_{G,l} when every layer adds as much as it may."""
    x, length = float(point[s] * point[eta]), float(point[T])
    found = 4 * x**2 * math.sqrt(length)
    for _ in range(layers):
        found += 18 * x**2 * (x * math.sqrt(2 * length) + found)
    return Measured(found, rounding(found))


@measures(claims.largest_gradient)
def largest_gradient(point: Point, layers: int) -> Measured:
    """The norm of a gradient when its leading part and what differs from it add up."""
    value = float(point[claims.leading]) + largest_shift(point, layers).value
    return Measured(value, rounding(value))
