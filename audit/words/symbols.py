"""What the letters of a statement stand for, for readers without the paper at hand."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from audit.sinks import Prose
from claims.registry import paper

__all__ = ["symbols_sentence"]

UPRIGHT = re.compile(r"\\(?:text|mathrm|operatorname\*?)\s*\{[^{}]*\}")
"""Words inside formulas, whose letters are no symbols."""
DRESSED = re.compile(
    r"\\(?:math(?:cal|bb|bf|sf|frak)|tilde|hat|bar|vec)\s*(?:\{[^{}]*\}|\\?[A-Za-z]+)"
)
"""Letters that an alphabet or an accent makes other symbols."""


def symbols_sentence(record: Mapping[str, Any]) -> Prose | None:
    """The symbols of a statement that its paper's glossary holds; None where there are none."""
    known = paper(record["paper"]).symbols
    whole = UPRIGHT.sub(" ", record["statement"] or "")
    bare = DRESSED.sub(" ", whole)
    held = [x for x in known if _symbol(x).search(whole if DRESSED.search(x) else bare)]
    said = "; ".join(f"${letter}$: {known[letter]}" for letter in held)
    return Prose(f"{said}.") if said else None


@cache
def _symbol(letter: str) -> re.Pattern[str]:
    """A symbol with or without braces around its parts; neither primed nor with a further index."""
    parts = re.findall(r"\\[A-Za-z]+|[^{}\s]", letter)
    before = r"(?<![A-Za-z\\])" if letter[0].isalpha() else ""
    written = r"[{}\s]*".join(map(re.escape, parts))
    return re.compile(rf"{before}{written}(?![A-Za-z0-9'])(?!\}}*_)")
