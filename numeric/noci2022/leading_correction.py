"""The second derivative of the output norm at tau = 0, by differentiating twice."""

from __future__ import annotations

from itertools import product

import torch
from torch import Tensor

from claims.domain import Point
from claims.noci2022 import leading_correction as claims
from claims.noci2022.notation import X, d_k, sigma_k, sigma_q, sigma_v
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.jacobians import second_derivative
from numeric.layers import attention
from numeric.registry import directly


@directly(claims.leading_correction_to_uniform_attention)
def averaged_correction(point: Point) -> Measured:
    """Half of d^2/dtau^2 E||softmax(tau M) X W^V||_F^2 at tau = 0.

    At tau = 0 the derivative is quadratic in the logits, hence in W^Q and in W^K: their second
    moments are averaged exactly by summing over pairs of unit directions.  Over W^V the sum of
    ||Y E_gh||^2 is d_v ||Y||^2, so W^V = I stands for all of its directions.
    """
    x, keys = tensor(point[X]), int(point[d_k])
    width = x.shape[-1]
    units = torch.eye(width * keys, dtype=x.dtype, device=x.device).unflatten(-1, (width, keys))
    places = torch.tensor(list(product(range(width * keys), repeat=2)), device=x.device).T
    wq, wk = (units[place] for place in places)
    identity = torch.eye(width, dtype=x.dtype, device=x.device)

    def norm(tau: Tensor) -> Tensor:
        return attention(x, tau * wq, wk, identity).square().sum(dim=(-1, -2, -3))

    curvature = float(second_derivative(norm, x.new_zeros(())))
    stds = [float(point[sigma]) for sigma in (sigma_q, sigma_k, sigma_v)]
    scale = width / 2
    for std in stds:
        scale *= std**2
    return Measured(scale * curvature, rounding(scale * float(1 + x.square().sum()) ** 3))


@directly(claims.leading_distance_from_uniform_attention)
def averaged_distance(point: Point) -> Measured:
    """Half of d^2/dtau^2 E||softmax(tau M) - 11^T/n||_F^2 at tau = 0.

    It is quadratic in W^Q W^K^T, whose entries are uncorrelated and have variance
    d_k sigma_q^2 sigma_k^2: the sum over unit matrices in its place, times 1/d_k of the logits.
    """
    x = tensor(point[X])
    size, width = x.shape
    units = torch.eye(width**2, dtype=x.dtype, device=x.device).unflatten(-1, (width, width))
    logits = x @ units @ x.mT

    def distance(tau: Tensor) -> Tensor:
        return ((tau * logits).softmax(dim=-1) - 1 / size).square().sum(dim=(-1, -2, -3))

    value = float(second_derivative(distance, x.new_zeros(()))) / 2
    for sigma in (sigma_q, sigma_k):
        value *= float(point[sigma]) ** 2
    return Measured(value, rounding(value, float(1 + x.square().sum()) ** 2))
