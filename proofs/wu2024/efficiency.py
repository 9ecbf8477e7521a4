"""Depth needed against the two numbers called diameter, by walks along edges.

k* is the longest distance: with self-loops a walk may wait, so that walks of that length lead from
everywhere to everywhere; and a shorter product has a zero where the distance is longest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sympy import Integer, Symbol

from claims.model import Claim
from claims.statement import Compare, ForAll
from claims.wu2024 import efficiency as claims
from claims.wu2024.efficiency import Numbers, own, theirs
from claims.wu2024.masks import Graphs
from claims.wu2024.notation import epsilon, r
from claims.wu2024.rates import larger
from proofs.calculation import at_places, body_at, for_all, integers_apart, linked
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.facts import DELTA
from proofs.kernel import (
    Theorem,
    assume,
    both,
    choose,
    cut,
    discharge,
    fact,
    generalise,
    induction,
    instance,
    joint,
    part,
    recursion_start,
    recursion_step,
    substitute,
    sum_at_least_term,
    sum_compared,
)
from proofs.registry import proves
from proofs.wu2024.rates import bound_rises_with_the_diameter, power_below_one

i, j = Symbol("i", integer=True), Symbol("j", integer=True)
s = Symbol("s", integer=True, nonnegative=True)
steps = Symbol("n", integer=True)


@dataclass(frozen=True)
class Walks:
    """Theorems about the numbers of one mask."""

    of: Numbers

    def known(self, place: int) -> Theorem:
        return assume(self.of.facts()[place])

    def edges(self, place: int) -> Theorem:
        """That edges are marked by zero and one; and the loops."""
        return assume(Graphs(self.of.mask, strong=True, tokens=self.of.tokens).facts()[place])

    def everywhere(self, theorem: Theorem) -> Theorem:
        return for_all(theorem, (j, self.of.tokens), (i, self.of.tokens))

    def walks(self, length: Any) -> Any:
        return self.of.walks(length, j, i)

    def not_negative(self) -> Theorem:
        """Numbers of walks, by induction on their length."""
        body = ForAll(i, 1, self.of.tokens, Compare(self.walks(s), ">=", 0))
        token = Symbol("l", integer=True)
        delta = fact(DELTA, a=j, b=i, term=Integer(1), place=token)
        first = joint(Compare(self.walks(0), ">=", 0), delta, recursion_start(self.of.walks, j, i))
        terms = self.terms_not_negative(assume(body), token)
        summed = sum_compared(terms)
        step = linked(
            Compare(self.walks(s + 1), ">=", 0), summed, recursion_step(self.of.walks, s, j, i)
        )
        start, following = (generalise(t, i, 1, self.of.tokens) for t in (first, step))
        return induction(start, following, s)

    def terms_not_negative(self, before: Theorem, token: Any) -> Theorem:
        """Walks that come from any token."""
        total = recursion_step(self.of.walks, s, j, i).formula.right
        term = total.function.subs(total.limits[0][0], token)
        inside = joint(
            Compare(0, "<=", term), instance(before, token), at_places(self.edges(1), token, i)
        )
        return generalise(inside, token, 1, self.of.tokens)

    def wait(self) -> Theorem:
        """A walk that exists becomes longer by waiting at its end."""
        token = Symbol("l", integer=True)
        terms = self.terms_not_negative(instance(self.not_negative(), s), token)
        loop = instance(self.edges(2), i)
        own_ = sum_at_least_term(terms, i)
        goal = Compare(self.walks(s + 1), ">=", self.walks(s))
        return joint(goal, own_, loop, recursion_step(self.of.walks, s, j, i))

    def at_least(self, length: Any) -> Theorem:
        """Walks of `steps` edges that exist do so with `length` >= `steps` edges."""
        more = Symbol("m", integer=True, nonnegative=True)
        body = lambda k: Compare(self.walks(steps + k), ">", 0)  # noqa: E731
        longer = cut(substitute(self.wait(), {s: steps + more}), assume(Compare(steps, ">=", 0)))
        step = joint(body(more + 1), assume(body(more)), longer)
        every = induction(assume(body(Integer(0))), step, more)
        return instance(every, length - steps)

    def from_shortest(self, conclusion: Theorem) -> Theorem:
        """What follows from `known_of_shortest`, of a walk that there is."""
        return choose(at_places(self.known(0), j, i), steps, conclusion)

    def known_of_shortest(self) -> tuple[Theorem, ...]:
        """The distance is `steps`, a walk of so many edges leads from j to i, and none of fewer."""
        existence = at_places(self.known(0), j, i).formula
        found = assume(body_at(existence, steps))
        return tuple(part(found, k) for k in range(3))

    def distance_at_most_depth(self) -> Theorem:
        """Else no walk of k* edges would lead from j to i."""
        apart, _, none = self.known_of_shortest()
        depth, here = self.of.depth, at_places(self.known(1), j, i)
        sooner = Compare(depth, "<=", steps - 1)
        zero = discharge(cut(instance(none, depth), self.known(3), assume(sooner)), sooner)
        gap = integers_apart(depth, steps)
        near = joint(Compare(self.of.distance(j, i), "<=", depth), apart, here, zero, gap)
        return self.from_shortest(near)

    def positive_after_longest(self) -> Theorem:
        """Walks of R edges lead from everywhere to everywhere."""
        apart, leads, _ = self.known_of_shortest()
        below = at_places(self.known(4), j, i)
        reach = joint(Compare(steps, "<=", self.of.longest), apart, below)
        longer = cut(self.at_least(self.of.longest), leads, reach)
        return self.everywhere(self.from_shortest(longer))

    def depth_is_longest(self) -> Theorem:
        """k* = R."""
        depth, longest = self.of.depth, self.of.longest
        start, end = Symbol("start", integer=True), Symbol("end", integer=True)
        far = self.known(5)
        reached = assume(Compare(self.of.distance(start, end), "=", longest))
        near = substitute(self.distance_at_most_depth(), {j: start, i: end})
        above = joint(Compare(longest, "<=", depth), reached, near)
        above = self.somewhere(far, above, start, end)
        missing = instance(self.known(2), longest)
        zero = assume(Compare(self.of.walks(longest, start, end), "=", 0))
        full = at_places(self.positive_after_longest(), start, end)
        absurd = self.somewhere(
            missing, joint(Compare(depth, "<=", longest), zero, full), start, end
        )
        sooner = Compare(longest, "<=", depth - 1)
        gap = integers_apart(longest, depth)
        below = joint(Compare(depth, "<=", longest), discharge(absurd, sooner), gap)
        return joint(Compare(depth, "=", longest), above, below)

    def somewhere(self, existence: Theorem, conclusion: Theorem, start: Any, end: Any) -> Theorem:
        """What follows of some pair of tokens."""
        shape: Any = existence.formula
        inner = assume(body_at(shape, start))
        return choose(existence, start, choose(inner, end, conclusion))

    def radius_at_most_depth(self) -> Theorem:
        """r <= k*: every token is as far from some other one."""
        end = Symbol("end", integer=True)
        first = instance(self.known(6), Integer(1))
        far = assume(Compare(self.of.distance(1, end), ">=", self.of.radius))
        near = substitute(self.distance_at_most_depth(), {j: Integer(1), i: end})
        return choose(first, end, joint(Compare(self.of.radius, "<=", self.of.depth), far, near))


@proves(claims.smaller_diameter_needs_fewer_layers)
def by_walks(claim: Claim) -> Certificate:
    """k* is the longest distance itself, so that the one orders the other."""
    ordered = assume(claims.longest.below(claims.longest_of_other))
    both_ = (Walks(numbers).depth_is_longest() for numbers in (own, theirs))
    theorem = joint(claims.smaller_distance_mixes_faster.formula, ordered, *both_)
    return conclude(claim, theorem, method="walks along edges, with waiting")


@proves(claims.depth_needed_is_at_least_the_diameter)
def by_longest_distance(claim: Claim) -> Certificate:
    """Every token is at least r from some other; powers of numbers below one order the bounds."""
    radius, of_other = claims.radius, claims.radius_of_other
    enough = [Walks(numbers).known(7) for numbers in (own, theirs)]
    sizes = [Walks(numbers).edges(0) for numbers in (own, theirs)]
    rises = substitute(bound_rises_with_the_diameter(), {r: radius, larger: of_other})
    one = joint(Compare(radius, ">=", 1) & Compare(of_other, ">=", 1), *enough, *sizes)
    inside = (Compare(epsilon, "<", 1), Compare(epsilon, ">", 0))
    below = [cut(substitute(power_below_one(epsilon), {r: n}), one) for n in (radius, of_other)]
    real = [
        joint(Compare(1 - epsilon**n, ">=", 0), less, given=inside)
        for n, less in zip((radius, of_other), below, strict=True)
    ]
    theorem = cut(both(Walks(own).radius_at_most_depth(), cut(rises, one)), *real)
    return conclude(claim, theorem, method="walks along edges; powers of numbers below one")
