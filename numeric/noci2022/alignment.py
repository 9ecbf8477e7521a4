"""Correlations and cosines of finite laws, outcome by outcome."""

from __future__ import annotations

import torch
from torch import Tensor

from claims.domain import Point
from claims.noci2022 import alignment as claims
from claims.noci2022.notation import m, n
from numeric.agreement import Measured
from numeric.exact import tensor
from numeric.registry import directly

ONE = 1e-9
"""Correlations of small integer tokens that are not one differ from one by more than 1e-6."""


def correlation(first: Tensor, second: Tensor) -> Tensor:
    """<A, B> / (|A| |B|) over the last axis."""
    norms = first.square().sum(dim=-1) * second.square().sum(dim=-1)
    return (first * second).sum(dim=-1) / norms.sqrt()


def pair_flags(first: Tensor, second: Tensor) -> tuple[bool, ...]:
    """For tokens (outcomes, d): cos = 1 surely, one positive ratio, |cos| = 1 surely, equal."""
    cosines = correlation(first, second)
    a, b = first.flatten(), second.flatten()
    place = int(a.abs().argmax())
    ratio = b[place] / a[place]
    return (
        bool(((cosines - 1).abs() < ONE).all()),
        bool(ratio > 0 and ((b - ratio * a).abs() < ONE).all()),
        bool(((cosines.abs() - 1).abs() < ONE).all()),
        bool((a == b).all()),
    )


@directly(claims.correlation_one_means_aligned)
def flags_of_two_tokens(point: Point) -> Measured:
    """Whether rho_kk' = 1, then the flags of the pair."""
    first, second = tensor(point[claims.P]), tensor(point[claims.Q])
    rho = float(correlation(first.flatten(), second.flatten()))
    return Measured((abs(rho - 1) < ONE, *pair_flags(first, second)))


@directly(claims.average_correlation_one_means_all_aligned)
def flags_of_all_tokens(point: Point) -> Measured:
    """Whether the average rho is one, then whether each flag holds for every pair."""
    tokens = int(point[n])
    x = tensor(point[claims.X]).reshape(int(point[m]), tokens, -1)
    pairs = [(x[:, k], x[:, i]) for k in range(tokens) for i in range(tokens) if k != i]
    rho = torch.stack([correlation(a.flatten(), b.flatten()) for a, b in pairs]).mean()
    flags = torch.tensor([pair_flags(a, b) for a, b in pairs]).all(dim=0)
    return Measured((abs(float(rho) - 1) < ONE, *flags.tolist()))
