r"""Moments of covariances and Jacobians of random attention, sampled at three sizes.

What is read is a limit in the size: from three sizes, each twice the one before, the terms of order
$1/k$ and $1/k^2$ are taken away; the last correction stands for what is left.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import torch
from torch import Generator, Tensor

from claims.domain import Point
from claims.naitsaada2025.notation import ell, sigma_A, sigma_V
from claims.naitsaada2025.second_moments import T_1, d_1
from numeric.agreement import Measured
from numeric.sampling import generator, normal
from numeric.trends import mean_and_reach

LARGEST, DRAWS = 64, 512
"""Smaller sizes are drawn more often: a trace fluctuates like one over the size."""
WEIGHTS = (1 / 3, -6 / 3, 8 / 3)
"""(4 E' - E)/3 with E = 2 f(2k) - f(k), E' = 2 f(4k) - f(2k)."""


def centred_attention(rng: Generator, count: int, tokens: int, std: float) -> Tensor:
    """A^perp: rows Z/sum Z of i.i.d. Gamma variables of mean 1, less 1/T."""
    shape = torch.full((count, tokens, tokens), std**-2, dtype=torch.float64)
    z = torch._standard_gamma(shape, generator=rng)
    return z / z.sum(dim=-1, keepdim=True) - 1 / tokens


def orthonormal_rows(rng: Generator, rows: int, columns: int) -> Tensor:
    return torch.linalg.qr(normal(rng, columns, rows)).Q.mT


def attention_chain(rng: Generator, count: int, layers: int, tokens: int, std: float) -> Tensor:
    """A_l^perp ... A_1^perp."""
    found = centred_attention(rng, count, tokens, std)
    for _ in range(layers - 1):
        found = centred_attention(rng, count, tokens, std) @ found
    return found


def value_chain(
    rng: Generator, count: int, layers: int, features: int, std: float, start: Tensor | None = None
) -> Tensor:
    """X_0 W_1 ... W_l, or the product of the weights alone."""
    found = normal(rng, count, features, features, std=std)
    if start is not None:
        found = start @ found
    for _ in range(layers - 1):
        found = found @ normal(rng, count, features, features, std=std)
    return found


def traces(factor: Tensor) -> tuple[Tensor, Tensor]:
    """tr N/rows and tr N^2/rows of N = Y Y^T."""
    gram, rows = factor @ factor.mT, factor.shape[-2]
    return factor.square().sum(dim=(-1, -2)) / rows, gram.square().sum(dim=(-1, -2)) / rows


def _settings(point: Point) -> tuple[int, int, int, float, float]:
    sizes = (int(point[ell]), int(point[T_1]), int(point[d_1]))
    return *sizes, float(point[sigma_A]), float(point[sigma_V])


@cache
def _drawn(of: str, layers: int, tokens: int, features: int, std: float) -> tuple[Tensor, Tensor]:
    """tr/size of Sigma_l or J_l J_l^T and of its square, weights of variance 1/d."""
    rng = generator(0, "naitsaada2025", of, str(tokens), str(features))
    scale, draws = features**-0.5, DRAWS * (LARGEST // max(tokens, features)) ** 2
    if of == "jacobian":
        first = traces(attention_chain(rng, draws, layers, tokens, std))
        second = traces(value_chain(rng, draws, layers, features, scale))
        return first[0] * second[0], first[1] * second[1]
    if tokens <= features:
        x = value_chain(rng, draws, layers, features, scale, orthonormal_rows(rng, tokens, features))
    else:  # no rows are orthonormal: X_0 W_1 is Gaussian as it stands
        x = normal(rng, draws, tokens, features, std=scale)
        x = x if layers == 1 else x @ value_chain(rng, draws, layers - 1, features, scale)
    return traces(attention_chain(rng, draws, layers, tokens, std) @ x)


Statistic = Callable[[Tensor, Tensor], Tensor]


def mean_of(first: Tensor, square: Tensor) -> Tensor:
    return first


def variance_of(first: Tensor, square: Tensor) -> Tensor:
    """Mean square less the product of two independent means: without bias."""
    half = first.numel() // 2
    return (square[:half] + square[half:]) / 2 - first[:half] * first[half:]


def limit_of(of: str, statistic: Statistic, degree: int) -> Callable[[Point], Measured]:
    """The limit of a moment that is of a degree in Sigma, read off three sizes."""

    def measured(point: Point) -> Measured:
        layers, t, f, std, weight = _settings(point)
        k = LARGEST // max(t, f) // 4
        values = []
        for size in (k, 2 * k, 4 * k):
            scale = (size * f) ** layers * weight ** (2 * layers)
            samples = statistic(*_drawn(of, layers, size * t, size * f, std))
            values.append(mean_and_reach(samples * scale**degree))
        total = sum(w * value for w, (value, _) in zip(WEIGHTS, values, strict=True))
        reach = math.hypot(*(w * width for w, (_, width) in zip(WEIGHTS, values, strict=True)))
        return Measured(total, reach + abs(total - 2 * values[2][0] + values[1][0]))

    return measured
