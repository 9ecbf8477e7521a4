"""Layers with and without positive factors of the value matrices, in float64."""

from __future__ import annotations

import torch
from torch import Tensor

from claims.domain import Point
from claims.wu2024 import factors as claims
from claims.wu2024.factors import featurewise, scale
from claims.wu2024.notation import WV, G, X, attention
from numeric.agreement import Measured
from numeric.exact import tensor
from numeric.registry import directly
from numeric.wu2024.plane import layer_norm


@directly(claims.positive_factors_of_the_values_do_not_matter)
def layers_with_factors(point: Point) -> Measured:
    """Tokens after the layers with and without a factor c, c^2, ... of the values."""

    def run(factor: float) -> Tensor:
        tokens = tensor(point[X])
        for layer, matrix in enumerate(point[attention], start=1):
            factors = torch.full((tokens.shape[-1], 1), factor**layer, dtype=torch.float64)
            if point[featurewise]:
                factors[1:] = 1.0
            tokens = layer_norm(tensor(matrix) @ tokens @ (factors * tensor(point[WV])))
        return tokens

    assert point[G].size == len(tensor(point[X]))
    return Measured((run(float(point[scale])), run(1.0)))
