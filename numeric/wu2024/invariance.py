"""The second token orbit_of_second_token layer by layer from the region of Lemma 12."""

from __future__ import annotations

import torch
from torch import Tensor

from claims.domain import Point
from claims.wu2024 import invariance as claims
from claims.wu2024.notation import w
from numeric.agreement import Measured, rounding
from numeric.registry import measures
from numeric.wu2024.second_token import (
    before_norm,
    last_ratio,
    orbit_of_second_token,
    remainder,
    second_token,
)


def room_of(token: Tensor, weight: float) -> float:
    """ybar^2 = w^2 - 1 - f."""
    return weight**2 - 1 - remainder(token)


@measures(claims.remainder_after)
def remainder_of_layer(point: Point, layers: int) -> Measured:
    """f after some layers."""
    value = remainder(orbit_of_second_token(point, layers)[-1])
    return Measured(value, rounding(1 + value))


@measures(claims.height)
def height_of_layer(point: Point, layers: int) -> Measured:
    """X_{d-1} after some layers."""
    return Measured(float(orbit_of_second_token(point, layers)[-1][-2]), rounding(1.0))


@measures(claims.equation_40)
def left_of_equation_40(point: Point) -> Measured:
    """The sum of (40), from the ratios r_1, ..., r_{d-1}."""
    head = second_token(point)[:-1]
    places = torch.arange(len(head)).to(head)
    weight = float(point[w])
    ratios = head / head[0] / weight**places
    terms = (ratios[:-1] / ratios[-1]).square() / weight ** (2 * places[1:].flip(0))
    return Measured(float(terms.sum()), rounding(1 + float(terms.sum())))


@measures(claims.last_ratio)
def ratio_of_the_token(point: Point) -> Measured:
    """X_d/X_{d-1} of the token itself."""
    value = float(last_ratio(second_token(point)))
    return Measured(value, rounding(1 + abs(value)))


@measures(claims.next_ratio, claims.factor, claims.room, claims.next_room, claims.high, claims.low)
def last_lines(point: Point) -> tuple[Measured, ...]:
    """One layer of the two-token dynamics from the token, and from the boundary of its region."""
    weight, (token, after) = float(point[w]), orbit_of_second_token(point, 1)
    room = room_of(token, weight)

    def map_at(z: float) -> float:
        direction = torch.cat([token[:-1], z * token[-2:-1]])
        return float(
            last_ratio(before_norm(direction / torch.linalg.vector_norm(direction), weight))
        )

    factor = float(after[0] / after[-2] * token[-2] / token[0])
    values = (float(last_ratio(after)), factor, room, room_of(after, weight))
    bar = max(room, 0.0) ** 0.5
    # A square root next to zero keeps half of the digits.
    error = rounding(1.0, *values) + (rounding(1.0) / max(bar, 1e-8))
    return tuple(Measured(v, error) for v in (*values, map_at(bar), map_at(-bar)))
