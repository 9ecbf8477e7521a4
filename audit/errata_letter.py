"""The opening of errata: how much of a paper stands, and which of its numbered results do."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from audit.sinks import Prose

__all__ = ["letter", "numbered"]

Record = Mapping[str, Any]
_RESULT = re.compile(
    r"(?P<kind>Theorem|Thm|Lemma|Proposition|Prop\.|Corollary)\s+(?P<number>(?:[A-Z]\.)?\d+(?:\.\d+)?)"
    r"(?: and its proof| \(.*\))?"
)
_FULL = {"Thm": "Theorem", "Prop.": "Proposition"}
HOLDS = {"proved", "supported"}


def letter(own: Sequence[Record], kinds: Mapping[str, str | None]) -> dict[str, Any]:
    """Counts of the verdicts, and the numbered results by what became of them."""
    verdicts = [record["verdict"] for record in own]
    stand, misprinted, changed = numbered(own, kinds)
    return {
        "total": len(own), "proved": verdicts.count("proved"),
        "supported": verdicts.count("supported"), "open": verdicts.count("unsettled"),
        "found": {kind: list(kinds.values()).count(kind) for kind in set(kinds.values()) if kind},
        "stand": Prose(_listed(stand)), "misprinted": Prose(_listed(misprinted)),
        "changed": Prose(_listed(changed)),
    }  # fmt: skip


def numbered(
    own: Sequence[Record], kinds: Mapping[str, str | None]
) -> tuple[list[str], list[str], list[str]]:
    """Theorems, lemmas, propositions and corollaries that stand in every clause, that stand once a
    misprint is corrected, and that need more; what is not settled is in none of them."""
    clauses: dict[str, list[Record]] = {}
    for record in own:
        for result in _results(record["source"]):
            clauses.setdefault(result, []).append(record)
    stand, misprinted, changed = [], [], []
    for result, records in clauses.items():
        found = {kinds[r["id"]] for r in records} - {None}
        if found - {"misprint"}:
            changed.append(result)
        elif not all(r["verdict"] in HOLDS or kinds[r["id"]] for r in records):
            continue
        else:
            (misprinted if found else stand).append(result)
    return stand, misprinted, changed


def _results(source: str) -> list[str]:
    """The numbered results whose statement a source names: not a proof, not what stands around it."""
    results = []
    for place in source.split(";"):
        parts = [part.strip() for part in place.split(",")]
        if any(re.match(r"(?:proof|after|before)\b", part, re.IGNORECASE) for part in parts):
            continue
        for part in parts:
            if named := _RESULT.fullmatch(part):
                kind = named["kind"]
                results.append(f"{_FULL.get(kind, kind)} {named['number']}")
    return results


def _listed(results: Sequence[str]) -> str:
    """`Lemmas 3.2 and A.1; Theorem 3.2`."""
    kinds: dict[str, list[str]] = {}
    for result in results:
        kind, number = result.split()
        kinds.setdefault(kind, []).append(number)
    said = []
    for kind, unordered in kinds.items():
        numbers = sorted(unordered, key=_place)
        plural = kind if len(numbers) == 1 else f"{kind[:-1]}ies" if kind[-1] == "y" else f"{kind}s"
        said.append(f"{plural} {' and '.join(filter(None, (', '.join(numbers[:-1]), numbers[-1])))}")
    return "; ".join(said)


def _place(number: str) -> tuple[str, list[int]]:
    """Results of the main text first, then those of each appendix."""
    parts = number.split(".")
    return parts[0] if parts[0].isalpha() else "", [int(part) for part in parts if part.isdigit()]
