r"""How tightly a piece of LaTeX holds together, read from the LaTeX itself.

A name such as `1-\phi^{(t)}`, a node with a printer of its own and a term that was printed here all
obey one rule: what shows a plus outside every bracket is a sum, whoever wrote it.
"""

from __future__ import annotations

import re
from enum import IntEnum
from functools import lru_cache

__all__ = ["Level", "bracket", "is_letter", "level", "parenthesised", "takes_scripts"]


class Level(IntEnum):
    """From the loosest to the tightest."""

    OPEN = 0
    """A relation, a list, cases: no operand of anything."""
    SUM = 1
    OPERATED = 2
    r"""Joined by `\otimes`, `\circ` or a slash."""
    PREFIXED = 3
    r"""Opened by `\sum`, `\max`, `\mathbb E`, ...: everything to its right belongs to it."""
    PRODUCT = 4
    """A product, a power, a fraction, an application: a factor, but not the base of a power."""
    ATOM = 5


_PAIRS = {
    r"\left\|": "(", r"\right\|": ")", r"\left|": "(", r"\right|": ")", r"\{": "(", r"\}": ")",
    r"\langle": "(", r"\rangle": ")", r"\lfloor": "(", r"\rfloor": ")", r"\lceil": "(",
    r"\rceil": ")", r"\lvert": "(", r"\rvert": ")", r"\lVert": "(", r"\rVert": ")",
    "[": "(", "]": ")",
}  # fmt: skip
_LETTER = r"(?:[A-Za-z]|\\[A-Za-z]+)"
_ARGUMENT = r"\s*(?:∘|\\[A-Za-z]+|[^\s\\])"
_FUNCTIONS = (
    r"\\(?:arccos|arcsin|arctan|arg|cos|cosh|deg|det|dim|exp|gcd|inf|ln|log|max|min|sin|sinh|sup"
    r"|tan|tanh|Pr|expectation|function)(?![A-Za-z])"
)
_RUNNING = r"\\(?:sum|prod|int|lim|limsup|liminf|bigcup|bigcap)(?![A-Za-z])"
_STEPS: tuple[tuple[str, str], ...] = (
    (r"\\left\..*?\\right\s*\|", "•"),
    (r"\\begin\{cases\}", r"\\cases "),
    (r"\\(?:text|mbox)\s*\{[^{}]*\}", "x"),
    (r"\\mathbb\s*(?:\{[EP]\}|[EP])", r"\\expectation "),
    (r"\\operatorname\*?\s*\{[^{}]*\}|\\mathrm\s*\{[A-Za-z]{2,}\}", r"\\function "),
)
_COLLAPSED: tuple[tuple[str, str], ...] = (
    (r"\\(?:mathbb|mathbf|mathrm|mathcal|mathsf|bar|tilde|hat|vec|overline|widehat|widetilde|dot)"
     + _ARGUMENT, "x"),
    (r"\\[tdc]?frac" + _ARGUMENT * 2, "xx"),
    (r"\\binom" + _ARGUMENT * 2 + r"|\\sqrt\s*•?" + _ARGUMENT, "x"),
    (_FUNCTIONS + r"\s*[•∘](?!\s*[_^'])", "xx"),
    (r"\\underbrace" + _ARGUMENT, r"\\sum "),
    (r"\\[,;:! ]|\\(?:quad|qquad|textstyle|displaystyle|cdots|cdot)(?![A-Za-z])|~", " "),
    (r"([_^])" + _ARGUMENT, r"\1"),
)  # fmt: skip
_LOOSE: tuple[tuple[Level, str], ...] = (
    (Level.OPEN, r"[=<>,;:|&∘]|\\(?:le|leq|ge|geq|ne|neq|in|to|mid|wedge|vee|neg|forall|exists|cases"
                 r"|Rightarrow|Leftrightarrow|mapsto|ll|gg|approx|sim)(?![A-Za-z])"),
    (Level.SUM, r"[+-]|\\(?:pm|mp|bmod)(?![A-Za-z])"),
    (Level.OPERATED, r"/|\\(?:otimes|boxtimes|oplus|circ|odot|times)(?![A-Za-z])"),
    (Level.PREFIXED, f"{_RUNNING}|{_FUNCTIONS}"),
)  # fmt: skip


@lru_cache(maxsize=65536)
def level(text: str) -> Level:
    r"""The level of a piece of LaTeX.

    >>> [level(t).name for t in (r"\bar x", "x^2", "C(X)", r"1-\phi^{(t)}", r"\mathbb E\|X\|^2")]
    ['ATOM', 'PRODUCT', 'PRODUCT', 'SUM', 'PREFIXED']
    """
    outline = _outline(text).replace("_", "")
    for found, pattern in _LOOSE:
        if re.search(pattern, outline):
            return found
    tokens = re.findall(r"\\[A-Za-z]+|\d+(?:\.\d+)?|\S", outline)
    return Level.ATOM if len(tokens) == 1 else Level.PRODUCT


def bracket(text: str, least: Level) -> str:
    """The text, in parentheses when it is looser than `least`."""
    return text if level(text) >= least else parenthesised(text)


def parenthesised(text: str) -> str:
    return rf"\left({text}\right)"


def is_letter(text: str) -> bool:
    r"""Whether a name is one letter, with its accents, indices and exponents.

    >>> [is_letter(name) for name in (r"\bar x_1^{(t)}", "sigma_x", "C(X)")]
    [True, False, False]
    """
    return bool(re.fullmatch(_LETTER + r"[_^']*", _outline(text)))


def takes_scripts(text: str) -> bool:
    r"""Whether indices and layers can be written at a name as it stands, which has none yet.

    >>> [takes_scripts(name) for name in (r"\tilde X", "(E)", "W_V", "X'")]
    [True, True, False, False]
    """
    return bool(re.fullmatch(f"{_LETTER}|•", _outline(text)))


@lru_cache(maxsize=65536)
def _outline(text: str) -> str:
    """The text with every group put as one sign, and a script as the sign that opens it.

    Braces become `∘`, since they do not show; visible brackets become `•`.
    """
    for pattern, sign in _STEPS:
        text = re.sub(pattern, sign, text)
    for shown, sign in _PAIRS.items():
        text = re.sub(
            re.escape(shown) + (r"(?![A-Za-z])" if shown[-1].isalpha() else ""), sign, text
        )
    text = re.sub(r"\\(?:left|right|[bB]igg?[lr]?)(?![A-Za-z])", "", text)
    before = ""
    while before != text:
        before = text
        text = re.sub(r"\{[^(){}]*\}", "∘", text)
        text = re.sub(r"\([^(){}]*\)", "•", text)
    text = re.sub(r"\\\|[^|]*\\\||\|[^|]*\|", "•", text)
    for pattern, sign in _COLLAPSED:
        text = re.sub(pattern, sign, text)
    return text.strip()
