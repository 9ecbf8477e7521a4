"""Holds the name of a quantity, where it prints a formula, to what its definition gives.

A name such as `n^2 + 1` is typed beside a definition; a reader of the statement sees the name alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from itertools import chain
from typing import Any

from sympy.core.function import AppliedUndef

from audit.printed.definitions import is_name
from audit.printed.links import NO_VALUE, NOWHERE, Link, defined, is_value, links_at, links_of
from audit.printed.names import POINT, Names, Signs, names_of, pattern, stacked_names, written
from audit.printed.reader import read_side
from audit.printed.tokens import Unreadable, is_argument
from claims.model import Claim
from claims.statement import Compare, Quantity
from claims.terms import value_of
from claims.time_limits import searching
from claims.typeset import typeset

__all__ = ["formulas_in_names", "misnamed"]

Node = Callable[[Mapping[Any, Any]], Any]

PROBES, POINTS = 2, 3
"""How many points are looked at: of those that the claim names, which may be far out, and random ones."""
SECONDS = 20.0
_SENSES = frozenset({r"\mathbb", r"\mathcal", r"\partial", r"\lim", r"\sup", r"\inf"})
"""Signs of names of which a reading at a point may be another one: of means, of limits, of derivatives."""


def formulas_in_names(claim: Claim) -> dict[Any, Node]:
    """The quantities that stand as sides of the statement and whose names can be read, with what reads them."""
    sides = dict.fromkeys(
        side
        for piece in claim.formula.walk()
        if isinstance(piece, Compare)
        for side in (piece.left, piece.right)
        if isinstance(side, Quantity | AppliedUndef) and _is_more_than_a_name(written(side))
    )
    names = names_of(claim) if sides else Names()
    read = {side: _formula(side, names) for side in sides}
    return {side: node for side, node in read.items() if node is not None}


def _is_more_than_a_name(name: Signs) -> bool:
    return not is_name(name) and not _SENSES & set(name)


def misnamed(claim: Claim) -> str | None:
    """One line on the first quantity whose name, read at a point, is not what the definition gives there.

    Where no point is found in time, or none at all, nothing is said.
    """
    read = formulas_in_names(claim)
    if not read:
        return None
    with suppress(ValueError), searching(SECONDS):
        return next(_contradictions(claim, read), None)
    return None


def _contradictions(claim: Claim, read: Mapping[Any, Node]) -> Iterator[str]:
    named = (links_of(claim, claim.domain.completed(p)) for p in claim.probes[:PROBES])
    for links in chain(named, (links_at(claim, seed) for seed in range(POINTS))):
        for link in links:
            if stacked_names(claim, link.at):
                continue  # a name means one of several matrices
            for side in (link.left, link.right):
                if side in read and (found := _contradiction(side, link, read[side])):
                    yield f"{claim.id}: {found}"


def _contradiction(side: Any, link: Link, formula: Node) -> str | None:
    said, held = (
        _valued(lambda: formula({POINT: link.at})),
        _valued(lambda: value_of(side, link.at)),
    )
    if NOWHERE in (said, held) or is_value(held, said):
        return None
    numbers = [
        f"${typeset(symbol)} = {typeset(value)}$"
        for symbol, value in link.at.items()
        if getattr(value, "is_number", False)
    ]
    return (
        f"the name ${typeset(side)}$ of a quantity says another formula than its definition: at "
        f"{', '.join(numbers) or 'a point'} the formula is ${typeset(said)}$ and the definition gives "
        f"${typeset(held)}$; mend one of them"
    )


def _valued(compute: Callable[[], Any]) -> Any:
    try:
        return defined(compute())
    except NO_VALUE:
        return NOWHERE


def _formula(side: Any, names: Names) -> Node | None:
    """What evaluates a name that is a formula in other names; None where it is not, or could be misread."""
    name, others = written(side), names
    if isinstance(side, AppliedUndef):
        others = names.without(pattern(side.func, len(side.args)), name)
    itself = others.at(name, 0)
    if (itself and itself[0] == len(name)) or any(
        _is_applied(name, k, others) for k in range(len(name))
    ):
        return None
    with suppress(Unreadable):
        return read_side(name, others)
    return None


def _is_applied(name: Signs, at: int, names: Names) -> bool:
    """Whether a bracket follows a letter: $f(s+1)$ is a product or a value of a function."""
    found = names.at(name, at)
    if found is None or is_argument(name, at):
        return False
    return found[0] < len(name) and name[found[0]] in {"(", "["}
