"""Limits of extreme singular values and eigenvalues, extrapolated from growing sizes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from claims.domain import Point
from claims.naitsaada2025 import spectral_gap as claims
from numeric.agreement import Measured
from numeric.naitsaada2025.ensembles import LAWS, REGIMES, attention, key_query_logits, markov
from numeric.naitsaada2025.extreme_singular_values import (
    first_singular_value,
    largest_moduli,
    largest_singular_values,
)
from numeric.quantiles import share_interval
from numeric.registry import measures
from numeric.remembered import remembered
from numeric.sampling import normal, stream
from numeric.trends import TREND_BUDGET, limit_of_means, mean_and_reach

SIZES, RUNS = (32, 64, 128), 64
SIGMA = 0.5**0.5
"""sigma_qk; at a fixed width of 17 fourth moments are finite where 16 sigma_qk^4 < 17."""


def extrapolated(
    runs: Sequence[Tensor], power: float, false_alarm: float = TREND_BUDGET
) -> Measured:
    """The limit of means over runs at three sizes, each twice the one before."""
    return limit_of_means([mean_and_reach(r, false_alarm) for r in runs], power)


SOFT_EDGE = 2 / 3
"""Corrections at a soft edge are of this power of 1/T."""
RADIUS = 1 / 2
"""Those of a spectral radius: of this power of 1/T, up to logarithms."""


def edge_extrapolated(runs: Sequence[Tensor]) -> Measured:
    """The limit of what a soft edge decides."""
    return extrapolated(runs, SOFT_EDGE)


Draw = Callable[[int], Tensor]


@remembered()
def markov_values(law: str, scale: float) -> dict[str, list[Tensor]]:
    """s_1, sqrt(T) s_2 and sqrt(T) |lambda_2| of i.i.d. Markov matrices, by size."""
    found: dict[str, list[Tensor]] = {"s1": [], "s2": [], "lambda2": []}
    for size in SIZES:
        rng = stream("naitsaada2025", "markov", law, size)
        matrices = markov(LAWS[law], rng, RUNS, size, scale)
        first, second = largest_singular_values(matrices).unbind(dim=-1)
        found["s1"].append(first)
        found["s2"].append(math.sqrt(size) * second)
        found["lambda2"].append(math.sqrt(size) * largest_moduli(matrices[:32])[:, 1])
    return found


def _of(point: Point) -> dict[str, list[Tensor]]:
    return markov_values(str(point[claims.law]), float(point[claims.scale]))


@measures(claims.first_value)
def limit_of_the_first_singular_value(point: Point) -> Measured:
    """s_1(A), with corrections of order 1/T."""
    return extrapolated(_of(point)["s1"], 1)


@measures(claims.second_value)
def limit_of_the_second_singular_value(point: Point) -> Measured:
    """s_2(sqrt(T) A)."""
    return edge_extrapolated(_of(point)["s2"])


@measures(claims.second_modulus)
def limit_of_the_second_modulus(point: Point) -> Measured:
    """|lambda_2(sqrt(T) A)|, whose excess over the circle falls like T^(-1/2) up to logarithms."""
    return extrapolated(_of(point)["lambda2"], 1 / 2)


def sizes_of(name: str) -> tuple[int, ...]:
    """Queries and keys of width T^2 are drawn for smaller T, those of its root for larger ones."""
    return {"faster": (16, 32, 64), "slower": (64, 128, 256)}.get(name, SIZES)


def runs_of(name: str) -> int:
    """Where queries and keys are wider than T, each run takes longest; of a fixed width they are cheap."""
    return {"faster": RUNS, "fixed": 12 * RUNS}.get(name, 4 * RUNS)


def order_of(name: str) -> float:
    """Corrections to limits are of this power of 1/T: those in 1/d_qk where that is larger."""
    return 1 / 2 if name == "slower" else 1


@remembered(maxsize=12)
def softmax_matrices(name: str, size: int, runs: int) -> Tensor:
    """Softmax attention on orthonormal tokens with d_qk of a regime; what is read is not changed."""
    rng = stream("naitsaada2025", "softmax", name, size)
    logits = key_query_logits(rng, runs, size, REGIMES[name](size), SIGMA)
    return attention("softmax", logits)


@remembered()
def softmax_values(name: str) -> tuple[list[Tensor], list[Tensor]]:
    """s_1 and sqrt(T) s_2, by size."""
    sizes = sizes_of(name)
    drawn = (softmax_matrices(name, size, runs_of(name)) for size in sizes)
    values = [largest_singular_values(matrices) for matrices in drawn]
    seconds = [math.sqrt(size) * v[:, 1] for size, v in zip(sizes, values, strict=True)]
    return [v[:, 0] for v in values], seconds


FINE_RUNS = 1024
"""At the largest size, and more at smaller ones: a limit that is 1.0009 is told from 1."""


@remembered()
def first_values_at_a_fixed_width() -> list[Tensor]:
    """s_1 of softmax attention with d_qk fixed, by size."""
    found = []
    for size in SIZES:
        rng = stream("naitsaada2025", "softmax, first", size)
        blocks = FINE_RUNS * SIZES[-1] // (RUNS * size)
        drawn = (
            key_query_logits(rng, RUNS, size, REGIMES["fixed"](size), SIGMA) for _ in range(blocks)
        )
        found.append(torch.cat([first_singular_value(attention("softmax", z)) for z in drawn]))
    return found


@measures(claims.softmax_first_value)
def limit_of_the_first_value_of_softmax(point: Point) -> Measured:
    """s_1(A(X_0))."""
    name = str(point[claims.regime])
    fine = name == "fixed"
    runs = first_values_at_a_fixed_width() if fine else softmax_values(name)[0]
    return extrapolated(runs, order_of(name))


@measures(claims.softmax_second_value)
def limit_of_the_second_value_of_softmax(point: Point) -> Measured:
    """s_2(sqrt(T) A(X_0))."""
    return edge_extrapolated(softmax_values(str(point[claims.regime]))[1])


TERMS = 16
"""Of the series of e^u with |u| below 1/2 or so: the rest is below rounding."""


def scalar_query_moduli(size: int, runs: int, b: float) -> Tensor:
    """|lambda_2| of softmax attention with d_qk = 1, from e^(a x y) = sum_n (a x)^n y^n/n!.

    The eigenvalues other than zero are those of a matrix of the size of the series.
    """
    rng = stream("naitsaada2025", "scalar", size)
    x, y = (b**0.25 * normal(rng, runs, size) for _ in range(2))
    return series_moduli(x, y)


def series_moduli(x: Tensor, y: Tensor) -> Tensor:
    """|lambda_2| of softmax(x y^T), row by row, (samples,)."""
    powers = torch.arange(TERMS, dtype=x.dtype)
    weights = (-torch.lgamma(powers + 1) / 2).exp()
    left, right = (t[..., None] ** powers * weights for t in (x, y))
    rows = (left @ right.sum(dim=-2)[..., None]).squeeze(-1)
    small = right.mT @ (left / rows[..., None])
    return largest_moduli(small)[:, 1]


def share_above(values: Tensor, bound: float, false_alarm: float = TREND_BUDGET) -> Measured:
    """How many of i.i.d. values exceed a bound, with the exact interval of a share."""
    hits, count = int((values > bound).sum()), values.numel()
    low, high = share_interval(hits, count, false_alarm)
    return Measured((low + high) / 2, (high - low) / 2)


@remembered()
def exceedances(name: str, bound: float) -> Measured:
    """At one token count: the largest that a regime affords."""
    if name == "scalar":
        b = float(claims.FIXED_WIDTHS[name][0])
        size, values = 512, scalar_query_moduli(512, 2048, b)
    else:
        size = 32 if name == "faster" else 64
        values = largest_moduli(softmax_matrices(name, size, 128))[:, 1]
    return share_above(math.sqrt(size) * values, bound)


@measures(claims.exceedance)
def chance_to_exceed(point: Point) -> Measured:
    """P(|lambda_2(sqrt(T) A)| > 2 sigma) at that size."""
    return exceedances(str(point[claims.regime]), 2 * float(point[claims.sigma]))
