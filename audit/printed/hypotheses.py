"""What hypotheses say in symbols, held to the points that a claim is judged at.

The words of a hypothesis are for the reader, its domain for the program.  Where the words compare numbers,
a witness must obey them, and no variable may have less room than they leave it: a witness elsewhere
refutes nothing, and a proof for fewer values is not of what is printed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice, pairwise
from typing import Any, NamedTuple

from sympy import Rational

from audit.printed.comparison import MEANS
from audit.printed.links import NO_VALUE, TURNED
from audit.printed.names import POINT, Names, names_of
from audit.printed.reader import Node, read_side
from audit.printed.tokens import Unreadable, as_latex, chains_of
from claims import exact
from claims.domain import Point
from claims.model import Claim
from claims.points import place_of
from claims.time_limits import searching
from claims.typeset import typeset
from claims.variables import Real, Whole

__all__ = ["narrower", "outside"]

SIGNS = {shown: sign for shown, sign in MEANS.items() if shown not in {r"\to", r"\approx"}}
"""Signs of comparisons; what tends, or is nearly equal, is asked of no point."""
SECONDS = 1.0
"""For one comparison."""
FEW, MANY = 4, 400
"""Small points at which the ends of a range are looked at, and at which an integer may reach its own."""
TRIED = Rational(777, 1001)
"""A value that no side has by chance."""


class Said(NamedTuple):
    """A comparison that a hypothesis writes down."""

    left: Node
    sign: str
    right: Node
    text: str

    def holds(self, at: Point) -> bool | None:
        """Whether it holds at a point; None where a side has no value there."""
        with suppress(*NO_VALUE), searching(SECONDS):
            return exact.compare(self.left({POINT: at}), self.sign, self.right({POINT: at}))
        return None


def outside(claim: Claim, at: Point) -> str | None:
    """That a point is none of those that a claim speaks of, by what its hypotheses write down."""
    for said in _said(claim):
        if said.holds(at) is False:
            return (
                f"the witness of {claim.id} lies outside its own hypotheses: ${said.text}$ fails at "
                f"{place_of(at)}; mend the hypothesis or the domain"
            )
    return None


def narrower(claim: Claim) -> str | None:
    """That a variable has less room in the domain than the hypotheses leave it, if one has."""
    bounds: dict[tuple[Any, bool], list[Said]] = {}
    points: list[Point] = list(islice(claim.domain.smallest(), 0, 3 * FEW, 3))
    for said in _said(claim):
        if said.sign in {"=", "!="}:
            continue
        for each in (said, Said(said.right, TURNED[said.sign], said.left, said.text)):
            variable = _variable(claim, each.left, points)
            if variable is not None:
                bounds.setdefault((variable, each.sign in {">", ">="}), []).append(each)
    for (variable, below), stated in bounds.items():
        if all(_leaves_room(claim, variable, below, each, points) for each in stated):
            return (
                f"the domain of {claim.id} leaves ${typeset(variable.symbol)}$ less room than its "
                f"hypothesis ${stated[0].text}$; mend one of them"
            )
    return None


def _said(claim: Claim) -> Iterator[Said]:
    names = names_of(claim)
    for text in claim.assumed:
        for sides, relations, conditional in chains_of(text):
            if not conditional and set(relations) <= SIGNS.keys():
                yield from _links(sides, relations, names)


def _links(
    sides: Sequence[tuple[str, ...]], relations: Sequence[str], names: Names
) -> Iterator[Said]:
    for (left, right), relation in zip(pairwise(sides), relations, strict=True):
        with suppress(Unreadable, *NO_VALUE):
            text = f"{as_latex(left)} {relation} {as_latex(right)}"
            yield Said(read_side(left, names), SIGNS[relation], read_side(right, names), text)


def _variable(claim: Claim, side: Node, points: list[Point]) -> Whole | Real | None:
    """The number of the domain that a side is, if it is one and nothing besides."""
    moved = [{**at, **{v.symbol: at[v.symbol] + 1 for v in claim.domain.integers}} for at in points]
    for variable in claim.domain.variables:
        if isinstance(variable, Whole | Real) and points:
            with suppress(Unreadable, *NO_VALUE), searching(SECONDS):
                if all(
                    side({POINT: {**at, variable.symbol: TRIED}}) == TRIED for at in points + moved
                ):
                    return variable
    return None


def _leaves_room(
    claim: Claim, variable: Whole | Real, below: bool, said: Said, points: list[Point]
) -> bool:
    """Whether what is said of an end of a range allows for values that the domain does not."""
    end = said.right
    with suppress(Unreadable, *NO_VALUE), searching(SECONDS):
        if isinstance(variable, Real):
            ends = [(variable.ends(at), end({POINT: at})) for at in points]
            kept = [
                exact.compare(low, "<=", e) if below else exact.compare(high, ">=", e)
                for (low, high), e in ends
            ]
            return False in kept
        step = (1 if below else -1) * (said.sign in {"<", ">"})
        for at in claim.domain.smallest(MANY):
            first = end({POINT: at}) + step
            if exact.compare(at[variable.symbol], "<=" if below else ">=", first):
                return False
        return True
    return False
