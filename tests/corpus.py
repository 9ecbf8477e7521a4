"""What claims say to readers: of all claims, and of a whole audit where one has been left."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from claims.registry import encoded

LAST = Path(__file__).resolve().parent.parent / "out" / "audit.json"
"""Where `make audit` leaves its document."""


def last_records() -> list[dict[str, Any]]:
    """The records of the last audit, none where there is no document."""
    if not LAST.exists():
        return []
    found: list[dict[str, Any]] = json.loads(LAST.read_text(encoding="utf-8"))["claims"]
    return found


def texts_of_claims() -> list[str]:
    """Statements, hypotheses, titles, notes and names of twins of every claim, each once; and what
    the last audit says of them, steps of proofs among it."""
    said = [text for claim in encoded().values() for text in _texts(claim)]
    said += [text for record in last_records() for text in _recorded(record)]
    return list(dict.fromkeys(filter(None, said)))


def _texts(claim: Any) -> Iterator[str]:
    for each in filter(None, (claim, claim.repair)):
        yield from (each.statement.latex(), each.printed or "", each.title, each.note)
        yield from (hypothesis.latex for hypothesis in each.hypotheses)
        yield from (text for u in each.understood for text in (u.hypothesis, u.instance))
        yield from (mutant.name for mutant in each.mutants)


def _recorded(record: Mapping[str, Any]) -> Iterator[str]:
    for each in filter(None, (record, record["repair"])):
        proof = each.get("proof") or {"steps": (), "method": ""}
        yield from (each.get("reason", ""), proof["method"])
        yield from (text for step in proof["steps"] for text in (step["claim"], step["by"]))
    yield (record["adversary"] or {}).get("sentence") or ""
    for names in (record.get("variants") or {}).values():
        yield from names if isinstance(names, list) else ()
