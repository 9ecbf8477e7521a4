"""Products of attention matrices whose rows are one row of shares in uniform orders, drawn."""

from __future__ import annotations

import torch
from torch import Tensor

from claims.domain import Point
from claims.naitsaada2025 import exchangeable as claims
from claims.naitsaada2025.exchangeable import shares
from claims.naitsaada2025.notation import T, d, depth, ell, p
from numeric.agreement import Measured
from numeric.exact import tensor
from numeric.layers import squared_norm
from numeric.naitsaada2025.gradients import weights
from numeric.registry import measures
from numeric.remembered import remembered
from numeric.sampling import Numbers, quick_stream, uniform
from numeric.trends import mean_of_runs

WORK = 2**20
"""Entries of attention matrices that are drawn for a mean."""


def rows_in_any_order(rng: Numbers, count: int, row: Tensor) -> Tensor:
    """Attention matrices, (count, T, T)."""
    tokens = row.numel()
    orders = uniform(rng, count, tokens, tokens).argsort(-1)
    return row[orders]


def through_attention(
    rng: Numbers, count: int, row: Tensor, layers: int, x: Tensor, shift: float = 0.0
) -> Tensor:
    """A_p ... A_1 x, with `shift` taken off every entry of every A."""
    for _ in range(layers):
        x = (rows_in_any_order(rng, count, row) - shift) @ x
    return x


def _runs(tokens: int, layers: int) -> int:
    return max(256, WORK // (layers * tokens**2))


@remembered()
def energies(row: tuple[float, ...], layers: int) -> tuple[Measured, Measured]:
    """Squared norms of what differs between tokens, and of their mean."""
    rng = quick_stream("naitsaada2025", "exchangeable", layers, *map(str, row))
    tokens = len(row)
    found = torch.tensor(row, dtype=torch.float64)
    count = _runs(tokens, layers)
    x = through_attention(rng, count, found, layers, torch.eye(tokens, dtype=torch.float64))
    middle = x.mean(-2, keepdim=True)
    return mean_of_runs(squared_norm(x - middle)), mean_of_runs(tokens * squared_norm(middle))


def _row(point: Point) -> Tensor:
    return tensor(point[shares])[0]


@measures(claims.across, claims.along)
def energies_across_and_along(point: Point) -> tuple[Measured, ...]:
    """E |(I - phi phi^T) A_p...A_1|^2 and E |phi^T A_p...A_1|^2."""
    return energies(tuple(_row(point).tolist()), int(point[p]))


def _gradient(point: Point, name: str, shift: float) -> Measured:
    """The squared norms of the two factors of the Jacobian, drawn one beside the other."""
    row, tokens, features = _row(point), int(point[T]), int(point[d])
    layers, place = int(point[depth]), int(point[ell])
    rng = quick_stream("naitsaada2025", name, layers, place, features, *map(str, row.tolist()))
    count = _runs(max(tokens, features), layers)
    first = weights(rng, count, features, place - 1)[:, :tokens]  # X_0 = (I 0)
    below = squared_norm(through_attention(rng, count, row, layers, first, shift))
    above = squared_norm(weights(rng, count, features, layers - place))
    return mean_of_runs(below * above)


@measures(claims.gradient)
def gradient(point: Point) -> Measured:
    """With the gap."""
    return _gradient(point, "mean gradient", 0.0)


@measures(claims.resolved)
def gradient_without_the_gap(point: Point) -> Measured:
    """The mean of every attention matrix taken off."""
    return _gradient(point, "resolved gradient", 1 / int(point[T]))
