r"""How fast widths contract: products of attention matrices applied in float64, and an adversary.

Named axes: `starts` of the adversary, `n` tokens, `d` features.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from claims.domain import Point
from claims.model import Claim, Relation
from claims.wu2024 import contraction as claims
from claims.wu2024.contraction import C_j, j, values
from claims.wu2024.extrema import spread
from claims.wu2024.notation import N, X, attention, epsilon, r, t, x
from numeric.adversary import Objective
from numeric.agreement import Measured, rounding
from numeric.evaluate import evaluate
from numeric.exact import tensor
from numeric.registry import attacks, directly
from numeric.wu2024.extrema import followed, widths


@directly(claims.width_contracts_over_the_diameter, claims.width_decays_exponentially)
def final_width(point: Point) -> Measured:
    """Largest minus least entry after the last layer."""
    vectors = followed(point)
    return Measured(float(widths(vectors[-1])), rounding(vectors))


def objective(claim: Claim) -> Objective:
    """An attack over x at the claim's first probe: left the final width, right the claim's bound."""
    point, statement = claim.probes[0], claim.statement
    assert isinstance(statement, Relation)
    numbers = {s: float(v) for s, v in point.items() if getattr(v, "is_number", False)}

    def sides(arrays: Mapping[Any, Tensor]) -> tuple[Tensor, Tensor]:
        start = arrays[x].squeeze(-1)
        end = start
        for layer in point[attention]:
            end = end @ tensor(layer).mT
        return widths(end), evaluate(statement.rhs[0], {**numbers, spread: widths(start)})

    return Objective(point, {x: (int(point[N]), 1)}, sides)


attacks(claims.width_contracts_over_the_diameter)(
    objective(claims.width_contracts_over_the_diameter)
)
attacks(claims.width_decays_exponentially)(objective(claims.width_decays_exponentially))


def value_matrices(point: Point) -> list[Tensor]:
    """W_V^{(0)}, ..., W_V^{(t)}, the point's matrices used in turn."""
    cycle = point[values]
    return [tensor(cycle[layer % len(cycle)]) for layer in range(int(point[t]) + 1)]


@directly(claims.weights_can_be_dropped)
def weighted_bound(point: Point) -> Measured:
    """C_j sum_i |W_ij| (1 - eps^r)^(t/r) with W the product of the value matrices."""
    product = torch.linalg.multi_dot([torch.eye(2).double(), *value_matrices(point)])
    weights = product[:, int(point[j]) - 1].abs().sum()
    rate = (1 - float(point[epsilon]) ** int(point[r])) ** (int(point[t]) / int(point[r]))
    bound = float(point[C_j]) * float(weights) * rate
    return Measured(bound, rounding(bound))


@directly(claims.columns_contract_with_bounded_values)
def final_column_width(point: Point) -> Measured:
    """Largest difference of two tokens in feature j after layers 0, ..., t, without LayerNorm."""
    tokens = tensor(point[X])
    largest = tokens.abs().max()
    for layer, value in zip(point[attention], value_matrices(point), strict=True):
        tokens = tensor(layer) @ tokens @ value
    return Measured(float(widths(tokens[:, int(point[j]) - 1])), rounding(largest))
