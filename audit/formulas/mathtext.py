"""Formulas for readers: names and values of a witness as LaTeX, and LaTeX as MathML."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import partial
from html import escape
from typing import Any
from xml.etree import ElementTree

from latex2mathml.converter import convert
from latex2mathml.symbols_parser import convert_symbol
from sympy import Symbol

from audit.formulas.numbers import number_in
from audit.sinks import LATEX_SPECIAL, is_mathematics, latex_text, printable, with_quotes
from claims.typeset import typeset

__all__ = ["latex_of_name", "latex_of_point", "latex_of_value", "mathml"]

_LETTERS = re.compile(r'(?:<mi mathvariant="normal">[A-Za-z]</mi>){2,}')
"""An operator name that the converter spelt letter by letter."""
_VARIANT = re.compile(r'<(m[in]) mathvariant="(bold|double-struck)">([A-Za-z0-9])</m[in]>')
"""Letters in a style that browsers draw only when it is in the character itself."""
_SIZED = re.compile(r"(<mo [^>]*>)(\\(?:[A-Za-z]+|[|{}]))</mo>")
r"""A delimiter after \bigl and its like, which the converter leaves as a command."""
_UNKNOWN = re.compile(r"\\(arg)(?![A-Za-z])")
"""Operators that the converter does not know by name."""
_WORDS = re.compile(
    r"\\(?:text|mbox|mathrm|operatorname)\{((?:[^{}\\]|\\[{}$&#%_]|\\text[a-z]+\{\})*)\}"
)
_DEFINED = re.compile(rf"{_WORDS.pattern}|(?P<sign>:\s*=)")
"""`:=` outside words: for the converter two signs, with space between them."""
_ESCAPE = re.compile("|".join(re.escape(e) for e in (*LATEX_SPECIAL.values(), "<", ">", "&")))
"""What stands for one special character among words."""
_PRIVATE = {character: chr(0xE000 + place) for place, character in enumerate(LATEX_SPECIAL)}
_MEANT = {escaped: character for character, escaped in LATEX_SPECIAL.items()}
_MATHML = {
    f"{{http://www.w3.org/1998/Math/MathML}}{tag}"
    for tag in (
        "math", "menclose", "mfrac", "mi", "mn", "mo", "mover", "mpadded", "mphantom", "mroot",
        "mrow", "mspace", "msqrt", "mstyle", "msub", "msubsup", "msup", "mtable", "mtd", "mtext",
        "mtr", "munder", "munderover",
    )
}  # fmt: skip
_WORD = re.compile(r"[A-Za-z]{2,}")
_ATTRIBUTE = re.compile(r"[\w.#% +-]*")
_CHANGED = re.compile(r"<mrow><mi>\ue100</mi>(.*?)<mi>\ue101</mi></mrow>")
"""A part between the marks of `audit.formulas.comparison`; its class is the only one that a formula has."""
_ALONE = re.compile(r"<mrow>(<(m[in])>[^<]*</\2>)</mrow>")
"""A letter or number in a row of its own, as the converter sets every index and exponent."""
_UNSTRETCHED = re.compile('<mo>(?=[|‖]</mo>)|<mo [^>]*maxsize="1.2em">')
r"""Bars without a size, and what is \big: the one that bears an exponent keeps the size of its letter in a
browser, so that the other may not grow either."""
_RELATION = re.compile("<mi>&#x(0007E|027F9|027FA|029F5);</mi>")
r"""Relations that the converter takes for letters, without space: \sim, \implies, \iff, \setminus."""
_LETTER = re.compile("<mo>(&#x(?:0221E|02205);)</mo>")
r"""Letters that it takes for relations, with space around them: \infty, \emptyset."""
_TIGHT = re.compile('<mo(?=(?: stretchy="false")?>[|/]</mo>)')
"""A bar or a slash, which TeX sets without space; a bar says neither that it opens nor that it closes."""
_AMONG_WORDS = re.compile(
    r"(<mrow>(?:<mrow />|<mtext>[^<]*</mtext>)+<mo[^>]*>[^<]*</mo>)<mtext>([^<]{2,})</mtext>"
    r"(?=(?:<mtext>[^<]*</mtext>)*</mrow>)"
)
"""A relation with nothing but words beside it: words count as space, and what is an operator and space alone
is one large operator, which has its own space outside.  A name of several letters is upright as well."""
_ENTITY = re.compile(r"&#x([0-9A-F]{5});")
_ESCAPED = {"&", "<", ">"}
_UNSAFE = {"href", "style", "class", "id", "src"}
LONGEST_NAME, LONGEST_WORDS = 100, 400


def latex_of_name(name: str) -> str:
    """The name of a variable: `sigma_q` as SymPy sets it, and what is LaTeX already as it is.

    A word, such as the name of a regime, is a word.
    """
    if "\\" in name or "{" in name:
        return name if is_mathematics(name) else _words(name)
    if len(name) > LONGEST_NAME:
        return _words(name)
    plain = name.rstrip("'")
    if _WORD.fullmatch(plain) and typeset(Symbol(plain)) == plain:
        return _words(name)
    formula = typeset(Symbol(plain)) + name[len(plain) :]
    return formula if is_mathematics(formula) else _words(name)


def _words(text: str) -> str:
    """Words inside a formula; TeX cannot set a line of thousands, so long ones are cut."""
    shown = text if len(text) <= LONGEST_WORDS else f"{text[:LONGEST_WORDS]}..."
    return rf"\text{{{latex_text(shown)}}}"


def latex_of_value(value: Any, *, brief: bool = False) -> str:
    """An exact value of an audit document: a number, a matrix as nested lists, a flag, a list.

    In `brief`, numbers that are not simple are rounded; otherwise only those without exact value are.
    """
    inside = partial(latex_of_value, brief=brief)
    if isinstance(value, bool) or value is None:
        return rf"\text{{{str(value).lower()}}}"
    if isinstance(value, list):
        if not value:
            return r"\emptyset"
        if all(isinstance(row, list) for row in value):
            return _matrix(value, inside)
        return rf"\left({', '.join(map(inside, value))}\right)"
    if isinstance(value, dict):
        return latex_of_point(value)
    number = number_in(value)
    if number is None:
        return _root(str(value)) or _words(str(value))
    simple = number.is_simple or not brief
    return number.exact if number.exact is not None and simple else number.short()


_ROOT = re.compile(r"CRootOf\((.+), \d+\)")
_DEGREES = re.compile(r"\*\*(\d{1,4})(?!\d)")


def _root(text: str) -> str | None:
    """A root of a polynomial that SymPy has no closed form for."""
    found = _ROOT.fullmatch(text)
    degrees = [int(degree) for degree in _DEGREES.findall(found[1])] if found else []
    return rf"\text{{a root of a polynomial of degree {max(degrees)}}}" if degrees else None


def latex_of_point(point: dict[str, Any]) -> str:
    """A point of a domain as one formula."""
    return r",\quad ".join(f"{latex_of_name(k)} = {latex_of_value(v)}" for k, v in point.items())


def _matrix(rows: list[list[Any]], inside: Callable[[Any], str]) -> str:
    if any(isinstance(entry, list) for row in rows for entry in row):
        return rf"\left({', '.join(map(inside, rows))}\right)"
    body = r" \\ ".join(" & ".join(map(inside, row)) for row in rows)
    return rf"\left( \begin{{matrix}} {body} \end{{matrix}} \right)"


def _as_one_word(letters: re.Match[str]) -> str:
    return f"<mi>{re.sub('<[^>]*>', '', letters[0])}</mi>"


def _as_relation(letter: re.Match[str]) -> str:
    return f"<mo>&#x{'0223C' if letter[1] == '0007E' else letter[1]};</mo>"


def _as_delimiter(sized: re.Match[str]) -> str:
    code = convert_symbol(sized[2])
    return f"{sized[1]}&#x{code};</mo>" if code else sized[0]


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
    r"""A LaTeX formula as MathML; one that cannot be converted is shown as code, escaped.

    The converter does not escape words in \text and knows no escapes there, so special characters
    pass it under others; what comes out is parsed again, and shown only if it is MathML and nothing
    else.
    """
    formula = with_quotes(formula)
    if is_mathematics(formula):
        named = _UNKNOWN.sub(r"\\operatorname{\1}", formula)
        hidden = _WORDS.sub(lambda words: _hidden(words[0], words[1]), named)
        hidden = _DEFINED.sub(lambda it: r"\coloneqq " if it["sign"] else it[0], hidden)
        try:
            converted = str(convert(hidden, display="block" if display else "inline"))
            converted = _VARIANT.sub(_as_unicode, _LETTERS.sub(_as_one_word, converted))
            converted = _SIZED.sub(_as_delimiter, _RELATION.sub(_as_relation, converted))
            converted = _LETTER.sub(r"<mi>\1</mi>", converted)
            for character, private in _PRIVATE.items():
                converted = converted.replace(private, escape(character))
            if all(map(_is_mathml, ElementTree.fromstring(converted).iter())):
                return _smaller(_CHANGED.sub(r'<mrow class="changed">\1</mrow>', converted))
        # The converter raises errors of many kinds; the formula is shown all the same.
        except Exception:
            pass
    return f"<code>{escape(printable(formula))}</code>"


def _smaller(converted: str) -> str:
    """The same formula in fewer elements and characters: pages hold tens of thousands of formulas."""
    short = _AMONG_WORDS.sub(r"\1<mi>\2</mi>", _ALONE.sub(r"\1", converted))
    short = _ENTITY.sub(_as_character, short)
    return _TIGHT.sub('<mo lspace="0" rspace="0"', _UNSTRETCHED.sub('<mo stretchy="false">', short))


def _as_character(entity: re.Match[str]) -> str:
    character = chr(int(entity[1], 16))
    return entity[0] if character in _ESCAPED else character


def _hidden(whole: str, words: str) -> str:
    hidden = _ESCAPE.sub(lambda found: _PRIVATE[_MEANT.get(found[0], found[0])], words)
    return whole.replace(words, hidden)


def _is_mathml(element: ElementTree.Element) -> bool:
    return element.tag in _MATHML and all(
        name not in _UNSAFE and not name.startswith("on") and _ATTRIBUTE.fullmatch(value)
        for name, value in element.attrib.items()
    )
