"""The squared norm of a covariance."""

from __future__ import annotations

from claims.domain import Point
from claims.naitsaada2025 import energy_rank as claims
from claims.naitsaada2025.stable_rank import M
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.registry import measures


@measures(claims.covariance_norm)
def covariance_norm(point: Point) -> Measured:
    """||MM^T||_F^2."""
    m = tensor(point[M])
    value = float((m @ m.mT).square().sum())
    return Measured(value, rounding(value))
