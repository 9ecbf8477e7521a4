"""The mean gap of softmax attention at three lengths of the context."""

from __future__ import annotations

from torch import Tensor

from claims.domain import Point
from claims.naitsaada2025 import widening_gap as claims
from claims.naitsaada2025.notation import sigma_qk
from claims.naitsaada2025.spectral_gap import regime
from numeric.agreement import Measured
from numeric.naitsaada2025.ensembles import REGIMES, attention, key_query_logits
from numeric.naitsaada2025.extreme_singular_values import (
    largest_moduli,
    largest_singular_values,
)
from numeric.registry import measures
from numeric.remembered import remembered
from numeric.sampling import quick_stream
from numeric.trends import mean_of_runs

RUNS = {16: 2048, 32: 2048, 64: 512}


@remembered()
def gaps(name: str, sigma: float, size: int) -> tuple[Tensor, Tensor]:
    """s_1 - s_2 and 1 - |lambda_2| of softmax attention on orthonormal tokens."""
    rng = quick_stream("naitsaada2025", "widening", name, str(sigma), size)
    runs = RUNS[size] // (2 if name == "faster" else 1)  # queries of width T^2 take longest
    matrices = attention("softmax", key_query_logits(rng, runs, size, REGIMES[name](size), sigma))
    first, second = largest_singular_values(matrices).unbind(dim=-1)
    return first - second, 1 - largest_moduli(matrices)[:, 1]


def _mean(point: Point, size: int, place: int) -> Measured:
    return mean_of_runs(gaps(str(point[regime]), float(point[sigma_qk]), size)[place])


@measures(claims.of_values)
def gap_of_singular_values(point: Point, size: int) -> Measured:
    """s_1 - s_2."""
    return _mean(point, size, 0)


@measures(claims.of_moduli)
def gap_of_moduli(point: Point, size: int) -> Measured:
    """1 - |lambda_2|."""
    return _mean(point, size, 1)
