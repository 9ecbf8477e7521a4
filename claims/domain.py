"""Where a claim is asserted: its free variables, their ranges, and points inside those ranges.

A `Domain` is the executable form of a claim's hypotheses.  It says whether a point is admissible,
lists admissible points from the smallest on (so that a witness is as small as possible), and draws
random admissible points (so that identities are confirmed where nothing cancels by accident).

A *point* maps each symbol to an exact number and each matrix symbol to an explicit matrix.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import chain, islice, repeat
from math import prod
from random import Random
from typing import Any

from sympy import Basic, Integer, Symbol
from sympy.core.function import AppliedUndef
from sympy.matrices.expressions import MatrixExpr
from sympy.utilities.iterables import sift

from claims.errors import UserError
from claims.points import Point, Remembered, Watched
from claims.statement import Formula
from claims.variables import (
    ENLARGED,
    RANDOM_ARRAY,
    Array,
    Choice,
    Computed,
    Equal,
    Real,
    Scaled,
    Size,
    UpTo,
    Whole,
)

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
    "Truth",
    "UpTo",
]

WITNESS_CANDIDATES = 4000
"""How many points `Domain.smallest` offers: enough for every 2 x 2 integer matrix of weight <= 8."""
AFFORDABLE = 24
"""The largest product of the sizes of a point with large sizes."""
TOGETHER = 4
"""The size of all at once, where their product is at most double the largest that is drawn."""
TRIALS = 8
"""Random points of which one at chosen sizes may be admissible."""


@dataclass(frozen=True)
class Condition:
    """A hypothesis that ties variables together, with the LaTeX a reader sees.

    `formula`, where there is one, is what proofs may use of it; `holds` says it of a point.
    """

    latex: str
    holds: Callable[[Point], bool]
    formula: Any = None

    @classmethod
    def of(cls, formula: Formula) -> Condition:
        """A hypothesis that is a formula, which its proof may use."""
        return cls(formula.latex(), Truth(formula), formula)


@dataclass(frozen=True)
class Truth:
    """Whether a formula is true at a point."""

    formula: Formula

    def __call__(self, point: Point) -> bool:
        return self.formula.truth(point) is True


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

    def __post_init__(self) -> None:
        for name in ("variables", "conditions"):  # a list may grow after a theorem was made
            object.__setattr__(self, name, tuple(getattr(self, name)))
        names = [variable.symbol for variable in self.variables]
        if twice := next((name for k, name in enumerate(names) if name in names[:k]), None):
            raise UserError(f"{twice}: is a variable twice, and would have the range of the last")
        if made := next((name for name in names if _has_a_value(name)), None):
            raise UserError(f"{made}: is no variable, and has its value whatever a point says")

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
        """For each size a random point with that value of it and the others least, if any."""
        least = {v.symbol: v.low for v in self._sizes}
        for v, k in chosen.items():
            yield from self._at({**least, v.symbol: k}, v.symbol)

    def together(self, steps: int) -> Iterator[dict[Any, Any]]:
        """Admissible random points with every integer above its least: what no point with one of them shows.

        First all of them two steps above; then one alone further up, a size by so many steps, a number of
        layers or factors just beyond what is drawn, the others a step above.
        """
        yield from self._at({v.symbol: v.above(2) for v in self.integers})
        beside = {v.symbol: v.above(1) for v in self.integers}
        for v in sorted(self.integers, key=lambda v: isinstance(v, Size)):
            far = v.above(steps) if isinstance(v, Size) else max(v.high + 1, v.above(3))
            yield from self._at({**beside, v.symbol: far}, v.symbol)

    def raised(self) -> Iterator[dict[Any, Any]]:
        """A random admissible point with every integer a step above its least, if any."""
        yield from self._at({v.symbol: v.above(1) for v in self.integers})

    def is_raised(self, point: Point) -> bool:
        """Whether every integer is above its least."""
        return all(point[v.symbol] >= v.above(1) for v in self.integers)

    def magnified(self, rng: Random) -> Iterator[dict[Any, Any]]:
        """A random admissible point whose unbounded numbers and entries are far from what is drawn, if any."""
        kinds = (Real, Array, Scaled)
        yield from self._with(rng, kinds, lambda v, at: v.magnified(rng, at))

    def minified(self, rng: Random) -> Iterator[dict[Any, Any]]:
        """One with numbers next to zero, or to the lower ends of ranges, then one next to the upper ends."""
        for place in (0, 1):
            yield from self._with(rng, (Real,), lambda v, at: v.minified(rng, at, place))  # noqa: B023

    def remote(self, rng: Random) -> Iterator[dict[Any, Any]]:
        """One whose unbounded numbers are much farther out."""
        yield from self._with(rng, (Real,), lambda v, at: v.remote(rng, at))

    def _with(
        self, rng: Random, kinds: tuple[type, ...], chosen: Callable[[Any, Point], Any]
    ) -> Iterator[dict[Any, Any]]:
        """A random admissible point with values so chosen for variables of some kinds, if it has any."""
        if not any(type(v) in kinds for v in self.variables):
            return
        value = lambda v, at: chosen(v, at) if type(v) in kinds else v.draw(rng, at)  # noqa: E731
        drawn = (self._built(value) for _ in range(TRIALS))
        yield from islice((point for point in drawn if point is not None), 1)

    @property
    def integers(self) -> list[Whole]:
        """Sizes, and numbers of layers and factors."""
        return [v for v in self.variables if isinstance(v, Whole)]

    def _at(self, sizes: Mapping[Any, int], raised: Any = None) -> Iterator[dict[Any, Any]]:
        """A random point with these integers, if any.

        Where a condition ties the one that is raised to another one, such as $\\ell\\le L$, that goes with it.
        """
        tied = (
            {**sizes, other: sizes[raised]}
            for other in sizes
            if raised is not None and sizes[other] < sizes[raised]
        )
        found = (self._tried(chosen) for chosen in chain([sizes], tied))
        yield from islice((point for point in found if point is not None), 1)

    def _tried(self, sizes: Mapping[Any, int]) -> dict[Any, Any] | None:
        """The first of a few random points that the hypotheses admit."""
        drawn = (self.at_sizes(sizes, seed=trial) for trial in range(TRIALS))
        return next((point for point in drawn if point is not None), None)

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

    def at_sizes(
        self, sizes: Mapping[Any, int], place: int = RANDOM_ARRAY, seed: int = 0
    ) -> dict | None:
        """The point of a kind at given sizes, or None where the hypotheses exclude it."""
        rng = Random(place + seed)

        def chosen(variable: Any, point: Point) -> Any:
            if variable.symbol in sizes:
                value: Any = Integer(sizes[variable.symbol])
            elif type(variable) in (Array, Scaled):
                value = variable.simple(place, rng, point)
            elif getattr(variable, "by_trial", False):  # where large draws might never succeed
                value = next(variable.of_weight(0, point), None)
            else:
                value = variable.draw(rng, point)
            refused = value is None or variable.objection(value, point) is not None
            return None if refused else value

        return self._built(chosen)

    def _small(self, value: Any, point: Point) -> bool:
        """Whether sizes are, in product, no larger than those that are drawn (or than six)."""
        chosen = (point[v.symbol] for v in self._sizes if v.symbol in point)
        return _cost((value, *chosen)) <= max(ENLARGED[0], _cost(v.high for v in self._sizes))

    def draw(self, rng: Random) -> dict[Any, Any]:
        """A random admissible point; raises `ValueError` when a thousand draws find none."""
        for _ in range(1000):
            point = self._built(lambda variable, at: variable.draw(rng, at))
            if point is not None:
                return point
        raise ValueError("no admissible point in 1000 draws: are the hypotheses satisfiable?")

    def _built(self, chosen: Callable[[Any, Point], Any]) -> dict[Any, Any] | None:
        """The point of values chosen in turn; None as soon as there is none or a condition fails."""
        point: dict[Any, Any] = {}
        decided, left = self._decided
        for variable, conditions in zip(self.variables, decided, strict=True):
            value = chosen(variable, point)
            if value is None:
                return None
            point[variable.symbol] = value
            if not all(c.holds(point) for c in conditions):
                return None
        return point if all(c.holds(point) for c in left) else None

    @cached_property
    def _decided(self) -> tuple[list[list[Condition]], list[Condition]]:
        """For each variable the conditions on it and those before it alone, which are numbers; the others."""
        numbers, decided, left = set[Any](), list[list[Condition]](), list(self.conditions)
        for variable in self.variables:
            if isinstance(variable, Size | Real):
                numbers.add(variable.symbol)
            about = partial(_is_about, numbers=numbers, variable=variable)
            now, left = sift(left, about, binary=True)
            decided.append(now)
        return decided, left

    def completed(self, point: Point) -> dict[Any, Any]:
        """The point with its computed variables put in (again), from the others' values."""
        full = dict(point)
        for variable in self.variables:
            if isinstance(variable, Computed):
                full[variable.symbol] = variable.value(full)
        return full

    def with_conditions(self, *conditions: Condition) -> Domain:
        return Domain(self.variables, self.conditions + conditions)


def _has_a_value(name: Any) -> bool:
    """Whether a name is a quantity, or a number that is made of others."""
    variable = isinstance(name, Symbol | MatrixExpr) and not hasattr(name, "define")
    return isinstance(name, Basic) and not variable


def _is_about(condition: Condition, numbers: set[Any], variable: Any) -> bool:
    """Whether a condition is one on some numbers, of which a variable is one, and on nothing else."""
    formula = condition.formula
    if not isinstance(formula, Formula) or variable.symbol not in (names := formula.free_symbols()):
        return False
    terms = (piece for piece in formula.walk() if isinstance(piece, Basic))
    return names <= numbers and not any(t.has(AppliedUndef, MatrixExpr) for t in terms)


def _cost(sizes: Iterable[int]) -> int:
    """The product of sizes, which says how large arrays are."""
    return prod(max(1, int(size)) for size in sizes)


def _by_cost(sizes: Mapping[Any, int]) -> int:
    return _cost(sizes.values())
