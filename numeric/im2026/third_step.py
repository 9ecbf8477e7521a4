"""Norms at the third step: what rank-one matrices of the given norms attain."""

from __future__ import annotations

from collections.abc import Callable

import torch
from sympy import lambdify

from claims.domain import Point
from claims.im2026 import third_step as claims
from claims.statement import Quantity
from numeric.agreement import Measured, rounding
from numeric.registry import measures


def attained(quantity: Quantity) -> Callable[[Point], Measured]:
    """The estimator of a left side: its term of norms, in float64."""
    term = claims.TERMS[quantity]
    symbols = sorted(term.free_symbols, key=str)
    function = lambdify(symbols, term, "math")

    def read(point: Point) -> Measured:
        value = torch.tensor(function(*(float(point[s]) for s in symbols)), dtype=torch.float64)
        return Measured(float(value), rounding(value))

    return read


for _quantity in claims.TERMS:
    measures(_quantity)(attained(_quantity))
