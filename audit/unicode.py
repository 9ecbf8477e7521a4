r"""Formulas as a terminal shows them: LaTeX as one line of Unicode with the same meaning.

What the page says by size and place is said by parentheses: a fraction becomes a quotient with
parentheses wherever a reader who knows no rule but "powers before products before sums" needs them,
the radicand, the power and the index likewise.  A slash ends its product on both sides, so that no
reader must know whether `a/b c` means `(a/b) c`.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto

from audit.characters import STYLES, accented, named_symbol, script, styled
from audit.formula_tree import Node, nodes_of
from audit.sinks import (
    FUNCTIONS,
    LATEX_SPECIAL,
    Formula,
    Prose,
    Words,
    is_mathematics,
    one_line,
)

__all__ = ["unicode_formula", "unicode_prose"]


class Kind(Enum):
    """How a piece of a formula stands to its neighbours."""

    NUMBER = auto()
    ATOM = auto()
    FRACTION = auto()  # takes parentheses where it is a factor
    PREFIX = auto()  # a sign that stands close to what follows
    WORD = auto()  # a function or an operator: applied to what follows
    BIG = auto()  # a sum sign and its like: runs to the end of its product
    TIMES = auto()
    SLASH = auto()
    PLUS = auto()
    RELATION = auto()
    COMMA = auto()
    OPEN = auto()
    CLOSE = auto()
    TEXT = auto()
    SPACE = auto()
    BAR = auto()  # opens, or closes what a bar opened


@dataclass(frozen=True)
class Piece:
    text: str
    kind: Kind


_PLUS = set("+-±∓∪∩∧∨⊕⊖∖⊓⊔")
_TIMES = set("·×⊗∘⊙⊠∗*⋆÷•⋄≀")
_PREFIX = set("∂∇∀∃∄¬∠√")
_BIG = set("∑∏∐∫∬∮⋂⋃⨁⨂⋁⋀")
_ORDINARY = set("∞∅′⊤⊥♭♯△ℓ…⋯⋮⋱°℘ℵ∂ħ†")
_OPEN, _CLOSE, _BAR = set("([{⟨⌊⌈"), set(")]}⟩⌋⌉"), set("|‖∣")
_FACTORS = {
    Kind.NUMBER, Kind.ATOM, Kind.FRACTION, Kind.PREFIX, Kind.WORD, Kind.BIG, Kind.OPEN,
}  # fmt: skip
_OPERATORS = {Kind.WORD, Kind.BIG, Kind.PREFIX, Kind.SLASH}
_ENDS = {Kind.PLUS, Kind.RELATION, Kind.COMMA, Kind.OPEN, Kind.TEXT}
"""What a product does not reach across."""
_SPACES = {"\\,", "\\:", "\\;", "\\ ", "\\quad", "\\qquad", "~"}
_SILENT = {
    "\\!", "\\displaystyle", "\\textstyle", "\\scriptstyle", "\\scriptscriptstyle", "\\limits",
    "\\nolimits", "&",
}  # fmt: skip
_ROOTS = {"": "√", "3": "∛", "4": "∜"}
_MATRICES = {"matrix", "pmatrix", "bmatrix", "vmatrix", "Vmatrix", "smallmatrix", "array"}


def unicode_formula(formula: str) -> str:
    r"""A LaTeX formula on one line of Unicode; what is no mathematics as the words it is.

    >>> print(unicode_formula(r"\mathbb E\left\|x_{t+1}\right\|^2\le\frac{a+b}{2n}W^\top"))
    𝔼 ‖xₜ₊₁‖² ≤ ((a + b)/(2n)) Wᵀ
    """
    if not is_mathematics(formula):
        return one_line(formula)
    return " ".join(_joined(_pieces(nodes_of(formula))).split(" ")).strip()


def unicode_prose(text: str) -> str:
    """Words with their formulas as a terminal shows them.

    >>> unicode_prose(r"holds for $n\\ge2$ tokens")
    'holds for n ≥ 2 tokens'
    """
    shown = []
    for piece in Prose(text).pieces():
        if isinstance(piece, Formula):
            shown.append(unicode_formula(piece))
        else:
            shown.append(f"`{piece}`" if isinstance(piece, Words) else piece)
    return "".join(shown)


# Nodes --------------------------------------------------------------------------------------------


def _pieces(nodes: Sequence[Node], *, tight: bool = False) -> list[Piece]:
    """The pieces of a sequence, fractions in parentheses where they need them."""
    found: list[Piece] = []
    for node in nodes:
        for piece in _rendered(node, tight):
            if found and found[-1].text == "\\not":
                found[-1] = replace(
                    piece, text=unicodedata.normalize("NFC", piece.text + "\u0338")
                )
            else:
                found.append(piece)
    return [_in_product(found, place) for place in range(len(found))]


def _rendered(node: Node, tight: bool) -> list[Piece]:
    if node.is_scripted:
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
    if text in _SILENT:
        return []
    if text == "\\\\":
        return [Piece(";", Kind.COMMA)]
    if text[:1] == "\\" and text.endswith("}") and len(text) > 2:
        return [_word(text)]
    if text.startswith(("\\middle", "\\big", "\\Big")):
        return [_sized(text)]
    if text == "\\not":
        return [Piece(text, Kind.RELATION)]
    name = text[1:] if text[:1] == "\\" and len(text) > 1 else text
    if name in FUNCTIONS.split() or name in {"Re", "Im"}:
        return [Piece(named_symbol(name), Kind.TIMES if name == "bmod" else Kind.WORD)]
    shown = named_symbol(name) if name != text else text.replace("'", "′")
    return [Piece(shown, _kind_of(shown))]


def _kind_of(symbol: str) -> Kind:
    if symbol[:1].isdigit():
        return Kind.NUMBER
    for kind, signs in (
        (Kind.PLUS, _PLUS), (Kind.TIMES, _TIMES), (Kind.PREFIX, _PREFIX), (Kind.BIG, _BIG),
        (Kind.OPEN, _OPEN), (Kind.CLOSE, _CLOSE), (Kind.BAR, _BAR), (Kind.ATOM, _ORDINARY),
        (Kind.SLASH, "/"), (Kind.COMMA, ",;"), (Kind.CLOSE, "!?.%"),
    ):  # fmt: skip
        if symbol in signs:
            return kind
    return Kind.RELATION if unicodedata.category(symbol[0])[0] in "SP" else Kind.ATOM


def _sized(text: str) -> Piece:
    delimiter = text.removeprefix("\\middle").lstrip()
    if delimiter == text:
        start = text.lower().index("big") + len("big")
        delimiter = text[start:].removeprefix("g")
    side = delimiter[:1] if delimiter[:1] in {"l", "r", "m"} else ""
    shown = _delimiter(delimiter.removeprefix(side).strip())
    kinds = {"l": Kind.OPEN, "r": Kind.CLOSE, "m": Kind.RELATION}
    return Piece(shown, Kind.RELATION if "middle" in text else kinds.get(side, _kind_of(shown)))


def _delimiter(text: str) -> str:
    if text == ".":
        return ""
    return named_symbol(text[1:]) if text.startswith("\\") and len(text) > 1 else text


def _word(text: str) -> Piece:
    r"""The argument of `\text`, `\operatorname` and their like."""
    command, _, inside = text[1:-1].partition("{")
    for character, escaped in LATEX_SPECIAL.items():
        inside = inside.replace(escaped, character)
    if "\\" in inside or "_" in inside or "^" in inside:
        # Code among words: read where it can be.
        plain = unicode_formula(inside) if is_mathematics(inside) else inside.replace("\\", "")
        return Piece(plain, Kind.TEXT)
    if command.startswith("text") and not _is_name(inside):
        return Piece(inside, Kind.TEXT)
    return Piece(inside, Kind.WORD if len(inside) > 1 and _is_name(inside) else Kind.ATOM)


def _is_name(text: str) -> bool:
    """Whether words are the name of one thing: those of a sentence have spaces."""
    return bool(text) and " " not in text and text[:1].isalpha()


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
    return Piece(f"{left}{_joined(shown).strip()}{right}", Kind.ATOM)


def _environment(node: Node, name: str) -> Piece:
    r"""Matrices as `[1 2; 3 4]`, cases as `(a if x; b otherwise)`, lines one after the other."""
    rows: list[list[str]] = [[]]
    for cell, separator in zip(node.inside, node.pieces[2::2], strict=True):
        rows[-1].append(_joined(_pieces(cell)).strip())
        if "\\\\" in str(separator):
            rows.append([])
    rows = [row for row in rows if any(row)]
    if name in _MATRICES:
        spaced = any(" " in entry or "," in entry for row in rows for entry in row)
        body = "; ".join((", " if spaced else " ").join(row) for row in rows)
        return Piece(f"|{body}|" if name == "vmatrix" else f"[{body}]", Kind.ATOM)
    if name == "cases":
        lines = ["  ".join(filter(None, (value.rstrip(","), *rest))) for value, *rest in rows]
        return Piece(f"({'; '.join(' '.join(line.split()) for line in lines)})", Kind.ATOM)
    return Piece("; ".join(" ".join(row) for row in rows), Kind.TEXT)


def _command(name: str, option: str, parts: list[list[Piece]]) -> Piece:
    """A command with its arguments."""
    first = parts[0]
    if name in {"frac", "dfrac", "tfrac"}:
        return Piece(f"{_numerator(first)}/{_denominator(parts[1])}", Kind.FRACTION)
    if name in {"binom", "dbinom", "tbinom"}:
        return Piece(f"binom({_joined(first)}, {_joined(parts[1])})", Kind.ATOM)
    if name == "sqrt":
        if option in _ROOTS:
            return Piece(_ROOTS[option] + _grouped(first, scripts=False), Kind.ATOM)
        return Piece(f"{_grouped(first)}^(1/{option})", Kind.ATOM)
    if name in {"overset", "stackrel", "underset"}:
        base = parts[1][0] if len(parts[1]) == 1 else Piece(_joined(parts[1]), Kind.RELATION)
        return _with_script(base, first, raised=name != "underset")
    if name == "xrightarrow":
        return _with_script(Piece("→", Kind.RELATION), first, raised=True)
    plain = "".join(piece.text for piece in first)
    if name in STYLES:
        return Piece(styled(plain, name), Kind.ATOM if len(plain) == 1 else Kind.WORD)
    if name == "pmod":
        return Piece(f"(mod {_joined(first)})", Kind.TEXT)
    if name in {"mathop", "mathrel", "mathbin"}:
        kinds = {"mathop": Kind.WORD, "mathrel": Kind.RELATION, "mathbin": Kind.TIMES}
        return Piece(_joined(first), kinds[name])
    if name in {"underbrace", "overbrace"}:
        return Piece(_grouped(first), Kind.ATOM)
    if name in {"underline", "substack"}:
        return Piece(_joined(first), first[0].kind if len(first) == 1 else Kind.TEXT)
    return Piece(accented(_joined(first), name), Kind.ATOM)


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
        return Piece(f"{piece.text} [{_joined(_pieces(lowered))}]", Kind.ATOM)
    if lowered is not None:
        piece = _with_script(piece, _pieces(lowered, tight=True), raised=False)
    piece = replace(piece, text=piece.text + "′" * primes)
    if raised is not None:
        piece = _with_script(piece, _pieces(raised, tight=True), raised=True)
    return piece


def _base(node: Node) -> Piece:
    """What an index or a power hangs on: a fraction, a sum, a root and a product in parentheses."""
    pieces = [piece for piece in _rendered(node, False) if piece.kind is not Kind.SPACE]
    if len(pieces) == 1 and pieces[0].kind is not Kind.FRACTION and not node.is_scripted:
        rooted = str(node.pieces[0]).startswith("\\sqrt") and pieces[0].text[-1] != ")"
        piece = pieces[0]
        if rooted or (piece.kind is Kind.ATOM and _has_script(piece.text)):
            return Piece(f"({piece.text})", Kind.ATOM)
        return piece
    if not pieces:
        return Piece("", Kind.ATOM)
    return Piece(f"({_joined(pieces)})", Kind.ATOM)


def _has_script(text: str) -> bool:
    """Whether a piece without brackets around it ends in a power or an index."""
    return "^" in text[-2:] or "_" in text[-2:] or unicodedata.decomposition(text[-1:]).startswith(
        ("<super>", "<sub>")
    )


def _with_script(base: Piece, pieces: list[Piece], *, raised: bool) -> Piece:
    text = _joined(pieces, tight=True).strip()
    if raised and text in {"∘", "°"}:
        return replace(base, text=f"{base.text}°")
    small = script(text, raised=raised)
    if small is not None:
        return replace(base, text=base.text + small)
    enclosed = len(pieces) == 1 and text[0] == "(" and text[-1] == ")"
    if not enclosed and not (len(pieces) == 1 and _is_one_sign(text)):
        text = text if _in_brackets(text, pieces) else f"({text})"
    return replace(base, text=f"{base.text}{'^' if raised else '_'}{text}")


def _is_one_sign(text: str) -> bool:
    """A letter, a number or a name without scripts of its own."""
    marks = [c for c in text if not unicodedata.combining(c)]
    return len(marks) == 1 or text.isalnum() and not _has_script(text)


def _in_brackets(text: str, pieces: Sequence[Piece]) -> bool:
    """Whether pieces are one pair of round brackets with all the rest inside."""
    if not pieces or pieces[0].text != "(" or pieces[-1].text != ")":
        return False
    depth = 0
    for place, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth == 0:
            return place == len(text) - 1
    return False


# Brackets -----------------------------------------------------------------------------------------


def _in_product(pieces: Sequence[Piece], place: int) -> Piece:
    """A fraction in parentheses where something multiplies it from the right, or applies to it."""
    piece = pieces[place]
    if piece.kind is not Kind.FRACTION:
        return piece
    after = next((p.kind for p in pieces[place + 1 :] if p.kind is not Kind.SPACE), None)
    factor = after in _FACTORS or after in {Kind.TIMES, Kind.SLASH}
    factor |= after is Kind.BAR and _opens(pieces, place + 1)
    factor |= place + 1 < len(pieces) and pieces[place + 1].text[:1] in {"!", "_", "^"}
    for before in reversed(pieces[:place]):
        if factor or before.kind in _ENDS:
            break
        factor = before.kind in _OPERATORS or (
            before.kind is Kind.TIMES and before.text not in "·×"
        )
    return Piece(f"({piece.text})", Kind.ATOM) if factor else piece


def _opens(pieces: Sequence[Piece], place: int) -> bool:
    """Whether a bar opens: those before it in the sequence stand in pairs."""
    return sum(piece.kind is Kind.BAR for piece in pieces[:place]) % 2 == 0


def _is_single(pieces: Sequence[Piece]) -> bool:
    """Whether pieces hold together without parentheses, at a power too where they are one letter."""
    if len(pieces) == 1:
        return pieces[0].kind in {Kind.NUMBER, Kind.ATOM, Kind.WORD, Kind.TEXT}
    if len(pieces) == 2 and pieces[0].kind in {Kind.PREFIX, Kind.WORD}:
        applied = pieces[0].kind is Kind.PREFIX or pieces[1].text[:1] in _OPEN
        return applied and pieces[1].kind is Kind.ATOM
    kinds = [piece.kind for piece in pieces]
    inner = _joined(pieces)
    if kinds[0] is Kind.WORD and kinds[1:2] == [Kind.OPEN]:
        return _is_single(pieces[1:])
    if kinds[0] is Kind.OPEN and kinds[-1] is Kind.CLOSE:
        return _in_brackets(inner, pieces)
    return kinds[0] is kinds[-1] is Kind.BAR and kinds.count(Kind.BAR) == 2


def _numerator(pieces: Sequence[Piece]) -> str:
    """What stands above: a product of letters and numbers needs no parentheses."""
    plain = {Kind.NUMBER, Kind.ATOM, Kind.SPACE}
    derivative = bool(pieces) and pieces[0].text == "∂"
    if all(piece.kind in plain for piece in pieces[derivative:]):
        return _joined(pieces)
    return _grouped(pieces)


def _denominator(pieces: Sequence[Piece]) -> str:
    return _grouped(pieces)


def _grouped(pieces: Sequence[Piece], *, scripts: bool = True) -> str:
    """Pieces that hold together: as they are where they do, else in parentheses."""
    solid = [piece for piece in pieces if piece.kind is not Kind.SPACE]
    text = _joined(pieces).strip()
    bare = _is_single(solid) and (scripts or not _is_raised(text))
    return text if bare else f"({text})"


def _is_raised(text: str) -> bool:
    """Whether a term is a power, which a root before it would leave open."""
    brackets = text[0] in _OPEN | _BAR and text[-1] in _CLOSE | _BAR
    return not brackets and ("^" in text or any(_is_power(character) for character in text))


def _is_power(character: str) -> bool:
    return unicodedata.decomposition(character).startswith("<super>")


# Lines --------------------------------------------------------------------------------------------


def _joined(pieces: Sequence[Piece], *, tight: bool = False) -> str:
    """Pieces on a line: signs between their terms, factors apart, no space inside brackets."""
    shown = ""
    before: Piece | None = None
    bars = 0
    for piece in pieces:
        kind = piece.kind
        if kind is Kind.BAR:
            kind = Kind.CLOSE if bars % 2 else Kind.OPEN
            bars += 1
        if before is not None and kind is not Kind.SPACE:
            shown += _gap(before, Piece(piece.text, kind), shown, tight)
        if kind is Kind.SPACE:
            if before is not None and len(piece.text) > 1 and not tight:
                shown = shown.rstrip() + piece.text
            continue
        shown += piece.text
        signed = kind is Kind.PLUS and (before is None or before.kind in _UNARY_AFTER)
        before = Piece(piece.text, Kind.PREFIX if signed else kind)
    return shown


_UNARY_AFTER = {
    Kind.PLUS, Kind.RELATION, Kind.COMMA, Kind.OPEN, Kind.TIMES, Kind.SLASH, Kind.PREFIX, Kind.TEXT,
}  # fmt: skip


def _gap(before: Piece, after: Piece, shown: str, tight: bool) -> str:
    """The space between two neighbours."""
    if shown.endswith(" ") or after.text.startswith(" "):
        return ""
    left, right = before.kind, after.kind
    if left in {Kind.OPEN, Kind.PREFIX, Kind.SLASH} or right in {Kind.CLOSE, Kind.COMMA, Kind.SLASH}:
        return ""
    if left is Kind.COMMA:
        return "" if tight else " "
    if {left, right} & {Kind.PLUS, Kind.RELATION, Kind.TIMES}:
        return "" if tight else " "
    if {left, right} & {Kind.WORD, Kind.TEXT}:
        return "" if right is Kind.OPEN or after.text[:1] in _OPEN and left is Kind.WORD else " "
    if right is Kind.OPEN and after.text in _OPEN or after.text[:1] in "([":
        return "" if left in {Kind.ATOM, Kind.CLOSE, Kind.NUMBER} else " "
    if left is Kind.NUMBER and right is Kind.ATOM and not after.text[0].isdigit():
        return ""
    return "" if tight and _is_short(before.text) and _is_short(after.text) else " "


def _is_short(text: str) -> bool:
    return len(text) == 1
