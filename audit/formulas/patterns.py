r"""Large matrices of few words: one-hot rows by their columns, others by straight runs of equal entries.

>>> sparse([[int(j == i % 3) for j in range(3)] for i in range(9)])
'\\in \\mathbb{R}^{9 \\times 3}:\\ \\text{rows}\\ e_{1},\\ e_{2},\\ e_{3}\\ \\text{in turn}'

>>> sparse([[2 if i == j else 0 for j in range(9)] for i in range(9)])
'\\in \\mathbb{R}^{9 \\times 9}:\\ (i,\\,i) \\mapsto 2\\ \\text{for}\\ 1 \\le i \\le 9;\\ \\text{others}\\ 0'
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from audit.formulas.mathtext import latex_of_value

__all__ = ["sparse"]

WRITTEN, MOST_RUNS = 8, 12
"""Rows and columns up to which every entry is written; runs that are still read more easily."""
STEPS = ((1, 1), (1, 0), (0, 1))
"""Along a diagonal, down a column, along a row."""

Place = tuple[int, int]
Run = tuple[Place, Place, int]


def sparse(matrix: Sequence[Sequence[Any]]) -> str | None:
    """What follows the name of a large matrix; None where it is small or has no such form."""
    rows, columns = len(matrix), len(matrix[0])
    if max(rows, columns) <= WRITTEN:
        return None
    space = rf"\in \mathbb{{R}}^{{{rows} \times {columns}}}"
    if not any(map(any, matrix)):
        return f"= 0 {space}"
    shape = rf"{space}:\ "
    if all(_is_unit(row) for row in matrix):
        return shape + _units([row.index(1) + 1 for row in matrix])
    left = {
        (i, j): entry
        for i, row in enumerate(matrix, 1) for j, entry in enumerate(row, 1) if entry != 0
    }  # fmt: skip
    said: list[str] = []
    while left:
        run = max(_runs(left), key=lambda found: found[2])
        if len(said) == MOST_RUNS:
            return None
        value = latex_of_value(left[run[0]])
        said.append(rf"{_named(*run)[0]} \mapsto {value}{_named(*run)[1]}")
        for k in range(run[2]):
            del left[_moved(run[0], run[1], k)]
    return shape + r";\ ".join([*said, r"\text{others}\ 0"])


def _is_unit(row: Sequence[Any]) -> bool:
    return sum(entry != 0 for entry in row) == 1 and 1 in row


def _units(places: Sequence[int]) -> str:
    """Unit vectors by the places of their ones, once where they come in turn."""
    periods = range(1, len(places) // 2 + 1)
    turn = next((p for p in periods if places[p:] == places[:-p]), None)
    said = r",\ ".join(f"e_{{{place}}}" for place in places[:turn])
    if turn == 1:
        return rf"\text{{every row}}\ {said}"
    return rf"\text{{rows}}\ {said}" + (r"\ \text{in turn}" if turn else "")


def _runs(left: Mapping[Place, Any]) -> list[Run]:
    """From each entry, in each direction, how many equal ones follow."""
    found = []
    for start, value in left.items():
        for step in STEPS:
            count = 1
            while left.get(_moved(start, step, count)) == value:
                count += 1
            found.append((start, step, count))
    return found


def _moved(start: Place, step: Place, count: int) -> Place:
    return start[0] + count * step[0], start[1] + count * step[1]


def _named(start: Place, step: Place, count: int) -> tuple[str, str]:
    """The places of a run by an index i, and its range."""
    (i, j), last = start, start[0] + count - 1
    if count == 1:
        return rf"({i},\,{j})", ""
    if step == (0, 1):
        return rf"({i},\,i)", rf"\ \text{{for}}\ {j} \le i \le {j + count - 1}"
    shift = "" if not (j - i) else f" {'+' if j > i else '-'} {abs(j - i)}"
    column = f"i{shift}" if step == (1, 1) else str(j)
    return rf"(i,\,{column})", rf"\ \text{{for}}\ {i} \le i \le {last}"
