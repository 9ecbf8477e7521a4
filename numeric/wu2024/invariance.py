"""The second token followed layer by layer from the region of Lemma 12."""

from __future__ import annotations

import math

import torch

from claims.domain import Point
from claims.wu2024 import invariance as claims
from claims.wu2024.notation import t, w
from numeric.agreement import Measured, rounding
from numeric.registry import directly
from numeric.wu2024.second_token import before_norm, followed, last_ratio, remainder

SLACK = 1e-9
"""Flags compare numbers of order one; rounding stays far below."""


@directly(claims.remainder_shrinks_as_printed)
def remainder_after(point: Point) -> Measured:
    """f after t + 1 layers."""
    value = remainder(followed(point, int(point[t]) + 1)[-1])
    return Measured(value, rounding(1 + value))


@directly(claims.region_is_invariant_as_printed)
def height_after(point: Point) -> Measured:
    """X_{d-1} after t layers."""
    return Measured(float(followed(point, int(point[t]))[-1][-2]), rounding(1.0))


@directly(claims.one_step_as_printed)
def last_lines(point: Point) -> Measured:
    """The claim's flags, from one layer of the two-token dynamics."""
    weight, (token, after) = float(point[w]), followed(point, 1)
    bar = math.sqrt(max(weight**2 - 1 - remainder(token), 0.0))
    room = weight**2 - 1 - remainder(after)
    factor = float(after[0] / after[-2] * token[-2] / token[0])
    ratio = float(last_ratio(after))

    def map_at(z: float) -> float:
        direction = torch.cat([token[:-1], z * token[-2:-1]])
        return float(
            last_ratio(before_norm(direction / torch.linalg.vector_norm(direction), weight))
        )

    high, low = map_at(bar), map_at(-bar)
    flags = (
        -high - SLACK <= ratio <= high + SLACK,
        factor <= 1 + SLACK,
        all(abs(abs(h) - factor * bar) <= SLACK for h in (high, low)),
        (factor * bar) ** 2 <= room + SLACK,
        room >= 0 and ratio**2 * room + SLACK >= 1,
        ratio**2 <= room + SLACK,
        max(abs(high), abs(low)) <= bar / 2 + SLACK,
    )
    return Measured(flags)
