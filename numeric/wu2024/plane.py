"""Two tokens in the plane: one layer and many, in float64, by batched tokens."""

from __future__ import annotations

import math
from functools import lru_cache

import torch
from torch import Tensor

from claims.domain import Point
from claims.masks import causal
from claims.wu2024 import plane as claims
from claims.wu2024.notation import X, t, w
from claims.wu2024.plane import x11, x12, x21, x22
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.registry import directly
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


@lru_cache(maxsize=256)
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


@directly(claims.every_weight_leaves_two_tokens_stationary)
def simulated_setting(point: Point) -> Measured:
    """Attention of zero scores, the mirror image of a layer, and the count of stationary angles."""
    weight, tokens = float(point[w]), tensor(point[X])
    mirror = torch.tensor([-1.0, 1.0], dtype=torch.float64)
    difference = plane_layer(tokens * mirror, -weight) - plane_layer(tokens, weight) * mirror
    weights = uniform_attention(causal(2))
    mirrored = bool(difference.abs().max() <= rounding(1 + abs(weight)))
    return Measured((weights, mirrored, len(stationary_angles(weight))))


@directly(claims.first_token_runs_to_a_pole)
def followed_first_token(point: Point) -> Measured:
    """Ratios after t and t + 1 layers with LayerNorm, and the token after 2^40 layers.

    The power of the value matrix comes from repeated squaring; what remains of the way to the pole
    is at most the inverse of the ratio.
    """
    weight, layers = float(point[w]), int(point[t])
    start = torch.tensor([[float(point[x11]), float(point[x12])]], dtype=torch.float64)
    ratios, row = [], start
    for _ in range(layers + 1):
        ratios.append(float(row[0, 1] / row[0, 0]))
        row = layer_norm(row @ jordan_matrix(2, weight))
    ratio = float(row[0, 1] / row[0, 0])
    power = torch.linalg.matrix_power(jordan_matrix(2, weight), 2**40)
    end = layer_norm(start @ power)[0]
    left = float((start[0, 0] / (start @ power)[0, 1]).abs())
    value = (ratio - ratios[-1], ratio, float(end[0]), float(end[1]))
    return Measured(value, rounding(*ratios, ratio) + 2 * left)


@directly(claims.second_token_is_stationary_at_two_points)
def located_stationary_tokens(point: Point) -> Measured:
    """The ratio after a layer, and the tokens that a layer does not turn."""
    weight = float(point[w])
    token = torch.tensor([float(point[x21]), float(point[x22])], dtype=torch.float64)
    moved = beside_the_pole(token, weight)
    ratio = float(moved[1] / moved[0])
    angles = [a for a in stationary_angles(weight) if math.cos(a) < 0]
    high, low = sorted(angles, key=math.sin, reverse=True)
    # The zoom ends between angles that rounding of the turn cannot tell, about 1e-14 / slope apart.
    error = rounding(ratio, 1 / float(moved[0])) + 1e-9
    return Measured((ratio, math.cos(high), math.sin(high), math.sin(low)), error)
