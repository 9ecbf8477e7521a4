"""The outlier of a row-stochastic matrix and what bounds it, by torch's singular values."""

from __future__ import annotations

from claims.domain import Point
from claims.naitsaada2025 import outlier as claims
from claims.naitsaada2025.markov import A
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.naitsaada2025.interlacing import squares
from numeric.naitsaada2025.stable_rank import SPECTRAL
from numeric.registry import measures


@measures(claims.top, claims.top_of_rest, claims.along_ones, reach=SPECTRAL)
def outlier_and_bounds(point: Point) -> tuple[Measured, ...]:
    """s_1^2(A), s_1^2(A^perp), |phi^T A^perp|^2."""
    a = tensor(point[A])
    rest = a - 1 / len(a)
    along = rest.sum(0).square().sum() / len(a)
    values = (squares(a)[0], squares(rest)[0], along)
    return tuple(Measured(float(value), rounding(a.square().sum(), 1.0)) for value in values)
