"""Norms of unit mixtures of the initial tokens, and singular values from a decomposition of its own."""

from __future__ import annotations

import torch
from torch import Tensor

from claims.domain import Point
from claims.wu2024 import singular_values as claims
from claims.wu2024.notation import X
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.registry import measures


def turned(point: Point) -> Tensor:
    """X^(0) W~."""
    return tensor(point[X]) @ tensor(point[claims.turn])


def length(row: Tensor) -> Measured:
    norm = float(row.norm())
    return Measured(norm, rounding(1 + norm))


@measures(claims.singular_value)
def decomposed(point: Point, place: int) -> Measured:
    """A singular value of (X^(0) W~)^T, the largest first; zero where there are not so many."""
    values = torch.linalg.svdvals(turned(point).mT)
    value = float(values[place - 1]) if place <= len(values) else 0.0
    return Measured(value, rounding(1 + float(values[0])))


@measures(claims.mixed)
def norm_of_mixture(point: Point) -> Measured:
    """|v^T X^(0) W~|."""
    return length(tensor(point[claims.mixing]) @ turned(point))


@measures(claims.unturned)
def norm_of_unturned_mixture(point: Point) -> Measured:
    """|v^T X^(0)|."""
    return length(tensor(point[claims.mixing]) @ tensor(point[X]))


@measures(claims.along)
def norm_along_singular_vector(point: Point, place: int) -> Measured:
    """|u^T X^(0) W~| for a left singular vector u."""
    return length(tensor(point[claims.left])[place - 1] @ turned(point))
