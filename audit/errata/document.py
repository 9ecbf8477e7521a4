"""Errata: what of a paper does not hold as printed, as a letter that its authors can check.

First what stands; then what is false in substance, what lacks a hypothesis, what says nothing, each
with its counterexample or argument and its correction; misprints in a table; and what lies outside the
statements, which was read and not checked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from audit.errata.letter import letter
from audit.errata.sinks import environment
from audit.formulas.comparison import (
    added_hypotheses,
    compared,
    dropped_hypotheses,
    family,
    underlined,
)
from audit.formulas.numbers import decimal_latex
from audit.sinks import Formula, Prose
from audit.words.records import counterexample_of, sentence
from claims.registry import Slip, index, paper

__all__ = ["errata"]

GROUPS = ("material", "missing-hypothesis", "vacuous", "misprint")
"""Kinds of findings, in the order of the letter."""


def errata(document: Mapping[str, Any], name: str, author: str | None = None) -> dict[str, str]:
    """The letter on one paper, from an audit document: its Markdown and LaTeX text by file suffix."""
    own = [
        record
        for record in document["claims"]
        if record["paper"] == name and not record.get("ours")
    ]
    kinds = {record["id"]: _kind(record) for record in own}
    groups: dict[str, list[dict[str, Any]]] = {group: [] for group in GROUPS}
    number = 0
    for group in GROUPS:
        for record in own:
            if kinds[record["id"]] == group:
                number += 1
                groups[group].append({"number": number, **_finding(record, own)})
    about = paper(name)
    values = {
        "paper": about, "author": author, "letter": letter(own, kinds, len(about.slips)),
        "checked": _checked(len(own), name), "groups": groups,
        "slips": [_slip(slip) for slip in about.slips],
        "budget": Formula(decimal_latex(Decimal(f"{document['false_alarm_budget']:.0e}"))),
        "version": document["twofold"], "seed": document["seed"],
        "commit": (document["environment"]["commit"] or "")[:12], "date": document["started"][:10],
    }  # fmt: skip
    return {
        suffix: environment(suffix).get_template(f"errata.{suffix}.j2").render(values)
        for suffix in ("md", "tex")
    }


def _slip(slip: Slip) -> dict[str, Prose]:
    return {name: Prose(text) for name, text in vars(slip).items()}


def _checked(count: int, name: str) -> str:
    """How many of the statements of a paper a document holds."""
    listed = sum(entry.paper == name and ".beyond." not in entry.id for entry in index())
    if count < listed:
        return f"{count} of its {listed} statements"
    return f"All {count} of them, appendices included,"


def _kind(record: Mapping[str, Any]) -> str | None:
    """The group of a finding; None for what is not found wrong."""
    if record["verdict"] == "vacuous":
        return "vacuous"
    return (record["severity"] or "material") if record["verdict"] == "refuted" else None


def _finding(record: Mapping[str, Any], own: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What the letter says of one statement."""
    found, repair = counterexample_of(record), record["repair"]
    printed = record.get("printed")
    steps = (record["proof"] or {}).get("steps", ()) if record["verdict"] == "vacuous" else ()
    return {
        "id": record["id"], "source": record["source"], "title": Prose(record["title"]),
        "note": Prose(sentence(record.get("note") or "")),
        "printed": printed and Formula(printed), "statement": Formula(record["statement"]),
        "family": list(map(Formula, family(record))),
        "at": found.at if found else [], "counterexample": found and found.sentence,
        "argument": [(Formula(step["claim"]), Prose(step["by"])) for step in steps],
        "correction": repair and _correction(record, repair),
        "holds": [
            (user["source"], user["id"])
            for user in own
            if record["id"] in user["uses"] and user["verdict"] == "proved"
        ],
    }  # fmt: skip


def _correction(record: Mapping[str, Any], repair: Mapping[str, Any]) -> dict[str, Any]:
    """The corrected statement with its change marked, its hypotheses, and why it is true."""
    found = compared(record["statement"], repair["statement"])
    before, after = record["hypotheses"], repair.get("hypotheses", [])
    proof = repair.get("proof") or {}
    derived = repair["verdict"] == "proved" or proof.get("grade") == "argued"
    return {
        "same": record["statement"] == repair["statement"],
        "statement": Formula(underlined(found.nodes) if found else repair["statement"]),
        "changes": [Prose(text[:1].lower() + text[1:]) for text in found.words] if found else [],
        "added": list(map(Formula, added_hypotheses(record, repair))),
        "dropped": list(map(Formula, dropped_hypotheses(record, repair))),
        "kept": [Formula(h) for h in after if h in before],
        "note": Prose(sentence(repair["note"])), "grounds": _grounds(repair["verdict"], proof.get("grade")),
        # A proof that decided nothing has a method as well.
        "method": Prose(proof.get("method", "") if derived else ""),
    }  # fmt: skip


def _grounds(verdict: str, grade: str | None) -> str:
    """Why a correction is believed."""
    if verdict == "proved":
        return "proved step by step, and measured"
    if verdict == "supported":
        return "argued in words, and measured" if grade == "argued" else "measured, not proved"
    return verdict
