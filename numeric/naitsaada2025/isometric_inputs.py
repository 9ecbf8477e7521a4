"""The distance of tokens from orthonormal ones."""

from __future__ import annotations

import torch
from torch import Tensor

from claims.domain import Point
from claims.naitsaada2025 import isometric_inputs as claims
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.registry import measures

EXACT = 2.0**10
"""Entries up to which products of integers are exact in double precision, some thousand of them added."""


def is_exact(x: Tensor) -> bool:
    """Whether sums of products of four entries have no rounding error."""
    return bool((x == x.round()).all()) and float(x.abs().max()) <= EXACT


@measures(claims.distance)
def squared_distance(point: Point) -> Measured:
    """||X_0 X_0^T - I||_F^2."""
    x = tensor(point[claims.X0])
    gram = x @ x.T
    value = float((gram - torch.eye(len(x), dtype=x.dtype, device=x.device)).square().sum())
    return Measured(value, 0.0 if is_exact(x) else rounding(float(gram.square().sum())))
