"""Correlations along the depth, from networks averaged over their weights."""

from __future__ import annotations

import torch
from torch import Tensor

from claims.domain import Point
from claims.noci2022 import correlation as claims
from claims.noci2022.notation import X, ell
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.noci2022.network import (
    MOST_ENTRIES,
    MomentMap,
    averaged_gram,
    correlation,
    extrapolated,
    gram_after,
    strengths,
)
from numeric.reach import MOMENTS
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


@directly(claims.correlation_from_inner_products_and_norm, reach=MOMENTS)
def averaged_correlation(point: Point) -> Measured:
    """rho^l of Eq. (14), pair by pair."""
    return Measured(float(correlation(gram_after(point, int(point[ell])))), rounding(1.0))


@directly(claims.scaled_correlation_limit)
def followed_correlation(point: Point) -> Measured:
    """rho^L at L = 16 ... 4096, extrapolated."""
    return extrapolated(lambda layers: correlation(gram_after(point, layers)), size=1.0)


def leading_gram(point: Point) -> Tensor:
    """The Gram matrix of the fastest growing part of the second moments, (n, n).

    An averaged block is a symmetric map of second moments; after many blocks only the part of the
    start in the top eigenspace matters.  Following powers instead would let rounding grow into an
    eigenspace in which the start has no part.  A part below 1e-9 of the start is rounding.
    """
    if point[X].rows * point[X].cols > MOST_ENTRIES:
        return _leading_in_krylov_space(point)
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


KRYLOV = 4
"""Steps after which the space spanned by a Gram matrix and its images has long been closed."""


def _leading_in_krylov_space(point: Point) -> Tensor:
    """The same from the space that blocks span from the tokens' own Gram matrix.

    A block is a symmetric map of Gram matrices, so that a basis of that space, orthogonal in the
    Frobenius product, shows its eigenvectors there.
    """
    squares = [a * a for a in strengths(point)]
    start = tensor(point[X]) @ tensor(point[X]).T
    basis = [start / start.norm()]
    for _ in range(KRYLOV):
        image = averaged_gram(basis[-1], *squares)
        rest = image
        for known in (*basis, *basis):  # twice, so that rounding leaves it orthogonal
            rest = rest - (rest * known).sum() * known
        if rest.norm() <= 1e-10 * image.norm():
            break
        basis.append(rest / rest.norm())
    space = torch.stack(basis).flatten(1)
    images = torch.stack([averaged_gram(b, *squares).flatten() for b in basis])
    _, vectors = torch.linalg.eigh(space @ images.T)
    parts = vectors.T @ (space @ start.flatten())
    for vector, share in zip(vectors.T.flip(0), parts.flip(0), strict=True):
        gram = (share * vector @ space).reshape(start.shape)
        if gram.trace() > 1e-9 * start.abs().max():
            return gram
    raise ValueError("the tokens are zero: they have no correlation")


@directly(claims.unscaled_correlation_limit)
def leading_correlation(point: Point) -> Measured:
    """The correlation that very deep networks approach; rounding is magnified by spectral gaps."""
    return Measured(float(correlation(leading_gram(point))), rounding(1.0, operations=10**6))
