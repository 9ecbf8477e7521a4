"""Long products of non-negative matrices, followed until their cross ratios settle or stay infinite."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from claims.domain import Point
from claims.wu2024 import ergodic as claims
from claims.wu2024.notation import N
from numeric import device
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.registry import measures
from numeric.wu2024.positivity import class_factors

SQUARINGS, FACTORS = 24, 2**9
CLOSE = 1e-3
"""Cross ratios of ergodic examples end within 10^-4 of one, others above 1.01 or infinite."""


def rescaled(matrices: Tensor) -> Tensor:
    """Each matrix over its largest entry; cross ratios do not see it."""
    return matrices / matrices.amax(dim=(-2, -1), keepdim=True).clamp_min(1e-300)


def long_product(matrices: Tensor) -> Tensor:
    """The product of (layers, n, n), the last on the left, by pairs."""
    while len(matrices) > 1:
        matrices = rescaled(matrices[1::2] @ matrices[::2])
    return matrices[0]


def largest_cross_ratio(matrix: Tensor) -> float:
    """max P_ik P_jl/(P_il P_jk), infinite where an entry is zero."""
    if bool((matrix <= 0).any()):
        return math.inf
    logs = matrix.log()
    gaps = logs[:, None, :, None] + logs[None, :, None, :]
    return float((gaps - gaps.transpose(2, 3)).max().exp())


@measures(claims.cross_ratio)
def ratio_of_periodic_products(point: Point) -> Measured:
    """After 2^24 periods: the product over one is squared again and again."""
    matrix = long_product(class_factors(point))
    for _ in range(SQUARINGS):
        matrix = rescaled(matrix @ matrix)
    return Measured(largest_cross_ratio(matrix), CLOSE)


@measures(claims.followed_ratio)
def ratio_of_flattening_matrices(point: Point) -> Measured:
    """After 2^9 factors."""
    size, alpha = int(point[N]), float(point[claims.decay])
    times = torch.arange(1, FACTORS, dtype=torch.float64, device=device.current())
    ratios = (times + 1) ** -alpha
    identity = torch.eye(size, dtype=torch.float64, device=device.current())
    mixing = (1 - ratios)[:, None, None] * identity + ratios[:, None, None]
    head = tensor(point[claims.head])[None]
    product = long_product(torch.cat([rescaled(head), mixing]))
    return Measured(largest_cross_ratio(product), CLOSE)


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
