"""Formulas that agree with all readings since no reading could deny them."""

from __future__ import annotations

from typing import Any

import pytest
from sympy import Integer, Rational, Symbol, oo

from audit.examine import run_measurement
from claims.domain import Domain, Size
from claims.errors import OnlyMeasured
from claims.model import Claim, Source
from claims.statement import Compare, Exists, ForAll, Formula, Quantity, Tends
from claims.terms import family
from numeric.agreement import Measured
from numeric.registry import measures

n, k = Symbol("n", integer=True, positive=True), Symbol("k", integer=True, positive=True)
inverse = family("1/{}", lambda at, place: Rational(1, place))


def unknown(point: Any) -> Any:
    raise OnlyMeasured("no closed form")


wide, narrow = Quantity("w", unknown), Quantity("v", unknown)


@measures(inverse)
def read_inverse(point, place: int) -> Measured:
    return Measured(1 / place)


@measures(wide)
def read_about_one(point) -> Measured:
    return Measured(1.0, 0.9)


@measures(narrow)
def read_one(point) -> Measured:
    return Measured(1.0, 0.1)


def status(statement: Formula, *, proved: bool) -> str:
    claim = Claim("toy.limit", Source("toy", ""), "bound", "", statement, Domain((Size(n, 1, 3),)))
    found, record = run_measurement(claim, 0, "quick", proved=proved)
    assert record["status"] == found.status == record["scales"][0]["status"]
    return found.status


ENDS, FAR = Tends(inverse(k), k, Integer(0)), Tends(inverse(k), k, Integer(5))
SAID = Compare(narrow, "<", 2)


@pytest.mark.parametrize(
    "statement",
    [
        ENDS, FAR, FAR & SAID, FAR & narrow.equals(1), Exists(k, 1, oo, Compare(inverse(k), ">", 2)),
        wide.equals(Rational(1, 2)), wide.below(1), SAID & wide.equals(Rational(1, 2)),
        ForAll(k, 1, oo, Compare(inverse(k), "<=", wide)), ForAll(k, 1, oo, Compare(inverse(k), "<=", 1)),
        ForAll(k, 1, oo, Compare(inverse(k), ">=", Rational(1, 20))),  # the first twenty are
    ],
)  # fmt: skip
def test_what_no_reading_could_deny_supports_nothing(statement: Formula) -> None:
    assert status(statement, proved=False) == "underpowered"
    assert status(statement, proved=True) == "agrees"


@pytest.mark.parametrize(
    "statement",
    [
        SAID, narrow.equals(1), SAID & narrow.equals(1), FAR | SAID,
        ForAll(k, 1, 20, Compare(inverse(k), "<=", 1)),
        Exists(k, 1, oo, Compare(inverse(k), "<", Rational(1, 5))), Tends(1 / (n + k), k, 0) & SAID,
        ~Compare(narrow, "=", 3), SAID & ~Compare(narrow, "=", 3),
        narrow.above(0).implies(narrow.equals(1)),
    ],
)  # fmt: skip
def test_what_readings_establish_or_tell_agrees(statement: Formula) -> None:
    assert status(statement, proved=False) == "agrees"


def test_what_is_read_to_be_false_disagrees() -> None:
    assert status(FAR & narrow.equals(3), proved=False) == "disagrees"
