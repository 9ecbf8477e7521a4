"""Two tokens under the causal dynamics with LayerNorm, the first one at rest in e_d."""

from __future__ import annotations

import torch
from torch import Tensor

from claims.domain import Point
from claims.wu2024 import second_token as claims
from claims.wu2024.notation import w
from claims.wu2024.second_token import i, second
from numeric import device
from numeric.agreement import Measured, rounding
from numeric.registry import measures
from numeric.wu2024.layers import jordan_matrix


def second_token(point: Point) -> Tensor:
    row = [float(e) for e in point[second]]
    return torch.tensor(row, dtype=torch.float64, device=device.current())


def before_norm(token: Tensor, weight: float) -> Tensor:
    """Row 2 of A X W_V for X = (e_d, token) and uniform causal attention."""
    features = token.shape[-1]
    resting = torch.zeros_like(token)
    resting[..., -1] = 1.0
    attention = torch.tensor([[1.0, 0.0], [0.5, 0.5]], dtype=token.dtype, device=token.device)
    return (attention @ torch.stack([resting, token]) @ jordan_matrix(features, weight))[1]


def orbit_of_second_token(point: Point, layers: int) -> Tensor:
    """The second token after 0, ..., `layers` layers: (layers + 1, d)."""
    orbit = [second_token(point)]
    for _ in range(layers):
        after = before_norm(orbit[-1], float(point[w]))
        orbit.append(after / torch.linalg.vector_norm(after))
    return torch.stack(orbit)


def last_ratio(token: Tensor) -> Tensor:
    return token[-1] / token[-2]


def remainder(token: Tensor) -> float:
    """f: squared ratios of the coordinates before d - 1 to coordinate d - 1."""
    return float((token[:-2] / token[-2]).square().sum())


@measures(claims.next_ratio)
def next_last_ratio(point: Point) -> Measured:
    """X_d/X_{d-1} after one layer."""
    after = before_norm(second_token(point), float(point[w]))
    scale = 1 + float(after.abs().max() / after[-2].abs())
    return Measured(float(last_ratio(after)), rounding(scale))


@measures(claims.ratio_after)
def ratio_of_neighbours(point: Point, layers: int) -> Measured:
    """X_i/X_{i-1} after some layers with LayerNorm."""
    token, place = orbit_of_second_token(point, layers)[-1], int(point[i]) - 1
    value = float(token[place] / token[place - 1])
    return Measured(value, rounding(1 + value))


@measures(claims.y, claims.f, claims.rho, claims.last, claims.inverse_square)
def ratios_of_token(point: Point) -> tuple[Measured, ...]:
    """y, f, the prefactor, X_d and 1/X_{d-1}^2 of a token."""
    token = second_token(point)
    after = before_norm(token, float(point[w]))
    prefactor = float(after[0] / after[-2] * token[-2] / token[0])
    square = float(token[-2]) ** -2
    values = (float(last_ratio(token)), remainder(token), prefactor, float(token[-1]), square)
    return tuple(Measured(v, rounding(1 + square, prefactor)) for v in values)


@measures(claims.inverse_slope, claims.ratio_slope)
def differentiated(point: Point) -> tuple[Measured, ...]:
    """The slopes of 1/X_{d-1} and of h, by autograd in y."""
    start, weight = second_token(point), float(point[w])
    head = start[:-1] / start[-2].abs()

    def token(z: Tensor) -> Tensor:
        direction = torch.cat([head, (head[-1] * z).reshape(1)])
        return direction / torch.linalg.vector_norm(direction)

    z = last_ratio(start)
    slope = torch.func.grad(lambda at: 1 / token(at)[-2])(z)
    rising = torch.func.grad(lambda at: last_ratio(before_norm(token(at), weight)))(z)
    after = before_norm(start, weight)
    scale = (1 / after[-2].abs() + 1) ** 2 + start[-2] ** -2
    return Measured(float(slope), rounding(scale)), Measured(float(rising), rounding(scale))
