"""What letters of a paper stand for: their exact values at a point, for whoever reads its formulas.

A statement needs none of this: its quantities have definitions.  But their names are formulas of the
paper, such as a norm of a difference, and so are the sides that the paper prints; with the letters of the
paper both are read and held to the definitions (`audit.printed`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from claims.tables import Table

__all__ = ["VOCABULARY", "meanings", "means"]

VOCABULARY: Table[tuple[str, str], Callable[..., Any]] = Table()
"""By paper and LaTeX, with `{}` in the place of each index, as in `claims.terms.family`."""


def means(paper: str, name: str, define: Callable[..., Any]) -> None:
    r"""Says what a name of a paper stands for: `define(point, *indices)` is a number or a matrix.

    Where the variables of a claim bear the name, they are meant; at points at which it means nothing,
    `define` raises `LookupError`, as a point does that lacks a variable.

    >>> means("note2020", r"\bar x", lambda at: sum(at["x"]) / len(at["x"]))
    >>> [(name, define({"x": (1, 3)})) for name, define in meanings("note2020")]
    [('\\bar x', 2.0)]
    """
    if (paper, name) in VOCABULARY:
        raise ValueError(f"{paper}: {name} has two meanings")
    VOCABULARY[paper, name] = define


def meanings(paper: str) -> Iterator[tuple[str, Callable[..., Any]]]:
    """The names of a paper, each with what defines it."""
    return ((name, define) for (of, name), define in VOCABULARY.items() if of == paper)
