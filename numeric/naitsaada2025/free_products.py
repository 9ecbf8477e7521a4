r"""Moments of free products of Marchenko-Pastur laws, from their densities and $S$-transforms.

The moment series of each law is a quadrature over its density; it is inverted, the $S$-transforms are
multiplied, and the product is inverted again, as power series.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from claims.domain import Point
from claims.naitsaada2025 import free_products as claims
from claims.naitsaada2025.free_products import power
from claims.naitsaada2025.notation import ell
from numeric.agreement import Measured, rounding
from numeric.registry import directly, measures

NODES = 400
Series = np.ndarray
"""Coefficients of z, z^2, ...: a series without constant term."""


def density_moments(ratio: float, deviation: float, order: int) -> Series:
    """Moments of MP(ratio, deviation), at most 1: Chebyshev's quadrature of the second kind.

    The density is sqrt((b - x)(x - a))/(2 pi ratio s^2 x) between a and b = s^2 (1 -+ sqrt(ratio))^2.
    """
    centre, half = deviation**2 * (1 + ratio), 2 * deviation**2 * math.sqrt(ratio)
    angles = np.arange(1, NODES + 1) * math.pi / (NODES + 1)
    x = centre + half * np.cos(angles)
    weights = half**2 * np.sin(angles) ** 2 / (NODES + 1) / (2 * ratio * deviation**2)
    return np.array([(weights * x ** (k - 1)).sum() for k in range(1, order + 1)])


def composed(outer: Series, inner: Series) -> Series:
    """outer(inner(z)) to the order of both."""
    order = len(outer)
    found, power_ = np.zeros(order), np.eye(1, order + 1)[0]
    for coefficient in outer:
        power_ = np.convolve(power_, np.concatenate([[0.0], inner]))[: order + 1]
        found += coefficient * power_[1:]
    return found


def inverted(series: Series) -> Series:
    """The compositional inverse, one coefficient after the other."""
    found = np.zeros(len(series))
    for k in range(len(series)):
        target = 1.0 if k == 0 else 0.0
        found[k] += (target - composed(series, found)[k]) / series[0]
    return found


def free_product(laws: Sequence[Series]) -> Series:
    """Moments: chi(z) = z/(1 + z) S(z), and S-transforms multiply."""
    order = len(laws[0])
    signs = (-1.0) ** np.arange(order)
    transform = np.eye(1, order)[0]
    for moments in laws:
        chi = inverted(np.asarray(moments))
        own = chi + np.concatenate([[0.0], chi[:-1]])  # (1 + z)/z chi(z)
        transform = np.convolve(transform, own)[:order]
    return inverted(np.convolve(signs, transform)[:order])


def _moments(point: Point, count: int, ratios: Sequence[float] | None = None) -> Series:
    """Of the product of the laws with these ratios, by default those of the factors."""
    own = _ratios(point, count) if ratios is None else ratios
    deviations = map(float, point[claims.deviations][:count])
    return free_product([density_moments(*law, 2) for law in zip(own, deviations, strict=True)])


def _ratios(point: Point, count: int) -> list[float]:
    return [float(ratio) for ratio in point[claims.ratios][:count]]


def _variance(moments: Series) -> Measured:
    first, second = map(float, moments)
    return Measured(second - first**2, rounding(second))


@measures(claims.mean_of)
def mean_of_the_product(point: Point, count: int) -> Measured:
    value = float(_moments(point, count)[0])
    return Measured(value, rounding(value))


@measures(claims.variance_of)
def variance_of_the_product(point: Point, count: int) -> Measured:
    return _variance(_moments(point, count))


@measures(claims.variance_of_chain)
def variance_of_the_chain(point: Point, count: int) -> Measured:
    """Seen from the rows of the first, each matrix has the ratio of the chain up to it."""
    return _variance(_moments(point, count, list(np.cumprod(_ratios(point, count)))))


def _exactly(family: object) -> None:
    """What a side is made of, in floats."""

    @measures(family)
    def value(point: Point, count: int) -> Measured:
        found = float(family.define_at(point, count))  # type: ignore[attr-defined]
        return Measured(found, rounding(found))


for _family in (claims.variances, claims.total_ratio, claims.chained):
    _exactly(_family)


@directly(claims.moments_are_fuss_catalan_numbers)
def unit_moment(point: Point) -> Measured:
    """Of the l-fold product of MP(1, 1)."""
    law = density_moments(1.0, 1.0, int(point[power]))
    value = float(free_product([law] * int(point[ell]))[-1])
    return Measured(value, rounding(value, operations=10**5))
