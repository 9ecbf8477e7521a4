"""The law of a logit by quadrature over the densities of its factors, and by samples."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from claims.domain import Point
from claims.naitsaada2025 import logits as claims
from claims.naitsaada2025.notation import d_qk, sigma_qk
from numeric.agreement import Measured
from numeric.registry import measures
from numeric.remembered import remembered

NODES, DOUBLINGS, SETTLED = 20001, 12, 1e-10


@remembered()
def mean_exponential(order: float, deviation: float) -> float:
    """E exp(s Q K) by trapezoids over Q, each K integrated out; infinite where widening never settles."""
    before = math.inf
    for doubling in range(DOUBLINGS):
        reach = 8.0 * 2**doubling
        q = torch.linspace(-reach, reach, NODES, dtype=torch.float64)
        log_density = -q.square() / 2 + (order * deviation**2 * q).square() / 2
        value = float(log_density.exp().sum()) * 2 * reach / (NODES - 1) / math.sqrt(2 * math.pi)
        if not math.isfinite(value):
            break
        if abs(value - before) <= SETTLED * value:
            return value
        before = value
    return math.inf


def _moment(order: int, width: int, deviation: float) -> float:
    return float(mean_exponential(order / math.sqrt(width), deviation) ** width)


@measures(claims.reciprocal)
def reciprocal_fourth_moment(point: Point) -> Measured:
    """One over E Z^4; zero where the integral grows with its range."""
    value = 1 / _moment(4, int(point[d_qk]), float(point[sigma_qk]))
    return Measured(value, 1e-6 * value)


@measures(claims.spread, claims.other_spread)
def spreads(point: Point) -> tuple[Measured, Measured]:
    """Var Z / (E Z)^2 for both widths."""
    found = []
    for width in (d_qk, claims.other):
        size = int(point.get(width, point[d_qk]))
        first, second = (_moment(k, size, float(point[sigma_qk])) for k in (1, 2))
        found.append(Measured(second / first**2 - 1, 1e-7 * second / first**2))
    return found[0], found[1]


@measures(claims.laplace)
def laplace_transform(point: Point) -> Measured:
    """E exp(s U), s = r / sigma^2, one product at a time."""
    deviation = float(point[sigma_qk])
    one = mean_exponential(float(point[claims.tilt]) / deviation**2, deviation)
    value = one ** int(point[d_qk])
    return Measured(value, 1e-6 * value)


@measures(claims.transform)
def tilted_mass(point: Point) -> Measured:
    """The integral over the density, by trapezoids in log|x|."""
    v = torch.linspace(-40, 8, 400001, dtype=torch.float64)
    y, tilt = v.exp(), float(point[claims.tilt])
    scaled = torch.special.scaled_modified_bessel_k0(y)
    body = (((tilt - 1) * y).exp() + ((-tilt - 1) * y).exp()) / 2 * scaled * y
    value = float(torch.trapezoid(body, v)) * 2 / math.pi
    return Measured(value, 1e-6 * value)


@measures(claims.ratio)
def bessel_ratio(point: Point, step: int) -> Measured:
    """K_0 over its leading term, to rounding."""
    x = torch.tensor(float(point[claims.x]) * step, dtype=torch.float64)
    value = float(torch.special.scaled_modified_bessel_k0(x)) * math.sqrt(2 * float(x) / math.pi)
    return Measured(value, 1e-12 * value)


def _log_density(x: Tensor, width: int, deviation: float) -> Tensor:
    """log f(x): given the keys, U is normal with variance sigma^4 chi^2."""
    v = torch.linspace(-30, 16, 60001, dtype=torch.float64)
    chi = v.exp()
    log_weight = (width / 2) * v - chi / 2 - width / 2 * math.log(2) - math.lgamma(width / 2)
    log_normal = -((x / deviation**2) ** 2) / (2 * chi) - (2 * math.pi * chi).log() / 2
    step = math.log(float(v[1] - v[0]))
    return torch.logsumexp(log_weight + log_normal, 0) + step - 2 * math.log(deviation)


@measures(claims.rate)
def decay_rate(point: Point) -> Measured:
    """The slope of -log f between x and 2x, off by the slope of a power of x."""
    deviation, width = float(point[sigma_qk]), 2 * int(point[claims.half])
    x = 2000 * deviation**2
    near, far = (
        float(_log_density(torch.tensor(place, dtype=torch.float64), width, deviation))
        for place in (x, 2 * x)
    )
    return Measured((near - far) / x, width / x)


@measures(claims.slope)
def slope_of_the_density(point: Point, steps: int) -> Measured:
    """-(log f)' under the integral over the keys, which trapezoids give to nearly all digits."""
    x = torch.tensor(float(point[claims.x]) * steps, dtype=torch.float64, requires_grad=True)
    log_density = _log_density(x, 2 * int(point[claims.half]), float(point[sigma_qk]))
    (slope,) = torch.autograd.grad(-log_density, x)
    return Measured(float(slope), 1e-8 / float(point[sigma_qk]) ** 2)
