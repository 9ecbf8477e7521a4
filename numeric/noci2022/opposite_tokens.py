"""Cosines of two tokens in deep networks: of width one, and of Gaussian weights at any width."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Generator, Tensor

from claims.domain import Point
from claims.noci2022 import opposite_tokens as claims
from claims.noci2022.network import other, token
from claims.noci2022.notation import X, alpha1, alpha2
from numeric.agreement import Measured, rounding
from numeric.estimates import Estimate
from numeric.exact import tensor
from numeric.noci2022.stacks import CONFIDENCE
from numeric.reach import Reach
from numeric.registry import measures
from numeric.remembered import remembered
from numeric.sampling import normal, stream

LAYERS, NETWORKS = 1000, 64
"""By Markov's inequality for |mean / difference|^(1/4), whose factor a layer multiplies by 0.97 on average,
a network has another sign than in the limit with a probability below 1e-11, up to a million tokens."""


def cosines(point: Point, rng: Generator, count: int) -> Tensor:
    """cos theta_kk' after many blocks of random weights, each block's tokens on the scale of the largest."""
    x = tensor(point[X])[:, 0].expand(count, -1)
    k, l = int(point[token]) - 1, int(point[other]) - 1  # noqa: E741
    for _ in range(LAYERS):
        weights = torch.randint(-1, 2, (3, count, 1), generator=rng, device=rng.device)
        w, f, g = weights.to(x) * math.sqrt(3 / 2)
        z = x + w * x.mean(dim=1, keepdim=True)
        x = z + z * f * g
        x = x / x.abs().amax(dim=1, keepdim=True)
    return (x[:, k] * x[:, l]).sign()


@measures(claims.limiting_cosine)
def limiting_cosine(point: Point) -> Measured:
    """The mean over networks, which all have the same signs in the end."""
    found = cosines(point, stream("networks"), NETWORKS)
    return Measured(float(found.mean()), rounding(1.0))


FAR, MOST_LAYERS, TOGETHER, GAUSSIAN_NETWORKS = -75.0, 3200, 16, 320
"""Blocks are added until every network has so small a logarithm of differences over mean token: at width
two, where the walk is slowest, one returns from there with a probability below 1e-7."""


def gaussian_cosines(
    x: Tensor, rng: Generator, count: int, strengths: tuple[float, float] = (1.0, 1.0)
) -> Tensor:
    """All cosines (count, n, n) in deep networks of Gaussian weights, for tokens (n, d_v).

    The mean token and the differences from it are followed apart, each of norm one, with the logarithm
    of their ratio: neither is lost in the rounding of the other.
    """
    size, width = x.shape
    start = x.mean(dim=0, keepdim=True)
    both = torch.cat((start, x - start)).expand(count, -1, -1)
    walk = x.new_zeros(count, 1, 1)
    for layer in range(MOST_LAYERS):
        if layer % TOGETHER == 0:
            if bool((walk < FAR).all()):
                break
            drawn = normal(rng, TOGETHER, 3, count, width, width, std=width**-0.5)
        w, f, g = drawn[layer % TOGETHER]
        mean, apart = both.split((1, size), dim=1)
        both = torch.cat((mean + strengths[0] * (mean @ w), apart), dim=1)
        both = both + strengths[1] * (both @ f @ g)
        mean, apart = both.split((1, size), dim=1)
        lengths = [t.norm(dim=(1, 2), keepdim=True).clamp_min(1e-300) for t in (mean, apart)]
        walk = walk + (lengths[1] / lengths[0]).log()
        both = torch.cat((mean / lengths[0], apart / lengths[1]), dim=1)
    mean, apart = both.split((1, size), dim=1)
    tokens = mean * (-walk).clamp_max(0).exp() + apart * walk.clamp_max(0).exp()
    unit = tokens / tokens.norm(dim=-1, keepdim=True)
    return unit @ unit.mT


@remembered(maxsize=16)
def _cosines(tokens: Any, attention: Any, feed_forward: Any) -> Tensor:
    x, strengths = tensor(tokens), (float(attention), float(feed_forward))
    rng = stream("gaussian networks", *x.shape)
    return gaussian_cosines(x, rng, GAUSSIAN_NETWORKS, strengths)


@measures(
    claims.mean_cosine_in_the_end,
    reach=Reach(6, "up to thousands of layers of hundreds of networks, drawn one by one"),
)
def mean_cosine_in_the_end(point: Point) -> Measured:
    """The mean over networks; its interval is that of the share of those whose tokens align."""
    k, l = int(point[token]) - 1, int(point[other]) - 1  # noqa: E741
    found = _cosines(point[X], point[alpha1], point[alpha2])[:, k, l]
    aligned = Estimate()
    aligned.add(found > 1 - rounding(1.0))
    return Measured(float(found.mean()), 2 * aligned.half_width(CONFIDENCE) + rounding(1.0))
