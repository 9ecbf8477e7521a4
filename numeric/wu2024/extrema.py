r"""Entries of a vector under attention, layer by layer in float64.

Named axes: `T` layers, `n` tokens.  x^{(s+1)} = A^{(s)} x^{(s)}; tokens count from one in a point.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from claims.domain import Point
from claims.wu2024 import extrema as claims
from claims.wu2024.extrema import i
from claims.wu2024.notation import T, attention, d, x
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.registry import measures
from numeric.remembered import remembered

__all__ = ["averaged_vectors", "widths"]


def averaged_vectors(point: Point) -> Tensor:
    """x^{(0)}, ..., x^{(T)} of axes (T + 1, n)."""
    return _averaged_vectors(point[x], point[attention])


@remembered(maxsize=64)
def _averaged_vectors(start: Any, layers: tuple[Any, ...]) -> Tensor:
    vectors = [tensor(start).squeeze(-1)]
    for layer in layers:
        vectors.append(tensor(layer) @ vectors[-1])
    return torch.stack(vectors)


def widths(vectors: Tensor) -> Tensor:
    """Largest minus least entry, over the last axis."""
    return vectors.amax(dim=-1) - vectors.amin(dim=-1)


def _register(token: Any, top: Any, bottom: Any, layers_before: int) -> None:
    """Estimators of entries and extremes, counted from after so many layers."""

    @measures(token)
    def entry(point: Point, place: int, layer: int) -> Measured:
        vectors = averaged_vectors(point)
        return Measured(float(vectors[layer + layers_before, place - 1]), rounding(vectors))

    @measures(top)
    def largest_entry(point: Point, layer: int) -> Measured:
        vectors = averaged_vectors(point)
        return Measured(float(vectors[layer + layers_before].max()), rounding(vectors))

    @measures(bottom)
    def least_entry(point: Point, layer: int) -> Measured:
        vectors = averaged_vectors(point)
        return Measured(float(vectors[layer + layers_before].min()), rounding(vectors))


_register(claims.token, claims.top, claims.bottom, 0)
_register(claims.printed_token, claims.printed_top, claims.printed_bottom, 1)


@measures(claims.first_top)
def largest_of_the_first_entries(point: Point, layer: int) -> Measured:
    """The largest of the first d entries."""
    vectors = averaged_vectors(point)
    return Measured(float(vectors[layer, : int(point[d])].max()), rounding(vectors))


@measures(claims.first_bottom)
def least_of_the_first_entries(point: Point, layer: int) -> Measured:
    """The least of the first d entries."""
    vectors = averaged_vectors(point)
    return Measured(float(vectors[layer, : int(point[d])].min()), rounding(vectors))


@measures(claims.kept)
def product_on_the_diagonal(point: Point) -> Measured:
    """The weights that a token gives itself, multiplied over layers."""
    place = int(point[i]) - 1
    layers = point[attention][: int(point[T])]
    return Measured(math.prod(float(a[place, place]) for a in layers), rounding(1.0))


@measures(claims.weight)
def weight_of_a_layer(point: Point, place: int, other: int, layer: int) -> Measured:
    """What one token gives another."""
    return Measured(float(point[attention][layer][place - 1, other - 1]), rounding(1.0))
