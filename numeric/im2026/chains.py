"""Displays of one layer at a point: matrices of rank one that attain what the norms allow.

What is read is the norm of the sum of matrices that a display bounds, written down a second time.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from claims.domain import Point
from numeric.agreement import Measured, rounding

__all__ = ["Aligned", "norm_of"]

SIZE = 6
"""Rows and columns of the matrices; they have one direction."""


class Aligned:
    """`at[symbol]` is a number for a size or rate, `at(symbol)` a rank-one matrix of that norm."""

    def __init__(self, point: Point):
        self.point = point
        direction = torch.linspace(1, 2, SIZE, dtype=torch.float64)
        self.unit = torch.outer(direction, direction) / direction.square().sum()

    def __getitem__(self, symbol: Any) -> float:
        return float(self.point[symbol])

    def __call__(self, symbol: Any) -> Tensor:
        return self[symbol] * self.unit


def norm_of(matrix: Tensor) -> Measured:
    """The Frobenius norm, here that of rank-one matrices."""
    value = torch.linalg.matrix_norm(matrix)
    return Measured(float(value), rounding(value))
