"""Sums of products of norms in float64, as the displays of Theorem D.10 form them."""

from __future__ import annotations

import torch
from sympy import lambdify

from claims.domain import Point
from claims.im2026.layered_activations import TERM_OF
from numeric.agreement import Measured, rounding
from numeric.registry import measures


def _register(quantity, term) -> None:
    variables = sorted(term.free_symbols, key=str)
    evaluate = lambdify(variables, term, "torch")

    @measures(quantity)
    def sum_of_products(point: Point) -> Measured:
        values = [torch.tensor(float(point[v]), dtype=torch.float64) for v in variables]
        value = float(evaluate(*values))
        return Measured(value, rounding(value))


for _quantity, _term in TERM_OF.items():
    _register(_quantity, _term)
