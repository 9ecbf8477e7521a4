"""The example's weights without LayerNorm, by powers of both matrices in float64."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from claims.domain import Point
from claims.masks import causal
from claims.wu2024 import unnormalised as claims
from claims.wu2024.notation import N, X, d, w
from claims.wu2024.unnormalised import spectral
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.registry import measures
from numeric.wu2024.layers import jordan_matrix, uniform_attention

FAR, RUNAWAY, DEEP = 2**40, 1e6, 120
"""Layers of the plane example, and the size of what grows without bound by then (entries are small
integers); layers of general sizes, where 2^-120 t^4 is nothing and scaled weights do not underflow."""


LEFT = 1e-9
"""What is left of a limit after so many layers, for inputs of small integers."""


def after(point: Point, layers: int, value: Tensor) -> Tensor:
    """A^t X W^t by repeated squaring."""
    attention = uniform_attention(causal(int(point[N])))
    power = torch.linalg.matrix_power
    return power(attention, layers) @ tensor(point[X]) @ power(value, layers)


def settled(value: float) -> float:
    """Infinite, with its sign, beyond a million; exactly zero where nothing is left."""
    return math.copysign(math.inf, value) if abs(value) > RUNAWAY else value


def plane_values(point: Point) -> Tensor:
    value = jordan_matrix(2, float(point[w]))
    return value / torch.linalg.matrix_norm(value, ord=2) if point[spectral] else value


@measures(claims.limit_of_token)
def far_token(point: Point, token: int, place: int) -> Measured:
    """An entry of a token after 2^40 layers."""
    return Measured(
        settled(float(after(point, FAR, plane_values(point))[token - 1, place - 1])), LEFT
    )


@measures(claims.token_after)
def token_in_the_plane(point: Point, layer: int, token: int, place: int) -> Measured:
    """An entry of a token after some layers."""
    size = (1 + float(point[w]) * layer) * tensor(point[X]).abs().max()
    value = float(after(point, layer, plane_values(point))[token - 1, place - 1])
    return Measured(value, rounding(1.0, size))


def deviation(x: Tensor) -> float:
    return float((x - x.mean(dim=0)).square().sum())


@measures(claims.limit_of_relative)
def deep_share(point: Point) -> Measured:
    """The share of mu^2 in ||X||_F^2 after 120 layers."""
    plain = after(point, DEEP, jordan_matrix(int(point[d]), float(point[w])))
    whole = float(plain.square().sum())
    return Measured(deviation(plain) / whole if whole > 0 else 0.0, LEFT)


@measures(claims.spread_after)
def spread_with_weights_of_norm_one(point: Point, layers: int) -> Measured:
    """mu^2 after some layers."""
    value = jordan_matrix(int(point[d]), float(point[w]))
    tokens = after(point, layers, value / torch.linalg.matrix_norm(value, ord=2))
    return Measured(deviation(tokens), rounding(tensor(point[X]).square().sum()))


@measures(claims.farthest)
def farthest_from_the_first(point: Point) -> Measured:
    """The largest squared distance of a token from the first one."""
    x = tensor(point[X])
    value = float((x - x[0]).square().sum(dim=-1).max())
    return Measured(value, rounding(value))
