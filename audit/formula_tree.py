r"""LaTeX formulas as trees: what belongs together stays together when a part is marked or moved.

A node is its text with the sequences of nodes that stand in it: `\frac{a}{b}` has two, `x_{i}^{2}`
three, a matrix one for each cell, and `\left( ... \right)` one.  `+` and `\alpha` have none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from audit.sinks import is_mathematics

__all__ = ["Node", "latex_of", "nodes_of"]

_TOKEN = re.compile(
    r"\\(?:begin|end)\{[A-Za-z]*\}|\\(?:left|right|middle|[Bb]igg?[lrm]?)(?![A-Za-z])\s*(?:\\[A-Za-z]+|\\.|.)"
    r"|\\[A-Za-z]+|\\.|\d+(?:\.\d+)?|\S",
    re.DOTALL,
)
_WORDS = {
    r"\text", r"\textbf", r"\textit", r"\textrm", r"\operatorname", r"\mathrm", r"\mathsf", r"\mathtt",
    r"\mathit",
}  # fmt: skip
"""Commands whose argument is a word: it is not taken apart."""
_ONE = """
    sqrt mathbb mathbf mathcal mathfrak mathscr boldsymbol mathop mathbin mathrel bar hat vec dot ddot
    tilde check breve acute grave widehat widetilde overline underline overbrace underbrace
    overrightarrow overleftarrow substack xrightarrow pmod
"""
_TWO = "frac dfrac tfrac binom dbinom tbinom overset underset stackrel"
_ARGUMENTS = {
    f"\\{name}": count for count, names in ((1, _ONE), (2, _TWO)) for name in names.split()
}


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

    @cached_property
    def weight(self) -> int:
        """How many symbols are in it."""
        own = 0 if self.is_scripted else 1
        return own + sum(node.weight for part in self.inside for node in part)

    @property
    def is_scripted(self) -> bool:
        """Whether it is a base with an index, a power or a prime."""
        return self.pieces[0] == ""

    @cached_property
    def text(self) -> str:
        """The node as LaTeX."""
        return _joined(p if isinstance(p, str) else latex_of(p) for p in self.pieces)


def latex_of(nodes: tuple[Node, ...]) -> str:
    """A sequence as LaTeX."""
    return _joined(node.text for node in nodes)


def nodes_of(formula: str) -> tuple[Node, ...]:
    """The tree of a formula; one that is no mathematics is a single node."""
    if not is_mathematics(formula):
        return (Node((formula,)),)
    return _Reader(formula).sequence()


def _joined(parts: Iterator[str]) -> str:
    """Texts one after the other, with a space where a command would swallow a letter."""
    shown: list[str] = []
    for part in parts:
        if shown and part[:1].isalpha() and re.search(r"\\[A-Za-z]+$", shown[-1]):
            shown.append(" ")
        if part:
            shown.append(part)
    return "".join(shown)


class _Reader:
    """Recursive descent over the tokens of a formula whose brackets are known to balance."""

    def __init__(self, formula: str) -> None:
        self.formula, self.at = formula, 0

    def peek(self) -> str:
        found = _TOKEN.search(self.formula, self.at)
        return found[0] if found else ""

    def take(self) -> str:
        found = _TOKEN.search(self.formula, self.at)
        self.at = found.end() if found else len(self.formula)
        return found[0] if found else ""

    def sequence(self, *ends: str) -> tuple[Node, ...]:
        """Nodes up to a token of one of the kinds, which is left there."""
        nodes: list[Node] = []
        while (token := self.peek()) and _kind(token) not in ends:
            nodes.append(self.with_scripts(self.atom()))
        return tuple(nodes)

    def with_scripts(self, base: Node) -> Node:
        pieces: list[str | tuple[Node, ...]] = ["", (base,)]
        opened = ""
        while (token := self.peek()) in {"^", "_", "'"}:
            self.take()
            if token == "'":
                opened += "'"
            else:
                pieces += [f"{opened}{token}{{", self.argument()]
                opened = "}"
        if not opened:
            return base
        return Node((*pieces, opened))

    def argument(self) -> tuple[Node, ...]:
        """What a command or a script sign takes: a group, or one token."""
        token = self.peek()
        if token[:1].isdigit():  # of 12 without braces, 1
            self.at = self.formula.index(token, self.at) + 1
            return (Node((token[0],)),)
        if token != "{":
            return (self.atom(),)
        self.take()
        inside = self.sequence("}")
        self.take()
        return inside

    def atom(self) -> Node:
        token = self.take()
        if token in _WORDS:
            return Node((token + self.raw_group(),))
        if token.startswith(r"\begin"):
            return self.environment(token)
        if _kind(token) == r"\left":
            inside = self.sequence(r"\right")
            return Node((_tight(token), inside, _tight(self.take())))
        if token == "{":
            inside = self.sequence("}")
            self.take()
            return Node(("{", inside, "}"))
        if token in _ARGUMENTS:
            return self.command(token)
        return Node((_tight(token),))

    def command(self, name: str) -> Node:
        option = ""
        if name in {r"\sqrt", r"\xrightarrow"} and self.peek() == "[":
            start = self.at
            while self.take() != "]":
                pass
            option = self.formula[start : self.at].strip()
        pieces: list[str | tuple[Node, ...]] = [f"{name}{option}{{", self.argument()]
        for _ in range(_ARGUMENTS[name] - 1):
            pieces += ["}{", self.argument()]
        return Node((*pieces, "}"))

    def environment(self, begin: str) -> Node:
        columns = self.raw_group() if begin == r"\begin{array}" else ""
        pieces: list[str | tuple[Node, ...]] = [begin + columns + " "]
        while True:
            pieces.append(self.sequence("&", "\\\\", r"\end"))
            token = self.take()
            pieces.append(f" {token} ")
            if token.startswith(r"\end") or not token:
                pieces[-1] = f" {token}"
                return Node(tuple(pieces))

    def raw_group(self) -> str:
        """A group as it is written, its spaces too; a word without one gets braces."""
        if self.peek() != "{":
            return f"{{{self.take()}}}"
        start = self.at = self.formula.index("{", self.at)
        depth = 0
        while True:
            token = self.take()
            depth += (token == "{") - (token == "}")
            if depth == 0:
                return self.formula[start : self.at]


def _kind(token: str) -> str:
    r"""`\right` of `\right)` and `\end` of `\end{matrix}`, else the token."""
    found = re.match(r"\\(?:left|right|end)(?![A-Za-z])", token)
    return found[0] if found else token


def _tight(token: str) -> str:
    r"""`\left (` as `\left(`, but `\left\{` and `\left \vert` as they must be."""
    return re.sub(r"\s+", "", token) if not re.fullmatch(r"\\\s", token) else r"\ "
