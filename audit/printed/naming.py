"""Holds the name of a quantity, where it prints a formula, to what its definition gives.

A name such as `n^2 + 1` is typed beside a definition; a reader of the statement sees the name alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

from audit.printed.definitions import is_name
from audit.printed.links import NO_VALUE, NOWHERE, Link, defined, is_value, links_at
from audit.printed.names import POINT, Names, Signs, names_of, stacked_names, written
from audit.printed.reader import read_side
from audit.printed.tokens import Unreadable, is_argument
from claims.model import Claim
from claims.statement import Compare, Quantity
from claims.terms import value_of
from claims.typeset import typeset
from claims.witness import TimeUp, at_most

__all__ = ["formulas_in_names", "misnamed"]

POINTS = 6
SECONDS = 20.0
_SENSES = frozenset({r"\mathbb", r"\mathcal", r"\partial", r"\lim", r"\sup", r"\inf"})
"""Signs of names of which a reading at a point may be another one: of means, of limits, of derivatives."""


def formulas_in_names(claim: Claim) -> list[Quantity]:
    """The quantities that stand as sides of the statement and whose names can be read as formulas."""
    sides = dict.fromkeys(
        side
        for piece in claim.formula.walk()
        if isinstance(piece, Compare)
        for side in (piece.left, piece.right)
        if isinstance(side, Quantity) and _is_more_than_a_name(written(side))
    )
    names = names_of(claim) if sides else Names()
    return [side for side in sides if _formula(written(side), names) is not None]


def _is_more_than_a_name(name: Signs) -> bool:
    return not is_name(name) and not _SENSES & set(name)


def misnamed(claim: Claim) -> str | None:
    """One line on the first quantity whose name, read at a point, is not what the definition gives there."""
    if not formulas_in_names(claim):
        return None
    with suppress(TimeUp), at_most(SECONDS):
        return next(_contradictions(claim), None)
    return None


def _contradictions(claim: Claim) -> Iterator[str]:
    names = names_of(claim)
    for seed in range(POINTS):
        links = links_at(claim, seed)
        for link in links:
            if stacked_names(claim, link.at):
                continue  # a name means one of several matrices
            for side in (link.left, link.right):
                if isinstance(side, Quantity) and (found := _contradiction(side, link, names)):
                    yield f"{claim.id}: {found}"


def _contradiction(side: Quantity, link: Link, names: Names) -> str | None:
    formula = _formula(written(side), names)
    if formula is None:
        return None
    said, held = (
        _valued(lambda: formula({POINT: link.at})),
        _valued(lambda: value_of(side, link.at)),
    )
    if NOWHERE in (said, held) or is_value(held, said):
        return None
    at = ", ".join(f"{typeset(s)} = {typeset(link.at[s])}" for s in _free(link) if s in link.at)
    return (
        f"the name ${typeset(side)}$ of a quantity says another formula than its definition: where "
        f"${at}$ the formula is ${typeset(said)}$ and the definition gives ${typeset(held)}$; mend one of them"
    )


def _free(link: Link) -> list[Any]:
    """Numbers of a point, shortest way to name it."""
    return [s for s, value in link.at.items() if getattr(value, "is_number", False)]


def _valued(compute: Callable[[], Any]) -> Any:
    try:
        return defined(compute())
    except NO_VALUE:
        return NOWHERE


def _formula(name: Signs, names: Names) -> Callable[[Any], Any] | None:
    """What evaluates a name that is a formula in other names; None where it is not, or could be misread."""
    itself = names.at(name, 0)
    if not _is_more_than_a_name(name) or (itself and itself[0] == len(name)):
        return None
    if any(_is_applied(name, k, names) for k in range(len(name))):
        return None
    with suppress(Unreadable):
        return read_side(name, names)
    return None


def _is_applied(name: Signs, at: int, names: Names) -> bool:
    """Whether a bracket follows a letter: $f(s+1)$ is a product or a value of a function."""
    found = names.at(name, at)
    if found is None or is_argument(name, at):
        return False
    return found[0] < len(name) and name[found[0]] in {"(", "["}
