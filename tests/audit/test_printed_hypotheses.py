"""What hypotheses write down is held to witnesses and to the room that a domain leaves."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

import pytest
from sympy import Integer, Rational, Symbol

from audit.examine import examine, load_witnesses
from audit.printed import narrower, outside
from audit.printed.hypotheses import _said
from claims.domain import Domain, Real, Size
from claims.model import Claim, Hypothesis, Relation, Source
from claims.registry import encoded
from proofs.registry import proof_of

load_witnesses()
n = Symbol("n", integer=True, positive=True)
x = Symbol("x", real=True)


def assuming(*hypotheses: str) -> Claim:
    """A claim about n >= 3 and 0 < x <= 1/n under hypotheses in words."""
    return Claim(
        id="noci2022.example", source=Source("noci2022", "Sec. 1"), kind="bound", title="An example.",
        statement=Relation("n x", (1,), "<="), define=lambda at: at[n] * at[x],
        domain=Domain((Size(n, 3, 5), Real(x, 0, 1 / n, open_low=True))),
        hypotheses=tuple(map(Hypothesis, hypotheses)),
    )  # fmt: skip


@pytest.mark.parametrize(
    "said",
    [
        r"n\ge3", r"n>2", r"n\ge4", r"2<n", r"x\le1/n", r"0<x\le\tfrac1n", r"x\le\frac1{2n}", r"nx\le3",
        r"n\ge3,\ n\ge1", r"\text{for large}\ n", r"x\text{ is a rate}", r"n\le5",
    ],
)  # fmt: skip
def test_a_domain_may_be_as_wide_as_the_hypotheses_or_wider(said: str) -> None:
    assert narrower(assuming(said)) is None


@pytest.mark.parametrize(
    ("said", "name"),
    [
        (r"n\ge2", "n"), (r"n>1", "n"), (r"1<n", "n"), (r"x\le1", "x"), (r"0<x\le\tfrac2n", "x"),
        (r"x\ge-1", "x"), (r"n\ge2,\ n\ge1", "n"),
    ],
)  # fmt: skip
def test_a_domain_with_less_room_is_named(said: str, name: str) -> None:
    found = narrower(assuming(said))
    assert found is not None
    assert f"leaves ${name}$ less room" in found


def test_a_witness_must_obey_what_is_written_down() -> None:
    at = {n: Integer(3), x: Rational(1, 4)}
    for said in (r"n\ge3", r"nx<1", r"x=\tfrac14", r"n\to\infty", r"\|A\|\le1"):
        assert outside(assuming(said), at) is None
    for said in (r"n\ge4", r"nx\ge1", r"n=2,3,\ x\le\tfrac15", r"n\ne3"):
        found = outside(assuming(said), at)
        assert found is not None
        assert "lies outside its own hypotheses" in found


def test_most_witnesses_and_ranges_are_held_to_something() -> None:
    """Else what is asked of them would be idle."""
    stated = [c for claim in encoded().values() for c in (claim, claim.repair) if c is not None]
    read = [claim for claim in stated if any(islice(_said(claim), 1))]
    assert len(read) > len(stated) / 3


@pytest.mark.parametrize(
    ("claim_id", "before", "after"),
    [
        ("im2026.D.7.harmonic", r"r\in\{1,2,\dots\}", r"r\ge0"),
        ("im2026.lemma-D.5.zero", r"|\mathcal V|\ge8", r"|\mathcal V|\ge7"),
        ("im2026.lemma-D.5.zero", r"\eta\le1", r"\eta\le2"),
    ],
)
def test_another_number_in_the_words_is_a_conflict(
    claim_id: str, before: str, after: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    claim = encoded()[claim_id]
    assert any(before in h.latex for h in claim.hypotheses)
    changed = tuple(Hypothesis(h.latex.replace(before, after)) for h in claim.hypotheses)
    monkeypatch.setattr(
        "audit.examine.encoded", lambda: {claim_id: replace(claim, hypotheses=changed)}
    )
    record = examine(claim_id, seed=0, effort="quick")
    assert record["verdict"] == "conflict"
    assert "less room" in record["reason"]


def test_a_witness_outside_the_words_is_a_conflict(monkeypatch: pytest.MonkeyPatch) -> None:
    claim = encoded()["noci2022.eq-18.independence"]
    prove = proof_of(claim)
    assert prove is not None
    witness = prove(claim).witness
    assert witness is not None
    size = next(v.symbol for v in claim.domain.variables if isinstance(v, Size))
    beyond = Hypothesis(rf"{size}\ge{witness.point[size] + 1}")
    strict = replace(claim, hypotheses=(*claim.hypotheses, beyond))
    assert outside(strict, witness.point) is not None
    monkeypatch.setattr("audit.examine.encoded", lambda: {claim.id: strict})
    monkeypatch.setattr("audit.examine.narrower", lambda _: None)
    record = examine(claim.id, seed=0, effort="quick")
    assert record["verdict"] == "conflict"
    assert "lies outside its own hypotheses" in record["reason"]
