"""Tokens that evolve together: batches of inputs tokens_after layer by layer in float64."""

from __future__ import annotations

import math
from functools import lru_cache

import torch
from torch import Tensor

from claims.domain import Point
from claims.wu2024 import basin as claims
from claims.wu2024.basin import orientation, time_passed
from claims.wu2024.notation import N, d, w
from numeric.agreement import Measured, rounding
from numeric.basins import simulated_share
from numeric.registry import measures
from numeric.sampling import generator, normal
from numeric.wu2024.layers import jordan_matrix
from numeric.wu2024.plane import layer_norm

BATCH, LAYERS = 64, 60
INPUTS, SHARE_LAYERS, RANK_TWO = 2**10, 150, 0.1
"""Inputs whose share is measured, layers, and the second singular value that counts as rank two:
that of the equilibria is above 0.2 for w <= 4, and collapsing tokens are below 0.02 by then."""


def causal_layer(tokens: Tensor, value: Tensor) -> Tensor:
    """LN(A X W_V) for zero scores on the causal mask; tokens (..., N, d)."""
    counts = torch.arange(1, tokens.shape[-2] + 1, dtype=torch.float64)[:, None]
    return layer_norm(tokens.cumsum(dim=-2) / counts @ value)


def tokens_after(tokens: Tensor, value: Tensor, layers: int) -> Tensor:
    """Tokens after some layers."""
    for _ in range(layers):
        tokens = causal_layer(tokens, value)
    return tokens


def power_up_to_scale(features: int, weight: float, layers: int) -> Tensor:
    """W^T over its largest entry, entries binom(T, k) w^k: for forty features they themselves overflow."""
    k = torch.arange(1, features, dtype=torch.float64)
    logs = torch.cat([torch.zeros(1), (weight * (layers - k + 1) / k).log().cumsum(dim=0)])
    band = torch.arange(features)[None, :] - torch.arange(features)[:, None]
    return (logs - logs.max()).exp()[band.clamp_min(0)].where(band >= 0, 0.0)


def inputs_in_the_open_set(point: Point) -> Tensor:
    """Random inputs (BATCH, N, d) that look as if T layers had passed: a and r bent by at most 0.1."""
    features, weight, sign = int(point[d]), float(point[w]), float(point[orientation])
    rng = generator(0, "wu2024.basin", features, int(point[N]))
    bend = 0.1 * normal(rng, BATCH, 2, features).tanh()
    place = 0.05 + 0.9 * normal(rng, BATCH).sigmoid()
    later = normal(rng, BATCH, int(point[N]) - 2, features)
    bend[:, 0, 0], bend[:, 1, 0], bend[:, 1, 1] = 1.0, 0.0, sign
    passed = power_up_to_scale(features, weight, time_passed(features, point[w]))
    first, other = (bend @ passed).unbind(dim=1)
    ratio = place * weight
    over = lambda z: z[:, -1] - ratio * z[:, -2]  # noqa: E731
    second = other - (over(other) / over(first))[:, None] * first
    return layer_norm(torch.cat([first[:, None], second[:, None], later], dim=1))


@measures(claims.least_sine)
def least_sine(point: Point) -> Measured:
    """The least |sin| of the angle between the first two tokens after 60 layers."""
    value = jordan_matrix(int(point[d]), float(point[w]))
    tokens = tokens_after(inputs_in_the_open_set(point), value, LAYERS)
    cosine = (tokens[:, 0] * tokens[:, 1]).sum(dim=-1)
    return Measured(float((1 - cosine**2).clamp_min(0).sqrt().min()))


@measures(claims.sine_square)
def sine_of_pair(point: Point, layers: int) -> Measured:
    """sin^2 of the angle between two tokens in the plane, tokens_after from their ratios."""
    first, second = float(point[claims.first_ratio]), float(point[claims.second_ratio])
    tokens = layer_norm(torch.tensor([[1.0, first], [-1.0, -second]], dtype=torch.float64))
    (a, b), (x, y) = tokens_after(tokens, jordan_matrix(2, float(point[w])), layers).tolist()
    return Measured((a * y - b * x) ** 2, rounding(1.0, operations=1000 * (layers + 1)))


def equilibrium(features: int, weight: float) -> Tensor:
    """The tokens (33), one after the other."""
    rows = [torch.eye(features, dtype=torch.float64)[-1]]
    for i in range(1, features):
        head = -rows[-1][1:] / weight
        last = (-1) ** i * (1 - head.square().sum()).sqrt()
        rows.append(torch.cat([head, last[None]]))
    return torch.stack(rows)


def tangent_determinants(features: int, weight: float) -> list[float]:
    """|det| of each token's own derivative on its tangent space at (33), by autograd."""
    tokens, value = equilibrium(features, weight), jordan_matrix(features, weight)
    jacobian = torch.func.jacrev(lambda x: causal_layer(x, value))(tokens)
    found = []
    for i, token in enumerate(tokens):
        basis = torch.linalg.svd(token[None])[2][1:]
        found.append(abs(float(torch.linalg.det(basis @ jacobian[i, :, i, :] @ basis.T))))
    return found


@lru_cache(maxsize=16)
def share_of_rank_two(features: int, weight: float) -> tuple[float, float]:
    """The share of uniform inputs that keep rank two, with five standard errors or more."""
    if features == 2:
        share = simulated_share(weight, orbits=2**14)
        return share.value, 3 * share.half_width
    rng = generator(0, "wu2024.stability", features, weight)
    tokens = layer_norm(normal(rng, INPUTS, features, features))
    tokens = tokens_after(tokens, jordan_matrix(features, weight), SHARE_LAYERS)
    kept = float((torch.linalg.svdvals(tokens)[:, 1] > RANK_TWO).double().mean())
    return kept, 5 * math.sqrt((kept * (1 - kept) + 1 / INPUTS) / INPUTS)


@measures(claims.least_product)
def least_determinant(point: Point) -> Measured:
    """The least |det| over the tokens of (33)."""
    return Measured(min(tangent_determinants(int(point[d]), float(point[w]))), rounding(1.0))


@measures(claims.share)
def share_that_keeps_rank_two(point: Point) -> Measured:
    """Of uniform inputs, after many layers."""
    return Measured(*share_of_rank_two(int(point[d]), float(point[w])))
