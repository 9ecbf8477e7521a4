r"""Chains of inequalities in the box of Theorem D.10, for all lengths, layers, words and steps at once.

In $x=s\eta$, $y=\sqrt T$, $w=\sqrt{|V|}$ the box is $12Lx\le1$, $8xy\le5$, $4L\le y$, $y^2\ge60$, $w^2\ge500$,
and the displays are polynomials: a joint of arithmetic closes each link.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from sympy import Symbol, cancel, sqrt, symbols, sympify

from claims.domain import Domain
from claims.im2026 import displays
from claims.im2026.boxes import HORIZON_MANY
from claims.im2026.notation import T, depth, eta, s, words
from claims.model import Claim
from claims.statement import Compare, Formula
from proofs.calculation import algebra
from proofs.calculus.inequalities import SumOfSquares
from proofs.certificate import Certificate
from proofs.conclude import conclude, facts_of
from proofs.decide import refute
from proofs.im2026.displays import links_of, together
from proofs.kernel import (
    ProofError,
    Theorem,
    assume,
    certified,
    cut,
    joint,
    substitute,
    unfold,
)
from proofs.smt import canonical

__all__ = [
    "BOX", "box", "by_links", "chain", "in_box", "in_symbols", "transitive", "w", "x", "y",
]  # fmt: skip

x, y, w = symbols("x y w", positive=True)
TERMS = {x: s * eta, y: sqrt(T), w: sqrt(words)}
BOX = (
    Compare(12 * depth * x, "<=", 1), Compare(8 * x * y, "<=", 5), Compare(4 * depth, "<=", y),
    Compare(y**2, ">=", 60), Compare(w**2, ">=", 500), Compare(depth, ">=", 1),
    Compare(1000 * x, "<=", 81), Compare(1000 * y, ">=", 7745), Compare(10 * w, ">=", 223),
)  # fmt: skip
"""The last three follow; they spare the solver roots."""


@cache
def box() -> tuple[Theorem, ...]:
    """The box, from the ranges of the domain."""
    rate = assume(Compare(eta, "<=", HORIZON_MANY / s))
    sizes = (
        Compare(T, ">=", 60),
        Compare(words, ">=", 500),
        Compare(depth, ">=", 1),
        Compare(s, ">=", 1),
    )
    shallow = assume(Compare(16 * depth**2, "<=", T))
    product = joint(Compare(s * eta, "<=", HORIZON_MANY), rate, given=sizes)
    found: list[Theorem] = []
    for formula in BOX:
        goal = formula.substitute(TERMS)
        found.append(joint(goal, product, shallow, *found, given=sizes))
    return tuple(found)


def in_symbols(formula: Formula) -> Formula:
    """A formula about s, eta, T and |V| in the symbols of the box."""
    return formula.substitute({eta: x / s, T: y**2, words: w**2})


def in_box(
    goal: Formula,
    *theorems: Theorem,
    given: Iterable[Formula] = (),
    terms: Mapping[Symbol, Any] | None = None,
) -> Theorem:
    """`goal` in the symbols of the box, shown of s, eta, T and |V|; `given` is in symbols too."""
    return placed(joint(goal, given=(*BOX, FIRST, *given)), *theorems, terms=terms)


def placed(
    theorem: Theorem, *theorems: Theorem, terms: Mapping[Symbol, Any] | None = None
) -> Theorem:
    """A theorem in the symbols of the box, of s, eta, T and |V|."""
    positive = [joint(Compare(term, ">", 0), given=sizes()) for term in TERMS.values()]
    made = substitute(theorem, {**TERMS, **(terms or {})})
    return cut(made, *box(), *positive, assume(FIRST), *theorems)


FIRST = Compare(s, ">=", 1)


def transitive(first: Theorem, second: Theorem) -> Theorem:
    """a <= c from a <= b <= c."""
    a, b, c = symbols("a b c", real=True)
    terms = {a: first.formula.left, b: first.formula.right, c: second.formula.right}
    given = (Compare(a, "<=", b), Compare(b, "<=", c))
    return algebra(Compare(a, "<=", c), given, terms, first, second)


def raised(term: Any, bound: Any, *ranges: tuple[Symbol, Any]) -> Theorem:
    """term <= bound, each symbol first replaced by the end of its range, of which the term is a
    polynomial with nonnegative coefficients; an end may hold symbols that come after it."""
    a, b, c = symbols("a b c", real=True)
    transitive = (Compare(a, "<=", b), Compare(c - b, ">=", 0))
    start, below = term, joint(Compare(term, "<=", term))
    for symbol, end in ranges:
        following, gap = term.subs(symbol, end), end - symbol
        factor = sympify(cancel((following - term) / gap)).expand()
        step = certified(SumOfSquares(following - term, (), (gap * factor,), (gap,)))
        values = {a: start, b: term, c: following}
        below = algebra(Compare(a, "<=", c), transitive, values, below, step)
        term = following
    last = joint(Compare(bound - term, ">=", 0), given=BOX)
    return algebra(Compare(a, "<=", c), transitive, {a: start, b: term, c: bound}, below, last)


def sizes() -> tuple[Formula, ...]:
    return (
        Compare(s, ">=", 1),
        Compare(T, ">=", 60),
        Compare(words, ">=", 500),
        Compare(eta, ">", 0),
    )


def chain(subject: Claim, *theorems: Theorem) -> Theorem:
    """Every link of a statement, with the sums of products in the place of their names.

    A link that is among the theorems is taken from there.
    """
    names = {q: displays.TERMS[q] for q in subject.formula.quantities()}
    unfolded = [unfold(q, term, subject.domain) for q, term in names.items()]
    free = tuple(v for v in subject.domain.variables if v.symbol not in BOXED)
    ranges = facts_of(Domain(free, subject.domain.conditions))
    found: list[Theorem] = []
    for link in links_of(subject.formula):
        spelt = link.substitute(names)
        premises = [*map(assume, _concerning(spelt, ranges)), *theorems]
        given = [in_symbols(premise.formula) for premise in premises]
        shown = next((t for t in theorems if canonical(t.formula) == canonical(spelt)), None)
        found.append(
            joint(link, shown or in_box(in_symbols(spelt), *premises, given=given), *unfolded)
        )
    return together(found)


def _concerning(goal: Formula, ranges: Iterable[Formula]) -> list[Formula]:
    """The ranges of the norms that a goal holds, and of those that these ranges hold."""
    names, kept = goal.free_symbols() - BOXED, list[Formula]()
    for _ in range(3):
        kept = [f for f in ranges if names & f.free_symbols()]
        names = names.union(*(f.free_symbols() for f in kept)) - BOXED
    return kept


BOXED = {T, words, depth, s, eta}


def by_links(claim: Claim, *theorems: Theorem) -> Certificate:
    """A claim whose links each follow in the box."""
    method = "each link is an inequality of polynomials in the box"
    try:
        found = chain(claim.base or claim, *theorems)
    except ProofError:
        return refute(claim, method=method)
    return conclude(claim, found, method=method)
