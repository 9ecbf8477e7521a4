"""Equally correlated Gaussian tokens in torch, drawn or enumerated, and products of Gaussians.

A column of tokens is sqrt(1-rho) times the centred part of a standard normal column plus
sqrt(1 + (n-1) rho) times its mean part: the symmetric root of the model's covariance, which also
exists for negative rho.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch
from torch import Generator, Tensor

from claims.domain import Point
from claims.noci2022 import tokens as claims
from claims.noci2022.notation import d, m, n, rho, sigma_x
from numeric import device
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.reach import Reach
from numeric.registry import directly, measures, samples
from numeric.remembered import remembered
from numeric.sampling import sphere

__all__ = [
    "covariance", "draw_tokens", "even_gaussian_grid", "gaussian_grid", "law_grid", "tokens_of",
]  # fmt: skip


def tokens_of(standard: Tensor, point: Point) -> Tensor:
    """Tokens (..., n, d) from standard normal ones of the same shape."""
    size, correlation = standard.shape[-2], float(point[rho])
    mean = standard.mean(dim=-2, keepdim=True)
    # At rho = -1/(n-1) rounding may leave the eigenvalue a hair below zero.
    along = math.sqrt(max(0.0, 1 + (size - 1) * correlation))
    across = math.sqrt(max(0.0, 1 - correlation))
    return float(point.get(sigma_x, 1)) * (across * (standard - mean) + along * mean)


def draw_tokens(
    point: Point, rng: Generator, count: int, *, degree: int, width: int | None = None
) -> Tensor:
    """`count` draws of X, of shape (count, n, d) or (count, n, width).

    Their lengths are fixed for functions of the given degree in X (`numeric.sampling.sphere`).
    """
    size = int(point[n]), width or int(point[d])
    return tokens_of(sphere(rng, count, *size, degree=degree), point)


def covariance(point: Point) -> Tensor:
    """Covariance of one column of the sampler's tokens: its root, squared."""
    eye = torch.eye(int(point[n]), dtype=torch.float64, device=device.current())
    root = tokens_of(eye, point)
    return root.mT @ root


@remembered()
def law_grid(
    nodes: tuple[float, ...], weights: tuple[float, ...], size: int
) -> tuple[Tensor, Tensor]:
    """All values of `size` i.i.d. variables of a finite law, (points, size), and their weights."""
    places = np.indices((len(nodes),) * size).reshape(size, -1)
    values = torch.tensor(np.array(nodes)[places].T, dtype=torch.float64)
    mass = torch.tensor(np.array(weights)[places].prod(axis=0), dtype=torch.float64)
    return values.to(device.current()), mass.to(device.current())


def gaussian_grid(size: int, nodes_each: int = 4) -> tuple[Tensor, Tensor]:
    """Four Gauss-Hermite nodes per variable: exact for polynomials of degree <= 7 in each.

    In general, exact up to degree `2 nodes_each - 1`.
    """
    nodes, weights = np.polynomial.hermite_e.hermegauss(nodes_each)
    return law_grid(tuple(nodes), tuple(weights / weights.sum()), size)


def even_gaussian_grid(size: int) -> tuple[Tensor, Tensor]:
    """Half of that grid, for functions that do not change when all variables change sign."""
    values, mass = gaussian_grid(size)
    kept = values[:, 0] > 0
    return values[kept], 2 * mass[kept]


def integrated(values: Tensor, mass: Tensor) -> Measured:
    """The weighted sum of values on a grid, with a bound on its rounding."""
    return Measured(float(mass @ values), rounding(float(mass @ values.abs()), operations=10_000))


@samples(claims.token_inner_products_follow_the_model)
def sampled_inner_product(point: Point, rng: Generator, count: int) -> Tensor:
    """<X_i, X_i'>."""
    x = draw_tokens(point, rng, count, degree=2)
    first, second = int(point[claims.index_1]) - 1, int(point[claims.index_2]) - 1
    return (x[:, first] * x[:, second]).sum(dim=-1)


@samples(claims.mean_of_the_mean_token)
def sampled_mean_token(point: Point, rng: Generator, count: int) -> Tensor:
    """One entry of the mean token."""
    return draw_tokens(point, rng, count, degree=1, width=1).mean(dim=(-1, -2))


@samples(claims.variance_of_the_mean_token)
def sampled_mean_token_variance(point: Point, rng: Generator, count: int) -> Tensor:
    """Half the squared difference of two independent entries of mean tokens."""
    x = draw_tokens(point, rng, count, degree=2, width=2)
    first, second = x.mean(dim=-2).unbind(dim=-1)
    return (first - second).square() / 2


@directly(
    claims.gaussian_moments_are_sums_over_pairings,
    reach=Reach(8, "the pairings of more variables are too many to add up"),
)
def product_moment(point: Point) -> Measured:
    """E[X_1 ... X_m], X = B g with random signs where given, by quadrature over g."""
    size = int(point[m])
    g, mass = gaussian_grid(size, max(4, size // 2 + 1))
    x = g @ tensor(point[claims.loadings]).mT
    # One common sign, +1 or -1 with equal probability, on the marked variables.
    marked: Any = point.get(claims.flips)
    flipped = 1 if marked is None else float((-1) ** int(sum(marked)))
    return integrated(x.prod(dim=-1) * (1 + flipped) / 2, mass)


@measures(
    claims.fourth_moment, *claims.covariances.values(),
    reach=Reach(8, "a grid over every normal variable"),
)  # fmt: skip
def product_moments(point: Point) -> tuple[Measured, ...]:
    """Means of products of the X_k, by quadrature over g."""
    g, mass = gaussian_grid(int(point[m]))
    x = [g @ tensor(point[row])[0] for row in claims.combinations_of_normals]
    products = ((1, 2, 3, 4), *claims.covariances)
    values = (torch.stack([x[k - 1] for k in places]).prod(dim=0) for places in products)
    return tuple(integrated(value, mass) for value in values)
