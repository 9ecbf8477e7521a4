r"""How fast widths contract: products of attention and value matrices applied in float64.

Named axes: `starts` of the adversary, `n` tokens, `d` features.
"""

from __future__ import annotations

import torch

from claims.domain import Point
from claims.wu2024 import contraction as claims
from claims.wu2024.contraction import j
from claims.wu2024.dynamics import values
from claims.wu2024.notation import X, attention
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.registry import measures
from numeric.wu2024.extrema import widths


@measures(claims.weights)
def sum_of_weights(point: Point) -> Measured:
    """sum_i |W_ij| of the product of the value matrices."""
    product = torch.eye(point[X].cols).to(tensor(point[X]))
    for value in point[values]:
        product = product @ tensor(value)
    return Measured(float(product[:, int(point[j]) - 1].abs().sum()), rounding(product))


@measures(claims.column_width)
def final_column_width(point: Point) -> Measured:
    """Largest difference of two tokens in feature j after all layers, without LayerNorm."""
    tokens = tensor(point[X])
    size = 1 + tokens.abs().max()
    for layer, value in zip(point[attention], point[values], strict=True):
        tokens = tensor(layer) @ tokens @ tensor(value)
        size = size * (1 + tensor(value).norm())
    return Measured(float(widths(tokens[:, int(point[j]) - 1])), rounding(size))


@measures(claims.widest)
def widest_column(point: Point) -> Measured:
    """The largest width of a column at the start."""
    tokens = tensor(point[X])
    return Measured(float(widths(tokens.mT).max()), rounding(tokens))
