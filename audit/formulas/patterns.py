r"""Large matrices that are zero but for a few straight runs of equal entries, written by those runs.

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
    shape = rf"\in \mathbb{{R}}^{{{rows} \times {columns}}}:\ "
    return shape + r";\ ".join([*said, r"\text{others}\ 0"])


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
