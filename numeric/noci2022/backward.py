"""Gradient norms of the uniform-attention layer, differentiated by autograd or built from its parts.

A random direction makes ||J u||^2 unbiased for the squared Frobenius norm; where a weight matrix
enters linearly, its second moment is averaged out exactly by summing over unit directions.
"""

from __future__ import annotations

import torch
from torch import Generator, Tensor

from claims.domain import Point
from claims.noci2022 import backward as claims
from claims.noci2022.notation import WK, WQ, WV, X, sigma_v
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.jacobians import full_jacobian, key_gradient_norm, query_gradient_norm
from numeric.noci2022.setup import Layer, draw_layer, jacobian, squared_jacobian_norm
from numeric.reach import KRONECKER
from numeric.registry import directly, samples


@samples(claims.value_gradient_norm_of_uniform_attention)
def sampled_value_gradient_norm(point: Point, rng: Generator, count: int) -> Tensor:
    """||dS/dW^V u||^2 for a random direction u ~ N(0, I): unbiased for the squared Frobenius norm."""
    return squared_jacobian_norm(draw_layer(point, rng, count), "values", rng)


@samples(claims.query_gradient_norm_of_uniform_attention)
def sampled_query_gradient_norm(point: Point, rng: Generator, count: int) -> Tensor:
    """||dS/dW^Q||_F^2 over random W^K, W^V averaged exactly: a rearrangement held to autograd."""
    layer = draw_layer(point, rng, count)
    variance = float(point[sigma_v]) ** 2
    return query_gradient_norm(layer.x, layer.wq, layer.wk, sigma_v2=variance, uniform=True)


@samples(claims.key_gradient_norm_of_uniform_attention)
def sampled_key_gradient_norm(point: Point, rng: Generator, count: int) -> Tensor:
    """||dS/dW^K||_F^2 over random W^Q, W^V averaged exactly: a rearrangement held to autograd."""
    layer = draw_layer(point, rng, count)
    variance = float(point[sigma_v]) ** 2
    return key_gradient_norm(layer.x, layer.wq, layer.wk, sigma_v2=variance, uniform=True)


@directly(claims.value_jacobian_norm_chain)
def value_jacobian_norm(point: Point) -> Measured:
    """The full Jacobian of (11^T/n) X W by autograd, squared and summed."""
    x = tensor(point[X])
    size, width = x.shape
    uniform = torch.full((size, size), 1 / size, dtype=x.dtype, device=x.device)
    full = full_jacobian(lambda w: uniform @ x @ w, torch.eye(width, dtype=x.dtype))
    value = float(full.square().sum())
    return Measured(value, rounding(1 + value))


def given(point: Point) -> Layer:
    """One layer with the point's tokens and weights."""
    return Layer(*(tensor(point[symbol]) for symbol in (X, WQ, WK, WV)))


@directly(claims.query_jacobian_of_uniform_attention, reach=KRONECKER)
def query_jacobian(point: Point) -> Measured:
    """The full Jacobian by autograd, rows and columns in row-major order."""
    value = jacobian(given(point), "queries")
    return Measured(value, rounding(1 + value.abs().max()))


@directly(claims.query_jacobian_norm_of_uniform_attention)
def query_jacobian_norm(point: Point) -> Measured:
    """Sum of squares of the full Jacobian."""
    value = float(jacobian(given(point), "queries").square().sum())
    return Measured(value, rounding(1 + value))


@samples(claims.second_moment_of_the_weighted_scatter)
def sampled_weighted_scatter(point: Point, rng: Generator, count: int) -> Tensor:
    """||W^V^T X^T (X - mean token) W^K||_F^2 over random weights."""
    layer = draw_layer(point, rng, count)
    centred = layer.x - layer.x.mean(dim=-2, keepdim=True)
    product_ = layer.wv.mT @ layer.x.mT @ centred @ layer.wk
    return product_.square().sum(dim=(-1, -2))
