"""Formulas for readers: names and values of a witness as LaTeX, LaTeX as MathML, text as LaTeX."""

from __future__ import annotations

import re
import unicodedata
from html import escape
from typing import Any
from xml.etree import ElementTree

from latex2mathml.converter import convert
from sympy import Rational, Symbol, SympifyError, sympify

from claims.typeset import latex_text, typeset

__all__ = ["formulas_of_point", "latex_of_point", "latex_of_value", "latex_text", "mathml"]

_LETTERS = re.compile(r'(?:<mi mathvariant="normal">[A-Za-z]</mi>){2,}')
"""An operator name that the converter spelt letter by letter."""
_VARIANT = re.compile(r'<(m[in]) mathvariant="(bold|double-struck)">([A-Za-z0-9])</m[in]>')
"""Letters in a style that browsers draw only when it is in the character itself."""
_KNOWN = {"E", "I", "acos", "atan", "cos", "exp", "log", "oo", "pi", "sin", "sqrt"}
_WORDS = re.compile(r"\\(?:text|mbox|mathrm|operatorname)\{[^{}]*\}")
_ESCAPED = re.compile(r"\\([$&#%_])")
"""Escapes in words, which the converter would show with their backslash."""
_HIDE = str.maketrans("<>&$#%_", "\ue000\ue001\ue002\ue003\ue004\ue005\ue006")
_SHOW = {"\ue000": "&lt;", "\ue001": "&gt;", "\ue002": "&amp;"} | dict(
    zip("\ue003\ue004\ue005\ue006", "$#%_", strict=True)
)
_MATHML = {
    f"{{http://www.w3.org/1998/Math/MathML}}{tag}"
    for tag in (
        "math", "menclose", "mfrac", "mi", "mn", "mo", "mover", "mpadded", "mphantom", "mroot",
        "mrow", "mspace", "msqrt", "mstyle", "msub", "msubsup", "msup", "mtable", "mtd", "mtext",
        "mtr", "munder", "munderover",
    )
}  # fmt: skip


def latex_of_name(name: str) -> str:
    """The name of a variable: `sigma_q` as SymPy sets it, and what is LaTeX already as it is."""
    return typeset(Symbol(name))


def latex_of_value(value: Any) -> str:
    """An exact value of an audit document: a number, a matrix as nested lists, a flag, a list."""
    if isinstance(value, bool) or value is None:
        return rf"\text{{{value}}}"
    if isinstance(value, list):
        if value and all(isinstance(row, list) for row in value):
            return _matrix(value)
        return rf"\left({', '.join(latex_of_value(part) for part in value)}\right)"
    if isinstance(value, dict):
        return latex_of_point(value)
    return _scalar(str(value))


def formulas_of_point(point: dict[str, Any]) -> list[str]:
    """A point of a domain, a formula for each variable."""
    return [f"{latex_of_name(k)} = {latex_of_value(v)}" for k, v in point.items()]


def latex_of_point(point: dict[str, Any]) -> str:
    """A point of a domain as one formula."""
    return r",\quad ".join(formulas_of_point(point))


def _matrix(rows: list[list[Any]]) -> str:
    if any(isinstance(entry, list) for row in rows for entry in row):
        return rf"\left({', '.join(latex_of_value(row) for row in rows)}\right)"
    body = r" \\ ".join(" & ".join(latex_of_value(entry) for entry in row) for row in rows)
    return rf"\left( \begin{{matrix}} {body} \end{{matrix}} \right)"


def _scalar(text: str) -> str:
    """A number or a closed form in known functions; anything else is shown as text.

    A document may have been edited, and SymPy's parser runs Python: only these names get that far.
    """
    if re.fullmatch(r"-?\d+(/\d+|\.\d+)?", text):
        return typeset(Rational(text))
    names = set(re.findall(r"[A-Za-z_]\w*", text))
    if not re.fullmatch(r"[\w+\-*/(). ,]+", text) or not names <= _KNOWN:
        return rf"\text{{{latex_text(text)}}}"
    try:
        return typeset(sympify(text, rational=True, evaluate=False))
    except (SympifyError, TypeError, SyntaxError, AttributeError, ValueError):
        return rf"\text{{{latex_text(text)}}}"


def _as_one_word(letters: re.Match[str]) -> str:
    return f"<mi>{re.sub('<[^>]*>', '', letters[0])}</mi>"


def _as_unicode(letter: re.Match[str]) -> str:
    tag, style, plain = letter.groups()
    case = "DIGIT" if plain.isdigit() else "CAPITAL" if plain.isupper() else "SMALL"
    name = unicodedata.name(plain).split()[-1]
    for prefix in ("MATHEMATICAL ", ""):  # R, N, Z and their like were there before the block
        try:
            character = unicodedata.lookup(f"{prefix}{style.upper()} {case} {name}")
        except KeyError:
            continue
        return f"<{tag}>{character}</{tag}>"
    return letter[0]


def mathml(formula: str, *, display: bool = True) -> str:
    """A LaTeX formula as MathML; one that cannot be converted is shown as code, escaped.

    The converter does not escape words in \\text, so they pass it under other characters; what comes
    out is parsed again, and shown only if it is MathML and nothing else.
    """
    hidden = _WORDS.sub(lambda words: _ESCAPED.sub(r"\1", words[0]).translate(_HIDE), formula)
    try:
        converted = str(convert(hidden, display="block" if display else "inline"))
        converted = _VARIANT.sub(_as_unicode, _LETTERS.sub(_as_one_word, converted))
        shown = "".join(_SHOW.get(character, character) for character in converted)
        if all(element.tag in _MATHML for element in ElementTree.fromstring(shown).iter()):
            return shown
    except (
        Exception
    ):  # the converter raises errors of many kinds; the formula is shown all the same
        pass
    return f"<code>{escape(formula)}</code>"
