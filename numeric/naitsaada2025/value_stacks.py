"""Stacks of Gaussian matrices: both means of traces of their covariance, sampled."""

from __future__ import annotations

from functools import cache

import torch
from torch import Tensor

from claims.domain import Point
from claims.naitsaada2025 import value_stacks as claims
from claims.naitsaada2025.notation import T, d
from numeric.agreement import Measured
from numeric.registry import measures
from numeric.sampling import quick_generator, sphere
from numeric.trends import mean_of_runs

WORK = 2**21
"""Entries of weights that are drawn for a mean."""
SMALL = 3


@cache
def means(tokens: int, features: int, layers: int) -> tuple[Measured, Measured]:
    """E (tr Sigma)^2 and E tr Sigma^2, of degree four in each matrix."""
    rng = quick_generator(0, "naitsaada2025", "values alone", tokens, features, layers)
    runs = max(1024, WORK // (max(layers, 1) * features**2))
    x = torch.eye(tokens, features, dtype=torch.float64).expand(runs, -1, -1)
    for layer in range(layers):
        values = sphere(
            rng, runs, min(tokens, features) if layer == 0 else features, features, degree=4
        )
        x = multiplied(x, values) if layer else padded(values, tokens)
    gram = multiplied(x, x.mT)
    traces = gram.diagonal(dim1=-1, dim2=-2).sum(-1).square(), gram.square().sum((-1, -2))
    return mean_of_runs(traces[0]), mean_of_runs(traces[1])


def padded(values: Tensor, tokens: int) -> Tensor:
    """The first rows of a matrix, of which only those are drawn that there are, and rows of zeros."""
    return torch.nn.functional.pad(values, (0, 0, 0, tokens - values.shape[-2]))


def multiplied(x: Tensor, y: Tensor) -> Tensor:
    """Matrix products; entry by entry where matrices are too small for a product each."""
    if x.shape[-1] > SMALL:
        return x @ y
    return sum(x[..., :, k, None] * y[..., None, k, :] for k in range(x.shape[-1]))  # type: ignore[return-value]


@measures(claims.square_of_the_trace)
def square_of_the_trace(point: Point, layers: int) -> Measured:
    """E (tr Sigma_L)^2."""
    return means(int(point[T]), int(point[d]), layers)[0]


@measures(claims.trace_of_the_square)
def trace_of_the_square(point: Point, layers: int) -> Measured:
    """E tr Sigma_L^2."""
    return means(int(point[T]), int(point[d]), layers)[1]
