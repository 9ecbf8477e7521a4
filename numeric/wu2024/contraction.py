r"""How fast widths contract: products of attention and value matrices applied in float64.

Named axes: `starts` of the adversary, `n` tokens, `d` features.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from claims.domain import Point
from claims.model import Claim
from claims.statement import Compare
from claims.wu2024 import contraction as claims
from claims.wu2024.contraction import j
from claims.wu2024.dynamics import values
from claims.wu2024.extrema import bottom, top
from claims.wu2024.notation import N, X, attention, x
from numeric.adversary import Objective
from numeric.agreement import Measured, rounding
from numeric.evaluate import evaluate
from numeric.exact import tensor
from numeric.registry import attacks, measures
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


def objective(claim: Claim) -> Objective:
    """An attack over x at the claim's first probe: left the final width, right the claim's bound."""
    point, statement = claim.probes[0], claim.statement
    assert isinstance(statement, Compare)
    numbers = {s: float(v) for s, v in point.items() if getattr(v, "is_number", False)}

    def sides(arrays: Mapping[Any, Tensor]) -> tuple[Tensor, Tensor]:
        start = arrays[x].squeeze(-1)
        end = start
        for layer in point[attention]:
            end = end @ tensor(layer).mT
        extremes = {top(0): start.amax(dim=-1), bottom(0): start.amin(dim=-1)}
        return widths(end), evaluate(statement.right, {**numbers, **extremes})

    return Objective(point, {x: (int(point[N]), 1)}, sides)


for attacked in (claims.width_contracts_over_the_diameter, claims.width_decays_exponentially):
    attacks(attacked)(objective(attacked))
