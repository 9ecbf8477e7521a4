"""Lemma 4 and Lemma 5 measured: softmax weights of random scores, and trajectories under LayerNorm."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from claims.domain import Point
from claims.masks import Mask
from claims.wu2024 import cone as claims
from claims.wu2024.masks import d_QK
from claims.wu2024.notation import WK, WQ, G, X, attention
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.registry import measures
from numeric.remembered import remembered
from numeric.wu2024.layers import masked_attention, simulate, support_of


@remembered(maxsize=16)
def softmax_weights(tokens: Any, queries: Any, keys: Any, mask: Mask, width: float) -> Tensor:
    """A of the masked softmax."""
    scored = (tensor(tokens), tensor(queries), tensor(keys), support_of(mask))
    return masked_attention(*scored, d_qk=width)


@measures(claims.weight)
def attention_weight(point: Point, i: int, j: int) -> Measured:
    """A_ij."""
    weights = softmax_weights(point[X], point[WQ], point[WK], point[G], float(point[d_QK]))
    return Measured(float(weights[i - 1, j - 1]), rounding(1.0))


def before_layernorm(point: Point) -> tuple[Tensor, Tensor, Tensor]:
    """A X W and D (T, n) of every layer, with the tokens, by running the layers."""
    return run_layers(point[X], point[attention], point[claims.values])


@remembered(maxsize=16)
def run_layers(start: Any, weights: Any, rotations: Any) -> tuple[Tensor, Tensor, Tensor]:
    attentions, values = tensor(weights), tensor(rotations)
    layers = list(attentions), list(values), len(attentions)
    states = simulate(tensor(start), *layers, normalise=True)
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


def pushed_unit_tokens(point: Point, layer: int) -> Tensor:
    """a: with D fixed a layer is linear in the tokens, so layer by layer of the identity."""
    _, scales, _ = before_layernorm(point)
    layers = tensor(point[attention])
    weights = torch.eye(layers.shape[-1]).to(layers)
    for place in range(layer + 1):
        weights = layers[place] @ weights
        if place < layer:
            weights = scales[place][:, None] * weights
    return weights


@measures(claims.coefficient)
def coefficient(point: Point, layer: int, token: int, start: int) -> Measured:
    """a_ij."""
    weights = pushed_unit_tokens(point, layer)
    return Measured(float(weights[token - 1, start - 1]), rounding(weights))


@measures(claims.coefficient_sum)
def sum_of_coefficients(point: Point, layer: int, token: int) -> Measured:
    """sum_j a_ij."""
    weights = pushed_unit_tokens(point, layer)
    return Measured(float(weights[token - 1].sum()), rounding(weights))


@measures(claims.combined)
def rotated_combination(point: Point, layer: int, token: int, feature: int) -> Measured:
    """An entry of a X^{(0)} W^{(0)} ... W^{(t)}."""
    weights, values = pushed_unit_tokens(point, layer), tensor(point[claims.values])
    moved = weights[token - 1] @ tensor(point[X])
    for value in values[: layer + 1]:
        moved = moved @ value
    return Measured(float(moved[feature - 1]), rounding(weights, moved))
