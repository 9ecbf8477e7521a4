"""Variables of the paper's hypotheses: row-stochastic matrices on a mask, and tokens of unit norm.

All values are rational, so that products of attention matrices and inner products are exact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from random import Random
from typing import Any

from sympy import (
    ImmutableDenseMatrix,
    Integer,
    Rational,
    Sum,
    Symbol,
    exp,
    oo,
    sympify,
    zeros,
)

from claims.domain import Computed, Point
from claims.expressions import explicit
from claims.masks import Mask
from claims.statement import Compare, Exists, ForAll, Formula, Or
from claims.terms import entry, family
from claims.wu2024.notation import G, N, r

__all__ = [
    "Attention",
    "AttentionSequence",
    "Degree",
    "EndlessAttention",
    "LongestDistance",
    "Periodic",
    "Place",
    "Radius",
    "SoftmaxAttention",
    "causal_mean",
    "distance",
    "distance_facts",
    "jordan",
    "radius_of_mask",
    "size_of_mask",
]

size_of_mask = Computed(N, lambda at: Integer(at[G].size))
distance = family(r"\mathrm{{dist}}({},{})", lambda at, start, end: Integer(at[G].hops(start, end)))
"""From the first token to the second along edges; N where no path leads."""


def distance_facts() -> tuple[Formula, ...]:
    """A token other than the start that a path reaches attends to one that is a step nearer."""
    start, end, before = (Symbol(name, integer=True) for name in ("start", "end", "before"))
    nearer = Compare(distance(start, before), "=", distance(start, end) - 1)
    attends = Compare(entry(G)(before, end), "=", 1)
    cases = (
        Compare(distance(start, end), "=", 0) & Compare(end, "=", start),
        Compare(distance(start, end), ">=", N),
        Exists(before, 1, N, attends & nearer),
    )
    return tuple(
        ForAll(start, 1, N, ForAll(end, 1, N, formula))
        for formula in (Or(cases), Compare(distance(start, end), ">=", 0))
    )


@dataclass(frozen=True)
class Radius(Computed):
    """Def. 5's diameter: some token is at most so far from every token."""

    def facts(self) -> tuple[Formula, ...]:
        centre, end = Symbol("centre", integer=True), Symbol("end", integer=True)
        near = ForAll(end, 1, N, Compare(distance(centre, end), "<=", self.symbol))
        return (
            Exists(centre, 1, N, near), Compare(self.symbol, "<=", N - 1),
            Compare(self.symbol, ">=", 0), Compare(N, ">=", 2).implies(Compare(self.symbol, ">=", 1)),
            *distance_facts(),
        )  # fmt: skip


@dataclass(frozen=True)
class LongestDistance(Computed):
    """The usual diameter: every token is at most so far from every token."""

    def facts(self) -> tuple[Formula, ...]:
        start, end = Symbol("start", integer=True), Symbol("end", integer=True)
        near = ForAll(
            start, 1, N, ForAll(end, 1, N, Compare(distance(start, end), "<=", self.symbol))
        )
        return (
            near,
            Compare(self.symbol, "<=", N - 1),
            Compare(self.symbol, ">=", 0),
            *distance_facts(),
        )


@dataclass(frozen=True)
class Degree(Computed):
    """The largest number of tokens that one token attends to; at least two, where so asked."""

    least: int = 1

    def objection(self, value: Any, point: Point) -> str | None:
        if value < self.least:
            return f"{self.symbol} = {value}: must be at least {self.least}"
        return super().objection(value, point)

    def facts(self) -> tuple[Formula, ...]:
        return (Compare(self.symbol, ">=", self.least),)


@dataclass(frozen=True)
class Place:
    """One of the numbers 1, ..., `last`, a variable listed before: a token, or a feature."""

    symbol: Any
    last: Any = N

    def stated_range(self) -> tuple[str, str]:
        return "1\\le ", f"\\le {self.last}"

    def of_weight(self, weight: int, point: Point) -> Iterator[Any]:
        if weight < int(point[self.last]):
            yield Integer(weight + 1)

    def draw(self, rng: Random, point: Point) -> Any:
        return Integer(rng.randint(1, int(point[self.last])))

    def objection(self, value: Any, point: Point) -> str | None:
        if value != int(value) or not 1 <= value <= point[self.last]:
            return f"{self.symbol} = {value}: must be one of 1 to {point[self.last]}"
        return None

    def facts(self) -> tuple[Formula, ...]:
        return Compare(self.symbol, ">=", 1), Compare(self.symbol, "<=", self.last)


