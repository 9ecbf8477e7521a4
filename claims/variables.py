"""The kinds of variables of a domain: sizes, real numbers, matrices, choices, and what others determine.

Each lists its values from the smallest on, draws one at random, and says why a value is not admissible.
What it may be may depend on variables listed before it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from random import Random
from typing import Any

from sympy import (
    ImmutableDenseMatrix,
    Integer,
    MatrixSymbol,
    MutableDenseMatrix,
    Rational,
    Sum,
    Symbol,
    oo,
    sympify,
)

from claims.errors import UserError
from claims.exact import less
from claims.expressions import explicit, scalar_at
from claims.points import Point, Remembered, integers_of_norm
from claims.statement import Compare, ForAll, Formula
from claims.terms import entry
from claims.whole import whole

__all__ = [
    "ENLARGED",
    "RANDOM_ARRAY",
    "Array",
    "Choice",
    "Computed",
    "Equal",
    "Real",
    "Scaled",
    "Size",
    "UpTo",
    "Whole",
]

WEIGHT_BEYOND = 4
"""What a size above those that are drawn adds to the weight of a point, for each unit."""
ENLARGED = (6, 9, 12)
"""Sizes at which a search goes on when small points show nothing.  Every size reaches the first; the
others only one that is drawn half as large, since exact definitions soon take seconds."""
RANDOM_ARRAY = 3
"""After the identity, its first entry alone and all ones."""
DRAWN = Integer(3)
"""How far from zero real numbers are drawn, where their range is not beyond it."""
FAR_VALUES = (20, 200)
"""How far from zero, or from the end of their range, unbounded numbers are that are not near those drawn."""


@dataclass(frozen=True)
class Whole:
    """An integer of at least `low`; `high` only limits what is drawn, never what is admitted."""

    symbol: Symbol
    low: int = 1
    high: int = 5

    def draw(self, rng: Random, point: Point) -> Any:
        return Integer(rng.randint(self.low, self.high))

    def above(self, steps: int) -> int:
        """So many steps above the least."""
        return self.low + steps

    def objection(self, value: Any, point: Point) -> str | None:
        if value != int(value) or value < self.low:
            return f"{self.symbol} = {value}: must be an integer, at least {self.low}"
        return None


@dataclass(frozen=True)
class Size(Whole):
    """A number of tokens, features or the like, which may be large.

    `reach` limits what a search for witnesses enlarges, where an exact definition would take minutes.

    >>> sizes = Size(Symbol("n"), 2, 3)
    >>> {weight: list(sizes.of_weight(weight, {})) for weight in (0, 1, 2, 5, 9)}
    {0: [2], 1: [3], 2: [], 5: [4], 9: [5]}
    """

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

    def above(self, steps: int) -> int:
        """The same within the reach, beyond which definitions are not followed."""
        far = super().above(steps)
        return far if self.reach is None else max(self.low, min(far, self.reach))

    def enlarged(self, large: int) -> int:
        """A large size, or the nearest one that is affordable and admissible."""
        reach = max(ENLARGED[0], 2 * self.high) if self.reach is None else self.reach
        return max(self.low, min(large, reach))


@dataclass(frozen=True)
class UpTo(Size):
    """A size no larger than another one, `last`, which is listed before it: a layer of some, for one."""

    last: Any = None

    def stated_range(self) -> tuple[str, str]:
        return f"{self.low}\\le ", f"\\le {self.last}"

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

    def magnified(self, rng: Random, point: Point) -> Any:
        """A value far from what is drawn, where the range allows any."""
        return self._beyond(Integer(rng.randint(*FAR_VALUES)), rng, point)

    def remote(self, rng: Random, point: Point) -> Any:
        """One much farther out."""
        return self._beyond(Integer(rng.randint(*FAR_VALUES) ** 2), rng, point)

    def _beyond(self, far: Any, rng: Random, point: Point) -> Any:
        low, high = self.ends(point)
        if high == oo:
            return far if low == -oo else low + far
        return high - far if low == -oo else self.draw(rng, point)

    def minified(self, rng: Random, point: Point, place: int) -> Any:
        """A value that is next to the lower or the upper end, or to zero, as none that is drawn is."""
        end, away = self.ends(point)[place], 1 - 2 * place
        near = away * Rational(1, rng.randint(*FAR_VALUES) ** 2)
        beside = (value for value in (end + near, near) if self._is_fraction_in(value, point))
        return next(beside, None) or self.draw(rng, point)

    def _is_fraction_in(self, value: Any, point: Point) -> bool:
        return bool(sympify(value).is_Rational) and self._contains(value, point)

    def draw(self, rng: Random, point: Point) -> Any:
        low, high = self._drawn_between(point)
        for _ in range(1000):
            value = low + (high - low) * Rational(rng.randint(0, 12), 12)
            if self._contains(value, point):
                return value
        raise ValueError(f"{self.symbol}: no value between {low} and {high}; mend its range")

    def _drawn_between(self, point: Point) -> tuple[Any, Any]:
        """The part of the range within DRAWN of zero; of one that lies beyond, what is next to its end."""
        low, high = self.ends(point)
        if not less(low, DRAWN):
            return low, min(high, low + 1)
        if not less(-DRAWN, high):
            return max(low, high - 1), high
        return max(low, -DRAWN), min(high, DRAWN)

    def _contains(self, value: Any, point: Point) -> bool:
        low, high = self.ends(point)
        above = less(low, value) if self.open_low else not less(value, low)
        return above and (less(value, high) if self.open_high else not less(high, value))

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
            whole(point[side] if side in point else explicit(side, point))
            for side in self.symbol.shape
        )
        return rows, cols

    def of_weight(self, weight: int, point: Point) -> Iterator[Any]:
        yield from _integer_matrices(*self.shape(point), weight)

    def admitted(self, values: Iterable[Any], point: Point) -> Iterator[Any]:
        """Those of some matrices to which nothing is objected."""
        return (value for value in values if self.objection(value, point) is None)

    def draw(self, rng: Random, point: Point) -> Any:
        rows, cols = self.shape(point)
        integers = [rng.randint(-self.height, self.height) for _ in range(rows * cols)]
        unit = self._unit(point)
        multiples = {k: unit * k for k in set(integers)}
        return ImmutableDenseMatrix(rows, cols, [multiples[k] for k in integers])

    def magnified(self, rng: Random, point: Point) -> Any:
        """A random one whose entries are far from what is drawn."""
        return rng.randint(*FAR_VALUES) * self.draw(rng, point)

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
        return self.admitted(super().of_weight(weight, point), point)

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


def _unchanging(value: Any) -> Any:
    """A value that stays what it is when a theorem about it was made: of a matrix its copy does."""
    if isinstance(value, MutableDenseMatrix):
        return value.as_immutable()
    try:
        hash(value)
    except TypeError:
        raise UserError(
            f"{value}: may change; choose among tuples, frozen sets and the like"
        ) from None
    return value


@dataclass(frozen=True)
class Choice:
    """One of finitely many values, of any kind; the first is the smallest."""

    symbol: Any
    values: tuple[Any, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", tuple(map(_unchanging, self.values)))

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

    def _unit(self, point: Point) -> Any:
        return explicit(sympify(self.unit), point)


@dataclass(frozen=True)
class Computed:
    """What the variables before it determine, such as the softmax of given logits.

    >>> n, m = Symbol("n"), Symbol("m")
    >>> list(Computed(m, lambda at: at[n] ** 2).of_weight(0, {n: 3}))
    [9]
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
