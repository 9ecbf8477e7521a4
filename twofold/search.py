"""The search for a point at which a statement fails, and what it looked at when it found none."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import islice, product
from typing import Any

from sympy import Integer, Rational, oo

from claims.domain import Choice, Domain, Point, Real, Size
from claims.errors import UNDEFINED
from claims.model import Claim, Source
from claims.statement import Compare, Formula
from claims.time_limits import searching
from claims.witness import shrink
from proofs.certificate import Instance
from proofs.decide import find_witness
from proofs.defined import unknown
from twofold.turning import turning_points

__all__ = [
    "Question", "Tally", "admissible_point", "counterexample", "first_failure", "question",
    "undefined_point",
]  # fmt: skip

EASY = 12
"""The smallest points, looked at before any proof is tried."""
FINDING = 5.0
"""Seconds to find one point that the hypotheses admit."""
FAR = (10, 16, 17, 31, 64, 100, 1000, 10**4, 10**6)
"""Sizes and reals far out, one variable at a time, where nothing grows with them but numbers."""
NEAR = tuple(Rational(1, 2**k) for k in (1, 2, 4, 7, 10, 20, 40))
"""Distances from the ends of a range, as shares of its length."""
CORNERS = 64


@dataclass(frozen=True, eq=False)
class Question(Claim):
    """A statement that somebody asks about: its own terms are its definition."""

    def _complete(self) -> None:
        if self.define is None:
            object.__setattr__(self, "define", lambda at: {})


def question(statement: Formula, domain: Domain) -> Question:
    """A claim of nobody's paper."""
    source = Source("question", "asked")
    return Question(
        "question", source, "prose", "", statement, domain, probes=tuple(_probes(statement, domain))
    )


@dataclass
class Tally:
    """How many points were looked at, the largest of each size, and where a side has no value."""

    points: int = 0
    undecided: int = 0
    largest: dict[str, int] = field(default_factory=dict)
    undefined: Point | None = None

    def sentence(self) -> str:
        """What a search that found nothing looked at."""
        sizes = ", ".join(f"{name} = {size}" for name, size in self.largest.items())
        open_at = f"; at {self.undecided} of them it is not decided" if self.undecided else ""
        return f"{self.points} points tried" + (f", up to {sizes}" if sizes else "") + open_at


@dataclass(frozen=True, eq=False)
class _Watched(Formula):
    """A statement that counts the points at which it is asked."""

    inner: Formula
    tally: Tally

    def parts(self) -> tuple[Any, ...]:
        return (self.inner,)

    def truth(self, at: Point) -> bool | None:
        try:
            answer = self.inner.truth(at)
        except UNDEFINED:
            answer = None
        self.tally.points += 1
        for symbol, value in at.items():
            if isinstance(value, Integer) and getattr(symbol, "is_integer", False):
                known = self.tally.largest.get(str(symbol), int(value))
                self.tally.largest[str(symbol)] = max(known, int(value))
        if answer is None:
            self.tally.undecided += 1
            if self.tally.undefined is None and has_no_value(self.inner, at):
                self.tally.undefined = at
        return answer


def has_no_value(formula: Formula, at: Point) -> bool:
    """Whether a side of some comparison has no real value at a point: `1/x` at zero, for one."""
    sides = [s for p in formula.walk() if isinstance(p, Compare) for s in (p.left, p.right)]
    with suppress(*UNDEFINED):
        return any(need.truth(at) is False for need in unknown(*sides))
    return False


def admissible_point(domain: Domain) -> Point | None:
    """Some point that the hypotheses admit, or None where none is found."""
    with suppress(ValueError), searching(FINDING):
        return next(domain.smallest(), None) or domain.draw(_random())
    return None


def _random() -> Any:
    from random import Random

    return Random(0)


def first_failure(asked: Question, tally: Tally) -> Instance | None:
    """A failure among the smallest points."""
    watched = replace(asked, statement=_Watched(asked.statement, tally))  # type: ignore[arg-type]
    for point in islice(asked.domain.smallest(), EASY):
        with searching(FINDING):
            if watched.statement.truth(point) is False:  # type: ignore[union-attr]
                return _instance(asked, shrink(asked, point))
    return None


def counterexample(asked: Question, tally: Tally) -> Instance | None:
    """A point at which the statement fails exactly, made as simple as can be."""
    watched = replace(asked, statement=_Watched(asked.statement, tally))  # type: ignore[arg-type]
    found = find_witness(watched)
    return None if found is None else _instance(asked, found.point)


def undefined_point(asked: Question, tally: Tally) -> Point | None:
    """A point at which a side has no value: one that the search met, or one of a few others."""
    points = (*islice(asked.domain.smallest(), EASY), *islice(asked.probes, EASY))
    with searching(FINDING):
        found = (
            p for p in points if has_no_value(asked.formula, p) and asked.formula.truth(p) is None
        )
        return tally.undefined or next(found, None)
    return None


def _instance(asked: Question, point: Point) -> Instance:
    return Instance(asked.statement, point, asked.define(point), asked.define, holds=False)


def _probes(statement: Formula, domain: Domain) -> Iterator[Point]:
    """Corners of the ranges, points near their ends, and points far out."""
    base = admissible_point(domain)
    if base is None:
        return
    scalars = [v for v in domain.variables if isinstance(v, Size | Real | Choice)]
    ends = [(v.symbol, tuple(_ends(v, base))) for v in scalars]
    corners = product(*(values or (base[symbol],) for symbol, values in ends))
    moves: list[Point] = [
        dict(zip((symbol for symbol, _ in ends), corner, strict=True))
        for corner in islice(corners, CORNERS)
    ]
    moves += [{v.symbol: value} for v in scalars for value in _near(v, base)]
    if len(scalars) == len(domain.variables) and not statement.quantities():  # arrays would grow
        moves += [{v.symbol: value} for v in scalars for value in _far(v)]
        moves += [
            {v.symbol: value} for v in scalars for value in turning_points(statement, v, base)
        ]
    seen: set[Any] = set()
    for move in moves:
        point = {**base, **move}
        key = tuple(point.values())
        with suppress(*UNDEFINED):
            if key not in seen and domain.objection(point) is None:
                seen.add(key)
                yield point


def _ends(variable: Any, base: Point) -> Iterator[Any]:
    if isinstance(variable, Choice):
        yield from (variable.values[0], variable.values[-1])
    elif isinstance(variable, Size):
        yield Integer(variable.low)
    else:
        yield from (end for end in variable.ends(base) if end not in (oo, -oo))


def _near(variable: Any, base: Point) -> Iterator[Any]:
    if isinstance(variable, Real):
        low, high = variable.ends(base)
        length = high - low if high - low not in (oo, -oo) else Integer(1)
        for share in NEAR:
            yield from (low + share * length for _ in (0,) if low != -oo)
            yield from (high - share * length for _ in (0,) if high != oo)


def _far(variable: Any) -> Iterator[Any]:
    if isinstance(variable, Size | Real):
        for far in FAR:
            yield Integer(far)
            if isinstance(variable, Real):
                yield -Integer(far)
