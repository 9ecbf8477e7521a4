r"""Points of a domain as a reader writes them down: matrices, masks by their edges, lists of matrices.

>>> formulas_of_point({"n": 2, "A^{(0..T-1)}": [[[1, 0], ["1/2", "1/2"]]]})[0]
'n = 2'
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from audit.mathtext import latex_of_name, latex_of_value
from audit.numbers import number_in
from audit.sinks import Formula

__all__ = ["formulas_of_point"]

LISTED_EDGES = 12
"""Edges beside loops that are listed; more are shown as an adjacency matrix."""
_RANGE = re.compile(r"^(.*[\^_])\{(\(?)([01])\.\.[A-Z](?:-1)?(\)?)\}$")
"""The name of a list of matrices by the range of its index: `A^{(0..T-1)}`, `W_{1..L}`."""
_MASK = re.compile(r"^([a-z][a-z -]*?|loops(?: \d+>\d+)*)\((\d+)\)$")


def formulas_of_point(
    at: Mapping[str, Any],
    shown: Sequence[str] | None = None,
    masks: Mapping[str, Any] | None = None,
) -> list[Formula]:
    """A formula for each variable, of those that are `shown` where that is known."""
    names = [name for name in at if shown is None or name in shown]
    return [
        Formula(text)
        for name in names
        for text in _written(name, at[name], (masks or {}).get(name))
    ]


def _written(name: str, value: Any, mask: Mapping[str, Any] | None) -> Iterator[str]:
    letter = latex_of_name(name)
    ranged = _RANGE.match(name)
    if mask is not None:
        yield _mask(letter, int(mask["tokens"]), [tuple(edge) for edge in mask["edges"]])
    elif isinstance(value, str) and (found := _MASK.match(value)):
        edges = _edges_of(found[1], int(found[2]))
        yield (
            _mask(letter, int(found[2]), edges)
            if edges is not None
            else f"{letter} = {latex_of_value(value)}"
        )
    elif ranged and isinstance(value, list) and value:
        yield _sequence(ranged, value)
    else:
        number = number_in(value)
        shown = None if number is None else number.exact if number.is_simple else number.latex()
        yield f"{letter} = {shown or latex_of_value(value)}"


def _sequence(name: re.Match[str], values: list[Any]) -> str:
    """Every member of a list by its index; equal ones together."""
    before, opening, first, closing = name.groups()
    names = [f"{before}{{{opening}{int(first) + k}{closing}}}" for k in range(len(values))]
    if all(value == values[0] for value in values):
        return " = ".join([*names, latex_of_value(values[0])])
    return r",\quad ".join(f"{n} = {latex_of_value(v)}" for n, v in zip(names, values, strict=True))


def _edges_of(name: str, size: int) -> list[tuple[int, int]] | None:
    """The edges of a mask that is known by its name, as documents wrote it before they held edges."""
    return None


def _mask(letter: str, size: int, edges: list[tuple[int, int]]) -> str:
    """A mask by its edges, or by its adjacency matrix where these are many."""
    loops = all((i, i) in edges for i in range(1, size + 1))
    listed = [edge for edge in sorted(edges) if not loops or edge[0] != edge[1]]
    if len(listed) > LISTED_EDGES:
        rows = [[int((j, i) in edges) for j in range(1, size + 1)] for i in range(1, size + 1)]
        words = r"\ \text{(entry }1\text{ in row }i\text{, column }j\text{: token }i\text{ attends to token }j\text{)}"
        return f"{letter} = {latex_of_value(rows)}{words}"
    arrows = ",\\ ".join(rf"{j} \to {i}" for j, i in listed) or r"\text{no edge}"
    every = rf",\ i \to i\ \text{{for all }} i \le {size}" if loops else ""
    return rf"{letter}:\ {arrows}{every}\ \text{{(}}j \to i\text{{: token }}i\text{{ attends to token }}j\text{{)}}"
