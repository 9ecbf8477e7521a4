"""Sequences of events: what is computed of them agrees with their sums and with simulated ones."""

from __future__ import annotations

from math import prod
from random import Random

import pytest
from sympy import Integer, Rational, Symbol, zeta

from claims.errors import UserError
from claims.events import Events

alpha = Symbol("alpha", integer=True, positive=True)
depend = Symbol("c", integer=True)
EVENTS = Events(alpha, depend)
POINTS = [(a, c) for a in (1, 2, 3) for c in range(3)]


FIRST, LAST, RUNS = 100, 20000, 400


@pytest.mark.parametrize(("a", "c"), POINTS)
def test_late_events_occur_where_infinitely_many_do(a: int, c: int) -> None:
    """Whether one from the first to the last occurs, for a uniform variable and each kind of dependence."""
    chances = [(i + 1.0) ** -a for i in range(1, LAST + 1)]
    late, start = chances[FIRST - 1 :], sum(chances[: FIRST - 1])
    none, total = prod(1 - p for p in late), sum(late)
    rng = Random(7)
    drawn = [rng.random() for _ in range(RUNS)]
    occurs = [(u >= none, u < late[0], (u - start) % 1 < total)[c] for u in drawn]
    often = EVENTS.often.define({alpha: Integer(a), depend: Integer(c)})
    assert abs(sum(occurs) / RUNS - often) < 0.06


@pytest.mark.parametrize("a", [1, 2, 4])
def test_sums_approach_the_total(a: int) -> None:
    point = {alpha: Integer(a), depend: Integer(0)}
    chances = [EVENTS.chance.define_at(point, i) for i in range(1, 400)]
    assert chances[:2] == [Rational(1, 2**a), Rational(1, 3**a)]
    inverse = EVENTS.inverse_total.define(point)
    assert inverse == (0 if a == 1 else 1 / (zeta(a) - 1))
    assert a == 1 or 0 < 1 - inverse * sum(chances) < 0.004 * (10 if a == 2 else 1)


def test_exponents_are_positive_integers() -> None:
    for exponent in (Symbol("a", positive=True), Symbol("a", integer=True)):
        with pytest.raises(UserError, match="must be declared"):
            Events(exponent, depend)


@pytest.mark.parametrize("place", [0, -1, Rational(3, 2)])
def test_events_are_counted_from_one(place: object) -> None:
    with pytest.raises(ValueError, match=r"from one|integer"):
        EVENTS.chance.define_at({alpha: Integer(1), depend: Integer(0)}, place)


@pytest.mark.parametrize("coupling", [-1, 3])
def test_no_other_dependence_is_known(coupling: int) -> None:
    with pytest.raises(LookupError):
        EVENTS.often.define({alpha: Integer(1), depend: Integer(coupling)})
