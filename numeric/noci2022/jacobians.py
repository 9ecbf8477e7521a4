"""Jacobians of the attention layer with the true softmax, by reverse-mode autograd."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from claims.domain import Point
from claims.noci2022 import jacobians as claims
from claims.noci2022.notation import WK, WQ, WV, X
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.jacobians import full_jacobian
from numeric.layers import attention, attention_weights
from numeric.reach import KRONECKER
from numeric.registry import directly


def _weights(point: Point) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """X (n, v), W^Q (v, k), W^K (v, k), W^V (v, v)."""
    x, wq, wk, wv = (tensor(point[symbol]) for symbol in (X, WQ, WK, WV))
    return x, wq, wk, wv


def _jacobian(function: Callable[[Tensor], Tensor], at: Tensor, *scales: Tensor) -> Measured:
    """d vec_r(function) / d vec_r(at)^T; rounding is bounded by the product of the scales."""
    full = full_jacobian(function, at)
    size = torch.stack([1 + scale.abs().sum() for scale in scales]).prod()
    return Measured(full.flatten(0, 1).flatten(1, 2), rounding(size))


@directly(claims.value_jacobian_of_attention, reach=KRONECKER)
def value_jacobian(point: Point) -> Measured:
    """dS/dW^V, shape (n v, v v)."""
    x, wq, wk, wv = _weights(point)
    return _jacobian(lambda w: attention(x, wq, wk, w), wv, x)


@directly(claims.query_jacobian_of_attention, reach=KRONECKER)
def query_jacobian(point: Point) -> Measured:
    """dS/dW^Q, shape (n v, v k)."""
    x, wq, wk, wv = _weights(point)
    return _jacobian(lambda w: attention(x, w, wk, wv), wq, x, x, wk, wv)


@directly(
    claims.input_jacobian_by_the_chain_rule, claims.input_jacobian_of_attention, reach=KRONECKER
)
def input_jacobian(point: Point) -> Measured:
    """dS/dX, shape (n v, n v)."""
    x, wq, wk, wv = _weights(point)
    return _jacobian(lambda tokens: attention(tokens, wq, wk, wv), x, x, x, wq, wk, wv)


@directly(claims.attention_jacobian_printed_without_softmax, reach=KRONECKER)
def attention_jacobian(point: Point) -> Measured:
    """dA/dX, shape (n n, n v)."""
    x, wq, wk, _ = _weights(point)
    return _jacobian(lambda tokens: attention_weights(tokens, wq, wk), x, x, wq, wk)


@directly(claims.logit_jacobian_by_both_factors, reach=KRONECKER)
def logit_jacobian(point: Point) -> Measured:
    """dM/dX, shape (n n, n v)."""
    x, wq, wk, _ = _weights(point)
    scale = wq.shape[-1] ** -0.5
    return _jacobian(lambda tokens: scale * (tokens @ wq) @ (tokens @ wk).mT, x, x, wq, wk)
