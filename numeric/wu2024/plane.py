"""Two tokens in the plane: one layer and many, in float64, by batched tokens."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from claims.domain import Point
from claims.masks import causal
from claims.wu2024 import plane as claims
from claims.wu2024.notation import X, w
from claims.wu2024.plane import x11, x12, x21, x22
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.registry import measures
from numeric.remembered import remembered
from numeric.wu2024.layers import jordan_matrix, uniform_attention

GRID, STATIONARY = 2**11, 1e-9
"""Angles on the circle, and the sine of the angle of a step that counts as none."""


def layer_norm(tokens: Tensor) -> Tensor:
    """Rows divided by their norms."""
    return tokens / tokens.norm(dim=-1, keepdim=True)


def plane_layer(tokens: Tensor, weight: float) -> Tensor:
    """One layer before LayerNorm; tokens (..., 2, 2)."""
    return uniform_attention(causal(2)) @ (tokens @ jordan_matrix(2, weight))


def beside_the_pole(second: Tensor, weight: float) -> Tensor:
    """The second tokens (..., 2) before LayerNorm, one layer on, when the first is (0, 1)."""
    pole = torch.tensor([0.0, 1.0], dtype=torch.float64).expand_as(second)
    return plane_layer(torch.stack([pole, second], dim=-2), weight)[..., 1, :]


def step_angle(angle: Tensor, weight: float) -> Tensor:
    """The signed angle by which a layer turns second tokens at `angle` from (1, 0)."""
    here = torch.stack([angle.cos(), angle.sin()], dim=-1)
    there = beside_the_pole(here, weight)
    cross = here[..., 0] * there[..., 1] - here[..., 1] * there[..., 0]
    return torch.atan2(cross, (here * there).sum(-1))


@remembered(maxsize=256)
def stationary_angles(weight: float) -> tuple[float, ...]:
    """Angles off the axis that a layer does not turn: least turns on a grid, refined by halving.

    The turn is smallest in absolute value at a simple zero and at a double one alike; on the axis
    itself the token (0, 1) is stationary, and is left out.
    """
    half = torch.arange(1, GRID, dtype=torch.float64) * math.pi / GRID
    found = []
    for start in (math.pi / 2, -math.pi / 2):
        angles = start + half
        turn = step_angle(angles, weight).abs() / angles.cos().abs()
        inner = (turn[1:-1] <= turn[:-2]) & (turn[1:-1] < turn[2:])
        for place in (inner.nonzero().flatten() + 1).tolist():
            angle = _least(float(angles[place - 1]), float(angles[place + 1]), weight)
            if (
                float(step_angle(torch.tensor(angle, dtype=torch.float64), weight).abs())
                < STATIONARY
            ):
                found.append(angle)
    return tuple(found)


def _least(low: float, high: float, weight: float) -> float:
    """The angle of least turn between two, by zooming in on a grid of nine."""
    for _ in range(24):
        angles = torch.linspace(low, high, 9, dtype=torch.float64)
        place = int(step_angle(angles, weight).abs().argmin())
        low, high = float(angles[max(place - 1, 0)]), float(angles[min(place + 1, 8)])
    return (low + high) / 2


@measures(claims.weight_of)
def weight_of_zero_scores(point: Point, i: int, j: int) -> Measured:
    """An attention weight of zero scores on the causal mask."""
    return Measured(float(uniform_attention(causal(2))[i - 1, j - 1]), rounding(1.0))


@measures(claims.after_layer)
def layer_entry(point: Point, i: int, b: int) -> Measured:
    """An entry of A X W_V(w)."""
    weight = float(point[w])
    return Measured(
        float(plane_layer(tensor(point[X]), weight)[i - 1, b - 1]), rounding(1 + abs(weight))
    )


@measures(claims.after_mirrored)
def mirrored_layer_entry(point: Point, i: int, b: int) -> Measured:
    """An entry of A (X S) W_V(-w), S the reflection of the first coordinate."""
    weight, mirror = float(point[w]), torch.tensor([-1.0, 1.0], dtype=torch.float64)
    after = plane_layer(tensor(point[X]) * mirror, -weight)
    return Measured(float(after[i - 1, b - 1]), rounding(1 + abs(weight)))


@measures(claims.stationary_count)
def counted_stationary_tokens(point: Point) -> Measured:
    """The number of angles off the axis that a layer does not turn."""
    return Measured(float(len(stationary_angles(float(point[w])))))


@measures(claims.ratio_after)
def ratio_of_first_token(point: Point, layers: int) -> Measured:
    """X_{1,2}/X_{1,1} after some layers with LayerNorm."""
    row = torch.tensor([[float(point[x11]), float(point[x12])]], dtype=torch.float64)
    scale = 1 + float((row[0, 1] / row[0, 0]).abs()) + abs(float(point[w])) * layers
    for _ in range(layers):
        row = layer_norm(row @ jordan_matrix(2, float(point[w])))
    return Measured(float(row[0, 1] / row[0, 0]), rounding(scale, operations=10 * (layers + 1)))


@measures(*claims.first_limits)
def far_first_token(point: Point) -> tuple[Measured, ...]:
    """The first token after 2^40 layers, by repeated squaring.

    What remains of the way to the pole is at most the inverse of the ratio.
    """
    start = torch.tensor([[float(point[x11]), float(point[x12])]], dtype=torch.float64)
    after = start @ torch.linalg.matrix_power(jordan_matrix(2, float(point[w])), 2**40)
    left = 2 * float((start[0, 0] / after[0, 1]).abs()) + rounding(1.0)
    return tuple(Measured(float(x), left) for x in layer_norm(after)[0])


@measures(claims.next_ratio)
def ratio_after_one_layer(point: Point) -> Measured:
    """X_{2,2}/X_{2,1} after a layer with LayerNorm beside (0, 1)."""
    token = torch.tensor([float(point[x21]), float(point[x22])], dtype=torch.float64)
    moved = layer_norm(beside_the_pole(token, float(point[w])))
    ratio = float(moved[1] / moved[0])
    return Measured(ratio, rounding(ratio, 1 / float(moved[0])))
