"""The largest product of steps and learning rate that Theorem 4.1 admits."""

from __future__ import annotations

from math import sqrt

from claims.domain import Point
from claims.im2026 import learned_weights as claims
from claims.im2026.notation import T, depth
from numeric.agreement import Measured, rounding
from numeric.registry import measures


@measures(claims.horizon)
def largest_time(point: Point) -> Measured:
    """min(5 / (8 sqrt T), 1 / (12 L))."""
    return Measured(min(5 / (8 * sqrt(int(point[T]))), 1 / (12 * int(point[depth]))), rounding(1.0))
