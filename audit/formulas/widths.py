r"""How wide LaTeX sets a formula, estimated without LaTeX, in units of the font's em.

Widths are those of Computer Modern, rounded up; a test holds them to what `pdflatex` measures where it
is installed.  `Style` says how large a part is set, and whether fractions and sums take their room.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from audit.formulas.tree import Node
from audit.sinks import FUNCTIONS, GREEK

__all__ = ["DISPLAY", "INLINE", "Style", "width", "words_width"]


@dataclass(frozen=True)
class Style:
    """0 is display style, 1 text, 2 script, 3 script of a script."""

    level: int

    @property
    def scale(self) -> float:
        """The size of a letter beside one of the text."""
        return (1.0, 1.0, 0.73, 0.55)[self.level]

    @property
    def smaller(self) -> Style:
        """That of a numerator, an entry of a matrix, a radicand."""
        return Style(min(self.level + 1, 3))

    @property
    def script(self) -> Style:
        """That of an index or a power."""
        return Style(2 if self.level < 2 else 3)


DISPLAY, INLINE = Style(0), Style(1)

_RELATIONS = """
    le ge leq geq ne neq lt gt in notin subset subseteq supset supseteq sim simeq approx equiv propto ll
    gg to rightarrow leftarrow Rightarrow Leftrightarrow leftrightarrow implies iff mapsto longmapsto
    mid parallel perp prec succ preceq succeq leqslant geqslant lesssim gtrsim ni cong asymp
    hookrightarrow longrightarrow Longrightarrow longleftrightarrow
"""
_BINARY = (
    "pm mp cdot times otimes oplus ominus circ cap cup setminus wedge vee div ast star bullet odot"
)
RELATIONS = frozenset(["=", "<", ">", ":=", *(f"\\{name}" for name in _RELATIONS.split())])
BINARY = frozenset(["+", "-", "*", *(f"\\{name}" for name in _BINARY.split())])
LIMITS = {
    r"\sum": 1.5, r"\prod": 1.35, r"\bigcup": 1.2, r"\bigcap": 1.2, r"\bigoplus": 1.6, r"\coprod": 1.35,
    r"\bigotimes": 1.6, r"\bigwedge": 1.2, r"\bigvee": 1.2,
}  # fmt: skip
"""Operators that grow in displays; they and `max`, `lim`, ... take their limits above and below there."""
_NAMED_LIMITS = frozenset(
    f"\\{name}" for name in ("max", "min", "sup", "inf", "lim", "limsup", "liminf", "Pr", "det")
)
_SPACES = {
    r"\,": 0.17, r"\:": 0.23, r"\;": 0.28, r"\!": -0.17, r"\ ": 0.34, "~": 0.34, r"\quad": 1.0,
    r"\qquad": 2.0,
}  # fmt: skip
_SYMBOLS = {
    ",": 0.45, ";": 0.45, ":": 0.84, ":=": 2.2, "!": 0.28, ".": 0.28, "/": 0.5, "(": 0.4, ")": 0.4, "[": 0.28,
    "]": 0.28, "|": 0.28, r"\|": 0.5, r"\{": 0.5, r"\}": 0.5, r"\lbrace": 0.5, r"\rbrace": 0.5,
    r"\langle": 0.39, r"\rangle": 0.39, r"\infty": 1.0, r"\partial": 0.58, r"\nabla": 0.84,
    r"\ell": 0.42, r"\top": 0.78, r"\forall": 0.56, r"\exists": 0.56, r"\neg": 0.67, r"\prime": 0.28,
    r"\ldots": 1.4, r"\cdots": 1.4, r"\dots": 1.4, r"\vdots": 0.3, r"\ddots": 1.3, r"\int": 0.9,
    r"\vert": 0.28, r"\Vert": 0.5, r"\hbar": 0.55, r"\emptyset": 0.5, r"\iff": 3.2, r"\implies": 3.0,
    r"\cdot": 0.73, r"\circ": 0.95, r"\longrightarrow": 2.2, r"\Longrightarrow": 2.2, "'": 0.28,
    r"\textstyle": 0.0, r"\displaystyle": 0.0, r"\limits": 0.0, r"\to": 1.56, r"\rightarrow": 1.56,
    r"\Rightarrow": 1.56, r"\Leftrightarrow": 1.56, r"\mapsto": 1.56, r"\mid": 0.84,
}  # fmt: skip
_ITALIC = {"i": 0.36, "j": 0.47, "l": 0.32, "t": 0.37, "r": 0.48, "m": 0.89, "w": 0.75, "I": 0.52,
           "M": 1.08, "W": 1.08, "f": 0.6}  # fmt: skip
_UPRIGHT = {"i": 0.28, "j": 0.31, "l": 0.28, "t": 0.39, "r": 0.4, "f": 0.31, "m": 0.84, "w": 0.73,
            " ": 0.34, "M": 0.92, "W": 1.03, "I": 0.37}  # fmt: skip
_GREEK, _FUNCTIONS = frozenset(GREEK.split()), frozenset(FUNCTIONS.split())
_COLUMN, _TALL = 0.93, re.compile(r"\\(?:d?frac|sum|prod|int|big|binom|begin|underbrace|sqrt)")


def words_width(text: str) -> float:
    r"""The width of words in the text's font."""
    return sum(_UPRIGHT.get(c, 0.78 if c.isupper() else 0.56) for c in text)


