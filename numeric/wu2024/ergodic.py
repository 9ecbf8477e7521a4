"""Long products of D A beside a product of rank one, and what is left of it in Lemma 9."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from claims.domain import Point
from claims.wu2024 import ergodic as claims
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.registry import measures
from numeric.wu2024.positivity import class_factors


def first_layers(point: Point, layer: int) -> Tensor:
    """The product of the factors of the layers up to one, used in turn."""
    factors = class_factors(point)
    found = torch.eye(factors.shape[-1], dtype=factors.dtype, device=factors.device)
    for step in range(layer + 1):
        found = factors[step % len(factors)] @ found
    return found


@measures(claims.product_after)
def entry_of_first_layers(point: Point, layer: int, row: int, column: int) -> Measured:
    """P_ij; sums of positive terms."""
    value = float(first_layers(point, layer)[row - 1, column - 1])
    return Measured(value, rounding(value))


@measures(claims.against_rank_one)
def entry_against_rank_one(point: Point, layer: int, row: int, column: int) -> Measured:
    """P_ij/S_ij for S_ij = P_i1 P_1j/P_11."""
    product = first_layers(point, layer)
    own, corner = float(product[row - 1, column - 1]), float(product[0, 0])
    below = float(product[row - 1, 0] * product[0, column - 1])
    if below <= 0:
        return Measured(0.0, math.inf)
    return Measured(own * corner / below, rounding(1 + own * corner / below))


def factors_after(point: Point, layer: int) -> tuple[Tensor, Tensor, Tensor]:
    """u, v and P at a layer: P_ij = u_i v_j (1 + c_ij/(t+1)^alpha), u growing like g^t."""
    rows = tensor(point[claims.u])[:, 0] * float(point[claims.growth]) ** layer
    columns = tensor(point[claims.v])[:, 0]
    factor = 1 + tensor(point[claims.deviation]) / (layer + 1.0) ** float(point[claims.decay])
    return rows, columns, torch.outer(rows, columns) * factor


@measures(claims.row_factor)
def row_factor(point: Point, layer: int, token: int) -> Measured:
    value = float(factors_after(point, layer)[0][token - 1])
    return Measured(value, rounding(value))


@measures(claims.column_factor)
def column_factor(point: Point, layer: int, token: int) -> Measured:
    value = float(factors_after(point, layer)[1][token - 1])
    return Measured(value, rounding(value))


@measures(claims.entry_of_product)
def entry_of_product(point: Point, layer: int, row: int, column: int) -> Measured:
    value = float(factors_after(point, layer)[2][row - 1, column - 1])
    return Measured(value, rounding(value))


@measures(claims.error)
def error_of_rank_one(point: Point, layer: int, row: int, column: int) -> Measured:
    """What is left of P when u v^T is taken off."""
    rows, columns, product = factors_after(point, layer)
    rank_one = float(rows[row - 1] * columns[column - 1])
    whole = float(product[row - 1, column - 1])
    return Measured(whole - rank_one, rounding(max(abs(whole), rank_one)))
