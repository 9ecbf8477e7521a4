"""Loss gradients under rank collapse, by autograd through the uniform-attention layer."""

from __future__ import annotations

import torch
from torch import Generator, Tensor

from claims.domain import Point
from claims.noci2022 import vanishing as claims
from claims.noci2022.collapse import c
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.noci2022.setup import (
    PARAMETERS,
    Layer,
    draw_layer,
    squared_jacobian_norm,
    uniform_attention,
)
from numeric.registry import directly, samples
from numeric.sampling import generator, normal

DRAWS = 16
"""Random layers behind a flag: what is zero almost surely is zero at each of them."""


def _squared_gradients(parameter: str, layer: Layer, upstream: Tensor, curvature: float) -> Tensor:
    """||dL/dW||^2 per sample for L = <G, S> + (c/2)||S||^2; below rounding it counts as zero."""
    arguments = [layer.x, layer.wq, layer.wk, layer.wv]
    place = PARAMETERS[parameter]
    arguments[place] = arguments[place].clone().requires_grad_()
    out = uniform_attention(*arguments)
    loss = (upstream * out).sum() + curvature / 2 * out.square().sum()
    (gradient,) = torch.autograd.grad(loss, arguments[place])
    squared = gradient.square().sum(dim=(-1, -2))
    size = [1 + t.detach().abs().sum(dim=(-1, -2)) for t in (*arguments, upstream)]
    scale = size[0] ** 4 * size[1] * size[2] * size[3] ** 2 * size[4]
    return torch.where(squared.sqrt() <= rounding(1.0) * scale, 0.0, squared)


def _of_loss(point: Point, layer: Layer) -> Tensor:
    upstream = tensor(point[claims.loss_gradient])
    return _squared_gradients(point[claims.parameter], layer, upstream, float(point[c]))


@samples(claims.query_and_key_gradients_vanish_under_rank_collapse)
def sampled_loss_gradient_norm(point: Point, rng: Generator, count: int) -> Tensor:
    """||dL/dW||^2 over standard normal weights."""
    return _of_loss(point, draw_layer(point, rng, count))


@directly(claims.query_and_key_gradients_vanish_almost_surely)
def gradient_vanishes(point: Point) -> Measured:
    """Whether the mean over a few random layers, and each of their gradients, is zero."""
    values = _of_loss(point, draw_layer(point, generator(0, "layers"), DRAWS))
    return Measured((float(values.mean()) == 0, bool((values == 0).all())))


@directly(claims.value_and_input_gradients_survive_rank_collapse)
def expected_jacobian_norm(point: Point) -> Measured:
    """Mean of ||J^T g||^2, g ~ N(0, I), over a few random layers: unbiased for ||J||_F^2."""
    rng = generator(0, "layers")
    layer = draw_layer(point, rng, DRAWS)
    directions = normal(rng, *layer.x.shape)
    norms = _squared_gradients(point[claims.parameter], layer, directions, 0.0)
    return Measured(float(norms.mean()))


@samples(claims.query_gradient_norm_restated)
def sampled_query_gradient_norm(point: Point, rng: Generator, count: int) -> Tensor:
    """||dS/dW^Q u||^2 over random weights and directions."""
    return squared_jacobian_norm(draw_layer(point, rng, count), "queries", rng)
