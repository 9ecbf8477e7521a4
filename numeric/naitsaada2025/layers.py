"""The deep models by torch, layer by layer and as one product."""

from __future__ import annotations

import math
from functools import reduce
from typing import Any

import torch
from torch import Tensor

from claims.domain import Point
from claims.naitsaada2025 import layers as claims
from claims.naitsaada2025.notation import gamma
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.registry import measures
from numeric.remembered import remembered


def attention_of(stack: Any, gap: bool) -> Tensor:
    """The attention matrices, with the gap or without."""
    found = tensor(stack)
    return found if gap else found - 1 / found.shape[-1]


@remembered(maxsize=16)
def layer_by_layer(tokens: Any, stack: Any, values: Any, gap: bool) -> Tensor:
    """X_L of the deep model."""
    state = tensor(tokens)
    for attention, value in zip(attention_of(stack, gap), tensor(values), strict=True):
        state = attention @ state @ value
    return state


@remembered(maxsize=16)
def as_one_product(
    tokens: Any, stack: Any, values: Any, gap: bool, factors: tuple[float, float] = (1.0, 1.0)
) -> Tensor:
    """The attention matrices multiplied first, then the value matrices, each times a factor."""
    left = reduce(torch.matmul, (factors[0] * attention_of(stack, gap)).flip(0))
    right = reduce(torch.matmul, factors[1] * tensor(values))
    return left @ tensor(tokens) @ right


def _arrays(point: Point) -> tuple[Any, Any, Any]:
    return point[claims.X0], point[claims.attentions], point[claims.values]


def _entry(matrix: Tensor, point: Point, row: int, column: int) -> Measured:
    """An entry, rounded as products of norms are."""
    sizes = [tensor(point[s]).norm(dim=(-1, -2)).prod() for s in (claims.attentions, claims.values)]
    scale = sizes[0] * sizes[1] * tensor(point[claims.X0]).norm()
    return Measured(float(matrix[row - 1, column - 1]), rounding(scale))


@measures(claims.layered)
def layered(point: Point, i: int, k: int) -> Measured:
    """An entry of X_L."""
    return _entry(layer_by_layer(*_arrays(point), True), point, i, k)


@measures(claims.product)
def product(point: Point, i: int, k: int) -> Measured:
    """An entry of the product."""
    return _entry(as_one_product(*_arrays(point), True), point, i, k)


@measures(claims.gapless)
def gapless(point: Point, i: int, k: int) -> Measured:
    """An entry of X_L without the gap."""
    return _entry(layer_by_layer(*_arrays(point), False), point, i, k)


@measures(claims.gapless_product)
def gapless_product(point: Point, i: int, k: int) -> Measured:
    """An entry of the product without the gap."""
    return _entry(as_one_product(*_arrays(point), False), point, i, k)


@measures(claims.rescaled)
def rescaled(point: Point, i: int, k: int) -> Measured:
    """An entry of the rescaled product."""
    tokens, width = tensor(point[claims.X0]).shape
    factors = math.sqrt(tokens), 1 / math.sqrt(width) / math.sqrt(float(point[gamma]))
    return _entry(as_one_product(*_arrays(point), False, factors), point, i, k)
