"""Gaps of eigenvalues and of singular values, in double precision."""

from __future__ import annotations

import torch
from torch import Tensor

from claims.domain import Point
from claims.naitsaada2025 import maximal_gap as claims
from claims.naitsaada2025.markov import A
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.naitsaada2025.extreme_singular_values import largest_moduli, largest_singular_values
from numeric.naitsaada2025.stable_rank import SPECTRAL
from numeric.registry import measures

DEFECT = 1e-3
"""A double eigenvalue moves like the root of rounding, one of three like its cube root, and so on."""


def _gap(point: Point, matrix: Tensor) -> Measured:
    if point[claims.spectrum] == claims.SINGULAR_VALUES:
        first, second = largest_singular_values(matrix[None])[0]
        return Measured(float(first - second), rounding(first))
    return Measured(1 - float(largest_moduli(matrix[None])[0, 1]), DEFECT)


@measures(claims.gap, claims.uniform_gap, reach=SPECTRAL)
def gaps(point: Point) -> tuple[Measured, Measured]:
    """Of A, and of uniform attention."""
    matrix = tensor(point[A])
    return _gap(point, matrix), _gap(point, torch.full_like(matrix, 1 / len(matrix)))
