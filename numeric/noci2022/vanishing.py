"""Loss gradients under rank collapse, by autograd through the uniform-attention layer."""

from __future__ import annotations

import math

import torch
from torch import Generator, Tensor

from claims.domain import Point
from claims.noci2022 import vanishing as claims
from claims.noci2022.notation import WK, WQ, WV, X, m
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.noci2022.setup import (
    PARAMETERS,
    Layer,
    draw_layer,
    squared_jacobian_norm,
    uniform_attention,
)
from numeric.registry import directly, measures, samples
from numeric.sampling import normal, stream

DRAWS = 4096
"""Random layers behind an expected norm that is compared with zero."""


def _squared_gradients(parameter: str, layer: Layer, upstream: Tensor) -> Tensor:
    """||dL/dW||^2 per sample for L = <G, S>; below rounding it counts as zero."""
    arguments = [layer.x, layer.wq, layer.wk, layer.wv]
    place = PARAMETERS[parameter]
    arguments[place] = arguments[place].clone().requires_grad_()
    out = uniform_attention(*arguments)
    (gradient,) = torch.autograd.grad((upstream * out).sum(), arguments[place])
    squared = gradient.square().sum(dim=(-1, -2))
    size = [1 + t.detach().abs().sum(dim=(-1, -2)) for t in (*arguments, upstream)]
    scale = size[0] ** 4 * size[1] * size[2] * size[3] ** 2 * size[4]
    return torch.where(squared.sqrt() <= rounding(1.0) * scale, 0.0, squared)


@directly(claims.query_and_key_gradients_vanish_under_rank_collapse)
def mean_gradient_over_outcomes(point: Point) -> Measured:
    """E ||dL/dW||^2 over the outcomes, by autograd."""
    count = int(point[m])
    wq, wk, wv, upstream = (
        tensor(point[stack]).reshape(count, -1, point[stack].cols)
        for stack in claims.stacked.values()
    )
    layer = Layer(tensor(point[X]).expand(count, -1, -1), wq, wk, wv)
    value = float(_squared_gradients(point[claims.parameter], layer, upstream).mean())
    return Measured(value, rounding(value))


@directly(claims.query_and_key_gradients_vanish_almost_surely)
def gradient_at_given_weights(point: Point) -> Measured:
    """||dL/dW||^2 at the point's weights, by autograd; below rounding it counts as zero."""
    layer = Layer(*(tensor(point[symbol])[None] for symbol in (X, WQ, WK, WV)))
    upstream = tensor(point[claims.loss_gradient])
    value = float(_squared_gradients(point[claims.parameter], layer, upstream))
    return Measured(value, rounding(value))


def _expected_norm(parameter: str, point: Point) -> Measured:
    """Mean of ||J^T g||^2 over random layers, with six standard errors."""
    layer = draw_layer(point, stream("layers"), DRAWS)
    directions = normal(stream("directions"), *layer.x.shape)
    norms = _squared_gradients(parameter, layer, directions)
    error = 6 * float(norms.std()) / math.sqrt(DRAWS)
    return Measured(float(norms.mean()), error)


@measures(claims.value_norm)
def expected_value_norm(point: Point) -> Measured:
    """Mean of ||J^T g||^2, g ~ N(0, I), over random layers: unbiased for E||J||_F^2."""
    return _expected_norm("values", point)


@measures(claims.input_norm)
def expected_input_norm(point: Point) -> Measured:
    """The same for the input."""
    return _expected_norm("input", point)


@samples(claims.query_gradient_norm_restated)
def sampled_query_gradient_norm(point: Point, rng: Generator, count: int) -> Tensor:
    """||dS/dW^Q u||^2 over random weights and directions."""
    return squared_jacobian_norm(draw_layer(point, rng, count), "queries", rng)
