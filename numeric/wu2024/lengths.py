r"""Lengths and distances of unit tokens, measured on the tokens themselves.

Named axes: `n` tokens, `d` features.
"""

from __future__ import annotations

from claims.domain import Point
from claims.wu2024 import lengths as claims
from claims.wu2024.lengths import i, j
from claims.wu2024.notation import WV, A, X
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.registry import directly
from numeric.wu2024.layers import mu


@directly(claims.distance_is_bounded_by_the_cosine_gap)
def half_squared_distance(point: Point) -> Measured:
    """|X_i - X_j|^2/2."""
    tokens = tensor(point[X])
    difference = tokens[int(point[i]) - 1] - tokens[int(point[j]) - 1]
    return Measured(float(difference.square().sum() / 2), rounding(tokens.square()))


@directly(claims.spread_is_bounded_by_the_cosine_rate)
def spread_about_the_mean(point: Point) -> Measured:
    """mu(X)."""
    tokens = tensor(point[X])
    return Measured(float(mu(tokens)), rounding(tokens))


@directly(claims.layernorm_never_shrinks_a_token, claims.convex_combinations_stay_on_the_sphere)
def squared_length_before_layernorm(point: Point) -> Measured:
    """|(A X W)_i|^2."""
    mixed = tensor(point[A]) @ tensor(point[X]) @ tensor(point[WV])
    length = mixed[int(point[i]) - 1].square().sum()
    return Measured(float(length), rounding(1.0, length))
