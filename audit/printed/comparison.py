"""Holds each side of a printed formula to the sides of the statement, at points of the domain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from audit.printed.definitions import define, holds, notation_of, without_layer
from audit.printed.links import (
    NO_VALUE,
    NOWHERE,
    TURNED,
    Statement,
    defined,
    is_light,
    links_at,
)  # fmt: skip
from audit.printed.names import POINT, Names, names_of, stacked_names
from audit.printed.reader import read_side
from audit.printed.tokens import Unreadable, as_latex, chains_of, group_after
from claims.model import Claim
from claims.time_limits import TimeUp, at_most

__all__ = ["Reading", "Side", "printed_sides", "read_printed"]

POINTS, MORE = 8, 24
"""How many points are looked at, and how many where a side has been the same at all of them."""
SECONDS = 20.0
MEANS = {
    "=": "=", r"\le": "<=", r"\ge": ">=", "<": "<", ">": ">", r"\ne": "!=", r"\to": "=", r"\approx": "=",
}  # fmt: skip
"""What a printed sign says; limits, and what is nearly equal, are equalities or limits of a statement."""
LIMIT = r"\lim"
LIMITS = frozenset({r"\to", r"\approx"})
"""Signs of a limit."""
EXPECTATION = r"\mathbb E"
LOOSE = "of one layer, one sample, or an expectation, that the statement does not name"


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
    links = links_at(claim, 0)
    stacked = stacked_names(claim, links[0].at) if links else []
    read = [
        [_Printed(side, names, stacked, side in explained) for side in each]
        for each, _, _ in chains
    ]
    statement = Statement(links)
    while True:
        statement.points.append(links)
        for side in chain.from_iterable(read):
            side.look([link.at for link in links])
        seen = len(statement.points)
        if seen == MORE or (seen >= POINTS and statement.varies()):
            break
        links = links_at(claim, seen)
    judged: list[Side] = []
    for sides, (_, relations, conditional) in zip(read, chains, strict=True):
        row = _Chain(sides, relations, statement)
        judged += [_judged(row, k, conditional) for k in range(len(sides))]
    return Reading(tuple(judged), statement.unprinted())


def printed_sides(claim: Claim) -> dict[str, Any] | None:
    """What a record says of a printed formula; None where none is known."""
    if not claim.printed:
        return None
    try:
        with at_most(SECONDS):
            found = read_printed(claim)
    except (RecursionError, TimeUp, ValueError):  # unreadable, or no point at which to look
        return None
    return {
        "held": len(found.of("same", "named")),
        "differ": [side.text for side in found.of("other", "sign")],
        "unread": len(found.of("unread")),
        "whole": found.whole,
    }


class _Printed:
    """A side of what is printed: its values in each link at each point, or why it has none."""

    def __init__(
        self, signs: tuple[str, ...], names: Names, stacked: Sequence[tuple[str, ...]], explained: bool
    ):  # fmt: skip
        limit_of, self.grows = _without_limit(signs)
        self.printed, self.explained = signs, explained
        self.signs, self.name = without_layer(limit_of, names), without_layer(signs, names)
        # Its names may stand for something else than in the statement.
        self.loose = (
            EXPECTATION in " ".join(signs)
            or self.signs != limit_of
            or any(holds(signs, name) for name in stacked)
        )
        self.values: list[list[Any]] = []
        self.why = ""
        try:
            self.node = read_side(self.signs, names)
        except Unreadable as reason:
            self.why = str(reason)

    def look(self, points: Sequence[Mapping[Any, Any]]) -> None:
        """Its value at each point; links of one quantifier share theirs."""
        if self.why:
            return
        found: dict[int, Any] = {}
        reason = ""
        for at in points:
            if id(at) not in found:
                try:
                    found[id(at)] = defined(self.node({POINT: at}))
                except NO_VALUE as none:
                    found[id(at)], reason = NOWHERE, f"has no value: {none}"
        if not self.values and all(value is NOWHERE for value in found.values()):
            self.why = reason
        self.values.append([found[id(at)] for at in points])


def _without_limit(side: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What a limit is taken of, and what it says of what grows; nothing where there is none."""
    if side[:2] != (LIMIT, "_"):
        return side, ()
    grows, behind = group_after(side, 2)
    return side[behind:], tuple(grows)


