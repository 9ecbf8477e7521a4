"""Gradient norms of one attention layer under the true softmax and under uniform attention."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import Any

import torch
from torch import Tensor

from claims.domain import Point
from claims.noci2022 import simulated_gradients as claims
from claims.noci2022.notation import d, n, rho, sigma_x
from numeric.agreement import Measured
from numeric.evaluate import evaluate
from numeric.jacobians import key_gradient_norm, query_gradient_norm, value_gradient_norm
from numeric.noci2022.stacks import correlated_tokens, ratio_interval
from numeric.registry import directly
from numeric.sampling import generator, normal


def gradient_norms(
    size: int, width: int, correlation: float, std: float, samples: int, *, seed: int = 0,
    tau: float = 1.0, dtype: torch.dtype = torch.float32,
) -> dict[str, tuple[Tensor, Tensor]]:  # fmt: skip
    """{parameter: ||dS/dW||_F^2 under the true softmax and under uniform attention}, per sample.

    Exact sums over all entries of each weight, averaged over W^V, which a test of `jacobians` holds
    to autograd.  All settings share one stream: what differs is not the luck of the draw.
    """
    rng = generator(seed, "noci2022", "gradients", size, width)
    x = correlated_tokens(rng, samples, size, width, rho=correlation, std=std, dtype=dtype)
    wq, wk = (normal(rng, samples, width, width, std=width**-0.5, dtype=dtype) for _ in range(2))
    found = {}
    for name, norm in (("queries", query_gradient_norm), ("keys", key_gradient_norm)):
        found[name] = tuple(
            norm(x, wq, wk, sigma_v2=1 / width, uniform=uniform, tau=tau)
            for uniform in (False, True)
        )
    found["values"] = tuple(
        value_gradient_norm(x, wq, wk, uniform=uniform, tau=tau) for uniform in (False, True)
    )
    return found  # type: ignore[return-value]


@cache
def true_over_uniform(cells: Sequence[tuple[int, int]]) -> dict:
    """{(n, d, rho, std): {parameter: interval of E true / E uniform}}."""
    found = {}
    for size, width in cells:
        for correlation in (0.0, 0.5):
            for std in claims.STDS:
                samples = 512 if std > 0.5 else 256  # true norms vary more for large inputs
                norms = gradient_norms(size, width, correlation, std, samples)
                found[size, width, correlation, std] = {
                    name: ratio_interval(*norms[name]) for name in ("queries", "keys")
                }
    return found


def cells_of(point: Point) -> tuple[tuple[int, int], ...]:
    return tuple((int(a), int(b)) for a, b in point[claims.size_pairs])


@directly(claims.gradients_agree_better_for_small_inputs)
def measured_agreement(point: Point) -> Measured:
    """Ratios of true to uniform norms for small and large inputs."""
    return Measured(true_over_uniform(cells_of(point)))


def log_ratio(size: int, width: int, correlation: float, std: float) -> tuple[float, float]:
    """Interval of log(E||dS/dW^Q||^2 / E||dS/dW^V||^2) under the true softmax."""
    norms = gradient_norms(size, width, correlation, std, 256)
    ratio, half_width = ratio_interval(norms["queries"][0], norms["values"][0])
    return math.log(ratio), -math.log1p(-half_width / ratio)


@cache
def log_ratios(cells: Sequence[tuple[int, int]]) -> dict:
    """{(n, d): {"rho": log ratios along rho, "std": along the input std}}."""
    return {
        cell: {
            "rho": [log_ratio(*cell, correlation, 1.0) for correlation in claims.RHOS],
            "std": [log_ratio(*cell, 0.0, std) for std in claims.GROWING],
        }
        for cell in cells
    }


@directly(claims.log_ratio_falls_with_correlation_and_grows_with_input)
def measured_log_ratios(point: Point) -> Measured:
    """Log ratios along both axes of the figure."""
    return Measured(log_ratios(cells_of(point)))


@directly(claims.predicted_log_ratio_has_the_same_trends)
def printed_trends(point: Point) -> Measured:
    """Signs of the changes of the two printed formulas' ratio, which is what the figure shows."""

    def logarithm(correlation: Any, std: Any) -> Tensor:
        at = {n: float(point[n]), d: float(point[d]), rho: float(correlation), sigma_x: float(std)}
        return torch.log(evaluate(claims.QUERIES, at) / evaluate(claims.VALUES, at))

    here = logarithm(point[rho], point[sigma_x])
    moved = (
        logarithm(point[claims.rho2], point[sigma_x]),
        logarithm(point[rho], point[claims.sigma2]),
    )
    return Measured(tuple(float(torch.sign(there - here)) for there in moved))
