"""Means over equally correlated Gaussian tokens: radii by quadrature, directions by drawing.

A column of tokens has a part along the vector of ones and a part orthogonal to it, independent of
each other, and the length of a Gaussian matrix is independent of its direction.  So the mean over
both lengths is a Gauss-Laguerre sum, exact for polynomials of degree at most `2 NODES - 1` in their
squares, and only two directions are left to draw, of which a gradient norm depends little.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import torch
from torch import Generator, Tensor

from claims.domain import Point
from claims.noci2022.notation import d, n, rho, sigma_x
from numeric.agreement import Measured, rounding
from numeric.jacobians import key_gradient_norm, query_gradient_norm, value_gradient_norm
from numeric.sampling import normal, stream
from numeric.trends import mean_and_reach

__all__ = [
    "Directions", "averaged_norm", "directions", "fixed_directions", "mean_over_tokens",
    "measured_mean", "norms_at", "radial_means",
]  # fmt: skip

NODES = 2
"""Squared norms of gradients have degree one or three in the square of each length."""
Directions = tuple[Tensor, Tensor]


def directions(rng: Generator, count: int, size: int, width: int) -> Directions:
    """Of the mean token, (count, 1, d), and of the tokens around it, (count, n, d); norm one."""
    mean, around = normal(rng, count, 1, width), normal(rng, count, size, width)
    around = around - around.mean(dim=-2, keepdim=True)
    return tuple(t / t.norm(dim=(-1, -2), keepdim=True) for t in (mean, around))  # type: ignore[return-value]


def radial_means(function: Callable[[Tensor], Tensor], drawn: Directions, point: Point) -> Tensor:
    """The mean of a function of tokens (..., n, d) over both lengths, for each pair of directions."""
    mean, around = drawn
    size, width = around.shape[-2:]
    correlation, scale = float(point[rho]), float(point.get(sigma_x, 1))
    along = scale * math.sqrt(max(0.0, 1 + (size - 1) * correlation) / size)
    across = scale * math.sqrt(max(0.0, 1 - correlation))
    total = torch.zeros(len(mean), dtype=mean.dtype, device=mean.device)
    for first, mass in _lengths(width):
        for second, other in _lengths((size - 1) * width):
            total += mass * other * function(along * first * mean + across * second * around)
    return total


def _lengths(freedom: int) -> list[tuple[float, float]]:
    """Nodes and weights for the root of a chi-squared variable."""
    places = torch.arange(NODES, dtype=torch.float64)
    off = (places[1:] * (places[1:] + freedom / 2 - 1)).sqrt()
    recurrence = torch.diag(2 * places + freedom / 2) + torch.diag(off, 1) + torch.diag(off, -1)
    nodes, vectors = torch.linalg.eigh(recurrence)  # the library's rule overflows here
    shares = vectors[0].square()
    return [(math.sqrt(2 * float(t)), float(w)) for t, w in zip(nodes, shares, strict=True)]


def averaged_norm(parameter: str, x: Tensor, *, tau: float = 1.0) -> Tensor:
    """E over weights of unit variance of ||dS_tau/d(parameter)||_F^2 under uniform attention, (...).

    The other query or key weight W enters through W W^T alone, linearly, and has the mean d_k I, as
    has sqrt(d_v) I in place of W for d_k = d_v: the norm does not depend on d_k.
    """
    width = x.shape[-1]
    zero = x.new_zeros(width, width)
    other = math.sqrt(width) * torch.eye(width, dtype=x.dtype, device=x.device)
    if parameter == "values":
        return value_gradient_norm(x, zero[:, :1], zero[:, :1], uniform=True, tau=tau)
    if parameter == "queries":
        return query_gradient_norm(x, zero, other, uniform=True, tau=tau)
    return key_gradient_norm(x, other, zero, uniform=True, tau=tau)


DRAWS = 64
"""Pairs of directions behind a mean, a sign or a ratio."""


def fixed_directions(point: Point, part: int = 0) -> Directions:
    """Always the same ones for a number of tokens and a width."""
    size, width = int(point[n]), int(point[d])
    return directions(stream("directions", size, width, part), DRAWS, size, width)


def norms_at(parameter: str, point: Point) -> Tensor:
    """Means over the lengths for fixed directions, the same at every sigma_x and rho; (DRAWS,)."""
    return radial_means(partial(averaged_norm, parameter), fixed_directions(point), point)


def mean_over_tokens(function: Callable[[Tensor], Tensor], point: Point) -> Measured:
    """The mean of a function of the tokens, with Student's interval over the directions."""
    return measured_mean(radial_means(function, fixed_directions(point), point), point)


def measured_mean(means: Tensor, point: Point) -> Measured:
    """The mean of i.i.d. numbers, with its interval and what rounding adds.

    Where all tokens agree, a scatter comes out as the square of a rounding error, times norms.
    """
    value, reach = mean_and_reach(means)
    size = 1 + int(point[n]) * int(point[d]) * float(point.get(sigma_x, 1)) ** 2
    return Measured(
        value, reach + rounding(value, operations=10_000) + rounding(1.0) ** 2 * size**3
    )