class _Chain:
    """The sides of a printed chain with the steps between them, held to those of a statement."""

    def __init__(self, sides: Sequence[_Printed], relations: Sequence[str], statement: Statement):
        self.sides, self.statement = sides, statement
        self.steps = [MEANS.get(relation, "") for relation in relations]
        self.tends = not LIMITS.isdisjoint(relations)
        self._meant: dict[int, set[int]] = {}

    def named(self, k: int) -> set[int]:
        """The sides of the statement that are written like the one at place `k`."""
        side, statement = self.sides[k], self.statement
        inside = {p for p in statement.named(side.signs) if self.as_limit(side, p)}
        return inside | statement.named(side.name)

    def as_limit(self, side: _Printed, place: int) -> bool:
        """Whether a limit is read where one is stated, of what grows; elsewhere the name says it is one."""
        grows = self.statement.grows[place]
        return holds(side.grows, grows) if grows and side.grows else not side.grows

    def _shows_limit(self, place: int) -> bool:
        """Whether it is printed somewhere that an equality is one in the limit, where that is stated."""
        grows = self.statement.grows[place]
        return not grows or self.tends or any(side.grows for side in self.sides)

    def meant(self, k: int) -> set[int]:
        """The sides of the statement that this one is; quantities are asked only where no term is it."""
        if k not in self._meant:
            found, side = self.named(k), self.sides[k]
            for quantities in () if side.why or side.loose else (False, True):
                found = found or self.statement.valued(side.values, quantities=quantities)
            self._meant[k] = found
        return self._meant[k]

    def fitting(self, found: set[int], k: int) -> set[int]:
        """Those of which the chain says what the statement says: the sign, and of which other side."""
        ends = {j: TURNED.get(_through(self.steps[k:j]), "") for j in range(k + 1, len(self.sides))}
        ends |= {j: _through(self.steps[j:k]) for j in range(k)}
        return {place for place in found if any(self._says(place, j, s) for j, s in ends.items())}

    def _says(self, place: int, k: int, sign: str) -> bool:
        """Whether the side at `k` stands where the statement has another one, or is none of its sides."""
        if self.statement.signs[place] != sign or not self._shows_limit(place):
            return False
        others, meant = self.statement.beyond(place), self.meant(k)
        values = self.sides[k].values
        return not meant or any(p in meant or self.statement.has_values(p, values) for p in others)


def _judged(row: _Chain, k: int, conditional: bool) -> Side:
    """What became of the side at place `k` of a chain."""
    side = row.sides[k]
    how, why = _how(row, k), side.why
    light = is_light(side.signs)
    if light or (how not in {"same", "named"} and (conditional or side.explained)):
        how = "aside"
    elif how == "other" and side.loose:
        how, why = "unread", LOOSE
    return Side(as_latex(side.printed), how, why if how == "unread" else "")


def _how(row: _Chain, k: int) -> str:
    """What becomes of a side by itself; quantities are asked only where no term is this side."""
    side, statement = row.sides[k], row.statement
    by_name = row.named(k)
    if fitting := row.fitting(by_name, k):
        statement.found |= fitting
        return "named"
    said = bool(by_name)
    if side.why:
        return "sign" if said else "unread"
    for quantities in (False, True):
        by_value = statement.valued(side.values, quantities=quantities)
        by_value = {place for place in by_value if row.as_limit(side, place)}
        said = said or bool(by_value)
        if fitting := row.fitting(by_value, k):
            statement.found |= fitting
            return "same"
    return "sign" if said else "other"


def _through(steps: Sequence[str]) -> str:
    """The relation that a stretch of a chain says of its ends; empty where it says none."""
    rest = {step for step in steps if step != "="}
    if not rest:
        return "="
    for weak, strict in (("<=", "<"), (">=", ">")):
        if rest <= {weak, strict}:
            return strict if strict in rest else weak
    return "!=" if rest == {"!="} and list(steps).count("!=") == 1 else ""