def width(nodes: Sequence[Node], style: Style = DISPLAY) -> float:
    """The width of a sequence, in em of the text around it."""
    return sum(_node(node, style) for node in nodes)


def _node(node: Node, style: Style) -> float:
    if not node.inside:
        return _symbol(str(node.pieces[0]), style)
    if node.is_scripted:
        return _scripted(node, style)
    head, parts = str(node.pieces[0]), node.inside
    if head.startswith((r"\frac", r"\dfrac", r"\tfrac", r"\binom", r"\dbinom", r"\tbinom")):
        return _fraction(head, parts, style)
    if head.startswith(r"\left"):
        return 2 * _delimiter(node.text, style) + 0.3 * style.scale + width(parts[0], style)
    if head.startswith(r"\begin"):
        return _environment(node, style)
    if head.startswith(r"\sqrt"):
        return 1.0 * style.scale + width(parts[0], style)
    if head.startswith((r"\overset", r"\underset", r"\stackrel")):
        return max(width(parts[0], style.script), width(parts[1], style)) + 0.56 * style.scale
    if head.startswith(r"\math") and len(parts[0]) == 1 and not parts[0][0].inside:
        return _letter(head, parts[0][0].text) * style.scale
    return max(width(part, style) for part in parts)


def _letter(head: str, letter: str) -> float:
    if head == r"\mathbf{":
        return 1.2 * _UPRIGHT.get(letter, 0.82 if letter.isupper() else 0.6)
    return 0.95 if letter in "MW" else 0.85 if letter.isupper() else 0.75


def _symbol(text: str, style: Style) -> float:
    spaced = style.level < 2
    if text in _SPACES:
        return _SPACES[text]
    if text in LIMITS:
        return (LIMITS[text] if style.level == 0 else 0.75 * LIMITS[text]) * style.scale + 0.17
    if text in _SYMBOLS and (spaced or text not in BINARY | RELATIONS):
        return _SYMBOLS[text] * style.scale
    if text in RELATIONS:
        return 1.36 if spaced else 0.8 * style.scale
    if text in BINARY:
        return 1.24 if spaced else 0.8 * style.scale
    name = text.removeprefix("\\")
    if name in _GREEK:
        return (0.85 if name[0].isupper() else 0.65) * style.scale
    if name in _FUNCTIONS and name != text:
        return words_width(name) * style.scale + 0.2
    if words := re.fullmatch(r"\\[a-z]+\{(.*)\}", text, re.DOTALL):
        shown = re.sub(r"\\(?:[A-Za-z]+\{?\}?|.)", "x", words[1])
        return words_width(shown) * style.scale + (0.2 if "operatorname" in text else 0.0)
    if re.match(r"\\[Bb]ig", text):
        return 0.75
    if text[0].isdigit():
        return (0.5 * len(text.replace(".", "")) + 0.28 * text.count(".")) * style.scale
    default = 0.83 if text[0].isupper() else 0.58
    return (_ITALIC.get(text, default) if len(text) == 1 else 0.8) * style.scale


def _scripted(node: Node, style: Style) -> float:
    base = node.inside[0]
    scripts = [width(part, style.script) for part in node.inside[1:]]
    primes = (
        0.3 * node.text.count("'") * style.scale if "'" in "".join(filter(None, node.shape)) else 0
    )
    own = width(base, style) + primes
    name = base[0].text if len(base) == 1 else ""
    takes = name in LIMITS or name in _NAMED_LIMITS
    if (takes and style.level == 0) or name.startswith((r"\underbrace", r"\overbrace")):
        return max([own, *(script + 0.2 for script in scripts)])
    return own + max(scripts, default=0.0) + 0.08


def _fraction(head: str, parts: Sequence[Sequence[Node]], style: Style) -> float:
    if head.startswith(r"\d"):
        style = DISPLAY
    if head.startswith(r"\t"):
        style = INLINE
    binomial = "binom" in head
    delimiters = (1.5 if style.level == 0 else 1.0) * style.scale if binomial else 0.3
    return max(width(part, style.smaller) for part in parts) + delimiters


def _delimiter(inside: str, style: Style) -> float:
    if r"\begin" in inside:
        return 0.9
    return (0.75 if _TALL.search(inside) else 0.5) * style.scale if style.level < 2 else 0.45


def _environment(node: Node, style: Style) -> float:
    begin = str(node.pieces[0])
    inner = Style(2) if "smallmatrix" in begin else Style(max(style.level, 1))
    if "aligned" in begin or "split" in begin or "gathered" in begin:
        inner = style
    rows: list[list[float]] = [[]]
    for mark, part in zip(node.pieces[0::2], node.inside, strict=False):
        if str(mark).strip() == "\\\\":
            rows.append([])
        rows[-1].append(width(part, inner))
    columns = max(map(len, rows))
    widest = [max((row[k] for row in rows if k < len(row)), default=0.0) for k in range(columns)]
    around = 1.8 if re.search(r"cases|array|[bpvV]matrix", begin) else 0.0
    return sum(widest) + _COLUMN * (columns - 1) + around
