"""The attention layer of Noci et al. (2022) as torch sees it: random weights, autograd Jacobians.

Uniform attention is the softmax linearised at equal logits: A = 11^T/n + (dM - mean) / n with the
logits' own value removed, so that A is 11^T/n exactly and its derivative is the softmax's.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial

import torch
from torch import Generator, Tensor

from claims.domain import Point
from claims.noci2022.notation import X, d_k, d_v, sigma_k, sigma_q, sigma_v
from numeric.exact import tensor
from numeric.jacobians import directional, full_jacobian
from numeric.layers import attention
from numeric.sampling import normal, sphere

__all__ = [
    "Layer",
    "draw_layer",
    "gaussian_layer",
    "jacobian",
    "squared_jacobian_norm",
    "tensor",
    "uniform_attention",
]


@dataclass(frozen=True)
class Layer:
    """Tokens (samples, n, d_v) and weights (samples, d_v, d_k | d_k | d_v), float64."""

    x: Tensor
    wq: Tensor
    wk: Tensor
    wv: Tensor


def draw_layer(point: Point, rng: Generator, count: int) -> Layer:
    """`count` layers for squared norms: tokens of the point, weights of its variances.

    A squared norm of the Jacobian is quadratic in W^Q and W^K, which are Gaussian of fixed length.
    W^V stands at the end of every product, and E||P W^V||^2 = sigma_v^2 d_v ||P||^2, so that a
    multiple of the identity stands for all of its directions.
    """
    v, k = int(point[d_v]), int(point[d_k])
    std = [float(point.get(s, 1)) for s in (sigma_q, sigma_k, sigma_v)]
    wq, wk = (sphere(rng, count, v, k, std=s) for s in std[:2])
    wv = math.sqrt(v) * std[2] * torch.eye(v, dtype=wq.dtype, device=wq.device)
    return Layer(tensor(point[X]).expand(count, -1, -1), wq, wk, wv.expand(count, -1, -1))


def gaussian_layer(point: Point, rng: Generator, count: int) -> Layer:
    """`count` layers with the point's tokens and independent standard normal weights."""
    v, k = int(point[d_v]), int(point[d_k])
    shapes = ((v, k), (v, k), (v, v))
    return Layer(
        tensor(point[X]).expand(count, -1, -1), *(normal(rng, count, *shape) for shape in shapes)
    )


uniform_attention = partial(attention, uniform=True)
"""S = A X W^V with A = 11^T/n and the softmax Jacobian at equal logits; last axes (n, d_v)."""


PARAMETERS = {"input": 0, "queries": 1, "keys": 2, "values": 3}


MOST_DIRECTIONS = 12
"""Up to this many parameter entries the Jacobian is summed exactly, one unit direction at a time."""


def squared_jacobian_norm(layer: Layer, parameter: str, rng: Generator) -> Tensor:
    """||dS/d(parameter)||_F^2 per sample, without a Jacobian.

    Summed over unit directions where these are few; otherwise ||J u||^2 for one direction u,
    Gaussian of fixed length and independent of all else: unbiased for the squared Frobenius norm.
    """
    arguments = [layer.x, layer.wq, layer.wk, layer.wv]
    place = PARAMETERS[parameter]
    value = arguments[place].contiguous()

    def of_parameter(entries: Tensor) -> Tensor:
        return uniform_attention(*_replaced(arguments, place, entries))

    def moved(direction: Tensor) -> Tensor:
        step = directional(of_parameter, value, direction.expand_as(value))
        return step.square().sum(dim=(-1, -2))

    rows, cols = value.shape[-2:]
    if rows * cols > MOST_DIRECTIONS:
        return moved(sphere(rng, *value.shape))
    units = torch.eye(rows * cols, dtype=value.dtype, device=value.device)
    return sum((moved(u.unflatten(0, (rows, cols))) for u in units), start=value.new_zeros(()))


Arguments = tuple[Tensor, Tensor, Tensor, Tensor]


def _replaced(arguments: list[Tensor], place: int, value: Tensor) -> Arguments:
    """The layer's four arguments with one of them replaced."""
    x, wq, wk, wv = (value if i == place else a for i, a in enumerate(arguments))
    return x, wq, wk, wv


def jacobian(layer: Layer, parameter: str) -> Tensor:
    """dS/d(parameter) of one layer: rows and columns in row-major order of S and the parameter."""
    arguments = [layer.x, layer.wq, layer.wk, layer.wv]
    place = PARAMETERS[parameter]

    def of_parameter(value: Tensor) -> Tensor:
        return uniform_attention(*_replaced(arguments, place, value))

    full = full_jacobian(of_parameter, arguments[place])
    return full.flatten(0, 1).flatten(1, 2)
