r"""Sequences of events whose probabilities are known, and how likely infinitely many of them occur."""

from __future__ import annotations

from typing import Any

from sympy import Expr, Integer, Symbol, limit, oo, zeta

from claims.errors import UserError
from claims.fixed import Fixed
from claims.statement import Point, Quantity
from claims.terms import family
from claims.whole import whole

__all__ = ["Events"]

_last = Symbol("N", integer=True, positive=True)


class Events(Fixed):
    r"""Events $E_1,E_2,\dots$ of probability $(i+1)^{-\alpha}$, independent or not.

    At a point, `exponent` is $\alpha\ge1$ and `coupling` says how they depend on one another: 0 they are
    independent; 1 nested, $E_i=\{U<(i+1)^{-\alpha}\}$ for a uniform variable U; 2 arcs of these lengths,
    end to end around a circle, which U meets.

        chance(i)       the probability of the i-th
        inverse_total   one over the sum of all probabilities, which is zero where that is infinite
        often           the probability that infinitely many occur
    """

    def __init__(self, exponent: Symbol, coupling: Symbol):
        if not (exponent.is_integer and exponent.is_positive):
            raise UserError(f"{exponent}: must be declared a positive integer")
        self.exponent, self.coupling = exponent, coupling
        self.chance = family(r"\mathbb P(E_{{{}}})", self._chance)
        self.chance.events = self
        self.inverse_total = Quantity(
            r"\Bigl(\sum_i\mathbb P(E_i)\Bigr)^{-1}",
            lambda at: 1 / (zeta(at[exponent]) - 1) if at[exponent] > 1 else Integer(0),
        )
        self.often = Quantity(
            r"\mathbb P(E_i\ \text{infinitely often})", self._often, nonnegative=True
        )

    def _chance(self, point: Point, i: Any) -> Expr:
        if (place := whole(i)) < 1:
            raise ValueError(f"event {place}: they are counted from one")
        return Integer(1) / Integer(place + 1) ** point[self.exponent]

    def _often(self, point: Point) -> Expr:
        """Nested events shrink to a null set; arcs come back to every point if their sum is infinite."""
        alpha = int(point[self.exponent])
        independent, nested, end_to_end = _independent(alpha), Integer(0), Integer(alpha == 1)
        known = dict(enumerate((independent, nested, end_to_end)))
        return known[whole(point[self.coupling])]


def _independent(alpha: int) -> Expr:
    """P(infinitely many) for independent events of probability (i + 1)^-alpha.

    The probability of none from the m-th on is the limit of a product, which telescopes:
    1 - 1/k = (k - 1)/k, and 1 - 1/k^2 = (k - 1)(k + 1)/k^2 bounds higher powers from below.
    If the whole product is positive, its tails tend to one; if it is zero, so is every tail.
    """
    product_to = {1: 1 / _last, 2: (_last + 1) / (2 * _last)}[min(alpha, 2)]
    return Integer(0) if limit(product_to, _last, oo) > 0 else Integer(1)
