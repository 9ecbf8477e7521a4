"""What a record of an audit says, for readers: counterexamples, measurements, sentences.

Claim pages, errata and the terminal all take their words from here.  `Prose` is text with mathematics
between dollars, a `Formula` mathematics without them; each output shows them by `audit.sinks`.
Documents written before some field existed are worded as well as they allow.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from audit.formulas.points import formulas_of_point
from audit.sinks import Prose
from audit.words.case_rows import CaseRow, case_rows, figure
from audit.words.counterexamples import Counterexample, counterexample, counterexample_of
from audit.words.printed import printed_sentence
from audit.words.symbols import symbols_sentence

__all__ = [
    "ASSUMED",
    "INSTEAD_OF",
    "OF_THE_CORRECTION",
    "WITHOUT_PROOF",
    "CaseRow",
    "Counterexample",
    "adversary_sentence",
    "asserted_where",
    "case_rows",
    "counterexample",
    "counterexample_of",
    "ended",
    "printed_sentence",
    "sentence",
    "symbols_sentence",
    "tried_on_correction",
    "variants_sentence",
    "verdict_sentence",
]

Record = Mapping[str, Any]
OF_THE_CORRECTION = "Proof of what is true instead"
ASSUMED = "What it uses of the hypotheses"
"""Stands above what a proof takes from the domain of its claim."""
WITHOUT_PROOF = "exact evaluation of both sides"
"""How a claim is refuted that nobody wrote a proof for."""
INSTEAD_OF = "what is true instead of"


LARGEST_MATRIX = 4
"""Rows of a matrix that is written out inside a sentence."""


def verdict_sentence(record: Record) -> Prose:
    """The verdict, its severity and the reason, as one sentence."""
    severity = f" ({record['severity'].replace('-', ' ')})" if record["severity"] else ""
    return Prose(sentence(f"{record['verdict']}{severity}: {record['reason']}"))


def asserted_where(record: Record) -> list[tuple[str, list[str]]]:
    """Ranges and conditions, and the values that are tried for all, in LaTeX, with the words before them."""
    kinds = (("for all", "ranges"), ("tried for", "tried"))
    return [(words, record[kind]) for words, kind in kinds if record.get(kind)]


def variants_sentence(record: Record) -> Prose | None:
    """How the false variants that were made by machine fared; None where none was tried."""
    found = record.get("variants")
    if not found or not found["tried"]:
        return None
    by_proof, measured = (found.get(f"killed_by_{w}") for w in ("proof", "measurement"))
    proof = record.get("proof", {})
    alone = proof is None or proof.get("method") == WITHOUT_PROOF
    exactly = "exact evaluation" if alone else "the proof"
    plural = "" if found["tried"] == 1 else "s"
    said = f"Of {found['tried']} variant{plural} made by machine, {exactly} rejects "
    said += f"{len(by_proof) if by_proof is not None else found['refuted']}"
    if measured is not None:
        said += f" and the measurement {len(measured)}"
    true = found["true"]
    said += f"; {true} {'is' if true == 1 else 'are'} true as well" if true else ""
    wrong = len(found["certified_false"])
    said += f"; {wrong} certified though false" if wrong else ""
    return Prose(f"{said}.")


LOOSE = 1 / 2
"""A ratio of both sides below which a bound is loose wherever it was tried."""


def adversary_sentence(record: Record) -> Prose | None:
    """What the adversary found: where the statement fails, or how close to equality it came."""
    found = record.get("adversary")  # corrections of older documents were not attacked
    if not found:
        return None
    if not found.get("starts"):
        reason = found.get("reason") or found.get("sentence", "").removeprefix("Not attackable:")
        return Prose(sentence(f"Not attackable: {reason.strip()}")) if reason else None
    if found["witness"]:
        said = counterexample(found["witness"])
        assert said is not None
        return Prose(f"Violated at {_place(found['witness'], brief=False)}. {said.sentence}")
    tried, closest = f"Not violated at {found['starts']} points", found.get("closest")
    if closest is None:
        return Prose(f"{tried}, none of which tells how close it came.")
    sides = f"left ${figure(closest['left'])}$, right ${figure(closest['right'])}$"
    ratio = found["best_ratio"]
    if ratio is not None:
        loose = "; it is loose by a factor of two or more wherever it was tried"
        sides = f"ratio ${figure(ratio)}$ ({sides}){loose if ratio <= LOOSE else ''}"
    return Prose(f"{tried}; closest to equality at {_place(closest, brief=True)}: {sides}.")


def tried_on_correction(repair: Record) -> list[Prose]:
    """What was tried to break a correction, or to pass for it, where anything was."""
    said = adversary_sentence(repair) if (repair.get("adversary") or {}).get("starts") else None
    attacked = said and Prose(f"Attacked as well: {said[:1].lower()}{said[1:]}")
    return [each for each in (attacked, variants_sentence(repair)) if each]


def _place(place: Record, *, brief: bool) -> str:
    """A point inside a sentence, with large matrices by their size."""
    parts = formulas_of_point(
        place["at"], place.get("shown"), place.get("masks"), brief=brief, most=LARGEST_MATRIX
    )
    return ", ".join(f"${part}$" for part in parts)


def sentence(text: str) -> str:
    """A text with a capital at its start and a stop at its end."""
    return text[:1].upper() + ended(text)[1:]


def ended(text: str) -> str:
    """A text with a stop at its end; one inside the last bracket or quotation is enough."""
    return text + ("" if not text or text.rstrip(")”")[-1:] in {".", "!", "?"} else ".")
