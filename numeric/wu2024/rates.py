"""Rates of collapse from products of attention matrices, beside the bound of Eq. (6)."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from claims.domain import Point
from claims.masks import Mask
from claims.wu2024 import rates as claims
from claims.wu2024.notation import A, G, epsilon, r
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.registry import directly
from numeric.wu2024.layers import masked_softmax, support_of
from numeric.wu2024.masks import radius

DOUBLINGS = 16
"""Layers are doubled so often: the logarithm of the rate is then known to `RATE_ERROR`."""
RATE_ERROR = 1e-3
"""A Jordan block of order 3 leaves 2 log(t)/t = 3e-4 at t = 2^16; rounding, accumulated to 1e-12 by
squaring, moves its eigenvalue by the cube root, 1e-4."""


def collapse_rate(attention: Tensor) -> float:
    """lim ||B A^t B||^(1/t) with B the centring: the rate at which mu falls for generic tokens.

    B A = B A B for row-stochastic A, so powers of M = B A B are squared without cancellation.
    """
    size = len(attention)
    centring = torch.eye(size).to(attention) - 1 / size
    power, log_norm = centring @ attention @ centring, 0.0
    for _ in range(DOUBLINGS):
        norm = float(power.norm())
        if norm <= rounding(1.0):
            return 0.0
        power, log_norm = power / norm, log_norm + math.log(norm)
        power, log_norm = power @ power, 2 * log_norm
    norm = float(power.norm())
    return 0.0 if norm == 0 else math.exp((log_norm + math.log(norm)) / 2**DOUBLINGS)


def log_bound(floor: float, layers: float) -> float:
    """log (1 - eps^r)^{1/r}."""
    return math.log1p(-(floor**layers)) / layers


def patient_attention(mask: Mask, floor: float) -> Tensor:
    """`floor` to each other neighbour, what is left to the token itself."""
    value = floor * support_of(mask).double()
    value.fill_diagonal_(0.0)
    return value + torch.diag(1 - value.sum(dim=-1))


@directly(claims.larger_diameter_collapses_slower)
def bound_and_collapse_by_mask(point: Point) -> Measured:
    """Flags: bound smaller on the first mask; collapse no slower, faster."""
    masks, floor = (point[G], point[claims.other]), float(point[epsilon])
    bounds = [log_bound(floor, radius(mask)) for mask in masks]
    first, second = (collapse_rate(patient_attention(mask, floor)) for mask in masks)
    return Measured(
        (bounds[0] < bounds[1], first <= second + RATE_ERROR, first < second - RATE_ERROR)
    )


@directly(claims.smaller_floor_collapses_slower)
def bound_and_collapse_by_floor(point: Point) -> Measured:
    """Flags: bound larger at A; no floor above uniform attention's; A no faster; bound smaller at A."""
    support = support_of(point[G])
    matrices = [tensor(point[m]) for m in (A, claims.second)]
    floors = [float(m[support].min()) for m in matrices]
    uniform = masked_softmax(torch.zeros_like(matrices[0]), support)
    bounds = [log_bound(floor, float(point[r])) for floor in floors]
    rates = [collapse_rate(m) for m in matrices]
    return Measured(
        (
            bounds[0] > bounds[1],
            max(floors) <= float(uniform[support].min()) + rounding(1.0),
            rates[0] >= rates[1] - RATE_ERROR,
            bounds[0] < bounds[1],
        )
    )


@directly(claims.larger_temperature_collapses_faster)
def evenness_and_collapse(point: Point) -> Measured:
    """Flags between d_QK = 1 and b^2: more even, collapse no slower, no faster, strictly more, less."""
    support = support_of(point[G])
    root = float(point[claims.root])
    raw = root * math.log(3) * tensor(point[claims.scores])
    sharp, soft = (masked_softmax(raw / scale, support) for scale in (1.0, root))
    outside = ~support
    least = [m.masked_fill(outside, torch.inf).amin(dim=-1) for m in (sharp, soft)]
    most = [m.masked_fill(outside, -torch.inf).amax(dim=-1) for m in (sharp, soft)]
    gains = torch.stack([least[1] - least[0], most[0] - most[1]])
    rates = [collapse_rate(m) for m in (sharp, soft)]
    slack = rounding(1.0)
    return Measured(
        (
            bool((gains >= -slack).all()),
            rates[1] <= rates[0] + RATE_ERROR,
            rates[1] >= rates[0] - RATE_ERROR,
            bool((gains > slack).all()),
            bool((gains <= slack).all()),
        )
    )
