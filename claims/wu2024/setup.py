"""Variables of the paper's hypotheses: row-stochastic matrices on a mask, and tokens of unit norm.

All values are rational, so that products of attention matrices and inner products are exact.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from random import Random
from typing import Any

from sympy import (
    ImmutableDenseMatrix,
    Integer,
    MatrixSymbol,
    Rational,
    Sum,
    Symbol,
    sympify,
    zeros,
)  # fmt: skip

from claims.domain import Array, Computed, Point
from claims.expressions import explicit
from claims.masks import Mask
from claims.statement import Compare, ForAll, Formula
from claims.terms import entry
from claims.wu2024.notation import G, N, r

__all__ = [
    "AcuteRows",
    "Attention",
    "AttentionSequence",
    "Orthogonal",
    "Signs",
    "UnitRows",
    "causal_mean",
    "jordan",
    "radius_of_mask",
    "size_of_mask",
]

size_of_mask = Computed(N, lambda at: Integer(at[G].size))
radius_of_mask = Computed(r, lambda at: Integer(at[G].radius))
"""Def. 5's diameter."""


def row_facts(entries: Any, floor: Any, mask: Any) -> tuple[Formula, ...]:
    """What the class A_{G,eps} says of a matrix with the given entries; `entry(mask)` marks edges."""
    row, column = Symbol("row", integer=True), Symbol("column", integer=True)
    value, edge = entries(row, column), entry(mask)(column, row)

    def everywhere(formula: Formula) -> Formula:
        return ForAll(row, 1, N, ForAll(column, 1, N, formula))

    total = Sum(value, (column, 1, N))
    return (
        ForAll(row, 1, N, Compare(total, "=", 1)),
        everywhere(Compare(value, ">=", 0)),
        everywhere(Compare(value, ">=", sympify(floor) * edge)),
        everywhere(Compare(value * (1 - edge), "=", 0)),
    )


@dataclass(frozen=True)
class Attention:
    """A row-stochastic matrix in the class A_{G,eps}: at least `floor` on edges, zero elsewhere.

    The smallest values are the uniform attention matrix and then the extreme points of the class,
    where each row gives all that is free to one neighbour.  `floor` (zero when absent: positive
    entries are then drawn, and extreme points have zeros) may depend on variables listed before.
    """

    symbol: Any
    floor: Any = 0
    mask: Any = G

    def of_weight(self, weight: int, point: Point) -> Iterator[Any]:
        mask, floor = point[self.mask], self._floor(point)
        if weight == 0:
            yield uniform_attention(mask)
            return
        choices = [range(len(mask.neighbours(i))) for i in range(1, mask.size + 1)]
        for chosen in product(*choices):
            if sum(chosen) == weight - 1:
                free = [
                    [Integer(n == c) for n in range(len(span))]
                    for c, span in zip(chosen, choices, strict=True)
                ]
                yield _attention(mask, floor, free)

    def draw(self, rng: Random, point: Point) -> Any:
        mask = point[self.mask]
        free = []
        for i in range(1, mask.size + 1):
            parts = [rng.randint(1, 6) for _ in mask.neighbours(i)]
            free.append([Rational(part, sum(parts)) for part in parts])
        return _attention(mask, self._floor(point), free)

    def objection(self, value: Any, point: Point) -> str | None:
        mask, floor = point[self.mask], self._floor(point)
        if value.shape != (mask.size, mask.size):
            return f"{self.symbol} has shape {value.shape}: must be {(mask.size, mask.size)}"
        for i in range(mask.size):
            if sum(value.row(i)) != 1:
                return f"{self.symbol}: row {i + 1} sums to {sum(value.row(i))}: must sum to 1"
            for j in range(mask.size):
                edge, entry = (j + 1, i + 1) in mask.edges, value[i, j]
                if (edge and entry < floor) or (not edge and entry != 0):
                    return f"{self.symbol}: entry {i + 1, j + 1} is {entry}: not allowed on {mask}"
        return None

    def _floor(self, point: Point) -> Any:
        return explicit(sympify(self.floor), {k: v for k, v in point.items() if k is not self.mask})

    def facts(self) -> tuple[Formula, ...]:
        """Rows of entries that are not negative, sum to one, reach the floor on edges, vanish off them."""
        return row_facts(lambda i, j: entry(self.symbol)(i, j), self.floor, self.mask)


