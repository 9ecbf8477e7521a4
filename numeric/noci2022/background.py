"""Measurements of Sections 1-2: true softmax layers, random initialisations."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Any

import torch
from sympy import Symbol
from torch import Generator, Tensor

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
    n,
    sigma_k,
    sigma_q,
    sigma_v,
)  # fmt: skip
from numeric import device
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.jacobians import directional
from numeric.noci2022.network import exact_cosine
from numeric.registry import directly, measures, samples
from numeric.sampling import normal, sphere, stream


def attention_of(point: Point) -> Tensor:
    """A of the point's layer."""
    x, wq, wk = (tensor(point[s]) for s in (X, WQ, WK))
    return ((x @ wq) @ (x @ wk).T / math.sqrt(wq.shape[1])).softmax(dim=1)


@measures(claims.attention_weight)
def attention_weight(point: Point, i: int, j: int) -> Measured:
    """One entry of the softmax."""
    return Measured(float(attention_of(point)[i - 1, j - 1]), rounding(1.0))


@measures(claims.row_sum)
def row_sum(point: Point, i: int) -> Measured:
    """The sum of a row of the softmax."""
    return Measured(float(attention_of(point)[i - 1].sum()), rounding(1.0))


def _shape(matrix: Tensor) -> tuple[Measured, Measured]:
    rows, columns = matrix.shape
    return Measured(float(rows)), Measured(float(columns))


@measures(*claims.attention_sizes)
def attention_sizes(point: Point) -> tuple[Measured, Measured]:
    """Rows and columns of A."""
    return _shape(attention_of(point))


@measures(*claims.output_sizes)
def output_sizes(point: Point) -> tuple[Measured, Measured]:
    """Rows and columns of A X W^V."""
    return _shape(attention_of(point) @ tensor(point[X]) @ tensor(point[WV]))


@measures(*(size for sizes in claims.block_sizes for size in sizes))
def block_sizes(point: Point) -> tuple[Measured, ...]:
    """Rows and columns of S, Z, Y and the next X with the true softmax and the point's activation."""
    x, wv = tensor(point[X]), tensor(point[WV])
    w1, w2 = tensor(point[claims.WF1]), tensor(point[claims.WF2])
    s = attention_of(point) @ x @ wv
    z = float(point[alpha1]) * s + x
    hidden = z @ w1
    y = (hidden.relu() if point[Symbol("sigma")] == "relu" else hidden) @ w2
    return tuple(size for t in (s, z, y, float(point[alpha2]) * y + z) for size in _shape(t))


DRAWN = 2**18
"""Entries drawn from an initialiser; their mean square has a relative spread of sqrt(2/DRAWN)."""


