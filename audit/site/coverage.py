"""The page of what no witness settles, or only one, with the reasons, each reason once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from audit.formulas.asciimath import as_prose
from audit.site.front import has_page

__all__ = ["Because", "Topic", "topics"]

Record = Mapping[str, Any]
Reasons = Iterator[tuple[str, str]]
"""Why a witness is missing: the reason that statements share, and what is said of one alone."""


@dataclass
class Because:
    """A reason, the statements that it holds for, and what is said of some of them alone."""

    reason: str
    records: list[Record] = field(default_factory=list)
    details: dict[str, str] = field(default_factory=dict)

    @property
    def papers(self) -> dict[str, list[Record]]:
        """The statements by paper."""
        found: dict[str, list[Record]] = {}
        for record in self.records:
            found.setdefault(record["paper"], []).append(record)
        return found


@dataclass(frozen=True)
class Topic:
    """A kind of gap, what it means, and its reasons, the most frequent first."""

    anchor: str
    heading: str
    meaning: str
    reasons: list[Because]

    @property
    def count(self) -> int:
        return len({record["id"] for because in self.reasons for record in because.records})


def topics(records: Sequence[Record]) -> list[Topic]:
    """Every kind of gap that these records have."""
    encoded = [record for record in records if has_page(record)]
    found = [
        Topic(anchor, heading, meaning, _by_reason(encoded, why)) for anchor, heading, meaning, why in KINDS
    ]  # fmt: skip
    return [topic for topic in found if topic.reasons]


def _by_reason(records: Iterable[Record], why: Callable[[Record], Reasons]) -> list[Because]:
    """Statements by reason; a first sentence that several have of their own is part of the reason."""
    found = [(record, *pair) for record in records for pair in why(record)]
    often = Counter(_sentences(detail)[0] for _, _, detail in found)
    groups: dict[str, Because] = {}
    for record, reason, detail in found:
        first, rest = _sentences(detail)
        if first and often[first] > 1:
            reason, detail = f"{reason}: {first}", rest
        because = groups.setdefault(reason, Because(reason))
        because.records.append(record)
        if detail:
            because.details[record["id"]] = detail
    return sorted(groups.values(), key=lambda because: -len(because.records))


def _sentences(text: str) -> tuple[str, str]:
    """The first sentence of a text, and the others."""
    first, _, rest = text.partition(". ")
    return first.removesuffix("."), rest


def _unsettled(record: Record) -> Reasons:
    if record["verdict"] == "unsettled":
        yield _parted(record)


def _not_proved(record: Record) -> Reasons:
    if record["verdict"] == "supported" and (record["proof"] or {}).get("grade") != "argued":
        yield _parted(record)


def _argued(record: Record) -> Reasons:
    proof = record["proof"] or {}
    if record["verdict"] == "supported" and proof.get("grade") == "argued":
        yield f"In words: {proof['method']}", ""


def _one_scale(record: Record) -> Reasons:
    """Scales at which there is no measurement, or none with power."""
    measurement = record["measurement"] or {}
    for found in measurement.get("scales", []):
        if found.get("reason"):
            yield f"Not measured at {found['scale']} scale: {found['reason']}", ""
        elif found.get("status") == "underpowered":
            yield f"Without power at {found['scale']} scale", _not_told_from(record, found["scale"])


def _not_told_from(record: Record, scale: str) -> str:
    """The false twins that the measurement at a scale does not rule out."""
    near = [c.get("nearest") for c in record["measurement"]["cases"] if c.get("scale") == scale]
    names = map(as_prose, dict.fromkeys(filter(None, near)))
    return f"not told from {' or '.join(names)}" if any(near) else ""


def _not_attackable(record: Record) -> Reasons:
    found = record["adversary"]
    if found and not found.get("starts", 1):
        yield found.get("sentence") or "Not attackable", ""


def _parted(record: Record) -> tuple[str, str]:
    """What a verdict's reason says of every such statement, and what it says of this one."""
    reason, note = record["reason"], record.get("note") or ""
    alone = note if note and reason.endswith(f": {note}") else ""
    return (reason[: -len(alone) - 2], alone) if alone else (reason, "")


KINDS: tuple[tuple[str, str, str, Callable[[Record], Reasons]], ...] = (
    ("unsettled", "Unsettled", "Nothing here is called true or false.", _unsettled),
    (
        "measured", "Measured, and not proved",
        "The measurement agrees with power; why there is no proof stands beside each.", _not_proved,
    ),
    (
        "argued", "Argued in words, and measured",
        "The measurement agrees; the argument was not derived by the kernel. By what it rests on:",
        _argued,
    ),
    (
        "scales", "Measured at small sizes only",
        "Other sizes have no measurement, or one that cannot tell the statement from a false twin.",
        _one_scale,
    ),
    (
        "adversary", "Inequalities that the adversary does not attack",
        "They are measured, and no search looks for a violation.", _not_attackable,
    ),
)  # fmt: skip
