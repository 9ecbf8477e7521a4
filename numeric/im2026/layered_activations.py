"""Rows of the activations, in float64."""

from __future__ import annotations

import torch
from torch import Tensor

from claims.domain import Point
from claims.im2026 import layered_activations as claims
from claims.im2026.notation import T, depth, eta, s
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.im2026.network import one_hot
from numeric.registry import measures


def _ending(point: Point) -> tuple[Tensor, Tensor, Tensor]:
    """Row T before the last layer, what attention mixes in it, and the last weights.

    Of the words b and a alone: the weights of all others are zero.
    """
    length, steps, rate = int(point[T]), int(point[s]), float(point[eta])
    direction = torch.tensor([[1.0, -1.0], [0.0, 0.0]], dtype=torch.float64)
    leading = steps * (steps - 1) / 2 * rate**2 * float(point[claims.lead]) * direction
    hidden = one_hot(torch.tensor([0] * (length - 1) + [1]), 2)
    places = torch.arange(1, length + 1, dtype=torch.float64)[:, None]
    value = leading + float(point[claims.more]) * direction
    for _ in range(int(point[depth]) - 1):
        hidden = hidden + hidden.cumsum(0) / places @ value
    own, mixed = hidden[-1], hidden.mean(0)
    return own, mixed, float(point[claims.last]) * torch.outer(mixed, own)


def _read(value: Tensor, point: Point) -> Measured:
    """A number that sums over all tokens have gone into."""
    return Measured(float(value), rounding(value, operations=1000 + int(point[T])))


@measures(claims.row_before)
def row_before(point: Point) -> Measured:
    """The length of row T before the last layer."""
    return _read(_ending(point)[0].norm(), point)


@measures(claims.row_grown)
def row_grown(point: Point) -> Measured:
    """How much longer it is after it: a difference of squares over the sum of the lengths."""
    own, mixed, weights = _ending(point)
    added = mixed @ weights
    longer = (2 * own @ added + added @ added) / ((own + added).norm() + own.norm())
    return _read(longer, point)


@measures(claims.last_value)
def last_value(point: Point) -> Measured:
    """The Frobenius norm of the last values."""
    return _read(_ending(point)[2].norm(), point)


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
