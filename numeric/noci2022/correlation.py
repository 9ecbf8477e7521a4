"""Correlations along the depth, from networks averaged over their weights."""

from __future__ import annotations

import torch
from torch import Tensor

from claims.domain import Point
from claims.noci2022 import correlation as claims
from claims.noci2022.notation import ell
from numeric.agreement import Measured, rounding
from numeric.noci2022.network import MomentMap, correlation, extrapolated, gram_after
from numeric.registry import directly, measures


@measures(claims.expected_norm)
def averaged_norm(point: Point, k: int) -> Measured:
    """E ||X_k^l||^2."""
    norms = gram_after(point, int(point[ell])).diagonal()
    return Measured(float(norms[k - 1]), rounding(norms.max()))


@measures(claims.expected_total)
def averaged_total(point: Point) -> Measured:
    """E ||X^l||_F^2."""
    total = float(gram_after(point, int(point[ell])).trace())
    return Measured(total, rounding(total))


@directly(claims.correlation_from_inner_products_and_norm)
def averaged_correlation(point: Point) -> Measured:
    """rho^l of Eq. (14), pair by pair."""
    return Measured(float(correlation(gram_after(point, int(point[ell])))), rounding(1.0))


@directly(claims.scaled_correlation_limit)
def followed_correlation(point: Point) -> Measured:
    """rho^L at L = 16 ... 4096, extrapolated."""
    return extrapolated(lambda layers: correlation(gram_after(point, layers)))


def leading_gram(point: Point) -> Tensor:
    """The Gram matrix of the fastest growing part of the second moments, (n, n).

    An averaged block is a symmetric map of second moments; after many blocks only the part of the
    start in the top eigenspace matters.  Following powers instead would let rounding grow into an
    eigenspace in which the start has no part.  A part below 1e-9 of the start is rounding.
    """
    block = MomentMap.of(point)
    if not torch.allclose(block.matrix, block.matrix.T, rtol=0, atol=1e-12):
        raise ValueError("the averaged block is not symmetric: eigenspaces are not orthogonal")
    rates, vectors = torch.linalg.eigh(block.matrix)
    parts = vectors.T @ block.start.flatten()
    for rate in reversed(rates.tolist()):
        inside = (rates - rate).abs() <= 1e-9 * rate
        part = (vectors[:, inside] @ parts[inside]).reshape(block.start.shape)
        gram = torch.einsum("kzlz->kl", part)
        if gram.trace() > 1e-9 * block.start.abs().max():
            return gram
    raise ValueError("the tokens are zero: they have no correlation")


@directly(claims.unscaled_correlation_limit)
def leading_correlation(point: Point) -> Measured:
    """The correlation that very deep networks approach; rounding is magnified by spectral gaps."""
    return Measured(float(correlation(leading_gram(point))), rounding(1.0, operations=10**6))
