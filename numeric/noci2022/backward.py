"""Sampled gradient norms of the uniform-attention layer, differentiated by autograd."""

from __future__ import annotations

from torch import Generator, Tensor

from claims.domain import Point
from claims.noci2022 import backward as claims
from numeric.noci2022.setup import draw_layer, squared_jacobian_norm
from numeric.registry import samples


@samples(claims.value_gradient_norm_of_uniform_attention)
def sampled_value_gradient_norm(point: Point, rng: Generator, count: int) -> Tensor:
    """||dS/dW^V u||^2 for a random direction u ~ N(0, I): unbiased for the squared Frobenius norm."""
    return squared_jacobian_norm(draw_layer(point, rng, count), "values", rng)
