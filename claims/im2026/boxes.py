r"""Where the inequalities of App. D are asserted, and the norms that they join.

The displays of an inductive step say what follows from the bounds of the step before, so that they are
statements about real numbers: a norm is a nonnegative variable, and what the paper assumes of it (the
inductive hypothesis, the norm of a product) is a condition of the domain.  The theorems that the
induction proves are claims about trained networks, with ids of their own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from sympy import Min, Rational, Symbol, binomial, sqrt

from claims.domain import Condition, Domain, Point, Real, Size
from claims.exact import less
from claims.im2026.notation import T, depth, eta, layer, s, words
from claims.model import Hypothesis
from claims.statement import Compare, ForAll, Formula

__all__ = [
    "GAUSSIAN",
    "HORIZON_MANY",
    "HORIZON_ONE",
    "MANY_LAYERS",
    "ONE_LAYER",
    "SHALLOW",
    "THIRD_STEP",
    "WIDE",
    "in_every_layer",
    "leading_count",
    "norm",
]  # fmt: skip

HORIZON_ONE = 3 / (8 * T ** Rational(3, 8))
"""Theorem D.7: the largest s eta."""
HORIZON_MANY = Min(1 / (12 * depth), 5 / (8 * sqrt(T)))
"""Theorems D.10 and D.13: the largest s eta."""
leading_count = 3 * binomial(s, 4) + 2 * binomial(s, 3)
"""How many eta^4 the attention weights have moved along their leading term after s steps."""


@dataclass(frozen=True)
class UpTo(Real):
    """A real number up to a bound: searches try the bound itself, its half, its third, ..."""

    def of_weight(self, weight: int, point: Point) -> Iterator[Any]:
        low, high = self.ends(point)
        if less(low, high):
            yield low + (high - low) / (weight + 1)

    def draw(self, rng: Random, point: Point) -> Any:
        """A twelfth of the range, or more of them; where there is none, its upper end, which the domain
        refuses."""
        low, high = self.ends(point)
        if less(high, low):
            return high
        return low + (high - low) * Rational(rng.randint(int(self.open_low), 12), 12)


def norm(name: str) -> Symbol:
    r"""A norm as a variable: `norm(r"\|V^{(1)}\|_F")`."""
    return Symbol(name, nonnegative=True)


def in_every_layer(formula: Formula) -> Formula:
    """For all layers."""
    return ForAll(layer, 1, depth, formula)


_STEPS = Size(s, 1, 4)
_WORDS = Size(words, 500, 501)

THIRD_STEP = Domain((Size(T, 1, 4), _WORDS, UpTo(eta, 0, Rational(1, 8), open_low=True)))
"""Lemma D.6: the third step from zero, one layer."""

ONE_LAYER = Domain((Size(T, 3, 6), _WORDS, _STEPS, UpTo(eta, 0, HORIZON_ONE / s, open_low=True)))
"""Theorem D.7: step s to s + 1 from zero, one layer."""

SHALLOW = Condition.of(Compare(16 * depth**2, "<=", T))
MANY_LAYERS = Domain(
    (Size(T, 60, 70), _WORDS, Size(depth, 1, 2), _STEPS, UpTo(eta, 0, HORIZON_MANY / s, open_low=True)),
    (SHALLOW,),
)  # fmt: skip
"""Theorem D.10: step s to s + 1 from zero, $L\\le\\sqrt T/4$ layers."""

WIDE = Condition.of(Compare(T, "<=", words))
GAUSSIAN = Domain(
    (Size(T, 60, 70), _WORDS, Size(depth, 1, 2), UpTo(eta, 1 / T, HORIZON_MANY)),
    (SHALLOW, WIDE),
)
"""Theorem D.13: the first step from a Gaussian start; the second and later ones are as in D.10."""

ZERO_START = Hypothesis(r"\text{all weights zero before the first step}")
INDUCTION = Hypothesis(r"\text{the bounds of the theorem hold after}\ s\ \text{steps}")
