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
from numeric.registry import directly, measures
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


@directly(claims.error_vanishes_relative_to_the_row)
def error_after_many_layers(point: Point) -> Measured:
    """E/u^theta at t = 2^20 and 2^40, E = P - S; the change bounds what is left of it.

    P and S are divided by g^t first, which would overflow; where that factor stays in the quotient
    (theta = 0) a growing one makes it infinite with the sign of E.
    """
    rows, columns = tensor(point[claims.u]), tensor(point[claims.v])
    rank_one, growth = rows @ columns.T, math.log(float(point[claims.growth]))
    values = []
    for t in (2.0**20, 2.0**40):
        perturbed = rank_one * (
            1 + tensor(point[claims.deviation]) / (t + 1) ** float(point[claims.decay])
        )
        error = perturbed - rank_one
        if point[claims.relative]:
            values.append(error / rows)
        else:
            factor = math.inf if growth > 0 else math.exp(growth * t)
            values.append(torch.where(tensor(point[claims.deviation]) == 0, 0.0, error * factor))
    change = float((values[1] - values[0]).abs().nan_to_num(0.0, 0.0).max())
    return Measured(values[1], 2 * change + rounding(rank_one))
