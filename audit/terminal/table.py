"""The table that `twofold audit` prints: one claim a line, which a terminal that is too narrow folds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from audit.terminal.layout import WIDTH, counted, wrapped
from audit.verdict import VERDICTS, origin_of

__all__ = [
    "COLOURS",
    "NARROW",
    "NOT_ENCODED",
    "WIDTH",
    "print_summary",
    "print_table",
    "summary_of",
]

COLOURS = {
    "proved": "green", "supported": "cyan", "refuted": "red", "vacuous": "magenta",
    "unsettled": "yellow", "conflict": "bold white on red",
}  # fmt: skip
NOT_ENCODED = "not encoded"
HEADINGS = ("verdict", "severity", "proof", "measured", "mutants", "variants")
LEAST = 24
"""Columns below which ids have no room beside the others."""
NARROW = 80
"""Columns below which there is no room for a table."""


def print_table(records: Sequence[dict[str, Any]], console: Console) -> None:
    """One line a claim: id, verdict, severity, both witnesses, mutants and variants rejected.

    A narrow terminal, whose columns would take the room of the ids, gets a few lines a claim.  In a pipe
    no id is cut, so that a search for one finds it; a terminal has long ones in two lines.
    """
    rows = [_row(record) for record in records if record["reason"] != NOT_ENCODED]
    columns = zip(*((*map(str, row[1:]),) for row in (("claim", *HEADINGS), *rows)), strict=True)
    beside = sum(1 + max(map(cell_len, column)) for column in columns)
    room = console.width - beside
    if console.width < NARROW or (console.is_terminal and room < LEAST):
        for row in rows:
            _print_one(row, console)
        return
    ids = max((len(row[0]) for row in rows), default=0)
    ids = max(min(ids, room) if console.is_terminal else ids, min(WIDTH, console.width) - beside)
    table = Table(width=ids + beside, padding=(0, 1, 0, 0), box=None, pad_edge=False)
    table.add_column("claim", no_wrap=True, ratio=1)
    for heading in HEADINGS[:4]:
        table.add_column(heading, no_wrap=True)
    for heading in HEADINGS[4:]:
        table.add_column(heading, no_wrap=True, justify="right")
    for claim_id, *others in rows:
        table.add_row("\n".join(_in_parts(claim_id, ids)), *others)
    console.print(table, width=ids + beside, crop=False, soft_wrap=True)


def _in_parts(claim_id: str, width: int) -> list[str]:
    """An id in lines of so many columns, which end after a dot or a hyphen where one comes late enough."""
    parts = []
    while len(claim_id) > width:
        end = 1 + max(claim_id.rfind(sign, width // 2, width) for sign in ".-")
        parts.append(claim_id[: end or width])
        claim_id = claim_id[end or width :]
    return [*parts, claim_id]


def _print_one(row: tuple[Any, ...], console: Console) -> None:
    """The id whole on a line of its own, the verdict below it, and what else there is by its name."""
    claim_id, verdict, severity, *others = row
    console.print(claim_id, soft_wrap=True, highlight=False)
    console.print(Text("  ").append_text(verdict).append(f" {severity}".rstrip()), soft_wrap=True)
    named = (
        f"{name} {said}" for name, said in zip(HEADINGS[2:], others, strict=True) if said != "-"
    )
    for line in wrapped(", ".join(named), console.width, "  "):
        console.print(line, soft_wrap=True, highlight=False)


def _row(record: dict[str, Any]) -> tuple[Any, ...]:
    verdict = record["verdict"]
    severity = (record["severity"] or "").replace("missing-hypothesis", "missing hyp.")
    proof = _status(record["proof"]) if record["proof"] else "-"
    measured = _measured(record["measurement"])
    killed = sum(1 for m in record["mutants"] if m["killed_by"] and not m["survived"])
    mutants = f"{killed}/{len(record['mutants'])}" if record["mutants"] else "-"
    shown = Text(verdict, style=COLOURS[verdict])
    return (
        record["id"],
        shown,
        severity,
        proof,
        measured,
        mutants,
        _variants(record.get("variants")),
    )


def _status(proof: dict[str, Any]) -> str:
    """A proof with words in its tree is called argued, whatever it shows."""
    return "argued" if proof["grade"] == "argued" else str(proof["status"])


def _measured(measurement: dict[str, Any] | None) -> str:
    """The status; and the scale, where a larger one leaves the matter open."""
    if measurement is None:
        return "-"
    open_at = [s["scale"] for s in measurement.get("scales", ()) if s["status"] == "underpowered"]
    status = str(measurement["status"])
    weak = status == "agrees" and open_at
    return f"{status} (not at {open_at[-1]} scale)" if weak else status


def _variants(found: dict[str, Any] | None) -> str:
    """Variants made by machine that a witness rejected, or that are proved true."""
    if not found:
        return "-"
    rejected = {*found["killed_by_proof"], *found["killed_by_measurement"], *found["proved"]}
    return f"{len(rejected)}/{found['tried']}" if found["tried"] else "-"


def print_summary(records: Sequence[dict[str, Any]], seconds: float, console: Console) -> None:
    """A line for each paper; what is not encoded and what the paper does not state, apart."""
    papers: dict[str, list[dict[str, Any]]] = {}
    for record in records:
        papers.setdefault("".join(origin_of(record)), []).append(record)
    for paper, found in papers.items():
        console.print(f"{paper}: {summary_of(found)}", highlight=False, soft_wrap=True)
    console.print(f"{counted(len(records), 'claim')} in {seconds:.1f} s", highlight=False)


def summary_of(records: Sequence[dict[str, Any]]) -> str:
    """How many of each verdict, which add up; and how many of the false ones are mended.

    >>> summary_of([{"verdict": "proved", "reason": "", "repair": None}] * 2)
    '2 proved'
    """
    counts = Counter(_counted_as(record) for record in records)
    parts = [f"{counts[name]} {name}" for name in (*VERDICTS, NOT_ENCODED) if counts[name]]
    total = f" = {len(records)}" if len(parts) > 1 else ""
    mended = Counter(
        record["verdict"]
        for record in records
        if record["repair"] and record["repair"]["verdict"] == "proved"
    )
    have = [
        f"{mended[name]} of the {name} {'has' if mended[name] == 1 else 'have'} a proved correction"
        for name in VERDICTS
        if mended[name]
    ]
    return "; ".join([" + ".join(parts) + total, *have])


def _counted_as(record: dict[str, Any]) -> str:
    return NOT_ENCODED if record["reason"] == NOT_ENCODED else str(record["verdict"])
