"""The opening of errata: how much of a paper stands, and which of its numbered results do."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from audit.sinks import Prose
from audit.words.lists import listed

__all__ = ["letter", "numbered"]

Record = Mapping[str, Any]
_RESULT = re.compile(
    r"(?P<kind>Theorem|Thm|Lemma|Proposition|Prop\.|Corollary)\s+(?P<number>(?:[A-Z]\.)?\d+(?:\.\d+)?)"
    r"(?: and its proof| \(.*\))?"
)
_FULL = {"Thm": "Theorem", "Prop.": "Proposition"}
HOLDS = {"proved", "supported"}


def letter(
    own: Sequence[Record], kinds: Mapping[str, str | None], outside: int
) -> list[tuple[str, Prose]]:
    """Headings and paragraphs: what stands, what does not, what is a misprint; `outside` the statements
    so many more were read."""
    verdicts, found = [record["verdict"] for record in own], list(kinds.values())
    stand, misprinted, changed = map(_listed, numbered(own, kinds))
    stands = [
        f"{_statements(verdicts.count('proved'), 'is', 'are')} proved as printed, and "
        f"{verdicts.count('supported')} more hold by an argument in words or by measurement.",
        f"Of the numbered results these hold in every clause: {stand}." if stand else "",
        f"These hold once a misprint is corrected: {misprinted}." if misprinted else "",
    ]
    counted = [
        _statements(found.count("material"), "is", "are") + " false in substance",
        _needing(found.count("missing-hypothesis"), "needs", "need", "a hypothesis that is not printed"),
        _needing(found.count("vacuous"), "says", "say", "nothing: the hypotheses exclude each other, "
                 "or it cannot fail"),
    ]  # fmt: skip
    fails = [
        f"{listed(list(filter(None, counted)))}.",
        f"Among them are clauses of {changed}." if changed else "",
        "Where a proof takes a wrong step and its result stands all the same, the step says so.",
    ]
    slips = [
        f"{found.count('misprint')} more are slips of the pen, in a table at the end. Formulas were "
        "transcribed from the text of the paper: where a slip hangs on a single sign, the "
        "transcription may have lost it."
        if "misprint" in found
        else "None was found.",
        f"{outside} outside the statements, found by reading alone, {'ends' if outside == 1 else 'end'} "
        "the letter."
        if outside
        else "",
        f"{_statements(verdicts.count('unsettled'), 'is', 'are')} left open and not listed."
        if "unsettled" in verdicts
        else "",
    ]
    paragraphs = (("What stands", stands), ("What does not", fails), ("Misprints", slips))
    return [(heading, Prose(" ".join(filter(None, said)))) for heading, said in paragraphs]


def _statements(count: int, one: str, many: str) -> str:
    return f"{count} statement {one}" if count == 1 else f"{count or 'No'} statements {many}"


def _needing(count: int, one: str, many: str, what: str) -> str:
    return f"{count} {one if count == 1 else many} {what}" if count else ""


def numbered(
    own: Sequence[Record], kinds: Mapping[str, str | None]
) -> tuple[list[str], list[str], list[str]]:
    """Theorems, lemmas, propositions and corollaries that stand in every clause, that stand once a
    misprint is corrected, and that need more; what is not settled is in none of them."""
    clauses: dict[str, list[Record]] = {}
    for record in own:
        for result in _results(record["source"]):
            clauses.setdefault(result, []).append(record)
    stand: list[str] = []
    misprinted: list[str] = []
    changed: list[str] = []
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
        said.append(f"{plural} {listed(numbers)}")
    return "; ".join(said)


def _place(number: str) -> tuple[str, list[int]]:
    """Results of the main text first, then those of each appendix."""
    parts = number.split(".")
    return parts[0] if parts[0].isalpha() else "", [int(part) for part in parts if part.isdigit()]
