"""Gradient norms of the uniform-attention layer over Gaussian tokens, by autograd.

The weights are +-1/sqrt(d), the sign of a Gaussian: an i.i.d. zero-mean law with the Xavier
variance, chosen because it adds the least spread to the heavy tails of a sixth-order polynomial.
"""

from __future__ import annotations

import math

import torch
from torch import Generator, Tensor

from claims.domain import Point
from claims.noci2022 import moments as claims
from claims.noci2022.notation import d, n
from numeric.jacobians import directional
from numeric.noci2022.setup import (
    PARAMETERS,
    Layer,
    draw_layer,
    squared_jacobian_norm,
    uniform_attention,
)
from numeric.noci2022.terms import scatter_norm
from numeric.noci2022.tokens import draw_tokens
from numeric.registry import samples
from numeric.sampling import normal


def _signs(rng: Generator, count: int, width: int) -> Tensor:
    return normal(rng, count, width, width).sign()


def sampled_gradient_norm(parameter: str, point: Point, rng: Generator, count: int) -> Tensor:
    """||dS/dW[U]||^2 for a matrix U of random signs, unbiased for ||dS/dW||_F^2."""
    width = int(point[d])
    x = draw_tokens(point, rng, count, degree=6 if parameter == "queries" else 2)
    direction = _signs(rng, count, width)
    # S is linear in W^V, so its step does not involve W^V; dS/dW^Q does not involve W^Q.
    weights = [torch.zeros_like(direction)] * 3
    for place in (1, 2) if parameter == "queries" else ():
        weights[place] = _signs(rng, count, width) / math.sqrt(width)
    arguments = [x, *weights]
    place = PARAMETERS[parameter]

    def of_parameter(value: Tensor) -> Tensor:
        filled = [value if k == place else w for k, w in enumerate(arguments)]
        return uniform_attention(filled[0], filled[1], filled[2], filled[3])

    moved = directional(of_parameter, arguments[place], direction)
    return moved.square().sum(dim=(-1, -2))


@samples(claims.value_gradient_norm_of_gaussian_tokens)
def sampled_value_gradient(point: Point, rng: Generator, count: int) -> Tensor:
    """||dS/dW^V[U]||^2."""
    return sampled_gradient_norm("values", point, rng, count)


@samples(claims.query_gradient_norm_of_gaussian_tokens)
def sampled_query_gradient(point: Point, rng: Generator, count: int) -> Tensor:
    """||dS/dW^Q[U]||^2."""
    return sampled_gradient_norm("queries", point, rng, count)


@samples(claims.scatter_norm_of_gaussian_tokens)
def sampled_scatter_norm(point: Point, rng: Generator, count: int) -> Tensor:
    """||X^T L X||_F^2."""
    return scatter_norm(draw_tokens(point, rng, count, degree=4))


@samples(claims.norm_and_scatter_are_uncorrelated)
def sampled_covariance(point: Point, rng: Generator, count: int) -> Tensor:
    """Half the product of the differences between two independent sequences."""
    width = int(point[d])
    both = draw_tokens(point, rng, count, degree=6, width=2 * width)
    x, y = both[..., :width], both[..., width:]
    norm = x.square().sum(dim=(-1, -2)) - y.square().sum(dim=(-1, -2))
    return norm * (scatter_norm(x) - scatter_norm(y)) / 2


@samples(claims.query_gradient_norm_restated)
def sampled_product_of_means(point: Point, rng: Generator, count: int) -> Tensor:
    """||X||_F^2 ||Y^T L Y||_F^2/(d n^2) for two independent sequences, at Xavier variances."""
    width, size = int(point[d]), int(point[n])
    both = draw_tokens(point, rng, count, degree=6, width=2 * width)
    x, y = both[..., :width], both[..., width:]
    return x.square().sum(dim=(-1, -2)) * scatter_norm(y) / (width * size**2)


@samples(claims.query_gradient_moment)
def sampled_joint_moment(point: Point, rng: Generator, count: int) -> Tensor:
    """||X||_F^2 ||X^T X - n xbar xbar^T||_F^2 with its printed prefactor, at Xavier variances."""
    x = draw_tokens(point, rng, count, degree=6)
    size, width = int(point[n]), int(point[d])
    mean = x.mean(dim=-2).unsqueeze(-1)
    scatter = (x.mT @ x - size * mean @ mean.mT).square().sum(dim=(-1, -2))
    variance = 1 / width
    return (
        variance * variance * width**2 / (width * size**2) * x.square().sum(dim=(-1, -2)) * scatter
    )


@samples(claims.query_gradient_norm_for_one_width)
def sampled_query_gradient_at_fixed_tokens(point: Point, rng: Generator, count: int) -> Tensor:
    """||dS/dW^Q u||^2 over Gaussian weights and directions."""
    layer: Layer = draw_layer(claims.square_layer(point), rng, count)
    return squared_jacobian_norm(layer, "queries", rng)
