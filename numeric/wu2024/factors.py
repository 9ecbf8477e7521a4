"""Layers with and without positive factors of the value matrices, in float64."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from claims.domain import Point
from claims.wu2024 import factors as claims
from claims.wu2024.dynamics import values
from claims.wu2024.factors import factors, featurewise
from claims.wu2024.notation import X, attention
from numeric.agreement import Measured
from numeric.exact import tensor
from numeric.registry import measures
from numeric.wu2024.plane import layer_norm

CLOSE = 1e-9
"""Rows are divided by norms, of which none of the rational inputs makes one small."""


def layers_with(point: Point, scales: Sequence[Any]) -> Tensor:
    """Tokens after one layer for each factor, with values c W_V."""
    tokens = tensor(point[X])
    for layer, factor in enumerate(scales):
        rows = torch.full((tokens.shape[-1], 1), float(factor), dtype=torch.float64)
        if point[featurewise]:
            rows[1:] = 1.0
        value = rows * tensor(point[values][layer])
        tokens = layer_norm(tensor(point[attention][layer]) @ tokens @ value)
    return tokens


@measures(claims.plain_entry)
def entry_without_factors(point: Point, t: int, i: int, b: int) -> Measured:
    """An entry of X^{(t)}."""
    return Measured(float(layers_with(point, [1] * t)[i - 1, b - 1]), CLOSE)


@measures(claims.scaled_entry)
def entry_with_factors(point: Point, t: int, i: int, b: int) -> Measured:
    """An entry of X^{(t)} with a factor of the values in every layer."""
    return Measured(float(layers_with(point, point[factors][:t])[i - 1, b - 1]), CLOSE)
