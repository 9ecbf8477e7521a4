"""Verdicts are computed from two witnesses; every combination has one meaning."""

from __future__ import annotations

import pytest

from audit.expected import Expected
from audit.run import mark_descendants, problems
from audit.verdict import VERDICTS, combine


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
        ("refuted", "depends", "refuted"),
    ],
)
def test_combinations(proof: str | None, measurement: str | None, verdict: str) -> None:
    assert combine(proof, measurement).verdict == verdict
    assert verdict in VERDICTS and combine(proof, measurement).reason


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
    unrepaired["repair"] = {"verdict": "unsettled", "reason": "no proof"}
    expected = Expected({"a.b": "proved", "a.c": "refuted", "a.d": "proved"})
    found = problems([survivor, unrepaired, record("a.d", "conflict", [])], expected)
    assert any("'n for n-1' survived the proof" in line for line in found)
    assert any("repair is unsettled" in line for line in found)
    assert any("a.d: conflict" in line for line in found)
