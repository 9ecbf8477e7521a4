"""Counts of steps in floats, by Pascal's triangle."""

from __future__ import annotations

from itertools import pairwise

from claims.domain import Point
from claims.im2026 import counts_of_steps as claims
from claims.im2026.notation import s
from numeric.agreement import Measured, rounding
from numeric.registry import measures


def triangle(steps: int) -> list[list[float]]:
    """Rows 0 to `steps` of Pascal's triangle, four more columns than there are entries."""
    rows = [[1.0, 0.0, 0.0, 0.0, 0.0]]
    for _ in range(steps):
        before = rows[-1]
        rows.append([1.0, *(a + b for a, b in pairwise(before))])
    return rows


@measures(claims.counted, claims.following, claims.doubled)
def counts(point: Point) -> tuple[Measured, ...]:
    """The three counts after s steps."""
    steps = int(point[s])
    rows = triangle(steps)
    found = (
        sum(k * rows[k][2] for k in range(steps)),
        steps * rows[steps][2],
        6 * rows[steps][4] + 4 * rows[steps][3],
    )
    return tuple(Measured(value, rounding(value)) for value in found)
