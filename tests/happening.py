"""Instances of facts about events and random matrices in sequence, and whether those hold."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from instances import Point, Terms, k, sixths
from sympy import Integer, Rational, Sum, Symbol, oo, zeta
from sympy.core.function import AppliedUndef

from claims.almost_surely import AlmostSurely, RandomMatrices
from claims.events import Events
from claims.statement import Compare, ForAll, Tends


class Indicators:
    """s 1_{E_k} for events of probability (k + 1)^-alpha, as a matrix with one entry.

    Independent events happen infinitely often unless their probabilities are summable; so do arcs of
    these lengths end to end around a circle.  Nested ones, {U < (k + 1)^-alpha}, do almost never.
    """

    def __init__(self, scale: Rational, alpha: int, nested: bool):
        self.matrices = RandomMatrices(
            "M", lambda at, k, rows, columns: scale**2 / Integer(k + 1) ** alpha
        )
        self.mean_square = self.matrices.mean_square
        self.vanish = nested or alpha > 1 or scale == 0
        self.total = scale**2 * (zeta(alpha) - 1) if alpha > 1 else Integer(0) if scale == 0 else oo
        INDICATORS[self.matrices] = self


INDICATORS: dict[RandomMatrices, Indicators] = {}


last = Symbol("N", integer=True, positive=True)


def indicators(rng: Random) -> Iterator[tuple[Terms, Point]]:
    """Sums that are finite and that are not; bounds below them, above, and as they are."""
    while True:
        scale, alpha = sixths(rng, 0, 2), rng.randint(1, 3)
        matrices = Indicators(scale, alpha, rng.random() < 0.3)
        near = matrices.total if matrices.total != oo else Integer(1)
        bound = near * rng.choice((1, 1, 2, Rational(1, 2))) + rng.choice((0, 1))
        mean = matrices.mean_square(k, Integer(1), Integer(1))
        yield {"mean": mean, "k": k, "last": last, "bound": bound}, {}


alpha = Symbol("alpha", integer=True, positive=True)
coupling = Symbol("c", integer=True)
EVENTS = Events(alpha, coupling)
first = Symbol("m", integer=True, positive=True)
"""Independent, nested and successive events, of which infinitely many occur where it is so."""


def tails(rng: Random) -> Iterator[tuple[Terms, Point]]:
    """Bounds below, above and at the sum of the probabilities after an index, finite or not."""
    while True:
        point = {alpha: Integer(rng.randint(1, 4)), coupling: Integer(rng.randint(0, 2))}
        start = Integer(rng.randint(1, 4))
        near = tail_after(point, start)
        bound = (near if near != oo else 1) * rng.choice((1, 1, 2, Rational(1, 2)))
        series = {"chance": EVENTS.chance(k), "k": k, "last": last}
        yield {**series, "first": start, "bound": bound}, point


def small_tails(rng: Random) -> Iterator[tuple[Terms, Point]]:
    while True:
        point = {alpha: Integer(rng.randint(1, 4)), coupling: Integer(rng.randint(0, 2))}
        series = {"chance": EVENTS.chance(k), "k": k, "last": last}
        epsilon = rng.choice((Integer(0), Rational(-1, 3), sixths(rng, 0, 2) / 1000))
        yield {**series, "first": first, "epsilon": epsilon}, point


def tail_after(point: Point, start: Any) -> Any:
    """The sum of the probabilities after an index."""
    total = zeta(point[alpha]) - 1 if point[alpha] > 1 else oo
    return total - Sum(EVENTS.chance(k), (k, 1, start)).doit().replace(
        EVENTS.chance, lambda i: 1 / Integer(i + 1) ** point[alpha]
    )


def almost_surely(formula: AlmostSurely) -> bool:
    """Whether indicators vanish almost surely: of no other formula it is known."""
    known, body = INDICATORS[formula.matrices], formula.body
    assert isinstance(body, Tends)
    assert (body.term, body.limit) == (formula.matrices.norm(body.index, 1, 1), 0)
    return known.vanish


def all_sums_below(every: ForAll, point: Point) -> bool:
    """Whether all partial sums of positive terms are at most the bound: whether their limit is."""
    sums = every.body
    assert isinstance(sums, Compare) and sums.sign == "<="
    (mean,) = sums.left.atoms(AppliedUndef)
    if mean.func == EVENTS.chance:
        whole, part = (Sum(mean, (k, 1, end)) for end in (every.index, every.low))
        assert sums.left == whole - part
        return bool(tail_after(point, every.low) <= sums.right)
    assert sums.left == Sum(mean, (k, 1, every.index)) and every.low == 1
    return bool(INDICATORS[mean.func.matrices].total <= sums.right)


def some_tail_below(every: ForAll, point: Point) -> bool:
    """Tails of a finite sum of positive terms are positive, and come close to zero; others are infinite."""
    assert isinstance(every.body, Compare) and every.body.sign == "<="
    return bool(point[alpha] > 1 and every.body.right > 0)
