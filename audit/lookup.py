"""Where `twofold show` finds the record of a claim: in a document, in the store, or by examining it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from rich.console import Console

from audit.documents import BadDocument, read_record
from audit.reuse.results import Reuse
from audit.reuse.sources import code_fingerprint
from audit.run import Options
from claims.registry import Entry

__all__ = ["LAST", "Found", "find"]

LAST = Path("out/audit.json")
"""Where `make audit` leaves its document."""
_MISSING = {
    "printed": "the formula as printed", "understood": "what is understood",
    "variants": "false variants made by machine", "given": "which claims the proof assumes",
}  # fmt: skip
"""What schema 1 did not hold, as a reader knows it."""


@dataclass(frozen=True)
class Found:
    """The record of a claim, with how it was made and, in sentences, where it was found."""

    record: Mapping[str, Any]
    budget: str
    seed: int
    origin: tuple[str, ...]
    announced: bool = False
    """Whether a reader was told before it was made."""


def find(
    entry: Entry, *, source: str | None, fresh: bool, budget: str | None, seed: int | None,
    announce: Callable[[], None],
) -> Found:  # fmt: skip
    """The record of an encoded claim; `announce` is called before it is examined now.

    A document that is named is taken as it is; the last one only if it was made by this code with the
    budget and the seed that were asked for.  Raises `BadDocument` for a named one that cannot be used.
    """
    if source is not None:
        header, record = read_record(source, entry.id)
        return _in_document(source, header, record)
    found, reason = (None, "") if fresh else _in_last(entry.id, budget, seed)
    if found is not None:
        return found
    return _computed(entry, Options(seed or 0, budget or "quick", fresh=fresh), reason, announce)


def _in_document(path: Path | str, header: Mapping[str, Any], record: Mapping[str, Any]) -> Found:
    made = f"{_day(header['started'])}, budget {header['budget']}, seed {header['seed']}"
    origin = [f"From {path}: {made}."]
    if not _is_of_this_code(header):
        origin.append(
            f"It was made by other code; `twofold show {record['id']} --fresh` looks anew."
        )
    if missing := [words for name, words in _MISSING.items() if name not in record]:
        origin.append(f"Its schema is {header['schema']}: it lacks {', '.join(missing)}.")
    return Found(record, header["budget"], header["seed"], tuple(origin))


def _in_last(claim_id: str, budget: str | None, seed: int | None) -> tuple[Found | None, str]:
    """What the last document says of a claim; else, where there is one, why it is not used."""
    if not LAST.exists():
        return None, ""
    try:
        header, record = read_record(LAST, claim_id)
    except BadDocument as fault:
        return None, f"{fault}."
    if (budget or header["budget"], header["seed"] if seed is None else seed) != (
        header["budget"], header["seed"],
    ):  # fmt: skip
        return None, f"{LAST} has budget {header['budget']} and seed {header['seed']}."
    if not _is_of_this_code(header):
        day = _day(header["started"])
        return None, f"{LAST} of {day} was made by other code; `make audit` makes it anew."
    return _in_document(LAST, header, record), ""


def _is_of_this_code(header: Mapping[str, Any]) -> bool:
    return bool(header["environment"].get("code") == code_fingerprint())


def _day(started: str) -> str:
    """A date for readers; a document may hold any text there."""
    try:
        moment = datetime.fromisoformat(started)
    except ValueError:
        return started
    return f"{moment.day} {moment:%B %Y}"


def _computed(entry: Entry, options: Options, reason: str, announce: Callable[[], None]) -> Found:
    """The result that the store holds, or that this process finds out now."""
    reuse = Reuse(options)
    made = f"budget {options.budget}, seed {options.seed}"
    # Without the outline of an audit the store would have to load all claims to find one of them.
    kept = reuse.records((entry.id,)) if reuse.outline is not None else {}
    if kept:
        record, origin = kept[entry.id], "A kept result: {}; nothing has changed since it was made."
    else:
        announce()
        with Console(stderr=True).status(f"examining {entry.id}"):
            from audit.workers import work  # loads torch

            record = work(entry.id, options.seed, options.budget, options.device)
        if reuse.outline is not None:
            reuse.keep(record)
        origin = "Computed now: {}."
    reuse.close()
    said = tuple(filter(None, (reason, origin.format(made))))
    return Found(record, options.budget, options.seed, said, announced=not kept)
