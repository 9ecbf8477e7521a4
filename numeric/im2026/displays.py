"""Left-hand sides that are terms in norms: their values in float64, with a running bound on rounding."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from sympy import Add, Expr, Mul, Pow, Rational, Symbol, binomial, exp
from torch import finfo, float64

from claims.domain import Point
from claims.im2026 import (  # noqa: F401  (their terms)
    closed_induction,
    gaussian_step,
    layered_attention,
    layered_backpropagation,
    layered_outputs,
    third_step,
    trained_weights,
)
from claims.im2026.displays import TERMS
from numeric.agreement import Measured
from numeric.im2026 import (  # noqa: F401  (those of one layer are read from matrices there)
    one_layer_attention,
    one_layer_forward,
    one_layer_rows,
    one_layer_updates,
)
from numeric.readings import READERS
from numeric.registry import measures

EPSILON = finfo(float64).eps
"""Twice what one operation rounds, which leaves room for the rounding of the bounds themselves."""


def rounded(term: Expr, values: Mapping[Symbol, Measured]) -> Measured:
    """A term where its symbols are known up to errors: value, and how far the true one may be."""
    if isinstance(term, Symbol):
        return values[term]
    if term.is_number and not term.args:
        return _read(term)
    parts = [rounded(part, values) for part in term.args]
    if isinstance(term, Add | Mul):
        combine, (found, *others) = _sum if isinstance(term, Add) else _product, parts
        for part in others:
            found = combine(found, part)
        return found
    if isinstance(term, Pow):
        return _power(*parts)
    if isinstance(term, exp):
        value = math.exp(parts[0].value)
        return Measured(value, value * (math.expm1(parts[0].error) + EPSILON))
    if isinstance(term, binomial):
        value = float(math.comb(*(int(part.value) for part in parts)))
        return Measured(value, EPSILON * value)
    raise TypeError(f"{type(term).__name__} has no bound on its rounding")


def _read(number: Any) -> Measured:
    """A number of a term or of a point; integers and halves are read exactly."""
    value = float(number)
    return Measured(value, 0.0 if Rational(value) == number else EPSILON * abs(value))


def _sum(a: Measured, b: Measured) -> Measured:
    value = a.value + b.value
    return Measured(value, a.error + b.error + EPSILON * abs(value))


def _product(a: Measured, b: Measured) -> Measured:
    value = a.value * b.value
    spread = abs(a.value) * b.error + a.error * abs(b.value) + a.error * b.error
    return Measured(value, spread + EPSILON * abs(value))


def _power(base: Measured, exponent: Measured) -> Measured:
    """By the largest slope of the power over the interval of its base; exponents are exact."""
    power = exponent.value
    if exponent.error:
        raise ValueError(f"exponent {power} is not exact")
    # Below a root there is nothing negative but by rounding.
    value = (base.value if power.is_integer() else max(base.value, 0.0)) ** power
    low, high = base.value - base.error, abs(base.value) + base.error
    if not base.error:
        spread = 0.0
    elif power >= 1:
        spread = power * high ** (power - 1) * base.error
    elif low > 0:
        spread = abs(power) * low ** (power - 1) * base.error
    else:  # a root near zero moves by no more than the root of the distance
        spread = base.error**power if power > 0 else math.inf
    return Measured(value, spread + EPSILON * abs(value))


def evaluated(term: Expr) -> Callable[[Point], Measured]:
    """An estimator of a term."""
    symbols = sorted(term.free_symbols, key=str)

    def read(point: Point) -> Measured:
        return rounded(term, {symbol: _read(point[symbol]) for symbol in symbols})

    return read


for _quantity, _term in TERMS.items():
    if _quantity not in READERS:
        measures(_quantity)(evaluated(_term))
