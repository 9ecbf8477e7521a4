"""Every encoded claim, generically: what any claim owes its reader."""

from __future__ import annotations

from itertools import islice

import pytest
import torch
from enumeration import TooManyGaussians, exact_mean

from audit.examine import load_witnesses, run_mutants, run_proof, run_repair
from claims.model import Claim, Mutant, Relation
from claims.registry import encoded
from numeric import registry as measuring
from numeric.agreement import compare
from proofs import registry as proving

load_witnesses()
CLAIMS = list(encoded().values())
_PARENTS = {c.repair.id: c for c in CLAIMS if c.repair}
ALGEBRAIC = {"identity", "expectation", "limit", "bound"}
by_id = pytest.mark.parametrize("claim", CLAIMS, ids=lambda c: c.id)
with_repair = pytest.mark.parametrize(
    "claim", [c.repair for c in CLAIMS if c.repair], ids=lambda c: c.id
)


@by_id
def test_hypotheses_are_satisfiable(claim: Claim) -> None:
    points = list(islice(claim.domain.smallest(), 5))
    assert points, "no admissible point: the claim would be vacuous"
    assert all(claim.domain.objection(p) is None for p in points)


@by_id
def test_algebraic_claims_have_three_mutants_that_differ(claim: Claim) -> None:
    if claim.kind in ALGEBRAIC:
        assert len(claim.mutants) >= 3
    assert len({m.name for m in claim.mutants}) == len(claim.mutants)


@by_id
def test_proof_is_decided_and_kills_every_mutant(claim: Claim) -> None:
    if proving.proof_of(claim) is None:
        assert measuring.estimator_of(claim) is not None or claim.note, "no witness and no reason"
        return
    certificate, record = run_proof(claim)
    assert certificate is not None and record is not None
    assert certificate.recheck() == []
    if certificate.status != "undecided":
        survivors = [m["name"] for m in run_mutants(claim, certificate, None) if m["survived"]]
        assert survivors == []


@with_repair
def test_repair_of_a_refuted_claim_is_proved(claim: Claim) -> None:
    """An experiment's repair may be measured only, like the experiment itself."""
    certificate, _ = run_proof(claim)
    if certificate is None and claim.kind == "experiment":
        assert run_repair(_PARENTS[claim.id], 0, "quick")["verdict"] == "supported"
    else:
        assert certificate is not None and certificate.status == "proved"


@by_id
def test_definition_and_estimator_agree_exactly_in_tiny_dimensions(claim: Claim) -> None:
    """The claim's reading and the sampler's reading of the left-hand side, without sampling."""
    estimator = measuring.estimator_of(claim)
    if estimator is None or not isinstance(claim.statement, Relation):
        return
    compared = 0
    for point in islice(claim.domain.smallest(), 4, 40, 5):
        if estimator.random:
            try:
                value = exact_mean(lambda rng, k, p=point: estimator.run(p, rng, k))
            except TooManyGaussians:
                continue
            width = 1e-9 * (1 + abs(value))  # rounding over at most 4^7 weighted terms
        else:
            measured = estimator.run(point)
            value, width = measured.value, measured.error
        defined = measuring.numbers(claim.define(point))
        assert compare("=", value, defined, width), (point, value, defined)
        compared += 1
    assert compared, "no tiny point could be compared"


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
    from dataclasses import replace

    record = run_mutants(replace(claim, mutants=(twin,)), certificate, None)[0]
    assert record["killed_by"] == [] and record["survived"] == ["proof"]
