"""Rows of the activations, in float64."""

from __future__ import annotations

import torch
from torch import Tensor

from claims.domain import Point
from claims.im2026 import layered_activations as claims
from claims.im2026.notation import T, words
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.im2026.network import Weights, hidden_states, one_hot, tokens_of, zero_start
from numeric.registry import measures


def _states(point: Point) -> list[Tensor]:
    """The activations of a network of two layers whose attention weights are zero."""
    zero = zero_start(2, int(point[T]), int(point[words]))
    values = torch.stack([tensor(point[claims.V1]), tensor(point[claims.V2])])
    weights = Weights(zero.attention, zero.positions, values, zero.output)
    return hidden_states(weights, one_hot(tokens_of(point)[:1, :-1], int(point[words])))


def _norm(values: Tensor) -> Measured:
    value = float(values.square().sum().sqrt())
    return Measured(value, rounding(value, 1.0))


@measures(claims.row_before)
def row_before(point: Point, t: int) -> Measured:
    """The length of row t after one layer."""
    return _norm(_states(point)[1][0, t - 1])


@measures(claims.row_after)
def row_after(point: Point, t: int) -> Measured:
    """The length of row t after two layers."""
    return _norm(_states(point)[2][0, t - 1])


@measures(claims.second_value)
def second_value(point: Point) -> Measured:
    """The Frobenius norm of the second values."""
    return _norm(tensor(point[claims.V2]))


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
