"""Names that a printed text, or the notation of its paper, defines for itself."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from functools import cache

from audit.printed.names import Names
from audit.printed.reader import read_side
from audit.printed.tokens import Chain, Unreadable, chains_of
from claims.registry import paper

__all__ = ["define", "holds", "is_name", "notation_of", "without_layer"]

LAYER = ("^", r"\ell")
_NAME = re.compile(
    r"(?:\\[A-Za-z]+|[A-Za-z])(?: _ (?:\w+|\{[^{}]*\})| \^ (?:[A-Za-z]+|\\prime|\{ \([^{}]*\}))*"
)


@cache
def notation_of(name: str) -> tuple[Chain, ...]:
    return tuple(chain for text in paper(name).notation for chain in chains_of(text))


def define(chains: Sequence[Chain], names: Names) -> set[tuple[str, ...]]:
    """Learns what a text defines for itself, as in `C r^t, C := 1 / (1 - r)`: names and what they are."""
    texts = [side for sides, _, _ in chains for side in sides]
    found: set[tuple[str, ...]] = set()
    equalities = [sides for sides, relations, _ in chains if relations[:1] == ["="]]
    for name, meaning, *_ in equalities * 2:  # one may use another that stands behind it
        uses = sum(holds(text, name) for text in texts)
        known = names.at(name, 0)
        if name in found or uses < 2 or not is_name(name) or (known and known[0] == len(name)):
            continue
        with suppress(Unreadable):
            names.define(name, read_side(meaning, names))
            found |= {name, meaning}
    return found


def is_name(signs: Sequence[str]) -> bool:
    """A letter with indices, marks and a layer, and no power."""
    return _NAME.fullmatch(" ".join(signs)) is not None


def holds(text: Sequence[str], name: tuple[str, ...]) -> bool:
    return any(tuple(text[k : k + len(name)]) == name for k in range(len(text)))


def without_layer(side: tuple[str, ...], names: Names) -> tuple[str, ...]:
    """Without the letter of a layer, where the statement speaks of one layer and leaves it out."""
    if LAYER[1:] in names.known:
        return side
    found: list[str] = []
    for place, sign in enumerate(side):
        if sign == LAYER[1] and found[-1:] == [LAYER[0]] and found[-2:-1] != [")"]:
            found.pop()
        elif sign == "}" and side[place - 2 : place] == (",", LAYER[1]) and found[-4:-3] == ["{"]:
            found[-4:] = found[-3:-2]  # $W^{V,\ell}$
        else:
            found.append(sign)
    return tuple(found)
