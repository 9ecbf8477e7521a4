"""Stacks of Gaussian matrices: both means of traces of their covariance, sampled."""

from __future__ import annotations

import torch
from numpy.random import Generator
from torch import Tensor

from claims.domain import Point
from claims.naitsaada2025 import value_stacks as claims
from claims.naitsaada2025.notation import T, d
from numeric.agreement import Measured, rounding
from numeric.naitsaada2025.stacks import haar
from numeric.registry import measures
from numeric.remembered import remembered
from numeric.sampling import quick_stream, sphere, stream, uniform
from numeric.trends import mean_of_runs

WORK = 2**21
"""Entries of weights that are drawn for a mean."""
SMALL = 3
GROUPS = 64
"""Of runs that are drawn again among themselves: as many independent means."""


@remembered()
def means(
    tokens: int, features: int, layers: int, *, relative: bool = False
) -> tuple[Measured, Measured]:
    """E (tr Sigma)^2 and E tr Sigma^2, of degree four in each matrix; `relative`: to d^2 in all layers but one.

    Over many layers a mean of products rests on rare runs, which a sample does not show.  In groups runs
    are therefore drawn again after every layer, each in proportion to its (tr Sigma)^2, and the means by
    which this grows are multiplied: without bias, and every layer adds as much to the variance.
    """
    rng = quick_stream("naitsaada2025", "values alone", tokens, features, layers)
    each = max(16, WORK // (GROUPS * max(layers, 1) * features**2))
    runs = GROUPS * each
    x = torch.eye(tokens, features, dtype=torch.float64).expand(runs, -1, -1)
    size = torch.ones(GROUPS, dtype=torch.float64)
    for layer in range(layers):
        values = sphere(
            rng, runs, min(tokens, features) if layer == 0 else features, features, degree=4
        )
        x = multiplied(x, values) if layer else padded(values, tokens)
        if layer < layers - 1:
            x, growth = drawn_again(x, rng)
            size *= growth / features**2 if relative else growth
    gram = multiplied(x, x.mT)
    traces = gram.diagonal(dim1=-1, dim2=-2).sum(-1).square(), gram.square().sum((-1, -2))
    by_group = [size * values.reshape(GROUPS, -1).mean(dim=1) for values in traces]
    return mean_of_runs(by_group[0]), mean_of_runs(by_group[1])


def drawn_again(x: Tensor, rng: Generator) -> tuple[Tensor, Tensor]:
    """Runs in proportion to their squared traces within groups, at trace one, and the groups' mean of those."""
    traces = x.square().sum((-1, -2)).reshape(GROUPS, -1)
    weights, each = traces.square(), traces.shape[1]
    shares = (weights.cumsum(dim=1) / weights.sum(dim=1, keepdim=True)).clamp(max=1)
    shares[:, -1] = 1
    marks = (torch.arange(each) + uniform(rng, GROUPS, 1)) / each
    chosen = torch.searchsorted(shares, marks) + each * torch.arange(GROUPS)[:, None]
    scale = traces.reshape(-1)[chosen.reshape(-1)].sqrt()
    return x[chosen.reshape(-1)] / scale[:, None, None], weights.mean(dim=1)


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


@measures(claims.directions)
def directions(point: Point, layers: int) -> Measured:
    """The quotient of both means."""
    tokens, features = int(point[T]), int(point[d])
    if point[claims.kind] == claims.GAUSSIAN:
        above, below = means(tokens, features, layers, relative=True)
        value = above.value / below.value
        return Measured(value, (above.error + value * below.error) / (below.value - below.error))
    x = torch.eye(tokens, features, dtype=torch.float64)
    rng = stream("naitsaada2025", "orthogonal values alone", tokens, features, layers)
    for values in haar(rng, layers, features) if layers else ():
        x = x @ values
    gram = x @ x.mT
    return Measured(
        float(gram.trace().square() / gram.square().sum()), rounding(tokens, layers + 1)
    )
