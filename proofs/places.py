"""Where a definition is looked at a second time: points of a domain, and values of indices.

The smallest come first and are the same always; the others are drawn from the seed, so that another
seed looks at other sizes and at other members of a family.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache, wraps
from itertools import islice, repeat
from random import Random
from typing import Any

from sympy import Integer

from claims.domain import Domain, Point, Real
from claims.points import Itself, Placed, Remembered
from claims.seeds import current_seed
from claims.terms import value_of
from claims.time_limits import searching
from claims.variables import Whole

__all__ = [
    "Over", "far_points", "far_value", "indexed", "magnified_points", "minified_points", "near_value",
    "other_points", "small_points", "some_indexed", "stream", "together_points", "total_size", "varied_points",
]  # fmt: skip

Over = tuple[tuple[Any, Any, Any], ...]
"""Indices with the ends of their ranges."""
SMALL_POINTS, RANDOM_POINTS, JOINT_POINTS, LARGE_POINTS = 4, 8, 3, 2
VARIED, VARIED_STEP = 80, 7
"""Small points, of which one in so many is asked where all others gave the same, and as many random ones."""
FIRST, BEYOND, FAR = 4, 12, (24, 48)
"""First values of an index, the next ones of which one is drawn, and sizes and indices far out."""
FARTHER, MANY, SOME = (49, 240), 4, 4
"""Where it is seen that something ends far out: so many values of numbers alone, and of an index."""
DRAWN_SECONDS = 0.3
"""For each of the points that are far out to be drawn, once for all that is looked at there."""
MOST, FEWER = 16, 8
"""Values of several indices together that are looked at at one point; fewer where there are many points."""


def stream(*purpose: Any) -> Random:
    """The random numbers for a purpose, whatever else was drawn before."""
    return Random(" ".join(map(str, (current_seed(), *purpose))))


def _remembered(make: Callable[[Domain], Iterator[Point]]) -> Callable[[Domain], Iterator[Point]]:
    """Points of a domain, drawn once for all that is looked at there, and only as far as asked."""

    @lru_cache(maxsize=32)
    def drawn(domain: Itself, _: Any) -> Remembered:
        return Remembered(lambda: make(domain.value))

    @wraps(make)
    def points(domain: Domain) -> Iterator[Point]:
        return map(dict, drawn(Itself(domain), current_seed()))

    return points


def small_points(domain: Domain, over: Over = ()) -> list[Point]:
    """Some of the smallest points, spread over the first sixty, or over all where there are fewer.

    Where the indices of `over` have no values at those, such as layers below the last one of a
    single layer, they are spread over the points where they have.
    """
    points: list[Point] = list(islice(domain.smallest(), 60))
    chosen = _spread(points)
    if any(_ranges(point, over) for point in chosen):
        return chosen
    return _spread([point for point in points if _ranges(point, over)])


def _spread(points: list[Point]) -> list[Point]:
    """A few of them, from the first on."""
    return points[:: max(1, len(points) // SMALL_POINTS)]


def _ranges(point: Point, over: Over) -> bool:
    """Whether the indices have values there."""
    return next(indexed(point, over), None) is not None


@_remembered
def other_points(domain: Domain) -> Iterator[Point]:
    """The smallest of some random points, points with large sizes, with one that is drawn, and the others.

    Sizes are large one by one, the rest least, or as they are drawn: what differs where several are more
    than least is seen at those alone.
    """
    rng = _for_points(domain)
    drawn = sorted((domain.draw(rng) for _ in range(RANDOM_POINTS)), key=total_size)
    yield drawn[0]
    yield from domain.enlarged(LARGE_POINTS)
    yield from domain.stretched(rng.randint(1, BEYOND))
    yield from drawn[1 : 1 + JOINT_POINTS]


@_remembered
def together_points(domain: Domain) -> Iterator[Point]:
    """Points with every integer above its least, and one of them further up."""
    return _in_time(domain.together(_for_points(domain, "together").randint(2, BEYOND)))


@_remembered
def magnified_points(domain: Domain) -> Iterator[Point]:
    """Points whose unbounded numbers, and entries, are far from those of all others, and numbers farther."""
    yield from domain.magnified(_for_points(domain, "magnified"))
    yield from domain.remote(_for_points(domain, "remote"))


@_remembered
def minified_points(domain: Domain) -> Iterator[Point]:
    """Points whose numbers are nearer to zero, or to the ends of ranges, than all others."""
    return domain.minified(_for_points(domain, "minified"))


@_remembered
def varied_points(domain: Domain) -> Iterator[Point]:
    """Some more of the small points, and random ones."""
    yield from islice(domain.smallest(VARIED), 1, None, VARIED_STEP)
    rng = _for_points(domain, "varied")
    yield from (domain.draw(rng) for _ in range(VARIED))


@_remembered
def far_points(domain: Domain) -> Iterator[Point]:
    """Points with one size far out and the others least; of numbers alone some farther out."""
    yield from _in_time(domain.far(_for_points(domain).randint(*FAR)))
    alone = all(isinstance(v, Whole | Real) for v in domain.variables)
    if alone:  # arrays would grow with their sizes
        rng = _for_points(domain, "farther")
        for _ in range(MANY):
            yield from domain.far(rng.randint(*FARTHER))


def _in_time(points: Iterator[Point]) -> Iterator[Point]:
    """Points as long as each is drawn in time: arrays of many entries may take minutes.

    Where the time of who asks ends first, nothing is said of the point: it is drawn anew for the next.
    """
    while True:
        point = None
        with searching(DRAWN_SECONDS):
            point = next(points, None)
        if point is None:
            return
        yield point


def _for_points(domain: Domain, purpose: str = "points") -> Random:
    return stream(purpose, *(v.symbol for v in domain.variables))


def total_size(point: Point) -> int:
    """The sum of a point's integers."""
    return sum(int(v) for k, v in point.items() if getattr(k, "is_integer", False))


Chosen = Callable[[int, Any], Iterable[int]]
"""The values of an index that are looked at, from the first and the last one, which may be infinite."""


def first_values(first: int, last: Any) -> Iterable[int]:
    """The first few."""
    return range(first, min(last, first + FIRST - 1) + 1)


def near_value(first: int, last: Any) -> Iterable[int]:
    """One of the next ones, drawn, or the last."""
    return _up_to(last, first + FIRST + stream("near", first).randrange(BEYOND))


def far_value(first: int, last: Any) -> Iterable[int]:
    """Some far out, drawn, or the last."""
    rng = stream("far", first)
    return _up_to(last, *(first + rng.randint(*ends) for ends in (FAR, *repeat(FARTHER, SOME))))


def _up_to(last: Any, *values: int) -> Iterable[int]:
    return dict.fromkeys(min(last, value) for value in values)


def indexed(point: Point, over: Over, chosen: Chosen = first_values) -> Iterator[Point]:
    """The point with values for the indices, each from its own range."""
    if not over:
        yield point
        return
    (index, low, high), *rest = over
    first, last = int(value_of(low, point)), value_of(high, point)
    for k in chosen(first, last):
        if k >= first:
            yield from indexed(Placed(point, {index: Integer(k)}), tuple(rest), chosen)


def some_indexed(point: Point, over: Over, most: int = FEWER) -> list[Point]:
    """A few of them, drawn: of several indices the first values together are hundreds."""
    found = list(indexed(point, over))
    if len(found) <= most:
        return found
    return stream("some", len(found), total_size(point)).sample(found, most)
