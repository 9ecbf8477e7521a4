"""Layers with scaled value matrices, and the equilibria of every rank in floats."""

from __future__ import annotations

import torch
from torch import Tensor

from claims.domain import Point
from claims.wu2024 import every_rank as claims
from claims.wu2024.coexistence import signs
from claims.wu2024.notation import WV, X, d, w
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.registry import measures
from numeric.wu2024.coexistence import grown_at
from numeric.wu2024.equilibria import layer
from numeric.wu2024.layers import jordan_matrix

CLOSE = 1e-9


@measures(claims.normed)
def entry_of_layer(point: Point, i: int, b: int) -> Measured:
    """An entry of LN(A X W_V)."""
    return Measured(float(layer(tensor(point[X]), tensor(point[WV]))[i - 1, b - 1]), CLOSE)


@measures(claims.normed_of_multiple)
def entry_of_scaled_layer(point: Point, i: int, b: int) -> Measured:
    """An entry of LN(A X (c W_V))."""
    wv = float(point[claims.scale]) * tensor(point[WV])
    return Measured(float(layer(tensor(point[X]), wv)[i - 1, b - 1]), CLOSE)


def _squared(image: Tensor) -> Measured:
    return Measured(float(image.square().sum()), CLOSE * float(1 + image.square().sum()))


@measures(claims.image)
def squared_image(point: Point, power: int) -> Measured:
    """The squared norm of x W_V^t."""
    wv = torch.linalg.matrix_power(tensor(point[WV]), power)
    return _squared(tensor(point[claims.row]) @ wv)


@measures(claims.unit_image)
def squared_unit_image(point: Point, power: int) -> Measured:
    """The same of W_V over its 2-norm."""
    wv = tensor(point[WV])
    unit = torch.linalg.matrix_power(wv / torch.linalg.matrix_norm(wv, 2), power)
    return _squared(tensor(point[claims.row]) @ unit)


@measures(claims.scaled_norm)
def largest_sum(point: Point) -> Measured:
    """The largest sum of a row or column of W_V/(1 + w)."""
    weight = float(point[w])
    wv = jordan_matrix(int(point[d]), weight) / (1 + weight)
    return Measured(float(max(wv.sum(dim=0).max(), wv.sum(dim=1).max())), rounding(1.0))


@measures(claims.scaled_output_entry)
def entry_of_scaled_output(point: Point, rank: int, i: int, b: int) -> Measured:
    """An entry of one layer with W_V/(1 + w) at the tokens for one vector of signs."""
    x, wv = grown_at(point, rank, signs)
    return Measured(float(layer(x, wv / (1 + float(point[w])))[i - 1, b - 1]), rounding(10.0))
