"""The second token beside the pole (0, 1): one layer on a circle of tokens, and its limit."""

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

MOST_LAYERS = 4000
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


@measures(*claims.limits)
def followed_second_token(point: Point) -> tuple[Measured, ...]:
    """The token after as many layers as it takes to come to rest, and how far it still moves.

    A start that a layer moves by rounding alone is at rest.  Near a limit steps shrink by a factor
    q < 1 estimated from the last two, and what is left of the way is at most step * q / (1 - q).
    """
    token, weight = second(point), float(point[w])
    step = last = float("inf")
    for layer in range(MOST_LAYERS):
        moved = layer_norm(beside_the_pole(token, weight))
        last, step = step, float((moved - token).norm())
        if layer == 0 and step < STARTED_STILL:
            return tuple(Measured(float(x), rounding(1.0)) for x in token)
        token = moved
        if step < 1e-10 and step < last:
            break
    factor = min(step / last, 0.99) if last > 0 else 0.0
    left = step * factor / (1 - factor)
    return tuple(Measured(float(x), 2 * left + rounding(1.0)) for x in token)
