"""Formulas that agree with all readings since no reading could deny them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from types import SimpleNamespace
from typing import Any

import pytest
from sympy import Integer, Rational, Symbol, atan, oo, pi, sqrt

from audit.examine import run_measurement
from claims.domain import Choice, Domain, Real, Size
from claims.errors import OnlyMeasured
from claims.model import Claim, Relation, Source
from claims.statement import (
    Compare,
    Exists,
    ForAll,
    Formula,
    Iff,
    Monotone,
    Not,
    Or,
    Quantity,
    Tends,
)
from claims.terms import family
from numeric.agreement import Measured
from numeric.readings import Readings
from numeric.registry import directly, measures
from numeric.silence import is_one, leaves_open, says_nothing, tells

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


size = Quantity("n", lambda at: at[n])
rounded = Quantity("r", unknown)


@measures(size)
def read_size(point) -> Measured:
    return Measured(float(point[n]))


@measures(rounded)
def read_rounded(point) -> Measured:
    return Measured(float(point[n]) ** 0.5, 1e-12)


first = Quantity("f", unknown)


@measures(first)
def read_well_at_one_token(point) -> Measured:
    return Measured(1.0, 0.1 if point[n] == 1 else 0.9)


below, above = Quantity("b", unknown), Quantity("a", unknown)


@measures(below, above)
def read_two_that_nearly_meet(point) -> tuple[Measured, Measured]:
    """But at one token, where they are far apart."""
    return Measured(1.0, 6e-10), Measured(2.0 if point[n] == 1 else 1 + 1e-9, 6e-10)


def status(statement: Formula, *, proved: bool) -> str:
    claim = Claim("toy.limit", Source("toy", ""), "bound", "", statement, Domain((Size(n, 1, 3),)))
    found, record = run_measurement(claim, 0, "quick", proved=proved)
    assert record["status"] == found.status == record["scales"][0]["status"]
    return found.status


ENDS, FAR = Tends(inverse(k), k, Integer(0)), Tends(inverse(k), k, Integer(5))
SAID, LARGE = Compare(narrow, "<", 2), Compare(size, ">=", 1000)


@pytest.mark.parametrize(
    "statement",
    [
        ENDS, FAR, FAR & SAID, FAR & narrow.equals(1), Exists(k, 1, oo, Compare(inverse(k), ">", 2)),
        wide.equals(Rational(1, 2)), wide.below(1), SAID & wide.equals(Rational(1, 2)),
        ForAll(k, 1, oo, Compare(inverse(k), "<=", wide)), ForAll(k, 1, oo, Compare(inverse(k), "<=", 1)),
        ForAll(k, 1, oo, Compare(inverse(k), ">=", Rational(1, 20))),  # the first twenty are
        FAR | narrow.equals(5), Exists(k, 1, oo, Compare(inverse(k), "=", 2)),
        ENDS.implies(narrow.equals(5)), Exists(k, 1, oo, Compare(inverse(k), ">", 1)).implies(narrow.equals(5)),
        LARGE.implies(narrow.above(5)), LARGE.implies(narrow.equals(5)),
        ForAll(k, 1000, n, Compare(inverse(k), ">", 5)), SAID & ForAll(k, 1000, n, Compare(inverse(k), ">", 5)),
        SAID & Monotone(inverse(k), k, ">", 1000, n), Iff(SAID, narrow.equals(1)),
        ForAll(k, 1, n, Compare(inverse(k), ">", 5).implies(narrow.above(5))),
        Or((LARGE.implies(narrow.above(5)), LARGE.implies(narrow.above(6)))), Not(Not(narrow.equals(1))),
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
        narrow.above(0).implies(narrow.equals(1)), FAR | narrow.equals(1), ENDS.implies(narrow.equals(1)),
        Exists(k, 1, oo, Compare(inverse(k), "=", Rational(1, 3))), ENDS.implies(SAID),
        Compare(size, ">=", 2).implies(SAID), ForAll(k, 3, n, Compare(inverse(k), "<", 1)),
        LARGE.implies(narrow.above(5)) | SAID, first.equals(1), SAID & Monotone(inverse(k), k, ">", 1, n),
    ],
)  # fmt: skip
def test_what_readings_establish_or_tell_agrees(statement: Formula) -> None:
    assert status(statement, proved=False) == "agrees"


def test_what_is_read_to_be_false_disagrees() -> None:
    assert status(FAR & narrow.equals(3), proved=False) == "disagrees"


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        (rounded.below(n), False), (Compare(rounded, "!=", n), False), (rounded.at_most(n), True),
        (Compare(n, ">", rounded), False), (rounded.above(sqrt(n) - 1), True),
        (rounded.below(n + 1), True), (rounded.below(n) | SAID, True),
        (Compare(size, ">=", 2).implies(rounded.below(n)), True), (rounded.below(sqrt(n)), False),
    ],
)  # fmt: skip
def test_sides_that_are_equal_up_to_rounding_support_no_strict_order(
    statement: Formula, told: bool
) -> None:
    """The root of n, which is computed and not known exactly, is below n but for n = 1."""
    assert status(statement, proved=False) == ("agrees" if told else "underpowered")
    assert status(statement, proved=True) == "agrees"


def test_what_fails_at_larger_sizes_at_one_choice_depends_on_it() -> None:
    share = Symbol("c", integer=True, positive=True)
    domain = Domain((Size(n, 1, 3), Choice(share, (Integer(1), Integer(2)))))
    for bound, expected in ((9 + share, "depends"), (100 * share, "agrees")):
        claim = Claim(
            "toy.open", Source("toy", ""), "bound", "", size.at_most(bound), domain, left_open=(share,)
        )  # fmt: skip
        assert run_measurement(claim, 0, "quick")[0].status == expected


def test_the_same_of_a_relation() -> None:
    """The root of n against n, which is known to sixty digits."""
    stated = Claim(
        "toy.strict", Source("toy", ""), "bound", "", Relation("r", (n,), "<"), Domain((Size(n, 1, 3),)),
        define=lambda at: Decimal(int(at[n])).sqrt(),
    )  # fmt: skip
    directly(stated)(read_rounded)
    for sign, side, expected in (
        ("<", n, "underpowered"),
        ("<=", n, "agrees"),
        ("<", n + 1, "agrees"),
    ):
        claim = replace(stated, statement=Relation("r", (side,), sign))
        assert run_measurement(claim, 0, "quick")[0].status == expected
        assert run_measurement(claim, 0, "quick", proved=True)[0].status == "agrees"


def test_numbers_are_one_up_to_what_computing_rounds() -> None:
    assert is_one(0.0, 0.0, 0.0) and is_one(2.0, 2.0 + 2**-40, 2**-40) and is_one(0.0, 0.0, 1e-6)
    assert is_one(1e3, 1e3, 1e-3) and is_one(-1e3, -1e3, 1e-3) and is_one(1e-3, 0.0, 1e-3) is False
    assert not is_one(0.0, 0.0, 1.5e-6) and not is_one(1e3, 1e3, 1.5e-3)
    assert not is_one(2.0, 2.0 + 2**-40, 2**-41)


@dataclass(frozen=True)
class Unread(Formula):
    """What no readings can judge."""

    def possible(self, readings: Any, at: Any) -> frozenset[bool]:
        raise ArithmeticError("a sample overflowed")


def test_what_cannot_be_judged_is_neither_established_nor_denied() -> None:
    beyond, readings = Symbol("z", integer=True), SimpleNamespace(point={n: Integer(2)})
    assert says_nothing(Unread(), [readings]) and says_nothing(
        ForAll(k, 1, beyond, Unread()), [readings]
    )
    assert says_nothing(Unread().implies(Compare(n, "<", 3)), [readings])


def at(**values: Any) -> Readings:
    return Readings({Symbol(name, integer=True): Integer(v) for name, v in values.items()})


def test_one_place_that_cannot_be_judged_leaves_what_another_says() -> None:
    a, b = (Symbol(name, integer=True) for name in "ab")
    both, one = [at(a=0, b=0), at(a=0)], [at(a=0), at(a=0, b=0)]
    for readings in (both, one):
        assert not leaves_open(Compare(b, "<", 1), SimpleNamespace(readings=readings))
        assert not leaves_open(
            ForAll(k, 1, b + 1, Compare(b, "<", 1)), SimpleNamespace(readings=readings)
        )
        assert tells(Compare(a, "=", 0), readings)
    assert leaves_open(Compare(b, "<", 0), SimpleNamespace(readings=[at(a=0), at(b=0)]))


def test_a_premise_that_may_hold_is_asked_for() -> None:
    """Where nobody knows whether it holds, what follows from it is asserted."""
    a, b = (Symbol(name, integer=True) for name in "ab")
    asked = Compare(b, ">", 0).implies(Compare(a, "<", 1))
    assert says_nothing(asked, [at(a=0, b=0)])
    assert not says_nothing(asked, [at(a=0, b=0), at(a=0)])


def test_a_range_that_cannot_be_counted_asserts_nothing() -> None:
    end = Symbol("b")
    every = ForAll(k, 1, end, Compare(k, "<", 5))
    hidden = atan(1) + atan(2) + atan(3) - pi + 1  # it is one, which no ball shows
    empty, uncounted = (Readings({end: value}) for value in (Integer(0), hidden))
    assert says_nothing(every, [empty]) and says_nothing(every, [empty, uncounted])
    assert not says_nothing(every, [empty, Readings({end: Integer(1)})])


def test_equalities_that_do_not_count_need_not_be_told() -> None:
    a = Symbol("a", integer=True)
    for equality, told in ((wide.equals(1), False), (narrow.equals(1), True)):
        for counts in (True, False):
            found = tells(equality & Compare(a, "<", 1), [at(a=0)], lambda atom, yes=counts: yes)
            assert found is (told or not counts)


def test_both_widths_count_where_sides_are_compared() -> None:
    statement = Compare(below, "<", above)
    assert status(statement, proved=False) == "underpowered"
    assert status(statement, proved=True) == "agrees"


def test_only_numbers_are_equal_up_to_rounding() -> None:
    strict = Relation("r", (n,), "<")
    for sides, left_open in (((1.0, 1.0), True), (([1.0], 1.0), False), ((1.0, None), False)):
        case = SimpleNamespace(estimate=sides[0], claimed=sides[1], half_width=0.0)
        assert leaves_open(strict, SimpleNamespace(cases=[case])) is left_open
    assert not leaves_open(SAID, SimpleNamespace(readings=[]))


x = Symbol("x", real=True)
number, coarse = (Quantity(name, lambda at: at[x]) for name in "uv")


@measures(number, coarse)
def read_well_and_badly(point) -> tuple[Measured, Measured]:
    return Measured(float(point[x]), 1e-12), Measured(float(point[x]), 0.1)


@pytest.mark.parametrize(
    ("of", "place", "expected"),
    [(number, 13, "disagrees"), (number, 14, "agrees"), (coarse, 13, "underpowered")],
)
def test_nothing_agrees_that_fails_or_cannot_tell_where_a_witness_was_found(
    of, place, expected
) -> None:
    """Of a square that is too small only within a hundredth of one place."""
    statement = Compare((of - Rational(13, 29)) ** 2, ">=", Rational(1, 10000))
    source, domain = Source("toy", ""), Domain((Real(x, 0, 1),))
    claim = Claim("toy.dip", source, "bound", "", statement, domain)
    assert run_measurement(claim, 0, "quick")[0].status == "agrees"
    at = {x: Rational(place, 29)}
    found, record = run_measurement(claim, 0, "quick", place=at)
    assert record["status"] == found.status == expected
