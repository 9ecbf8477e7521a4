"""Scaled residuals measured: averaged networks of growing depth, followed to their limits."""

from __future__ import annotations

import math
from itertools import pairwise

import torch
from torch import Tensor

from claims.domain import Point
from claims.noci2022 import residuals as claims
from claims.noci2022.notation import WF1, WF2, WV, X, atilde1, depth
from numeric import device
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.noci2022.network import extrapolated, gram_after, strengths
from numeric.registry import directly, measures


@directly(claims.inner_products_at_infinite_depth)
def followed_inner_products(point: Point) -> Measured:
    """E C(X^L) at L = 16 ... 4096, extrapolated."""
    return extrapolated(lambda layers: gram_after(point, layers))


@directly(claims.norm_at_infinite_depth, claims.norm_at_infinite_depth_in_inner_products)
def followed_norm(point: Point) -> Measured:
    """E ||X^L||_F^2 at L = 16 ... 4096, extrapolated."""
    return extrapolated(lambda layers: gram_after(point, layers).trace())


def geometric_sum(square: float, layers: int) -> float:
    """sum over k < layers of (1 + square)^k, term by term."""
    powers = torch.arange(layers, dtype=torch.float64, device=device.current())
    return float(torch.exp(powers * math.log1p(square)).sum())


@directly(claims.squared_strength_times_geometric_sum)
def followed_square_times_sum(point: Point) -> Measured:
    """alpha_1^2 times the geometric sum at L = 16 ... 4096, extrapolated."""

    def term(layers: int) -> float:
        square = float(point[atilde1]) / layers
        return square * geometric_sum(square, layers)

    return extrapolated(term)


@directly(claims.strength_times_geometric_sum)
def followed_strength_times_sum(point: Point) -> Measured:
    """alpha_1 times the geometric sum at L = 4^4 ... 4^8.

    It is taken to be infinite when every quadrupling of the depth multiplies it by 3/2 or more, as
    a sequence of order sqrt(L) does and a convergent one does not.
    """
    terms = []
    for exponent in range(4, 9):
        square = float(point[atilde1]) / 4**exponent
        terms.append(math.sqrt(square) * geometric_sum(square, 4**exponent))
    if all(after >= 1.5 * before > 0 for before, after in pairwise(terms)):
        return Measured(math.inf)
    return Measured(terms[-1], abs(terms[-1] - terms[-2]) + rounding(terms[-1]))


@measures(claims.norm_after)
def norm_after(point: Point) -> Measured:
    """E ||X^L||_F^2 in a network of the point's depth."""
    value = float(gram_after(point, int(point[depth])).trace())
    return Measured(value, rounding(value))


@measures(claims.product_after)
def product_after(point: Point, k: int, other: int) -> Measured:
    """E <X_k^L, X_k'^L> in a network of the point's depth."""
    gram = gram_after(point, int(point[depth]))
    return Measured(float(gram[k - 1, other - 1]), rounding(gram.abs().max()))


@directly(claims.zero_strengths_make_the_network_the_identity)
def output_of_given_weights(point: Point) -> Measured:
    """X^L with the point's weights in every layer, (n, d_v)."""
    layers, x = int(point[depth]), tensor(point[X])
    strength1, strength2 = strengths(point, layers)
    largest: Tensor = x.abs().max()
    for _ in range(layers):
        z = strength1 * x.mean(dim=0, keepdim=True) @ tensor(point[WV]) + x
        x = strength2 * z @ tensor(point[WF1]) @ tensor(point[WF2]) + z
        largest = torch.maximum(largest, x.abs().max())
    return Measured(x, rounding(largest))
