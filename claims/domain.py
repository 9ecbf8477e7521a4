"""Where a claim is asserted: its free variables, their ranges, and points inside those ranges.

A `Domain` is the executable form of a claim's hypotheses.  It says whether a point is admissible,
lists admissible points from the smallest on (so that a witness is as small as possible), and draws
random admissible points (so that identities are confirmed where nothing cancels by accident).

A *point* maps each symbol to an exact number and each matrix symbol to an explicit matrix.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import islice, repeat
from math import prod
from random import Random
from typing import Any

from sympy import ImmutableDenseMatrix, Integer, MatrixSymbol, Rational, Sum, Symbol, oo, sympify

from claims.exact import less
from claims.expressions import explicit, scalar_at
from claims.points import Point, Remembered, Watched, integers_of_norm
from claims.statement import Compare, ForAll, Formula
from claims.terms import entry

__all__ = [
    "Array",
    "Choice",
    "Computed",
    "Condition",
    "Domain",
    "Equal",
    "Point",
    "Real",
    "Scaled",
    "Size",
]

WITNESS_CANDIDATES = 4000
"""How many points `Domain.smallest` offers: enough for every 2 x 2 integer matrix of weight <= 8."""


WEIGHT_BEYOND = 4
"""What a size above those that are drawn adds to the weight of a point, for each unit."""
ENLARGED = (6, 9, 12)
"""Sizes at which a search goes on when small points show nothing.  Every size reaches the first; the
others only one that is drawn half as large, since exact definitions soon take seconds."""
RANDOM_ARRAY = 3
"""After the identity, its first entry alone and all ones."""
AFFORDABLE = 24
"""The largest product of the sizes of such a point."""
TOGETHER = 4
"""The size of all at once, where their product is at most double the largest that is drawn."""


@dataclass(frozen=True)
class Size:
    """An integer at least `low`; `high` only limits what is drawn, never what is admitted.

    `reach` limits what a search for witnesses enlarges, where an exact definition would take minutes.

    >>> sizes = Size(Symbol("n"), 2, 3)
    >>> {weight: list(sizes.of_weight(weight, {})) for weight in (0, 1, 2, 5, 9)}
    {0: [2], 1: [3], 2: [], 5: [4], 9: [5]}
    """

    symbol: Symbol
    low: int = 1
    high: int = 5
    reach: int | None = None

    def of_weight(self, weight: int, point: Point) -> Iterator[Any]:
        """Sizes above `high` weigh more: the small points are then left to the other variables."""
        beyond = weight - (self.high - self.low)
        if beyond <= 0:
            yield Integer(self.low + weight)
        elif beyond % WEIGHT_BEYOND == 0:
            yield Integer(self.high + beyond // WEIGHT_BEYOND)

    @property
    def most(self) -> int | None:
        """The largest that a measurement may take; None for any."""
        return None

    def enlarged(self, large: int) -> int:
        """A large size, or the nearest one that is affordable and admissible."""
        reach = max(ENLARGED[0], 2 * self.high) if self.reach is None else self.reach
        return max(self.low, min(large, reach))

    def draw(self, rng: Random, point: Point) -> Any:
        return Integer(rng.randint(self.low, self.high))

    def objection(self, value: Any, point: Point) -> str | None:
        if value != int(value) or value < self.low:
            return f"{self.symbol} = {value}: must be an integer, at least {self.low}"
        return None


@dataclass(frozen=True)
class Real:
    """A rational in [low, high]; the ends may depend on variables listed before it."""

    symbol: Symbol
    low: Any = -oo
    high: Any = oo
    open_low: bool = False
    open_high: bool = False

    def ends(self, point: Point) -> tuple[Any, Any]:
        """The range at a point; most ranges are the same everywhere."""
        return scalar_at(self.low, point), scalar_at(self.high, point)

    def of_weight(self, weight: int, point: Point) -> Iterator[Any]:
        """Rationals p/q of height |p| + q - 1 = weight: 0; 1, -1; 2, 1/2, ..."""
        for q in range(1, weight + 2):
            p = weight + 1 - q
            value = Rational(p, q)
            if value.q != q:
                continue
            for candidate in (value, -value) if p else (value,):
                if self._contains(candidate, point):
                    yield candidate

    def draw(self, rng: Random, point: Point) -> Any:
        low, high = self.ends(point)
        low = max(low, Integer(-3)) if low != -oo else Integer(-3)
        high = min(high, Integer(3)) if high != oo else Integer(3)
        for _ in range(1000):
            value = low + (high - low) * Rational(rng.randint(0, 12), 12)
            if self._contains(value, point):
                return value
        raise ValueError(f"{self.symbol}: no value between {low} and {high}; mend its range")

    def _contains(self, value: Any, point: Point) -> bool:
        low, high = self.ends(point)
        below = less(value, low) or (self.open_low and value == low)
        above = less(high, value) or (self.open_high and value == high)
        return not (below or above)

    def objection(self, value: Any, point: Point) -> str | None:
        if not self._contains(value, point):
            low, high = self.ends(point)
            left, right = "(" if self.open_low else "[", ")" if self.open_high else "]"
            return f"{self.symbol} = {value}: must lie in {left}{low}, {high}{right}"
        return None


@dataclass(frozen=True)
class Array:
    """A matrix with integer entries; its shape is that of the matrix symbol at the point."""

    symbol: MatrixSymbol
    height: int = 3

    def shape(self, point: Point) -> tuple[int, int]:
        rows, cols = (
            int(point[side] if side in point else explicit(side, point))
            for side in self.symbol.shape
        )
        return rows, cols

    def of_weight(self, weight: int, point: Point) -> Iterator[Any]:
        yield from _integer_matrices(*self.shape(point), weight)

    def draw(self, rng: Random, point: Point) -> Any:
        rows, cols = self.shape(point)
        entries = [rng.randint(-self.height, self.height) for _ in range(rows * cols)]
        return ImmutableDenseMatrix(rows, cols, entries)

    def simple(self, place: int, rng: Random, point: Point) -> Any:
        """The identity, its first entry alone, all ones; from `RANDOM_ARRAY` on a random one."""
        rows, cols = self.shape(point)
        if place >= RANDOM_ARRAY:
            return self.draw(rng, point)
        rules = (
            lambda i, j: Integer(i == j),
            lambda i, j: Integer(i == j == 0),
            lambda i, j: Integer(1),
        )
        return self._unit(point) * ImmutableDenseMatrix(rows, cols, rules[place])

    def _unit(self, point: Point) -> Any:
        return Integer(1)

    def objection(self, value: Any, point: Point) -> str | None:
        if value.shape != self.shape(point):
            return f"{self.symbol} has shape {value.shape}: must be {self.shape(point)}"
        return None


@cache
def _integer_matrices(rows: int, cols: int, weight: int) -> Remembered:
    return Remembered(
        lambda: (
            ImmutableDenseMatrix(rows, cols, entries)
            for entries in integers_of_norm(rows * cols, weight)
        )
    )


@dataclass(frozen=True)
class Equal(Array):
    """A matrix whose rows all have the same norm (rows are signed permutations of one vector)."""

    def facts(self) -> tuple[Formula, ...]:
        """Every row has the squared norm of the first."""
        row, column = (Symbol(name, integer=True, positive=True) for name in ("k", "z"))
        rows, columns = self.symbol.shape

        def norm(k: Any) -> Any:
            return Sum(entry(self.symbol)(k, column) ** 2, (column, 1, columns))

        return (ForAll(row, 1, rows, Compare(norm(row), "=", norm(1))),)

    def of_weight(self, weight: int, point: Point) -> Iterator[Any]:
        for value in super().of_weight(weight, point):
            if self.objection(value, point) is None:
                yield value

    def draw(self, rng: Random, point: Point) -> Any:
        rows, cols = self.shape(point)
        base = [rng.randint(1, self.height) for _ in range(cols)]
        signed = lambda: [rng.choice((1, 1, 1, -1)) * x for x in rng.sample(base, cols)]  # noqa: E731
        return ImmutableDenseMatrix([signed() for _ in range(rows)])

    def objection(self, value: Any, point: Point) -> str | None:
        norms = {sum(x**2 for x in value.row(k)) for k in range(value.rows)}
        if len(norms) > 1:
            return f"rows of {self.symbol} have squared norms {sorted(norms)}: must all be equal"
        return super().objection(value, point)

    def relaxed(self) -> Array:
        return Array(self.symbol, self.height)


@dataclass(frozen=True)
class Choice:
    """One of finitely many values, of any kind; the first is the smallest."""

    symbol: Any
    values: tuple[Any, ...]

    def of_weight(self, weight: int, point: Point) -> Iterator[Any]:
        if weight < len(self.values):
            yield self.values[weight]

    def draw(self, rng: Random, point: Point) -> Any:
        return rng.choice(self.values)

    def objection(self, value: Any, point: Point) -> str | None:
        return None if value in self.values else f"{self.symbol} = {value}: not among the choices"


@dataclass(frozen=True)
class Scaled(Array):
    """A matrix of integer multiples of `unit`, which may depend on variables listed before it."""

    unit: Any = 1

    def of_weight(self, weight: int, point: Point) -> Iterator[Any]:
        for value in super().of_weight(weight, point):
            yield self._unit(point) * value

    def draw(self, rng: Random, point: Point) -> Any:
        return self._unit(point) * super().draw(rng, point)

    def _unit(self, point: Point) -> Any:
        return explicit(sympify(self.unit), point)


@dataclass(frozen=True)
class Computed:
    """What the variables before it determine, such as the softmax of given logits.

    >>> n, m = Symbol("n"), Symbol("m")
    >>> list(Domain((Size(n, 2, 3), Computed(m, lambda at: at[n] ** 2))).smallest(2))
    [{n: 2, m: 4}, {n: 3, m: 9}]
    """

    symbol: Any
    value: Callable[[Point], Any]
    known: tuple[Any, ...] = field(default=(), kw_only=True)
    """Formulas that hold of the value, for proofs."""

    def facts(self) -> tuple[Any, ...]:
        return self.known

    def of_weight(self, weight: int, point: Point) -> Iterator[Any]:
        if weight == 0:
            yield self.value(point)

    def draw(self, rng: Random, point: Point) -> Any:
        return self.value(point)

    def objection(self, value: Any, point: Point) -> str | None:
        expected = self.value(point)
        return None if value == expected else f"{self.symbol} = {value}: must be {expected}"


@dataclass(frozen=True)
class Condition:
    """A hypothesis that ties variables together, with the LaTeX a reader sees.

    `formula`, where there is one, is what proofs may use of it; `holds` says it of a point.
    """

    latex: str
    holds: Callable[[Point], bool]
    formula: Any = None


@dataclass(frozen=True)
class Domain:
    """Variables in order (a range may refer to variables before it) and conditions on them all.

    >>> from itertools import islice
    >>> from sympy import Symbol
    >>> n, rho = Symbol("n"), Symbol("rho")
    >>> pairs = Domain((Size(n, 2), Real(rho, -1 / (n - 1), 1)))
    >>> [tuple(p.values()) for p in islice(pairs.smallest(), 3)]
    [(2, 0), (2, 1), (2, -1)]
    >>> pairs.objection({n: 3, rho: -1})
    'rho = -1: must lie in [-1/2, 1]'
    """

    variables: tuple[Any, ...] = ()
    conditions: tuple[Condition, ...] = field(default=())
    _listed: list[Remembered] = field(default_factory=list, init=False, compare=False, repr=False)
    _read: dict[int, set[Any]] = field(default_factory=dict, init=False, compare=False, repr=False)

    def objection(self, point: Point) -> str | None:
        """Why `point` is not admissible, or None when it is."""
        for variable in self.variables:
            reason = variable.objection(point[variable.symbol], point)
            if reason is not None:
                return reason
        for condition in self.conditions:
            if not condition.holds(point):
                return f"condition fails: {condition.latex}"
        return None

    def smallest(self, limit: int = WITNESS_CANDIDATES) -> Iterator[dict[Any, Any]]:
        """Admissible points by increasing weight (sizes above their least, heights, entries).

        They are listed once per domain and remembered, since every mutant asks for them again.
        """
        if not self._listed:
            self._listed.append(Remembered(self._by_weight))
        yield from map(dict, islice(self._listed[0], limit))

    def _by_weight(self) -> Iterator[dict[Any, Any]]:
        for weight in range(16 if self.variables else 1):
            yield from self._of_weight(weight, 0, {})

    def _of_weight(self, weight: int, index: int, point: dict[Any, Any]) -> Iterator[dict]:
        if index == len(self.variables):
            if weight == 0 and all(map(self._holds, range(len(self.conditions)), repeat(point))):
                yield dict(point)
            return
        variable = self.variables[index]
        for share in range(weight + 1):
            for value in variable.of_weight(share, point):
                if isinstance(variable, Size) and not self._small(value, point):
                    continue  # large sizes have their turn in `enlarged`
                longer = {**point, variable.symbol: value}
                if not self._excluded(longer):
                    yield from self._of_weight(weight - share, index + 1, longer)

    def _holds(self, place: int, point: Point) -> bool:
        """Whether a condition holds; the variables that it reads are remembered."""
        watched = Watched(point)
        holds = self.conditions[place].holds(watched)
        self._read.setdefault(place, set()).update(watched.read)
        return holds

    def _excluded(self, point: dict[Any, Any]) -> bool:
        """Whether a condition fails already that was seen to read the variables so far only."""
        last = next(reversed(point))
        for place, read in self._read.items():
            if last in read and read <= point.keys():
                try:
                    if not self._holds(place, point):
                        return True
                except KeyError:  # here it reads a variable to come
                    continue
        return False

    def enlarged(self, limit: int) -> Iterator[dict[Any, Any]]:
        """Admissible points with large sizes: random ones, then simple ones.

        Within each kind they come by the product of their sizes, of which none is unaffordable.
        """
        found = (
            point
            for place in (RANDOM_ARRAY, *range(RANDOM_ARRAY))
            for sizes in self._enlarged_sizes()
            if (point := self.at_sizes(sizes, place)) is not None
        )
        yield from islice(found, limit)

    def far(self, large: int) -> Iterator[dict[Any, Any]]:
        """Admissible points with one size far out and the others least, for who watches the clock.

        A size whose reach is limited stays within it; where points are found by trial there are none.
        """
        if any(getattr(v, "by_trial", False) for v in self.variables):
            return
        yield from self._alone({v: max(large, v.low) for v in self._sizes if v.reach is None})

    def stretched(self, steps: int) -> Iterator[dict[Any, Any]]:
        """Admissible points with one size so many steps above its least, beyond its reach as well."""
        yield from self._alone({v: v.low + steps for v in self._sizes})

    def _alone(self, chosen: Mapping[Size, int]) -> Iterator[dict[Any, Any]]:
        """For each size the random point with that value of it and the others least, if any."""
        least = {v.symbol: v.low for v in self._sizes}
        points = (self.at_sizes({**least, v.symbol: k}, RANDOM_ARRAY) for v, k in chosen.items())
        yield from (point for point in points if point is not None)

    @property
    def _sizes(self) -> list[Size]:
        return [v for v in self.variables if isinstance(v, Size)]

    def _enlarged_sizes(self) -> list[dict[Any, int]]:
        """One size large and the others least, or all of them of middling size."""
        sizes = self._sizes
        least = {v.symbol: v.low for v in sizes}
        together = {v.symbol: max(v.low, TOGETHER) for v in sizes}
        drawn = _cost(v.high for v in sizes)
        choices = [together] if _cost(together.values()) <= 2 * drawn else []
        for large in ENLARGED:
            choices += [{**least, v.symbol: v.enlarged(large)} for v in sizes]
        kept = [c for k, c in enumerate(choices) if c not in choices[:k]]
        return sorted((c for c in kept if _cost(c.values()) <= AFFORDABLE), key=_by_cost)

    def at_sizes(self, sizes: Mapping[Any, int], place: int = RANDOM_ARRAY) -> dict | None:
        """The point of a kind at given sizes, or None where the hypotheses exclude it."""
        rng = Random(place)
        point: dict[Any, Any] = {}
        for variable in self.variables:
            if isinstance(variable, Size):
                value: Any = Integer(sizes[variable.symbol])
            elif type(variable) in (Array, Scaled):
                value = variable.simple(place, rng, point)
            elif getattr(variable, "by_trial", False):  # where large draws might never succeed
                value = next(variable.of_weight(0, point), None)
            else:
                value = variable.draw(rng, point)
            if value is None or variable.objection(value, point) is not None:
                return None
            point[variable.symbol] = value
        return point if all(c.holds(point) for c in self.conditions) else None

    def _small(self, value: Any, point: Point) -> bool:
        """Whether sizes are, in product, no larger than those that are drawn (or than six)."""
        chosen = (point[v.symbol] for v in self._sizes if v.symbol in point)
        return _cost((value, *chosen)) <= max(ENLARGED[0], _cost(v.high for v in self._sizes))

    def draw(self, rng: Random) -> dict[Any, Any]:
        """A random admissible point; raises `ValueError` when a thousand draws find none."""
        for _ in range(1000):
            point: dict[Any, Any] = {}
            for variable in self.variables:
                point[variable.symbol] = variable.draw(rng, point)
            if all(c.holds(point) for c in self.conditions):
                return point
        raise ValueError("no admissible point in 1000 draws: are the hypotheses satisfiable?")

    def completed(self, point: Point) -> dict[Any, Any]:
        """The point with its computed variables put in (again), from the others' values."""
        full = dict(point)
        for variable in self.variables:
            if isinstance(variable, Computed):
                full[variable.symbol] = variable.value(full)
        return full

    def with_conditions(self, *conditions: Condition) -> Domain:
        return Domain(self.variables, self.conditions + conditions)


def _cost(sizes: Iterable[int]) -> int:
    """The product of sizes, which says how large arrays are."""
    return prod(max(1, int(size)) for size in sizes)


def _by_cost(sizes: Mapping[Any, int]) -> int:
    return _cost(sizes.values())
