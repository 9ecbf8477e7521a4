"""How often largest singular values of sampled products are far from their mean."""

from __future__ import annotations

import torch
from torch import Generator, Tensor

from claims.domain import Point
from claims.naitsaada2025 import concentration as claims
from claims.naitsaada2025.notation import d, p, q
from numeric.reach import Reach
from numeric.registry import samples
from numeric.sampling import normal

TOKENS = 2
"""Rows of W_1 behind a unit vector, which may be any."""
DECOMPOSED = Reach(16, "a singular value of every sample")


def top(matrices: Tensor) -> Tensor:
    """The largest singular value of each matrix, from the smaller Gram matrix."""
    wide = matrices.shape[-2] <= matrices.shape[-1]
    gram = matrices @ matrices.mT if wide else matrices.mT @ matrices
    return torch.linalg.eigvalsh(gram)[..., -1].clamp_min(0).sqrt()


def _behind(rows: Tensor, point: Point, rng: Generator, count: int) -> Tensor:
    """s_1 d^(-q/2) of the matrices `rows` times q Gaussian ones."""
    width, product = int(point[d]), rows
    for _ in range(int(point[q])):
        product = product @ normal(rng, count, product.shape[-1], width)
    return top(product) / width ** (int(point[q]) / 2)


def _projected(point: Point, rng: Generator, count: int) -> Tensor:
    return _behind(torch.full((TOKENS, TOKENS), 1 / TOKENS).double(), point, rng, count)


def _far(norms: Tensor, distance: float) -> Tensor:
    return (norms - 1).abs() >= distance


@samples(claims.off_square)
def square_is_far(point: Point, rng: Generator, count: int) -> Tensor:
    """Whether s_1^2 / d^q is off by t."""
    return _far(_projected(point, rng, count).square(), float(point[claims.t]))


@samples(claims.off_norm)
def norm_is_far(point: Point, rng: Generator, count: int) -> Tensor:
    """Whether s_1 / d^(q/2) is off by t."""
    return _far(_projected(point, rng, count), float(point[claims.t]))


@samples(claims.beyond)
def norm_is_above(point: Point, rng: Generator, count: int) -> Tensor:
    """Whether s_1 / d^(q/2) is at least 1 + t."""
    return _projected(point, rng, count) >= 1 + float(point[claims.t])


@samples(claims.upper_tail)
def norm_is_beyond(point: Point, rng: Generator, count: int) -> Tensor:
    """Whether s_1 / d^(q/2) is at least v."""
    return _projected(point, rng, count) >= float(point[claims.v])


def attention(point: Point, rng: Generator, count: int) -> Tensor:
    """A_p ... A_1 with Dirichlet rows, T = d."""
    size = int(point[d])
    product = torch.eye(size, dtype=torch.float64)
    for _ in range(int(point[p])):
        weights = normal(rng, count, size, size, 2).square().sum(dim=-1)
        product = weights / weights.sum(dim=-1, keepdim=True) @ product
    return product


@samples(claims.off_network, reach=DECOMPOSED)
def network_is_far(point: Point, rng: Generator, count: int) -> Tensor:
    """Whether s_1(A W) / d^(q/2) is off by t."""
    return _far(_behind(attention(point, rng, count), point, rng, count), float(point[claims.t]))
