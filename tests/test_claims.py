"""Every encoded claim, generically: what any claim owes its reader."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

import pytest
import torch
from batches import in_batches
from enumeration import TooManyGaussians, exact_mean

from audit.examine import load_witnesses, run_mutants, run_proof
from audit.variants import TRIED
from claims.errors import OnlyMeasured
from claims.intervals import numbers
from claims.model import Claim, Mutant, Relation
from claims.registry import encoded
from claims.statement import is_measured
from claims.terms import value_of
from claims.variants import variants_of
from numeric import exact
from numeric import registry as measuring
from numeric.agreement import compare
from numeric.definitions import members
from numeric.readings import READERS, SAMPLERS, Readings
from numeric.registry import readable
from proofs import registry as proving

load_witnesses()
CLAIMS = list(encoded().values())
of_every_claim = in_batches(CLAIMS)


@of_every_claim
def test_hypotheses_are_satisfiable(claim: Claim) -> None:
    points = list(islice(claim.domain.smallest(), 5))
    assert points, "no admissible point: the claim would be vacuous"
    assert all(claim.domain.objection(p) is None for p in points)


@of_every_claim
def test_names_are_distinct_and_a_claim_without_witness_says_why(claim: Claim) -> None:
    """The audit runs every proof, mutant and repair; here is what it takes for granted."""
    assert len({m.name for m in claim.mutants}) == len(claim.mutants)
    if proving.proof_of(claim) is None and measuring.estimator_of(claim) is None:
        measured = claim.form == "formula" and all(map(readable, claim.formula.quantities()))
        assert measured or claim.note, "no witness and no reason"


@in_batches(CLAIMS[::3])
def test_what_is_printed_has_false_variants(claim: Claim) -> None:
    """Statements as data: among what the shortest audit tries, each of them is changed itself."""
    variants = variants_of(claim, TRIED["quick"])
    if claim.form == "predicate":
        return
    assert any(v.domain is None for v in variants)


@of_every_claim
def test_definition_and_estimator_agree_exactly_in_tiny_dimensions(claim: Claim) -> None:
    """The claim's reading and the sampler's reading of the left-hand side, without sampling."""
    estimator = measuring.estimator_of(claim)
    if estimator is None or not isinstance(claim.statement, Relation):
        return
    compared = 0
    for point in islice(claim.domain.smallest(), 4, 40, 12):
        try:
            defined = exact.numbers(claim.define(point))
        except OnlyMeasured:
            continue
        if estimator.random:
            try:
                value = exact_mean(lambda rng, k, p=point: estimator.run(p, rng, k))
            except TooManyGaussians:
                continue
            width = 1e-9 * (1 + abs(value))  # rounding over at most 4^7 weighted terms
        else:
            measured = estimator.run(point)
            value, width = measured.value, measured.error
        assert compare("=", value, defined, width), (point, value, defined)
        compared += 1
    assert compared, "no tiny point could be compared"


@in_batches(c for c in CLAIMS if c.form == "formula")
def test_definitions_and_readings_of_a_formula_agree(claim: Claim) -> None:
    """Of every quantity outside quantifiers: its exact definition, and what its estimator reads.

    An audit compares them where it measures; some of these points are others.
    """
    read = {q for q in (*READERS, *SAMPLERS) if not is_measured(q)}
    for point in islice(claim.domain.smallest(), 4, 40, 12):
        readings = Readings(point)
        for one, at in members(claim.formula, point):
            if one not in read and getattr(one, "func", None) not in read:
                continue
            try:
                defined, (value, width) = numbers(value_of(one, at)), readings(one, at)
            except (LookupError, ArithmeticError, TypeError, ValueError):
                continue  # undefined here
            if defined != defined:
                continue  # an index of a limit has no value at a point
            assert compare("=", value, defined, width), (point, one, value, defined)


def test_no_two_seeds_share_a_stream() -> None:
    from numeric.sampling import generator

    draws = {
        float(torch.randn(1, generator=generator(s, "x", c))) for s in range(5) for c in range(5)
    }
    assert len(draws) == 25


def test_mutant_that_is_true_is_reported_as_survivor() -> None:
    """The checker itself: a mutant equal to the claim must not be killed."""
    claim = encoded()["noci2022.lemma-3.1.values"]
    twin = Mutant("the claim itself", claim.statement)
    certificate, _ = run_proof(claim)
    record = run_mutants(replace(claim, mutants=(twin,)), certificate, None)[0]
    assert record["killed_by"] == [] and record["survived"] == ["proof"]


def test_mutants_are_judged_by_the_theorem_that_was_derived(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    claim = encoded()["noci2022.lemma-3.1.values"]
    certificate, _ = run_proof(claim)
    derived = []
    prove = proving.PROOFS[claim.id]
    again = lambda twin: derived.append(twin) or prove(twin)  # noqa: E731
    monkeypatch.setattr(proving, "proof_of", lambda _: again)
    other_points = replace(claim.mutants[0], domain=claim.domain)
    twins = (*claim.mutants, other_points)
    records = run_mutants(replace(claim, mutants=twins), certificate, None)
    assert all(record["killed_by"] == ["proof"] for record in records)
    assert len(derived) == 1  # for the one with a domain of its own
