"""Holds each side of a printed formula to the sides of the statement, at points of the domain."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from audit.printed.definitions import define, notation_of, without_layer
from audit.printed.links import (
    NO_VALUE,
    NOWHERE,
    TURNED,
    Statement,
    defined,
    is_light,
    links_at,
)  # fmt: skip
from audit.printed.names import POINT, Names, names_of
from audit.printed.reader import read_side
from audit.printed.tokens import Chain, Unreadable, as_latex, chains_of, group_after
from claims.model import Claim
from claims.witness import TimeUp, at_most

__all__ = ["Reading", "Side", "printed_sides", "read_printed"]

POINTS, MORE = 8, 24
"""How many points are looked at, and how many where a side has been the same at all of them."""
SECONDS = 20.0
MEANS = {
    "=": "=", r"\le": "<=", r"\ge": ">=", "<": "<", ">": ">", r"\ne": "!=", r"\to": "=", r"\approx": "=",
}  # fmt: skip
"""What a printed sign says; limits, and what is nearly equal, are equalities or limits of a statement."""
LIMIT = r"\lim"
EXPECTATION = r"\mathbb E"


@dataclass(frozen=True)
class Side:
    """A side of a printed formula, as LaTeX in one spelling, and what became of it.

    `how` is "same" where its values are those of a side of the statement, "named" where it is
    written like one, "sign" where it is one but stands beside another sign, "other" where it was
    read and is none, and "unread", with the reason, where it cannot be evaluated.  What is no side
    and says little by itself is "aside": one of a condition, a single name, zero, one or infinity.
    """

    text: str
    how: str
    why: str = ""


@dataclass(frozen=True)
class Reading:
    """What was read of a printed formula, and the sides of the statement that it does not show."""

    sides: tuple[Side, ...]
    unprinted: tuple[str, ...] = ()

    @property
    def whole(self) -> bool:
        """Whether the statement is what is printed, as far as the two can be compared."""
        return (
            bool(self.of("same", "named")) and not self.of("other", "sign") and not self.unprinted
        )

    def of(self, *hows: str) -> list[Side]:
        return [side for side in self.sides if side.how in hows]


def read_printed(claim: Claim, printed: str | None = None) -> Reading:
    """The sides of what a paper prints, each held to the sides of the claim's statement.

    `printed` stands in for what the claim says is printed.
    """
    names = names_of(claim)
    chains = [c for c in chains_of(printed or claim.printed or "") if set(c[1]) & MEANS.keys()]
    explained = define([*chains, *notation_of(claim.paper)], names)
    sides = _Sides(names, [side for each, _, _ in chains for side in each], explained)
    statement = Statement(links_at(claim, 0))
    for seed in range(MORE):
        if seed >= POINTS and statement.varies():
            break
        links = links_at(claim, seed)
        statement.points.append(links)
        sides.add([link.at for link in links])
    read = tuple(_judged(chains, sides, statement))
    return Reading(read, statement.unprinted())


def printed_sides(claim: Claim) -> dict[str, Any] | None:
    """What a record says of a printed formula; None where none is known."""
    if not claim.printed:
        return None
    try:
        with at_most(SECONDS):
            found = read_printed(claim)
    except (RecursionError, TimeUp, Unreadable):
        return None
    return {
        "held": len(found.of("same", "named")),
        "differ": [side.text for side in found.of("other", "sign")],
        "unread": len(found.of("unread")),
        "whole": found.whole,
    }


class _Sides:
    """The sides of what is printed: their values in each link of each point, or why they have none."""

    def __init__(
        self, names: Names, sides: Sequence[tuple[str, ...]], explained: set[tuple[str, ...]]
    ):
        self.signs = [without_layer(_without_limit(side), names) for side in sides]
        self.loose = [  # in these, names may stand for something else than in the statement
            EXPECTATION in " ".join(side) or signs != _without_limit(side)
            for side, signs in zip(sides, self.signs, strict=True)
        ]
        self.explained = [side in explained for side in sides]
        self.values: list[list[list[Any]]] = [[] for _ in sides]
        self.why = [""] * len(sides)
        self.nodes: list[Any] = [None] * len(sides)
        for place, side in enumerate(self.signs):
            try:
                self.nodes[place] = read_side(side, names)
            except Unreadable as reason:
                self.why[place] = str(reason)

    def add(self, points: Sequence[Mapping[Any, Any]]) -> None:
        for place in range(len(self.nodes)):
            if not self.why[place]:
                self.values[place].append(self._at_each(place, points))

    def _at_each(self, place: int, points: Sequence[Mapping[Any, Any]]) -> list[Any]:
        """The value at each point; links of one quantifier share theirs."""
        found: dict[int, Any] = {}
        reason = ""
        for at in points:
            if id(at) not in found:
                try:
                    found[id(at)] = defined(self.nodes[place]({POINT: at}))
                except NO_VALUE as none:
                    found[id(at)], reason = NOWHERE, f"has no value: {none}"
        if all(value is NOWHERE for value in found.values()) and not self.values[place]:
            self.why[place] = reason
        return [found[id(at)] for at in points]


def _without_limit(side: tuple[str, ...]) -> tuple[str, ...]:
    """What a limit is taken of."""
    return side[group_after(side, 2)[1] :] if side[:2] == (LIMIT, "_") else side


def _judged(chains: Sequence[Chain], sides: _Sides, statement: Statement) -> Iterator[Side]:
    start = 0
    for printed, relations, conditional in chains:
        steps = [MEANS.get(relation, "") for relation in relations]
        for k, text in enumerate(printed):
            place = start + k
            light = is_light(sides.signs[place])
            how = _how(sides, place, k, steps, statement)
            why = sides.why[place]
            if how in {"same", "named"}:
                how = "aside" if light else how
            elif conditional or light or sides.explained[place]:
                how = "aside"
            elif how == "other" and sides.loose[place]:
                how, why = (
                    "unread",
                    "of a layer, or an expectation, that the statement does not name",
                )
            yield Side(as_latex(text), how, why if how == "unread" else "")
        start += len(printed)


def _how(sides: _Sides, place: int, k: int, steps: list[str], statement: Statement) -> str:
    """What becomes of a side by itself; quantities are asked only where no term is this side."""
    said = False
    if by_name := statement.named(sides.signs[place]):
        said = True
        if fitting := _fitting(by_name, k, steps, statement):
            statement.found |= fitting
            return "named"
    if sides.why[place]:
        return "sign" if said else "unread"
    for quantities in (False, True):
        by_value = statement.valued(sides.values[place], quantities=quantities)
        said = said or bool(by_value)
        if fitting := _fitting(by_value, k, steps, statement):
            statement.found |= fitting
            return "same"
    return "sign" if said else "other"


def _fitting(found: set[int], k: int, steps: list[str], statement: Statement) -> set[int]:
    """The sides of the statement of which it says what a stretch of the chain says of this one."""
    towards = {_through(steps[j:k]) for j in range(k)}
    away = {TURNED.get(_through(steps[k:j]), "") for j in range(k + 1, len(steps) + 1)}
    return {place for place in found if statement.signs[place] in towards | away}


def _through(steps: Sequence[str]) -> str:
    """The relation that a stretch of a chain says of its ends; empty where it says none."""
    rest = {step for step in steps if step != "="}
    if not rest:
        return "="
    for weak, strict in (("<=", "<"), (">=", ">")):
        if rest <= {weak, strict}:
            return strict if strict in rest else weak
    return "!=" if rest == {"!="} and list(steps).count("!=") == 1 else ""
