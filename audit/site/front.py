"""The front page: what was witnessed, what was found false, and every statement for the search."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from audit.documents import correction_of
from audit.verdict import VERDICTS, origin_of
from audit.words.records import sentence

__all__ = ["VERDICT_MEANINGS", "front_page", "has_page", "search_rows", "witnesses_of"]

Record = Mapping[str, Any]

VERDICT_MEANINGS = {
    "proved": "proved in its full generality, and the measurement agrees",
    "supported": "measured with power and agrees; no full proof",
    "refuted": "an exact counterexample, or measured beyond the error budget",
    "vacuous": "cannot fail, or says nothing in its own range",
    "unsettled": "neither proved nor measured with power",
    "conflict": "the two witnesses disagree: a fault of this project",
}
FINDINGS = (
    ("material", "Material", "what is concluded is false, or does not follow"),
    ("missing-hypothesis", "Missing hypotheses", "true under a condition that is not printed"),
    ("misprint", "Misprints", "a sign, a factor or an index; what is meant is true"),
    ("", "Without a severity", "refuted, and nobody has judged how much depends on it"),
    ("vacuous", "Saying nothing", "they cannot fail, or say nothing in their own range"),
)
"""Severities, the gravest first, with their heading and what they mean."""
MANY = 8
"""Findings of one paper and severity that are shown at once; more are folded."""


@dataclass(frozen=True)
class Findings:
    """What was found false of one severity, by paper."""

    severity: str
    heading: str
    meaning: str
    papers: dict[str, list[Record]]

    @property
    def count(self) -> int:
        return sum(map(len, self.papers.values()))


def has_page(record: Record) -> bool:
    """Whether a statement is encoded: what is not has nothing to show on a page of its own."""
    return record.get("reason") != "not encoded"


def witnesses_of(record: Record) -> tuple[bool, bool]:
    """Whether a proof, and whether a measurement, speaks for or against a statement.

    An argument in words is no proof, and a measurement without power no measurement.
    """
    proof, measurement = record["proof"] or {}, record["measurement"] or {}
    proved = proof.get("status") in {"proved", "refuted", "vacuous"}
    measured = measurement.get("status") in {"agrees", "disagrees"}
    return proved and proof.get("grade") != "argued", measured


def front_page(document: Mapping[str, Any]) -> dict[str, Any]:
    """Counts, findings by severity and paper, and every record for the search."""
    records = document["claims"]
    papers = list(dict.fromkeys(record["paper"] for record in records))
    counts: dict[tuple[str, str], Counter[str]] = {}
    for record in records:
        counts.setdefault(origin_of(record), Counter())[record["verdict"]] += 1
    return {
        "records": records,
        "witnessed": witnessed(records),
        "findings": findings(records),
        "many": MANY,
        "counts": dict(
            sorted(counts.items(), key=lambda item: (papers.index(item[0][0]), item[0][1]))
        ),
        "verdicts": [v for v in VERDICTS if v != "conflict" or any(c[v] for c in counts.values())],
        "kinds": sorted({r["kind"] for r in records}),
        "severities": [s for s, *_ in FINDINGS if any(r["severity"] == s for r in records)],
        "meanings": VERDICT_MEANINGS,
        "truth": truth,
    }


def witnessed(records: Iterable[Record]) -> dict[str, int]:
    """How many statements have both witnesses, one of them, words beside a measurement, or none."""
    records = [record for record in records if has_page(record)]
    found = Counter(map(witnesses_of, records))
    in_words = sum((r["proof"] or {}).get("grade") == "argued" for r in records)
    return {
        "both": found[True, True], "proof": found[True, False], "measurement": found[False, True],
        "neither": found[False, False], "in_words": in_words,
        "ours": sum(bool(r.get("ours")) for r in records), "all": len(records),
    }  # fmt: skip


def findings(records: Sequence[Record]) -> list[Findings]:
    """What was found false or empty, the gravest first; what is not there is left out."""
    found = []
    for severity, heading, meaning in FINDINGS:
        papers: dict[str, list[Record]] = {}
        for record in records:
            if _finding(record) == severity:
                papers.setdefault(record["paper"], []).append(record)
        if papers:
            found.append(Findings(severity, heading, meaning, papers))
    return found


def _finding(record: Record) -> str | None:
    if record["verdict"] == "vacuous":
        return "vacuous"
    return record["severity"] or "" if record["verdict"] == "refuted" else None


def truth(record: Record) -> str:
    """One sentence: what is true instead."""
    return sentence(correction_of(record) or record["reason"])


def search_rows(records: Sequence[Record]) -> list[dict[str, str]]:
    """What search looks through, in the order of the rows on the front page."""
    return [
        {
            "id": r["id"], "paper": r["paper"], "verdict": r["verdict"],
            "severity": r["severity"] or "", "kind": r["kind"],
            "text": " ".join((r["id"], r["title"], r["source"], r.get("note") or "")).lower(),
        }
        for r in records
    ]  # fmt: skip
