"""Tails of Gaussian norms: of chi-squares by SciPy, of operator norms by quadrature and by sampling."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from scipy.special import chdtrc

from claims.domain import Point
from claims.im2026 import gaussian_norms as claims
from claims.im2026.notation import T, depth, words, xi
from numeric.agreement import Measured
from numeric.registry import measures
from numeric.remembered import remembered
from numeric.sampling import normal, stream

DRAWS, AT_ONCE, MISSED = 4096, 64, 1e-12
RELATIVE = 1e-9


@remembered()
def _sampled_norms(size: int) -> torch.Tensor:
    """Operator norms of square Gaussian matrices."""
    rng = stream("operator norms", size)
    drawn = (normal(rng, AT_ONCE, size, size) for _ in range(DRAWS // AT_ONCE))
    return torch.cat([torch.linalg.matrix_norm(some, 2) for some in drawn])


def operator_tail(size: int, threshold: float) -> tuple[float, float]:
    """P(|G| >= a) and its error; for two rows by quadrature over the one of two Rayleigh variables."""
    if size == 1:
        value = math.erfc(threshold / math.sqrt(2))
    elif size == 2:
        from scipy.integrate import quad  # takes a quarter of a second to load

        c = math.sqrt(2) * threshold
        inside, _ = quad(lambda r: r * math.exp(-(r**2 + (c - r) ** 2) / 2), 0, c, epsrel=1e-11)
        value = math.exp(-c * c / 2) + inside
    else:  # Hoeffding's interval
        share = float((_sampled_norms(size) >= threshold).double().mean())
        return share, math.sqrt(math.log(2 / MISSED) / (2 * DRAWS))
    return value, RELATIVE * value


def _squares(freedom: int, threshold: float) -> float:
    return float(chdtrc(freedom, threshold))


def _in_units(point: Point) -> tuple[int, int, float, float]:
    """|V|, T, |V|^(2 + 2 xi), t."""
    size = int(point[words])
    u = float(point.get(claims.u, 0))
    return size, int(point.get(T, 1)), float(size) ** (2 + 2 * float(point[xi])), u


@measures(claims.operator_exceeds, claims.operator_exceeds_three)
def operator_tails(point: Point) -> tuple[Measured, Measured]:
    """Beyond 2 sqrt|V| + t, and beyond 3 v / |V|^(1/2)."""
    size, _, tall, u = _in_units(point)
    thresholds = 2 * math.sqrt(size) + u, 3 * math.sqrt(tall / size)
    first, second = (Measured(*operator_tail(size, a)) for a in thresholds)
    return first, second


@measures(claims.operators_stay_below)
def all_operators(point: Point) -> Measured:
    """Independent weights: 2L + 1 matrices and L vectors."""
    size, length, tall, _ = _in_units(point)
    one, error = operator_tail(size, 3 * math.sqrt(tall / size))
    layers = int(point[depth])
    vectors = (1 - _squares(length, 9 * tall / size)) ** layers
    return Measured((1 - one) ** (2 * layers + 1) * vectors, (2 * layers + 1) * error + 1e-14)


def _tail(freedom: Callable[[int, int], int], threshold: Callable[..., float]) -> Any:
    def run(point: Point) -> Measured:
        size, length, tall, u = _in_units(point)
        count = freedom(size, length)
        value = _squares(count, threshold(count, tall, u))
        return Measured(value, RELATIVE * value)

    return run


def _beyond(freedom: int, tall: float, u: float) -> float:
    return freedom + 2 * math.sqrt(freedom * u) + 2 * u


for quantity, freedom, threshold in (
    (claims.squares_exceed, lambda size, length: size**2, _beyond),
    (claims.squares_exceed_three, lambda size, length: size**2, lambda k, tall, u: 3 * tall),
    (claims.positions_exceed, lambda size, length: length, _beyond),
    (claims.positions_exceed_three, lambda size, length: length, lambda k, tall, u: 3 * tall),
):
    measures(quantity)(_tail(freedom, threshold))


@measures(claims.frobenius_norms_stay_below)
def all_squares(point: Point) -> Measured:
    """Independent weights: 2L + 1 matrices and L vectors."""
    size, length, tall, _ = _in_units(point)
    layers = int(point[depth])
    matrices, vectors = (1 - _squares(k, 4 * tall) for k in (size**2, length))
    return Measured(matrices ** (2 * layers + 1) * vectors**layers, 1e-12)
