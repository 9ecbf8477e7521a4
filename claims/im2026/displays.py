r"""Displays that chain bounds of norms, as statements about numbers.

A step of an induction bounds a sum of products by norms of the factors.  Here each norm is a variable
between zero and the bound that the paper has for it, and the left-hand side is the largest value that
the triangle inequality and norms of products allow: rank-one matrices attain it.  What that value is,
each claim shows among its hypotheses; that it is a bound for networks of any weights, the tests see.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from sympy import Expr, Integer, Symbol, sympify

from claims.domain import Condition, Domain, Point, Real, Size
from claims.im2026.boxes import UpTo
from claims.im2026.notation import T, s, words
from claims.model import Hypothesis
from claims.statement import And, Compare, Formula, Quantity
from claims.terms import value_of
from claims.typeset import typeset

__all__ = [
    "BOUNDS",
    "PRODUCTS",
    "TERMS",
    "at_ends",
    "box_of",
    "chained",
    "display",
    "far",
    "in_norms",
    "normed",
    "short_for",
    "spelled",
]

Bound = tuple[Symbol, Any]
"""A norm, and what it is at most."""
TERMS: dict[Quantity, Expr] = {}
"""What each left-hand side is, written out in the norms and sizes of its domain."""
BOUNDS: dict[Quantity, tuple[Bound, ...]] = {}
"""The norms in such a term with their bounds, where they were given together."""
PRODUCTS = Hypothesis(
    r"\text{left-hand sides by}\ \|M+N\|\le\|M\|+\|N\|,\ \|MN\|_F\le\|M\|\|N\|_F,\ "
    r"\text{the norms of the factors as listed}"
)


def in_norms(name: str, term: Any, *bounds: Bound) -> Quantity:
    """A left-hand side by name: what it is at most, in norms and sizes, and if given their bounds."""
    made = spelled(name, term)
    made.stands_for = rf"{name}\le {typeset(TERMS[made])}"
    BOUNDS[made] = bounds
    return made


def short_for(name: str, term: Any) -> Quantity:
    """A letter for a term in norms and sizes, or a norm that is the term, not only at most it."""
    made = spelled(name, term)
    made.stands_for = f"{name}={typeset(TERMS[made])}"
    return made


def spelled(name: str, term: Any, *, above: str = "") -> Quantity:
    """A term in norms and sizes whose name spells it out; if given, the norm that it bounds."""
    term = sympify(term)
    made = Quantity(name, lambda at: value_of(term, at))
    made.stands_for = rf"{above}\le {name}" if above else None
    TERMS[made], BOUNDS[made] = term, ()
    return made


def chained(*sides: Any) -> Formula:
    """`a <= b <= c`, link by link."""
    return display(sides)


def display(*chains: tuple[Any, ...]) -> Formula:
    """`a <= b <= c` for each chain, every link of all of them."""
    links = tuple(Compare(a, "<=", b) for sides in chains for a, b in pairwise(sides))
    return links[0] if len(links) == 1 else And(links)


def normed(
    box: Domain, *bounds: Bound, sizes: tuple[Size, ...] = (), conditions: tuple[Formula, ...] = ()
) -> Domain:
    """A box with further sizes, and norms up to their bounds, which searches try first."""
    norms = tuple(UpTo(symbol, 0, bound) for symbol, bound in bounds)
    return Domain(
        (*box.variables, *sizes, *norms), (*box.conditions, *map(Condition.of, conditions))
    )


def box_of(box: Domain, *quantities: Quantity) -> Domain:
    """A box with the norms of some left-hand sides, each once."""
    norms = {symbol: bound for made in quantities for symbol, bound in BOUNDS[made]}
    return normed(box, *norms.items())


def at_ends(domain: Domain, known: Mapping[Symbol, Any]) -> Point:
    """The point with these values, where other sizes are as small and real numbers as large as may be."""
    point: dict[Any, Any] = {}
    for variable in domain.variables:
        symbol = variable.symbol
        if symbol in known:
            point[symbol] = sympify(known[symbol])
        elif isinstance(variable, Real):
            point[symbol] = variable.ends(point)[1]
        else:
            point[symbol] = Integer(variable.low)
    return point


def far(domain: Domain) -> tuple[Point, ...]:
    """A point far out: T = 10^8, many words and steps, and every real number at its upper end."""
    return (at_ends(domain, {T: 10**8, words: 10**5, s: 40}),)
