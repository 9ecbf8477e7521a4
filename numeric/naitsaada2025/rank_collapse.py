"""Stable ranks of covariances against the number of tokens."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from claims.domain import Point
from claims.naitsaada2025 import rank_collapse as claims
from claims.naitsaada2025.notation import ell, gamma
from claims.naitsaada2025.products import growth
from claims.naitsaada2025.spectral_gap import regime
from numeric.agreement import Measured
from numeric.layers import squared_norm
from numeric.naitsaada2025.ensembles import (
    LAWS,
    REGIMES,
    features,
    markov,
    without_mean,
)
from numeric.naitsaada2025.extreme_singular_values import excess_rank, first_singular_value
from numeric.naitsaada2025.spectral_gap import (
    RUNS,
    SIZES,
    SOFT_EDGE,
    extrapolated,
    order_of,
    runs_of,
    sizes_of,
    softmax_matrices,
)
from numeric.registry import measures
from numeric.remembered import remembered
from numeric.sampling import normal, quick_stream
from numeric.trends import LEAST_RUNS, mean_and_reach

DEEP_RUNS = 128
DRAWS = 4
"""Value matrices for each attention matrix, where queries and keys of width T^2 are dear to draw."""


def slope(runs: Sequence[Tensor], order: float = 1, ratio: int = 2) -> Measured:
    """The log-log slope between the two largest of three sizes, each so many times the one before.

    What falls with power p of one over the size, the order, is off its limit by r/(1 - r) times as much as
    two slopes lie apart, r = ratio^-p; they lie apart by no more than is seen, noise included.
    """
    means, widths = zip(*(mean_and_reach(averaged(r.log())) for r in runs), strict=True)
    steps = math.log(ratio)
    before, last = ((means[k + 1] - means[k]) / steps for k in (0, 1))
    noise = math.hypot(widths[1], widths[2]) / steps
    apart = abs(last - before) + math.hypot(widths[0], 2 * widths[1], widths[2]) / steps
    return Measured(last, noise + apart / (ratio**order - 1))


def scaled_limit(
    runs: Sequence[Tensor], sizes: Sequence[int], power: float, order: float
) -> Measured:
    """The limit of runs times a power of their size, by logarithms, whose tails are lighter.

    A constant limit in probability is that of the geometric mean as well.
    """
    pairs = zip(runs, sizes, strict=True)
    logs = [averaged(values.log()) + power * math.log(size) for values, size in pairs]
    found = extrapolated(logs, order)
    centre = math.exp(found.value)
    return Measured(centre * math.cosh(found.error), centre * math.sinh(found.error))


def averaged(values: Tensor) -> Tensor:
    """One value a run: the mean over its draws where it has several."""
    return values.flatten(1).mean(dim=-1) if values.ndim > 1 else values


def excess_by_norms(x: Tensor) -> Tensor:
    """sr(X X^T) - 1 where it is no smaller than rounding by far: no singular values but the first."""
    return squared_norm(x @ x.mT) / first_singular_value(x) ** 4 - 1


@remembered()
def softmax_excess(
    name: str, ratio: float, gap: bool = True, sizes: tuple[int, ...] = ()
) -> list[Tensor]:
    """sr - 1 of one layer's covariance, with the gap or without it, by size.

    X_0 W^V is Gaussian for orthonormal tokens.
    """
    found = []
    excess = excess_by_norms if name == "slower" and gap else excess_rank
    for size in sizes or sizes_of(name):
        runs = min(4 * RUNS, 2**15 // size) if sizes else runs_of(name)  # the largest cost most
        matrices = softmax_matrices(name, size, runs)
        rng = quick_stream("naitsaada2025", "values", name, size)
        if not gap:
            matrices = without_mean(matrices)
        if name == "faster":
            values = normal(rng, runs, DRAWS, size, features(size, ratio))
            found.append(excess(matrices[:, None] @ values))
        else:
            found.append(excess(matrices @ normal(rng, runs, size, features(size, ratio))))
    return found


def _one_layer(point: Point, gap: bool = True) -> list[Tensor]:
    return softmax_excess(str(point[regime]), float(point[gamma]), gap)


def _ranks_without_the_gap(point: Point) -> list[Tensor]:
    return [1 + excess for excess in _one_layer(point, gap=False)]


@measures(claims.limit_rank)
def limit_of_the_rank(point: Point) -> Measured:
    """sr(Sigma), with corrections of order 1/T."""
    runs = [1 + averaged(excess) for excess in _one_layer(point)]
    return extrapolated(runs, order_of(str(point[regime])))


@measures(claims.rate)
def rate_of_the_rank(point: Point) -> Measured:
    """The exponent of sr(Sigma) - 1."""
    return slope(_one_layer(point), order_of(str(point[regime])))


@measures(claims.scaled_excess)
def excess_times_size(point: Point) -> Measured:
    """min(T, d_qk) (sr(Sigma) - 1)."""
    name = str(point[regime])
    smaller = [min(size, REGIMES[name](size)) for size in sizes_of(name)]
    return scaled_limit(_one_layer(point), smaller, 1, order_of(name))


@measures(claims.growth)
def growth_without_the_gap(point: Point) -> Measured:
    """The exponent of sr of the covariance without the gap."""
    name = str(point[regime])
    sizes = {"faster": (4, 16, 64), "fixed": (8, 32, 128)}.get(name, (16, 64, 256))
    excesses = softmax_excess(name, float(point[gamma]), False, sizes)
    return slope([1 + excess for excess in excesses], SOFT_EDGE, ratio=4)


@measures(claims.share)
def share_without_the_gap(point: Point) -> Measured:
    """sr/T there, with the corrections of a soft edge; not by logarithms, which cannot reach zero."""
    pairs = zip(_ranks_without_the_gap(point), sizes_of(str(point[regime])), strict=True)
    return extrapolated([averaged(ranks) / size for ranks, size in pairs], SOFT_EDGE)


@remembered()
def deep_excesses(layers: int, ratio: float) -> list[Tensor]:
    """sr(Sigma_l) - 1 in model (11) with exponential Z, by size."""
    found, runs = [], max(LEAST_RUNS, round(DEEP_RUNS * min(1, 2 * ratio)))  # wide ones cost most
    for size in SIZES:
        rng = quick_stream("naitsaada2025", "depth", size, layers)
        d = features(size, ratio)
        tokens = torch.eye(size, d, dtype=torch.float64).expand(runs, -1, -1)
        for _ in range(layers):
            mixed = markov(LAWS["exponential"], rng, runs, size) @ tokens
            tokens = mixed @ normal(rng, runs, d, d)
        found.append(excess_rank(tokens))
    return found


def _deep(point: Point) -> list[Tensor]:
    return deep_excesses(int(point[ell]), float(point[gamma]))


@measures(claims.deep_limit)
def limit_of_the_deep_rank(point: Point) -> Measured:
    """sr(Sigma_l), with corrections of order T^(1 - 2l)."""
    layers = int(point[ell])
    excesses = deep_excesses(layers, 1 / float(point[growth]))
    return extrapolated([1 + excess for excess in excesses], 2 * layers - 1)


@measures(claims.deep_excess)
def deep_excess_times_size(point: Point) -> Measured:
    """T^(2l - 1) (sr(Sigma_l) - 1)."""
    layers = int(point[ell])
    return scaled_limit(_deep(point), SIZES, 2 * layers - 1, 1)
