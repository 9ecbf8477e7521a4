r"""Formulas in lines that a page can hold, broken where a reader would break them.

Nothing is set smaller.  A formula is broken before a relation, a conjunction, a plus sign; what stands
in `\left( ... \right)` is opened only where it is wider than a line, with brackets of a fixed size; a
fraction as wide as that becomes a quotient, a matrix the list of its rows.  `CHANGED` marks a part
(`audit.formulas.difference.underlined`), which may be broken like any other.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import inf

from audit.formulas.line_costs import (
    COMMA,
    LAST,
    LINE,
    NEVER,
    PRODUCT,
    closes,
    cost_of_break,
    opens,
)
from audit.formulas.reader import nodes_of
from audit.formulas.tree import Node, latex_of
from audit.formulas.widths import BINARY, DISPLAY, INLINE, RELATIONS, Style, width, words_width

__all__ = ["CHANGED", "breakable", "lines"]

CHANGED = r"\underline{"
"""How a node that is marked as changed starts."""
INDENT = 2.0
"""The indentation of every line but the first, in em."""
_TALL = re.compile(r"\\(?:d?frac|sum|prod|int|binom|begin|underbrace)")


@dataclass(frozen=True)
class _Segment:
    """What is not broken; `cost` is that of a break before it."""

    text: str
    width: float
    cost: int
    changed: bool = False


def lines(formula: str, limit: float) -> list[str]:
    """A displayed formula in lines of at most a width in em; all but the first are to be indented."""
    nodes = nodes_of(formula)
    if width(nodes) <= limit and not any(node.pieces[0] == CHANGED for node in nodes):
        return [latex_of(nodes)]
    segments = _segments(nodes, DISPLAY, 0, limit - INDENT)
    starts = [0, *_breaks(segments, limit)]
    return [
        _line(segments[start:end])
        for start, end in zip(starts, [*starts[1:], len(segments)], strict=True)
    ]


def breakable(formula: str, limit: float) -> str:
    r"""A formula within a paragraph that LaTeX may break, by `\allowbreak`, into parts of a width."""
    nodes = nodes_of(formula)
    if width(nodes, INLINE) <= limit:
        return latex_of(nodes)
    segments = _segments(nodes, INLINE, 0, limit)
    needed, shown, start = {0, *_breaks(segments, limit)}, [], 0
    for end in range(1, len(segments) + 1):
        if end == len(segments) or end in needed or segments[end].cost < LAST:
            shown.append(_line(segments[start:end], inline=True))
            start = end
    return r"\allowbreak ".join(shown)


def _line(segments: Sequence[_Segment], *, inline: bool = False) -> str:
    """Segments one after another; neighbours that changed share a mark."""
    shown, run = [], ""
    for segment, following in zip(segments, [*segments[1:], None], strict=True):
        run = latex_of((Node((run,)), Node((segment.text,))))
        if following is None or following.changed != segment.changed:
            shown.append(f"{CHANGED}{run}}}" if segment.changed else run)
            run = ""
    text = _stripped(latex_of(tuple(Node((part,)) for part in shown)))
    starts = nodes_of(text)[:1] if not inline else ()
    return f"{{}}{text}" if starts and starts[0].text in BINARY | RELATIONS else text


def _stripped(text: str) -> str:
    r"""Without spaces around it, but with the one of a last `\ `."""
    text = text.strip()
    return f"{text} " if re.search(r"(?<!\\)(?:\\\\)*\\$", text) else text


def _breaks(segments: Sequence[_Segment], limit: float) -> list[int]:
    """Before which segments to break so that the lines hold, at the least cost."""
    count = len(segments)
    after = [0.0] * (count + 1)
    """The least cost of all from a break before a segment on, that of the break included."""
    ends = [count] * (count + 1)
    for start in range(count - 1, -1, -1):
        room, used, least = limit - INDENT * (start > 0), 0.0, inf
        for end in range(start + 1, count + 1):
            used += segments[end - 1].width
            over = used - room
            if over > 0 and end > start + 1:
                break
            cost = after[end] + 1000 * over if over > 0 else after[end]
            if cost < least:
                least, ends[start] = cost, end
        after[start] = least + segments[start].cost + LINE
    found, at = [], ends[0]
    while at < count:
        found.append(at)
        at = ends[at]
    return found


def _segments(nodes: Sequence[Node], style: Style, depth: int, limit: float) -> list[_Segment]:
    """A sequence as what stays whole, what is wider than a line being opened."""
    segments: list[_Segment] = []
    level, before = depth, None
    for node in nodes:
        if closes(node):
            level = max(depth, level - 1)
        cost = cost_of_break(before, node, level)
        segments += _with_cost(_parts(node, style, level, limit), cost)
        level += opens(node)
        before = node
    return segments


def _parts(node: Node, style: Style, depth: int, limit: float) -> list[_Segment]:
    own = width((node,), style)
    if node.pieces[0] == CHANGED:
        inside = _segments(node.inside[0], style, depth, limit)
        return [replace(segment, changed=True) for segment in inside]
    opened = _opened(node) if own > limit else None
    if opened is None:
        return [_Segment(node.text, own, NEVER)]
    return opened(style, depth + 1, limit)


_Open = Callable[[Style, int, float], list[_Segment]]


def _opened(node: Node) -> _Open | None:
    """How to take a node apart that is wider than a line, if there is a way."""
    head = str(node.pieces[0])
    if not node.inside:
        return partial(_words, node.text) if re.match(r"\\text\{", node.text) else None
    if node.is_scripted and len(node.inside[0]) == 1:
        base = node.inside[0][0]
        scripts = latex_of((Node(("", (), *node.pieces[2:])),))
        return partial(_scripted, base, scripts) if _opened(base) else None
    if head.startswith(r"\left"):
        size = "Bigg" if r"\begin" in node.text else "bigg" if _TALL.search(node.text) else "big"
        return partial(_bracketed, f"\\{size}l", head[5:], node.inside[0], str(node.pieces[-1])[6:])
    if head.startswith((r"\frac", r"\dfrac")):
        return partial(_quotient, node.inside[0], node.inside[1])
    if head.startswith("{"):
        return partial(_segments, node.inside[0])
    if "matrix" in head:
        return partial(_rows, node)
    return None


def _bracketed(
    size: str, left: str, inside: Sequence[Node], right: str, style: Style, depth: int, limit: float
) -> list[_Segment]:
    """`\\left( a \\right)` as `\\bigl( a \\bigr)`, which may be broken inside."""
    room = limit - 1.0
    parts = _segments(inside, style, depth, room) or [_Segment("", 0.0, NEVER)]
    opening, closing = (
        "" if d == "." else f"{s}{d}" for s, d in ((size, left), (f"{size[:-1]}r", right))
    )
    parts[0] = replace(
        parts[0], text=opening + " " * bool(opening) + parts[0].text, width=parts[0].width + 0.9
    )
    parts[-1] = replace(parts[-1], text=parts[-1].text + closing, width=parts[-1].width + 0.9)
    return parts


def _scripted(base: Node, scripts: str, style: Style, depth: int, limit: float) -> list[_Segment]:
    opened = _opened(base)
    assert opened is not None
    parts = opened(style, depth, limit)
    end = parts[-1]
    wider = width(nodes_of(f"x{scripts}"), style)
    return [*parts[:-1], replace(end, text=end.text + scripts, width=end.width + wider)]


def _quotient(
    above: Sequence[Node], below: Sequence[Node], style: Style, depth: int, limit: float
) -> list[_Segment]:
    """A fraction as a numerator, a slash and a denominator, in brackets where they need them."""
    parts = _in_brackets(above, style, depth, limit)
    rest = _in_brackets(below, style, depth, limit)
    rest[0] = replace(rest[0], text=f"/ {rest[0].text}", width=rest[0].width + 0.5, cost=PRODUCT)
    return [*parts, *rest]


def _in_brackets(nodes: Sequence[Node], style: Style, depth: int, limit: float) -> list[_Segment]:
    if len(nodes) == 1:
        return _segments(nodes, style, depth, limit)
    size = r"\biggl" if _TALL.search(latex_of(tuple(nodes))) else r"\bigl"
    return _bracketed(size, "(", nodes, ")", style, depth, limit)


def _rows(matrix: Node, style: Style, depth: int, limit: float) -> list[_Segment]:
    """A matrix as the list of its rows, an entry after another."""
    rows: list[list[tuple[Node, ...]]] = [[]]
    for mark, cell in zip(matrix.pieces[0::2], matrix.inside, strict=False):
        if str(mark).strip() == "\\\\":
            rows.append([])
        rows[-1].append(cell)
    comma = Node((",",))
    listed = [
        Node((r"\left(", tuple(n for cell in row for n in (*cell, comma))[:-1], r"\right)"))
        for row in rows
    ]
    return _segments([n for row in listed for n in (row, comma)][:-1], style, depth, limit)


def _words(text: str, style: Style, depth: int, limit: float) -> list[_Segment]:
    """Words in a formula, each for itself."""
    words = re.findall(r"\s*\S+\s*", text.removeprefix(r"\text{")[:-1])
    if any(word.count("{") != word.count("}") or word.count("$") % 2 for word in words):
        return [_Segment(text, width(nodes_of(text), style), NEVER)]
    return [_Segment(rf"\text{{{word}}}", words_width(word), COMMA) for word in words]


def _with_cost(parts: list[_Segment], cost: int) -> list[_Segment]:
    return [replace(parts[0], cost=cost), *parts[1:]] if parts else []
