"""Lemmas 3.2, 3.3, A.4 and A.6 measured: networks simulated, finite laws enumerated."""

from __future__ import annotations

from itertools import product
from typing import Any

import torch
from torch import Generator, Tensor

from claims.domain import Point
from claims.noci2022 import forward as claims
from claims.noci2022.notation import X, depth, ell
from numeric import device
from numeric.agreement import Measured, rounding
from numeric.estimates import ROUNDING
from numeric.exact import tensor
from numeric.layers import squared_norm
from numeric.noci2022.network import inner_products, simulate
from numeric.registry import directly, samples


@samples(claims.inner_products_after_depth)
def sampled_inner_products(point: Point, rng: Generator, count: int) -> Tensor:
    """C(X^L) of simulated networks, averaged over the signs of weights; (count,)."""
    return inner_products(simulate(point, rng, count, int(point[depth]))).mean(dim=0)


@samples(claims.norm_after_depth)
def sampled_norm(point: Point, rng: Generator, count: int) -> Tensor:
    """||X^L||_F^2 of simulated networks, averaged over the signs of weights; (count,)."""
    return squared_norm(simulate(point, rng, count, int(point[depth]))).mean(dim=0)


@samples(claims.inner_products_grow_by_a_constant_factor)
def sampled_inner_products_of_next_layer(point: Point, rng: Generator, count: int) -> Tensor:
    """C(X^(l+1)) of simulated networks, averaged over the signs of weights; (count,)."""
    return inner_products(simulate(point, rng, count, int(point[ell]) + 1)).mean(dim=0)


@samples(claims.norm_grows_with_the_inner_products)
@samples(claims.norm_grows_by_a_constant_factor_over_the_second_half)
def sampled_norm_of_next_layer(point: Point, rng: Generator, count: int) -> Tensor:
    """||X^(l+1)||_F^2 of simulated networks, averaged over the signs of weights; (count,)."""
    return squared_norm(simulate(point, rng, count, int(point[ell]) + 1)).mean(dim=0)


@directly(claims.uniform_mean_token)
def sum_of_inner_products(point: Point) -> Measured:
    """Every inner product between two tokens, added up."""
    x = tensor(point[X])
    products = torch.einsum("kj,lj->kl", x, x)
    return Measured(float(products.sum()), rounding(products.abs().sum()))


# One layer, enumerated: all matrices of signs +-1/sqrt(d), equally likely, are an admissible law ---


def sign_matrices(size: int) -> Tensor:
    """All matrices with entries +-1, (2^(size^2), size, size)."""
    signs = torch.tensor(list(product((-1.0, 1.0), repeat=size * size)), dtype=torch.float64)
    return signs.reshape(-1, size, size).to(device.current())


def outcome_moments(outputs: Tensor, weights: Tensor, column: Any) -> Measured:
    """(E D e e^T D^T, E ||D||^2, E C(D)) over outcomes D (outcomes, n, d) with probabilities."""
    at_column = outputs @ column
    second = torch.einsum("o,oka,ola->kl", weights, at_column, at_column)
    gram = torch.einsum("o,okj,olj->kl", weights, outputs, outputs)
    value = (second, float(gram.trace()), float(gram.sum()))
    return Measured(value, rounding(gram.abs().sum(), operations=10 * len(outputs)))


@directly(claims.linear_layer_preserves_second_moments)
def enumerated_linear_layer(point: Point) -> Measured:
    """D = X W over all sign matrices of variance 1/d, shifted by the point's mean."""
    x = tensor(point[X])
    signs = sign_matrices(x.shape[-1])
    weights = float(point[claims.mu]) + signs * x.shape[-1] ** -0.5
    return outcome_moments(x @ weights, _uniform(signs), tensor(point[claims.e_j]))


@directly(claims.uniform_attention_second_moments)
def enumerated_attention_layer(point: Point) -> Measured:
    """S = (1/n) 1 1^T X W^V over all sign matrices of variance 1/d."""
    x = tensor(point[X])
    signs = sign_matrices(x.shape[-1])
    attention = torch.full((len(x), len(x)), 1 / len(x), dtype=x.dtype, device=x.device)
    outputs = attention @ x @ signs * x.shape[-1] ** -0.5
    found = outcome_moments(outputs, _uniform(signs), tensor(point[claims.e_j]))
    cancelled = ROUNDING**2 * float(x.square().sum())  # where the mean token vanishes
    return Measured(found.value, found.error + cancelled)


def _uniform(outcomes: Tensor) -> Tensor:
    return torch.full_like(outcomes[:, 0, 0], 1 / len(outcomes))
