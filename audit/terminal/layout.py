"""Lines for a terminal: headings, paragraphs that wrap under their indentation, columns, matrices."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from audit.sinks import printable

__all__ = ["WIDTH", "Page", "columns", "counted", "matrix_lines", "reader", "wrapped"]

WIDTH = 100
"""Columns in a pipe; on a terminal the most that a line of prose takes."""
_MATRIX = re.compile(r"(?P<name>[^\[\]]*)\[(?P<rows>[^\[\]]*;[^\[\]]*)\](?P<after>[^\[\]]*)")


def reader() -> Console:
    """Standard output, as wide as the terminal but not wider than prose should be."""
    terminal = sys.stdout.isatty()
    console = Console(width=None if terminal else WIDTH, highlight=False)
    return Console(width=min(WIDTH, console.width), highlight=False) if terminal else console


def wrapped(text: str, width: int, indent: str = "", hanging: str | None = None) -> list[str]:
    """A paragraph in lines of at most `width` columns, later ones after `hanging`."""
    rest = indent if hanging is None else hanging
    lines, line = [], indent
    for word in text.split():
        for part in _parts(word, width - max(cell_len(indent), cell_len(rest))):
            if cell_len(line) + 1 + cell_len(part) > width and line.strip():
                lines.append(line.rstrip())
                line = rest
            joint = " " if line not in {indent, rest} else ""
            line = f"{line}{joint}{part}"
    return [*lines, line.rstrip()]


def _parts(word: str, width: int) -> Iterator[str]:
    """A word, cut where it is longer than a line."""
    while cell_len(word) > max(width, 8):
        cut = max(width, 8)
        while cell_len(word[:cut]) > max(width, 8):
            cut -= 1
        yield word[:cut]
        word = word[cut:]
    yield word


def columns(rows: Sequence[Sequence[str]], numbers: Sequence[bool]) -> list[str]:
    """Cells in columns two spaces apart; those that hold numbers end below each other."""
    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = [
            " " * (width - cell_len(cell)) + cell
            if number
            else cell + " " * (width - cell_len(cell))
            for cell, width, number in zip(row, widths, numbers, strict=True)
        ]
        lines.append("  ".join(cells).rstrip())
    return lines


def counted(number: int, noun: str) -> str:
    """How many of something there are.

    >>> counted(1, "claim"), counted(2, "claim")
    ('1 claim', '2 claims')
    """
    return f"{number} {noun}{'' if number == 1 else 's'}"


def matrix_lines(text: str) -> list[str] | None:
    """`X = [1 2; 3 4]` with a line for each row; None for what is no matrix."""
    found = _MATRIX.fullmatch(text)
    if found is None:
        return None
    separator = ", " if ", " in found["rows"] else " "
    rows = [row.strip().split(separator) for row in found["rows"].split(";")]
    if len({len(row) for row in rows}) != 1:
        return None
    body = columns(rows, [True] * len(rows[0]))
    margin = " " * cell_len(found["name"])
    opened = [
        f"{margin if k else found['name']}{' ' if k else '['}{line}" for k, line in enumerate(body)
    ]
    return [*opened[:-1], f"{opened[-1]}]{found['after']}"]


class Page:
    """What a command tells a reader, line by line; colours only where a terminal shows them."""

    def __init__(self, console: Console):
        self.console = console
        self.width = console.width

    def line(self, text: str = "", style: str = "") -> None:
        """A line as it is: data, which a pipe gets whole."""
        self.console.print(Text(printable(text), style=style), soft_wrap=True)

    def heading(self, text: str, aside: str = "") -> None:
        """A blank line, and a title with a remark after it."""
        self.line()
        shown = Text(text, style="bold")
        if aside and cell_len(text) + 3 + cell_len(aside) <= self.width:
            self.console.print(
                shown.append(f"   {printable(aside)}", style="not bold"), soft_wrap=True
            )
            return
        self.console.print(shown, soft_wrap=True)
        if aside:
            self.say(aside)

    def say(
        self, text: str, indent: str = "  ", hanging: str | None = None, style: str = ""
    ) -> None:
        """A paragraph."""
        for line in wrapped(printable(text), self.width, indent, hanging):
            self.line(line, style)
