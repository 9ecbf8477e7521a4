"""Correlations of two tokens in the ReLU network: sampled, and enumerated at width one."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import torch
from torch import Tensor

from claims.domain import Point
from claims.noci2022 import relu_network as claims
from claims.noci2022.network import other, token
from claims.noci2022.notation import X, alpha1, alpha2, ell
from numeric.agreement import Measured, rounding
from numeric.estimates import Estimate
from numeric.exact import tensor
from numeric.noci2022.network import gram_after, strengths
from numeric.noci2022.pairs import EXACT
from numeric.noci2022.stacks import CONFIDENCE
from numeric.registry import measures
from numeric.remembered import remembered
from numeric.sampling import generator, normal

NETWORKS = 2**17
"""Entries of the tokens of all networks together are at most 64 times as many."""


@remembered(maxsize=16)
def _sampled_products(tokens: Any, strength1: float, strength2: float, layers: int) -> Tensor:
    """<X_k^l, X_k'^l> of ReLU networks with Gaussian weights, (samples, n, n).

    W^{F_2} of the last block is averaged out: E W W^T = I for variance 1/d_v.
    """
    start = tensor(tokens)
    width = start.shape[1]
    count = max(1024, NETWORKS // max(1, start.numel() // 64))
    rng = generator(0, "relu network", *start.shape, layers)
    x = start.expand(count, -1, -1)

    def matrix(variance: float) -> Tensor:
        return normal(rng, count, width, width, std=math.sqrt(variance / width))

    for layer in range(layers):
        z = x + strength1 * x.mean(dim=1, keepdim=True) @ matrix(1)
        hidden = torch.relu(z @ matrix(2))
        if layer == layers - 1:
            return z @ z.mT + strength2**2 * hidden @ hidden.mT
        x = z + strength2 * hidden @ matrix(1)
    return x @ x.mT


@measures(claims.rectified_correlation, reach=EXACT)
def sampled_correlation(point: Point, layers: int) -> Measured:
    """The ratio of means of Eq. (5); to leading order its error is that of the linearised ratio."""
    k, l = int(point[token]) - 1, int(point[other]) - 1  # noqa: E741
    gram = _sampled_products(point[X], *strengths(point), int(layers))
    mixed, first, second = (gram[:, i, j] for i, j in ((k, l), (k, k), (l, l)))
    root = (first.mean() * second.mean()).sqrt()
    ratio = mixed.mean() / root
    estimate = Estimate()
    estimate.add(mixed / root - ratio * (first / first.mean() + second / second.mean()) / 2)
    return Measured(float(ratio), estimate.half_width(CONFIDENCE))


def _at_second_attention(point: Point, rectified: bool) -> Measured:
    """rho of Z^1 at width one, over signs of weights of the right variance.

    A ReLU layer is linear in a scalar weight of either sign, so that two values have the moments of
    a Gaussian.
    """
    x = tensor(point[X])[:, 0]
    first, second = (float(point[a]) for a in (alpha1, alpha2))
    variance = 2.0 if rectified else 1.0
    outputs = []
    for w, f, g, v in product((1.0, -1.0), repeat=4):
        z = x + first * x.mean() * w
        hidden = z * f * math.sqrt(variance)
        after = z + second * g * (hidden.relu() if rectified else hidden)
        outputs.append(after + first * after.mean() * v)
    rows = torch.stack(outputs)
    a, b = rows[:, int(point[token]) - 1], rows[:, int(point[other]) - 1]
    value = (a * b).mean() / (a.square().mean() * b.square().mean()).sqrt()
    return Measured(float(value), rounding(1.0))


@measures(claims.attended_linear)
def linear_at_second_attention(point: Point) -> Measured:
    """With linear activation."""
    return _at_second_attention(point, False)


@measures(claims.attended_rectified)
def rectified_at_second_attention(point: Point) -> Measured:
    """With ReLU."""
    return _at_second_attention(point, True)


@measures(claims.linear_correlation, reach=EXACT)
def linear_correlation(point: Point) -> Measured:
    """rho_kk' after l blocks of the linear network."""
    k, l = int(point[token]) - 1, int(point[other]) - 1  # noqa: E741
    gram = gram_after(point, int(point[ell]))
    return Measured(float(gram[k, l] / (gram[k, k] * gram[l, l]).sqrt()), rounding(1.0))
