"""Rows of the activations, in float64."""

from __future__ import annotations

import torch
from torch import Tensor

from claims.domain import Point
from claims.im2026 import layered_activations as claims
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.im2026.network import one_hot
from numeric.registry import measures


@measures(claims.row_before, claims.row_after, claims.second_norm)
def second_rows(point: Point) -> tuple[Measured, Measured, Measured]:
    """The second row after one layer and after two, prefix by prefix, and the norm of the last values."""
    first, second = (tensor(point[v]) for v in (claims.first_value, claims.second_value))
    places = torch.tensor([[1.0], [2.0]], dtype=torch.float64)
    hidden, lengths = one_hot(torch.tensor([0, 1]), 2), list[Tensor]()
    for value in (first, second):
        hidden = hidden + hidden.cumsum(0) / places @ value
        lengths.append(hidden[1].norm())
    lengths.append(second.norm())
    before, after, norm = (Measured(float(x), rounding(1 + abs(x))) for x in lengths)
    return before, after, norm


@measures(claims.next_deviation, claims.next_row)
def next_lengths(point: Point) -> tuple[Measured, Measured]:
    """The largest deviation and length that the lengths of the rows allow."""
    lengths = tensor(point[claims.rows]).flatten()
    added = float(point[claims.own_norm]) * float(tensor(point[claims.shares]).flatten() @ lengths)
    deviation, own = float(point[claims.before]) + added, float(lengths[-1]) + added
    return Measured(deviation, rounding(deviation)), Measured(own, rounding(own))


@measures(claims.mixture)
def mixture(point: Point) -> Measured:
    """The squared length of a mean of one-hot rows."""
    return _squared(tensor(point[claims.shares]))


def _squared(values: Tensor) -> Measured:
    value = float(values.square().sum())
    return Measured(value, rounding(value))
