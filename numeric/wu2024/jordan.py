"""The first token under the causal dynamics with LayerNorm, followed in floats for many layers."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice, pairwise

import torch
from torch import Tensor

from claims.domain import Point
from claims.points import Remembered
from claims.wu2024 import jordan as claims
from claims.wu2024.jordan import first, i
from claims.wu2024.notation import d, w
from numeric import device
from numeric.agreement import Measured, rounding
from numeric.reach import CORNERS
from numeric.registry import measures
from numeric.wu2024.layers import jordan_matrix

LATE = (2**14, 2**15, 2**16)
"""Layers at which limits are read: corrections are power series in 1/(w t)."""


def start_of(point: Point) -> tuple[Tensor, Tensor]:
    """X_1 before any layer, of unit norm, and the value matrix."""
    x = torch.tensor(_coordinates(point), dtype=torch.float64, device=device.current())
    return unit(x), jordan_matrix(int(point[d]), float(point[w]))


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


@lru_cache(maxsize=64)
def _orbit(start: tuple[float, ...], weight: float, where: torch.device) -> Remembered:
    """X_1 after 0, 1, ... layers, each made once: a formula reads it at many layers and places."""

    def layers() -> Iterator[Tensor]:
        x = unit(torch.tensor(start, dtype=torch.float64, device=where))
        value = jordan_matrix(len(start), weight)
        while True:
            yield x
            x = unit(x @ value)  # token 1 attends to itself only

    return Remembered(layers)


def after_many(x: Tensor, value: Tensor, layers: int) -> Tensor:
    """The token after many layers at once: the positive factors of LayerNorm commute with W_V."""
    return unit(x @ torch.linalg.matrix_power(value, layers))


def scale_of_ratios(point: Point, layers: int) -> float:
    """A bound on all terms behind X_i/X_1: the same orbit without cancellation."""
    return _largest_ratio(tuple(map(abs, _coordinates(point))), abs(float(point[w])), layers)


@lru_cache(maxsize=1024)
def _largest_ratio(start: tuple[float, ...], weight: float, layers: int) -> float:
    row = torch.tensor(start, dtype=torch.float64)
    value = jordan_matrix(len(start), weight).cpu()
    return float((row @ torch.linalg.matrix_power(value, layers)).max() / row[0])


def quotient_of(point: Point, layers: int, above: int, below: int) -> Measured:
    """X_above/X_below after some layers."""
    token = first_token(point, layers)
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


@lru_cache(maxsize=1024)
def _unscaled(start: tuple[float, ...], weight: float, layers: int) -> Tensor:
    value = jordan_matrix(len(start), weight).cpu()
    return torch.tensor(start, dtype=torch.float64) @ torch.linalg.matrix_power(value, layers)


@measures(claims.start_ratio, reach=CORNERS)
def scaled_start(point: Point, j: int) -> Measured:
    """r_j."""
    value = float(point[first][j - 1]) / float(point[first][0]) / float(point[w]) ** (j - 1)
    return Measured(value, rounding(value))


def extrapolated(values: list[float]) -> tuple[float, float]:
    """Richardson's step for a 1/t correction at t, 2t, 4t; the last change bounds what is left."""
    first_guess, last = 2 * values[1] - values[0], 2 * values[2] - values[1]
    return last, abs(last - first_guess) + rounding(*values)


@measures(claims.change)
def change_in_a_layer(point: Point, layers: int, place: int) -> Measured:
    """The factor by which X_i/X_1 shrinks from t + 1 to t; nothing where it may divide by zero."""
    here, there = (quotient_of(point, n, place, 1) for n in (layers, layers + 1))
    least = abs(there.value) - there.error
    if least <= 0:
        return Measured(0.0, math.inf)
    value = here.value / there.value
    return Measured(value, (here.error + abs(value) * there.error) / least)


def limit_or_infinity(values: list[float]) -> float:
    """Infinity, with its sign, where doubling t multiplies the value by more than 3/2."""
    grows = all(abs(b) > 1.5 * abs(a) for a, b in pairwise(values))
    return math.copysign(math.inf, values[-1]) if grows else values[-1]


@measures(claims.outgrows, claims.end_of_first)
def growth(point: Point) -> tuple[Measured, ...]:
    """The limits of X_i/X_{i-1} and of X_d."""
    place = int(point[i]) - 1
    tokens = [after_many(*start_of(point), layers) for layers in LATE]
    late = limit_or_infinity([float(token[place] / token[place - 1]) for token in tokens])
    last, error = extrapolated([float(token[-1]) for token in tokens])
    return Measured(late, error), Measured(last, error)
