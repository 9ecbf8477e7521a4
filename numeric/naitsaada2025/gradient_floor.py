"""Gradients of the values of sampled networks."""

from __future__ import annotations

import math

import torch
from torch import Generator, Tensor

from claims.domain import Point
from claims.naitsaada2025 import gradient_floor as claims
from claims.naitsaada2025.notation import T, d, depth, ell
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.reach import Reach
from numeric.registry import measures, samples
from numeric.sampling import normal

DEEP = Reach(16, "thousands of networks for each interval")
FULL = Reach(12, "a full Jacobian of every pair of widths")


@measures(claims.gradient, reach=FULL)
def squared_gradient(point: Point) -> Measured:
    """The Jacobian of A X_0 W by automatic differentiation."""
    mixed = tensor(point[claims.A]) @ tensor(point[claims.X0])
    weights = torch.zeros(mixed.shape[1], mixed.shape[1], dtype=mixed.dtype)
    jacobian = torch.func.jacrev(lambda w: mixed @ w)(weights)
    value = float(jacobian.square().sum())
    return Measured(value, rounding(value))


def _log_norms(point: Point, rng: Generator, count: int) -> Tensor:
    """log ||P_1||_F^2 ||P_2||_F^2 behind the attention of the point, for X_0 = (I_T 0)."""
    tokens, width, layers, own = (int(point[s]) for s in (T, d, depth, ell))
    before = tensor(point[claims.A]) @ torch.eye(tokens, width, dtype=torch.float64)
    after = torch.eye(width, dtype=torch.float64).expand(count, -1, -1)
    before = before.expand(count, -1, -1)
    for layer in range(1, layers + 1):
        if layer < own:
            before = before @ normal(rng, count, width, width)
        if layer > own:
            after = after @ normal(rng, count, width, width)
    return before.square().sum(dim=(-1, -2)).log() + after.square().sum(dim=(-1, -2)).log()


@samples(claims.short, reach=DEEP)
def gradient_is_short(point: Point, rng: Generator, count: int) -> Tensor:
    """Whether the squared norm is below d (d/2)^(L-1)."""
    width, layers = int(point[d]), int(point[depth])
    floor = math.log(width) + (layers - 1) * math.log(width / 2)
    return _log_norms(point, rng, count) < floor


@samples(claims.short_of_the_edge, reach=DEEP)
def gradient_is_below_the_edge(point: Point, rng: Generator, count: int) -> Tensor:
    """Whether the squared norm is below (1 - t)^2 T^(L-1) (k + 1)^(k + 1)/k^k, k = L - l."""
    tokens, layers, own = (int(point[s]) for s in (T, depth, ell))
    after = layers - own
    edge = (after + 1) ** (after + 1) / after**after
    floor = (
        (layers - 1) * math.log(tokens) + math.log(edge) + 2 * math.log1p(-float(point[claims.t]))
    )
    return _log_norms(point, rng, count) < floor


@samples(claims.below_level, reach=DEEP)
def gradient_is_below_a_level(point: Point, rng: Generator, count: int) -> Tensor:
    """Whether the squared norm is below the level c."""
    return _log_norms(point, rng, count) < math.log(point[claims.level])
