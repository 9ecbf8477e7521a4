"""At which points of its domain a claim is measured: what the seed draws, chosen by power.

A point shows nothing where every false statement says the same as the claim.  Of the points that are
drawn those are kept at which the claim's false twins differ from it: each of them at one at least.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from math import isnan
from random import Random
from typing import Any

from sympy import Integer
from sympy.matrices.expressions import MatrixExpr

from claims.domain import Choice, Domain, Point, Size
from claims.intervals import NoNumber
from claims.model import Claim, Relation
from claims.points import place_of
from numeric.agreement import SHORT, distance, size
from numeric.exact import numbers
from numeric.sampling import stream_seed

__all__ = ["choose_cases", "proposition_points", "rivals_of", "valued"]

DRAWN = 24
"""Points drawn for each case, a third of that where whole matrices are compared."""
PATIENCE = 4
"""How many times as many are drawn where some twin says the same as the claim at all of them."""

TRIES, SEEDS = 8, 2**32
"""Random points of which one with least sizes may be admissible, and of how many seeds they are."""

Gaps = dict[str, float]
"""By how much each twin differs from the claim at a point, relative to the claimed value."""


def choose_cases(claim: Claim, count: int, seed: int) -> list[Point]:
    """The claim's probes, and points of the seed's at which its false twins differ most from it.

    At least `count` points are the seed's; more, where a twin differs at none of them but does so at
    another that was drawn.  Where no twin says where to look, one more has what random ones rarely have.
    """
    rng = Random(stream_seed(seed, claim.id, "cases"))
    rivals = _of_other_values(claim)
    drawn = (1 if not rivals else DRAWN if _is_scalar(claim) else DRAWN // 3) * count
    pool: list[tuple[Gaps, Point]] = []
    for _ in range(PATIENCE):
        pool += [(_gaps(claim, rivals, point), point) for point in _draws(claim, rng, drawn)]
        if all(_told(pool, name) for name in rivals):
            break
    chosen: list[Point] = []
    left = {name for name in rivals if _told(pool, name)}
    while pool and (len(chosen) < count or left):
        best = max(pool, key=lambda entry: _worth(entry[0], entry[1], left, chosen))
        left -= {name for name, gap in best[0].items() if gap > SHORT}
        chosen.append(best[1])
        pool = [entry for entry in pool if entry[1] != best[1]]
    chosen = [*claim.probes, *chosen]
    return chosen if rivals else [*chosen, *_at_an_end(claim.domain, rng, chosen)]


def _at_an_end(domain: Domain, rng: Random, chosen: Sequence[Point]) -> Iterator[Point]:
    """A point with least sizes and with values of choices that no chosen one has, if there is any."""
    unseen = dict[Any, Choice]()
    for v in domain.variables:
        if type(v) is Choice:
            left = tuple(x for x in v.values if all(x != point[v.symbol] for point in chosen))
            unseen |= {v.symbol: replace(v, values=left)} if left else {}
    least = {v.symbol: v.low for v in domain.variables if type(v) is Size}
    if not unseen and any(least.items() <= point.items() for point in chosen):
        return
    variables = tuple(unseen.get(v.symbol, v) for v in domain.variables)
    narrowed = Domain(variables, domain.conditions)
    tried = (narrowed.at_sizes(least, seed=rng.randrange(SEEDS)) for _ in range(TRIES))
    yield from islice((point for point in tried if point is not None and point not in chosen), 1)


def _draws(claim: Claim, rng: Random, count: int) -> list[Point]:
    return [claim.domain.draw(rng) for _ in range(count)]


def _told(pool: Sequence[tuple[Gaps, Point]], name: str) -> bool:
    return any(gaps.get(name, 0.0) > SHORT for gaps, _ in pool)


def _worth(
    gaps: Gaps, point: Point, left: set[str], chosen: Sequence[Point]
) -> tuple[int, bool, int, float]:
    """How many twins a point tells apart that no earlier one does, and whether it tells all of them;
    then how many of its integers no earlier one has, and how far apart the twins are."""
    least = min(gaps.values(), default=0.0)
    integers = {name: value for name, value in point.items() if isinstance(value, Integer)}
    fresh = sum(all(value != other[name] for other in chosen) for name, value in integers.items())
    return sum(gaps.get(name, 0.0) > SHORT for name in left), least > SHORT, fresh, least


def _gaps(claim: Claim, rivals: dict[str, Relation], point: Point) -> Gaps:
    if not isinstance(claim.statement, Relation) or not rivals:
        return {}
    with valued(claim, point):
        said = numbers(claim.statement.values(point)[0])
        others = {name: numbers(rival.values(point)[0]) for name, rival in rivals.items()}
    scale = max(map(size, (said, *others.values()))) or 1.0
    gaps = {name: distance(other, said) / scale for name, other in others.items()}
    return {name: 0.0 if isnan(gap) else min(1.0, gap) for name, gap in gaps.items()}


@contextmanager
def valued(claim: Claim, point: Point) -> Iterator[None]:
    """Say of which claim, and where, a side has no value."""
    try:
        yield
    except NoNumber as error:
        raise NoNumber(
            f"{claim.id}, at {place_of(point)}: a side of the statement, or of a mutant, has no value "
            f"({error}); leave the point out of the domain, or mend the statement"
        ) from None


def _of_other_values(claim: Claim) -> dict[str, Relation]:
    """Rivals that relate the left-hand side to something else; others only relate it otherwise."""
    said = getattr(claim.statement, "rhs", ())
    return {name: rival for name, rival in rivals_of(claim).items() if rival.rhs != said}


def _is_scalar(claim: Claim) -> bool:
    """Whether the statement compares numbers, not matrices or tuples."""
    sides = getattr(claim.statement, "rhs", ())
    return not any(isinstance(side, MatrixExpr | tuple) for side in sides)


def rivals_of(claim: Claim) -> dict[str, Relation]:
    """Statements of the mutants that are judged by the claim's own samples, by name."""
    return {
        mutant.name: mutant.statement
        for mutant in claim.mutants
        if mutant.domain is None
        and mutant.define is None
        and isinstance(mutant.statement, Relation)
    }


def proposition_points(claim: Claim, count: int, seed: int) -> list[Point]:
    """The probes, then half small points, where degenerate inputs live, and half of the seed's."""
    rng = Random(stream_seed(seed, claim.id, "cases"))
    points = [*claim.probes, *islice(claim.domain.smallest(), count), *_draws(claim, rng, count)]
    kept: list[Point] = []
    for point in points:
        if point not in kept:
            kept.append(point)
    return kept
