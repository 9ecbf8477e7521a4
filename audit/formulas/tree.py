r"""LaTeX formulas as trees: what belongs together stays together when a part is marked or moved.

A node is its text with the sequences of nodes that stand in it: `\frac{a}{b}` has two, `x_{i}^{2}`
three, a matrix one for each cell, and `\left( ... \right)` one.  `+` and `\alpha` have none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

__all__ = ["Node", "latex_of", "woven"]


@dataclass(frozen=True)
class Node:
    """Text and sequences of nodes in turn; equal nodes print alike."""

    pieces: tuple[str | tuple[Node, ...], ...]
    _hash: int = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_hash", hash(self.pieces))

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def shape(self) -> tuple[str | None, ...]:
        """The text, with None for each sequence."""
        return tuple(piece if isinstance(piece, str) else None for piece in self.pieces)

    @cached_property
    def inside(self) -> tuple[tuple[Node, ...], ...]:
        """The sequences."""
        return tuple(piece for piece in self.pieces if not isinstance(piece, str))

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts before, between and after the sequences."""
        return tuple(piece for piece in self.pieces if isinstance(piece, str))

    @cached_property
    def flat(self) -> Node:
        r"""The node with its scripts on the texts of its base: `a_{`, one sequence and `}` for `a_1`."""
        if not self.is_scripted or not self.inside or len(self.inside[0]) != 1:
            return self
        base = self.inside[0][0].flat
        (*before, last), (_, first, *after) = base.texts, self.texts
        return woven((*before, last + first, *after), (*base.inside, *self.inside[1:]))

    @property
    def is_scripted(self) -> bool:
        """Whether it is a base with an index, a power or a prime."""
        return self.pieces[0] == ""

    @cached_property
    def text(self) -> str:
        """The node as LaTeX."""
        return _joined(p if isinstance(p, str) else latex_of(p) for p in self.pieces)


def woven(texts: Sequence[str], inside: Sequence[tuple[Node, ...]]) -> Node:
    """A node from its texts and the sequences between them."""
    pairs = zip(inside, texts[1:], strict=True)
    return Node((texts[0], *(piece for pair in pairs for piece in pair)))


def latex_of(nodes: Sequence[Node]) -> str:
    """A sequence as LaTeX."""
    return _joined(node.text for node in nodes)


def _joined(parts: Iterator[str]) -> str:
    """Texts one after the other, with a space where a command would swallow a letter."""
    shown: list[str] = []
    for part in parts:
        if shown and part[:1].isalpha() and re.search(r"\\[A-Za-z]+$", shown[-1]):
            shown.append(" ")
        if part:
            shown.append(part)
    return "".join(shown)
