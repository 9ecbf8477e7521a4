"""A condition says one thing: its test, its formula and the LaTeX that a reader sees agree.

What every point has by some lemma is no condition: that is for a proof to show.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import islice, pairwise
from random import Random
from typing import Any

import pytest
from sympy import MatrixBase

from audit.printed.comparison import MEANS
from audit.printed.links import NO_VALUE
from audit.printed.names import POINT, names_of
from audit.printed.reader import read_side
from audit.printed.tokens import Unreadable, chains_of
from claims import exact
from claims.domain import Condition, Domain
from claims.model import Claim
from claims.registry import encoded
from claims.statement import Tends
from claims.time_limits import searching

SECONDS = 0.4
"""For one condition; of random networks there are fewer points."""


def conditions() -> Iterator[tuple[Claim, Condition]]:
    """Each condition once, with a claim that has it."""
    seen = set[int]()
    for claim in encoded().values():
        for stated in filter(None, (claim, claim.repair)):
            for condition in stated.domain.conditions:
                if id(condition) not in seen:
                    seen.add(id(condition))
                    yield stated, condition


def points_of(domain: Domain) -> Iterator[Any]:
    """Small and random points, inside and outside of the domain's conditions."""
    free, rng = Domain(domain.variables), Random(1)
    yield from islice(free.smallest(), 0, 60, 3)
    yield from (free.draw(rng) for _ in range(20))


@contextmanager
def for_a_while() -> Iterator[None]:
    with searching(SECONDS):
        yield


def as_printed(claim: Claim, condition: Condition) -> Callable[[Any], bool]:
    """What the LaTeX of a condition says of a point."""
    others = [condition.formula] if condition.formula is not None else []
    names, links = names_of(claim, *others), list[tuple[Any, str, Any]]()
    for sides, relations, conditional in chains_of(condition.latex):
        if conditional or not relations or not set(relations) <= MEANS.keys():
            raise Unreadable(condition.latex)
        nodes = [read_side(side, names) for side in sides]
        links += [(a, MEANS[r], b) for (a, b), r in zip(pairwise(nodes), relations, strict=True)]
    if not links:
        raise Unreadable(condition.latex)
    return lambda at: all(compared(a({POINT: at}), sign, b({POINT: at})) for a, sign, b in links)


def compared(left: Any, sign: str, right: Any) -> bool:
    """As `claims.exact` has it; zero beside a matrix is a matrix of zeros."""
    if isinstance(left, MatrixBase) and right == 0:
        right = left * 0
    found = exact.compare(left, sign, right)
    if found is None:
        raise ValueError("not decided")
    return found


def test_no_limit_is_a_condition() -> None:
    """No point can fail to have it: it would be a lemma that stands where no proof is asked for."""
    for claim, condition in conditions():
        pieces = condition.formula.walk() if condition.formula is not None else ()
        limits = [piece for piece in pieces if isinstance(piece, Tends)]
        assert not limits, f"{claim.id}: {condition.latex}"


@pytest.mark.slow
def test_what_proofs_use_of_a_condition_is_what_is_asked_of_points() -> None:
    held = failed = 0
    for claim, condition in conditions():
        if condition.formula is None:
            continue
        with for_a_while():
            for point in points_of(claim.domain):
                with suppress(*NO_VALUE):
                    holds, said = condition.holds(point), condition.formula.truth(point)
                    assert said in (None, holds), f"{claim.id}: {condition.latex} at {point}"
                    held, failed = held + (said is True), failed + (said is False)
    assert held >= 3000
    assert failed >= 1000


@pytest.mark.slow
def test_what_a_reader_sees_of_a_condition_is_what_is_asked_of_points() -> None:
    read = 0
    for claim, condition in conditions():
        decided = 0
        with suppress(Unreadable), for_a_while():
            says = as_printed(claim, condition)
            for point in points_of(claim.domain):
                with suppress(*NO_VALUE):
                    holds, said = condition.holds(point), says(point)
                    assert said == holds, f"{claim.id}: {condition.latex} at {point}"
                    decided += 1
        read += decided >= 5
    assert read >= 80
