"""Lemma 4 and Lemma 5 measured: softmax weights of random scores, and trajectories under LayerNorm."""

from __future__ import annotations

import torch
from torch import Tensor

from claims.domain import Point
from claims.wu2024 import cone as claims
from claims.wu2024.masks import d_QK
from claims.wu2024.notation import WK, WQ, G, T, X, attention
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.registry import measures
from numeric.wu2024.layers import masked_attention, simulate, support_of


@measures(claims.weight)
def attention_weight(point: Point, i: int, j: int) -> Measured:
    """A_ij of the masked softmax."""
    queries, keys = tensor(point[WQ]), tensor(point[WK])
    weights = masked_attention(
        tensor(point[X]), queries, keys, support_of(point[G]), d_qk=float(point[d_QK])
    )  # fmt: skip
    return Measured(float(weights[i - 1, j - 1]), rounding(1.0))


def before_layernorm(point: Point) -> tuple[Tensor, Tensor, Tensor]:
    """A X W and D (T, n) of every layer, with the tokens, by running the layers."""
    attentions, values = tensor(point[attention]), tensor(point[claims.values])
    states = simulate(
        tensor(point[X]), list(attentions), list(values), int(point[T]), normalise=True
    )
    moved = attentions @ states[:-1] @ values
    return moved, 1 / moved.norm(dim=-1), states


@measures(claims.scale)
def factor_of_layernorm(point: Point, layer: int, token: int) -> Measured:
    """D of a token."""
    factor = before_layernorm(point)[1][layer, token - 1]
    return Measured(float(factor), rounding(factor, factor**2))


@measures(claims.gamma)
def least_height(point: Point) -> Measured:
    """The least product of an initial token with v."""
    heights = tensor(point[X]) @ tensor(point[claims.direction]).mT
    return Measured(float(heights.min()), rounding(1.0))


@measures(claims.before_scaling)
def entry_before_scaling(point: Point, layer: int, token: int, feature: int) -> Measured:
    """An entry of A X W."""
    moved = before_layernorm(point)[0]
    return Measured(float(moved[layer, token - 1, feature - 1]), rounding(moved))


@measures(claims.coefficient)
def pushed_unit_token(point: Point, layer: int, token: int, start: int) -> Measured:
    """a_ij: with D fixed a layer is linear in the tokens, so layer by layer of the identity."""
    _, scales, _ = before_layernorm(point)
    layers = tensor(point[attention])
    weights = torch.eye(layers.shape[-1]).to(layers)
    for place in range(layer + 1):
        weights = layers[place] @ weights
        if place < layer:
            weights = scales[place][:, None] * weights
    return Measured(float(weights[token - 1, start - 1]), rounding(weights, scales))


@measures(claims.rotation)
def product_of_values(point: Point, layer: int, row: int, column: int) -> Measured:
    """An entry of W^{(0)} ... W^{(t)}."""
    values = tensor(point[claims.values])
    whole = torch.linalg.multi_dot(
        [*values[: layer + 1], torch.eye(values.shape[-1]).to(values)]
    )
    return Measured(float(whole[row - 1, column - 1]), rounding(whole))