def _drawn_variance(fill: Callable[..., Tensor], point: Point) -> Measured:
    """The mean square of entries that torch's own initialiser draws, with six standard errors."""
    v, k = int(point[d_v]), int(point[d_k])
    rng = stream("initialisers", v, k)
    count = min(max(1, DRAWN // (v * k)), 2048)
    drawn = [fill(torch.empty(k, v, device=rng.device), generator=rng) for _ in range(count)]
    squares = torch.stack(drawn).double().square()
    variance = float(squares.mean())
    return Measured(variance, 6 * variance * math.sqrt(2 / squares.numel()))


@measures(claims.xavier_variance)
def xavier_variance(point: Point) -> Measured:
    """Of a linear map from d_v to d_k."""
    return _drawn_variance(torch.nn.init.xavier_normal_, point)


@measures(claims.he_variance)
def he_variance(point: Point) -> Measured:
    """Of a linear map from d_v to d_k, with the point's fan and gain."""
    fill = partial(
        torch.nn.init.kaiming_normal_,
        mode="fan_in" if point[claims.fan] == "in" else "fan_out",
        nonlinearity="relu" if point[claims.gain] == 2 else "linear",
    )
    return _drawn_variance(fill, point)


@samples(claims.query_gradient_norm_of_cross_attention)
def sampled_cross_query_gradient(point: Point, rng: Generator, count: int) -> Tensor:
    """||dS/dW^Q||_F^2 over random W^K, queries from one sequence, keys and values from another.

    The layer is linear in W^V, so its second moment is averaged out by summing over unit matrices;
    the Jacobian is summed over unit directions too.
    """
    return _cross_gradient(point, rng, count, sigma_k)


@samples(claims.key_gradient_norm_of_cross_attention)
def sampled_cross_key_gradient(point: Point, rng: Generator, count: int) -> Tensor:
    """||dS/dW^K||_F^2 over random W^Q, likewise."""
    return _cross_gradient(point, rng, count, sigma_q)


@directly(claims.value_gradient_norm_of_cross_attention)
def cross_value_gradient(point: Point) -> Measured:
    """||dS/dW^V||_F^2, summed over unit directions; no weight enters."""
    v, none = int(point[d_v]), torch.zeros(int(point[d_v]), 1, dtype=torch.float64)
    none = none.to(device.current())
    moved = directional(
        lambda wv: _cross_layer(point, none, none, wv), units(v, v) * 0, units(v, v)
    )
    value = float(moved.square().sum())
    return Measured(value, rounding(1 + value))


def _cross_gradient(point: Point, rng: Generator, count: int, sigma: Symbol) -> Tensor:
    """||dS/dW||_F^2 by the factor of the logits whose law is not `sigma`'s."""
    v, k = int(point[d_v]), int(point[d_k])
    other = sphere(rng, count, v, k, std=float(point[sigma]))
    total = torch.zeros(count, dtype=other.dtype, device=other.device)
    for values, direction in product(units(v, v), units(v, k)):

        def layer(moving: Tensor, values: Tensor = values) -> Tensor:
            wq, wk = (moving, other) if sigma == sigma_k else (other, moving)
            return _cross_layer(point, wq, wk, values)

        moved = directional(layer, torch.zeros_like(direction), direction)
        total += moved.square().sum(dim=(-1, -2))
    return float(point[sigma_v]) ** 2 * total


def units(rows: int, cols: int) -> Tensor:
    """The unit matrices of a shape, one after another."""
    flat = torch.eye(rows * cols, dtype=torch.float64, device=device.current())
    return flat.unflatten(-1, (rows, cols))


def _cross_layer(point: Point, wq: Tensor, wk: Tensor, wv: Tensor) -> Tensor:
    """S where attention is uniform at the weights and moves with the logits as the softmax does."""
    x, other = tensor(point[X]), tensor(point[claims.queries])
    logits = (other @ wq) @ (x @ wk).mT / math.sqrt(wk.shape[-1])
    moved = logits - logits.detach()
    attention = (1 + moved - moved.mean(dim=-1, keepdim=True)) / x.shape[0]
    return attention @ x @ wv


@measures(claims.cosine)
def cosine(point: Point, k: int, other: int) -> Measured:
    """The cosine of two tokens of integers; 1 and -1 are recognised without rounding."""
    x = tensor(point[X])
    return exact_cosine(x[k - 1], x[other - 1])


@measures(claims.token_norm)
def token_norm(point: Point, k: int) -> Measured:
    """The squared norm of a token of integers, exact in float64."""
    return Measured(float(tensor(point[X])[k - 1].square().sum()))


@measures(claims.inner_product)
def inner_product(point: Point, k: int, other: int) -> Measured:
    """The inner product of two tokens of integers, exact in float64."""
    x = tensor(point[X])
    return Measured(float(x[k - 1] @ x[other - 1]))


@measures(claims.length)
def length(point: Point, k: int) -> Measured:
    """The norm of a token."""
    found = float(tensor(point[X])[k - 1].norm())
    return Measured(found, rounding(found))


@measures(claims.collapse_exponent)
def collapse_exponent(point: Point) -> Measured:
    """The least log r_{l+1} / log r_l over layers whose relative residual is already below 10^-12.

    Tokens are kept as mean plus residual, so that residuals far below the rounding of the mean stay
    exact to relative rounding.  Weights as at initialisation: variance 1/d_v throughout, d_k = d_v.
    """
    size, width = int(point[n]), int(point[d_v])
    rng = stream("no-skip", *(point[s] for s in (claims.instance, n, d_v)))
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
        if ratios[-2] < 1e-12:
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
