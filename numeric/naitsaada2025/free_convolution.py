"""Squared singular values of products of two sampled Gaussian matrices."""

from __future__ import annotations

from torch import Generator, Tensor
from torch.linalg import svdvals

from claims.domain import Point
from claims.naitsaada2025 import free_convolution as claims
from claims.naitsaada2025.free_convolution import other, sigma
from claims.naitsaada2025.notation import T
from numeric.registry import samples
from numeric.sampling import sphere


@samples(claims.singular_values_multiply_freely)
def sampled_mean_square(point: Point, rng: Generator, count: int) -> Tensor:
    """The mean of s_i^2(MM'); of degree two in each factor."""
    size = int(point[T])
    first, second = (sphere(rng, count, size, size) for _ in range(2))
    scale = float(point[sigma] * point[other] / point[T]) ** 2
    return svdvals(first @ second).square().mean(dim=1) * scale
