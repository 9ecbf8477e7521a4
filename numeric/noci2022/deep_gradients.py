"""Query gradients along the depth, averaged exactly over networks of width one, and of one layer."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import torch
from torch import Tensor

from claims.domain import Point
from claims.noci2022 import deep_gradients as claims
from claims.noci2022.notation import X
from numeric import device
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.noci2022.network import correlation, strengths
from numeric.noci2022.setup import Layer, draw_layer, squared_jacobian_norm
from numeric.registry import measures
from numeric.remembered import remembered
from numeric.sampling import stream

DRAWS = 4096
"""Random layers behind the expected norm of one layer."""
LAYERS = 2
"""Blocks over which gradients are followed; every one multiplies the number of networks by 64."""


@remembered()
def _gauss_hermite() -> tuple[Tensor, Tensor]:
    """Values and probabilities of w, f and g with the moments of three Gaussians up to degree seven."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(4)
    law = torch.tensor(weights / weights.sum(), device=device.current())
    values = torch.tensor(nodes, device=device.current())
    return torch.cartesian_prod(values, values, values), torch.cartesian_prod(law, law, law).prod(1)


def gradients_along_the_depth(point: Point) -> list[float]:
    """E||dS^l/dW^{Q,l}||^2 for l = 0 ... LAYERS at width one, whose statistic has degree six."""
    strength1, strength2 = strengths(point)
    values, law = _gauss_hermite()
    w, f, g = (v[None, :, None, None] for v in values.T)
    x = tensor(point[X])[None]
    likely = law.new_ones(1)
    found = []
    for layer in range(LAYERS + 1):
        ones = x.new_ones(len(x), 1, 1)
        squared = squared_jacobian_norm(Layer(x, ones, ones, ones), "queries", stream("unused"))
        found.append(float((likely * squared).sum()))
        if layer < LAYERS:
            before = x[:, None]
            z = before + strength1 * before.mean(dim=-2, keepdim=True) * w
            x = (z + strength2 * z * f * g).flatten(0, 1)
            likely = (likely[:, None] * law).flatten()
    return found


@measures(claims.limiting_gradient)
def limiting_gradient(point: Point) -> Measured:
    """The limit of a sum of powers with coefficients that are not negative, whose ratios then rise.

    It is infinite where a block multiplies the mean by more than one.  W^Q does not enter, and W^K
    and W^V only by their squares, so that ones stand for them.
    """
    means = gradients_along_the_depth(point)
    size = float(tensor(point[X]).square().sum()) ** 3
    if means[0] <= rounding(size, operations=10**4):
        return Measured(0.0)
    ratios = [after / before for before, after in pairwise(means)]
    if ratios[0] > 1 + rounding(1.0, operations=10**6):
        return Measured(math.inf)
    return Measured(means[-1], abs(means[-1] - means[-2]) + rounding(means[-1], operations=10**4))


@measures(claims.mean_cosine)
def mean_cosine(point: Point) -> Measured:
    """The mean cosine of two different tokens."""
    x = tensor(point[X])
    return Measured(float(correlation(x @ x.mT)), rounding(1.0))


@measures(claims.query_norm)
def expected_query_norm(point: Point) -> Measured:
    """Mean of ||J u||^2 over random layers, with six standard errors."""
    layer = draw_layer(point, stream("layers"), DRAWS)
    norms = squared_jacobian_norm(layer, "queries", stream("directions"))
    value = float(norms.mean())
    return Measured(value, 6 * float(norms.std()) / math.sqrt(DRAWS) + rounding(value))
