"""Layers until products of attention matrices on a mask are positive everywhere."""

from __future__ import annotations

from claims.domain import Point
from claims.wu2024 import efficiency as claims
from claims.wu2024.notation import G
from numeric.agreement import Measured
from numeric.registry import directly
from numeric.wu2024.masks import layers_until_positive


@directly(claims.smaller_diameter_needs_fewer_layers)
def depths_of_two_masks(point: Point) -> Measured:
    """k* of either mask."""
    return Measured((layers_until_positive(point[G]), layers_until_positive(point[claims.other])))
