"""Variables for tokens of unit norm, directions, orthogonal value matrices and signs; all rational."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product
from math import isqrt
from random import Random
from typing import Any

from sympy import (
    ImmutableDenseMatrix,
    Integer,
    KroneckerDelta,
    MatrixSymbol,
    Rational,
    Sum,
    Symbol,
    sympify,
)

from claims.domain import Array, Point
from claims.expressions import explicit
from claims.masks import Mask
from claims.points import Remembered
from claims.statement import Compare, ForAll, Formula
from claims.terms import entry

__all__ = [
    "AcuteRows",
    "Direction",
    "Orthogonal",
    "Signs",
    "UnitRows",
    "orthonormal_rows",
]


MOST_FEATURES = 5
"""With more features or tokens, what is drawn has to be scaled, or solved for, differently."""


@dataclass(frozen=True)
class UnitRows(Array):
    """Tokens of unit norm with rational coordinates, by stereographic projection from -e_d."""

    def relaxed(self) -> Array:
        return Array(self.symbol, self.height)

    def of_weight(self, weight: int, point: Point) -> Iterator[Any]:
        rows, cols = self.shape(point)
        if cols == 1:
            signs = ((1, -1) if weight == 0 else ()) and product((1, -1), repeat=rows)
            yield from (ImmutableDenseMatrix(rows, 1, list(s)) for s in signs)
            return
        yield from _lifted_matrices(rows, cols, weight)

    def draw(self, rng: Random, point: Point) -> Any:
        rows, cols = self.shape(point)
        if cols == 1:
            return ImmutableDenseMatrix(rows, 1, [rng.choice((1, -1)) for _ in range(rows)])
        unit = isqrt(cols) if cols > MOST_FEATURES else 1  # else all tokens would be near -e_d
        planar = lambda: [  # noqa: E731
            Rational(rng.randint(-4, 4), unit * rng.randint(1, 3)) for _ in range(cols - 1)
        ]
        return ImmutableDenseMatrix([[*_lift(planar())] for _ in range(rows)])

    def facts(self) -> tuple[Formula, ...]:
        row, column = Symbol("row", integer=True), Symbol("column", integer=True)
        rows, columns = self.symbol.shape
        norm = Sum(entry(self.symbol)(row, column) ** 2, (column, 1, columns))
        return (ForAll(row, 1, rows, Compare(norm, "=", 1)),)

    def objection(self, value: Any, point: Point) -> str | None:
        for i in range(value.rows):
            norm = sum(entry**2 for entry in value.row(i))
            if norm != 1:
                return f"row {i + 1} of {self.symbol} has squared norm {norm}: must be 1"
        return super().objection(value, point)


@cache
def _lifted_matrices(rows: int, cols: int, weight: int) -> Remembered:
    """Unit rows whose projections have integer coordinates of that weight."""
    flat = Array(MatrixSymbol("u", rows, cols - 1))
    return Remembered(
        lambda: (
            ImmutableDenseMatrix([_lift(planar) for planar in matrix.tolist()])
            for matrix in flat.of_weight(weight, {})
        )
    )


@dataclass(frozen=True)
class AcuteRows(UnitRows):
    """Tokens of unit norm, no two of which make an obtuse angle (draws lie in one orthant)."""

    def relaxed(self) -> Array:
        return UnitRows(self.symbol, self.height)

    def of_weight(self, weight: int, point: Point) -> Iterator[Any]:
        for value in super().of_weight(weight, point):
            if all(entry >= 0 for entry in value * value.T):
                yield value

    def draw(self, rng: Random, point: Point) -> Any:
        return super().draw(rng, point).applyfunc(abs)

    def facts(self) -> tuple[Formula, ...]:
        row, other, column = (Symbol(name, integer=True) for name in ("row", "other", "column"))
        rows, columns = self.symbol.shape
        product = entry(self.symbol)(row, column) * entry(self.symbol)(other, column)
        acute = Compare(Sum(product, (column, 1, columns)), ">=", 0)
        return (*super().facts(), ForAll(row, 1, rows, ForAll(other, 1, rows, acute)))

    def objection(self, value: Any, point: Point) -> str | None:
        least = min(value * value.T)
        if least < 0:
            return f"two rows of {self.symbol} have inner product {least}: must not be negative"
        return super().objection(value, point)


@dataclass(frozen=True)
class Direction(UnitRows):
    """A unit vector that has a positive product with every token: condition (i) of Theorem 2."""

    tokens: Any = None

    def of_weight(self, weight: int, point: Point) -> Iterator[Any]:
        return self.admitted(super().of_weight(weight, point), point)

    def draw(self, rng: Random, point: Point) -> Any:
        """Near a solution of X v = c > 0, which independent tokens have; else any unit vector."""
        tokens = point[self.tokens]
        if tokens.rows > MOST_FEATURES:  # of tokens in one orthant, the sum will do
            return _near_unit([sum(tokens.col(j)) for j in range(tokens.cols)], 64)
        products = tokens * tokens.T
        if products.det() == 0:
            return _near_unit(tokens.row(0), 1)
        height = 4
        while True:
            wanted = ImmutableDenseMatrix([rng.randint(1, height) for _ in range(tokens.rows)])
            found = _near_unit(tokens.T * products.LUsolve(wanted), height)
            if self.objection(found, point) is None:
                return found
            height *= 2

    def facts(self) -> tuple[Formula, ...]:
        row, column = Symbol("row", integer=True), Symbol("column", integer=True)
        size, features = self.tokens.shape
        along = entry(self.tokens)(row, column) * entry(self.symbol)(1, column)
        return (
            *super().facts(),
            ForAll(row, 1, size, Compare(Sum(along, (column, 1, features)), ">", 0)),
        )

    def objection(self, value: Any, point: Point) -> str | None:
        least = min(point[self.tokens] * value.T)
        if least <= 0:
            return f"a product of {self.symbol} with a token is {least}: must be positive"
        return super().objection(value, point)


def _near_unit(column: Any, height: int) -> ImmutableDenseMatrix:
    """A rational unit row near the direction of a column."""
    length = float(sum(e**2 for e in column)) ** 0.5 or 1.0
    *flat, last = (float(e) / length for e in column)
    if not flat:
        return ImmutableDenseMatrix([[1 if last >= 0 else -1]])
    planar = [Rational(round(height * e / (1 + last + 1e-9)), height) for e in flat]
    return ImmutableDenseMatrix([_lift(planar)])


def orthonormal_rows(entries: Any, size: Any) -> Formula:
    """$WW^\\top=I$, entry by entry."""
    row, other, column = (Symbol(name, integer=True) for name in ("row", "other", "column"))
    product = Sum(entries(row, column) * entries(other, column), (column, 1, size))
    every = ForAll(other, 1, size, Compare(product, "=", KroneckerDelta(row, other)))
    return ForAll(row, 1, size, every)


@dataclass(frozen=True)
class Orthogonal(Array):
    """A rational orthogonal matrix: the identity, or reflections at integer vectors, composed."""

    def relaxed(self) -> Array:
        return Array(self.symbol, self.height)

    def of_weight(self, weight: int, point: Point) -> Iterator[Any]:
        size, _ = self.shape(point)
        if weight == 0:
            yield ImmutableDenseMatrix.eye(size)
            return
        for mirror in Array(MatrixSymbol("v", size, 1)).of_weight(weight, point):
            yield _reflection(mirror)

    def draw(self, rng: Random, point: Point) -> Any:
        size, _ = self.shape(point)
        value = ImmutableDenseMatrix.eye(size)
        for _ in range(2):
            entries = [rng.randint(-3, 3) for _ in range(size)]
            if any(entries):
                value = value * _reflection(ImmutableDenseMatrix(size, 1, entries))
        return value

    def facts(self) -> tuple[Formula, ...]:
        """Rows are orthonormal."""
        return self.facts_of(entry(self.symbol))

    def facts_of(self, entries: Any) -> tuple[Formula, ...]:
        """The same of a matrix with these entries."""
        return (orthonormal_rows(entries, self.symbol.shape[0]),)

    def objection(self, value: Any, point: Point) -> str | None:
        if value * value.T != ImmutableDenseMatrix.eye(value.rows):
            return f"{self.symbol} is not orthogonal: {value.tolist()}"
        return super().objection(value, point)


def _reflection(mirror: ImmutableDenseMatrix) -> ImmutableDenseMatrix:
    """I - 2 v v^T/|v|^2."""
    square = sum((entry**2 for entry in mirror), start=Integer(0))
    return ImmutableDenseMatrix.eye(mirror.rows) - 2 * mirror * mirror.T / square


@dataclass(frozen=True)
class Signs:
    """A tuple of +1 and -1 whose length may depend on variables listed before it."""

    symbol: Any
    length: Any

    def _length(self, point: Point) -> int:
        return int(
            explicit(
                sympify(self.length), {k: v for k, v in point.items() if not isinstance(v, Mask)}
            )
        )

    def of_weight(self, weight: int, point: Point) -> Iterator[Any]:
        for signs in product((1, -1), repeat=self._length(point)):
            if signs.count(-1) == weight:
                yield tuple(map(Integer, signs))

    def draw(self, rng: Random, point: Point) -> Any:
        return tuple(Integer(rng.choice((1, -1))) for _ in range(self._length(point)))

    def facts(self) -> tuple[Formula, ...]:
        place = Symbol("place", integer=True)
        return (
            ForAll(place, 1, sympify(self.length), Compare(entry(self.symbol)(place) ** 2, "=", 1)),
        )

    def objection(self, value: Any, point: Point) -> str | None:
        if len(value) != self._length(point) or any(s not in (1, -1) for s in value):
            return f"{self.symbol} = {value}: must be {self._length(point)} signs"
        return None


def _lift(planar: list[Any]) -> list[Any]:
    """(2u, 1 - |u|^2)/(1 + |u|^2): a rational point of the sphere; u = 0 is e_d."""
    square = sum((u**2 for u in planar), start=Integer(0))
    return [2 * u / (1 + square) for u in planar] + [(1 - square) / (1 + square)]
