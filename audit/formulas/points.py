r"""Points of a domain as a reader writes them down: matrices, masks by their edges, lists of matrices.

>>> formulas_of_point({"n": 2, "A^{(0..T-1)}": [[[1, 0], ["1/2", "1/2"]]]})[0]
'n = 2'
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from audit.formulas.mathtext import latex_of_name, latex_of_value
from audit.formulas.numbers import Number, number_in
from audit.formulas.patterns import sparse
from audit.sinks import Formula
from claims import masks

__all__ = ["formulas_of_point"]

LISTED_EDGES, MOST_TOKENS = 12, 64
"""Edges beside loops that are listed, more stand in a matrix; tokens of a mask that is written out."""
NAMED = 4
"""Equal members of a list that are named each; of more the first and the last."""
ATTENDS = r"\ \text{(}j \to i\text{: token }i\text{ attends to token }j\text{)}"
IN_ROW = (
    r"\ \text{(one in row }i\text{, column }j\text{: token }i\text{ attends to token }j\text{)}"
)
KNOWN = {
    "causal": masks.causal, "complete": masks.complete, "cycle": masks.cycle,
    "one-directional": masks.one_directional, "sliding": masks.sliding_window, "star": masks.star,
}  # fmt: skip
_RANGE = re.compile(r"^(.*[\^_])\{(\(?)([01])\.\.[A-Z](?:-1)?(\)?)\}$")
"""The name of a list of matrices by the range of its index: `A^{(0..T-1)}`, `W_{1..L}`."""
_MASK = re.compile(r"^([^()]+)\((\d{1,4})\)$")
_ARROW = re.compile(r"(\d{1,4})>(\d{1,4})")
_SHAPE = re.compile(r"^(?:(\d+) of )?(\d+) × (\d+)$|^(\d+) values$")
"""What stands for large arrays: one matrix, several of one shape, a list of numbers."""
_UNLIKE = re.compile(r"^\d+ matrices$")
"""What stands for a list of matrices of several shapes."""

Edges = Sequence[tuple[int, int]]


def formulas_of_point(
    at: Mapping[str, Any],
    shown: Sequence[str] | None = None,
    masks: Mapping[str, Any] | None = None,
    *,
    brief: bool = False,
    most: int | None = None,
) -> list[Formula]:
    """A formula for each variable, of those that are `shown` where that is known.

    Masks come with their edges where a document holds them, and by their name where it does not.  In
    `brief`, numbers that are not simple are rounded; matrices of more than `most` rows are given by
    their size.
    """
    names = [name for name in at if shown is None or name in shown]
    writer = _Writer(masks or {}, brief, most)
    return [Formula(writer(name, at[name])) for name in names]


@dataclass(frozen=True)
class _Writer:
    """Variables of one point, written in one way."""

    masks: Mapping[str, Any]
    brief: bool
    most: int | None

    def __call__(self, name: str, value: Any) -> str:
        letter, ranged = latex_of_name(name), _RANGE.match(name)
        if isinstance(value, list) and self._is_large(value):
            return _by_shape(letter, f"{len(value)} × {len(value[0])}")
        if (mask := self._mask(name, value)) is not None:
            return _mask(letter, *mask)
        if ranged and isinstance(value, list) and value:
            return self._sequence(ranged, value)
        if isinstance(value, str) and _SHAPE.match(value):
            return _by_shape(letter, value)
        if isinstance(value, str) and (name.startswith(r"\text{") or _UNLIKE.match(value)):
            return rf"{letter}:\ {latex_of_value(value)}"
        return f"{letter} {self._equals(value)}"

    def _equals(self, value: Any) -> str:
        """A value behind its sign: exact, or rounded."""
        if isinstance(value, list) and len(value) == 1 and _is_matrix(value[0]):
            value = value[0]
        if isinstance(value, list):
            rounded = _any(value, lambda number: number.is_rounded)
            long = self.brief and _any(value, lambda number: not number.is_simple)
            if not rounded and not long and _is_matrix(value) and (runs := sparse(value)):
                return runs
            sign = r"\approx" if rounded or long else "="
            return f"{sign} {latex_of_value(value, brief=self.brief)}"
        number = number_in(value)
        if number is None:
            return f"= {latex_of_value(value)}"
        if number.is_simple and number.exact is not None:
            return f"= {number.exact}"
        text = number.brief() if self.brief else number.latex()
        return text if text.startswith(r"\approx") else f"= {text}"

    def _is_large(self, value: list[Any]) -> bool:
        return self.most is not None and _is_matrix(value) and len(value) > self.most

    def _mask(self, name: str, value: Any) -> tuple[int, Edges] | None:
        if (mask := self.masks.get(name)) is not None:
            return int(mask["tokens"]), [(j, i) for j, i in mask["edges"]]
        return _mask_by_name(value) if isinstance(value, str) else None

    def _sequence(self, name: re.Match[str], values: list[Any]) -> str:
        """Every member of a list by its index; equal ones together."""
        before, opening, first, closing = name.groups()
        names = [f"{before}{{{opening}{int(first) + k}{closing}}}" for k in range(len(values))]
        if all(value == values[0] for value in values):
            same = names if len(names) <= NAMED else [names[0], r"\dots", names[-1]]
            return f"{' = '.join(same)} {self._equals(values[0])}"
        members = zip(names, map(self._equals, values), strict=True)
        return r",\quad ".join(f"{name} {value}" for name, value in members)


def _is_matrix(value: Any) -> bool:
    """Nested lists of two levels."""
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(row, list) for row in value)
        and not any(isinstance(entry, list) for row in value for entry in row)
    )


def _any(value: Any, holds: Callable[[Number], bool]) -> bool:
    """Whether it holds of a number in nested lists."""
    if isinstance(value, list):
        return any(_any(entry, holds) for entry in value)
    number = number_in(value)
    return number is not None and holds(number)


def _by_shape(letter: str, shape: str) -> str:
    found = _SHAPE.match(shape)
    assert found is not None
    count, rows, columns, length = found.groups()
    size = length or rf"{rows} \times {columns}"
    space = rf"\mathbb{{R}}^{{{size}}}"
    return rf"{letter} \in " + (rf"\bigl({space}\bigr)^{{{count}}}" if count else space)


def _mask_by_name(text: str) -> tuple[int, Edges] | None:
    """Size and edges of a mask that documents once wrote by its name alone: `loops 1>2 2>1(2)`."""
    found = _MASK.match(text)
    if found is None or not 0 < (size := int(found[2])) <= MOST_TOKENS:
        return None
    words = found[1].split()
    if found[1] in KNOWN:
        return size, sorted(KNOWN[found[1]](size).edges)
    looped = words[0] == "loops"
    arrows = [_ARROW.fullmatch(word) for word in words[looped:]]
    edges = [(int(arrow[1]), int(arrow[2])) for arrow in arrows if arrow]
    if len(edges) < len(arrows) or any(not 0 < k <= size for edge in edges for k in edge):
        return None
    return size, edges + [(i, i) for i in range(1, size + 1)] * looped


def _mask(letter: str, size: int, edges: Edges) -> str:
    """A mask by its edges, or by its adjacency matrix where these are many."""
    if size > MOST_TOKENS:
        return rf"{letter}:\ \text{{a graph on {size} tokens}}"
    loops = all((i, i) in edges for i in range(1, size + 1))
    listed = [edge for edge in sorted(edges) if not loops or edge[0] != edge[1]]
    if len(listed) > LISTED_EDGES:
        rows = [[int((j, i) in edges) for j in range(1, size + 1)] for i in range(1, size + 1)]
        return f"{letter} {sparse(rows) or f'= {latex_of_value(rows)}'}{IN_ROW}"
    arrows = [rf"{j} \to {i}" for j, i in listed]
    every = [rf"i \to i\ \text{{for all }} i \le {size}"] if loops else []
    listing = r",\ ".join(arrows + every) or r"\text{no edge}"
    return rf"{letter}:\ {listing}{ATTENDS}"
