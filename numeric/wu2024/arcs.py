"""The second token beside the pole (0, 1): one layer on a circle of tokens, and many."""

from __future__ import annotations

import torch
from torch import Tensor

from claims.domain import Point
from claims.wu2024 import arcs as claims
from claims.wu2024.notation import w
from claims.wu2024.plane import x21, x22
from numeric.agreement import Measured, rounding
from numeric.registry import measures
from numeric.wu2024.plane import beside_the_pole, layer_norm

STARTED_STILL = 1e-12


def second(point: Point) -> Tensor:
    return torch.tensor([float(point[x21]), float(point[x22])], dtype=torch.float64)


@measures(claims.slope_of_g)
def slope_by_autograd(point: Point) -> Measured:
    """dg/dy: the derivatives of both ratios by the angle of the token, from autograd."""
    token, weight = second(point), float(point[w])

    def ratios(angle: Tensor) -> Tensor:
        here = torch.stack([angle.cos(), angle.sin()])
        there = layer_norm(beside_the_pole(here, weight))
        return torch.stack([there[1] / there[0], here[1] / here[0]])

    after, before = torch.func.jacrev(ratios)(torch.atan2(token[1], token[0]))
    scale = 1 / float(token[0]) ** 2
    return Measured(float(after / before), rounding(scale, weight))


@measures(claims.next_coordinate)
def coordinate_one_layer_on(point: Point, b: int) -> Measured:
    """A coordinate after a layer with LayerNorm beside (0, 1)."""
    before = beside_the_pole(second(point), float(point[w]))
    off = rounding(1 + float(point[w])) / float(before.norm())
    return Measured(float(layer_norm(before)[b - 1]), off)


def second_after(point: Point, layers: int) -> tuple[Tensor, float]:
    """The token after some layers, and how far rounding may have moved it by then.

    A start that a layer moves by rounding alone is at rest.  Beside A a layer at most doubles what it is
    off, and where the two tokens nearly cancel it is off by as much as the norm before is small.
    """
    token, weight = second(point), float(point[w])
    off = rounding(1.0)
    for layer in range(layers):
        before = beside_the_pole(token, weight)
        moved = layer_norm(before)
        if layer == 0 and float((moved - token).norm()) < STARTED_STILL:
            return token, off
        off = (1 + weight) * off / float(before.norm()) + rounding(1.0)
        token = moved
    return token, off


@measures(claims.coordinate)
def followed_coordinate(point: Point, layers: int, b: int) -> Measured:
    """A coordinate after some layers."""
    token, off = second_after(point, layers)
    return Measured(float(token[b - 1]), off)


@measures(claims.ratio_after)
def followed_ratio(point: Point, layers: int) -> Measured:
    """X_{2,2}/X_{2,1} after some layers."""
    token, off = second_after(point, layers)
    left = float(token[0].abs()) - off
    if left <= 0:
        return Measured(0.0, float("inf"))
    ratio = float(token[1] / token[0])
    return Measured(ratio, (1 + abs(ratio)) * off / left)
