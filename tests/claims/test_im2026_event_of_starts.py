"""What the event of Lemmas D.11 and D.12 says of a start is read in one go, as its formulas say it."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from sympy import ImmutableDenseMatrix, Rational, sqrt

from claims.domain import Domain, Truth
from claims.im2026.gaussian_starts import ENTRIES, LINES, ON_THE_EVENT
from claims.im2026.notation import T, depth, eta, words
from claims.im2026.small_starts import STARTS

FREE = Domain(ON_THE_EVENT.variables)
READ = [c for c in ON_THE_EVENT.conditions if c.formula in (*LINES, *ENTRIES)]


def of_places(point: dict[Any, Any], unit: Any) -> dict[Any, Any]:
    """The point with weights whose rows, columns and layers differ."""

    def stack(symbol: Any) -> ImmutableDenseMatrix:
        rows, columns = point[symbol].shape
        one = unit if columns > 1 else 4 * unit
        return ImmutableDenseMatrix(rows, columns, lambda row, column: (7 * row + column) % 5 * one)

    return {**point, **{symbol: stack(symbol) for symbol in STARTS}}


def test_conditions_are_what_their_formulas_say() -> None:
    answers = {id(c): set[bool]() for c in READ}
    for seed in range(12):
        rng = Random(seed)
        drawn = FREE.draw(rng)
        unit = Rational(rng.randint(1, 60), 20) * drawn[eta] ** 2 / drawn[T] ** 2 / drawn[words]
        for point in (drawn, of_places(drawn, unit)):
            for condition in READ:
                holds = condition.holds(point)
                assert holds == Truth(condition.formula)(point), condition.latex
                answers[id(condition)].add(holds)
    assert len(READ) == len(LINES) + len(ENTRIES)
    assert all(found == {True, False} for found in answers.values())


def test_each_layer_is_asked() -> None:
    """One entry too many in the last layer, and only there."""
    point = next(p for seed in range(99) if (p := FREE.draw(Random(seed)))[depth] == 2)
    for symbol in STARTS:
        still = {**point, **{other: point[other] * 0 for other in STARTS}}
        rows, columns = still[symbol].shape
        last = ImmutableDenseMatrix(
            rows, columns, lambda row, column, end=rows - 1: int(row == end)
        )
        moved = {**still, symbol: last}
        denied = [c for c in READ if not c.holds(moved)]
        assert denied and all(c.holds(still) for c in READ)
        assert denied == [c for c in READ if not Truth(c.formula)(moved)]


@pytest.mark.parametrize(
    ("share", "holds"), [(Rational(99, 100), True), (Rational(101, 100), False)]
)
def test_entries_that_are_no_fractions_are_read_as_well(share: Any, holds: bool) -> None:
    """An entry as long as a row may be, up to a hundredth."""
    point = FREE.draw(Random(1))
    still = {**point, **{symbol: point[symbol] * 0 for symbol in STARTS}}
    entry = share * 3 * point[eta] ** 2 / point[T] ** 2 / sqrt(point[words])
    rows, columns = point[STARTS[0]].shape
    corner = ImmutableDenseMatrix(rows, columns, lambda row, column: 0 if row + column else entry)
    assert all(c.holds(still) for c in READ)
    assert READ[0].holds({**still, STARTS[0]: corner}) is holds
