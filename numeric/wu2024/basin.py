"""Tokens that evolve together: batches of inputs tokens_after layer by layer in float64."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import islice
from typing import Any

import torch
from torch import Tensor

from claims.domain import Point
from claims.points import Remembered
from claims.wu2024 import basin as claims
from claims.wu2024.basin import ahead, behind
from claims.wu2024.notation import N, T, d, w
from numeric import device
from numeric.agreement import Measured, rounding
from numeric.basins import simulated_share
from numeric.exact import tensor
from numeric.registry import measures
from numeric.remembered import remembered
from numeric.sampling import normal, stream
from numeric.wu2024.layers import jordan_matrix
from numeric.wu2024.plane import layer_norm

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
    """Tokens (N, d) that look as if T layers had passed; those after the second are random."""
    features, weight = int(point[d]), float(point[w])
    passed = power_up_to_scale(features, weight, int(point[T]))
    rows = torch.tensor(
        [list(map(float, point[row])) for row in (ahead, behind)], dtype=torch.float64
    )
    first, other = (rows @ passed).unbind()
    rng = stream("wu2024.basin", features, int(point[N]))
    later = normal(rng, int(point[N]) - 2, features)
    return layer_norm(torch.cat([first[None], -other[None], later]))


def orbit_of(point: Point) -> Remembered:
    """All N tokens after 0, 1, ... layers."""
    key = (point[N], point[w], point[T], point[ahead], point[behind])
    return _orbit(key, device.current())


@remembered(maxsize=64)
def _orbit(key: tuple[Any, ...], where: torch.device) -> Remembered:
    count, weight, passed, first, other = key
    point = {
        N: count,
        d: first.cols,
        w: weight,
        T: passed,
        ahead: first,
        behind: other,
    }

    def layers() -> Iterator[Tensor]:
        tokens, value = inputs_in_the_open_set(point), jordan_matrix(first.cols, float(weight))
        while True:
            yield tokens
            tokens = causal_layer(tokens, value)

    return Remembered(layers)


@measures(claims.sine_of_tokens)
def sine_of_tokens(point: Point, layers: int) -> Measured:
    """sin^2 of the angle between the first two of N tokens after some layers.

    Entries of r W^T are differences that lose as many digits as r and a agree in, about d/T of them.
    """
    one, two = next(islice(orbit_of(point), layers, None))[:2]
    lost = 1000 * (layers + 1) * int(point[T])
    return Measured(float(1 - (one @ two) ** 2), rounding(1.0, operations=lost))


@measures(claims.sine_square)
def sine_of_pair(point: Point, layers: int) -> Measured:
    """sin^2 of the angle between two tokens in the plane, after some layers."""
    tokens = tensor(point[claims.pair])
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


@remembered(maxsize=16)
def share_of_rank_two(features: int, weight: float) -> tuple[float, float]:
    """The share of uniform inputs that keep rank two, with five standard errors or more."""
    if features == 2:
        share = simulated_share(weight, orbits=2**14)
        return share.value, 3 * share.half_width
    rng = stream("wu2024.stability", features, weight)
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
