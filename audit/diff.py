"""What changed between two audits: verdicts first, then what stands behind them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from audit.sinks import printable
from audit.terminal.layout import WIDTH, counted

__all__ = ["Change", "changes", "print_changes"]

Record = Mapping[str, Any]


@dataclass(frozen=True)
class Change:
    """One claim that differs: its verdict before and after (None where absent), and why."""

    id: str
    before: str | None
    after: str | None
    why: tuple[str, ...]

    @property
    def of_verdict(self) -> bool:
        return self.before != self.after

    def as_json(self) -> dict[str, Any]:
        return {"id": self.id, "before": self.before, "after": self.after, "why": list(self.why)}


def changes(old: Record, new: Record) -> list[Change]:
    """Claims that differ between two documents, verdict changes first, each in document order."""
    before = {record["id"]: record for record in old["claims"]}
    after = {record["id"]: record for record in new["claims"]}
    found = []
    for claim_id in dict.fromkeys([*before, *after]):
        was, now = before.get(claim_id), after.get(claim_id)
        why = _why(was, now)
        if why:
            found.append(
                Change(claim_id, was and was["verdict"], now and now["verdict"], tuple(why))
            )
    return sorted(found, key=lambda change: not change.of_verdict)


def _why(was: Record | None, now: Record | None) -> list[str]:
    if was is None or now is None:
        return ["only in the second document" if was is None else "only in the first document"]
    compared = {
        "statement": (was["statement"], now["statement"]),
        "severity": (was["severity"], now["severity"]),
        "proof": (_status(was, "proof"), _status(now, "proof")),
        "hypotheses of the proof": (_part(was, "assumed"), _part(now, "assumed")),
        "witness": (_part(was, "witness"), _part(now, "witness")),
        "measurement": (_status(was, "measurement"), _status(now, "measurement")),
        "repair": (_repair(was), _repair(now)),
        "rests on refuted": (was["rests_on_refuted"], now["rests_on_refuted"]),
        "surviving mutants": (_survivors(was), _survivors(now)),
    }
    why = [_line(what, a, b) for what, (a, b) in compared.items() if a != b]
    if was["verdict"] != now["verdict"] and not why:
        why = [_line("reason", was["reason"], now["reason"])]
    return why


def _line(what: str, before: Any, after: Any) -> str:
    if what in {"statement", "witness", "hypotheses of the proof"}:
        return f"{what} changed"
    return f"{what}: {_shown(before)} -> {_shown(after)}"


def _shown(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(value) or "none"
    return "none" if value is None else str(value)


def _status(record: Record, witness: str) -> str | None:
    return record[witness]["status"] if record[witness] else None


def _part(record: Record, field: str) -> Any:
    return record["proof"].get(field) if record["proof"] else None


def _repair(record: Record) -> str | None:
    return record["repair"]["verdict"] if record["repair"] else None


def _survivors(record: Record) -> list[str]:
    return [m["name"] for m in record["mutants"] if m.get("survived")]


def print_changes(found: list[Change], console: Console) -> None:
    """A line for each claim: verdict before, after, and why."""
    if not found:
        console.print("no claim differs", highlight=False)
        return
    table = Table(width=min(WIDTH, console.width), padding=(0, 1, 0, 0), box=None, pad_edge=False)
    for heading in ("claim", "before", "after", "why"):
        table.add_column(heading, overflow="fold", ratio=1 if heading in {"claim", "why"} else None)
    for change in found:
        row = (change.id, change.before or "-", change.after or "-", "; ".join(change.why))
        table.add_row(*(Text(printable(cell)) for cell in row))  # words, no markup
    console.print(table)
    turned = sum(change.of_verdict for change in found)
    differ = f"{counted(len(found), 'claim')} {'differs' if len(found) == 1 else 'differ'}"
    console.print(f"{counted(turned, 'verdict')} changed, {differ}", highlight=False)
