"""Products of norms in float64, at the points of their domains."""

from __future__ import annotations

from typing import Any

import torch
from sympy import lambdify

from claims.domain import Point
from claims.im2026 import gaussian_activations
from claims.im2026.gaussian_activations import TERMS
from claims.statement import Quantity
from numeric.agreement import Measured, rounding
from numeric.registry import measures

__all__ = ["evaluated"]


def evaluated(term: Any) -> Any:
    """An estimator that evaluates a term in torch."""
    symbols = sorted(term.free_symbols, key=str)
    function = lambdify(symbols, term, modules=[{"sqrt": torch.sqrt}, "math"])

    def run(point: Point) -> Measured:
        values = (torch.tensor(float(point[symbol]), dtype=torch.float64) for symbol in symbols)
        value = float(function(*values))
        return Measured(value, rounding(value))

    return run


for quantity in filter(
    lambda found: isinstance(found, Quantity), vars(gaussian_activations).values()
):
    measures(quantity)(evaluated(TERMS[quantity]))
