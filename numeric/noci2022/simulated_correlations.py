"""Correlations along simulated networks that share weights and tokens, so that they differ in kind."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import permutations, product

import torch
from torch import Tensor

from claims.domain import Point
from claims.noci2022 import simulated_correlations as claims
from claims.noci2022.notation import X, d, depth, n
from numeric.agreement import Measured
from numeric.exact import tensor
from numeric.noci2022.network import averaged_block, correlation
from numeric.noci2022.stacks import (
    ACTIVATIONS,
    PLACEMENTS,
    Stack,
    correlated_tokens,
    interval,
    mean_cosine,
    side_by_side,
)
from numeric.registry import directly
from numeric.sampling import generator

SAMPLES = 512


def cosines(
    stacks: Sequence[Stack], size: int, width: int, *, samples: int = SAMPLES, seed: int = 0
) -> Tensor:
    """rho^0, ..., rho^L for every stack and network, (L + 1, stacks, samples), tokens N(0, 1).

    Single precision: cosines near one are averaged, and rounding is far below their spread.
    """
    rng = generator(seed, "noci2022", "correlations")
    x = correlated_tokens(rng, samples, size, width, dtype=torch.float32)
    along = [[mean_cosine(t) for t in tokens] for tokens in side_by_side(stacks, x, rng)]
    return torch.stack([torch.stack(row) for row in along]).double()


@cache
def differences_between_norms(size: int, width: int, layers: int) -> dict:
    """{(scaled, a, b): interval of the mean of rho_a - rho_b at the last layer}."""
    kinds = list(product((False, True), PLACEMENTS))
    last = cosines([Stack(layers, scaled, norm) for scaled, norm in kinds], size, width)[-1]
    rho = dict(zip(kinds, last, strict=True))
    return {
        (scaled, a, b): interval(rho[scaled, a] - rho[scaled, b])
        for scaled in (False, True)
        for a, b in permutations(PLACEMENTS, 2)
    }


@directly(claims.pre_norm_slows_alignment_and_scaling_makes_norms_alike)
def measured_differences(point: Point) -> Measured:
    """Differences between the placements of layer norm, with and without scaling."""
    return Measured(differences_between_norms(int(point[n]), int(point[d]), int(point[depth])))


@cache
def relu_against_linear(size: int, width: int, layers: int) -> dict:
    """Intervals of the means of rho_relu - rho_linear and rho_relu - 10 rho_linear by variant, layer."""
    kinds = list(product((False, True), PLACEMENTS))
    stacks = [Stack(layers, scaled, norm, kind) for scaled, norm in kinds for kind in ACTIVATIONS]
    rho = cosines(stacks, size, width)
    found: dict[str, dict] = {"difference": {}, "tenfold": {}}
    for place, (scaled, norm) in enumerate(kinds):
        for layer in claims.LAYERS:
            linear, relu = rho[layer, 2 * place], rho[layer, 2 * place + 1]
            found["difference"][scaled, norm, layer] = interval(relu - linear)
            found["tenfold"][scaled, norm, layer] = interval(relu - 10 * linear)
    return found


@directly(claims.relu_aligns_faster_than_linear)
def measured_relu_lead(point: Point) -> Measured:
    """ReLU against linear in all six variants."""
    return Measured(relu_against_linear(int(point[n]), int(point[d]), int(point[depth])))


@directly(claims.scaling_stabilises_norm_and_correlation)
def averaged_stability(point: Point) -> Measured:
    """Growth of the norm, rho^L and rho^0 with alpha^2 = 1/L, then the same with alpha = 1.

    Block by block: a power of the averaged block would lose tokens that sum to zero to rounding.
    """
    x, layers, values = tensor(point[X]), int(point[depth]), []
    start = torch.einsum("kz,ly->kzly", x, x)
    before = torch.einsum("kzlz->kl", start)
    for square in (1 / layers, 1.0):
        moments = start
        for _ in range(layers):
            moments = averaged_block(moments, square, square)
        after = torch.einsum("kzlz->kl", moments)
        growth = float(after.trace() / before.trace())
        values += [growth, float(correlation(after)), float(correlation(before))]
    return Measured(tuple(values))
