"""How fast tokens align, from networks averaged over their weights."""

from __future__ import annotations

import math

from claims.domain import Point
from claims.noci2022 import growth as claims
from claims.noci2022.notation import X, depth, ell
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.noci2022.network import correlation, exact_cosine, extrapolated, gram_after
from numeric.registry import directly, measures


@measures(claims.limiting_correlation)
def followed_correlation(point: Point) -> Measured:
    """rho^L at L = 16 ... 1024, extrapolated."""
    return extrapolated(lambda layers: correlation(gram_after(point, layers)), most=10, size=1.0)


@measures(claims.limit_of_first)
def followed_correlation_of_first(point: Point) -> Measured:
    """The same of the first input."""
    return followed_correlation(point)


@measures(claims.limit_of_second)
def followed_correlation_of_second(point: Point) -> Measured:
    """And of the second."""
    return followed_correlation({**point, X: point[claims.Y]})


@measures(claims.cosine)
def cosine(point: Point, k: int, other: int) -> Measured:
    """The cosine between two input tokens; 1 and -1 are exact, since tokens are integers."""
    x = tensor(point[X])
    return exact_cosine(x[k - 1], x[other - 1])


@directly(claims.correlation_is_close_to_one_in_shallow_networks)
def averaged_missing_correlation(point: Point) -> Measured:
    """1 - rho^L, pair by pair."""
    return Measured(1 - float(correlation(gram_after(point, int(point[depth])))), rounding(1.0))


def _correlation(point: Point, layers: int) -> Measured:
    return Measured(float(correlation(gram_after(point, layers))), rounding(1.0))


@measures(claims.correlation_before)
def correlation_before(point: Point) -> Measured:
    """rho^l."""
    return _correlation(point, int(point[ell]))


@measures(claims.correlation_after)
def correlation_after(point: Point) -> Measured:
    """rho^{l+1}."""
    return _correlation(point, int(point[ell]) + 1)


def _angle(point: Point, layers: int) -> Measured:
    """The arccosine, with what rounding of the cosine may do to it."""
    read = _correlation(point, layers)
    ends = (read.value - read.error, read.value, read.value + read.error)
    high, value, low = (math.acos(min(1.0, max(-1.0, end))) for end in ends)
    return Measured(value, high - low)


@measures(claims.angle_before)
def angle_before(point: Point) -> Measured:
    """arccos rho^l."""
    return _angle(point, int(point[ell]))


@measures(claims.angle_after)
def angle_after(point: Point) -> Measured:
    """arccos rho^{l+1}."""
    return _angle(point, int(point[ell]) + 1)
