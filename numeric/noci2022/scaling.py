"""Trends of the gradient norms: exact averages over weights and tokens, then slopes and signs.

Weights enter linearly, so their second moments are averaged exactly by summing over unit
directions; tokens are integrated by Gauss-Hermite quadrature, exact for these polynomials.
"""

from __future__ import annotations

import math
from itertools import product

import torch
from sympy import Integer, Rational
from torch import Tensor

from claims.domain import Point
from claims.noci2022 import scaling as claims
from claims.noci2022.notation import X, d, d_k, n, rho
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.jacobians import directional
from numeric.noci2022.setup import PARAMETERS, uniform_attention
from numeric.noci2022.terms import scatter_norm
from numeric.noci2022.tokens import even_gaussian_grid, gaussian_grid, law_grid, tokens_of
from numeric.registry import directly

OTHERS = {"values": (), "queries": ("keys",), "keys": ("queries",)}
"""Besides W^V, which weights a Jacobian depends on: dS/dW^V depends on none."""


def averaged_norm(parameter: str, x: Tensor, keys: int) -> Tensor:
    """E over unit-variance weights of ||dS/d(parameter)||_F^2 at tokens x (..., n, d_v).

    Sums over unit directions of the parameter and of the other query or key weight.  Over W^V the
    sum of ||P E_gh||^2 is d_v ||P||^2, so W^V = I stands for all of its directions.
    """
    width = x.shape[-1]
    columns = {"queries": keys, "keys": keys, "values": width}
    eye = torch.eye(width, dtype=x.dtype, device=x.device)
    weights = {name: torch.zeros(width, c, dtype=x.dtype) for name, c in columns.items()}
    weights = {name: w.to(x.device) for name, w in weights.items()} | {"values": eye}
    moving = (parameter, *OTHERS[parameter])
    counts = [range(width * columns[name]) for name in moving]
    places = torch.tensor(list(product(*counts)), device=x.device).T
    for name, place in zip(moving, places, strict=True):
        units = torch.eye(width * columns[name], dtype=x.dtype, device=x.device)
        weights[name] = units.unflatten(-1, (width, columns[name]))[place]
    arguments = [x.unsqueeze(-3), weights["queries"], weights["keys"], weights["values"]]
    place = PARAMETERS[parameter]

    def of_parameter(value: Tensor) -> Tensor:
        filled = [value if k == place else w for k, w in enumerate(arguments)]
        return uniform_attention(filled[0], filled[1], filled[2], filled[3])

    direction = arguments[place]
    moved = directional(of_parameter, torch.zeros_like(direction), direction)
    factor = 1 if parameter == "values" else width
    return factor * moved.square().sum(dim=(-1, -2, -3))


@directly(claims.gradient_norms_are_powers_of_the_variance)
def variance_slopes(point: Point) -> Measured:
    """Least-squares slopes of log E||dS/dW||^2 in log sigma_x^2 over five variances."""
    x, keys = tensor(point[X]), int(point[d_k])
    scales = torch.tensor([0.25, 0.5, 1.0, 2.0, 4.0], dtype=x.dtype, device=x.device)
    logs = scales.square().log()
    centred = logs - logs.mean()
    slopes = []
    for parameter in claims.PARAMETERS:
        norm = averaged_norm(parameter, scales[:, None, None] * x, keys).log()
        slopes.append(float((centred @ norm) / (centred @ centred)))
    return Measured(tuple(slopes), rounding(100.0))


def exact_gradient(parameter: str, point: Point) -> float:
    """E over Xavier weights and Gaussian tokens of ||dS/d(parameter)||_F^2, which is even in X."""
    size, width = int(point[n]), int(point[d])
    standard, mass = even_gaussian_grid(size * width)
    x = tokens_of(standard.unflatten(-1, (size, width)), point)
    power = 0 if parameter == "values" else 2
    return float(mass @ averaged_norm(parameter, x, width)) / width**power


def sign_of(first: float, second: float) -> float:
    """Sign of first - second, zero within rounding."""
    gap = first - second
    return 0.0 if abs(gap) <= rounding(first, second, operations=10_000) else math.copysign(1, gap)


@directly(claims.gradient_norms_are_monotone_in_the_correlation)
def correlation_trends(point: Point) -> Measured:
    """Signs of the change from rho to rho' for values, queries and keys."""
    later = {**point, rho: point[claims.rho2]}
    pairs = [(exact_gradient(p, later), exact_gradient(p, point)) for p in claims.PARAMETERS]
    return Measured(tuple(sign_of(*pair) for pair in pairs))


@directly(claims.gradient_norms_scale_differently_with_width_and_length)
def size_trends(point: Point) -> Measured:
    """Signs of growth in d over d^2, of growth in n at 0, and of the ratio's in n at rho against 0."""
    width, zero = int(point[d]), Integer(0)
    wider, longer = {**point, d: point[d] + 1}, {**point, n: point[n] + 1}
    signs = [
        sign_of(exact_gradient(p, wider) * width**2, exact_gradient(p, point) * (width + 1) ** 2)
        for p in ("values", "queries")
    ]

    def both(at: Point) -> tuple[float, float]:
        return exact_gradient("queries", at), exact_gradient("values", at)

    (q, v), (q_long, v_long) = both(point), both(longer)
    (q0, v0), (q0_long, v0_long) = both({**point, rho: zero}), both({**longer, rho: zero})
    signs += [sign_of(v0_long, v0), sign_of(q0_long, q0)]
    signs.append(sign_of(q_long * v * q0 * v0_long, q * v_long * q0_long * v0))
    return Measured(tuple(signs))


def sixth_moment_under(law: str, point: Point) -> Rational:
    """E[||X||^2 ||X^T L X||^2] for i.i.d. entries of a finite law."""
    size, width = int(point[n]), int(point[d])
    count = size * width
    if law == "gaussian":
        values, mass = gaussian_grid(count)
    else:
        values, mass = law_grid((0.0, -math.sqrt(3), math.sqrt(3)), (2 / 3, 1 / 6, 1 / 6), count)
    x = values.unflatten(-1, (size, width))
    norm, scatter = x.square().sum(dim=(-1, -2)), scatter_norm(x)
    # Moments are integers and L has entries in Z/n, so that the mean lies in Z/n^4.
    return Rational(round(float(mass @ (norm * scatter)) * size**4), size**4)


@directly(claims.sixth_order_moments_enter)
def sixth_order_gap(point: Point) -> Measured:
    """Difference of the joint moment between the Gaussian and the three-point law."""
    gaussian, three_point = (
        float(sixth_moment_under(law, point)) for law in ("gaussian", "three-point")
    )
    return Measured(gaussian - three_point, rounding(gaussian, operations=10_000))
