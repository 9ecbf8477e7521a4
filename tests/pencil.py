"""A counterexample as it is printed, read back: the point, both sides, and the relation that fails."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import mpmath
from latex_reader import Unreadable, read_term
from latex_values import SIGNS, same

from audit.sinks import Formula, Prose

SIDES = re.compile(r"left-hand side is \$([^$]+)\$, the right-hand side \$([^$]+)\$")
FAILS = re.compile(r"\$([^$]+?) (=|\\ne|\\le|<|\\ge|>) ([^$]+)\$ fails")
EDGE = re.compile(r"(\d+) \\to (\d+)")
IN_ROW = r"\ \text{(one in row "
"""What follows an adjacency matrix."""
LOOPS = re.compile(r"i \\to i\\ \\text\{for all \} i \\le (\d+)")


@dataclass(frozen=True)
class Side:
    """One side as printed: the exact value where there is one, and its decimals."""

    exact: Any
    decimals: Any
    equal: bool
    text: str

    @property
    def value(self) -> Any:
        return self.decimals if self.exact is None else self.exact

    def agrees(self) -> bool:
        """The decimals are the exact value, or that value rounded to the digits that are printed."""
        if self.exact is None or self.decimals is None:
            return True
        if self.equal:
            return same(self.exact, self.decimals)
        return bool(abs(self.exact - self.decimals) <= unit_of(self.text) / 2)


def read_side(text: str) -> Side:
    """`E`, `E = 0.625`, `E \\approx 1.73`, or `\\approx 1.73`."""
    exact, sign, decimals = re.match(r"(.*?)(?:(?:^| )(=|\\approx) ([^=]*))?$", text).groups()  # type: ignore[union-attr]
    return Side(
        read_term(exact, [], {}) if exact else None,
        read_term(decimals, [], {}) if decimals else None,
        sign == "=",
        decimals or "",
    )


def unit_of(decimals: str) -> Any:
    """One unit of the last digit of a printed decimal."""
    mantissa, _, power = decimals.partition(r" \cdot 10^{")
    places = len(mantissa.partition(".")[2])
    return mpmath.mpf(10) ** (int(power.rstrip("}")) if power else 0) / mpmath.mpf(10) ** places


def failing(sentence: Prose) -> Iterator[tuple[Any, str, Any]]:
    """Every relation that the sentence says fails: left, sign, right, read from the text."""
    for left, sign, right in FAILS.findall(sentence):
        yield read_term(left, [], {}), sign, read_term(right, [], {})


def violates(left: Any, sign: str, right: Any) -> bool:
    return not SIGNS[sign](left, right)


def read_variable(formula: Formula) -> Iterator[tuple[str, Any]]:
    """Name and value of each variable of a formula; a sequence gives a pair for each member."""
    if ":\\ " in formula:
        yield read_mask(formula)
        return
    shown = formula.partition(IN_ROW)[0]
    for part in shown.split(r",\quad "):
        *names, value = part.split(" = ")
        if len(names) > 1 and re.fullmatch(r"-?[\d.]+(?: \\cdot 10\^\{-?\d+\})?", value):
            value = names.pop()  # decimals follow an exact value
        value = value.partition(r" \approx ")[0]
        for name in names:
            yield name, read_value(value)


def read_value(text: str) -> Any:
    """A number, a matrix or a list; words as they stand."""
    word = re.fullmatch(r"\\text\{([^{}]*)\}", text)
    if word:
        return word[1]
    try:
        return read_term(text, [], {})
    except Unreadable as fault:
        raise AssertionError(f"{text!r} cannot be read back: {fault}") from fault


def read_mask(formula: str) -> tuple[str, frozenset[tuple[int, int]]]:
    name, _, listing = formula.partition(r":\ ")
    edges = {(int(j), int(i)) for j, i in EDGE.findall(listing)}
    loops = LOOPS.search(listing)
    edges |= {(i, i) for i in range(1, int(loops[1]) + 1)} if loops else set()
    return name, frozenset(edges)
