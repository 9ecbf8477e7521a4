r"""The deep models (11) and (16): stacks of attention and value matrices, one of each a layer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from sympy import Expr, ImmutableDenseMatrix, Integer, KroneckerDelta, MatrixSymbol, Sum, Symbol, sqrt

from claims.domain import Array, Computed, Domain, Point, Size
from claims.model import Claim, Hypothesis, Relation
from claims.naitsaada2025.markov import STOCHASTIC, Markov
from claims.naitsaada2025.notation import T, d, depth, gamma, source
from claims.statement import Compare, ForAll, Formula
from claims.terms import Recursion, entry, family

__all__ = [
    "X0", "AtMost", "Isotropic", "Stack", "W", "attentions", "centred", "forward", "multiply",
    "values",
]  # fmt: skip

X0, W = MatrixSymbol("X_0", T, d), MatrixSymbol("W", d, d)
attentions, values = Symbol("A_{1..L}"), Symbol("W^V_{1..L}")
"""Hold one matrix per layer at a point."""


@dataclass(frozen=True)
class AtMost(Size):
    """A size no larger than another one, which is listed before it."""

    last: Any = d

    def of_weight(self, weight: int, point: Point) -> Iterator[Any]:
        yield from (v for v in super().of_weight(weight, point) if v <= point[self.last])

    def draw(self, rng: Random, point: Point) -> Any:
        return Integer(rng.randint(self.low, min(self.high, int(point[self.last]))))

    def objection(self, value: Any, point: Point) -> str | None:
        if value > point[self.last]:
            return f"{self.symbol} = {value}: must be at most {self.last} = {point[self.last]}"
        return super().objection(value, point)

    def facts(self) -> tuple[Formula, ...]:
        return (Compare(self.symbol, "<=", self.last),)


@dataclass(frozen=True)
class Isotropic(Array):
    """Rational orthonormal rows: the first rows of the identity, or of a product of reflections."""

    def of_weight(self, weight: int, point: Point) -> Iterator[Any]:
        rows, cols = self.shape(point)
        if weight == 0:
            yield ImmutableDenseMatrix.eye(cols)[:rows, :]
            return
        for mirror in Array(MatrixSymbol("v", cols, 1)).of_weight(weight, point):
            yield _reflection(mirror)[:rows, :]

    def draw(self, rng: Random, point: Point) -> Any:
        rows, cols = self.shape(point)
        value = ImmutableDenseMatrix.eye(cols)
        for _ in range(2):
            entries = [rng.randint(-3, 3) for _ in range(cols)]
            entries[rng.randrange(cols)] = 1
            value = value * _reflection(ImmutableDenseMatrix(cols, 1, entries))
        return value[:rows, :]

    def simple(self, place: int, rng: Random, point: Point) -> Any:
        return self.draw(rng, point)

    def objection(self, value: Any, point: Point) -> str | None:
        if value * value.T != ImmutableDenseMatrix.eye(value.rows):
            return f"{self.symbol} = {value}: must have orthonormal rows"
        return super().objection(value, point)

    def facts(self) -> tuple[Formula, ...]:
        one, other, place = (Symbol(name, integer=True) for name in ("row", "other", "column"))
        rows, cols = self.symbol.shape
        value = entry(self.symbol)
        product = Sum(value(one, place) * value(other, place), (place, 1, cols))
        same = Compare(product, "=", KroneckerDelta(one, other))
        return (ForAll(one, 1, rows, ForAll(other, 1, rows, same)),)


def _reflection(mirror: ImmutableDenseMatrix) -> ImmutableDenseMatrix:
    """I - 2 v v^T/|v|^2."""
    square = sum((e**2 for e in mirror), start=Integer(0))
    return ImmutableDenseMatrix.eye(mirror.rows) - 2 * mirror * mirror.T / square


@dataclass(frozen=True)
class Stack:
    """A tuple of matrices, one per layer."""

    symbol: Any
    each: Array
    length: Any = depth

    def of_weight(self, weight: int, point: Point) -> Iterator[Any]:
        yield from self._tuples(weight, int(point[self.length]), point)

    def _tuples(self, weight: int, layers: int, point: Point) -> Iterator[tuple[Any, ...]]:
        if layers == 0:
            yield from ((),) if weight == 0 else ()
            return
        for share in range(weight + 1):
            for matrix in self.each.of_weight(share, point):
                for rest in self._tuples(weight - share, layers - 1, point):
                    yield (matrix, *rest)

    def draw(self, rng: Random, point: Point) -> Any:
        return tuple(self.each.draw(rng, point) for _ in range(int(point[self.length])))

    def objection(self, value: Any, point: Point) -> str | None:
        if len(value) != point[self.length]:
            return f"{self.symbol} has {len(value)} layers: must have {point[self.length]}"
        return next(filter(None, (self.each.objection(m, point) for m in value)), None)


def centred(attention: ImmutableDenseMatrix) -> ImmutableDenseMatrix:
    """A - 11^T/T."""
    size = attention.rows
    return attention - ImmutableDenseMatrix.ones(size, size) / Integer(size)


def multiply(matrices: Any, size: int) -> ImmutableDenseMatrix:
    """Their product, from left to right."""
    product = ImmutableDenseMatrix.eye(size)
    for matrix in matrices:
        product = product * matrix
    return product


def forward(point: Point, gap: bool = True) -> ImmutableDenseMatrix:
    """X_L, layer by layer; without the gap, A - 11^T/T stands for A."""
    state = point[X0]
    for attention, value in zip(point[attentions], point[values], strict=True):
        state = (attention if gap else centred(attention)) * state * value
    return state
