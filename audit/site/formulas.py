r"""Formulas on a page: MathML that wraps between lines, and prose with formulas in it.

Browsers do not break MathML.  A long formula is therefore set as several, cut before its relations
and connectives, then before plus and minus, last inside brackets: nested boxes let a line end at the
outermost cut that fits.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from math import inf

from markupsafe import Markup, escape

from audit.formulas.mathtext import mathml
from audit.formulas.reader import parsed
from audit.formulas.tree import Node, latex_of
from audit.sinks import Formula, Prose, Words, with_quotes
from audit.site.lines import NARROWEST, ONE_LINE, WHOLE, WIDEST, Part, cut, span

__all__ = ["boxed", "math", "prose", "wrapped"]

_CLOSING = re.compile(r"[.,;:!?)\]’”'\"]+")
_SAID_ELSEWHERE = re.compile(r' (?:xmlns="[^"]*"|display="(?:inline|block)")')


def math(formula: str, *, display: bool = False) -> Markup:
    """A formula as MathML on one line; the converter escapes what stands in it."""
    return Markup(_set(formula, display))


@lru_cache(maxsize=20_000)
def _set(formula: str, display: bool) -> str:
    """Parts of formulas recur; in HTML no namespace need be said, and the style sheet sets displays."""
    return _SAID_ELSEWHERE.sub("", mathml(formula, display=display))


def prose(text: str, address: Callable[[str], str | None] = lambda name: None) -> Markup:
    """A paragraph for a template: formulas as MathML, names in backticks as code, words escaped.

    A name that has an address is a link to it.  What closes a clause stays on the line of its formula:
    browsers may break between the two.
    """
    shown, pieces = [], list(Prose(text).pieces())
    for place, piece in enumerate(pieces):
        if isinstance(piece, Formula):
            formula, after = wrapped(piece), (*pieces, "")[place + 1]
            sign = _CLOSING.match(after) if type(after) is str else None
            if sign and formula.startswith("<math") and formula.count("<math") == 1:
                formula = Markup('<span class="whole">{}{}</span>').format(formula, sign[0])
                pieces[place + 1] = after[sign.end() :]
            shown.append(formula)
        elif isinstance(piece, Words):
            name, where = Markup("<code>{}</code>").format(piece), address(piece)
            shown.append(Markup('<a href="{}">{}</a>').format(where, name) if where else name)
        else:
            shown.append(escape(piece))
    return Markup("").join(shown)


def wrapped(formula: str | Sequence[Node]) -> Markup:
    """A formula, or its nodes, as MathML that may break between lines where it is long.

    What is wider than paper is set smaller there.
    """
    shown, widest = _laid_out(formula, display=False)
    return Markup('<span class="wide">{}</span>').format(shown) if widest > WIDEST else shown


def boxed(formula: str | Sequence[Node], label: str = "", labelledby: str = "") -> Markup:
    """A displayed formula in a box of its own, which can be scrolled to only where it may not fit."""
    shown, widest = _laid_out(formula, display=True)
    scrolls = widest > NARROWEST
    name = "labelledby" if labelledby else "label"
    return Markup('<div class="formula{}" role="group" aria-{}="{}"{}>{}</div>').format(
        " scroll" if scrolls else "", name, labelledby or label,
        Markup(' tabindex="0"') if scrolls else "", shown,
    )  # fmt: skip


def _laid_out(formula: str | Sequence[Node], *, display: bool) -> tuple[Markup, float]:
    """A formula as MathML, and about how many ems its widest part takes."""
    if not isinstance(formula, str):
        return _lines(formula, display)
    return _known(with_quotes(formula), display)  # before it is cut between the two marks


@lru_cache(maxsize=20_000)
def _known(formula: str, display: bool) -> tuple[Markup, float]:
    """Formulas recur: in a statement and its proof, at every point of a measurement."""
    try:
        row = parsed(formula)
    except ValueError:
        row = ()
    return _lines(row, display) if row else (math(formula, display=display), inf)


def _lines(row: Sequence[Node], display: bool) -> tuple[Markup, float]:
    whole = span(row)
    if whole <= ONE_LINE:
        return math(latex_of(row), display=display), whole
    parts = cut(row)
    return _nested(parts, WHOLE, display), max(span(part.nodes) for part in parts)


def _nested(parts: Sequence[Part], level: int, display: bool) -> Markup:
    """Parts in boxes: those between two cuts of one depth stand together while they fit."""
    if len(parts) == 1:
        text = latex_of(parts[0].nodes)
        # An empty group keeps an operator that opens a line between two terms, not before one.
        return math(text if parts[0].depth == WHOLE else "{}" + text, display=display)
    deeper = level + 1
    groups: list[list[Part]] = []
    for part in parts:
        if not groups or part.depth <= deeper:
            groups.append([])
        groups[-1].append(part)
    if len(groups) == 1:
        return _nested(parts, deeper, display)
    box = Markup('<span class="part">{}</span>')
    return Markup("<wbr>").join(box.format(_nested(g, deeper, display)) for g in groups)
