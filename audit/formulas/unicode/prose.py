"""Words with formulas among them, as a terminal shows them."""

from __future__ import annotations

import re

from audit.formulas.unicode.formula import unicode_formula
from audit.sinks import Formula, Prose, Words, is_mathematics

__all__ = ["unicode_prose"]


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
            shown.append(f"`{piece}`" if isinstance(piece, Words) else _plain(piece))
    return "".join(shown)


_CODE = re.compile(r"\\[A-Za-z{|]|[_^]\{")
_SENTENCE = re.compile(r"(, |: |; |\b(?:at|in) |\.$|\. )")
_NAME = re.compile(r"(?<![\\A-Za-z])[A-Za-z]{2,}(?![A-Za-z]*\})")


def _plain(words: str) -> str:
    """Words; formulas that stand among them without dollars are read where that can be done."""
    if not _CODE.search(words):
        return words
    return "".join(map(_read, _SENTENCE.split(words)))


def _read(part: str) -> str:
    if not _CODE.search(part):
        return part
    formula = _NAME.sub(lambda name: rf"\text{{{name[0]}}}", part.strip())
    if not is_mathematics(formula):
        return re.sub(r"[\\{}]", "", part)
    ends = (" " * part[:1].isspace(), " " * part[-1:].isspace())
    return f"{ends[0]}{unicode_formula(formula)}{ends[1]}"
