"""Sums of products of norms in float64, as the displays of Theorem D.10 form them."""

from __future__ import annotations

from typing import Any

from sympy import lambdify

from claims.domain import Point
from claims.im2026 import (  # noqa: F401
    closed_induction,
    layered_attention,
    layered_backpropagation,
    layered_outputs,
)
from claims.im2026.layered_activations import TERM_OF
from numeric.agreement import Measured, rounding
from numeric.registry import measures


def _register(quantity: Any, term: Any) -> None:
    variables = sorted(term.free_symbols, key=str)
    evaluate = lambdify(variables, term, "math")

    @measures(quantity)
    def sum_of_products(point: Point) -> Measured:
        value = float(evaluate(*(float(point[v]) for v in variables)))
        return Measured(value, rounding(value))


for _quantity, _term in TERM_OF.items():
    _register(_quantity, _term)
