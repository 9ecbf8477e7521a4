"""The verdict on a claim, computed from its two witnesses and never typed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["MARKS", "VERDICTS", "Verdict", "combine", "origin_of"]

VERDICTS = ("proved", "supported", "refuted", "vacuous", "unsettled", "conflict")
MARKS = dict(zip(VERDICTS, "✓≈✗∅?!", strict=True))
"""A mark beside the colour: nothing is told by colour alone."""


@dataclass(frozen=True)
class Verdict:
    """One of `VERDICTS` and one sentence of reason."""

    verdict: str
    reason: str


def combine(
    proof: str | None,
    measurement: str | None,
    detail: str = "",
    grade: str | None = "derived",
    *,
    violated: bool = False,
) -> Verdict:
    """Combine the status of a proof and of a measurement, and what the adversary found.

    An argued proof has words in its tree; it supports a claim and does not prove it.  A violation is
    confirmed exactly, so that it refutes where a proof is silent, and contradicts any other.

    `proof` is "proved", "refuted", "vacuous", "undecided" or None; `measurement` is "agrees",
    "disagrees", "underpowered", "depends" (on what the print leaves open), "silent" (on a limit that is
    stated) or None.  `detail` is appended to an open verdict's reason.

    >>> combine("proved", "disagrees").verdict
    'conflict'
    >>> combine("undecided", "disagrees", violated=True).verdict
    'refuted'
    """
    if violated and proof in {"proved", "vacuous"}:
        return Verdict("conflict", f"called {proof}, but violated at an exact point: a bug of ours")
    if violated:
        return combine("refuted", measurement)
    if proof == "proved" and grade == "argued":
        return _argued(measurement)
    match proof, measurement:
        case "proved", "agrees":
            return Verdict("proved", "proved in full generality, and the measurement agrees")
        case "proved", "disagrees" | "depends":
            return Verdict(
                "conflict", "the proof holds but the measurement disagrees: a bug of ours"
            )
        case "proved", None:
            return Verdict("unsettled", "proved, but no estimator measures it")
        case "proved", "underpowered":
            return Verdict("unsettled", "proved, but the measurement lacks power at this budget")
        case "refuted", "agrees":
            return Verdict("conflict", "an exact witness refutes what the measurement accepts")
        case "refuted", "disagrees":
            return Verdict("refuted", "an exact witness, and the measurement disagrees")
        case "refuted", _:
            return Verdict("refuted", "an exact witness")
        case "vacuous", _:
            return Verdict("vacuous", "it cannot fail, or says nothing in its own range")
        case _, "depends":
            return Verdict("unsettled", _with("what the print leaves open decides", detail))
        case _, "silent":
            return Verdict("unsettled", _with("nothing measured decides a limit in it", detail))
        case _, "agrees":
            return Verdict("supported", _with("measured with power; no full proof", detail))
        case _, "disagrees":
            return Verdict("refuted", "measured beyond the error budget")
    return Verdict("unsettled", _with("neither proved nor measured with power", detail))


def _argued(measurement: str | None) -> Verdict:
    match measurement:
        case "agrees":
            return Verdict("supported", "argued in words, and the measurement agrees")
        case "disagrees":
            return Verdict("conflict", "an argument in words, but the measurement disagrees")
    return Verdict("unsettled", "argued in words, and not measured with power")


def _with(reason: str, detail: str) -> str:
    return f"{reason}: {detail}" if detail else reason


def origin_of(record: Mapping[str, Any]) -> tuple[str, str]:
    """The paper that a claim is about, and what to add where the paper does not state it."""
    return record["paper"], ", statements of ours" if record.get("ours") else ""
