"""LayerNorm on tensors: row norms, which diagonal matrices reproduce it, and whether it exists."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from claims.domain import Point
from claims.wu2024 import layernorm as claims
from claims.wu2024.notation import WV, A, X
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.registry import measures
from numeric.wu2024.layers import layer_norm


@measures(claims.order)
def order_of_the_scaling(point: Point) -> Measured:
    """The order of the D that multiplies X."""
    return Measured(float(len(torch.diag(1 / tensor(point[X]).norm(dim=-1)))))


@measures(claims.row_norm)
def squared_row_norm(point: Point, i: int) -> Measured:
    """The squared norm of row i of DX."""
    x = tensor(point[X])
    scaled = torch.diag(1 / x.norm(dim=-1)) @ x
    return Measured(float(scaled[i - 1].square().sum()), rounding(1.0))


@measures(claims.centred_norm, claims.centred_sum)
def norm_and_sum_of_a_centred_row(point: Point, i: int) -> tuple[Measured, ...]:
    """The squared norm and the sum of row i, less its mean and over its norm."""
    x = tensor(point[X])
    row = layer_norm(x - x.mean(dim=-1, keepdim=True))[i - 1]
    values = float(row.square().sum()), float(row.sum())
    lost = rounding(float(x[i - 1].abs().sum() / (x[i - 1] - x[i - 1].mean()).norm()))
    return tuple(Measured(value, rounding(1.0) + lost) for value in values)


def residual(given: Tensor, wanted: Tensor) -> Measured:
    """How far the best multiple of each row is from the wanted row, squared and added up."""
    squares = given.square().sum(dim=-1, keepdim=True)
    scales = (given * wanted).sum(dim=-1, keepdim=True) / squares.where(squares > 0, 1.0)
    return Measured(float((scales * given - wanted).square().sum()), rounding(1 + wanted.numel()))


@measures(claims.on_the_left)
def residual_on_the_left(point: Point) -> Measured:
    """min_D ||DX - LN(X)||_F^2."""
    x = tensor(point[X])
    return residual(x, layer_norm(x))


@measures(claims.on_the_right)
def residual_on_the_right(point: Point) -> Measured:
    """min_R ||XR - LN(X)||_F^2, feature by feature."""
    x = tensor(point[X])
    return residual(x.mT, layer_norm(x).mT)


@measures(claims.clash)
def clash_of_norms(point: Point) -> Measured:
    """Differences of norms of tokens, weighed by the features that they share."""
    x = tensor(point[X])
    squares, norms = x.square(), x.norm(dim=-1)
    apart = (norms.unsqueeze(0) - norms.unsqueeze(1)).square()
    size = (1 + squares.sum()) ** 3
    return Measured(float(((squares @ squares.mT) * apart).sum()), rounding(size))


@measures(claims.squared_size)
def squared_size_after_a_layer(point: Point) -> Measured:
    """||LN(A X W_V)||_F^2, infinite where a row vanishes up to rounding."""
    value = tensor(point[WV])
    moved = tensor(point[A]) @ tensor(point[X]) @ value
    if bool((moved.norm(dim=-1) <= rounding(1 + value.abs().max())).any()):
        return Measured(math.inf)
    return Measured(float(layer_norm(moved).square().sum()), rounding(float(len(moved))))
