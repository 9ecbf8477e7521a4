"""How far attention is from uniform, and what this does to the norm of deep networks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from itertools import pairwise, product

import torch
from torch import Generator, Tensor

from claims.domain import Point
from claims.noci2022 import simulated_norms as claims
from claims.noci2022.notation import d, d_v, depth, n
from numeric.agreement import Measured
from numeric.noci2022.stacks import (
    ACTIVATIONS,
    ATTENTIONS,
    Stack,
    correlated_tokens,
    interval,
    ratio_interval,
    side_by_side,
)
from numeric.registry import directly
from numeric.sampling import generator, normal


def distances_from_uniform(
    x: Tensor, columns: Sequence[int], rng: Generator, samples: int
) -> list[Tensor]:
    """||A - 11^T/n||_F^2 per sample at d_k = each of `columns`, increasing, Glorot weights.

    Only X W^Q and X W^K occur: their columns are i.i.d. N(0, sigma_k^2 X X^T), drawn as X times a
    factor of the tokens' Gram matrix; nested columns serve every d_k.
    """
    size, width = x.shape
    factor = torch.linalg.cholesky(x @ x.mT)
    shape = (samples, size, max(columns))
    queries, keys = (factor @ normal(rng, *shape, dtype=x.dtype) for _ in range(2))
    found = []
    for k in columns:
        logits = queries[..., :k] @ keys[..., :k].mT * (2 / (width + k) / math.sqrt(k))
        found.append((torch.softmax(logits, dim=-1) - 1 / size).double().square().sum(dim=(-1, -2)))
    return found


def tokens_of_unit_norm(size: int, width: int, rng: Generator) -> Tensor:
    """One sequence with i.i.d. entries N(0, 1/d_v), (n, d_v)."""
    return correlated_tokens(rng, 1, size, width, std=width**-0.5)[0]


@cache
def slopes(size: int, width: int, samples: int = 512) -> dict:
    """Log-log slopes in d_k: extrapolated from d_k = 8, 16, 32 d_v, and from d_v to 2 d_v.

    The slope between k and 2k is -2 + O(d_v/k); one step of Richardson leaves O((d_v/k)^2).
    """
    rng = generator(0, "noci2022", "distance from uniform")
    x = tokens_of_unit_norm(size, width, rng).float()
    columns = [width * factor for factor in (1, 2, 8, 16, 32)]
    distances = distances_from_uniform(x, columns, rng, samples)

    def slope(place: int) -> tuple[float, float]:
        ratio, width_ = ratio_interval(distances[place + 1], distances[place])
        return math.log2(ratio), width_ / ratio / math.log(2)

    (first, error1), (last, error2) = slope(2), slope(3)
    remainder = (width / columns[3]) ** 2
    return {"far": (2 * last - first, 2 * error2 + error1 + remainder), "near": slope(0)}


@directly(claims.distance_from_uniform_falls_like_inverse_square)
def slopes_of_the_distance(point: Point) -> Measured:
    """Slopes far from and at d_k = d_v."""
    return Measured(slopes(int(point[n]), int(point[d_v])))


def norms_along(stacks: Sequence[Stack], x: Tensor, rng: Generator) -> Tensor:
    """||X^l||_F^2 for l = 0..L, every stack and sample, (L + 1, stacks, samples)."""
    along = [
        torch.stack([t.double().square().sum(dim=(-1, -2)) for t in tokens])
        for tokens in side_by_side(stacks, x, rng)
    ]
    return torch.stack(along)


@cache
def true_over_uniform(size: int, width: int, layers: int, samples: int = 512) -> dict:
    """{std: ratios of E||X^l||^2 under the softmax and under 11^T/n, l = 0..L}."""
    found = {}
    for name, std in ((claims.SMALL, width**-0.5), (claims.LARGE, 1.0)):
        rng = generator(0, "noci2022", "norms")
        x = correlated_tokens(rng, samples, size, width, std=std, dtype=torch.float32)
        stacks = [Stack(layers, attention=kind) for kind in ATTENTIONS]
        norms = norms_along(stacks, x, rng)
        found[name] = [ratio_interval(true, uniform) for uniform, true in norms]
    return found


@directly(
    claims.prediction_is_better_for_small_inputs,
    claims.uniform_attention_is_excellent_for_small_inputs,
)
def measured_ratios(point: Point) -> Measured:
    """Ratios of mean squared norms, layer by layer, for both input scales."""
    return Measured(true_over_uniform(int(point[n]), int(point[d]), int(point[depth])))


@cache
def spread_of_logarithms(size: int, width: int, layers: int, samples: int = 512) -> dict:
    """{(activation, attention): {(l, l'): interval of the growth of Var log||X||^2}}."""
    kinds = list(product(ACTIVATIONS, ATTENTIONS))
    rng = generator(0, "noci2022", "tails")
    x = correlated_tokens(rng, 1, size, width, std=width**-0.5, dtype=torch.float32)
    stacks = [Stack(layers, activation=a, attention=b) for a, b in kinds]
    logs = norms_along(stacks, x.expand(samples, -1, -1), rng).log()
    squares = (logs - logs.mean(dim=-1, keepdim=True)).square() * samples / (samples - 1)
    places = [2**e for e in range(layers.bit_length())]
    return {
        kind: {(a, b): interval(squares[b, k] - squares[a, k]) for a, b in pairwise(places)}
        for k, kind in enumerate(kinds)
    }


@directly(claims.tails_grow_with_depth)
def measured_tails(point: Point) -> Measured:
    """Growth of the variance of the log norm between depths."""
    return Measured(spread_of_logarithms(int(point[n]), int(point[d]), int(point[depth])))
