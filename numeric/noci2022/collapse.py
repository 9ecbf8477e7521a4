"""Covariances and moments of tokens, measured on explicit tensors."""

from __future__ import annotations

import torch
from torch import Tensor

from claims.domain import Point
from claims.noci2022 import collapse as claims
from claims.noci2022.notation import X
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.registry import directly


def _covariance(tokens: Tensor) -> Tensor:
    """Centred covariance (v, v) of tokens (n, v), divided by n."""
    width = tokens.shape[-1]
    return torch.cov(tokens.mT, correction=0).reshape(width, width)


@directly(
    claims.covariance_of_tokens_is_the_centred_gram_matrix,
    claims.rank_one_tokens_have_zero_covariance,
)
def covariance(point: Point) -> Measured:
    """`torch.cov` of the tokens."""
    tokens = tensor(point[X])
    return Measured(_covariance(tokens), rounding(1 + tokens.square().sum()))


@directly(claims.moments_of_rank_one_tokens)
def rank_one_moments(point: Point) -> Measured:
    """Outer square of the mean, sum of outer squares, and n times the covariance of equal tokens."""
    tokens, scale = tensor(point[X]), float(point[claims.c])
    equal = scale * tensor(point[claims.x]).T.expand(tokens.shape[0], -1)
    mean = tokens.mean(dim=0)
    value = (
        torch.outer(mean, mean),
        torch.einsum("ki,kj->ij", tokens, tokens),
        tokens.shape[0] * _covariance(equal),
    )
    return Measured(value, rounding(1 + tokens.square().sum() + equal.square().sum()))
