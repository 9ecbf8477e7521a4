"""Verdicts are computed from two witnesses; every combination has one meaning."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest

from audit.expected import Expected
from audit.run import mark_descendants, problems
from audit.verdict import MARKS, VERDICTS, combine, origin_of
from claims.registry import encoded


@pytest.mark.parametrize(
    ("proof", "measurement", "verdict"),
    [
        ("proved", "agrees", "proved"),
        ("proved", "disagrees", "conflict"),
        ("proved", "underpowered", "unsettled"),
        ("proved", None, "unsettled"),
        ("refuted", "disagrees", "refuted"),
        ("refuted", "agrees", "conflict"),
        ("refuted", None, "refuted"),
        ("vacuous", "agrees", "vacuous"),
        ("vacuous", "disagrees", "vacuous"),
        ("undecided", "agrees", "supported"),
        (None, "agrees", "supported"),
        (None, "disagrees", "refuted"),
        (None, None, "unsettled"),
        ("undecided", "underpowered", "unsettled"),
        (None, "depends", "unsettled"),
        ("undecided", "silent", "unsettled"),
        (None, "silent", "unsettled"),
        ("refuted", "depends", "refuted"),
        ("refuted", "underpowered", "refuted"),
        ("proved", "depends", "conflict"),
        ("undecided", "disagrees", "refuted"),
        ("undecided", "depends", "unsettled"),
        ("vacuous", None, "vacuous"),
    ],
)
def test_combinations(proof: str | None, measurement: str | None, verdict: str) -> None:
    assert combine(proof, measurement).verdict == verdict
    assert verdict in VERDICTS and combine(proof, measurement).reason


@pytest.mark.parametrize(
    ("measurement", "verdict"),
    [
        ("agrees", "supported"),
        ("disagrees", "conflict"),
        ("underpowered", "unsettled"),
        ("depends", "unsettled"),
        (None, "unsettled"),
    ],
)
def test_words_support_and_never_prove(measurement: str | None, verdict: str) -> None:
    """An argued proof is one kind of proof; an argued refutation or vacuity is what it was."""
    found = combine("proved", measurement, grade="argued")
    assert found.verdict == verdict and "argu" in found.reason
    assert combine("refuted", "disagrees", grade="argued").verdict == "refuted"
    assert combine("vacuous", "agrees", grade="argued").verdict == "vacuous"
    assert combine("undecided", measurement, grade="argued") == combine("undecided", measurement)


@pytest.mark.parametrize(
    ("proof", "measurement", "verdict"),
    [
        ("undecided", "disagrees", "refuted"),
        ("undecided", None, "refuted"),
        (None, "underpowered", "refuted"),
        ("refuted", "disagrees", "refuted"),
        ("undecided", "agrees", "conflict"),
        (None, "agrees", "conflict"),
        ("proved", "agrees", "conflict"),
        ("proved", None, "conflict"),
        ("vacuous", "agrees", "conflict"),
        ("vacuous", "disagrees", "conflict"),
    ],
)
@pytest.mark.parametrize("grade", ["derived", "argued"])
def test_nothing_that_the_adversary_violates_stands(
    proof: str | None, measurement: str | None, verdict: str, grade: str
) -> None:
    assert combine(proof, measurement, "a note", grade, violated=True).verdict == verdict


def test_a_reason_ends_with_the_detail() -> None:
    assert combine(None, None, "no sampler").reason.endswith("with power: no sampler")
    assert combine(None, "agrees", "no proof yet").reason.endswith("no full proof: no proof yet")
    assert combine("undecided", "silent", "its rate").reason.endswith("a limit in it: its rate")
    assert combine(None, "depends", "the width").reason.endswith("decides: the width")
    assert combine(None, None).reason.endswith("with power")


def test_a_verdict_does_not_change() -> None:
    found = combine("proved", "disagrees")
    with pytest.raises(FrozenInstanceError):
        found.verdict = "proved"  # type: ignore[misc]


def test_each_verdict_has_a_mark_of_its_own() -> None:
    assert set(MARKS) == set(VERDICTS) and len(set(MARKS.values())) == len(VERDICTS)


def test_statements_of_ours_are_told_from_the_papers() -> None:
    assert origin_of({"paper": "toy", "ours": True}) == ("toy", ", statements of ours")
    assert origin_of({"paper": "toy", "ours": False}) == origin_of({"paper": "toy"}) == ("toy", "")


def record(name: str, verdict: str, uses: list[str]) -> dict:
    return {
        "id": name,
        "verdict": verdict,
        "uses": uses,
        "mutants": [],
        "repair": None,
        "reason": "",
    }


def test_status_travels_along_uses_unless_proved_another_way() -> None:
    records = mark_descendants(
        [
            record("false", "refuted", []),
            record("middle", "supported", ["false"]),
            record("rests", "supported", ["middle"]),
            record("independent", "proved", ["middle"]),
            record("circle", "supported", ["circle", "false"]),
            {**record("conditional", "proved", ["false"]), "given": ["false"]},
        ]
    )
    rests = {r["id"]: r["rests_on_refuted"] for r in records}
    assert rests == {
        "false": [], "middle": ["false"], "rests": ["false"], "independent": [], "circle": ["false"],
        "conditional": ["false"],
    }  # fmt: skip


def test_problems_name_surviving_mutants_conflicts_and_failed_repairs() -> None:
    survivor = record("a.b", "proved", [])
    survivor["mutants"] = [{"name": "n for n-1", "killed_by": [], "survived": ["proof"]}]
    unrepaired = record("a.c", "refuted", [])
    unrepaired["repair"] = {"id": "a.c.repair", "verdict": "unsettled", "reason": "no proof"}
    expected = Expected({"a.b": "proved", "a.c": "refuted", "a.d": "proved"})
    found = problems([survivor, unrepaired, record("a.d", "conflict", [])], expected)
    assert any("'n for n-1' survived the proof" in line for line in found)
    assert any("repair is unsettled" in line for line in found)
    assert any("a.d: conflict" in line for line in found)


def test_a_correction_stands_as_firmly_as_it_did() -> None:
    refuted = record("a.b", "refuted", [])
    refuted["repair"] = {"id": "a.b.repair", "verdict": "supported", "reason": ""}
    listed = {"a.b": "refuted", "a.b.repair": "proved"}
    assert problems([refuted], Expected(listed)) == [
        "a.b: its repair is supported, expected proved"
    ]
    for verdict in ("supported", "proved"):
        refuted["repair"]["verdict"] = verdict
        assert problems([refuted], Expected({**listed, "a.b.repair": verdict})) == []
        assert problems([refuted], Expected({"a.b": "refuted"})) == []


def test_every_correction_has_an_expected_verdict() -> None:
    verdicts = Expected.read().verdicts
    corrections = [claim.repair.id for claim in encoded().values() if claim.repair]
    assert len(corrections) > 100 and set(corrections) <= set(verdicts)


@pytest.mark.parametrize("witness", ["proof", "measurement"])
@pytest.mark.parametrize("verdict", ["proved", "supported"])
def test_what_stands_must_have_rejected_something(verdict: str, witness: str) -> None:
    expected, stands = Expected({"a.b": verdict}), record("a.b", verdict, [])
    (line,) = problems([stands], expected)
    assert line.startswith("a.b: no false twin of it was rejected")
    variant = {**stands, "variants": {f"killed_by_{witness}": ["n for d"]}}
    mutant = {**stands, "mutants": [{"name": "m", "killed_by": [witness], "survived": []}]}
    assert problems([variant], expected) == problems([mutant], expected) == []
    refuted = record("a.b", "refuted", [])
    assert problems([refuted], Expected({"a.b": "refuted"})) == []
