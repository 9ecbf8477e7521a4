r"""LaTeX as papers write it, as a list of signs in one spelling.

Fonts, spaces and sizes of brackets say nothing and go; `\leq` is `\le`, `\text{tr}` is `\tr`, and a
lower script stands before an upper one, without braces around a single sign.  What remains is the
same for `\mathbf{X}^\top_{1}` and `X_1^\top`, so that names can be compared as they are written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

__all__ = [
    "CLOSING", "OPENING", "Chain", "Unreadable", "as_latex", "chains_of", "group_after", "is_argument",
    "signs_of",
]  # fmt: skip


class Unreadable(ValueError):
    """The text is no formula that can be read and evaluated."""


Chain = tuple[list[tuple[str, ...]], list[str], bool]
"""The sides of a printed chain, the signs between them, and whether it is only a condition."""

OPENING = frozenset({"{", "(", "[", r"\{", r"\langle", r"\lfloor", r"\lceil"})
CLOSING = frozenset({"}", ")", "]", r"\}", r"\rangle", r"\rfloor", r"\rceil"})
RELATIONS = frozenset({"=", r"\le", r"\ge", "<", ">", r"\ne", r"\approx", r"\sim", r"\to", r"\in"})
END, GIVEN, WORDS = r"\and", r"\given", r"\text"
"""What ends a chain, what says that the next one is a condition, how words begin."""

_SIGN = re.compile(r"\\[A-Za-z]+\*?|\\.|\d+(?:\.\d+)?|\S")
_NUMBER = re.compile(r"\d[\d.]+")
"""Of more than one sign of TeX."""
_SPACE = re.compile(
    r"\\[,;:!> ]|~|&|\\(?:displaystyle|textstyle|limits|nolimits|nonumber)(?![A-Za-z])"
    r"|\\(?:begin|end)\{aligned\*?\}"
)
_SIZE = re.compile(r"\\(?:left|right|middle|[bB]igg?[lrm]?)(?![A-Za-z])\.?")
_BREAK = re.compile(r"\\(?:quad|qquad)(?![A-Za-z])|\\\\")
_TEXT = re.compile(r"\\(?:text|textrm|textup|operatorname\*?|mathrm)\s*\{\s*([^{}]*?)\s*\}")
_FONTS = frozenset({r"\mathbf", r"\boldsymbol", r"\bm", r"\mathrm", r"\mathsf", r"\mathit"})
_ACCENTS = frozenset({r"\bar", r"\tilde", r"\hat", r"\widehat", r"\overline", r"\mathbb"})
_FUNCTIONS = frozenset({
    "tr", "Tr", "res", "softmax", "diag", "Diag", "blockdiag", "sr", "rank", "Var", "sign", "range", "LN",
    "Mask", "DM", "ein", "SRank", "vec",
})  # fmt: skip
_ARGUMENTS = {r"\frac": 2, r"\binom": 2, r"\sqrt": 1}
_CONDITIONAL = re.compile(r"(?:for|if|provided|where|such that|given|when|with|on)\b(?! probab)")
_SPELLINGS = {
    r"\leq": r"\le", r"\leqslant": r"\le", r"\geq": r"\ge", r"\geqslant": r"\ge", r"\neq": r"\ne",
    r"\dfrac": r"\frac", r"\tfrac": r"\frac", r"\dbinom": r"\binom", r"\tbinom": r"\binom",
    r"\rightarrow": r"\to", r"\longrightarrow": r"\to", r"\varepsilon": r"\epsilon", r"\ln": r"\log",
    r"\ldots": r"\dots", r"\cdots": r"\dots", r"\lVert": r"\|", r"\rVert": r"\|", r"\Vert": r"\|",
    r"\lvert": "|", r"\rvert": "|", r"\vert": "|", r"\Tr": r"\tr", r"\Diag": r"\diag",
    r"\overline": r"\bar", r"\widehat": r"\hat", r"\implies": END, r"\Rightarrow": END,
    r"\iff": END, r"\Leftrightarrow": END, ";": END, r"\forall": GIVEN,
}  # fmt: skip


@lru_cache(maxsize=8192)
def signs_of(text: str) -> tuple[str, ...]:
    r"""The signs of a formula, in one spelling.

    >>> signs_of(r"\left\|\mathbf{W}^{V\top}_{1}\right\|_{F}^2 \leq \dfrac12")
    ('\\|', 'W', '_', '1', '^', 'V', '^', '\\top', '\\|', '_', 'F', '^', '2', '\\le', '\\frac', '1', '2')
    """
    text = _BREAK.sub(lambda _: f" {END} ", text)
    text = _TEXT.sub(_words, text)
    text = _SIZE.sub(" ", _SPACE.sub(" ", text)).replace("||", r"\|")
    return tuple(_arguments_apart(_scripts_in_order(_plain(_SIGN.findall(text)))))


def as_latex(signs: Sequence[str]) -> str:
    r"""The signs of a formula as LaTeX again, upper scripts in one.

    >>> as_latex(signs_of(r"\mathbf 1_n \cdot \text{tr}(\mathcal L^{(1)\top})"))
    '\\mathbf 1 _ n \\cdot \\operatorname{tr} ( \\mathcal{L} ^ { ( 1 ) \\top } )'
    """
    return " ".join(map(_spelled, _upper_scripts_joined(signs)))


def _spelled(sign: str) -> str:
    if sign == r"\ones":
        return r"\mathbf 1"
    if sign[1:] in _FUNCTIONS:
        return rf"\operatorname{{{sign[1:]}}}"
    for start, command in ((r"\mathcal", r"\mathcal"), (WORDS, r"\text")):
        if sign.startswith(start):
            return rf"{command}{{{sign[len(start) :]}}}"
    return sign


def _upper_scripts_joined(signs: Sequence[str]) -> Iterator[str]:
    at = 0
    while at < len(signs):
        if signs[at] != "^":
            yield signs[at]
            at += 1
            continue
        scripts: list[str] = []
        while at < len(signs) and signs[at] == "^":
            inner, at = group_after(signs, at + 1)
            scripts += inner
        yield from ("^", *_braced(scripts))


def _words(found: re.Match[str]) -> str:
    """A letter, a function, or words, which end a chain, open a condition, or stand in a name."""
    words = found[1]
    if re.fullmatch(r"\w", words):
        return f" {words} "
    if words in _FUNCTIONS:
        return rf" \{words} "
    if _CONDITIONAL.match(words):
        return f" {GIVEN} "
    return rf" {WORDS}{re.sub('[^A-Za-z]', '', words)} "


def _plain(signs: list[str]) -> list[str]:
    """Without fonts, decorations of relations, braces under a formula, and second spellings."""
    found: list[str] = []
    at = 0
    while at < len(signs):
        sign = _SPELLINGS.get(signs[at], signs[at])
        at += 1
        if sign in _FONTS:
            inner, at = group_after(signs, at)
            signs[at:at] = [r"\ones"] if inner == ["1"] else _braced(inner)
        elif sign == r"\mathcal":
            inner, at = group_after(signs, at)
            found.append("".join(inner) if inner == ["V"] else r"\mathcal" + "".join(inner))
        elif sign in {r"\stackrel", r"\overset"}:
            _, at = group_after(signs, at)
            inner, at = group_after(signs, at)
            signs[at:at] = inner
        elif sign == r"\underbrace":
            inner, at = group_after(signs, at)
            if signs[at : at + 1] == ["_"]:
                _, at = group_after(signs, at + 1)
            signs[at:at] = ["{", *inner, "}"]
        elif sign == ":" and "=" in (*signs[at : at + 1], *found[-1:]):
            continue
        else:
            found.append(sign)
    return found


def group_after(signs: Sequence[str], at: int) -> tuple[list[str], int]:
    """What stands in braces from `at` on, or the single sign there, and the place behind it."""
    if at >= len(signs):
        raise Unreadable("the formula ends early")
    if signs[at] != "{":
        return [signs[at]], at + 1
    depth = 0
    for place in range(at, len(signs)):
        depth += {"{": 1, "}": -1}.get(signs[place], 0)
        if depth == 0:
            return list(signs[at + 1 : place]), place + 1
    raise Unreadable("a brace is not closed")


def _braced(inner: list[str]) -> list[str]:
    one = len(inner) == 1 and not _NUMBER.fullmatch(inner[0])
    return inner if one else ["{", *inner, "}"]


def _scripts_in_order(spelled: Sequence[str]) -> list[str]:
    """Lower scripts before upper ones, a transpose as a script of its own, no idle braces."""
    signs = _digits_apart(spelled)
    found: list[str] = []
    at = 0
    while at < len(signs):
        if signs[at] in _ACCENTS:
            inner, at_inner = group_after(signs, at + 1)
            found += [signs[at], *_braced(_scripts_in_order(inner))]
            at = at_inner
            continue
        if signs[at] not in {"_", "^", "'"}:
            found.append(signs[at])
            at += 1
            continue
        below: list[str] = []
        above: list[list[str]] = []
        while at < len(signs) and signs[at] in {"_", "^", "'"}:
            if signs[at] == "'":
                above.append([r"\prime"])
                at += 1
                continue
            inner, behind = group_after(signs, at + 1)
            inner = _scripts_in_order(inner)
            if signs[at] == "_":
                below += [",", *inner] if below else inner
            else:
                above += _transposes_apart(inner)
            at = behind
        found += ["_", *_braced(below)] if below else []
        for script in above:
            found += ["^", *_braced(script)]
    return found


def _digits_apart(signs: Sequence[str]) -> list[str]:
    r"""Without braces a script is one digit: `x^12` is `x^{1}2`.

    >>> " ".join(_digits_apart(["x", "^", "12", "y", "_", "{", "12", "}"]))
    'x ^ 1 2 y _ { 12 }'
    """
    found: list[str] = []
    for sign in signs:
        one = found[-1:] in (["_"], ["^"]) and _NUMBER.fullmatch(sign)
        found += [sign[0], sign[1:]] if one else [sign]
    return found


def _arguments_apart(signs: Sequence[str]) -> list[str]:
    r"""Arguments of fractions, binomials and roots in one spelling: no braces around a single sign.

    >>> " ".join(_arguments_apart(["\\frac", "12", "n", "\\binom", "{", "s", "}", "{", "12", "}"]))
    '\\frac 1 2 n \\binom s { 12 }'
    """
    found: list[str] = []
    rest = list(signs)
    while rest:
        found.append(rest.pop(0))
        if rest[:1] == ["["]:  # a root of a higher degree
            continue
        for _ in range(_ARGUMENTS.get(found[-1], 0)):
            if rest and re.fullmatch(r"\d\d+", rest[0]):  # \frac12
                rest[:1] = [rest[0][0], rest[0][1:]]
            inner, behind = group_after(rest, 0)
            rest = rest[behind:]
            one = len(inner) == 1 and not re.fullmatch(r"\d\d+", inner[0])
            found += inner if one else ["{", *_arguments_apart(inner), "}"]
    return found


def is_argument(signs: Sequence[str], at: int) -> bool:
    """Whether a single sign is an argument of a fraction, a binomial or a root."""
    return any(_ARGUMENTS.get(signs[at - back], 0) >= back for back in (1, 2) if back <= at)


def _transposes_apart(script: list[str]) -> list[list[str]]:
    if len(script) > 1 and script[-1] == r"\top":
        return [script[: -2 if script[-2] == "^" else -1], [r"\top"]]
    return [script]


def chains_of(text: str) -> list[Chain]:
    r"""The chains of a printed text, each as sides and the signs between them.

    >>> chains_of(r"a \leq b^2 = c, \text{ if } c \in S")
    [([('a',), ('b', '^', '2'), ('c',)], ['\\le', '='], False), ([('c',), ('S',)], ['\\in'], True)]
    """
    found: list[Chain] = []
    sides: list[list[str]] = [[]]
    relations: list[str] = []
    conditional, depth = False, 0
    for sign in (*signs_of(text), END):
        depth += (sign in OPENING) - (sign in CLOSING)
        if depth == 0 and (sign in {END, GIVEN, ",", ".", ":"} or sign.startswith(WORDS)):
            if sides[0] or relations:
                found.append(
                    ([tuple(side) for side in sides], relations, conditional or sign == ":")
                )
            sides, relations = [[]], []
            conditional = sign == GIVEN or (conditional and sign == ",")
        elif depth == 0 and sign in RELATIONS:
            sides.append([])
            relations.append(sign)
        else:
            sides[-1].append(sign)
    return found