@dataclass(frozen=True)
class AttentionSequence(Attention):
    """A tuple of such matrices, first layer first; `length` may depend on variables before it."""

    length: Any = 2

    def _length(self, point: Point) -> int:
        return int(
            explicit(sympify(self.length), {k: v for k, v in point.items() if k is not self.mask})
        )

    def of_weight(self, weight: int, point: Point) -> Iterator[Any]:
        """All layers equal; then, from weight one on, also the last layer different."""
        for matrix in super().of_weight(weight, point):
            yield (matrix,) * self._length(point)
            if weight and self._length(point):
                head = uniform_attention(point[self.mask])
                yield (*(head,) * (self._length(point) - 1), matrix)

    def draw(self, rng: Random, point: Point) -> Any:
        return tuple(Attention.draw(self, rng, point) for _ in range(self._length(point)))

    def facts(self) -> tuple[Formula, ...]:
        """The same of every layer."""
        layer = Symbol("layer", integer=True)
        rows = row_facts(lambda i, j: entry(self.symbol)(layer, i, j), self.floor, self.mask)
        return tuple(ForAll(layer, 0, sympify(self.length) - 1, f) for f in rows)

    def objection(self, value: Any, point: Point) -> str | None:
        if len(value) != self._length(point):
            return f"{self.symbol}: {len(value)} layers: must be {self._length(point)}"
        return next(
            (o for m in value if (o := Attention.objection(self, m, point)) is not None), None
        )


@dataclass(frozen=True)
class UnitRows(Array):
    """Tokens of unit norm with rational coordinates, by stereographic projection from -e_d."""

    def of_weight(self, weight: int, point: Point) -> Iterator[Any]:
        rows, cols = self.shape(point)
        if cols == 1:
            signs = ((1, -1) if weight == 0 else ()) and product((1, -1), repeat=rows)
            yield from (ImmutableDenseMatrix(rows, 1, list(s)) for s in signs)
            return
        flat = MatrixSymbol("u", rows, cols - 1)
        for planar in Array(flat).of_weight(weight, point):
            yield ImmutableDenseMatrix([_lift(list(planar.row(i))) for i in range(rows)])

    def draw(self, rng: Random, point: Point) -> Any:
        rows, cols = self.shape(point)
        if cols == 1:
            return ImmutableDenseMatrix(rows, 1, [rng.choice((1, -1)) for _ in range(rows)])
        planar = lambda: [Rational(rng.randint(-4, 4), rng.randint(1, 3)) for _ in range(cols - 1)]  # noqa: E731
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


@dataclass(frozen=True)
class AcuteRows(UnitRows):
    """Tokens of unit norm, no two of which make an obtuse angle (draws lie in one orthant)."""

    def of_weight(self, weight: int, point: Point) -> Iterator[Any]:
        for value in super().of_weight(weight, point):
            if all(entry >= 0 for entry in value * value.T):
                yield value

    def draw(self, rng: Random, point: Point) -> Any:
        return super().draw(rng, point).applyfunc(abs)

    def objection(self, value: Any, point: Point) -> str | None:
        least = min(value * value.T)
        if least < 0:
            return f"two rows of {self.symbol} have inner product {least}: must not be negative"
        return super().objection(value, point)


@dataclass(frozen=True)
class Orthogonal(Array):
    """A rational orthogonal matrix: the identity, or reflections at integer vectors, composed."""

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


def uniform_attention(mask: Mask) -> ImmutableDenseMatrix:
    """Attention for zero scores: every token weighs the tokens that it attends to equally.

    >>> from claims.masks import causal
    >>> uniform_attention(causal(2))
    Matrix([
    [  1,   0],
    [1/2, 1/2]])
    """
    shares = [
        [Rational(1, len(mask.neighbours(i)))] * len(mask.neighbours(i))
        for i in range(1, mask.size + 1)
    ]
    return _attention(mask, Integer(0), shares)


def jordan(features: int, weight: Any) -> ImmutableDenseMatrix:
    """The value matrix (31): ones on the diagonal, `weight` above it.

    >>> jordan(2, 3)
    Matrix([
    [1, 3],
    [0, 1]])
    """
    value = zeros(features, features)
    for i in range(features):
        value[i, i] = 1
        if i + 1 < features:
            value[i, i + 1] = weight
    return value.as_immutable()


def causal_mean(tokens: ImmutableDenseMatrix) -> ImmutableDenseMatrix:
    """Uniform causal attention applied: row i is the mean of the rows 1, ..., i."""
    rows = [
        sum((tokens.row(j) for j in range(i + 1)), start=zeros(1, tokens.cols)) / (i + 1)
        for i in range(tokens.rows)
    ]
    return ImmutableDenseMatrix.vstack(*rows).as_immutable()


def _lift(planar: list[Any]) -> list[Any]:
    """(2u, 1 - |u|^2)/(1 + |u|^2): a rational point of the sphere; u = 0 is e_d."""
    square = sum((u**2 for u in planar), start=Integer(0))
    return [2 * u / (1 + square) for u in planar] + [(1 - square) / (1 + square)]


def _attention(mask: Mask, floor: Any, shares: list[list[Any]]) -> ImmutableDenseMatrix:
    """Every edge gets `floor`; what is left of a row is split by its shares, which sum to one."""
    value = zeros(mask.size, mask.size)
    for i in range(1, mask.size + 1):
        neighbours = mask.neighbours(i)
        free = 1 - floor * len(neighbours)
        for j, share in zip(neighbours, shares[i - 1], strict=True):
            value[i - 1, j - 1] = floor + free * share
    return value.as_immutable()
