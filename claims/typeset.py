r"""The one printer of formulas: LaTeX of statements, terms, quantities and values.

Parentheses are decided from what is printed (`claims.precedence`), so that a quantity, a named
matrix or a node with a printer of its own is bracketed like a term that reads the same.

SymPy's order of factors and terms is its own; a fixed order stands in for the author's:

- In a product: the number; plain symbols, Latin before Greek, each by the alphabet; sums, short
  ones first; exponentials; norms, traces, functions and named compounds; last what a sum sign or an
  expectation opens.  With a denominator, the compounds stand behind the fraction, unless nothing
  else would be its numerator.
- In a sum: terms of higher degree first, among equals by the alphabet, the number last, but first
  before products with a sum or an exponential, as in `1 + (N - 1) e^{c}`.  No sum opens with a
  minus when it has a positive term.  A matrix sum keeps SymPy's order, with the same exception.
- A fraction inside an exponent is written with a slash; negative powers stand below the bar.

A connective is printed for what is tested: links of a conjunction are drawn together to a chain
`a = b = c` or `a \le b < c` only where the chain says the same.  Indices count from one.
"""

from __future__ import annotations

import re
from decimal import Decimal
from functools import lru_cache
from typing import Any

from sympy import Basic, Float, Integer, MatrixBase, Symbol, oo

from claims.almost_surely import AlmostSurely
from claims.errors import UserError
from claims.naming import with_names
from claims.precedence import Level, bracket, parenthesised
from claims.printer import TermPrinter
from claims.statement import (
    And,
    Compare,
    Exists,
    ForAll,
    Formula,
    Iff,
    Implies,
    Monotone,
    Not,
    Or,
    Predicate,
    Tends,
)  # fmt: skip

__all__ = ["SIGNS", "latex_text", "typeset"]

SIGNS = {"=": "=", "!=": r"\ne", "<=": r"\le", "<": "<", ">=": r"\ge", ">": ">"}
FEW = 3
"""Integers of a range that are listed one by one."""
DIRECTIONS = {
    "<=": "nondecreasing", "<": "strictly increasing",
    ">=": "nonincreasing", ">": "strictly decreasing",
}  # fmt: skip
RISING, FALLING = frozenset({"=", "<=", "<"}), frozenset({"=", ">=", ">"})
QUANTIFIED, WEAK, JOINED, TIGHT = range(4)
"""How tightly formulas hold: quantifiers and prose, arrows, `and` and `or`, single relations."""
_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#",
    "%": r"\%", "_": r"\_", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}",
}  # fmt: skip


def typeset(thing: Any) -> str:
    r"""LaTeX of a formula, a term, a quantity, a number, a matrix, a tuple, a flag or a text.

    What is none of these is shown as text.  Raises `UserError` for a formula without a typeset form.

    >>> from sympy import exp, symbols
    >>> n, N, rho = symbols("n N rho", positive=True)
    >>> typeset(1 + exp(rho) * (N - 1)), typeset((1 - rho) ** 2 / n)
    ('1 + \\left(N - 1\\right) e^{\\rho}', '\\frac{\\left(1 - \\rho\\right)^{2}}{n}')
    """
    thing = with_names(thing)
    if isinstance(thing, Formula):
        return _formula(thing)[1]
    if isinstance(thing, bool | str) or thing is None:
        return rf"\text{{{latex_text(str(thing))}}}"
    if isinstance(thing, tuple | list):
        return parenthesised(r",\ ".join(map(_side, thing)))
    if isinstance(thing, int):
        return typeset(Integer(thing))
    if isinstance(thing, float | Decimal):
        return typeset(Float(str(thing), 15))
    if isinstance(thing, Symbol):
        return TermPrinter().name(thing.name)
    if isinstance(thing, Basic):
        return _term(thing)
    if isinstance(thing, MatrixBase):
        return TermPrinter().doprint(thing)
    if hasattr(thing, "latex"):  # a value of a calculus, which claims know nothing of
        return str(thing.latex())
    return rf"\text{{{latex_text(str(thing))}}}"


@lru_cache(maxsize=65536)
def _term(term: Basic) -> str:
    """A term's LaTeX; remembered, since the steps of a proof repeat their terms."""
    return TermPrinter().doprint(term)


def latex_text(text: str) -> str:
    """Plain text as LaTeX prints it: every special character escaped."""
    return "".join(_SPECIAL.get(character, character) for character in text)


