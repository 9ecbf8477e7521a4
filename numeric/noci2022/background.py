"""Measurements of Sections 1-2 and Assumption 3.1: true softmax layers, random initialisations."""

from __future__ import annotations

import math
from functools import cache
from itertools import product
from typing import Any

import torch
from sympy import Symbol
from torch import Generator, Tensor
from torch.func import jvp

from claims.domain import Point
from claims.noci2022 import background as claims
from claims.noci2022.notation import (
    WK,
    WQ,
    WV,
    X,
    alpha1,
    alpha2,
    d_k,
    d_v,
    depth,
    n,
    sigma_k,
    sigma_v,
)  # fmt: skip
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.registry import directly, measures, samples
from numeric.sampling import generator, normal


@directly(claims.attention_is_row_stochastic_and_keeps_the_shape)
def attention_shapes(point: Point) -> Measured:
    """Shapes and row sums of a softmax attention layer at given weights."""
    x, wq, wk, wv = (tensor(point[s]) for s in (X, WQ, WK, WV))
    logits = (x @ wq) @ (x @ wk).T / math.sqrt(wq.shape[1])
    attention = logits.softmax(dim=0 if Symbol("axis") in point else 1)
    sums = set(attention.sum(dim=1).tolist())
    output = attention @ x @ wv
    return Measured({"A": tuple(attention.shape), "S": tuple(output.shape), "row_sums": sums})


@directly(claims.block_maps_token_matrices_to_token_matrices)
def block_shapes(point: Point) -> Measured:
    """Shapes of S, Z, Y and the next X with the true softmax and the point's activation."""
    x, wq, wk, wv = (tensor(point[s]) for s in (X, WQ, WK, WV))
    w1, w2 = tensor(point[claims.WF1]), tensor(point[claims.WF2])
    s = ((x @ wq) @ (x @ wk).T / math.sqrt(wq.shape[1])).softmax(dim=1) @ x @ wv
    z = float(point[alpha1]) * s + x
    hidden = z @ w1
    y = (hidden.relu() if point[Symbol("sigma")] == "relu" else hidden) @ w2
    return Measured(tuple(tuple(t.shape) for t in (s, z, y, float(point[alpha2]) * y + z)))


@directly(claims.initialisation_is_xavier_or_he)
def prescribed_variances(point: Point) -> Measured:
    """Variances of torch's own Xavier and He initialisers for a linear map from d_v to d_k.

    The spread of 2^16 draws fixes each variance to about one percent, far less than the ratios of
    the rationals compared; the nearest fraction with small denominator is what is meant.
    """
    v, k = int(point[d_v]), int(point[d_k])
    rng = generator(0, "initialisers", v, k)
    rows = 2**16 // (v * k) + 1
    spread = {}
    for name, fill in (
        ("xavier", torch.nn.init.xavier_normal_),
        ("he", torch.nn.init.kaiming_normal_),
    ):
        sheets = [fill(torch.empty(k, v), generator=rng) for _ in range(min(rows, 512))]
        variance = float(torch.stack(sheets).double().square().mean())
        # Both prescriptions are 2 / integer: the integer is read off the measured variance.
        spread[name] = 2 / round(2 / variance)
    return Measured({"printed": 1 / k, **spread})


@samples(claims.query_gradient_norm_of_cross_attention)
def sampled_cross_query_gradient(point: Point, rng: Generator, count: int) -> Tensor:
    """||dS/dW^Q||_F^2 over random W^K, queries from one sequence, keys and values from another.

    The layer is linear in W^V, so its second moment is averaged out by summing over unit matrices;
    the Jacobian is summed over unit directions too.
    """
    v, k = int(point[d_v]), int(point[d_k])
    wk = normal(rng, count, v, k, std=float(point[sigma_k]))
    total = torch.zeros(count, dtype=wk.dtype, device=wk.device)
    for values, direction in product(units(v, v), units(v, k)):
        total += _cross_step(point, wk, values, direction).square().sum(dim=(-1, -2))
    return float(point[sigma_v]) ** 2 * total


def units(rows: int, cols: int) -> Tensor:
    """The unit matrices of a shape, one after another."""
    return torch.eye(rows * cols, dtype=torch.float64).unflatten(-1, (rows, cols))


def _cross_step(point: Point, wk: Tensor, values: Tensor, direction: Tensor) -> Tensor:
    """dS in one direction of W^Q under uniform attention, by forward differentiation."""
    x, other = tensor(point[X]), tensor(point[claims.queries])

    def layer(wq: Tensor) -> Tensor:
        logits = (other @ wq) @ (x @ wk).mT / math.sqrt(wk.shape[-1])
        moved = logits - logits.detach()
        attention = (1 + moved - moved.mean(dim=-1, keepdim=True)) / x.shape[0]
        return attention @ x @ values

    return jvp(layer, (torch.zeros_like(direction),), (direction,))[1]


