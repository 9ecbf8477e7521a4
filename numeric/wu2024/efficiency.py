"""Layers until products of attention matrices on a mask are positive everywhere, radii and rates."""

from __future__ import annotations

from typing import Any

from claims.domain import Point
from claims.wu2024 import efficiency as claims
from claims.wu2024.efficiency import other
from claims.wu2024.notation import G
from numeric.agreement import Measured
from numeric.registry import measures
from numeric.wu2024.layers import uniform_attention
from numeric.wu2024.masks import distances, layers_until_positive, radius
from numeric.wu2024.rates import RATE_ERROR, collapse_rate


def _register(symbol: Any, depth: Any, least: Any, longest: Any, collapse: Any) -> None:
    """Estimators of the numbers of one mask."""

    @measures(depth)
    def layers(point: Point) -> Measured:
        return Measured(float(layers_until_positive(point[symbol])))

    @measures(least)
    def least_distance(point: Point) -> Measured:
        return Measured(radius(point[symbol]))

    @measures(longest)
    def longest_distance(point: Point) -> Measured:
        return Measured(float(distances(point[symbol]).max()))

    @measures(collapse)
    def rate(point: Point) -> Measured:
        return Measured(collapse_rate(uniform_attention(point[symbol])), RATE_ERROR)


_register(G, claims.depth, claims.radius, claims.longest, claims.collapse)
_register(
    other, claims.depth_of_other, claims.radius_of_other, claims.longest_of_other,
    claims.collapse_of_other,
)  # fmt: skip
