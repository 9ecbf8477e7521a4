"""Charts: variables of a domain as functions of unconstrained numbers, exact and differentiable.

A chart is written once, in field operations: fractions give values that the domain admits exactly,
tensors with one entry for each start give a differentiable batch of them.  Ranges by a rational map
of the line onto an interval, unit rows by stereographic projection, rotations by rational half
angles, rows of weights by squares over their sum.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import torch
from sympy import Expr, ImmutableDenseMatrix, Symbol, oo, sympify
from torch import Tensor

from claims.domain import Array, Equal, Real
from claims.expressions import explicit
from claims.row_weights import RowWeights
from claims.tables import Table
from numeric.evaluate import evaluate

__all__ = [
    "CHARTS", "INTEGERS_ONLY", "Chart", "array", "chart_of", "charted", "exact", "in_rows",
    "interval", "interval_at", "number_at", "planar_of", "positive", "real", "row_weights", "sphere",
    "tensors",
]  # fmt: skip

Numbers = list[Any]
Point = Mapping[Any, Any]
Build = Callable[[Numbers, Point], Any]
"""From numbers and the variables before: a number, rows of numbers, or a tuple of such rows."""


@dataclass(frozen=True)
class Chart:
    """Numbers near a given value, and the value that numbers give; `inside` where any numbers do."""

    start: tuple[float, ...]
    build: Build
    inside: bool = False

    @property
    def size(self) -> int:
        return len(self.start)


CHARTS: Table[type, Callable[[Any, Any, Point], Chart | None]] = Table()


def charted(*kinds: type) -> Callable[[Any], Any]:
    """Register `chart(variable, value, point)` for variables of a domain; None where none fits."""

    def register(make: Any) -> Any:
        for kind in kinds:
            CHARTS[kind] = make
        return make

    return register


INTEGERS_ONLY: Table[type, str] = Table()
"""Kinds of computed variables that are written out quickly only where what they depend on is whole, and why."""


def chart_of(variable: Any, value: Any, point: Point) -> Chart | None:
    """The chart of a variable around a value, by its very kind: a subclass may admit less."""
    make = CHARTS.get(type(variable))
    found = make(variable, value, point) if make is not None else None
    return found if found is not None and found.size else None


# Maps ----------------------------------------------------------------------------------------------


def interval(u: Any, low: Any, high: Any) -> Any:
    """The line onto [low, high]: both ends are reached, at -1 and 1."""
    return low + (high - low) * (1 + u) ** 2 / (2 * (1 + u**2))


def interval_at(share: float) -> float:
    """Where `interval` from 0 to 1 has a value."""
    centred = min(0.5, max(-0.5, share - 0.5))
    return (1 - math.sqrt(1 - 4 * centred**2)) / (2 * centred) if centred else 0.0


def positive(value: float) -> float:
    """The number whose square it is."""
    return math.sqrt(max(0.0, value))


def sphere(planar: Numbers) -> Numbers:
    """A point of the unit sphere by stereographic projection; zero is the last unit vector."""
    square = sum(u**2 for u in planar)
    return [*(2 * u / (1 + square) for u in planar), (1 - square) / (1 + square)]


def planar_of(row: Any) -> list[float]:
    """The numbers of a unit vector; far out for the one that has none."""
    *flat, last = map(float, row)
    return [e / max(1 + last, 1e-3) for e in flat]


def in_rows(numbers: Numbers, columns: int) -> list[Numbers]:
    return [numbers[k : k + columns] for k in range(0, len(numbers), columns)]


def number_at(expression: Any, point: Point, like: Any) -> Any:
    """A term in the variables before: exact, or a float or tensor beside tensors."""
    expression = sympify(expression)
    if isinstance(like, Tensor):
        return float(expression) if expression.is_number else evaluate(expression, point)
    number = expression if expression.is_number else explicit(expression, _plain_numbers(point))
    return Fraction(int(number.p), int(number.q)) if number.is_Rational else number


def _plain_numbers(point: Point) -> Point:
    return {k: v for k, v in point.items() if isinstance(k, Symbol) and isinstance(v, Expr)}


# Numbers and matrices ------------------------------------------------------------------------------


@charted(Real)
def real(variable: Any, value: Any, point: Point) -> Chart:
    """A number in its range, each end of which may be infinite."""
    least, most = variable.ends(point)
    bounded = least != -oo, most != oo

    def build(u: Numbers, at: Point) -> Any:
        if bounded == (True, True):
            low, high = (number_at(end, at, u[0]) for end in (variable.low, variable.high))
            return interval(u[0], low, high)
        if bounded == (True, False):
            return number_at(variable.low, at, u[0]) + u[0] ** 2
        if bounded == (False, True):
            return number_at(variable.high, at, u[0]) - u[0] ** 2
        return u[0]

    if bounded == (True, True):
        start = interval_at(float((value - least) / (most - least))) if most != least else 0.0
    elif bounded == (False, False):
        start = float(value)
    else:
        start = positive(float(value - least if bounded[0] else most - value))
    return Chart((start,), build)


@charted(Array)
def array(variable: Any, value: Any, point: Point) -> Chart:
    """A matrix of any entries; its domain may still refuse some."""
    return Chart(tuple(map(float, value)), lambda u, at: in_rows(u, value.cols))


@charted(RowWeights)
def row_weights(variable: Any, value: Any, point: Point) -> Chart:
    """Entries by their roots."""
    start = tuple(positive(float(e)) for e in value)
    return Chart(start, lambda u, at: in_rows([e**2 for e in u], value.cols))


@charted(Equal)
def equal_rows(variable: Any, value: Any, point: Point) -> Chart:
    """One length times unit rows."""
    rows, columns = value.shape
    length = math.sqrt(sum(float(e) ** 2 for e in value.row(0))) or 1.0
    planar = [u for k in range(rows) for u in planar_of(value.row(k) / length)]

    def build(u: Numbers, at: Point) -> list[Numbers]:
        if columns == 1:
            return [[u[0] if value[k] >= 0 else -u[0]] for k in range(rows)]
        return [[u[0] * e for e in sphere(row)] for row in in_rows(u[1:], columns - 1)]

    return Chart((length, *planar), build, inside=True)


# Tensors -------------------------------------------------------------------------------------------


def tensors(built: Any, starts: int) -> Any:
    """What a chart built from tensors: a tensor (starts, rows, cols), one number each, or a tuple."""
    if isinstance(built, tuple):
        return type(built)(tensors(part, starts) for part in built)
    if not isinstance(built, list):
        return _each(built, starts)
    return torch.stack(
        [torch.stack([_each(e, starts) for e in row], dim=-1) for row in built], dim=-2
    )


def _each(number: Any, starts: int) -> Tensor:
    tensor = number if isinstance(number, Tensor) else torch.tensor(float(number))
    return tensor.to(torch.float64).expand(starts)


def exact(built: Any) -> Any:
    """What a chart built from fractions, as a point holds it."""
    if isinstance(built, tuple):
        return type(built)(exact(part) for part in built)
    if isinstance(built, list):
        return ImmutableDenseMatrix([[sympify(e) for e in row] for row in built])
    return sympify(built)
