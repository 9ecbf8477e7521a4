"""Lemma 4 and Lemma 5 measured: softmax weights of random scores, and trajectories under LayerNorm."""

from __future__ import annotations

import itertools
import math

import torch
from torch import Tensor

from claims.domain import Point
from claims.wu2024 import cone as claims
from claims.wu2024.masks import d_QK
from claims.wu2024.notation import WK, WQ, G, N, T, X, attention
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.registry import directly
from numeric.wu2024.layers import masked_attention, simulate, support_of

TOLERANCE = 1e-9
"""Flags hold up to rounding; integer and rational inputs keep strict cases well apart."""


@directly(claims.attention_has_a_floor_under_layernorm)
def largest_inverse_attention(point: Point) -> Measured:
    """max 1/A_ij over edges, A from the masked softmax."""
    support = support_of(point[G])
    queries, keys = tensor(point[WQ]), tensor(point[WK])
    weights = masked_attention(
        tensor(point[X]), queries, keys, support, d_qk=float(point[d_QK])
    )  # fmt: skip
    value = float((1 / weights[support]).max())
    return Measured(value, rounding(value))


def before_layernorm(point: Point) -> tuple[Tensor, Tensor, Tensor]:
    """A X W and D (T, n) of every layer, with the matrices used, by running the layers."""
    attentions, values = tensor(point[attention]), tensor(point[claims.values])
    states = simulate(
        tensor(point[X]), list(attentions), list(values), int(point[T]), normalise=True
    )
    moved = attentions @ states[:-1] @ values
    return moved, 1 / moved.norm(dim=-1), states


def close(left: Tensor, right: Tensor) -> bool:
    return bool((left - right).abs().max() < TOLERANCE)


@directly(claims.rows_are_nonnegative_combinations)
def unrolled_flags(point: Point) -> Measured:
    """The flags of the claim; coefficients by pushing unit tokens through the same layers.

    With D fixed a layer is linear in the tokens, so row i of a is what layer by layer becomes of the
    identity.
    """
    moved, scales, states = before_layernorm(point)
    layers, values = tensor(point[attention]), tensor(point[claims.values])
    weights = plain = torch.eye(layers.shape[-1]).to(layers)
    for index, layer in enumerate(layers):
        weights, plain = layer @ weights, layer @ plain
        if index + 1 < len(layers):
            weights = scales[index][:, None] * weights
    rotation = torch.linalg.multi_dot([*values, torch.eye(values.shape[-1]).to(values)])
    backwards = torch.linalg.multi_dot([*values.flip(0), torch.eye(values.shape[-1]).to(values)])
    sums, start = weights.sum(dim=-1), states[0]
    return Measured(
        (
            close(moved[-1], weights @ start @ rotation),
            bool((weights >= 0).all()),
            bool((sums >= 1 - TOLERANCE).all()),
            close(sums, torch.ones_like(sums)),
            close(moved[-1], weights @ start @ backwards),
            close(moved[-1], plain @ start @ rotation),
        )
    )


def least_norm_on_hull(tokens: Tensor) -> float:
    """min |x| over the convex hull: the best over faces of the foot of the origin, if it lies inside."""
    best = float(tokens.norm(dim=-1).min())
    for size in range(2, len(tokens) + 1):
        for face in itertools.combinations(range(len(tokens)), size):
            corner, *others = tokens[list(face)]
            edges = torch.stack(others) - corner
            shares = torch.linalg.lstsq(edges.T, -corner[:, None]).solution[:, 0]
            if bool((shares >= 0).all()) and float(shares.sum()) <= 1:
                best = min(best, float((corner + shares @ edges).norm()))
    return best


@directly(claims.layernorm_scales_are_bounded)
def scale_flags(point: Point) -> Measured:
    """The flags of the claim, from the scales of all layers."""
    _, scales, _ = before_layernorm(point)
    gamma = least_norm_on_hull(tensor(point[X]))
    largest, above = float(scales.max()), 1 + TOLERANCE
    return Measured(
        (
            float(scales.min()) >= 1 - TOLERANCE,
            largest * gamma <= above,
            largest**2 * gamma <= above,
            largest <= above,
            largest <= math.sqrt(float(point[N])) * above,
        )
    )
