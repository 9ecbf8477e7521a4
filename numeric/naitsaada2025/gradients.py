r"""Norms of gradients by value weights: derivatives in a random direction, drawn through the network.

The derivative of $X_L$ by $W_\ell$ in the direction $V$ has $V$ in the place of $W_\ell$, and
$\mathbb E_V\|\partial X_L[V]\|^2=\|\partial X_L/\partial W_\ell\|_F^2$ for standard normal $V$.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor

from claims.domain import Point
from claims.naitsaada2025 import gradients as claims
from claims.naitsaada2025.notation import T_1, T, d, d_1, depth, ell, mean_Z, sigma_A
from claims.naitsaada2025.shares import GAMMA, law
from numeric.agreement import Measured
from numeric.layers import squared_norm
from numeric.naitsaada2025.second_moments import (
    at_one_length,
    centred_attention,
    limiting_squared_norm,
    orthonormal_rows,
    times,
)
from numeric.registry import directly, measures
from numeric.remembered import remembered
from numeric.sampling import Numbers, quick_stream, sphere
from numeric.trends import limit_of_means, mean_and_reach

LARGEST, DRAWS, SMALL_DRAWS = 64, 256, 4096


Law = tuple[float, str]
"""The standard deviation of Z over its mean, and the name of its law."""
EXPONENTIAL: Law = (1.0, GAMMA)


def attended(
    rng: Numbers, x: Tensor, layers: int, steady: bool, gap: bool, of: Law = EXPONENTIAL
) -> Tensor:
    """A_L^perp ... A_1^perp x, or A_L ... A_1 x with the `gap`.

    Lengths fluctuate by 1/k; where a limit is read they are `steady`, one in every layer.
    """
    tokens = x.shape[-2]
    for _ in range(layers):
        a = centred_attention(rng, x.shape[0], tokens, *of)
        if steady:
            a = at_one_length(a) / math.sqrt(tokens)
        x = (a + 1 / tokens if gap else a) @ x
    return x


def weights(rng: Numbers, count: int, features: int, layers: int) -> Tensor:
    """W_1 ... W_m; a squared norm is of degree two in each, so that lengths are averaged exactly."""
    found = torch.eye(features, dtype=torch.float64).expand(count, -1, -1)
    for _ in range(layers):
        found = found @ sphere(rng, count, features, features)
    return found


def lower_factor(
    rng: Numbers, count: int, tokens: int, features: int, layers: int, below: int, steady: bool,
    gap: bool = False, of: Law = EXPONENTIAL,
) -> Tensor:  # fmt: skip
    """P_1^perp, but for its weights: each enters linearly, and multiplies a mean squared norm by d."""
    x = math.sqrt(features) ** below * orthonormal_rows(rng, tokens, features)
    return attended(rng, x.expand(count, -1, -1), layers, steady, gap, of)


@remembered()
def drawn(
    what: str, layers: int, place: int, tokens: int, features: int, draws: int, steady: bool,
    of: Law = EXPONENTIAL,
) -> tuple[float, float]:  # fmt: skip
    """The mean squared norm of P_1^perp, of P_2, or of the gradient, with its half-width."""
    key = (layers, place, tokens, features, *of)
    rng = quick_stream("naitsaada2025", what, *map(str, key))
    if what == "second":
        found = weights(rng, draws, features, layers - place)
    elif what == "first":
        found = lower_factor(rng, draws, tokens, features, layers, place - 1, steady, of=of)
    else:  # V in the place of W_l
        gap = what == "gap"
        found = lower_factor(
            rng, draws, tokens, features, layers, layers, steady and not gap, gap, of
        )
    return mean_and_reach(squared_norm(found))


def _law(point: Point) -> Law:
    return float(point[sigma_A] / point[mean_Z]), point[law]


def _finite(what: str) -> Callable[[Point, int, int], Measured]:
    def measured(point: Point, k: int, layers: int) -> Measured:
        sizes = (k * int(point[T_1]), k * int(point[d_1]))
        found = drawn(what, layers, int(point[ell]), *sizes, SMALL_DRAWS, False, _law(point))
        return Measured(*found)

    return measured


for _family, _what in (
    (claims.whole, "whole"), (claims.first, "first"), (claims.second, "second"),
):  # fmt: skip
    measures(_family)(_finite(_what))


Scale = Callable[[int, int, int, int], float]
"""What a norm is divided by: of L, l, T and d."""


def limit_of(what: str, scale: Scale) -> Callable[[Point], Measured]:
    """The limit over three sizes, the last two extrapolated; infinite where it doubles with them."""

    def measured(point: Point) -> Measured:
        layers, place = int(point[depth]), int(point[ell])
        t, f = int(point[T_1]), int(point[d_1])
        t, f = t // math.gcd(t, f), f // math.gcd(t, f)
        k, values = max(4, LARGEST // max(t, f) // 4), []
        for size in (k, 2 * k, 4 * k):
            draws = DRAWS * (4 * k // size) ** 2
            mean, reach = drawn(what, layers, place, size * t, size * f, draws, True, _law(point))
            divisor = scale(layers, place, size * t, size * f)
            values.append((mean / divisor, reach / divisor))
        small, middle, large = (mean for mean, _ in values)
        if large > 1.8 * middle > 1.8**2 * small:
            return Measured(math.inf)
        if what == "second":
            return limit_of_means(values)
        return times(limit_of_means(values), limiting_squared_norm(*_law(point)), layers)

    return measured


def _per_feature(layers: int, place: int, tokens: int, features: int) -> float:
    return features


def _of_lower(layers: int, place: int, tokens: int, features: int) -> float:
    return features ** (place - 1) / tokens**layers


def _of_upper(layers: int, place: int, tokens: int, features: int) -> float:
    return features ** (layers - place)


directly(claims.gradients_grow_linearly)(limit_of("whole", _per_feature))


@directly(claims.growth_without_gap_is_constant)
def ratio_of_two_depths(point: Point) -> Measured:
    """One layer more over as it is, of the same draws; over three sizes, the last two extrapolated."""
    layers, t, f = (int(point[symbol]) for symbol in (depth, T_1, d_1))
    t, f = t // math.gcd(t, f), f // math.gcd(t, f)
    k = max(4, LARGEST // max(t, f) // 4)
    found = limit_of_means(
        [
            _one_layer_more(
                layers, size * t, size * f, 5 * DRAWS * (4 * k // size) ** 2, _law(point)
            )
            for size in (k, 2 * k, 4 * k)
        ]
    )
    return times(found, limiting_squared_norm(*_law(point)), 1)


@remembered()
def _one_layer_more(
    layers: int, tokens: int, features: int, draws: int, of: Law
) -> tuple[float, float]:
    """A quotient of mean squared norms, and the half-width of its linearisation."""
    rng = quick_stream("naitsaada2025", "one layer more", layers, tokens, features, *of)
    x = lower_factor(rng, draws, tokens, features, layers, layers, True, of=of)
    below = squared_norm(x)
    above = features * squared_norm(attended(rng, x, 1, True, False, of))
    quotient = float(above.mean() / below.mean())
    return quotient, mean_and_reach((above - quotient * below) / below.mean())[1]


for _quantities, _power in ((claims.scaled_traces, 0), (claims.normalised_traces, 1)):
    for _quantity, _what, _scale in zip(
        _quantities, ("first", "second"), (_of_lower, _of_upper), strict=True
    ):
        measures(_quantity)(
            limit_of(_what, lambda *sizes, s=_scale, p=_power: s(*sizes) * sizes[-1] ** p)
        )


@measures(claims.with_gap)
def norm_with_gap(point: Point, further: int) -> Measured:
    """The mean at the point's sizes, some layers above W_l."""
    place, sizes = int(point[ell]), (int(point[T]), int(point[d]))
    return Measured(*drawn("gap", place + further, place, *sizes, 1024, False))
