r"""Displays that chain bounds of norms, as statements about numbers.

A step of the induction bounds a sum of products by norms of the factors.  Here each norm is a variable
between zero and the bound that the paper has for it, and the left-hand side is the largest value that
the triangle inequality and norms of products allow: rank-one matrices attain it.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from sympy import Expr, Integer, Symbol, sympify

from claims.domain import Domain, Point, Size
from claims.im2026.boxes import LearningRate
from claims.im2026.notation import T, s, words
from claims.model import Hypothesis
from claims.statement import And, Compare, Formula, Quantity
from claims.terms import value_of

__all__ = ["PRODUCTS", "Chain", "UpTo", "all_of", "box_of", "far", "links"]

UpTo = LearningRate
"""A real number up to a bound: searches try the bound itself, its half, its third, ..."""
PRODUCTS = Hypothesis(
    r"\text{left-hand sides by}\ \|M+N\|\le\|M\|+\|N\|,\ \|MN\|_F\le\|M\|\|N\|_F,\ "
    r"\text{the norms of the factors as listed}"
)


@dataclass(frozen=True)
class Chain:
    """A left-hand side by name, the term that bounds it, and the norms of the term with their bounds."""

    quantity: Quantity
    term: Expr
    norms: tuple[tuple[Symbol, Any], ...]

    @classmethod
    def of(cls, name: str, term: Any, *norms: tuple[Symbol, Any]) -> Chain:
        """The largest value of the norm `name`."""
        term = sympify(term)
        return cls(Quantity(name, lambda at: value_of(term, at)), term, norms)

    def at_most(self, *bounds: Any) -> tuple[Formula, ...]:
        """`name <= bound <= bound <= ...`, link by link."""
        return links(self.quantity, *bounds)


def links(*sides: Any) -> tuple[Formula, ...]:
    """`a <= b <= c` as `a <= b` and `b <= c`."""
    return tuple(Compare(a, "<=", b) for a, b in pairwise(sides))


def all_of(*displays: tuple[Formula, ...]) -> Formula:
    """Every link of several displays."""
    found = tuple(link for display in displays for link in display)
    return found[0] if len(found) == 1 else And(found)


def far(domain: Domain) -> tuple[Point, ...]:
    """A point far out: T = 10^8, many words and steps, and every real number at its upper end."""
    sizes = {T: 10**8, words: 10**5, s: 40}
    point: dict[Any, Any] = {}
    for variable in domain.variables:
        if isinstance(variable, Size):
            point[variable.symbol] = Integer(sizes.get(variable.symbol, variable.low))
        else:
            point[variable.symbol] = variable.ends(point)[1]
    return (point,)


def box_of(box: Domain, *chains: Chain) -> Domain:
    """The box with every norm of the chains, each once; searches begin with norms at their bounds."""
    norms = {symbol: bound for chain in chains for symbol, bound in chain.norms}
    reals = tuple(UpTo(symbol, 0, bound) for symbol, bound in norms.items())
    return Domain((*box.variables, *reals), box.conditions)
