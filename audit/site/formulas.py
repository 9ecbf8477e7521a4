r"""Formulas on a page: MathML that wraps between lines, and prose with formulas in it.

Browsers do not break MathML.  A long formula is therefore set as several, cut before its relations
and connectives, then before plus and minus, last inside brackets: nested boxes let a line end at the
outermost cut that fits.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from markupsafe import Markup, escape

from audit.comparison import marked, unmarked
from audit.mathtext import mathml
from audit.pieces import RELATIONS, Piece, joined, pieces_of
from audit.sinks import Formula, Prose, Words, is_mathematics

__all__ = ["boxed", "math", "prose", "width", "wrapped"]

_SAID_ELSEWHERE = re.compile(r' (?:xmlns="[^"]*"|display="(?:inline|block)")')
ONE_LINE, NARROWEST = 15.0, 19.0
"""Ems: formulas up to the first stay on one line; a part beyond the second may not fit a telephone."""
_OPENING = frozenset(r"( [ \{ \lbrace \lfloor \lceil \langle \lVert \lvert".split())
_CLOSING = frozenset(r") ] \} \rbrace \rfloor \rceil \rangle \rVert \rvert".split())
_BARS = frozenset({"|", r"\|", r"\Vert", r"\vert"})
_SIZE = re.compile(r"\\[bB]igg?[lr]?")
_SPACES = frozenset({r"\ ", r"\,", r"\;", r"\:", r"\quad", r"\qquad", r"\!", "~"})
_SIGNS = frozenset({"+", "-", r"\pm", r"\mp"})
_TALL = (r"\frac", r"\dfrac", r"\sum", r"\prod", r"\binom", r"\lim", r"\max", r"\min", r"\begin")
_CONNECTIVES = (r"\text{ and }", r"\text{ or }", r"\text{and}", r"\text{or}")
WHOLE, RELATION, SIGN, INSIDE = range(4)
"""How deep a cut lies: the outermost are tried first."""


def math(formula: str, *, display: bool = False) -> Markup:
    """A formula as MathML on one line; the converter escapes what stands in it."""
    return Markup(_set(formula, display))


@lru_cache(maxsize=20_000)
def _set(formula: str, display: bool) -> str:
    """Parts of formulas recur; in HTML no namespace need be said, and the style sheet sets displays."""
    return _SAID_ELSEWHERE.sub("", mathml(formula, display=display))


def prose(text: str) -> Markup:
    """A paragraph for a template: formulas as MathML, names in backticks as code, words escaped."""
    shown = []
    for piece in Prose(text).pieces():
        if isinstance(piece, Formula):
            shown.append(wrapped(piece))
        elif isinstance(piece, Words):
            shown.append(Markup("<code>{}</code>").format(piece))
        else:
            shown.append(escape(piece))
    return Markup("").join(shown)


def wrapped(formula: str | Sequence[Piece], *, display: bool = False) -> Markup:
    """A formula, or its pieces, as MathML that may break between lines where it is long."""
    row = _row(formula)
    if row is None:
        return math(str(formula), display=display)
    if _span(row) <= ONE_LINE:
        return math(joined(row), display=display)
    return _nested(_cut(row), WHOLE, display)


def boxed(formula: str | Sequence[Piece], label: str = "", labelledby: str = "") -> Markup:
    """A displayed formula in a box of its own, which can be scrolled to only where it may not fit."""
    row = _row(formula)
    parts = _cut(row) if row else []
    scrolls = row is None or max((_span(part) for _, part in parts), default=0) > NARROWEST
    named = (
        Markup(' aria-labelledby="{}"').format(labelledby)
        if labelledby
        else Markup(' aria-label="{}"').format(label)
    )
    focus = Markup(' tabindex="0"') if scrolls else ""
    return Markup('<div class="formula{}" role="group"{}{}>{}</div>').format(
        " scroll" if scrolls else "", named, focus, wrapped(formula, display=True)
    )


def _row(formula: str | Sequence[Piece]) -> tuple[Piece, ...] | None:
    if not isinstance(formula, str):
        return tuple(formula)
    try:
        return pieces_of(formula) if is_mathematics(formula) else None
    except ValueError:
        return None


# Widths -------------------------------------------------------------------------------------------


def _span(row: Sequence[Piece]) -> float:
    return sum(map(width, row))


def width(piece: Piece) -> float:
    """About how many ems a piece takes, to tell what needs breaking."""
    first = piece.glue[0]
    inner = [_span(row) for row in piece.rows]
    if first.startswith((r"\frac", r"\tfrac", r"\dfrac", r"\binom")):
        small = 0.7 if first.startswith(r"\t") else 1.0
        return 0.3 + small * max(inner[:2], default=1.0) + 0.7 * sum(inner[2:])
    text = "".join(piece.glue)
    if text.startswith(r"\begin"):
        rows = text.split(r"\\")
        return max(len(_plain(row)) for row in rows) * 0.55
    own = 0.5 * len(_plain(text))
    if unmarked(piece).text in RELATIONS or piece.text in _SIGNS:
        own = 1.4
    scripts = any(mark in text for mark in "^_")
    return own + (0.75 if scripts else 1.0) * sum(inner)


def _plain(text: str) -> str:
    """The characters that a text puts on the page, roughly: a command is one, words are theirs."""
    for command in (
        r"\text",
        r"\mathrm",
        r"\operatorname",
        r"\left",
        r"\right",
        r"\begin",
        r"\end",
    ):
        text = text.replace(command, "")
    shown, in_command = [], False
    for character in text:
        if in_command and character.isalpha():
            continue
        in_command = character == "\\"
        if character not in "{}^_&\ue100\ue101":
            shown.append(character)
    return "".join(shown)


# Cuts ---------------------------------------------------------------------------------------------


def _cut(row: Sequence[Piece]) -> list[tuple[int, list[Piece]]]:
    """The row in parts, each with the depth of the cut before it; brackets too long are opened."""
    parts: list[tuple[int, list[Piece]]] = [(WHOLE, [])]
    for depth, piece in _depths(row):
        if depth is not None and parts[-1][1]:
            parts.append((depth, []))
        parts[-1][1].append(piece)
    cut = []
    for depth, part in parts:
        cut += [(depth, part)] if _span(part) <= ONE_LINE else _opened(depth, part)
    return cut


def _depths(row: Sequence[Piece]) -> list[tuple[int | None, Piece]]:
    """Each piece with the depth of the cut that may stand before it, or None."""
    found: list[tuple[int | None, Piece]] = []
    opened: list[str] = []
    before = ""
    for piece in row:
        text = unmarked(piece).text
        head = _head(text)
        depth = _depth(head, before, opened)
        found.append((depth, piece))
        _follow(opened, head)
        if head not in _SPACES:
            before = head
    return found


def _depth(head: str, before: str, opened: Sequence[str]) -> int | None:
    ends = before in {",", ";", ":"} and head not in _SPACES
    if not before or not (head in RELATIONS or head in _SIGNS or head in _CONNECTIVES or ends):
        return None
    if head in _SIGNS and (before in RELATIONS | _OPENING | _SIGNS | _BARS | {",", ":"}):
        return None  # a sign of its own, not between two terms
    if ends and opened:
        return None
    return INSIDE if opened else SIGN if head in _SIGNS else RELATION


def _head(text: str) -> str:
    """A piece without its scripts, as far as cuts look at it."""
    if text in _CONNECTIVES or text[:1] in {"^", "_"}:
        return text
    return _SIZE.sub("", re.split(r"[\^_]", text, maxsplit=1)[0])


def _follow(opened: list[str], head: str) -> None:
    """Brackets that are open after a piece; a closing one closes the bars that were opened inside."""
    if head in _OPENING:
        opened.append(head)
    elif head in _BARS:
        if opened and opened[-1] == head:
            opened.pop()
        else:
            opened.append(head)
    elif head in _CLOSING:
        while opened and opened.pop() in _BARS:
            pass


def _opened(depth: int, part: list[Piece]) -> list[tuple[int, list[Piece]]]:
    """A part that is too long, cut inside the brackets that a pair of `\\left` and `\\right` makes."""
    cut: list[tuple[int, list[Piece]]] = [(depth, [])]
    for piece in part:
        inner = unmarked(piece)
        if not inner.glue[0].startswith(r"\left") or width(piece) <= ONE_LINE / 2:
            cut[-1][1].append(piece)
            continue
        opening, closing = _brackets(inner)
        mark = marked if inner is not piece else lambda p: p
        cut[-1][1].append(mark(opening))
        for below, row in _cut(inner.rows[0]):
            row = [mark(p) for p in row]
            if below == WHOLE:
                cut[-1][1].extend(row)
            else:
                cut.append((INSIDE, row))
        cut[-1][1].append(mark(closing))
    return cut


def _brackets(piece: Piece) -> tuple[Piece, Piece]:
    """Both brackets of a fenced piece as pieces of a fixed size; scripts stay with the second."""
    tall = any(command in joined(piece.rows[0]) for command in _TALL)
    left, right = (r"\Bigl", r"\Bigr") if tall else ("", "")
    first, closing = piece.glue[0].removeprefix(r"\left"), piece.glue[1].removeprefix(r"\right")
    opening = Piece((f"{left}{first}" if first != "." else "{}",))
    if closing.startswith("."):
        closing = "{}" + closing[1:]
    else:
        closing = f"{right}{closing}"
    return opening, replace(piece, glue=(closing, *piece.glue[2:]), rows=piece.rows[1:])


# Boxes --------------------------------------------------------------------------------------------


def _nested(parts: Sequence[tuple[int, list[Piece]]], level: int, display: bool) -> Markup:
    """Parts in boxes: those between two cuts of one depth stand together while they fit."""
    if len(parts) == 1:
        return _part(parts[0][1], first=parts[0][0] == WHOLE, display=display)
    deeper = level + 1
    groups: list[list[tuple[int, list[Piece]]]] = []
    for depth, part in parts:
        if not groups or depth <= deeper:
            groups.append([])
        groups[-1].append((depth, part))
    if len(groups) == 1:
        return _nested(parts, deeper, display)
    boxes = [
        Markup('<span class="part">{}</span>').format(_nested(g, deeper, display)) for g in groups
    ]
    return Markup("<wbr>").join(boxes)


def _part(part: Sequence[Piece], *, first: bool, display: bool) -> Markup:
    """One part as MathML."""
    row = list(part)
    # An empty group keeps an operator that opens a line between two terms, not before one.
    return math(joined(row) if first else "{}" + joined(row), display=display)