radius_of_mask = Radius(r, lambda at: Integer(at[G].radius))


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
        reason = _not_stochastic(value.as_immutable(), mask, floor)
        return None if reason is None else f"{self.symbol}: {reason}"

    def relaxed(self) -> Attention | None:
        return None if self.floor == 0 else replace(self, floor=0)

    def _floor(self, point: Point) -> Any:
        return explicit(sympify(self.floor), {k: v for k, v in point.items() if k is not self.mask})

    def facts(self) -> tuple[Formula, ...]:
        """Rows of entries that are not negative, sum to one, reach the floor on edges, vanish off them."""
        return row_facts(lambda i, j: entry(self.symbol)(i, j), self.floor, self.mask)


@lru_cache(maxsize=4096)
def _not_stochastic(value: ImmutableDenseMatrix, mask: Mask, floor: Any) -> str | None:
    """What is wrong with rows that must sum to one and reach the floor on edges; layers repeat."""
    for i, row in enumerate(value.tolist(), 1):
        if (total := sum(row)) != 1:
            return f"row {i} sums to {total}: must sum to 1"
        for j, weight in enumerate(row, 1):
            edge = (j, i) in mask.edges
            if (edge and weight < floor) or (not edge and weight != 0):
                return f"entry {i, j} is {weight}: not allowed on {mask}"
    return None


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


class Periodic(tuple[Any, ...]):
    """Matrices used in turn for ever: the entry at any layer is one of them.

    >>> Periodic((7, 8))[5]
    8
    """

    def __getitem__(self, layer: Any) -> Any:
        return tuple.__getitem__(self, int(layer) % len(self))


class Endless:
    """Put before a class of one value for each of some layers: those values again and again, for ever."""

    def of_weight(self, weight: int, point: Point) -> Iterator[Any]:
        yield from map(Periodic, super().of_weight(weight, point))  # type: ignore[misc]

    def draw(self, rng: Random, point: Point) -> Any:
        return Periodic(super().draw(rng, point))  # type: ignore[misc]


@dataclass(frozen=True)
class EndlessAttention(Endless, AttentionSequence):
    """Attention matrices for every layer; examples use one of them again and again."""

    length: Any = 1

    def facts(self) -> tuple[Formula, ...]:
        return AttentionSequence(self.symbol, self.floor, self.mask, oo).facts()


@dataclass(frozen=True)
class SoftmaxAttention(Computed):
    """The attention matrices of the dynamics, Eq. (1): masked softmax of `score(layer, i, j)`."""

    score: Callable[[Any, Any, Any], Any]
    length: Any

    def facts(self) -> tuple[Formula, ...]:
        """Rows sum to one, no entry is negative, and entries are as e^score on edges."""
        layer, row, column, token = (
            Symbol(name, integer=True) for name in ("layer", "row", "column", "token")
        )

        def kept(place: Any) -> Any:
            return entry(G)(place, row) * exp(self.score(layer, row, place))

        total = Sum(kept(token), (token, 1, N))
        share = Compare(entry(self.symbol)(layer, row, column) * total, "=", kept(column))
        every = ForAll(row, 1, N, ForAll(column, 1, N, share))
        last = sympify(self.length) - 1
        rows = AttentionSequence(self.symbol, length=self.length).facts()
        return (*rows[:2], ForAll(layer, 0, last, every))


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


def _attention(mask: Mask, floor: Any, shares: list[list[Any]]) -> ImmutableDenseMatrix:
    """Every edge gets `floor`; what is left of a row is split by its shares, which sum to one."""
    value = zeros(mask.size, mask.size)
    for i in range(1, mask.size + 1):
        neighbours = mask.neighbours(i)
        free = 1 - floor * len(neighbours)
        for j, share in zip(neighbours, shares[i - 1], strict=True):
            value[i - 1, j - 1] = floor + free * share
    return value.as_immutable()
