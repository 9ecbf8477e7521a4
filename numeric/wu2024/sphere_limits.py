"""Eq. (23)-(25) and the common point, by following tokens through many layers with LayerNorm."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import torch
from torch import Tensor

from claims.domain import Point
from claims.wu2024 import sphere_limits as claims
from claims.wu2024.notation import WV, X, attention
from numeric.agreement import Measured
from numeric.exact import tensor
from numeric.registry import directly
from numeric.wu2024.layers import mu

LAYERS = 128
SMALL, ROUNDED = 1e-5, 1e-9


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


@directly(claims.row_factors_share_a_finite_limit)
def row_factors(point: Point) -> Measured:
    """The flags of the claim, u and v from singular vectors of P, normalised by its last row."""
    found = trajectory(point)
    if found is None:
        return Measured((False,) * 6)
    states, products, turns = found
    last = products[-1]
    direction = torch.linalg.svd(last).Vh[0]
    direction = direction * direction.sum().sign()
    factors, earlier = last @ direction, products[LAYERS // 2] @ direction
    rows = (last @ states[0] @ turns[-1]).norm(dim=-1)
    mixed = float((direction @ states[0]).norm())
    singular = torch.linalg.eigvalsh(states[0] @ states[0].T).clamp_min(0).sqrt()
    return Measured(
        (
            bool(((rows - 1).abs() < ROUNDED).all()),
            bool(((1 / factors - mixed).abs() < SMALL).all()),
            mixed >= float(singular[0]) - SMALL and float(singular[0]) > ROUNDED,
            bool((factors - earlier).abs().max() < 1e-2 and factors.max() - factors.min() < SMALL),
            bool(((factors - 1).abs() < SMALL).all()),
            mixed >= float(singular[-1]) - SMALL,
        )
    )


@directly(claims.tokens_collapse_under_layernorm)
def spread_after_many_layers(point: Point) -> Measured:
    """The flags of the claim."""
    found = trajectory(point)
    if found is None:
        return Measured((False, False))
    spread = mu(found[0])
    return Measured((float(spread[-1]) < SMALL, float(spread[1]) < ROUNDED))


@directly(claims.tokens_converge_to_one_point)
def convergence(point: Point) -> Measured:
    """The flags of the claim, tokens turned back by W~^T."""
    found = trajectory(point)
    if found is None:
        return Measured((False,) * 4)
    states, _, turns = found
    still = states[1:] @ turns.mT
    centre = states[0].sum(dim=0)
    centre = centre / centre.norm().clamp_min(ROUNDED)
    return Measured(
        (
            float(mu(states[-1])) < SMALL,
            bool((states[-1] - states[-2]).abs().max() < SMALL),
            bool((still[-1] - still[-2]).abs().max() < SMALL),
            bool((still[-1] - centre).abs().max() < SMALL),
        )
    )
