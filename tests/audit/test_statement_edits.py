"""Edits of the source of statements that hold: none may pass for the statement that was proved.

Sixty edits, and seldom two hundred, are judged as machine-made variants are, by the certificate of
the statement that was edited; a few go through the complete examination of their claim.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from random import Random
from time import monotonic
from typing import Any

import pytest
from statement_edits import Edit, edits_of, same_object, statements

from audit import examine as ex
from claims.errors import UNDEFINED
from claims.fingerprints import Fingerprints
from claims.model import Claim, Mutant
from claims.statement import Formula
from claims.variants import _key
from proofs import registry as proving
from proofs.certificate import Certificate
from proofs.decide import find_witness
from proofs.kernel import ProofError

pytestmark = pytest.mark.slow

PER_CLAIM, COMPLETE = 8, 5
CANNOT_BE_MADE = (*UNDEFINED, AssertionError)
"""An edit that makes no statement fails while its module is loaded, and with it the audit."""


def proved(claim: Claim) -> Certificate | None:
    """The certificate of a claim that is proved, whose edits it can judge."""
    prove = proving.proof_of(claim)
    certificate = prove(claim) if prove is not None else None
    fits = certificate is not None and certificate.status == "proved" and certificate.rejudge
    return certificate if fits else None


def sampled() -> Iterator[tuple[Edit, Certificate]]:
    """A few edits of each of the claims in random order, the same every time."""
    rng = Random(0)
    found = sorted(statements(), key=lambda row: row[0].id)
    rng.shuffle(found)
    for claim, module, node in found:
        edits = list(edits_of(claim, module, node))
        certificate = proved(claim) if edits else None
        if certificate is not None:
            for edit in rng.sample(edits, min(PER_CLAIM, len(edits))):
                yield edit, certificate


def meaning(statement: Any) -> Any:
    """What two statements share that are one after algebra."""
    return _key(statement, Fingerprints())


def judged(edit: Edit, certificate: Certificate) -> str:
    """What becomes of an edit; "survived" is the one answer that may not be."""
    try:
        statement = edit.statement()
        if same_object(statement, edit.claim.statement):
            return "no effect"
        variant = edit.claim.variant(Mutant(edit.words, statement))
        variant.formula.latex()
    except CANNOT_BE_MADE:
        return "cannot be made"
    try:
        found = certificate.rejudge(variant)  # type: ignore[misc]
    except (*UNDEFINED, ProofError):
        return "fails"
    if found.status != "proved":
        return found.status
    if found.recheck():
        return "fails"
    if find_witness(variant) is not None:
        return "survived"
    if found.grade == "derived":
        return "true, and derived"
    if meaning(statement) == meaning(edit.claim.statement):
        return "no effect"
    return "follows from what was argued" if found.method.endswith("; arithmetic") else "argued"


@pytest.mark.parametrize("wanted", [60, pytest.param(200, marks=pytest.mark.seldom)])
def test_no_edit_of_a_statement_passes_for_it(wanted: int) -> None:
    ex.load_witnesses()
    became: Counter[str] = Counter()
    survivors, claims, started = [], set(), monotonic()
    for edit, certificate in sampled():
        answer = judged(edit, certificate)
        became[answer] += 1
        claims.add(edit.claim.id)
        print(f"{answer}: {edit}")
        if answer in {"survived", "argued"}:
            survivors.append(f"{answer}: {edit}")
        if became.total() - became["cannot be made"] >= wanted:
            break
    print(became, f"{len(claims)} claims in {monotonic() - started:.0f} s")
    assert became.total() - became["cannot be made"] >= wanted
    assert became["refuted"] >= wanted // 4 and len(claims) >= wanted // PER_CLAIM
    assert survivors == []


def completely(monkeypatch: pytest.MonkeyPatch, edit: Edit) -> dict[str, Any]:
    """The record of the edited claim in the place of its own."""
    statement = edit.statement()
    own_define = None if isinstance(statement, Formula) else edit.claim.define
    edited = replace(edit.claim, statement=statement, define=own_define, mutants=(), repair=None)
    monkeypatch.setattr(ex, "encoded", lambda: {edited.id: edited})
    return ex.examine(edited.id, seed=0, effort="quick")


def test_a_few_edits_change_the_verdict_of_a_complete_examination(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ex.load_witnesses()
    seen: set[str] = set()
    for edit, certificate in sampled():
        new = edit.claim.id not in seen and edit.claim.parent is None
        if new and judged(edit, certificate) == "refuted":
            seen.add(edit.claim.id)
            record = completely(monkeypatch, edit)
            print(edit, record["verdict"])
            assert record["verdict"] in {"refuted", "vacuous", "conflict", "unsettled"}, str(edit)
            if len(seen) == COMPLETE:
                return
    pytest.fail("too few edits to examine")
