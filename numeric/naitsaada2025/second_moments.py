r"""Moments of covariances and Jacobians of random attention, sampled at three sizes.

What is read is a limit in the size: of the last two sizes, one twice the other, the term of order
$1/k$ is taken away; the first two say how much this leaves.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy
import torch
from scipy.stats import binom
from torch import Tensor

from claims.domain import Point
from claims.naitsaada2025.notation import T_1, d_1, ell, mean_Z, sigma_A, sigma_V
from claims.naitsaada2025.shares import GAMMA, TWO_POINT, law, two_points
from numeric.agreement import Measured
from numeric.remembered import remembered
from numeric.sampling import Numbers, exponential, gamma, normal, stream, uniform
from numeric.trends import limit_of_means, mean_and_reach

LARGEST, DRAWS = 64, 512
"""Smaller sizes are drawn more often: a trace fluctuates like one over the size."""
LONG = (2**13, 2**14, 2**15)
"""Lengths of rows whose mean squared norm is computed."""


def centred_attention(
    rng: Numbers, count: int, tokens: int, std: float, kind: str = GAMMA
) -> Tensor:
    """A^perp, (count, T, T)."""
    return centred_rows(rng, (count, tokens, tokens), std, kind)


def centred_rows(rng: Numbers, shape: tuple[int, ...], std: float, kind: str) -> Tensor:
    """Rows Z/sum Z of i.i.d. variables of a law, with mean 1, less their mean."""
    if kind == TWO_POINT:
        low, high, chance = map(float, two_points(std**2))
        z = low + (high - low) * (uniform(rng, *shape) < chance).double()
    else:
        z = exponential(rng, *shape) if std == 1 else gamma(rng, std**-2, *shape)
    return z / z.sum(dim=-1, keepdim=True) - 1 / shape[-1]


def orthonormal_rows(rng: Numbers, rows: int, columns: int) -> Tensor:
    return torch.linalg.qr(normal(rng, columns, rows)).Q.mT


def at_one_length(matrix: Tensor) -> Tensor:
    """Each draw brought to the squared norm n, its rows; one that vanishes is left.

    Norms are multiplied in again by the limits of their means, `limiting_squared_norm` and d^2; that this
    leaves out how they fluctuate, by 1/k^2, the limit does not see.
    """
    length = torch.linalg.matrix_norm(matrix).clamp_min(torch.finfo(matrix.dtype).tiny)
    return matrix * (math.sqrt(matrix.shape[-2]) / length[:, None, None])


def mean_squared_norm(tokens: int, std: float, kind: str = GAMMA) -> float:
    """E||A^perp||_F^2 = T E sum_j A_1j^2 - 1.

    The entries of A have a Beta law if Z has a Gamma law; of two values a binomial number is large.
    """
    if kind == TWO_POINT:
        low, high, chance = map(float, two_points(std**2))
        large = numpy.arange(tokens + 1)
        squares, sums = (large * high**k + (tokens - large) * low**k for k in (2, 1))
        return tokens * float(binom(tokens, chance).pmf(large) @ (squares / sums**2)) - 1
    shape = std**-2
    return tokens * (shape + 1) / (shape * tokens + 1) - 1


@remembered()
def limiting_squared_norm(std: float, kind: str) -> Measured:
    """The limit of E||A^perp||_F^2, from sizes that are large beside the variance of Z."""
    return limit_of_means([(mean_squared_norm(tokens, std, kind), 0.0) for tokens in LONG])


def times(one: Measured, other: Measured, power: int) -> Measured:
    """The first times a power of the second, with their errors."""
    value = other.value**power
    error = max(abs((other.value + s * other.error) ** power - value) for s in (-1, 1))
    return Measured(one.value * value, one.error * (value + error) + abs(one.value) * error)


def attention_chain(
    rng: Numbers, count: int, layers: int, tokens: int, std: float, kind: str
) -> Tensor:
    """A_l^perp ... A_1^perp, each at one length."""
    found = at_one_length(centred_attention(rng, count, tokens, std, kind))
    for _ in range(layers - 1):
        found = at_one_length(centred_attention(rng, count, tokens, std, kind)) @ found
    return found


def value_chain(
    rng: Numbers, count: int, layers: int, features: int, start: Tensor | None = None
) -> Tensor:
    """X_0 W_1 ... W_l, or the product of the weights alone, each weight at one length."""
    found = at_one_length(normal(rng, count, features, features))
    if start is not None:
        found = start @ found
    for _ in range(layers - 1):
        found = found @ at_one_length(normal(rng, count, features, features))
    return found


def traces(factor: Tensor) -> tuple[Tensor, Tensor]:
    """tr N/rows and tr N^2/rows of N = Y Y^T."""
    gram, rows = factor @ factor.mT, factor.shape[-2]
    return factor.square().sum(dim=(-1, -2)) / rows, gram.square().sum(dim=(-1, -2)) / rows


def _settings(point: Point) -> tuple[int, int, int, float, str, float]:
    sizes = (int(point[ell]), int(point[T_1]), int(point[d_1]))
    return *sizes, float(point[sigma_A] / point[mean_Z]), point[law], float(point[sigma_V])


@remembered()
def _drawn(
    of: str, layers: int, tokens: int, features: int, std: float, kind: str, draws: int
) -> tuple[Tensor, Tensor]:
    """tr/size of Sigma_l or J_l J_l^T and of its square, layers at one length."""
    rng = stream("naitsaada2025", of, str(tokens), str(features))
    draws *= (LARGEST // max(tokens, features)) ** 2
    if of == "jacobian":
        first = traces(attention_chain(rng, draws, layers, tokens, std, kind))
        second = traces(value_chain(rng, draws, layers, features))
        return first[0] * second[0], first[1] * second[1]
    if tokens <= features:
        start = orthonormal_rows(rng, tokens, features)
        x = value_chain(rng, draws, layers, features, start)
    else:  # no rows are orthonormal: X_0 W_1 is Gaussian as it stands
        x = at_one_length(normal(rng, draws, tokens, features))
        x = x if layers == 1 else value_chain(rng, draws, layers - 1, features, x)
    return traces(attention_chain(rng, draws, layers, tokens, std, kind) @ x)


Statistic = Callable[[Tensor, Tensor], Tensor]


def mean_of(first: Tensor, square: Tensor) -> Tensor:
    return first


def square_of(first: Tensor, square: Tensor) -> Tensor:
    return square


def relative_variance_of(first: Tensor, square: Tensor) -> Tensor:
    return square / first.square() - 1


def variance_of(first: Tensor, square: Tensor) -> Tensor:
    """Of the spectrum of each draw: its mean fluctuates by 1/k, which the limit does not see."""
    return square - first.square()


def limit_of(
    of: str, statistic: Statistic, degree: int, draws: int = DRAWS
) -> Callable[[Point], Measured]:
    """The limit of a moment that is of a degree in Sigma, read off three sizes."""

    def measured(point: Point) -> Measured:
        layers, t, f, std, kind, weight = _settings(point)
        t, f = t // math.gcd(t, f), f // math.gcd(t, f)
        k = LARGEST // max(t, f) // 4
        values = []
        for size in (k, 2 * k, 4 * k):
            samples = statistic(*_drawn(of, layers, size * t, size * f, std, kind, draws))
            values.append(mean_and_reach(samples * (f / t * weight**2) ** (layers * degree)))
        return times(limit_of_means(values), limiting_squared_norm(std, kind), layers * degree)

    return measured
