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
from numeric.noci2022.network import averaged_gram, gram_after, strengths
from numeric.noci2022.pairs import EXACT
from numeric.noci2022.stacks import CONFIDENCE
from numeric.registry import measures
from numeric.remembered import remembered
from numeric.sampling import normal, stream

NETWORKS = 2**14
"""Fewer where there are many tokens: the entries of all of them are at most 2^20."""


def gained_by_relu(z: Tensor) -> Tensor:
    """|Z_k| |Z_k'| (kappa(c) - c), c = cos theta_kk': what ReLU adds to E<relu(Z_k W), relu(Z_k' W)>.

    W is Gaussian with variance 2 over the width; kappa is the arc-cosine kernel (Cho and Saul, 2009).
    """
    lengths = z.norm(dim=-1, keepdim=True)
    unit = z / lengths.clamp_min(1e-300)
    cosine = (unit @ unit.mT).clamp(-1, 1)
    gain = ((1 - cosine.square()).sqrt() - cosine * cosine.arccos()) / math.pi
    return lengths * lengths.mT * gain


@remembered(maxsize=16)
def _averaged_products(tokens: Any, strength1: Any, strength2: Any, layers: int) -> Tensor:
    """Samples (networks, n, n) whose mean is E<X_k^l, X_k'^l> in the ReLU network.

    Of a block all is averaged exactly but what ReLU adds, which is sampled: the rest multiplies
    inner products as in the linear network.
    """
    point = {X: tokens, alpha1: strength1, alpha2: strength2}
    start, (first, second) = tensor(tokens), strengths(point)
    size, width = start.shape
    count = min(NETWORKS, max(256, 2**20 // (size * max(size, width))))
    rng = stream("relu network", size, width, layers)
    x = start.expand(count, -1, -1)
    gained = x.new_zeros(count, size, size)

    def matrix(variance: float) -> Tensor:
        return normal(rng, count, width, width, std=math.sqrt(variance / width))

    for _ in range(layers):
        z = x + first * x.mean(dim=1, keepdim=True) @ matrix(1)
        gained = averaged_gram(gained, first**2, second**2) + second**2 * gained_by_relu(z)
        x = z + second * torch.relu(z @ matrix(2)) @ matrix(1)
    return gram_after(point, layers) + gained


@measures(claims.rectified_correlation, reach=EXACT)
def sampled_correlation(point: Point, layers: int) -> Measured:
    """The ratio of means of Eq. (5); to leading order its error is that of the linearised ratio.

    Tokens that are equal stay so in every network.
    """
    k, l = int(point[token]) - 1, int(point[other]) - 1  # noqa: E741
    tokens = tensor(point[X])
    if torch.equal(tokens[k], tokens[l]):
        return Measured(1.0)
    gram = _averaged_products(point[X], point[alpha1], point[alpha2], int(layers))
    mixed, first, second = (gram[:, i, j] for i, j in ((k, l), (k, k), (l, l)))
    root = (first.mean() * second.mean()).sqrt()
    ratio = mixed.mean() / root
    estimate = Estimate()
    estimate.add(mixed / root - ratio * (first / first.mean() + second / second.mean()) / 2)
    return Measured(float(ratio), estimate.half_width(CONFIDENCE) + rounding(1.0))


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
