"""The query gradient of a loss after several blocks, by autograd; its mean by Gaussian quadrature."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import torch
from torch import Tensor

from claims.domain import Point
from claims.noci2022 import chain as claims
from claims.noci2022.notation import WF1, WF2, WK, WQ, WV, X, alpha1, alpha2
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.noci2022.setup import uniform_attention
from numeric.reach import Reach
from numeric.registry import directly


@directly(
    claims.loss_gradient_is_bounded_norm_by_norm,
    reach=Reach(2, "the norms of exact Jacobians along the chain are part of the point"),
)
def squared_loss_gradient(point: Point) -> Measured:
    """||dL/dW^Q||^2 for L = <G, X^L>, W^Q that of the first block, by autograd through all blocks."""
    symbols = (X, WQ, WK, WV, WF1, WF2, claims.loss_gradient)
    x, wq, wk, wv, wf1, wf2, upstream = (tensor(point[symbol]) for symbol in symbols)
    first, second = float(point[alpha1]), float(point[alpha2])

    def block(tokens: Tensor, queries: Tensor) -> Tensor:
        z = first * uniform_attention(tokens, queries, wk, wv) + tokens
        return second * z @ wf1 @ wf2 + z

    def loss(queries: Tensor) -> Tensor:
        tokens = block(x, queries)
        for _ in range(int(point[claims.later_blocks])):
            tokens = block(tokens, wq)
        return (upstream * tokens).sum()

    value = float(torch.func.grad(loss)(wq).square().sum())
    return Measured(value, rounding(1 + value))


NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(4)
"""Exact for polynomials of degree at most 7 in each standard normal weight."""


@directly(
    claims.later_factors_average_out_given_the_tokens,
    reach=Reach(1, "its setting is one block of width one, with exact means over the weights"),
)
def expected_squared_loss_gradient(point: Point) -> Measured:
    """E ||dL/dW^Q||^2 over three scalar weights on a 4 x 4 x 4 Gauss-Hermite grid, by autograd.

    One block with alpha_2 = 0 and d_v = d_k = 1; L = (<X, Z> - ||X||^2)^2 / 2.
    """
    x, strength = tensor(point[X]), float(point[alpha1])
    grid = torch.tensor(list(product(NODES, repeat=3)), dtype=x.dtype, device=x.device)
    mass = torch.tensor([math.prod(w) for w in product(WEIGHTS / WEIGHTS.sum(), repeat=3)])
    wq, wk, wv = (grid[:, k].reshape(-1, 1, 1) for k in range(3))
    queries = wq.clone().requires_grad_()
    z = strength * uniform_attention(x.expand(len(grid), *x.shape), queries, wk, wv) + x
    loss = ((x * z).sum(dim=(-1, -2)) - x.square().sum()).square() / 2
    (gradient,) = torch.autograd.grad(loss.sum(), queries)
    value = float((mass.to(x) * gradient.square().sum(dim=(-1, -2))).sum())
    return Measured(value, rounding(1 + value))