def _formula(formula: Formula) -> tuple[int, str]:
    """How tightly the formula holds, and its LaTeX."""
    match formula:
        case Compare():
            return TIGHT, _chain([formula])
        case And() | Or():
            return _joined(formula)
        case Not(Compare(left, "=", right)):
            return TIGHT, _chain([Compare(left, "!=", right)])
        case Not(body):
            return TIGHT, rf"\neg{parenthesised(_formula(body)[1])}"
        case Implies(premise, conclusion):
            return WEAK, _between(r"\ \Rightarrow\ ", WEAK, premise, conclusion)
        case Iff(left, right):
            return WEAK, _between(r"\ \Leftrightarrow\ ", WEAK, left, right)
        case ForAll() | Exists():
            return QUANTIFIED, _quantified(formula)
        case Tends(term, index, limit):
            below = rf"\lim_{{{typeset(index)}\to\infty}}"
            return TIGHT, f"{below} {bracket(_side(term), Level.PREFIXED)} = {_side(limit)}"
        case Monotone(term, index, direction, low, high):
            words = rf"\ \text{{is {DIRECTIONS[direction]} in }}"
            return QUANTIFIED, f"{_side(term)}{words}{typeset(index)}\\in{_range(low, high)}"
        case AlmostSurely(_, body):
            return TIGHT, rf"\mathbb P{parenthesised(_formula(body)[1])} = 1"
        case Predicate():
            return QUANTIFIED, _words(formula.words)
    raise UserError(
        f"formula {type(formula).__name__}: has no typeset form; add one to claims/typeset.py"
    )


def _between(sign: str, least: int, *formulas: Formula) -> str:
    """Formulas with a sign between them, those that hold no tighter than it in parentheses."""
    shown = (_formula(f) for f in formulas)
    return sign.join(text if holds > least else parenthesised(text) for holds, text in shown)


def _joined(formula: And | Or) -> tuple[int, str]:
    if isinstance(formula, Or):
        return JOINED, _between(r"\ \text{ or }\ ", JOINED, *formula.formulas)
    chains = _chains(formula.formulas)
    if len(chains) == 1 and all(isinstance(f, Compare) for f in formula.formulas):
        return TIGHT, _chain(chains[0])
    sign = r"\ \text{ and }\ "
    parts = (_chain(c) if len(c) > 1 else _between(sign, JOINED, *c) for c in chains)
    return JOINED, sign.join(parts)


def _chains(formulas: tuple[Formula, ...]) -> list[list[Any]]:
    """Neighbours that can be written as one chain: `a = b, a = c` and `a <= b, b < c`."""
    chains: list[list[Any]] = []
    for formula in formulas:
        if chains and _continues(chains[-1], formula):
            chains[-1].append(formula)
        else:
            chains.append([formula])
    return chains


def _continues(links: list[Any], link: Formula) -> bool:
    if not isinstance(link, Compare) or not isinstance(links[-1], Compare):
        return False
    signs = {each.sign for each in (*links, link)}
    if signs == {"="} and link.left == links[0].left:
        return True
    return bool(link.left == links[-1].right and (signs <= RISING or signs <= FALLING))


def _chain(links: list[Compare]) -> str:
    """The links of a chain; `a = b = c` asserts each link of `a`, which is the same."""
    return _side(links[0].left) + "".join(
        f" {SIGNS[link.sign]} {_side(link.right)}" for link in links
    )


def _side(term: Any) -> str:
    """A side of a relation; a name that itself holds a relation or a list goes in parentheses."""
    text = typeset(term)
    return text if text.startswith(r"\begin{cases}") else bracket(text, Level.SUM)


def _quantified(formula: ForAll | Exists) -> str:
    """The quantifier; indices of one range, as in `for all i, j`, share it."""
    indices, low, high, body = [formula.index], formula.low, formula.high, formula.body
    while type(body) is type(formula) and (body.low, body.high) == (low, high):
        indices, body = [*indices, body.index], body.body  # type: ignore[attr-defined]
    sign = r"\forall" if isinstance(formula, ForAll) else r"\exists"
    named = ",".join(map(typeset, indices))
    return rf"{sign}\,{named}\in{_range(low, high)}:\ {_formula(body)[1]}"


def _range(low: Any, high: Any) -> str:
    """The integers from `low` to `high`, one by one where they are few."""
    if (high - low) in range(FEW):
        return rf"\{{{','.join(typeset(low + k) for k in range(int(high - low) + 1))}\}}"
    end = "" if high is oo else f",{typeset(high)}"
    return rf"\{{{typeset(low)},\dots{end}\}}"


def _words(words: str) -> str:
    """Markdown prose: what stands between dollars is mathematics, the rest is text."""
    parts = re.split(r"\$", words)
    if len(parts) % 2 == 0:
        raise UserError(
            f"words {words!r}: a dollar opens mathematics and none closes it; "
            "put mathematics between two dollars"
        )
    return "".join(
        part if place % 2 else rf"\text{{{latex_text(part)}}}"
        for place, part in enumerate(parts)
        if part
    )
