"""Cosines after attention with LayerNorm, and sums over pairs of walks through the layers."""

from __future__ import annotations

import torch
from torch import Tensor

from claims.domain import Point
from claims.wu2024 import walks as claims
from claims.wu2024.notation import N, X, attention, d
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.registry import measures
from numeric.wu2024.cosines import (
    last_tokens,
)


@measures(claims.product_after)
def product_after_all_layers(point: Point, one: int, other: int) -> Measured:
    """<X_i, X_j> after all layers."""
    tokens = last_tokens(point)
    return Measured(float(tokens[one - 1] @ tokens[other - 1]), rounding(1.0))


def walked_product(point: Point, one: int, other: int) -> Tensor:
    """Weights of walks through all layers from both tokens, and the products of where they end."""
    weights = torch.eye(int(point[N]), dtype=torch.float64)
    for layer in point[attention]:
        weights = tensor(layer) @ weights
    tokens = tensor(point[X])
    pairs = torch.outer(weights[one - 1], weights[other - 1])
    return (pairs * (tokens @ tokens.mT)).sum()


@measures(claims.walks)
def product_over_walks(point: Point, one: int, other: int) -> Measured:
    """Each pair of walks once."""
    return Measured(float(walked_product(point, one, other)), rounding(1.0))


@measures(claims.padded_walks)
def product_over_padded_walks(point: Point, one: int, other: int) -> Measured:
    """Each pair of walks once for every value of the entries that no layer reads."""
    repeated = float(int(point[N]) ** (2 * (int(point[d]) - len(point[attention]))))
    return Measured(repeated * float(walked_product(point, one, other)), rounding(repeated))
