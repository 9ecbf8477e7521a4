"""The comparisons of a statement, the values of their sides at points, and what they print."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from random import Random
from typing import Any

from sympy import Basic, Float, Integer, MatrixBase, N, Rational, nan, oo, zoo
from sympy.core.function import AppliedUndef

from audit.printed.definitions import is_name
from audit.printed.names import written
from audit.printed.tokens import CLOSING, OPENING, signs_of
from claims import exact
from claims.denials import denial
from claims.errors import OnlyMeasured
from claims.expressions import Named
from claims.model import Claim
from claims.statement import Compare, Exists, ForAll, Formula, Not, Quantity, Tends
from claims.terms import value_of
from claims.typeset import typeset

__all__ = [
    "NOWHERE", "NO_VALUE", "TURNED", "Link", "Statement", "defined", "is_light", "is_value", "links_at",
    "links_of",
]  # fmt: skip

FAR = 4
"""How far into an unbounded range an index is looked at."""
TURNED = {"=": "=", "<=": ">=", ">=": "<=", "<": ">", ">": "<", "!=": "!="}
_AT_MOST, _AT_LEAST = {"<=", "<", "="}, {">=", ">", "="}
ONWARD = {"<=": _AT_MOST, "<": _AT_MOST, ">=": _AT_LEAST, ">": _AT_LEAST, "=": {"="}}
"""Signs that lead on to further sides."""
LIGHT = frozenset({"0", "1", r"\infty"})
NO_VALUE = (OnlyMeasured, ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
NEAR = Rational(1, 10**30)
NOWHERE = object()
ENDS = CLOSING | {"+", "-", ","}
"""Signs that end a product."""


@dataclass(frozen=True)
class Link:
    """`left sign right` of a statement, at a point at which its indices have values.

    Of a limit, `index` is what grows.
    """

    left: Any
    sign: str
    right: Any
    at: Mapping[Any, Any]
    index: Any = None


def links_at(claim: Claim, seed: int) -> tuple[Link, ...]:
    """The comparisons of a statement at a random point of its domain."""
    return links_of(claim, claim.domain.draw(Random(seed)), seed)


def links_of(claim: Claim, point: Mapping[Any, Any], seed: int = 0) -> tuple[Link, ...]:
    """The comparisons of a statement at a point, which has all variables."""
    return tuple(_links(claim.formula, point, seed))


def _links(formula: Formula, at: Mapping[Any, Any], seed: int) -> Iterator[Link]:
    """The comparisons of a formula, each index at a random member of its range.

    Indices of one name and range are at the same one, since what is printed names them once.
    """
    if isinstance(formula, ForAll | Exists):
        low, high = value_of(formula.low, at), value_of(formula.high, at)
        last = int(low) + FAR if high is oo else int(high)
        member = Random(f"{seed} {formula.index.name}").randint(int(low), max(last, int(low)))
        yield from _links(formula.body, {**at, formula.index: Integer(member)}, seed)
    elif isinstance(formula, Compare):
        yield Link(formula.left, formula.sign, formula.right, at)
    elif isinstance(formula, Not) and (meant := denial(formula.body)) is not None:
        yield from _links(meant, at, seed)
    elif isinstance(formula, Tends):
        yield Link(formula.term, "=", formula.limit, at, formula.index)
    else:
        for part in formula.parts():
            for piece in part if isinstance(part, tuple) else (part,):
                if isinstance(piece, Formula):
                    yield from _links(piece, at, seed)


class Statement:
    """The sides of a statement: what they print, the sign towards them, their values at each point.

    Components of a side that is a tuple are sides, too.
    """

    def __init__(self, links: Sequence[Link]):
        sides = [
            (side, sign)
            for link in links
            for side, sign in ((link.left, TURNED[link.sign]), (link.right, link.sign))
        ]
        self.grows = [link.index and written(link.index) for link in links for _ in range(2)]
        self.names = [_bare(written(side)) for side, _ in sides]
        self.signs = [sign for _, sign in sides]
        self.texts = ["" if _is_quantity(side) else typeset(side) for side, _ in sides]
        self.found: set[int] = set()
        self.points: list[Sequence[Link]] = []
        self.known: dict[tuple[int, int], Any] = {}

    def value(self, point: int, place: int) -> Any:
        """What a side is at a point, asked for only once: that of a quantity may take a while."""
        if (point, place) not in self.known:
            link = self.points[point][place // 2]
            self.known[point, place] = _value(link.right if place % 2 else link.left, link.at)
        return self.known[point, place]

    def varies(self) -> bool:
        """Whether each side that is not a number has had two values: a wrong term may be zero, too."""
        return all(
            any(self.value(k, place) != self.value(0, place) for k in range(len(self.points)))
            for place, text in enumerate(self.texts)
            if text and not is_light(signs_of(text))
        )

    def unprinted(self) -> tuple[str, ...]:
        """Sides that are no mere quantities and that no printed side has been found to be."""
        seen = {self.texts[place] for place in self.found}
        return tuple(dict.fromkeys(text for text in self.texts if text and text not in seen))

    def named(self, signs: Sequence[str]) -> set[int]:
        return {place for place, name in enumerate(self.names) if name == _bare(signs)}

    def beyond(self, place: int) -> set[int]:
        r"""The sides that a side is compared with, also by way of others, as in $a\le b\le c$."""
        found, left = {place ^ 1}, [place ^ 1]
        signs = ONWARD.get(self.signs[place], set())
        while left:
            middle = self.names[left.pop()]
            same = (p for p, name in enumerate(self.names) if name == middle)
            more = {p ^ 1 for p in same if self.signs[p] in signs}
            left += more - found
            found |= more
        return found

    def valued(self, values: Sequence[Sequence[Any]], *, quantities: bool) -> set[int]:
        """The terms, or the quantities, that have at each point a value that is given for it."""
        places = (p for p, text in enumerate(self.texts) if bool(text) != quantities)
        return {place for place in places if self.has_values(place, values)}

    def has_values(self, place: int, values: Sequence[Sequence[Any]]) -> bool:
        """At every point where both have a value; these are half of all at least."""
        both = 0
        for point, given in enumerate(values):
            held, value = self.value(point, place), given[place // 2]
            if held is not NOWHERE and value is not NOWHERE:
                if not is_value(held, value):
                    return False
                both += 1
        return 2 * both >= len(values)


def _is_quantity(side: Any) -> bool:
    """A name for what a definition gives, and not a term that is printed."""
    return isinstance(side, Quantity | AppliedUndef | Named)


def _bare(signs: Sequence[str]) -> tuple[str, ...]:
    r"""A name without the brackets around what an expectation or a probability is taken of.

    They stay where what they hold would be another without them, as in $\mathbb E[x]^2$.
    """
    found, open_ = list(signs), list[int]()
    for place, sign in enumerate(signs):
        if sign == "[":
            open_.append(place)
        elif sign == "]" and open_:
            first = open_.pop()
            behind = signs[place + 1] if place + 1 < len(signs) else "+"
            if behind in ENDS and not _is_a_sum(signs[first + 1 : place]):
                found[first] = found[place] = ""
    return tuple(filter(None, found))


def _is_a_sum(signs: Sequence[str]) -> bool:
    """Whether a sign of a sum stands outside of all brackets."""
    depth = 0
    for sign in signs:
        depth += (sign in OPENING) - (sign in CLOSING)
        if depth == 0 and sign in {"+", "-"}:
            return True
    return False


def is_light(signs: Sequence[str]) -> bool:
    """Zero, one, infinity or a single name: found in many a formula."""
    return (len(signs) == 1 and signs[0] in LIGHT) or is_name(signs)


def _value(side: Any, at: Mapping[Any, Any]) -> Any:
    try:
        return defined(value_of(side, at))
    except NO_VALUE:
        return NOWHERE


def defined(value: Any) -> Any:
    return NOWHERE if isinstance(value, Basic) and value.has(zoo, nan) else value


def is_value(held: Any, value: Any) -> bool:
    """Whether a side, or a component of it, has a value."""
    if isinstance(held, tuple | list) and not isinstance(value, tuple | list):
        return any(is_value(each, value) for each in held)
    if isinstance(held, MatrixBase) and held.shape == (1, 1) and not isinstance(value, MatrixBase):
        held = held[0, 0]
    try:
        if isinstance(held, Decimal) or getattr(held, "has", lambda _: False)(Float):
            return _is_near(held, value)
        return exact.compare(held, "=", value) is True
    except NO_VALUE:
        return False


def _is_near(held: Any, value: Any) -> bool:
    """Equality as far as a definition that gives decimal numbers, to sixty digits, can tell."""
    if isinstance(held, MatrixBase):
        return held.shape == value.shape and all(map(_is_near, held, value))
    held, value = (N(Rational(str(x)) if isinstance(x, Decimal) else x, 50) for x in (held, value))
    size = abs(held) + abs(value)
    return bool(abs(held - value) <= NEAR * size or size < exact.SLACK)
