"""Covariances of the embeddings of tokens, as they are and shifted."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from claims.domain import Point
from claims.im2026 import covariances as claims
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.registry import measures


def _covariance(point: Point, rows: Tensor, row: int, column: int) -> Measured:
    """By means over the axis that is centred."""
    axis = 0 if point[claims.centred] == claims.OVER_TOKENS else 1
    found = rows - rows.mean(axis, keepdim=True)
    return Measured(float(found[row - 1] @ found[column - 1]), rounding(rows.square().sum()))


@measures(claims.covariance)
def covariance(point: Point, row: int, column: int) -> Measured:
    """An entry of Cov(E)."""
    return _covariance(point, tensor(point[claims.embeddings]), row, column)


@measures(claims.covariance_of_shifted)
def covariance_of_shifted(point: Point, row: int, column: int) -> Measured:
    """An entry of Cov(E + 1 c^T)."""
    rows: Any = tensor(point[claims.embeddings]) + tensor(point[claims.shift]).mT
    return _covariance(point, rows, row, column)
