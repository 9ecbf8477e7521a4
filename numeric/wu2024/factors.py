"""Layers with and without positive factors of the value matrices, in float64."""

from __future__ import annotations

import torch
from torch import Tensor

from claims.domain import Point
from claims.wu2024 import factors as claims
from claims.wu2024.factors import featurewise, scale
from claims.wu2024.notation import WV, X, attention
from numeric.agreement import Measured
from numeric.exact import tensor
from numeric.registry import measures
from numeric.wu2024.plane import layer_norm

CLOSE = 1e-9
"""Rows are divided by norms, of which none of the rational inputs makes one small."""


def layers_with(point: Point, factor: float, layers: int) -> Tensor:
    """Tokens after the layers with values c W_V, c^2 W_V, ..."""
    tokens = tensor(point[X])
    for number, matrix in enumerate(point[attention][:layers], start=1):
        factors = torch.full((tokens.shape[-1], 1), factor**number, dtype=torch.float64)
        if point[featurewise]:
            factors[1:] = 1.0
        tokens = layer_norm(tensor(matrix) @ tokens @ (factors * tensor(point[WV])))
    return tokens


@measures(claims.plain_entry)
def entry_without_factors(point: Point, t: int, i: int, b: int) -> Measured:
    """An entry of X^{(t)}."""
    return Measured(float(layers_with(point, 1.0, t)[i - 1, b - 1]), CLOSE)


@measures(claims.scaled_entry)
def entry_with_factors(point: Point, t: int, i: int, b: int) -> Measured:
    """An entry of X^{(t)} with factors c, c^2, ... of the values."""
    return Measured(float(layers_with(point, float(point[scale]), t)[i - 1, b - 1]), CLOSE)
