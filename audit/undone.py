"""Records of claims about which nothing was found out, and why."""

from __future__ import annotations

from typing import Any

from claims.registry import Entry, encoded

__all__ = ["WORKER_DIED", "not_encoded", "unexamined"]

WORKER_DIED = "its worker died twice"


def not_encoded(entry: Entry) -> dict[str, Any]:
    """The record of a claim that is listed but not encoded: coverage is always visible."""
    return {
        "id": entry.id, "paper": entry.paper, "source": entry.source, "kind": entry.kind,
        "title": "", "statement": "", "ours": ".beyond." in entry.id, "hypotheses": [], "uses": [],
        "verdict": "unsettled", "severity": None, "reason": "not encoded", "note": "",
        "rests_on_refuted": [], "proof": None, "measurement": None, "adversary": None,
        "mutants": [], "repair": None, "code": [],
    }  # fmt: skip


def unexamined(claim_id: str, verdict: str, reason: str) -> dict[str, Any]:
    """The record of an encoded claim that was not examined to the end."""
    claim = encoded()[claim_id]
    entry = Entry(claim.id, claim.paper, str(claim.source), claim.kind)
    described = {"title": claim.title, "statement": claim.statement.latex()}
    return {**not_encoded(entry), **described, "verdict": verdict, "reason": reason}
