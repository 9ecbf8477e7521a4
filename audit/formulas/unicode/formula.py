r"""LaTeX as one line of Unicode with the same meaning.

What the page says by size and place is said by parentheses: a fraction becomes a quotient with
parentheses wherever a reader who knows no rule but "powers before products before sums" needs them,
the radicand, the power and the index likewise.  A slash ends its product on both sides, so that no
reader must know whether `a/b c` means `(a/b) c`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import replace

from audit.formulas.reader import nodes_of
from audit.formulas.tree import Node
from audit.formulas.unicode.characters import STYLES, accented, named_symbol, script, styled
from audit.formulas.unicode.line import (
    OPENING,
    Kind,
    Piece,
    enclosed,
    grouped,
    has_script,
    in_product,
    is_one_sign,
    joined,
    kind_of,
    numerator,
)
from audit.sinks import FUNCTIONS, LATEX_SPECIAL, is_mathematics, one_line, with_quotes

__all__ = ["unicode_formula"]

_SPACES = {"\\,", "\\:", "\\;", "\\ ", "\\quad", "\\qquad", "~"}
_SILENT = {
    "\\!", "\\displaystyle", "\\textstyle", "\\scriptstyle", "\\scriptscriptstyle", "\\limits",
    "\\nolimits", "&",
}  # fmt: skip
_UNNAMED = re.compile(r"(^|[{,(=+-])\s*_(?=[A-Za-z])")
"""An index that no name carries, as SymPy names one that it made up: shown with its underscore."""
_IN_WORDS = re.compile(r"(if|for|when|where|otherwise|else)\b")
_EXPECTATIONS = {"𝔼", "ℙ"}
_PYTHON_POWER = re.compile(r"\*\*(?:(-?\d+)|\((-?\d+)\))")
"""How words name a coefficient that SymPy wrote."""
_NAME_IN_CODE = re.compile(r" ?(?<![\\A-Za-z])(?:[A-Za-z]{2,}|[A-Za-z]\d+) ?")
_NOT = "\\not"
"""Strikes out what follows."""
_ROOTS = {"": "√", "3": "∛", "4": "∜"}
_MATRICES = {"matrix", "pmatrix", "bmatrix", "vmatrix", "Vmatrix", "smallmatrix", "array"}


def unicode_formula(formula: str) -> str:
    r"""A LaTeX formula on one line of Unicode; what is no mathematics as the words it is.

    >>> print(unicode_formula(r"\mathbb E\left\|x_{t+1}\right\|^2\le\frac{a+b}{2n}W^\top"))
    𝔼 ‖xₜ₊₁‖² ≤ ((a + b)/(2n)) Wᵀ
    """
    formula = with_quotes(formula)
    if not is_mathematics(formula):
        return one_line(formula)
    line = joined(_pieces(nodes_of(_UNNAMED.sub(r"\1\_", formula)))).strip()
    return _LISTED.sub(lambda rows: _matrix(_ROW.findall(rows[0][1:-1])), line)


_LISTED = re.compile(r"\[\[[^\[\]]*\](?:, \[[^\[\]]*\])*\]")
"""A matrix as a list of its rows, as prose writes one."""
_ROW = re.compile(r"\[([^\[\]]*)\]")


def _matrix(rows: Sequence[str]) -> str:
    """Rows whose entries are separated by commas, as `[1 2; 3 4]`, or `[a + b, c; d, e]`."""
    spaced = any(" " in entry for row in rows for entry in row.split(", "))
    return f"[{'; '.join(row if spaced else row.replace(', ', ' ') for row in rows)}]"


def _pieces(nodes: Sequence[Node], *, tight: bool = False) -> list[Piece]:
    """The pieces of a sequence: what stands in brackets is one, and so is a fraction in parentheses."""
    found: list[Piece] = []
    for node in nodes:
        for piece in _rendered(node, tight):
            if found and found[-1].text == _NOT:
                struck = unicodedata.normalize("NFC", piece.text + "\u0338")
                found[-1] = replace(piece, text=struck)
            else:
                found.append(piece)
    found = enclosed([replace(p, text="¬") if p.text == _NOT else p for p in found], tight)
    for place in range(len(found) - 1):
        if found[place].kind is Kind.TEXT and _is_name(found[place].text):
            applied = found[place + 1].text[:1] in OPENING
            found[place] = replace(found[place], kind=Kind.WORD if applied else Kind.TEXT)
    return [in_product(found, place) for place in range(len(found))]


def _rendered(node: Node, tight: bool) -> list[Piece]:
    if node.is_scripted and node.inside:
        return [_scripted(node)]
    head = node.pieces[0]
    assert isinstance(head, str)
    if not node.inside:
        return _token(head)
    if head == "{":
        return _pieces(node.inside[0], tight=tight)
    if head.startswith("\\left"):
        return [_delimited(node)]
    if head.startswith("\\begin"):
        return [_environment(node, head[len("\\begin{") : head.index("}")])]
    command, _, option = head[1:].rstrip("{").partition("[")
    return [_command(command, option.rstrip("]"), [_pieces(part) for part in node.inside])]


def _token(text: str) -> list[Piece]:
    """A symbol, a number, a word, a delimiter with its size, or nothing."""
    if text in _SPACES:
        return [Piece("  " if "quad" in text else " ", Kind.SPACE)]
    if text in _SILENT or not text:  # a command at the end may lack its argument
        return []
    if text == "\\\\":
        return [Piece(";", Kind.COMMA)]
    if text[:1] == "\\" and text.endswith("}") and len(text) > 2:
        return [_word(text)]
    if text.startswith(("\\middle", "\\big", "\\Big")):
        return [_sized(text)]
    if text == _NOT:
        return [Piece(text, Kind.RELATION)]
    name = text[1:] if text[:1] == "\\" and len(text) > 1 else text
    if name in FUNCTIONS.split() or name in {"Re", "Im"}:
        return [Piece(named_symbol(name), Kind.TIMES if name == "bmod" else Kind.WORD)]
    shown = named_symbol(name) if name != text else text.replace("'", "′")
    return [Piece(shown, kind_of(shown))]


def _sized(text: str) -> Piece:
    delimiter = text.removeprefix("\\middle").lstrip()
    if delimiter == text:
        start = text.lower().index("big") + len("big")
        delimiter = text[start:].removeprefix("g")
    side = delimiter[:1] if delimiter[:1] in {"l", "r", "m"} else ""
    shown = _delimiter(delimiter.removeprefix(side).strip())
    kinds = {"l": Kind.OPEN, "r": Kind.CLOSE, "m": Kind.RELATION}
    return Piece(shown, Kind.RELATION if "middle" in text else kinds.get(side, kind_of(shown)))


def _delimiter(text: str) -> str:
    if text == ".":
        return ""
    return named_symbol(text[1:]) if text.startswith("\\") and len(text) > 1 else text


def _word(text: str) -> Piece:
    r"""The argument of `\text`, `\operatorname` and their like."""
    command, _, inside = text[1:-1].partition("{")
    for character, escaped in LATEX_SPECIAL.items():
        inside = inside.replace(escaped, character)
    inside = _PYTHON_POWER.sub(
        lambda power: script(power[1] or power[2], raised=True) or "", inside
    )
    if "\\" in inside or "_" in inside or "^" in inside:
        # Code among words: read where it can be, what is no command in it as words.
        named = "\\text" in inside
        worded = inside if named else _NAME_IN_CODE.sub(r"\\text{\g<0>}", inside)
        plain = unicode_formula(worded) if is_mathematics(worded) else inside.replace("\\", "")
        return Piece(plain, Kind.TEXT)
    if command.startswith("text"):
        return Piece(inside, Kind.TEXT)
    return Piece(inside, Kind.WORD if len(inside) > 1 else Kind.ATOM)


def _delimited(node: Node) -> Piece:
    opening, inside, closing = node.pieces[0], node.inside[0], node.pieces[2]
    assert isinstance(opening, str) and isinstance(closing, str)
    left, right = (
        _delimiter(text.removeprefix(word).strip())
        for text, word in ((opening, "\\left"), (closing, "\\right"))
    )
    shown = _pieces(inside)
    if len(inside) == 1 and str(inside[0].pieces[0]).startswith("\\begin") and left in "([{":
        return shown[0]  # matrices and cases bring brackets of their own
    return Piece(f"{left}{joined(shown).strip()}{right}", Kind.ATOM, sized=True)


def _environment(node: Node, name: str) -> Piece:
    r"""Matrices as `[1 2; 3 4]`, cases as `(a if x; b otherwise)`, lines one after the other."""
    rows: list[list[str]] = [[]]
    for cell, separator in zip(node.inside, node.pieces[2::2], strict=True):
        rows[-1].append(joined(_pieces(cell)).strip())
        if "\\\\" in str(separator):
            rows.append([])
    rows = [row for row in rows if any(row)]
    if name in _MATRICES:
        shown = _matrix([", ".join(row) for row in rows])
        return Piece(f"|{shown[1:-1]}|" if name == "vmatrix" else shown, Kind.ATOM)
    if name == "cases":
        return Piece(f"({'; '.join(map(_case, rows))})", Kind.ATOM)
    return Piece("; ".join(" ".join(row) for row in rows), Kind.TEXT)


def _case(row: Sequence[str]) -> str:
    """A value and its condition, which papers print with a comma, `if` or `for` between them."""
    value, *conditions = (" ".join(cell.strip(" ,;.").split()) for cell in row)
    condition = " ".join(filter(None, conditions))
    if not condition:
        return value
    return f"{value} {condition if _IN_WORDS.match(condition) else f'if {condition}'}"


def _command(name: str, option: str, parts: list[list[Piece]]) -> Piece:
    """A command with its arguments."""
    first = parts[0]
    if name in {"frac", "dfrac", "tfrac"}:
        return Piece(f"{numerator(first)}/{grouped(parts[1])}", Kind.FRACTION)
    if name in {"binom", "dbinom", "tbinom"}:
        return Piece(f"binom({joined(first)}, {joined(parts[1])})", Kind.ATOM)
    if name == "sqrt":
        if option in _ROOTS:
            return Piece(_ROOTS[option] + grouped(first, scripts=False), Kind.ATOM)
        return Piece(f"{grouped(first)}^(1/{option})", Kind.ATOM)
    if name in {"overset", "stackrel", "underset"}:
        base = parts[1][0] if len(parts[1]) == 1 else Piece(joined(parts[1]), Kind.RELATION)
        return _with_script(base, first, raised=name != "underset")
    if name == "xrightarrow":
        return _with_script(Piece("→", Kind.RELATION), first, raised=True)
    plain = "".join(piece.text for piece in first)
    if name in STYLES:
        shown = styled(plain, name)
        function = len(plain) > 1 or shown in _EXPECTATIONS
        return Piece(shown, Kind.WORD if function else Kind.ATOM)
    if name == "pmod":
        return Piece(f"(mod {joined(first)})", Kind.TEXT)
    if name in {"mathop", "mathrel", "mathbin"}:
        kinds = {"mathop": Kind.WORD, "mathrel": Kind.RELATION, "mathbin": Kind.TIMES}
        return Piece(joined(first), kinds[name])
    if name in {"underbrace", "overbrace"}:
        return Piece(grouped(first), Kind.ATOM)
    if name in {"underline", "substack"}:
        return Piece(joined(first), first[0].kind if len(first) == 1 else Kind.TEXT)
    return Piece(accented(joined(first), name), Kind.ATOM)


def _is_name(text: str) -> bool:
    """Whether words are the name of one thing: those of a sentence have spaces."""
    return bool(text) and " " not in text and text[:1].isalpha()


# Scripts ------------------------------------------------------------------------------------------


def _scripted(node: Node) -> Piece:
    """A base with its index first, then its primes, then its power."""
    base, lowered, raised, primes = node.inside[0], None, None, 0
    for sign, part in zip(node.pieces[2::2], [*node.inside[1:], None], strict=True):
        assert isinstance(sign, str)
        primes += sign.count("'")
        if "_" in sign:
            lowered = part
        elif "^" in sign:
            raised = part
    piece = _base(base[0])
    if lowered is not None and base[0].pieces[0] == "\\underbrace{":
        return Piece(f"{piece.text} [{joined(_pieces(lowered))}]", Kind.ATOM)
    small = True
    if lowered is not None:
        piece = _with_script(piece, _pieces(lowered, tight=True), raised=False)
        small = piece.kind is not Kind.BIG or "_" not in piece.text
    piece = replace(piece, text=piece.text + "′" * primes)
    if raised is not None:
        piece = _with_script(piece, _pieces(raised, tight=True), raised=True, small=small)
    return piece


def _base(node: Node) -> Piece:
    """What an index or a power hangs on: a fraction, a sum, a root and a product in parentheses."""
    pieces = [piece for piece in _rendered(node, False) if piece.kind is not Kind.SPACE]
    if len(pieces) == 1 and pieces[0].kind is not Kind.FRACTION and not node.is_scripted:
        rooted = str(node.pieces[0]).startswith("\\sqrt") and pieces[0].text[-1] != ")"
        piece = pieces[0]
        if rooted or (piece.kind is Kind.ATOM and has_script(piece.text)):
            return Piece(f"({piece.text})", Kind.ATOM)
        return piece
    if not pieces:
        return Piece("", Kind.ATOM)
    return Piece(f"({joined(pieces)})", Kind.ATOM)


def _with_script(base: Piece, pieces: list[Piece], *, raised: bool, small: bool = True) -> Piece:
    """A piece with an index or a power: in small characters if it may and Unicode has them all."""
    text = joined(pieces, tight=True).strip()
    if raised and text in {"∘", "°"}:
        return replace(base, text=f"{base.text}°")
    shown = script(text, raised=raised) if small else None
    if shown is not None:
        return replace(base, text=base.text + shown)
    if len(pieces) != 1 or not (is_one_sign(text) or text[0] + text[-1] == "()"):
        text = f"({text})"
    return replace(base, text=f"{base.text}{'^' if raised else '_'}{text}")
