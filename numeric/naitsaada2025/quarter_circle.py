"""Integrals over the density of the quarter-circle law."""

from __future__ import annotations

import math
from typing import Any

import torch

from claims.domain import Point
from claims.naitsaada2025 import quarter_circle as claims
from numeric.agreement import Measured, rounding
from numeric.registry import measures

NODES = 64
"""Exact for the density times a polynomial of degree below 2 NODES, even functions on both halves."""


def _mean(quantity: Any, power: int) -> None:
    @measures(quantity)
    def integral(point: Point) -> Measured:
        """By Gauss-Chebyshev quadrature of the second kind on [-2 sigma, 2 sigma], half of it."""
        edge = 2 * float(point[claims.sigma])
        angles = math.pi * torch.arange(1, NODES + 1, dtype=torch.float64) / (NODES + 1)
        weights = math.pi / (NODES + 1) * angles.sin().square() * edge**2
        terms = weights * (edge * angles.cos()).pow(power) * 4 / (math.pi * edge**2) / 2
        value = float(terms.sum())
        return Measured(value, rounding(value))


_mean(claims.mass, 0)
_mean(claims.square, 2)
