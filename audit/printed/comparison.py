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
        steps = [MEANS.get(relation, "") for relation in relations]
        judged += [_judged(side, k, steps, conditional, statement) for k, side in enumerate(sides)]
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
        limit_of = _without_limit(signs)
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


def _without_limit(side: tuple[str, ...]) -> tuple[str, ...]:
    """What a limit is taken of."""
    return side[group_after(side, 2)[1] :] if side[:2] == (LIMIT, "_") else side


def _judged(
    side: _Printed, k: int, steps: Sequence[str], conditional: bool, statement: Statement
) -> Side:
    """What became of the side at place `k` of a chain with so many steps."""
    how, why = _how(side, k, steps, statement), side.why
    light = is_light(side.signs)
    if light or (how not in {"same", "named"} and (conditional or side.explained)):
        how = "aside"
    elif how == "other" and side.loose:
        how, why = "unread", LOOSE
    return Side(as_latex(side.printed), how, why if how == "unread" else "")


def _how(side: _Printed, k: int, steps: Sequence[str], statement: Statement) -> str:
    """What becomes of a side by itself; quantities are asked only where no term is this side."""
    by_name = statement.named(side.signs) | statement.named(side.name)
    if fitting := _fitting(by_name, k, steps, statement):
        statement.found |= fitting
        return "named"
    said = bool(by_name)
    if side.why:
        return "sign" if said else "unread"
    for quantities in (False, True):
        by_value = statement.valued(side.values, quantities=quantities)
        said = said or bool(by_value)
        if fitting := _fitting(by_value, k, steps, statement):
            statement.found |= fitting
            return "same"
    return "sign" if said else "other"


def _fitting(found: set[int], k: int, steps: Sequence[str], statement: Statement) -> set[int]:
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
