r"""Larger $d_{QK}$ evens every row of the attention: scores s become b s with b >= 1 where it is small.

Let l be the neighbour with the least share at b.  Its score is the least, so that
e^{b s_l + s_m} <= e^{s_l + b s_m} for every neighbour m; summed over m, its share at b is at most its
share at 1, which no other neighbour's share at 1 is below.  The largest share is alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sympy import Expr, Integer, Sum, Symbol, exp, log

from claims.model import Claim
from claims.statement import Compare, Formula
from claims.terms import MaxOver, MinOver, entry
from claims.wu2024 import rates as claims
from claims.wu2024.masks import Graphs
from claims.wu2024.notation import G, N
from claims.wu2024.rates import i, root, scores
from proofs.calculation import at_places, summed_over
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.facts import EXP_INCREASES, EXP_STRICTLY_INCREASES
from proofs.kernel import (
    Theorem,
    assume,
    both,
    choose,
    cut,
    discharge,
    extremum_bounds,
    extremum_compared,
    extremum_reached,
    fact,
    generalise,
    instance,
    joint,
    sum_at_least_term,
    sum_rearranged,
    unfold,
)
from proofs.registry import proves

DOMAIN = claims.larger_temperature_evens_attention.domain
_, FLAGS, LOOPS = Graphs().facts()
k, at, m, n = (Symbol(name, integer=True) for name in "klmn")
"""`at` is the place where the extreme share is reached; k and n are any places, m is summed over."""
BEYOND = Integer(2)
"""Put on places that are no neighbours, above every share, so that the minimum is over neighbours."""


def score(j: Any) -> Expr:
    return log(3) * entry(scores)(i, j)


def edge(j: Any) -> Expr:
    return entry(G)(j, i)


def kept(factor: Any, j: Any) -> Expr:
    return edge(j) * exp(factor * score(j))


def total(factor: Any) -> Sum:
    return Sum(kept(factor, m), (m, 1, N))


def share(factor: Any, j: Any) -> Expr:
    return kept(factor, j) / total(factor)


def flag(j: Any) -> Theorem:
    """One or zero."""
    return at_places(assume(FLAGS), j, i)


def loop() -> Theorem:
    return instance(assume(LOOPS), i)


def total_is_positive(factor: Any) -> Theorem:
    """The token attends to itself, and no term is negative."""
    terms = joint(Compare(0, "<=", kept(factor, n)), flag(n))
    own = sum_at_least_term(generalise(terms, n, 1, N), i)
    return joint(
        Compare(total(factor), ">", 0) & Compare(total(factor), ">=", kept(factor, i)), own, loop()
    )


@dataclass(frozen=True)
class Extreme:
    """The least or the largest share over the neighbours of token i."""

    least: bool

    @property
    def kind(self) -> type:
        return MinOver if self.least else MaxOver

    def ordered(self, small: Any, large: Any) -> Compare:
        """small <= large; the other way round for the largest share."""
        return Compare(small, "<=", large) if self.least else Compare(large, "<=", small)

    def value(self, factor: Any, j: Any) -> Expr:
        """The share, out of reach at places that are no neighbours."""
        return share(factor, j) + (BEYOND * (1 - edge(j)) if self.least else 0)

    def over_neighbours(self, factor: Any) -> Any:
        return self.kind(self.value(factor, m), (m, 1, N))

    def reached_at(self) -> Formula:
        return Compare(self.value(root, at), "=", self.over_neighbours(root))

    def is_neighbour(self) -> Theorem:
        """The place l of the extreme share at b is a neighbour's: the token itself is one."""
        own = extremum_bounds(self.over_neighbours(root), i)
        return joint(
            Compare(edge(at), "=", 1), assume(self.reached_at()), own, flag(at), loop(),
            total_is_positive(root),
        )  # fmt: skip

    def score_is_extreme(self, j: Any) -> Theorem:
        """s_l <= s_j for every neighbour j, since b s_l > b s_j would say that of the shares."""
        shares = joint(
            self.ordered(exp(root * score(at)), exp(root * score(j))),
            extremum_bounds(self.over_neighbours(root), j), assume(self.reached_at()),
            self.is_neighbour(), total_is_positive(root), given=(Compare(edge(j), "=", 1),),
        )  # fmt: skip
        low, high = (at, j) if self.least else (j, at)
        wrong = Compare(root * score(high), "<", root * score(low))
        against = fact(EXP_STRICTLY_INCREASES, a=root * score(high), b=root * score(low))
        against = discharge(against, wrong)
        return joint(self.ordered(score(at), score(j)), shares, against)

    def shares_of_extreme(self) -> Theorem:
        """The share of l at b is beyond its share at 1, term by term."""
        left, right = root * score(at) + score(n), score(at) + root * score(n)
        low, high = (left, right) if self.least else (right, left)
        exponents = joint(
            Compare(low, "<=", high), self.score_is_extreme(n), given=(Compare(root, ">=", 1),)
        )
        grows = cut(fact(EXP_INCREASES, a=low, b=high), exponents)
        grows = discharge(grows, Compare(edge(n), "=", 1))
        at_b, at_one = exp(root * score(at)), exp(score(at))
        term = joint(
            self.ordered(at_b * kept(Integer(1), n), at_one * kept(root, n)), grows, flag(n)
        )
        summed = summed_over(term, (n, N))
        whole, other = at_b * total(Integer(1)), at_one * total(root)
        sides = Sum(at_b * kept(Integer(1), m), (m, 1, N)), Sum(at_one * kept(root, m), (m, 1, N))
        pulled = [sum_rearranged(*pair) for pair in zip(sides, (whole, other), strict=True)]
        return joint(self.ordered(whole, other), summed, *pulled)

    def evener(self, sharp: Any, soft: Any) -> Theorem:
        """The extreme at b lies beyond every share at 1, and so beyond the extreme one."""
        one = Integer(1)
        score_ = self.score_is_extreme(k)
        low, high = (at, k) if self.least else (k, at)
        grows = discharge(
            cut(fact(EXP_INCREASES, a=score(low), b=score(high)), score_), Compare(edge(k), "=", 1)
        )
        extreme = self.over_neighbours(root)
        here = joint(
            self.ordered(extreme, share(one, at)), self.shares_of_extreme(),
            assume(self.reached_at()), self.is_neighbour(), total_is_positive(root),
            total_is_positive(one),
        )  # fmt: skip
        own = extremum_bounds(extreme, i)
        every = joint(
            self.ordered(extreme, self.value(one, k)), here, grows, flag(k), own, loop(),
            total_is_positive(root), total_is_positive(one), self.is_neighbour(),
        )  # fmt: skip
        found = choose(extremum_reached(extreme), at, every)
        turned = joint(Compare(self.value(one, k), ">=" if self.least else "<=", extreme), found)
        other = extremum_compared(generalise(turned, k, 1, N), self.kind)
        over = ((i, 1, N),)
        read = (
            unfold(sharp(i), extreme, DOMAIN, over),
            unfold(soft(i), self.over_neighbours(one), DOMAIN, over),
        )
        goal = Compare(sharp(i), "<=" if self.least else ">=", soft(i))
        return joint(goal, other, *read)


@proves(claims.larger_temperature_collapses_faster)
def by_comparing_the_terms(claim: Claim) -> Certificate:
    """The extreme share of a row moves towards the others as scores shrink, term by term."""
    sides = (
        Extreme(True).evener(claims.least_sharp, claims.least_soft),
        Extreme(False).evener(claims.most_sharp, claims.most_soft),
    )
    return conclude(
        claim, generalise(both(*sides), i, 1, N), method="exponentials keep the order of scores"
    )
