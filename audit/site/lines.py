r"""Where a long formula may be cut into lines, and about how wide its parts are.

Cuts stand before relations and connectives, then before plus and minus, last inside brackets.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from audit.formulas.comparison import marked, unmarked
from audit.formulas.tree import Node, latex_of, woven
from audit.formulas.widths import RELATIONS

__all__ = ["NARROWEST", "ONE_LINE", "WHOLE", "WIDEST", "Part", "cut", "span"]

ONE_LINE, NARROWEST, WIDEST = 15.0, 19.0, 40.0
"""Ems: formulas up to the first stay on one line; a part beyond the second may not fit a telephone, and
a fraction or root beyond the third no page: it is written with a slash, or with an exponent."""
_OPENING = {"(", "[", r"\{", r"\lbrace", r"\lfloor", r"\lceil", r"\langle", r"\lVert", r"\lvert"}
_CLOSING = {")", "]", r"\}", r"\rbrace", r"\rfloor", r"\rceil", r"\rangle", r"\rVert", r"\rvert"}
_BARS = frozenset({"|", r"\|", r"\Vert", r"\vert"})
_SIZE = re.compile(r"\\[bB]igg?[lr]?")
_SPACES = frozenset({r"\ ", r"\,", r"\;", r"\:", r"\quad", r"\qquad", r"\!", "~"})
_SIGNS = frozenset({"+", "-", r"\pm", r"\mp"})
_TALL = (r"\frac", r"\dfrac", r"\sum", r"\prod", r"\binom", r"\lim", r"\max", r"\min", r"\begin")
_OPERATORS = (
    r"\sum", r"\prod", r"\lim", r"\max", r"\min", r"\log", r"\mathbb{E}", r"\operatorname", r"\mathrm",
)  # fmt: skip
_CONNECTIVES = (r"\text{ and }", r"\text{ or }", r"\text{and}", r"\text{or}")
WHOLE, RELATION, SIGN, INSIDE, PRODUCT = range(5)
"""How deep a cut lies: the outermost are tried first."""


@dataclass(frozen=True)
class Part:
    """Nodes between two cuts, and how deep the cut before them lies."""

    depth: int
    nodes: tuple[Node, ...]


def span(row: Sequence[Node]) -> float:
    return sum(map(width, row))


@lru_cache(maxsize=1 << 17)
def width(node: Node) -> float:
    """About how many ems a node takes, to tell what needs breaking."""
    if node.text.startswith(r"\begin"):
        return max(len(_plain(row)) for row in node.text.split(r"\\")) * 0.55
    flat = node.flat
    first, inner = flat.texts[0], [span(row) for row in flat.inside]
    if first.startswith((r"\frac", r"\tfrac", r"\dfrac", r"\binom")):
        small = 0.7 if first.startswith(r"\t") else 1.0
        return 0.3 + small * max(inner[:2], default=1.0) + 0.7 * sum(inner[2:])
    text = "".join(flat.texts)
    own = 0.5 * len(_plain(text))
    if unmarked(node).text in RELATIONS or node.text in _SIGNS:
        own = 1.4
    scripts = any(mark in text for mark in "^_")
    return own + (0.75 if scripts else 1.0) * sum(inner)


@lru_cache(maxsize=1 << 15)
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


def cut(row: Sequence[Node]) -> list[Part]:
    """The row in parts, each with the depth of the cut before it; brackets too long are opened."""
    parts: list[Part] = []
    depth, nodes = WHOLE, list[Node]()
    for cut_at, node in _depths(list(_by_words(row))):
        if cut_at is not None and nodes:
            parts.append(Part(depth, tuple(nodes)))
            depth, nodes = cut_at, []
        nodes.append(node)
    parts.append(Part(depth, tuple(nodes)))
    found: list[Part] = []
    for part in _closed(parts):
        found += [part] if span(part.nodes) <= ONE_LINE else _opened(part)
    return [factor for part in found for factor in _factors(part)]


def _by_words(row: Sequence[Node]) -> Iterator[Node]:
    """The row with long words between formulas one by one, each with the space behind it."""
    for node in row:
        words = node.text.removeprefix(r"\text{").removesuffix("}")
        plain = node.text == rf"\text{{{words}}}" and not set(words) & set("{}\\")
        if plain and width(node) > ONE_LINE / 2:
            for word in re.findall(r"\s*\S+\s*", words):
                yield Node((rf"\text{{{word}}}",))
        else:
            yield node


def _factors(part: Part) -> Iterator[Part]:
    """A part that is too long even so, cut between factors that fill a line."""
    if span(part.nodes) <= ONE_LINE:
        yield part
        return
    depth, before, filled = part.depth, "", 0.0
    line: list[Node] = []
    for node in part.nodes:
        head, taken = _head(unmarked(node).text), width(node)
        if line and filled + taken > ONE_LINE and _parts_factors(before, head):
            yield Part(depth, tuple(line))
            depth, line, filled = PRODUCT, [], 0.0
        line.append(node)
        filled += taken
        before = head
    yield Part(depth, tuple(line))


def _parts_factors(before: str, head: str) -> bool:
    """Whether a line may end between two nodes side by side."""
    holds_on = _OPENING | _SIGNS | RELATIONS | _SPACES | _BARS
    follows = _CLOSING | _BARS | _SPACES | {",", ";", ":", "."}
    return not (before in holds_on or before.startswith(_OPERATORS) or head in follows)


def _closed(parts: Sequence[Part]) -> Iterator[Part]:
    """The parts, those inside brackets that are short enough as one with what stands around them."""
    whole: list[Part] = []
    for part in (*parts, Part(WHOLE, ())):
        if whole and part.depth != INSIDE:
            nodes = tuple(node for each in whole for node in each.nodes)
            yield from [Part(whole[0].depth, nodes)] if span(nodes) <= ONE_LINE else whole
            whole = []
        whole.append(part)


def _depths(row: Sequence[Node]) -> list[tuple[int | None, Node]]:
    """Each node with the depth of the cut that may stand before it, or None."""
    found: list[tuple[int | None, Node]] = []
    opened: list[str] = []
    before = ""
    for node in row:
        text = unmarked(node).text
        head = _head(text)
        depth = _depth(head, before, opened)
        found.append((depth, node))
        _follow(opened, head)
        if head not in _SPACES:
            before = head
    return found


def _depth(head: str, before: str, opened: Sequence[str]) -> int | None:
    if head.startswith(r"\text{") and before.startswith(r"\text{") and head not in _CONNECTIVES:
        return SIGN
    ends = before in {",", ";", ":"} and head not in _SPACES
    if not before or not (head in RELATIONS or head in _SIGNS or head in _CONNECTIVES or ends):
        return None
    if head in _SIGNS and (before in RELATIONS | _OPENING | _SIGNS | _BARS | {",", ":"}):
        return None  # a sign of its own, not between two terms
    if ends and opened:
        return None
    return INSIDE if opened else SIGN if head in _SIGNS else RELATION


def _head(text: str) -> str:
    """A node without its scripts, as far as cuts look at it."""
    if text.startswith(r"\text") or text[:1] in {"^", "_"}:
        return text
    return _SIZE.sub("", re.split(r"[\^_]", text, maxsplit=1)[0])


def _follow(opened: list[str], head: str) -> None:
    """Brackets that are open after a node; a closing one closes the bars that were opened inside."""
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


def _opened(part: Part) -> list[Part]:
    r"""A part that is too long, cut inside the brackets that a pair of `\left` and `\right` makes."""
    found = [Part(part.depth, ())]
    for node in part.nodes:
        inner = unmarked(node)
        mark = marked if inner is not node else lambda p: p
        for opening, row, closing in _bracketed(inner):
            _append(found, [mark(opening)] if opening else [])
            for below in cut(row):
                if below.depth != WHOLE:
                    found.append(Part(max(below.depth, INSIDE), ()))
                _append(found, map(mark, below.nodes))
            _append(found, [mark(closing)] if closing else [])
    return found


def _bracketed(node: Node) -> Iterator[tuple[Node | None, Sequence[Node], Node | None]]:
    """Rows in brackets that say what a node says: itself, where it need not or cannot be opened."""
    texts, rows = node.flat.texts, node.flat.inside
    if texts[0].startswith(r"\left") and width(node) > ONE_LINE / 2:
        opening, closing = _brackets(node)
        yield opening, rows[0], closing
    elif width(node) > WIDEST and texts == (r"\frac{", "}{", "}"):
        yield Node((r"\Bigl(",)), rows[0], Node((r"\Bigr)\Big/",))
        yield Node((r"\Bigl(",)), rows[1], Node((r"\Bigr)",))
    elif width(node) > WIDEST and texts == (r"\sqrt{", "}"):
        yield Node((r"\Bigl(",)), rows[0], Node((r"\Bigr)^{1/2}",))
    else:
        # Not `cut`, which would come back here.
        yield node, (), None


def _append(parts: list[Part], nodes: Iterable[Node]) -> None:
    """Nodes at the end of the last part."""
    parts[-1] = replace(parts[-1], nodes=(*parts[-1].nodes, *nodes))


def _brackets(node: Node) -> tuple[Node, Node]:
    """Both brackets of a fenced node as nodes of a fixed size; scripts stay with the second."""
    (before, behind, *after), (inside, *scripts) = node.flat.texts, node.flat.inside
    tall = any(command in latex_of(inside) for command in _TALL)
    left, right = (r"\Bigl", r"\Bigr") if tall else ("", "")
    first, closing = before.removeprefix(r"\left"), behind.removeprefix(r"\right")
    opening = Node((f"{left}{first}" if first != "." else "{}",))
    closing = "{}" + closing[1:] if closing.startswith(".") else f"{right}{closing}"
    return opening, woven((closing, *after), scripts)
