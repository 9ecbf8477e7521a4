"""Two tokens along the depth, from networks averaged over their weights."""

from __future__ import annotations

from torch import Tensor

from claims.domain import Point
from claims.noci2022 import pairs as claims
from claims.noci2022.network import other, token
from claims.noci2022.notation import depth, ell
from numeric.agreement import Measured, rounding
from numeric.noci2022.correlation import leading_gram
from numeric.noci2022.network import gram_after
from numeric.reach import Reach
from numeric.registry import measures

EXACT = Reach(64, "the statement holds exact inner products of all pairs of tokens")


def _pair(gram: Tensor, point: Point) -> tuple[float, float, float]:
    """Both squared norms and the inner product."""
    k, l = int(point[token]) - 1, int(point[other]) - 1  # noqa: E741
    return float(gram[k, k]), float(gram[l, l]), float(gram[k, l])


def _correlation(gram: Tensor, point: Point) -> float:
    first, second, inner = _pair(gram, point)
    return inner / (first * second) ** 0.5


@measures(claims.squared_distance, reach=EXACT)
def squared_distance(point: Point) -> Measured:
    """E||X_k^l - X_k'^l||^2."""
    first, second, inner = _pair(gram_after(point, int(point[ell])), point)
    return Measured(first + second - 2 * inner, rounding(first + second))


@measures(claims.expected_square, reach=EXACT)
def expected_square(point: Point) -> Measured:
    """E||X_k^l||^2."""
    first, _, _ = _pair(gram_after(point, int(point[ell])), point)
    return Measured(first, rounding(first))


@measures(claims.correlation_after, reach=EXACT)
def correlation_after(point: Point) -> Measured:
    """rho_kk' after l blocks."""
    return Measured(_correlation(gram_after(point, int(point[ell])), point), rounding(1.0))


@measures(claims.missing_correlation, reach=EXACT)
def missing_correlation(point: Point) -> Measured:
    """1 - rho_kk' after L blocks."""
    return Measured(1 - _correlation(gram_after(point, int(point[depth])), point), rounding(1.0))


@measures(claims.pair_limit)
def limiting_correlation(point: Point) -> Measured:
    """rho_kk' of the fastest growing part; rounding is magnified by spectral gaps."""
    return Measured(_correlation(leading_gram(point), point), rounding(1.0, operations=10**6))
