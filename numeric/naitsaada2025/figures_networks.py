"""Stable ranks and gradients of simulated stacks, against width and depth."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from claims.domain import Point
from claims.naitsaada2025 import figures_networks as claims
from claims.naitsaada2025.figures_spectra import mechanism
from claims.naitsaada2025.notation import T, d, gamma
from numeric.agreement import Measured
from numeric.layers import squared_norm
from numeric.naitsaada2025.ensembles import LAWS, features, markov, orthonormal_tokens, without_mean
from numeric.naitsaada2025.extreme_singular_values import excess_rank, largest_moduli
from numeric.naitsaada2025.rank_collapse import slope
from numeric.naitsaada2025.spectral_gap import SOFT_EDGE
from numeric.naitsaada2025.stacks import Block, attention_of, layer_with, layers_of, softmax_stack
from numeric.registry import measures
from numeric.remembered import remembered
from numeric.sampling import normal, quick_stream
from numeric.trends import mean_and_reach, mean_of_runs

RUNS, DEEP_RUNS = 48, 256
WIDE = {12: 2048, 48: 768, 192: 112}
"""Runs by size, each size four times the one before."""


def geometric(runs: Tensor) -> Measured:
    """The geometric mean of positive runs, with the interval of their logarithms."""
    mean, reach = mean_and_reach(runs.log())
    return Measured(math.exp(mean) * math.cosh(reach), math.exp(mean) * math.sinh(reach))


# Width --------------------------------------------------------------------------------------------


@remembered()
def one_layer(block: Block) -> list[Tensor]:
    """sr - 1 after one layer, by size."""
    drawn = (_drawn(block.mechanism, size) for size in WIDE)
    return [excess_rank(layer_with(block, *each)[0]) for each in drawn]


@remembered(maxsize=len(WIDE))
def _drawn(mechanism: str, size: int) -> tuple[Tensor, Tensor, Tensor]:
    """Attention, orthonormal tokens and values, which blocks of all kinds share."""
    rng, runs = quick_stream("naitsaada2025", "one layer", mechanism, size), WIDE[size]
    tokens = orthonormal_tokens(size, size).repeat(runs, 1, 1)
    values = normal(rng, runs, size, size)
    return attention_of(Block(mechanism), rng, tokens), tokens, values


def _block(point: Point, name: str, fix: str) -> Block:
    return Block(name, fix, bool(point[claims.norm]), bool(point[claims.skip]))


@measures(claims.log_excess)
def log_excess_of_one_layer(point: Point, size: int) -> Measured:
    """log(sr - 1) with the gap."""
    runs = one_layer(_block(point, str(point[mechanism]), ""))
    return mean_of_runs(runs[list(WIDE).index(size)].log())


@measures(claims.collapse_exponent)
def exponent_of_the_collapse(point: Point) -> Measured:
    """The slope of log(sr - 1) with the gap; layer norm makes it settle more slowly than 1/T."""
    return slope(one_layer(_block(point, str(point[mechanism]), "")), SOFT_EDGE, ratio=4)


@measures(claims.growth_exponent)
def exponent_of_the_growth(point: Point) -> Measured:
    """The slope of log sr without it."""
    ranks = [1 + e for e in one_layer(_block(point, str(point[mechanism]), "mean"))]
    return slope(ranks, SOFT_EDGE, ratio=4)


# Depth --------------------------------------------------------------------------------------------

VARIANTS = {
    "plain": Block(),
    "fixed": Block(fix="mean"),
    "normed": Block(norm=True),
    "identity": Block("identity"),
    "orthogonal": Block(fix="mean", orthogonal=True),
}


@remembered()
def along_depth(block: Block, size: int, width: int, depth: int) -> list[tuple[Tensor, Tensor]]:
    """sr - 1 and the squared derivative by W_1, layer by layer."""
    rng = quick_stream("naitsaada2025", "depth", size, width)
    layers = layers_of(block, rng, DEEP_RUNS, size, width, depth)
    return [(excess_rank(x), squared_norm(moved)) for x, moved, _ in layers]


def _rank(name: str, point: Point, layer: int) -> Measured:
    size = int(point[T])
    return mean_of_runs((1 + along_depth(VARIANTS[name], size, size, 8)[layer - 1][0]).log())


@measures(claims.rank["plain"])
def rank_with_the_gap(point: Point, layer: int) -> Measured:
    """log sr of model (11)."""
    return _rank("plain", point, layer)


@measures(claims.rank["fixed"])
def rank_without_the_gap(point: Point, layer: int) -> Measured:
    """log sr of model (16)."""
    return _rank("fixed", point, layer)


@measures(claims.rank["identity"])
def rank_of_products_of_values(point: Point, layer: int) -> Measured:
    """log sr for A = I."""
    return _rank("identity", point, layer)


@measures(claims.rank["orthogonal"])
def rank_with_orthogonal_values(point: Point, layer: int) -> Measured:
    """log sr of model (16) with orthogonal values."""
    return _rank("orthogonal", point, layer)


SMALL = 24


def _gradient(name: str, point: Point, layer: int) -> Measured:
    width = features(SMALL, float(point[gamma]))
    return geometric(along_depth(VARIANTS[name], SMALL, width, claims.DEEPEST)[layer - 1][1])


@measures(claims.gradient_of["plain"])
def gradient_with_the_gap(point: Point, layer: int) -> Measured:
    """||dX_L/dW_1||^2, as a geometric mean over runs."""
    return _gradient("plain", point, layer)


@measures(claims.gradient_of["fixed"])
def gradient_without_the_gap(point: Point, layer: int) -> Measured:
    """The same for model (16)."""
    return _gradient("fixed", point, layer)


@measures(claims.gradient_of["normed"])
def gradient_with_layer_norm(point: Point, layer: int) -> Measured:
    """The same with layer norm."""
    return _gradient("normed", point, layer)


@measures(claims.expected)
def mean_gradient(point: Point, layers: int) -> Measured:
    """d^L ||A_L ... A_1||_F^2: the value matrices are averaged exactly."""
    size, rng = int(point[T]), quick_stream("naitsaada2025", "products", int(point[T]))
    runs = min(512, max(32, 2**24 // size**2))  # products of large matrices vary little
    product = torch.eye(size, dtype=torch.float64).expand(runs, -1, -1)
    for _ in range(layers):
        product = markov(LAWS["exponential"], rng, runs, size) @ product
    mean, reach = mean_and_reach(squared_norm(product))
    return Measured(float(point[d]) ** layers * mean, float(point[d]) ** layers * reach)


# All outliers, and deep softmax attention ---------------------------------------------------------


@remembered()
def sixth_layer(block: Block) -> tuple[Tensor, Tensor]:
    """sr and the squared derivative after six layers of softmax attention, T = d = 32."""
    rng = quick_stream("naitsaada2025", "outliers", 32)
    *_, (x, moved, _) = layers_of(block, rng, 2 * RUNS, 32, 32, 6)
    return 1 + excess_rank(x), squared_norm(moved)


def _sixth(point: Point, fix: str, place: int) -> Measured:
    return geometric(sixth_layer(_block(point, "softmax", fix))[place])


@measures(claims.deep["rank", "mean"], claims.deep["gradient", "mean"])
def without_the_mean_of_attention(point: Point) -> tuple[Measured, ...]:
    """Stable rank and gradient with A - 11^T/T."""
    return tuple(_sixth(point, "mean", place) for place in (0, 1))


@measures(claims.deep["rank", "outliers"], claims.deep["gradient", "outliers"])
def without_all_outliers(point: Point) -> tuple[Measured, ...]:
    """Stable rank and gradient without the largest singular values."""
    return tuple(_sixth(point, "outliers", place) for place in (0, 1))


@remembered()
def attention_along_depth(block: Block) -> tuple[list[Tensor], list[Tensor]]:
    """||A_l - 11^T/T||_F^2 for every layer, and |lambda_2(A_l)| of the first two."""
    rng = quick_stream("naitsaada2025", "uniform in the end")
    matrices: Sequence[Tensor] = [a for a, _ in softmax_stack(block, rng, RUNS, 48, 24)]
    second = [largest_moduli(a)[:, 1] for a in matrices[:2]]
    return [squared_norm(without_mean(a)) for a in matrices], second


@measures(claims.distance)
def distance_from_uniform(point: Point, layer: int) -> Measured:
    """||A - 11^T/T||_F^2."""
    return mean_of_runs(attention_along_depth(_block(point, "softmax", ""))[0][layer - 1])


@measures(claims.second_modulus)
def second_eigenvalue_along_depth(point: Point, layer: int) -> Measured:
    """|lambda_2|."""
    return mean_of_runs(attention_along_depth(_block(point, "softmax", ""))[1][layer - 1])
