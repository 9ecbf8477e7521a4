"""Eq. (23)-(25) and the common point, by following tokens through many layers with LayerNorm."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import torch
from torch import Tensor

from claims.domain import Point
from claims.wu2024 import sphere_limits as claims
from claims.wu2024.notation import WV, X, attention
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.registry import measures
from numeric.wu2024.layers import mu

LAYERS = claims.LAYERS
ROUNDED = 1e-11


@lru_cache(maxsize=256)
def followed(start: Any, weights: Any, rotation: Any) -> tuple[Tensor, Tensor, Tensor] | None:
    """Tokens (layers + 1, n, d), P^{(t)} (layers, n, n), W~^{(t)} (layers, d, d); None if one is zero."""
    tokens, layers, value = tensor(start), tensor(weights), tensor(rotation)
    states, products, turns = [tokens], [torch.eye(len(tokens)).to(tokens)], [value]
    for t in range(LAYERS):
        layer = layers[t % len(layers)]
        moved = layer @ states[-1] @ value
        norms = moved.norm(dim=-1, keepdim=True)
        if bool((norms < ROUNDED).any()):
            return None
        states.append(moved / norms)
        products.append(layer @ products[-1] / norms)
        turns.append(turns[-1] @ value)
    return torch.stack(states), torch.stack(products[1:]), torch.stack(turns[:-1])


def trajectory(point: Point) -> tuple[Tensor, Tensor, Tensor] | None:
    return followed(point[X], point[attention], point[WV])


def read(point: Point, value: Callable[[Tensor, Tensor, Tensor], Tensor]) -> Measured:
    """A number of the trajectory; infinite where a token vanishes on the way."""
    found = trajectory(point)
    return Measured(math.inf) if found is None else Measured(float(value(*found)), ROUNDED)


def factors(product: Tensor) -> tuple[Tensor, Tensor]:
    """u and v of the best rank one approximation, v of norm one and positive."""
    direction = torch.linalg.svd(product).Vh[0]
    direction = direction * direction.sum().sign()
    return product @ direction, direction


def mixed_norm(states: Tensor, products: Tensor) -> Tensor:
    """|v^T X^(0)|."""
    return (factors(products[-1])[1] @ states[0]).norm()


@measures(claims.uneven_norms)
def uneven_norms(point: Point) -> Measured:
    """How far rows of P X W~ are from norm one."""
    return read(
        point, lambda x, p, w: ((p[-1] @ x[0] @ w[-1]).square().sum(dim=-1) - 1).abs().max()
    )


@measures(claims.mixed)
def norm_of_the_mixture(point: Point) -> Measured:
    """|v^T X^(0)|."""
    return read(point, lambda x, p, w: mixed_norm(x, p))


@measures(claims.from_inverse)
def distance_to_inverse(point: Point) -> Measured:
    """How far |v^T X^(0)| is from 1/u_i."""
    return read(point, lambda x, p, w: (mixed_norm(x, p) - 1 / factors(p[-1])[0]).abs().max())


@measures(claims.uneven_factors)
def spread_of_factors(point: Point) -> Measured:
    """Largest less least u."""
    return read(point, lambda x, p, w: factors(p[-1])[0].max() - factors(p[-1])[0].min())


@measures(claims.unsettled_factors)
def change_of_factors(point: Point) -> Measured:
    """How far u moved in the second half of the layers."""
    return read(point, lambda x, p, w: (factors(p[-1])[0] - factors(p[LAYERS // 2])[0]).abs().max())


@measures(claims.least_singular_value)
def least_singular_value(point: Point) -> Measured:
    """sigma_min of the initial tokens."""
    tokens = tensor(point[X])
    values = torch.linalg.svdvals(tokens)
    return Measured(float(values[-1] if len(values) == len(tokens) else 0.0), rounding(1.0))


@measures(claims.spread_after)
def spread_after(point: Point, count: int) -> Measured:
    """mu^2 after so many of the layers followed."""
    return read(point, lambda x, p, w: mu(x[min(count, LAYERS)]).square())


@measures(claims.last_move)
def last_move(point: Point) -> Measured:
    """How far tokens move in the last layer."""
    return read(point, lambda x, p, w: (x[-1] - x[-2]).abs().max())


@measures(claims.turned_move)
def turned_move(point: Point, count: int, more: int) -> Measured:
    """How far tokens turned back by W~^T move between two of the layers followed."""

    def move(x: Tensor, p: Tensor, w: Tensor) -> Tensor:
        ends = [x[n] @ w[n - 1].mT if n else x[0] for n in (count, min(count + more, LAYERS))]
        return (ends[1] - ends[0]).abs().max()

    return read(point, move)


@measures(claims.to_mean)
def distance_to_the_mean(point: Point) -> Measured:
    """How far tokens, turned back, end from the normalised mean of the initial tokens."""

    def gap(x: Tensor, p: Tensor, w: Tensor) -> Tensor:
        centre = x[0].sum(dim=0)
        return (x[-1] @ w[-1].mT - centre / centre.norm().clamp_min(ROUNDED)).abs().max()

    return read(point, gap)
