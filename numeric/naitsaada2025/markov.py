"""Row-normalised weights and laws with finitely many atoms, as float64 tensors."""

from __future__ import annotations

from typing import Any

import torch
from torch import Generator, Tensor

from claims.domain import Point
from claims.naitsaada2025 import markov as claims
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.registry import measures


def rows_normalised(weights: Tensor) -> Tensor:
    """Every row over its sum."""
    return weights / weights.sum(dim=-1, keepdim=True)


@measures(claims.weight)
def entry_of_markov(point: Point, i: int, j: int) -> Measured:
    """A[Z]_ij."""
    return Measured(float(rows_normalised(tensor(point[claims.Z]))[i - 1, j - 1]), rounding(1.0))


@measures(claims.rescaled)
def entry_of_rescaled(point: Point, i: int, j: int) -> Measured:
    """A[cZ]_ij."""
    scaled = float(point[claims.c]) * tensor(point[claims.Z])
    return Measured(float(rows_normalised(scaled)[i - 1, j - 1]), rounding(1.0))


@measures(claims.row_sum)
def sum_of_row(point: Point, i: int) -> Measured:
    """The sum of a row of A[Z]."""
    return Measured(float(rows_normalised(tensor(point[claims.Z]))[i - 1].sum()), rounding(1.0))


@measures(claims.modulus)
def modulus(point: Point, k: int) -> Measured:
    """|lambda_k|, the largest first; a multiple eigenvalue is known to a root of the rounding only."""
    found = torch.linalg.eigvals(tensor(point[claims.A])).abs().sort(descending=True).values
    value = float(found[k - 1])
    size = len(found)
    return Measured(value, rounding(1.0) if value > 1 / 2 else rounding(1.0) ** (1 / size))


@measures(claims.total_of_row)
def total_of_row(point: Point, i: int) -> Measured:
    """The sum of a row of A."""
    return Measured(float(tensor(point[claims.A])[i - 1].sum()), rounding(1.0))


@measures(claims.mixed)
def mixed(point: Point, i: int) -> Measured:
    """(Ax)_i."""
    moved = tensor(point[claims.A]) @ tensor(point[claims.x])
    return Measured(float(moved[i - 1, 0]), rounding(tensor(point[claims.x])))
