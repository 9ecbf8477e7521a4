"""Norms of uniform attention, residuals and the context map in float64."""

from __future__ import annotations

import torch
from torch import Tensor

from claims.domain import Point
from claims.im2026 import corpus_norms as claims
from claims.im2026.notation import N, T, words
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.im2026.corpora import statistics, uniform_attention
from numeric.im2026.network import one_hot, tokens_of
from numeric.registry import measures


@measures(claims.mixed, claims.length)
def lengths(point: Point) -> tuple[Measured, Measured]:
    """||A_0 x|| and ||x||."""
    x = tensor(point[claims.x])[:, 0]
    mixed = uniform_attention(len(x), x) @ x
    return Measured(float(mixed.norm()), rounding(x)), Measured(float(x.norm()), rounding(x))


def targets(point: Point, sequence: int) -> Tensor:
    """Y of a sequence, counted from zero."""
    return one_hot(tokens_of(point)[sequence, 1:], int(point[words]))


@measures(claims.residual, claims.first_residual)
def residuals(point: Point, sequence: int) -> tuple[Measured, Measured]:
    """Distances of a sequence's targets to a softmax output and to uniform output."""
    output, y = tensor(point[claims.logits]).softmax(-1), targets(point, sequence)
    found = ((y - output).norm(), (y - 1 / y.shape[1]).norm())
    return tuple(Measured(float(value), rounding(value)) for value in found)  # type: ignore[return-value]


def sources(point: Point, sequence: int) -> Tensor:
    """A_0 X of a sequence, counted from zero."""
    x = one_hot(tokens_of(point)[sequence, :-1], int(point[words]))
    return uniform_attention(len(x), x) @ x


@measures(claims.form, claims.largest)
def form_and_its_largest_part(point: Point) -> tuple[Measured, Measured]:
    """|u^T Phi w| as a mean over sequences, and the largest ||A_0 X w|| ||(Y - U) u|| of one."""
    u, w = (tensor(point[vector])[:, 0] for vector in (claims.after, claims.before))
    pairs = [
        (sources(point, s) @ w, (targets(point, s) - 1 / len(u)) @ u) for s in range(int(point[N]))
    ]
    parts = torch.stack([mixed @ faced for mixed, faced in pairs])
    lengths = torch.stack([mixed.norm() * faced.norm() for mixed, faced in pairs])
    mean = float(parts.mean().abs()) / int(point[T])
    return Measured(mean, rounding(lengths)), Measured(float(lengths.max()), rounding(lengths))


@measures(claims.product)
def product(point: Point) -> Measured:
    """The product of three norms over T."""
    value = 1 / float(point[T])
    for symbol in (claims.inputs, claims.mixing, claims.outputs):
        value *= float(point[symbol])
    return Measured(value, rounding(1.0))


@measures(claims.context_map_norm)
def context_map_norm(point: Point) -> Measured:
    """The Frobenius norm of the context map."""
    value = float(statistics(tokens_of(point), int(point[words])).context.norm())
    return Measured(value, rounding(1.0))
