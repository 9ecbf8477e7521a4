"""Cosines of two tokens in deep networks of width one."""

from __future__ import annotations

import math

import torch
from torch import Generator, Tensor

from claims.domain import Point
from claims.noci2022 import opposite_tokens as claims
from claims.noci2022.network import other, token
from claims.noci2022.notation import X
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.registry import measures
from numeric.sampling import generator

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
    found = cosines(point, generator(0, "networks"), NETWORKS)
    return Measured(float(found.mean()), rounding(1.0))
