"""Singular values under a change of low rank, in double precision."""

from __future__ import annotations

import torch
from torch import Tensor

from claims.domain import Point
from claims.naitsaada2025 import low_rank as claims
from claims.naitsaada2025.low_rank import M, left, right
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.naitsaada2025.interlacing import CLOSE, one, squares
from numeric.registry import measures


def changed(at: Point) -> Tensor:
    """M' = M + UV."""
    return tensor(at[M]) + tensor(at[left]) @ tensor(at[right])


@measures(claims.own)
def value_before(at: Point, i: int) -> Measured:
    """A squared singular value of M."""
    found = one(tensor(at[M]), i)
    return Measured(found.value, found.error + rounding(1.0))


@measures(claims.others)
def value_after(at: Point, i: int) -> Measured:
    """A squared singular value of M'."""
    found = one(changed(at), i)
    return Measured(found.value, found.error + rounding(1.0))


@measures(claims.distribution_gap, claims.rank_of_change)
def gap_and_rank(at: Point) -> tuple[Measured, Measured]:
    """The largest gap of the distribution functions, and the rank of the change."""
    one_, two = squares(tensor(at[M])), squares(changed(at))
    places = torch.cat([one_, two]) + CLOSE * (1 + one_[0] + two[0])
    below = [(values[:, None] <= places).double().mean(0) for values in (one_, two)]
    change = tensor(at[left]) @ tensor(at[right])
    rank = int(torch.linalg.matrix_rank(change))
    return Measured(float((below[0] - below[1]).abs().max()), rounding(1.0)), Measured(float(rank))
