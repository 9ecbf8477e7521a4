"""What the front page shows, from the records of an audit document alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from audit.documents import correction_of
from audit.verdict import MARKS, VERDICTS, origin_of

__all__ = ["front_page", "search_rows"]

Record = Mapping[str, Any]

VERDICT_MEANINGS = {
    "proved": "proved in its full generality, and the measurement agrees",
    "supported": "measured with power and agrees; no full proof",
    "refuted": "an exact counterexample, or measured beyond the error budget",
    "vacuous": "cannot fail, or says nothing in its own range",
    "unsettled": "neither proved nor measured with power",
    "conflict": "the two witnesses disagree: a fault of this project",
}


def front_page(document: Mapping[str, Any]) -> dict[str, Any]:
    """Statements found false first, then counts, then every claim with search and filters."""
    records = document["claims"]
    counts: dict[tuple[str, str], Counter[str]] = {}
    for record in records:
        counts.setdefault(origin_of(record), Counter())[record["verdict"]] += 1
    return {
        "records": records,
        "untrue": [r for r in records if r["verdict"] in {"refuted", "vacuous"}],
        "counts": counts,
        "verdicts": VERDICTS,
        "kinds": sorted({r["kind"] for r in records}),
        "marks": MARKS,
        "meanings": VERDICT_MEANINGS,
        "truth": truth,
    }


def truth(record: Record) -> str:
    """One sentence: what is true instead."""
    return correction_of(record) or record["reason"]


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