@samples(claims.wide_feed_forward_changes_a_constant_factor)
def sampled_wide_inner_products(point: Point, rng: Generator, count: int) -> Tensor:
    """C(X^L) of linear blocks with uniform attention and feed-forward width gamma d_v."""
    v, wide = int(point[d_v]), int(point[claims.gamma]) * int(point[d_v])
    x = tensor(point[X]).expand(count, -1, -1)
    std = 1 / math.sqrt(v)
    a1, a2 = float(point[alpha1]), float(point[alpha2])
    for _ in range(int(point[depth])):
        wv = normal(rng, count, v, v, std=std)
        w1, w2 = normal(rng, count, v, wide, std=std), normal(rng, count, wide, v, std=std)
        z = x + a1 * x.mean(dim=1, keepdim=True) @ wv
        x = z + a2 * z @ w1 @ w2
    return x.sum(dim=1).square().sum(dim=1)


@directly(claims.equal_tokens_iff_aligned_with_equal_norms)
def token_geometry(point: Point) -> Measured:
    """Cosines, norms, equality and numerical rank; integer tokens make the comparisons exact."""
    x = tensor(point[X])
    gram = x @ x.T
    norms = gram.diagonal()
    aligned = bool(((gram > 0) & (gram.square() == norms[:, None] * norms[None, :])).all())
    return Measured(
        {
            "aligned": aligned,
            "equal_norms": bool((norms == norms[0]).all()),
            "equal": bool((x == x[0]).all()),
            "rank": int(torch.linalg.matrix_rank(x)),
        }
    )


@measures(claims.collapse_exponent)
def collapse_exponent(point: Point) -> Measured:
    """The least log r_{l+1} / log r_l over layers whose relative residual is already below 10^-4.

    Tokens are kept as mean plus residual, so that residuals far below the rounding of the mean stay
    exact to relative rounding.  Weights as at initialisation: variance 1/d_v throughout, d_k = d_v.
    """
    size, width = int(point[n]), int(point[d_v])
    rng = generator(0, "no-skip", *(point[s] for s in (claims.instance, n, d_v)))
    x = normal(rng, size, width)
    mean = x.mean(dim=0, keepdim=True)
    residual, ratios = x - mean, [float("nan")]
    exponents = []
    for _ in range(40):
        weights = [normal(rng, width, width, std=1 / math.sqrt(width)) for _ in range(3)]
        mean, residual = _split_attention(mean, residual, *weights)
        ratios.append(float(residual.norm() / mean.norm()))
        if not ratios[-1] > 1e-140:
            break
        if ratios[-2] < 1e-4:
            exponents.append(math.log(ratios[-1]) / math.log(ratios[-2]))
    least = min(exponents, default=math.nan)  # no such layer: no collapse
    return Measured(least, rounding(1.0))


def _split_attention(mean: Tensor, e: Tensor, wq: Tensor, wk: Tensor, wv: Tensor) -> Any:
    """One softmax layer on tokens 1 mean + e, returned as mean and residual.

    Logits constant along a row drop out of the softmax; what differs between rows is e B e^T.
    """
    b = wq @ wk.T / math.sqrt(wq.shape[1])
    shared = (mean @ b @ e.T).softmax(dim=1)  # the row all tokens would have
    growth = torch.expm1(e @ b @ e.T)
    total = (shared * growth).sum(dim=1, keepdim=True)
    change = shared * (growth - total) / (1 + total)
    change_mean = change.mean(dim=0, keepdim=True)
    new_mean = (mean + (shared + change_mean) @ e) @ wv
    return new_mean, (change - change_mean) @ e @ wv


@directly(claims.uniform_attention_in_the_limit_of_many_keys)
def distance_from_uniform_attention(point: Point) -> Measured:
    """Mean of ||A - 11^T/n||_F^2 with the true softmax at 16 d_k and at 32 d_k, n = 3 tokens.

    Fixed: three given tokens, d_v = 2.  Growing: d_v = d_k, independent standard normal tokens.
    """
    keys = 16 * int(point[d_k])
    return Measured(tuple(_distance(k, bool(point[claims.growing])) for k in (keys, 2 * keys)))


@cache
def _distance(keys: int, growing: bool, count: int = 200, size: int = 3) -> float:
    rng = generator(0, "uniform-limit", keys, growing)
    fixed = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, -1.0]], dtype=torch.float64)
    x = normal(rng, count, size, keys) if growing else fixed.expand(count, -1, -1)
    std = 1 / math.sqrt(keys)
    wq, wk = (normal(rng, count, x.shape[-1], keys, std=std) for _ in range(2))
    attention = ((x @ wq) @ (x @ wk).mT / math.sqrt(keys)).softmax(dim=-1)
    return float((attention - 1 / size).square().sum(dim=(-1, -2)).mean())
