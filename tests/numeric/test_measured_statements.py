"""Statements about quantities that are only measured: decided by intervals, or not at all."""

from __future__ import annotations

import pytest
from sympy import Integer, Rational, Symbol

from audit.verdict import combine
from claims.domain import Choice, Domain
from claims.model import Claim, Source
from claims.statement import (
    Compare,
    ForAll,
    Quantity,
    is_measured,
    measured_family,
    measured_quantity,
)
from numeric.agreement import Measured
from numeric.registry import QUICK, measure, measures
from proofs.decide import find_witness

share, layer = Symbol("epsilon", positive=True), Symbol("ell", integer=True)
tenth = measured_quantity("q")
doubling = measured_family("d_{{{}}}")


@measures(tenth)
def about_a_tenth(point) -> Measured:
    return Measured(0.1, 0.01)


@measures(doubling)
def about_two_to_the(point, k: int) -> Measured:
    return Measured(2.0**k, 0.1)


def claim(statement, *choices: Choice, **more) -> Claim:
    domain = Domain((Choice(Symbol("n"), (Integer(1),)), *choices))
    return Claim("test.trend", Source("test", ""), "trend", "", statement, domain, **more)


def status(statement, *choices: Choice, **more) -> str:
    found = measure(claim(statement, *choices, **more), seed=0, budget=1e-9, effort=QUICK)
    assert found is not None
    return found.status


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        (tenth.below(Rational(1, 5)), "agrees"),
        (tenth.above(Rational(1, 5)), "disagrees"),
        (tenth.below(Rational(21, 200)), "underpowered"),  # inside the interval
        (tenth.equals(Rational(1, 10)), "agrees"),
        (tenth.equals(Rational(1, 5)), "disagrees"),
        (ForAll(layer, 0, 3, Compare(doubling(layer), "<", doubling(layer + 1))), "agrees"),
        (ForAll(layer, 0, 3, Compare(doubling(layer), "<", 8)), "underpowered"),
        (ForAll(layer, 0, 4, Compare(doubling(layer), "<", 8)), "disagrees"),
    ],
)
def test_an_interval_that_cannot_tell_does_not_speak_for_a_trend(statement, expected) -> None:
    assert status(statement) == expected


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ((Rational(1, 5), Rational(1, 2)), "agrees"),
        ((Rational(1, 20), Rational(1, 2)), "depends"),
        ((Rational(1, 20), Rational(1, 50)), "disagrees"),
    ],
)
def test_only_what_every_open_choice_refutes_is_refuted(values, expected) -> None:
    choice = Choice(share, values)
    assert status(tenth.below(share), choice, left_open=(share,)) == expected
    if expected == "depends":
        assert status(tenth.below(share), choice) == "disagrees"
        assert combine(None, expected).verdict == "unsettled"


def test_a_proof_that_holds_where_the_measurement_does_not_is_a_conflict() -> None:
    assert combine("proved", "depends").verdict == "conflict"


def test_exact_truth_about_what_is_only_measured_is_not_decided() -> None:
    exact = Quantity("x", lambda at: Integer(1))
    assert is_measured(tenth) and is_measured(doubling) and not is_measured(exact)
    for statement in (tenth.below(0), Compare(doubling(1), "=", 2), ~tenth.below(0)):
        assert statement.truth({}) is None
        assert find_witness(claim(statement)) is None
    assert (tenth.below(0) & exact.below(0)).truth({}) is False
    assert claim(tenth.below(exact)).define({}) == {"x": 1}
