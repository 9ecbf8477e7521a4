r"""LaTeX formulas read into trees (`audit.formulas.tree`): scripts and arguments get their braces.

`nodes_of` reads whatever a document holds, for what shows it at once; `parsed` refuses what cannot be cut
or marked anywhere.
"""

from __future__ import annotations

import re

from audit.formulas.tree import Node
from audit.sinks import is_mathematics

__all__ = ["nodes_of", "parsed"]

_TOKEN = re.compile(
    r"\\(?:begin|end)\{[A-Za-z]*\}|\\(?:left|right|middle|[Bb]igg?[lrm]?)(?![A-Za-z])\s*(?:\\[A-Za-z]+|\\.|.)"
    r"|\\[A-Za-z]+|\\.|\d+(?:\.\d+)?|:\s*=|\S",
    re.DOTALL,
)
_WORDS = {
    r"\text", r"\textbf", r"\textit", r"\textrm", r"\operatorname", r"\mathrm", r"\mathsf", r"\mathtt",
    r"\mathit",
}  # fmt: skip
"""Commands whose argument is a word: it is not taken apart."""
_STYLES = {r"\displaystyle", r"\textstyle", r"\scriptstyle", r"\scriptscriptstyle"}
"""Commands for all that follows; what they are written for follows at once."""
_WITHOUT = re.compile(r"\\(?:left|right|middle|[Bb]igg?[lrm]?)$")
"""Commands for a bracket that lack theirs."""
_ONE = """
    sqrt mathbb mathbf mathcal mathfrak mathscr boldsymbol mathop mathbin mathrel bar hat vec dot ddot
    tilde check breve acute grave widehat widetilde overline underline overbrace underbrace
    overrightarrow overleftarrow substack xrightarrow pmod
"""
_TWO = "frac dfrac tfrac binom dbinom tbinom overset underset stackrel"
_ARGUMENTS = {
    f"\\{name}": count for count, names in ((1, _ONE), (2, _TWO)) for name in names.split()
}


def nodes_of(formula: str) -> tuple[Node, ...]:
    """The tree of a formula; one that is no mathematics is a single node."""
    if not is_mathematics(formula):
        return (Node((formula,)),)
    return _Reader(formula).sequence()


def parsed(formula: str) -> tuple[Node, ...]:
    r"""The tree of a formula that may be cut anywhere: each style in braces with what it is for.

    Raises `ValueError` for what is no mathematics, and where an argument or a bracket is missing.

    >>> [node.text for node in parsed(r"a_1 + \textstyle\sum_i x")]
    ['a_{1}', '+', '{\\textstyle\\sum_{i}}', 'x']
    """
    if not is_mathematics(formula):
        raise ValueError("a group does not close, or a command is not known")
    reader = _Reader(formula, styled=True)
    nodes = reader.sequence()
    if reader.lacking:
        raise ValueError("an argument or a bracket is missing")
    return nodes


class _Reader:
    """Recursive descent over the tokens of a formula whose brackets are known to balance."""

    def __init__(self, formula: str, *, styled: bool = False) -> None:
        self.formula, self.at, self.styled = formula, 0, styled
        self.lacking = False

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
        if self.is_at_end():
            return ()
        if token != "{":
            return (self.atom(),)
        self.take()
        inside = self.sequence("}")
        self.take()
        return inside

    def is_at_end(self) -> bool:
        """Whether nothing is left of a group where something must follow."""
        ends = _kind(self.peek()) in {"", "}", "&", "\\\\", r"\right", r"\end"}
        self.lacking = self.lacking or ends
        return ends

    def atom(self) -> Node:
        token = self.take()
        self.lacking = self.lacking or bool(_WITHOUT.match(token))
        if token in _STYLES and self.styled and not self.is_at_end():
            return Node(("{", (Node((token,)), self.with_scripts(self.atom())), "}"))
        if token in _WORDS:
            return Node((token + self.raw_group(),))
        if token.startswith(r"\begin"):
            return self.environment(token)
        if _kind(token) == r"\left":
            inside = self.sequence(r"\right")
            self.lacking = self.lacking or bool(_WITHOUT.match(self.peek() or r"\right"))
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
            while (token := self.take()) != "]" and token:
                pass
            self.lacking = self.lacking or not token
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
            return "{}" if self.is_at_end() else f"{{{self.take()}}}"
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
    r"""`\left (` as `\left(` and `: =` as `:=`, but `\ ` as it must be."""
    return re.sub(r"\s+", "", token) if not re.fullmatch(r"\\\s", token) else r"\ "
