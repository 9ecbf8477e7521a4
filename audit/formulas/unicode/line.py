r"""Pieces of a formula on a line: what each is to its neighbours, and where parentheses must stand."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto

__all__ = [
    "OPENING",
    "Kind",
    "Piece",
    "enclosed",
    "grouped",
    "has_script",
    "in_product",
    "is_one_sign",
    "joined",
    "kind_of",
    "numerator",
]


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
    BAR = auto()  # opens, or closes what a bar opened
    AFTER = auto()  # stands close to what it follows
    TEXT = auto()
    SPACE = auto()


@dataclass(frozen=True)
class Piece:
    """A part of a line; `sized` where it is in brackets that grow with what they hold, as those of a
    factor do and those of an argument do not."""

    text: str
    kind: Kind
    sized: bool = False


_PLUS = set("+-±∓∪∩∧∨⊕⊖∖⊓⊔")
_TIMES = set("·×⊗∘⊙⊠∗*⋆÷•⋄≀")
_PREFIX = set("∂∇∀∃∄¬∠√")
_BIG = set("∑∏∐∫∬∮⋂⋃⨁⨂⋁⋀")
_ORDINARY = set("∞∅′⊤⊥♭♯△ℓ…⋯⋮⋱°℘ℵ∂ħ†")
OPENING, _CLOSE, _BAR = set("([{⟨⌊⌈"), set(")]}⟩⌋⌉"), set("|‖∣")
_FACTORS = {
    Kind.NUMBER, Kind.ATOM, Kind.FRACTION, Kind.PREFIX, Kind.WORD, Kind.BIG, Kind.OPEN,
}  # fmt: skip
_OPERATORS = {Kind.WORD, Kind.BIG, Kind.PREFIX, Kind.SLASH}
_ENDS = {Kind.PLUS, Kind.RELATION, Kind.COMMA, Kind.OPEN, Kind.TEXT}
"""What a product does not reach across."""


def kind_of(symbol: str) -> Kind:
    if symbol[:1].isdigit():
        return Kind.NUMBER
    for kind, signs in (
        (Kind.PLUS, _PLUS), (Kind.TIMES, _TIMES), (Kind.PREFIX, _PREFIX), (Kind.BIG, _BIG),
        (Kind.OPEN, OPENING), (Kind.CLOSE, _CLOSE), (Kind.BAR, _BAR), (Kind.ATOM, _ORDINARY),
        (Kind.SLASH, "/"), (Kind.COMMA, ",;:"), (Kind.AFTER, "!?.%"),
    ):  # fmt: skip
        if symbol in signs:
            return kind
    return Kind.RELATION if unicodedata.category(symbol[0])[0] in "SP" else Kind.ATOM


def enclosed(pieces: Sequence[Piece], tight: bool) -> list[Piece]:
    """Brackets, and bars in pairs, with all between them as one piece each."""
    levels: list[list[Piece]] = [[]]
    for place, piece in enumerate(pieces):
        opening = levels[-1][0] if levels[-1:] and levels[-1] and len(levels) > 1 else None
        kind = piece.kind
        if kind is Kind.BAR:
            closes = opening is not None and opening.text == piece.text[:1]
            partner = closes or any(
                p.kind is Kind.BAR and p.text[:1] == piece.text for p in pieces[place + 1 :]
            )
            kind = Kind.CLOSE if closes else Kind.OPEN if partner else Kind.RELATION
        if kind is Kind.CLOSE and opening is not None:
            first, *inside = [*levels.pop(), piece]
            inside.pop()
            inside = [in_product(inside, at) for at in range(len(inside))]
            between = joined(inside, tight=tight).strip()
            levels[-1].append(Piece(f"{first.text}{between}{piece.text}", Kind.ATOM))
        elif kind is Kind.OPEN:
            levels.append([replace(piece, kind=kind)])
        else:
            levels[-1].append(replace(piece, kind=kind))
    return [piece for level in levels for piece in level]


# Brackets -----------------------------------------------------------------------------------------


def in_product(pieces: Sequence[Piece], place: int) -> Piece:
    """A fraction in parentheses where something multiplies it from the right, or applies to it."""
    piece = pieces[place]
    if piece.kind is not Kind.FRACTION:
        return piece
    after = next((p.kind for p in pieces[place + 1 :] if p.kind is not Kind.SPACE), None)
    factor = after in _FACTORS or after in {Kind.TIMES, Kind.SLASH}
    factor |= place + 1 < len(pieces) and pieces[place + 1].text[:1] == "!"
    for before in reversed(pieces[:place]):
        if factor or before.kind in _ENDS:
            break
        factor = before.kind in _OPERATORS or (
            before.kind is Kind.TIMES and before.text not in "·×"
        )
    return Piece(f"({piece.text})", Kind.ATOM) if factor else piece


def _is_single(pieces: Sequence[Piece]) -> bool:
    """Whether pieces hold together without parentheses: a letter, a bracket, a function of one."""
    if len(pieces) == 1:
        return pieces[0].kind in {Kind.NUMBER, Kind.ATOM, Kind.WORD, Kind.TEXT}
    if len(pieces) != 2 or pieces[1].kind is not Kind.ATOM:
        return False
    return pieces[0].kind is Kind.PREFIX or _is_applied(*pieces)


def _is_applied(function: Piece, argument: Piece) -> bool:
    """Whether a bracket is what a function is applied to, as in `tr(X)` or `f(x)`."""
    if argument.text[:1] not in {"(", "["} or _is_power(function.text[-1]):
        return False
    if function.text[-1] in _CLOSE or "√" in function.text:
        return False
    return function.kind is Kind.WORD or (function.kind is Kind.ATOM and not argument.sized)


def numerator(pieces: Sequence[Piece]) -> str:
    """What stands above: a product of letters and numbers needs no parentheses."""
    plain = {Kind.NUMBER, Kind.ATOM, Kind.SPACE}
    derivative = bool(pieces) and pieces[0].text == "∂"
    if all(piece.kind in plain for piece in pieces[derivative:]):
        return joined(pieces)
    return grouped(pieces)


def grouped(pieces: Sequence[Piece], *, scripts: bool = True) -> str:
    """Pieces that hold together: as they are where they do, else in parentheses."""
    solid = [piece for piece in pieces if piece.kind is not Kind.SPACE]
    text = joined(pieces).strip()
    bare = _is_single(solid) and (scripts or not _is_raised(text))
    return text if bare else f"({text})"


def _is_raised(text: str) -> bool:
    """Whether a term is a power, which a root before it would leave open."""
    brackets = text[0] in OPENING | _BAR and text[-1] in _CLOSE | _BAR
    return not brackets and ("^" in text or any(_is_power(character) for character in text))


def _is_power(character: str) -> bool:
    return unicodedata.decomposition(character).startswith("<super>")


def is_one_sign(text: str) -> bool:
    """A letter, a number or a name without scripts of its own."""
    marks = [c for c in text if not unicodedata.combining(c)]
    return len(marks) == 1 or (text.isalnum() and not has_script(text))


def has_script(text: str) -> bool:
    """Whether a piece without brackets around it ends in a power or an index."""
    return (
        "^" in text[-2:]
        or "_" in text[-2:]
        or unicodedata.decomposition(text[-1:]).startswith(("<super>", "<sub>"))
    )


# Lines --------------------------------------------------------------------------------------------


def joined(pieces: Sequence[Piece], *, tight: bool = False) -> str:
    """Pieces on a line: signs between their terms, factors apart, words as they are spaced."""
    shown, space = "", ""
    before: Piece | None = None
    for piece in pieces:
        if piece.kind is Kind.SPACE:
            space = max(space, piece.text, key=len)
            continue
        if before is not None:
            gap = _gap(before, piece, tight)
            worded = Kind.TEXT in {before.kind, piece.kind} and not shown.endswith(" ")
            worded &= not piece.text.startswith(" ")
            shown += space if len(space) > 1 or (worded and not gap) else gap
        shown, space = shown + piece.text, ""
        signed = piece.kind is Kind.PLUS and (before is None or before.kind in _UNARY_AFTER)
        before = replace(piece, kind=Kind.PREFIX) if signed else piece
    return shown


_UNARY_AFTER = {
    Kind.PLUS, Kind.RELATION, Kind.COMMA, Kind.OPEN, Kind.TIMES, Kind.SLASH, Kind.PREFIX, Kind.TEXT,
}  # fmt: skip
_CLOSE_BEFORE = {Kind.OPEN, Kind.PREFIX, Kind.SLASH}
_CLOSE_AFTER = {Kind.CLOSE, Kind.COMMA, Kind.SLASH, Kind.AFTER}
_APART = {Kind.PLUS, Kind.RELATION, Kind.TIMES}


def _gap(before: Piece, after: Piece, tight: bool) -> str:
    """The space that two neighbours need."""
    left, right = before.kind, after.kind
    if left in _CLOSE_BEFORE or right in _CLOSE_AFTER:
        return ""
    if left is Kind.COMMA or {left, right} & _APART:
        return "" if tight else " "
    if Kind.TEXT in {left, right} or _is_applied(before, after):
        return ""
    if left is Kind.NUMBER and right is Kind.ATOM and not after.text[0].isdigit():
        return ""
    if tight and Kind.WORD not in {left, right} and not re.search("[_^]", before.text):
        return ""
    return " "
