"""Variants are judged by both witnesses: refuted where they fail, true where a proof says so."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from sympy import Rational, Symbol

from audit.variants import run_variants
from claims.domain import Domain, Real, Size
from claims.model import Claim, Mutant, Source
from claims.statement import Compare, Formula, Quantity, measured_quantity
from numeric.agreement import Measured
from numeric.registry import QUICK, Measurement, measures
from proofs import kernel
from proofs.certificate import Certificate
from proofs.conclude import argued, conclude

n, x = Symbol("n", integer=True, positive=True), Symbol("x", real=True)
DOMAIN = Domain((Size(n, 2, 4), Real(x, 0, 1)))
power = Quantity("x^n", lambda at: at[x] ** at[n])
unseen = measured_quantity("m")
BOUND = Compare(power, "<=", x)
AGREES = Measurement("agrees", [], set(), set())


@measures(power)
def read_power(point) -> Measured:
    return Measured(float(point[x] ** point[n]), 1e-12)


def claim(statement: Formula = BOUND, **more: Any) -> Claim:
    return Claim("test.variants", Source("test", ""), "bound", "", statement, DOMAIN, **more)


def judged(
    of: Claim, *statements: Formula, by: Certificate | None = None,
    measurement: Measurement | None = AGREES,
) -> dict[str, Any]:  # fmt: skip
    variants = [Mutant(f"v{k}", statement) for k, statement in enumerate(statements)]
    return run_variants(of, variants, by, measurement, seed=0, budget=1e-9, effort=QUICK)


def test_without_a_proof_an_exact_witness_refutes() -> None:
    found = judged(
        claim(),
        Compare(power, "<=", x**2),  # at n = 2 only
        Compare(power, "<", x),
        Compare(power, "<=", 2 * x),  # true
        Compare(power, ">=", 0),  # true
        Compare(unseen, "<", 0),  # nobody knows
        measurement=None,
    )
    assert found["killed_by_proof"] == ["v1"] and found["refuted"] == 1
    assert found["undecided"] == 4 and found["proved"] == found["certified_false"] == []


def test_the_measurement_looks_where_the_witness_was_found() -> None:
    found = judged(claim(), Compare(power, "<=", x / 2), Compare(power, "<", x), BOUND)
    assert found["killed_by_proof"] == ["v0", "v1"]
    assert found["killed_by_measurement"] == ["v0"], "no interval tells < from <= at equality"
    without = judged(claim(), Compare(power, "<=", x / 2), measurement=None)
    assert without["killed_by_proof"] == ["v0"] and without["killed_by_measurement"] == []


def test_a_dropped_hypothesis_is_measured_at_its_witness() -> None:
    of = claim(Compare(power, "<=", 1))
    harmless, needed = (
        Mutant(f"from {low}", of.statement, Domain((Size(n, 2, 4), Real(x, low, 1))))
        for low in (-1, -2)
    )
    found = run_variants(of, [harmless, needed], None, AGREES, seed=0, budget=1e-9, effort=QUICK)
    assert found["killed_by_proof"] == found["killed_by_measurement"] == ["from -2"]


def test_what_the_print_leaves_open_is_not_refuted_at_one_choice() -> None:
    half = Compare(power, "<=", Rational(1, 2))
    assert judged(claim(), half)["refuted"] == 1
    assert judged(claim(left_open=(x,)), half)["refuted"] == 0


def test_what_a_lemma_gives_is_true_and_words_certify_nothing() -> None:
    known = kernel.joint(Compare(power, "<=", x**n + 1), kernel.unfold(power, x**n, DOMAIN))
    of = claim(known.formula)
    proof = conclude(of, known, method="")
    strict, false = Compare(power, "<", x**n + 1), Compare(power, "<", x**n)
    found = judged(of, strict, false, by=proof)
    assert (found["proved"], found["killed_by_proof"]) == (["v0"], ["v1"])
    said = argued(of, steps=(), method="obviously")
    assert judged(of, strict, by=said)["proved"] == []


@pytest.mark.parametrize("searched", [True, False])
def test_one_that_is_certified_though_false_is_told(searched: bool) -> None:
    """By the measurement always; by an exact witness unless one was looked for already."""
    forged = kernel._made(Compare(power, "<", x), "forgery")
    judge = Certificate("proved", "forgery", theorem=forged, searched=searched)
    proof = replace(judge, rejudge=lambda variant: judge)
    false = Compare(power, "<", x)
    found = judged(claim(), false, by=proof, measurement=None)
    assert found["certified_false"] == ([] if searched else ["v0"])
    read = replace(AGREES, excluded={"v0"})
    assert judged(claim(), false, by=proof, measurement=read)["certified_false"] == ["v0"]
