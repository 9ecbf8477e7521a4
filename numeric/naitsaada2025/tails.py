"""Measured tails: integrals of densities, and the elementary inequalities in floats."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import torch
from numpy.polynomial.laguerre import laggauss
from torch import Tensor

from claims.domain import Point
from claims.naitsaada2025 import tails as claims
from claims.naitsaada2025.notation import q
from numeric.agreement import Measured, rounding
from numeric.registry import measures
from numeric.remembered import remembered


@measures(claims.shift, claims.growth)
def deviations(point: Point) -> tuple[Measured, Measured]:
    """Of z and of its square from one."""
    z = float(point[claims.z])
    return Measured(abs(z - 1), rounding(z)), Measured(abs(z * z - 1), rounding(z * z))


@measures(claims.rate)
def rate_at_the_larger(point: Point) -> Measured:
    """The rate of the square at the larger of the two deviations."""
    t = float(point[claims.t])
    larger = max(t, t * t)
    value = min(larger**2, larger ** (1 / int(point[q])))
    return Measured(value, rounding(value))


NODES = 80


@remembered()
def _quadrature() -> tuple[Tensor, Tensor]:
    nodes, weights = laggauss(NODES)
    return torch.as_tensor(nodes), torch.as_tensor(weights)


def _mean_of_exponential(function: Callable[[Tensor], Tensor], beyond: float = 0.0) -> float:
    """E f(E) 1{E >= beyond} for E ~ Exp(1), by Gauss-Laguerre quadrature of the density."""
    nodes, weights = _quadrature()
    return float((weights * function(nodes + beyond)).sum()) * math.exp(-beyond)


def _exponential_of(beta: float, k: float, e: Tensor) -> Tensor:
    """exp((|X|/k)^beta) for |X| = e^(1/beta)."""
    return torch.exp((e ** (1 / beta) / k) ** beta)


@remembered()
def _sub_weibull_norm(beta: float) -> float:
    """Bisection, on a logarithmic scale, for the least K with E exp((|X|/K)^beta) <= 2."""
    low, high = 1.02 ** (1 / beta), 1e3 ** (1 / beta)
    for _ in range(60):
        k = math.sqrt(low * high)
        moment = _mean_of_exponential(partial(_exponential_of, beta, k))
        low, high = (low, k) if moment <= 2 else (k, high)
    return high


@measures(claims.norm)
def sub_weibull_norm(point: Point) -> Measured:
    """Of X_1 with |X_1| = E^(1/beta)."""
    value = _sub_weibull_norm(float(point[claims.beta]))
    return Measured(value, 1e-9 * value / float(point[claims.beta]))


@measures(claims.tail)
def tail_of_the_mean(point: Point) -> Measured:
    """Of so many summands as the point has."""
    return tail_of_so_many(point, int(point[claims.N]))


@measures(claims.tail_at)
def tail_of_so_many(point: Point, count: int) -> Measured:
    """P(|X_1| >= N u), by quadrature of its density in log x."""
    beta = float(point[claims.beta])
    from scipy.integrate import quad  # takes a quarter of a second to load

    reached = count * float(point[claims.u])
    ends = [math.log(reached), math.log((reached**beta + 60) ** (1 / beta))]
    value, error = quad(
        lambda y: beta * math.exp(beta * y - math.exp(beta * y)), *ends, epsrel=1e-10
    )
    return Measured(value, error + 1e-9 * value)
