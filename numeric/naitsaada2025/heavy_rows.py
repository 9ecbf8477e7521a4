"""Stable ranks of attention layers whose rows have heavy tails."""

from __future__ import annotations

import torch
from torch import Generator, Tensor

from claims.domain import Point
from claims.naitsaada2025 import heavy_rows as claims
from claims.naitsaada2025.notation import T
from numeric.agreement import Measured, rounding
from numeric.registry import measures, samples
from numeric.sampling import normal


def _pareto(point: Point, rng: Generator, *shape: int) -> Tensor:
    """P(Z > z) = z^(-4-delta), from normal variables by their distribution function."""
    uniform = torch.special.ndtr(normal(rng, *shape)).clamp_min(torch.finfo(torch.float64).tiny)
    return uniform ** (-1 / (4 + float(point[claims.delta])))


@measures(claims.heavy)
def largest_is_above(point: Point) -> Measured:
    """Among as many tokens as the point has."""
    return largest_among(point, int(point[T]))


@measures(claims.heavy_at)
def largest_among(point: Point, size: int) -> Measured:
    """One less the product of what every single entry has of not being above 4T."""
    above = torch.full((size, size), 4.0 * size, dtype=torch.float64)
    single = torch.log1p(-(above ** -(4 + float(point[claims.delta]))))
    value = -float(torch.expm1(single.sum()))
    return Measured(value, rounding(value))


@samples(claims.kept)
def rank_is_kept(point: Point, rng: Generator, count: int) -> Tensor:
    """Whether sr(XX^T) is at least 1.05 given that one entry, which may be the first, is above 4T."""
    size = int(point[T])
    weights = _pareto(point, rng, count, size, size)
    weights[:, 0, 0] *= 4 * size
    attention = weights / weights.sum(dim=-1, keepdim=True)
    tokens = attention @ normal(rng, count, size, size)
    covariance = tokens @ tokens.mT
    top = torch.linalg.eigvalsh(covariance)[:, -1]
    return covariance.square().sum(dim=(-1, -2)) >= 1.05 * top.square()
