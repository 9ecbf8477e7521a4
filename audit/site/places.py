"""Where a statement stands in its paper, read from its id and from the words of its source.

A source is written for people: "App. A.1.2, proof of Lemma A.3, Eqs. (26)-(29)".  What it says of
the section, of the numbered statement and of proofs is all that is read; the rest is shown as it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

__all__ = ["Name", "Place", "in_appendix", "named_in", "place_of", "section_order"]

_KINDS = {
    "theorem": "Theorem", "thm": "Theorem", "lemma": "Lemma", "proposition": "Proposition",
    "prop": "Proposition", "corollary": "Corollary", "cor": "Corollary", "remark": "Remark",
    "rem": "Remark", "definition": "Definition", "def": "Definition", "assumption": "Assumption",
}  # fmt: skip
_KIND = "|".join(sorted(_KINDS, key=len, reverse=True))
_NUMBER = r"(?:[A-Z]\.)?\d{1,3}(?:\.\d{1,3})*"
_NAMED = re.compile(rf"\b({_KIND})s?\.? ({_NUMBER})\b", re.IGNORECASE)
_PROVEN = re.compile(rf"\bproofs? of {_NAMED.pattern}", re.IGNORECASE)
_IN_ID = re.compile(rf"(?:^|\.)(proof-)?(?:({_KIND})-)?({_NUMBER})(?=[.-]|$)(\.proof\b)?")
_SECTION = re.compile(r"\b(?:Sec|App)\. ((?:[A-Z]|\d{1,3})(?:\.\d{1,3})*)")
_PROVED_KINDS = ("Lemma", "Theorem", "Proposition", "Corollary")


class Name(NamedTuple):
    """A numbered statement as the paper calls it."""

    kind: str
    number: str

    def __str__(self) -> str:
        return f"{self.kind} {self.number}"


@dataclass(frozen=True)
class Place:
    """The section of a claim, the statement that it is part of, and the one whose proof it is in.

    `mentions` are all numbered statements that the source names, in order.
    """

    section: str = ""
    statement: Name | None = None
    proves: tuple[Name, ...] = ()
    mentions: tuple[Name, ...] = ()


def place_of(record: Mapping[str, Any]) -> Place:
    """What a record's id and source say.

    >>> place_of({"id": "p.lemma-3.1.values", "paper": "p", "source": "Sec. 3.1, Lemma 3.1, Eq. (6)"})
    Place(section='3.1', statement=Name(kind='Lemma', number='3.1'), proves=(), mentions=(...))
    """
    source = record["source"]
    first, *others = source.split(";")
    section = _SECTION.search(first) or _SECTION.search(";".join(o for o in others if "(" not in o))
    proves = named_in(source, _PROVEN)
    in_id, of_a_proof = _named_by_id(record["id"].removeprefix(f"{record['paper']}."))
    if of_a_proof:
        proves = proves or in_id
    elif in_id and in_id[0] not in proves:  # "Remark 3.5, and the proof of Prop. 3.4"
        proves = ()
    return Place(
        section[1] if section else "",
        None if proves else next(iter((*in_id, *_own_names(first))), None),
        proves,
        named_in(source),
    )


def named_in(text: str, pattern: re.Pattern[str] = _NAMED) -> tuple[Name, ...]:
    """Numbered statements that a text names: "Props 3.7 and A.8" names the first."""
    return tuple(Name(_KINDS[kind.lower()], number) for kind, number in pattern.findall(text))


def in_appendix(section: str) -> bool:
    """Whether a section is one of the appendix: those have letters."""
    return section[:1].isalpha()


def section_order(section: str) -> tuple[tuple[int, int], ...]:
    """The key by which sections sort: numbers first, then letters, part by part.

    >>> sorted(["A.2", "10", "A.1.2", "2.1", "A.1"], key=section_order)
    ['2.1', '10', 'A.1', 'A.1.2', 'A.2']
    """
    return tuple(
        (0, int(part)) if part.isdigit() else (1, ord(part)) for part in section.split(".")
    )


def _own_names(source: str) -> tuple[Name, ...]:
    """Statements that a part of the source starts with: ", Theorem 2.1", not ", after Theorem 2.1"."""
    parts = (part.strip() for part in source.split(","))
    return tuple(name for part in parts if _NAMED.match(part) for name in named_in(part)[:1])


def _named_by_id(short: str) -> tuple[tuple[Name, ...], bool]:
    """The statement in an id, and whether the id says that the claim is of its proof.

    `proof-3.1` leaves the kind open: every kind that has a proof is offered.
    """
    found = _IN_ID.search(short)
    if found is None:
        return (), False
    before, kind, number, after = found.groups()
    if kind:
        return (Name(_KINDS[kind], number),), bool(before or after)
    return (tuple(Name(k, number) for k in _PROVED_KINDS), True) if before else ((), False)
