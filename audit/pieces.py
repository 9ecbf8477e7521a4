r"""LaTeX formulas as rows of balanced pieces: what may be compared, marked or broken between lines.

A piece is what stands together: a letter with its scripts, a command with its arguments, a pair of
`\left` and `\right` with all between them.  Pieces joined again give the formula, every argument in
braces, so that whoever cuts between pieces never cuts a group open.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

__all__ = ["RELATIONS", "Piece", "joined", "pieces_of"]

_RELATIONS = """
    le ge leq geq lt gt ne neq approx sim simeq to in subset subseteq propto lesssim gtrsim ll gg equiv
    cong Rightarrow Leftrightarrow iff implies longrightarrow rightarrow mapsto
"""
_OF_TWO = "frac tfrac dfrac binom tbinom dbinom overset underset stackrel"
_OF_ONE = """
    sqrt mathbb mathbf mathcal mathfrak mathit mathscr mathsf mathtt boldsymbol bar hat tilde vec dot
    ddot overline underline widehat widetilde overbrace underbrace overrightarrow overleftarrow
    xrightarrow acute grave check breve mathop mathbin mathrel
"""
_OF_WORDS = "text textbf textit textrm mbox mathrm operatorname"


def _commands(names: str) -> frozenset[str]:
    return frozenset(f"\\{name}" for name in names.split())


RELATIONS = _commands(_RELATIONS) | {"=", "<", ">", ":="}
"""Commands and characters that relate what stands on their two sides."""
_TWO, _ONE, _WORDS = map(_commands, (_OF_TWO, _OF_ONE, _OF_WORDS))
"""Commands by their arguments; words in braces are read letter by letter."""
_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|[0-9]+(?:\.[0-9]+)?|:=|\s+|.", re.DOTALL)
_STYLES = {r"\displaystyle", r"\textstyle", r"\scriptstyle", r"\scriptscriptstyle"}
"""Commands for all that follows; what they are written for follows at once."""
_SIZE = re.compile(r"\\[bB]igg?[lr]?")
"""Commands that make a bracket larger; the bracket belongs to them."""
_ENDS_IN_COMMAND = re.compile(r"\\[A-Za-z]+$")
_SCRIPTS = {"^", "_", "'"}
_ENDS = {"}", r"\right", r"\end", ""}


@dataclass(frozen=True)
class Piece:
    r"""A balanced part of a formula: the text around its inner rows, and those rows.

    >>> [piece.text for piece in pieces_of(r"a_1 + \frac n2")]
    ['a_{1}', '+', '\\frac{n}{2}']
    """

    glue: tuple[str, ...]
    rows: tuple[tuple[Piece, ...], ...] = ()

    @cached_property
    def text(self) -> str:
        """The LaTeX of the piece."""
        return self.around(joined(row) for row in self.rows)

    def around(self, inner: Iterator[str]) -> str:
        """The piece with other text in the place of its inner rows."""
        first, *rest = self.glue
        return first + "".join(f"{row}{after}" for row, after in zip(inner, rest, strict=True))


def joined(row: Sequence[Piece]) -> str:
    """The LaTeX of a row; a command never runs into a letter that follows it."""
    texts: list[str] = []
    for piece in row:
        apart = texts and piece.text[:1].isalpha() and _ENDS_IN_COMMAND.search(texts[-1])
        texts.append(f" {piece.text}" if apart else piece.text)
    return "".join(texts)


def _run(text: str, more: str) -> str:
    apart = more[:1].isalpha() and _ENDS_IN_COMMAND.search(text)
    return f"{text} {more}" if apart else text + more


def pieces_of(formula: str) -> tuple[Piece, ...]:
    """The row of pieces of a formula; spaces between pieces are left out, commands for spaces stay.

    Raises `ValueError` for a formula whose groups do not close.
    """
    reader = _Reader(_TOKEN.findall(formula))
    row = reader.row()
    if reader.next:
        raise ValueError(f"{reader.next} closes nothing")
    return row


class _Reader:
    """A formula from left to right, one token ahead."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens, self.place = tokens, 0

    @property
    def next(self) -> str:
        return self.tokens[self.place] if self.place < len(self.tokens) else ""

    def take(self) -> str:
        token = self.next
        if not token:
            raise ValueError("a group does not close")
        self.place += 1
        return token

    def skip_spaces(self) -> None:
        while self.next.isspace():
            self.place += 1

    def row(self, closing: str = "") -> tuple[Piece, ...]:
        """Pieces up to what ends the row, which is not taken."""
        found: list[Piece] = []
        self.skip_spaces()
        while self.next not in _ENDS and self.next != closing:
            found.append(self.scripted())
            self.skip_spaces()
        return tuple(found)

    def scripted(self) -> Piece:
        """One piece with the scripts that hang on it."""
        piece = self.single()
        while True:
            before = self.place
            self.skip_spaces()
            if self.next not in _SCRIPTS:
                self.place = before
                return piece
            mark = self.take()
            piece = _followed(piece, Piece((mark,)))
            if mark != "'":
                piece = _followed(piece, self.argument())

    def single(self) -> Piece:
        token = self.take()
        if token == "{":
            return self.group()
        if token == r"\left":
            return self.fenced()
        if token == r"\begin":
            return self.environment()
        piece = Piece((token,))
        if token in _STYLES:
            return _followed(_followed(Piece(("{" + token,)), self.scripted()), Piece(("}",)))
        if token in _WORDS and self.next == "{":
            return Piece((token + self.braced(),))
        if token == r"\sqrt" and self.next == "[":
            piece = Piece((r"\sqrt" + self.up_to("]"),))
        if _SIZE.fullmatch(token):
            self.skip_spaces()
            return Piece((token + self.take(),))
        for _ in range(2 if token in _TWO else 1 if token in _ONE | _WORDS else 0):
            piece = _followed(piece, self.argument())
        return piece

    def argument(self) -> Piece:
        """A group; a command or character alone gets its braces.  Of a number, TeX takes one digit."""
        self.skip_spaces()
        if self.next == "{":
            return self.single()
        if self.next[:1].isdigit() and len(self.next) > 1:
            self.tokens[self.place : self.place + 1] = [self.next[0], self.next[1:]]
        return Piece(("{", "}"), ((self.single(),),))

    def group(self) -> Piece:
        inner = self.row()
        if self.take() != "}":
            raise ValueError("a brace does not close")
        return Piece(("{", "}"), (inner,))

    def fenced(self) -> Piece:
        self.skip_spaces()
        opening = self.take()
        inner = self.row()
        if self.take() != r"\right":
            raise ValueError(r"\left does not close")
        self.skip_spaces()
        return Piece((rf"\left{opening}", rf"\right{self.take()}"), (inner,))

    def environment(self) -> Piece:
        """A matrix or cases, whole: its rows are not compared."""
        text, depth = r"\begin", 1
        while depth:
            token = self.take()
            depth += (token == r"\begin") - (token == r"\end")
            text += token
        return Piece((text + self.up_to("}"),))

    def braced(self) -> str:
        """Words in braces, letter by letter: their spaces count."""
        self.skip_spaces()
        text, depth = "", 0
        while not text or depth:
            token = self.take()
            depth += (token == "{") - (token == "}")
            text += token
        return text

    def up_to(self, closing: str) -> str:
        text = ""
        while not text.endswith(closing):
            text += self.take()
        return text


def _followed(piece: Piece, other: Piece) -> Piece:
    """Two pieces as one: the last text of the first runs into the first text of the second."""
    glue = (*piece.glue[:-1], _run(piece.glue[-1], other.glue[0]), *other.glue[1:])
    return Piece(glue, piece.rows + other.rows)
