"""The second singular value of softmax attention where $d_{qk}$ is proportional to $T$."""

from __future__ import annotations

import math

from torch import Tensor

from claims.domain import Point
from claims.naitsaada2025 import edge_of_attention as claims
from claims.naitsaada2025.notation import sigma_qk
from claims.naitsaada2025.spectral_gap import sigma
from numeric.agreement import Measured, rounding
from numeric.naitsaada2025.ensembles import attention, key_query_logits
from numeric.naitsaada2025.extreme_singular_values import largest_singular_values
from numeric.naitsaada2025.spectral_gap import RUNS, SIZES, edge_extrapolated
from numeric.registry import measures
from numeric.remembered import remembered
from numeric.sampling import stream


@remembered()
def second_values(tokens_per_width: float, deviation: float) -> list[Tensor]:
    """sqrt(T) s_2 of softmax attention on orthonormal tokens with T/d_qk given, by size."""
    found = []
    for size in SIZES:
        rng = stream("naitsaada2025", "edge", str(tokens_per_width), str(deviation), size)
        width = round(size / tokens_per_width)
        logits = key_query_logits(rng, 4 * RUNS, size, width, deviation)
        values = largest_singular_values(attention("softmax", logits))
        found.append(math.sqrt(size) * values[:, 1])
    return found


@measures(claims.second_at_width)
def limit_of_the_second_value_at_a_width(point: Point) -> Measured:
    """s_2(sqrt(T) A(X_0)), with the corrections of a soft edge."""
    return edge_extrapolated(second_values(float(point[claims.kappa]), float(point[sigma_qk])))


@measures(claims.least_value)
def inverse_transform_at_a_point(point: Point) -> Measured:
    """K(g)."""
    width, deviation, total, g = (
        float(point[name]) for name in (claims.kappa, sigma_qk, sigma, claims.g)
    )
    linear = deviation**4
    parts = (1 / g, total**2 * g, -linear * g, linear * g / (1 - width * linear * g**2))
    return Measured(math.fsum(parts), rounding(sum(map(abs, parts))))
