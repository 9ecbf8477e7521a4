"""The mean of the later factors: averaged for a quadratic loss, integrated for an exponential one."""

from __future__ import annotations

import math

import torch

from claims.domain import Point
from claims.noci2022 import loss_growth as claims
from claims.noci2022.notation import X, alpha1, n
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.reach import Reach
from numeric.registry import directly, measures


@directly(
    claims.mean_of_later_factors_is_a_power_of_the_norm,
    reach=Reach(64, "one pass for every entry of the value matrix"),
)
def averaged_later_factors(point: Point) -> Measured:
    """||dL/dZ||^2 ||dZ/dZ||^2 for Z = alpha_1 S + X, the loss by autograd, averaged over W^V.

    The residual is linear in W^V, so that the mean is 1/d_v times the sum over unit matrices.
    """
    x, strength = tensor(point[X]), float(point[alpha1])
    width = x.shape[1]
    units = torch.eye(width**2, dtype=x.dtype, device=x.device).reshape(-1, width, width)
    z = (strength * x.mean(dim=0, keepdim=True) @ units + x).detach().requires_grad_()
    loss = ((x * z).sum(dim=(-1, -2)) - x.square().sum()).square() / 2
    (gradient,) = torch.autograd.grad(loss.sum(), z)
    value = float(gradient.square().sum()) * x.numel() / width
    return Measured(value, rounding(max(value, float(x.square().sum()) ** 3)))


@measures(claims.inverse_of_mean)
def inverse_of_mean(point: Point) -> Measured:
    """1/(1 + E F) by the trapezoidal rule; where the integrand grows outwards, the mean is infinite."""
    x, s = float(point[claims.value_of_token]), float(point[claims.strength_of_loss])
    w = torch.linspace(-60.0, 60.0, 2**16 + 1, dtype=torch.float64)
    z = x * (1 + float(point[alpha1]) * w)
    exponent = 2 * s * z.square() - w.square() / 2
    if max(exponent[0], exponent[-1]) > -50:
        return Measured(0.0)
    scale = float(exponent.max())
    factor = 4 * s * s * z.square() * torch.exp(exponent - scale) / math.sqrt(2 * math.pi)
    mean = float(point[n]) * float(torch.trapezoid(factor, w)) * math.exp(min(scale, 700.0))
    return Measured(1 / (1 + mean), rounding(1.0))
