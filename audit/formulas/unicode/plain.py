r"""Text for an output whose encoding lacks characters: letters of LaTeX stand for what it cannot show."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import cache
from itertools import groupby

from audit.formulas.unicode.characters import named_symbol
from audit.sinks import GREEK, SYMBOLS

__all__ = ["in_encoding"]

_PLAIN = {
    "≤": "<=", "≥": ">=", "≠": "!=", "→": "->", "⇒": "=>", "⇔": "<=>", "−": "-", "·": "*", "∗": "*",
    "‖": "||", "′": "'", "–": "-", "—": "-", "‘": "'", "’": "'", "“": '"', "”": '"', "√": "sqrt",
    "✗": "x", "✓": "+", "×": "x", "ᵀ": "^T",
}  # fmt: skip
"""What has a spelling of its own in any encoding."""
_MARKS = {"\u0302": "hat", "\u0303": "tilde", "\u0304": "bar", "\u0307": "dot", "\u20d7": "vec"}
"""Accents of mathematics; those of names are left out."""
_SCRIPTS = {"<super>": "^", "<sub>": "_"}


def in_encoding(text: str, encoding: str) -> str:
    r"""Text with the characters that an encoding lacks spelled out, and `?` for what has no spelling.

    >>> in_encoding("σₖ² ≤ 𝔼 ‖x̄‖, Erdős", "ascii")
    '\\sigma_k^2 <= E ||\\bar{x}||, Erdos'
    >>> in_encoding("σ²", "latin-1")
    '\\sigma²'
    """
    if _has(text, encoding):
        return text
    shown = ""
    for part in _parts(text, encoding):
        # The name of a command ends where no letter follows.
        named = shown.rpartition("\\")[2] if "\\" in shown else ""
        shown += f" {part}" if named.isalpha() and named.isascii() and part[:1].isalpha() else part
    return shown


def _parts(text: str, encoding: str) -> Iterator[str]:
    """Characters or their spellings; raised and lowered ones together."""
    for script, found in groupby(_letters(text, encoding), lambda each: _script(each, encoding)):
        letters = list(found)
        if script is None:
            yield from (_spelled(letter, encoding) for letter in letters)
            continue
        inner = "".join(_spelled(unicodedata.normalize("NFKC", s), encoding) for s in letters)
        yield f"{script}{inner}" if len(inner) == 1 else f"{script}{{{inner}}}"


def _letters(text: str, encoding: str) -> Iterator[str]:
    """Characters, each with the accents over it."""
    letter = ""
    for character in text:
        if letter and unicodedata.combining(character):
            letter += character
            continue
        if letter:
            yield letter
        letter = character
    if letter:
        yield letter


def _script(letter: str, encoding: str) -> str | None:
    kind = unicodedata.decomposition(letter[0]).partition(" ")[0]
    known = letter in _PLAIN or _has(letter, encoding)
    return None if known else _SCRIPTS.get(kind)


def _spelled(letter: str, encoding: str) -> str:
    """One character, with its accents, as the encoding allows."""
    for spelling in (letter, _PLAIN.get(letter, ""), _commands().get(letter, "")):
        if spelling and _has(spelling, encoding):
            return spelling
    apart = unicodedata.normalize("NFKD", letter)
    base, marks = apart[0], apart[1:]
    if not marks:
        return base if base != letter and _has(base, encoding) else "?"
    rest = _spelled(base, encoding) if base != letter else "?"
    if not all(map(unicodedata.combining, marks)):  # several characters, such as three dots
        return rest + "".join(_spelled(mark, encoding) for mark in marks)
    named = [_MARKS[mark] for mark in marks if mark in _MARKS]
    return rf"\{named[0]}{{{rest}}}" if named else rest


@cache
def _commands() -> dict[str, str]:
    """The command of LaTeX for each character that has one."""
    found: dict[str, str] = {}
    for name in f"{GREEK} {SYMBOLS}".split():
        found.setdefault(named_symbol(name), f"\\{name}")
    return found


def _has(text: str, encoding: str) -> bool:
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True
