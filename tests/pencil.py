"""A counterexample as it is printed, read back: the point, both sides, and the relation that fails."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import mpmath
import numpy as np
from latex_reader import Unreadable, read_term
from latex_values import SIGNS, same

from audit.sinks import Formula, Prose

SIDES = re.compile(
    r"left-hand side is (?:at \w+ )?\$([^$]+)\$, the right-hand side (?:at \w+ )?\$([^$]+)\$"
)
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
    if (found := WHOLE.fullmatch(formula)) is not None:
        names, *shape, places, turn = found.groups()
        assert places or f"{names} = 0 " in formula, "only its size is said"
        matrix = units(int(shape[0]), int(shape[1]), places, turn)
        for name in all_names(names.split(" = ")):
            yield name, matrix
        return
    if ":\\ " in formula and r"\mapsto" not in formula:
        yield read_mask(formula)
        return
    shown = formula.partition(IN_ROW)[0]
    for part in shown.split(r",\quad "):
        if r"\mapsto" in part:
            yield from read_runs(part)
            continue
        *names, value = part.split(" = ")
        if len(names) > 1 and re.fullmatch(r"-?[\d.]+(?: \\cdot 10\^\{-?\d+\})?", value):
            value = names.pop()  # decimals follow an exact value
        value = value.partition(r" \approx ")[0]
        for name in all_names(names):
            yield name, read_value(value)


WHOLE = re.compile(
    r"(.*?) (?:= 0 )?\\in \\mathbb\{R\}\^\{(\d+) \\times (\d+)\}"
    r"(?::\\ \\text\{(?:rows|every row)\}\\ ((?:e_\{\d+\}(?:,\\ )?)+)(\\ \\text\{in turn\})?)?"
)
"""A large matrix of zeros, or of unit vectors by the places of their ones."""


def units(rows: int, columns: int, places: str | None, turn: str | None) -> Any:
    """The matrix that such a formula names."""
    matrix = np.full((rows, columns), mpmath.mpf(0), dtype=object)
    ones = [int(place) for place in re.findall(r"\d+", places or "")]
    assert turn or len(ones) in (0, 1, rows), "a row is missing"
    for i in range(rows if ones else 0):
        matrix[i, ones[i % len(ones)] - 1] = mpmath.mpf(1)
    return matrix


def all_names(names: list[str]) -> list[str]:
    """Those of a list, where dots stand for the members between the first and the last."""
    if r"\dots" not in names:
        return names
    (first, low), (last, high) = (
        re.split(r"(?<=[{(])(?=\d+\)?\}$)", n) for n in (names[0], names[-1])
    )
    assert first == last
    ends, closing = [int(re.match(r"\d+", n)[0]) for n in (low, high)], low.lstrip("0123456789")  # type: ignore[index]
    return [f"{first}{k}{closing}" for k in range(ends[0], ends[1] + 1)]


RUN = re.compile(
    r"\((\d+|i)(?: ([+-]) (\d+))?,\\,(\d+|i)(?: ([+-]) (\d+))?\) \\mapsto (.+?)"
    r"(?:\\ \\text\{for\}\\ (\d+) \\le i \\le (\d+))?"
)


def read_runs(formula: str) -> Iterator[tuple[str, Any]]:
    """A large matrix by its runs of equal entries."""
    names, rows, columns, listing = re.match(  # type: ignore[union-attr]
        r"(.*) \\in \\mathbb\{R\}\^\{(\d+) \\times (\d+)\}:\\ (.*)", formula
    ).groups()
    *runs, last = listing.split(r";\ ")
    assert last == r"\text{others}\ 0"
    matrix = np.full((int(rows), int(columns)), mpmath.mpf(0), dtype=object)
    for run in runs:
        found = RUN.fullmatch(run)
        assert found is not None, run
        row, column, (value, low, high) = (
            found.groups()[:3],
            found.groups()[3:6],
            found.groups()[6:],
        )
        for i in range(int(low or 0), int(high or 0) + 1):
            at = place_of(row, i) - 1, place_of(column, i) - 1
            assert matrix[at] == 0, "written twice"
            matrix[at] = read_value(value)
    for name in all_names(names.split(" = ")):
        yield name, matrix


def place_of(place: Sequence[str | Any], i: int) -> int:
    """A row or column at the index: `3`, `i` or `i - 1`."""
    base, sign, shift = place
    return (i if base == "i" else int(base)) + (int(f"{sign}{shift}") if shift else 0)


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
