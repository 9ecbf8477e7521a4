"""Correlations and cosines of finite laws, outcome by outcome."""

from __future__ import annotations

from itertools import permutations

from torch import Tensor

from claims.domain import Point
from claims.noci2022 import alignment as claims
from claims.noci2022.notation import m, n
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.noci2022.network import exact_cosine
from numeric.registry import measures


def _ratio(first: Tensor, second: Tensor) -> Measured:
    """|B| / |A|."""
    value = float(second.norm() / first.norm())
    return Measured(value, rounding(value))


@measures(claims.rho)
def correlation_of_two_tokens(point: Point) -> Measured:
    """E<P, Q> / sqrt(E|P|^2 E|Q|^2)."""
    return exact_cosine(tensor(point[claims.P]).flatten(), tensor(point[claims.Q]).flatten())


@measures(claims.cosine)
def cosine_of_two_tokens(point: Point, i: int) -> Measured:
    """The cosine of the angle between the tokens in outcome i."""
    return exact_cosine(tensor(point[claims.P])[i - 1], tensor(point[claims.Q])[i - 1])


@measures(claims.ratio)
def ratio_of_two_tokens(point: Point) -> Measured:
    """The root mean square of Q over that of P."""
    return _ratio(tensor(point[claims.P]), tensor(point[claims.Q]))


def _tokens(point: Point) -> Tensor:
    """Tokens by outcome: (n, m, d)."""
    x = tensor(point[claims.X])
    return x.reshape(int(point[m]), int(point[n]), -1).transpose(0, 1)


@measures(claims.average)
def average_correlation(point: Point) -> Measured:
    """The mean of rho over the pairs of different tokens."""
    pairs = [exact_cosine(*pair) for pair in permutations(_tokens(point).flatten(1), 2)]
    mean = sum(pair.value for pair in pairs) / len(pairs)
    return Measured(mean, max(pair.error for pair in pairs))


@measures(claims.correlation_of_pair)
def correlation_of_pair(point: Point, k: int, other: int) -> Measured:
    """rho of tokens k and k'."""
    x = _tokens(point).flatten(1)
    return exact_cosine(x[k - 1], x[other - 1])


@measures(claims.cosine_of_pair)
def cosine_of_pair(point: Point, i: int, k: int, other: int) -> Measured:
    """The cosine of the angle between tokens k and k' in outcome i."""
    x = _tokens(point)
    return exact_cosine(x[k - 1, i - 1], x[other - 1, i - 1])


@measures(claims.ratio_of_pair)
def ratio_of_pair(point: Point, k: int, other: int) -> Measured:
    """The root mean square of token k' over that of token k."""
    x = _tokens(point)
    return _ratio(x[k - 1], x[other - 1])
