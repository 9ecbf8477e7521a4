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
from numeric.agreement import Measured
from numeric.exact import tensor
from numeric.registry import directly
from numeric.wu2024.layers import jordan_matrix, uniform_attention

FAR, RUNAWAY, DEEP = 2**40, 1e6, 120
"""Layers of the plane example, and the size of what grows without bound by then (entries are small
integers); layers of general sizes, where 2^-120 t^4 is nothing and scaled weights do not underflow."""


def after(point: Point, layers: int, value: Tensor) -> Tensor:
    """A^t X W^t by repeated squaring."""
    attention = uniform_attention(causal(int(point[N])))
    power = torch.linalg.matrix_power
    return power(attention, layers) @ tensor(point[X]) @ power(value, layers)


@directly(claims.tokens_collapse_to_a_point_of_the_plane)
def far_tokens(point: Point) -> Measured:
    """Both tokens and their difference after 2^40 layers; infinite beyond a million."""
    value = jordan_matrix(2, float(point[w]))
    if point[spectral]:
        value = value / torch.linalg.matrix_norm(value, ord=2)
    tokens = after(point, FAR, value)
    # The difference on its own: entries of the tokens are too large to subtract.
    apart = after({**point, X: point[X]}, DEEP, value)
    entries = (*tokens.flatten().tolist(), *(apart[1] - apart[0]).tolist())
    settled = lambda x: math.copysign(math.inf, x) if abs(x) > RUNAWAY else x  # noqa: E731
    return Measured(tuple(map(settled, entries)))


@directly(claims.inputs_collapse_without_layernorm)
def deep_deviation(point: Point) -> Measured:
    """mu^2, ||X||_F^2 with weights of norm one, and their quotient, after 120 layers."""
    value = jordan_matrix(int(point[d]), float(point[w]))
    tokens = after(point, DEEP, value / torch.linalg.matrix_norm(value, ord=2))
    plain = after(point, DEEP, value)
    deviation = lambda x: float((x - x.mean(dim=0)).square().sum())  # noqa: E731
    whole = float(plain.square().sum())
    relative = deviation(plain) / whole if whole > 0 else 0.0
    return Measured((deviation(tokens), float(tokens.square().sum()), relative))
