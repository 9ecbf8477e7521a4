"""Statements about quantities that are only measured: decided by intervals, or not at all."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
from sympy import ImmutableDenseMatrix, Integer, Rational, Symbol

from audit.verdict import combine
from claims.domain import Choice, Domain
from claims.intervals import NoNumber
from claims.model import Claim, Mutant, Source
from claims.registry import encoded
from claims.statement import (
    Compare,
    ForAll,
    Quantity,
    is_measured,
    measured_family,
    measured_quantity,
)
from claims.wu2024.basin import LeaningRow, ahead, behind, run_for, time_passed
from claims.wu2024.notation import N, T, d, w
from numeric.agreement import Measured
from numeric.estimators import ESTIMATORS, Estimator
from numeric.registry import QUICK, measure, measures
from numeric.wu2024.basin import power_up_to_scale, sine_of_tokens
from proofs.decide import find_witness

nothing = measured_quantity("u")
share, layer = Symbol("epsilon", positive=True), Symbol("ell", integer=True)
tenth = measured_quantity("q")
doubling = measured_family("d_{{{}}}")


@measures(tenth)
def about_a_tenth(point) -> Measured:
    return Measured(0.1, 0.01)


rough = measured_quantity("r")


@measures(rough)
def about_one(point) -> Measured:
    return Measured(0.9, 0.45)


@measures(nothing)
def no_number(point) -> Measured:
    return Measured(math.nan)


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
        (rough.equals(1), "underpowered"),  # a half is possible as well
        (rough.equals(1) & tenth.equals(Rational(1, 10)), "underpowered"),
        (Compare(1, "=", 1).implies(rough.equals(1)), "underpowered"),
        (ForAll(layer, 1, 2, rough.equals(1)), "underpowered"),
        (Compare(rough - Rational(9, 10), "=", 0), "agrees"),  # zero has no multiple
        (tenth.equals(Rational(1, 10)) & tenth.below(Rational(21, 200)), "underpowered"),
        (Compare(1, "=", 1).implies(tenth.below(Rational(21, 200))), "underpowered"),
        (tenth.equals(Rational(1, 10)) & tenth.below(Rational(1, 5)), "agrees"),
        (ForAll(layer, 0, 3, Compare(doubling(layer), "<", doubling(layer + 1))), "agrees"),
        (ForAll(layer, 0, 3, Compare(doubling(layer), "<", 8)), "underpowered"),
        (ForAll(layer, 0, 4, Compare(doubling(layer), "<", 8)), "disagrees"),
    ],
)
def test_an_interval_that_cannot_tell_does_not_speak_for_a_trend(statement, expected) -> None:
    assert status(statement) == expected


def test_under_a_quantifier_both_sides_that_decided_are_shown() -> None:
    rises = ForAll(layer, 0, 3, Compare(doubling(layer), "<", doubling(layer + 1)))
    found = measure(claim(rises), seed=0, budget=1e-9, effort=QUICK)
    assert found is not None
    assert found.cases[0].estimate == {"d_{0}": 1.0, "d_{1}": 2.0}
    assert found.cases[0].half_widths == pytest.approx({"d_{0}": 0.1, "d_{1}": 0.1})
    bounded = ForAll(layer, 0, 3, Compare(doubling(layer), "<", 9))
    found = measure(claim(bounded), seed=0, budget=1e-9, effort=QUICK)
    assert found is not None
    assert found.cases[0].estimate == {
        "d_{3}": 8.0
    }  # the bound is a number, and says itself what it is


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


def test_of_open_choices_one_that_fails_and_one_that_holds_are_shown() -> None:
    values = (Rational(1, 20), Rational(1, 50), Rational(1, 2))
    stated = claim(tenth.below(share), Choice(share, values), left_open=(share,))
    found = measure(stated, seed=0, budget=1e-9, effort=QUICK)
    assert found is not None
    assert [case.at["epsilon"] for case in found.cases] == [Rational(1, 20), Rational(1, 2)]


@pytest.mark.parametrize("sign", ["=", "<", "<=", ">", ">=", "!="])
def test_what_is_no_number_speaks_neither_for_a_claim_nor_against_it(sign: str) -> None:
    """A float that overflowed is a fault of ours, never a counterexample; mutants are not judged by it."""
    stated = Compare(nothing, sign, 1)
    line = "test.trend, at n = 1: the measurement gives no number; mend the estimator"
    with pytest.raises(NoNumber, match=f"^{line}$"):
        status(stated)
    found = measure(
        claim(tenth.below(1), mutants=(Mutant("m", stated),)), seed=0, budget=1e-9, effort=QUICK
    )
    assert found is not None and found.status == "agrees" and not found.killed | found.spoken


@pytest.mark.parametrize("value", [math.nan, torch.tensor([[1.0, math.nan]])])
def test_an_estimate_that_is_no_number_ends_its_claim(monkeypatch: Any, value: Any) -> None:
    """Where a whole side is estimated too; `examine` turns it into a conflict that names the point."""
    name = "noci2022.A.2.A-cases"
    wrong = Estimator(lambda point: Measured(value), random=False)
    monkeypatch.setitem(ESTIMATORS, name, wrong)
    with pytest.raises(NoNumber, match=f"^{name}, at n = .*: the measurement gives no number"):
        measure(encoded()[name], seed=0, budget=1e-9, effort=QUICK)


@pytest.mark.parametrize(
    ("features", "weight"), [(4, Rational(3)), (40, Rational(5, 2)), (90, Rational(2))]
)
def test_powers_of_the_value_matrix_do_not_overflow(features: int, weight: Rational) -> None:
    """Against the binomial series in exact numbers; beyond forty features entries pass 10^308."""
    layers = int(time_passed(features, weight))
    exact = run_for([Integer(1)] * features, layers, weight)
    found = torch.ones(features, dtype=torch.float64) @ power_up_to_scale(
        features, float(weight), layers
    )
    ratios = [float(x / exact[-1]) for x in exact]
    gap = found / found[-1] - torch.tensor(ratios, dtype=torch.float64)
    assert float(gap.abs().max()) < 1e-11
    point = {
        N: Integer(3), d: Integer(features), w: weight, T: Integer(layers),
        ahead: ImmutableDenseMatrix.ones(1, features),
    }  # fmt: skip
    point[behind] = next(LeaningRow(behind).of_weight(0, point))
    assert 4 * float(1 + weight**2) * sine_of_tokens(point, 20).value > 1


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
