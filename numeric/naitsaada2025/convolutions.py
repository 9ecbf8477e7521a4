"""Rates of decay of convolutions, by trapezoids at two places far out."""

from __future__ import annotations

import math

import torch

from claims.domain import Point
from claims.naitsaada2025 import convolutions as claims
from numeric import device
from numeric.agreement import Measured, rounding
from numeric.registry import measures

FINE = 40
"""Trapezoids in the shorter of the two lengths on which the factors fall."""


def _log_convolution(x: float, a: float, b: float, power: int) -> float:
    """log of the integral of exp(-a|y|^p - b|x - y|^p), with 0 and x among the places."""
    steps = math.ceil(x * FINE * max(a, b) ** (1 / power))
    step = x / steps
    beyond = math.ceil(40 / (step * min(a, b) ** (1 / power)))
    places = torch.arange(-beyond, steps + beyond + 1, dtype=torch.float64, device=device.current())
    y = places * step
    exponents = -a * y.abs() ** power - b * (x - y).abs() ** power
    return float(torch.logsumexp(exponents, 0)) + math.log(step)


def _slope(point: Point, x: float, power: int) -> float:
    """The slope of -log(g * h) in |x|^p between x and 2x."""
    near, far = (
        _log_convolution(place, float(point[claims.a]), float(point[claims.b]), power)
        for place in (x, 2 * x)
    )
    return (near - far) / (x**power * (2**power - 1))


@measures(claims.square_rate)
def square_rate(point: Point) -> Measured:
    """A Gaussian has its slope everywhere, and trapezoids are exact for it."""
    x = 3 / math.sqrt(min(float(point[claims.a]), float(point[claims.b])))
    slope = _slope(point, x, 2)
    return Measured(slope, rounding(slope, operations=10**6))


@measures(claims.exponential_rate)
def exponential_rate(point: Point) -> Measured:
    """Beside the slower exponential there is at most a factor between x and 2x that is at most doubled."""
    x = 200 / min(float(point[claims.a]), float(point[claims.b]))
    slope = _slope(point, x, 1)
    return Measured(slope, (math.log(2) + 1e-3) / x)
