"""The first token under the causal dynamics with LayerNorm, followed in floats for many layers."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import islice

import torch
from torch import Tensor

from claims.domain import Point
from claims.points import Remembered
from claims.wu2024 import jordan as claims
from claims.wu2024.jordan import first
from claims.wu2024.notation import w
from numeric import device
from numeric.agreement import Measured, rounding
from numeric.reach import CORNERS
from numeric.registry import measures
from numeric.remembered import remembered
from numeric.wu2024.layers import jordan_matrix


def _coordinates(point: Point) -> tuple[float, ...]:
    """X_1 as it is given."""
    return tuple(float(e) for e in point[first])


def unit(x: Tensor) -> Tensor:
    """LayerNorm of a row."""
    return x / torch.linalg.vector_norm(x)


def first_token(point: Point, layers: int) -> Tensor:
    """X_1 after so many layers, of unit norm."""
    orbit = _orbit(_coordinates(point), float(point[w]), device.current())
    return next(islice(orbit, layers, None))


@remembered(maxsize=64)
def _orbit(start: tuple[float, ...], weight: float, where: torch.device) -> Remembered:
    """X_1 after 0, 1, ... layers, each made once: a formula reads it at many layers and places."""

    def layers() -> Iterator[Tensor]:
        x = unit(torch.tensor(start, dtype=torch.float64, device=where))
        value = jordan_matrix(len(start), weight)
        while True:
            yield x
            x = unit(x @ value)  # token 1 attends to itself only

    return Remembered(layers)


def scale_of_ratios(point: Point, layers: int) -> float:
    """A bound on all terms behind X_i/X_1: the same orbit without cancellation."""
    return _largest_ratio(tuple(map(abs, _coordinates(point))), abs(float(point[w])), layers)


@remembered(maxsize=1024)
def _largest_ratio(start: tuple[float, ...], weight: float, layers: int) -> float:
    row = torch.tensor(start, dtype=torch.float64)
    value = jordan_matrix(len(start), weight)
    return float((row @ torch.linalg.matrix_power(value, layers)).max() / row[0])


def quotient_of(point: Point, layers: int, above: int, below: int) -> Measured:
    """X_above/X_below after some layers; nothing where that divides by zero."""
    token = first_token(point, layers)
    if not token[below - 1]:
        return Measured(0.0, math.inf)
    value, size = (
        float(token[above - 1] / token[below - 1]),
        abs(float(token[0] / token[below - 1])),
    )
    scale = scale_of_ratios(point, layers) * size
    return Measured(
        value, rounding(value, scale * (1 + abs(value)), operations=1000 * (layers + 1))
    )


@measures(claims.ratio)
def relative_coordinate(point: Point, layers: int, index: int) -> Measured:
    """X_i/X_1."""
    return quotient_of(point, layers, index, 1)


@measures(claims.quotient)
def relative_to_the_one_before(point: Point, layers: int, index: int) -> Measured:
    """X_i/X_{i-1}."""
    return quotient_of(point, layers, index, index - 1)


@measures(claims.place)
def unscaled_coordinate(point: Point, layers: int, index: int) -> Measured:
    """A coordinate of X_1 W^t, of an X_1 with integer entries."""
    start = _coordinates(point)
    row = _unscaled(start, float(point[w]), layers)
    return Measured(float(row[index - 1]), rounding(scale_of_ratios(point, layers) * start[0]))


@remembered(maxsize=1024)
def _unscaled(start: tuple[float, ...], weight: float, layers: int) -> Tensor:
    value = jordan_matrix(len(start), weight)
    return torch.tensor(start, dtype=torch.float64) @ torch.linalg.matrix_power(value, layers)


@measures(claims.start_ratio, reach=CORNERS)
def scaled_start(point: Point, j: int) -> Measured:
    """r_j."""
    value = float(point[first][j - 1]) / float(point[first][0]) / float(point[w]) ** (j - 1)
    return Measured(value, rounding(value))


@measures(claims.change)
def change_in_a_layer(point: Point, layers: int, place: int) -> Measured:
    """The factor by which X_i/X_1 shrinks from t + 1 to t; nothing where it may divide by zero."""
    here, there = (quotient_of(point, n, place, 1) for n in (layers, layers + 1))
    least = abs(there.value) - there.error
    if least <= 0:
        return Measured(0.0, math.inf)
    value = here.value / there.value
    return Measured(value, (here.error + abs(value) * there.error) / least)


@measures(claims.last)
def last_of_the_unit_token(point: Point, layers: int) -> Measured:
    """X_d of the unit token."""
    value = float(first_token(point, layers)[-1])
    return Measured(value, rounding(1.0, operations=1000 * (layers + 1)))
