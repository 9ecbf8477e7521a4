r"""Tokens that attend to themselves alone keep the value that they share, by induction over layers."""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Integer

from claims.model import Claim
from claims.statement import Compare, ForAll, Implies
from claims.terms import MaxOver, MinOver, entry
from claims.wu2024 import two_sources as claims
from claims.wu2024.extrema import bottom, top
from claims.wu2024.notation import N, T, attention
from claims.wu2024.setup import AttentionSequence
from claims.wu2024.two_sources import first, second
from proofs.calculation import at_places, linked, summed_over
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.kernel import (
    Theorem,
    assume,
    both,
    choose,
    cut,
    discharge,
    extremum_bounds,
    extremum_compared,
    generalise,
    induction,
    instance,
    joint,
    recursion_start,
    recursion_step,
    unfold,
)
from proofs.registry import proves
from proofs.wu2024.averages import Averages, i, j, n, vector, weights

DOMAIN = claims.without_a_centre
ROWS, SIGNS, _, SUPPORT = AttentionSequence(attention, length=T).facts()
CLOSED, MARKED, SOME = claims.near.facts()
OTHER_CLOSED, OTHER_MARKED, OTHER, DISJOINT = claims.far.facts()
(BEGIN,) = claims.start.facts()


def a(token: Any) -> Any:
    return entry(first)(token, 1)


def b(token: Any) -> Any:
    return entry(second)(token, 1)


def kept(t: Any) -> Any:
    """In every layer entries lie in [0, 1], are one on the first set and zero on the second."""
    value = vector(t, i)
    here = (
        Compare(value, ">=", 0) & Compare(value, "<=", 1) & Compare(a(i) * (1 - value), "=", 0)
        & Compare(b(i) * value, "=", 0)
    )  # fmt: skip
    return Implies(Compare(t, "<=", T), ForAll(i, 1, N, here))


@cache
def every_layer() -> Theorem:
    """A token of either set averages over tokens of its own set alone."""
    following = Compare(n + 1, "<=", T)
    before = at_places(joint(kept(n).conclusion, assume(kept(n)), given=(following,)), j)
    weight, value = weights(n, i, j), vector(n, j)
    known = [at_places(assume(fact), n, i, j) for fact in (SIGNS, SUPPORT)]
    sets = [at_places(assume(fact), i, j) for fact in (CLOSED, OTHER_CLOSED)]
    terms = (
        joint(Compare(weight * value, ">=", 0), before, *known),
        joint(Compare(weight * value, "<=", weight), before, *known),
        joint(Compare(a(i) * weight * (1 - value), "=", 0), before, known[1], sets[0]),
        joint(Compare(b(i) * weight * value, "=", 0), before, known[1], sets[1]),
    )
    sums = [summed_over(term, (j, N)) for term in terms]
    step, total = recursion_step(vector, n, i), at_places(assume(ROWS), n, i)
    goals = kept(n + 1).conclusion.body.formulas
    after = [linked(goal, step, total, one) for goal, one in zip(goals, sums, strict=True)]
    inside = cut(generalise(both(*after), i, 1, N), assume(following))
    start = at_places(assume(BEGIN), i)
    marks = [at_places(assume(fact), i) for fact in (MARKED, OTHER_MARKED, DISJOINT)]
    first_values = joint(
        kept(Integer(0)).conclusion.body, recursion_start(vector, i), start, *marks
    )
    begin = joint(kept(Integer(0)), generalise(first_values, i, 1, N))
    return induction(begin, discharge(inside, following), n)


@proves(claims.no_collapse_without_a_centre_node)
def by_sets_that_attend_to_themselves(claim: Claim) -> Certificate:
    """The largest entry stays one, on the first set, and the least stays zero, on the second."""
    last = joint(kept(T).conclusion, instance(every_layer(), T))
    ends = {kind: Averages(vector, T).extreme(kind, T) for kind in (MaxOver, MinOver)}
    one = at_places(last, i)
    within = [
        extremum_compared(generalise(joint(Compare(vector(T, i), sign, end), one), i, 1, N), kind)
        for kind, sign, end in ((MaxOver, "<=", 1), (MinOver, ">=", 0))
    ]
    reached = []
    for kind, some, mark, goal in (
        (MaxOver, SOME, a(j), Compare(ends[MaxOver], ">=", 1)),
        (MinOver, OTHER, b(j), Compare(ends[MinOver], "<=", 0)),
    ):
        held = joint(
            goal, at_places(last, j), extremum_bounds(ends[kind], j), assume(Compare(mark, "=", 1))
        )
        reached.append(choose(assume(some), j, held))
    read = [unfold(f(T), ends[kind], DOMAIN) for f, kind in ((top, MaxOver), (bottom, MinOver))]
    theorem = joint(claims.no_collapse_without_a_centre_node.formula, *within, *reached, *read)
    return conclude(claim, theorem, method="sets of tokens that attend to themselves alone")
