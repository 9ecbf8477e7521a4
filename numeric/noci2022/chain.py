"""The query gradient of a loss after several blocks, by autograd; its mean by Gaussian quadrature."""

from __future__ import annotations

import math
from collections.abc import Callable
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
from numeric.registry import directly, measures


class Chain:
    """The blocks at a point: a function of the tokens and of W^Q."""

    def __init__(self, point: Point):
        symbols = (X, WQ, WK, WV, WF1, WF2, claims.loss_gradient)
        self.x, self.wq, self.wk, self.wv, self.wf1, self.wf2, self.upstream = (
            tensor(point[symbol]) for symbol in symbols
        )
        self.first, self.second = float(point[alpha1]), float(point[alpha2])
        self.rectified = point[claims.activation] == "relu"
        self.later = int(point[claims.later_blocks])

    def attended(self, tokens: Tensor, queries: Tensor) -> Tensor:
        """Z = alpha_1 S + X."""
        return self.first * uniform_attention(tokens, queries, self.wk, self.wv) + tokens

    def mixed(self, z: Tensor) -> Tensor:
        hidden = (z @ self.wf1).relu() if self.rectified else z @ self.wf1
        return self.second * hidden @ self.wf2 + z

    def block(self, tokens: Tensor, queries: Tensor) -> Tensor:
        return self.mixed(self.attended(tokens, queries))

    def squared_gradient(self) -> float:
        """||dL/dW^Q||^2 for L = <G, X^L>, W^Q that of the first block."""

        def loss(queries: Tensor) -> Tensor:
            tokens = self.block(self.x, queries)
            for _ in range(self.later):
                tokens = self.block(tokens, self.wq)
            return (self.upstream * tokens).sum()

        return float(torch.func.grad(loss)(self.wq).square().sum())

    def product_of_norms(self) -> float:
        """The squared norms of all Jacobians along the chain, multiplied."""
        jacobian = torch.func.jacrev
        attention = jacobian(lambda queries: self.attended(self.x, queries))(self.wq)
        mixing = jacobian(self.mixed)(self.attended(self.x, self.wq))
        product = float(self.upstream.square().sum())
        product *= float(attention.square().sum() * mixing.square().sum())
        tokens = self.block(self.x, self.wq)
        for _ in range(self.later):
            moved = jacobian(lambda tokens: self.block(tokens, self.wq))(tokens)
            product *= float(moved.square().sum())
            tokens = self.block(tokens, self.wq)
        return product


@measures(
    claims.loss_gradient_square,
    reach=Reach(2, "the norms of exact Jacobians along the chain are part of the point"),
)
def squared_loss_gradient(point: Point) -> Measured:
    """||dL/dW^Q||^2 by autograd through all blocks."""
    value = Chain(point).squared_gradient()
    return Measured(value, rounding(1 + value))


def _mean_over_outcomes(point: Point, value: Callable[[Chain], float]) -> Measured:
    count = int(point[claims.outcomes])
    chains = (Chain(claims.in_outcome(point, s)) for s in range(1, count + 1))
    mean = sum(value(chain) for chain in chains) / count
    return Measured(mean, rounding(1 + mean, operations=1000))


_JACOBIANS = Reach(4, "whole Jacobians of every block, for each outcome of the law")


@measures(claims.mean_gradient, reach=_JACOBIANS)
def mean_squared_gradient(point: Point) -> Measured:
    """E ||dL/dW^Q||^2 over the outcomes."""
    return _mean_over_outcomes(point, Chain.squared_gradient)


@measures(claims.mean_product, reach=_JACOBIANS)
def mean_product_of_norms(point: Point) -> Measured:
    """E[F H] over the outcomes, by autograd."""
    return _mean_over_outcomes(point, Chain.product_of_norms)


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
