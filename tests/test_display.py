"""What a notebook shows of a claim, its certificate and its measurement."""

from __future__ import annotations

from audit.examine import load_witnesses
from claims.registry import encoded
from numeric.registry import QUICK, measure
from proofs.registry import proof_of

load_witnesses()
CLAIM = encoded()["wu2024.lemma-2.lower"]


def test_claim_shows_its_formula_and_hypotheses() -> None:
    shown = CLAIM._repr_markdown_()
    assert shown.startswith(f"**{CLAIM.id}**")
    assert CLAIM.statement.latex() in shown
    assert all(hypothesis.latex in shown for hypothesis in CLAIM.hypotheses)


def test_certificate_shows_status_and_witness() -> None:
    prove = proof_of(CLAIM)
    assert prove is not None
    certificate = prove(CLAIM)
    shown = certificate._repr_markdown_()
    assert shown.startswith("**refuted**")
    assert "Witness: $" in shown


def test_measurement_shows_a_row_for_each_case() -> None:
    measured = measure(CLAIM, seed=0, budget=1e-9, effort=QUICK)
    assert measured is not None
    lines = measured._repr_markdown_().splitlines()
    assert lines[0] == "**disagrees**"
    rows = lines[4:]
    assert len(rows) == len(measured.cases)
    assert all(row.replace(r"\|", "").count("|") == 7 for row in rows)
