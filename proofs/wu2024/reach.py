r"""How far averages carry along a mask: each layer adds a factor epsilon for one more step."""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Dummy, Integer, Symbol, symbols

from claims.statement import Compare, ForAll
from claims.terms import MaxOver, entry
from claims.wu2024.notation import G, N, attention, epsilon
from claims.wu2024.reach import edges, reach
from proofs.calculation import at_places, body_at, for_all, linked, place
from proofs.facts import DELTA
from proofs.kernel import (
    Theorem,
    assume,
    choose,
    extremum_bounds,
    extremum_reached,
    fact,
    generalise,
    induction,
    instance,
    joint,
    part,
    recursion_start,
    recursion_step,
    sum_at_least_term,
)
from proofs.wu2024.norms import summed

__all__ = ["average_of_reach", "marks", "reach_is_nonnegative", "self_loops"]

weights, edge = entry(attention), entry(G)
marks, self_loops = (part(assume(edges.formula), n) for n in (0, 1))
start, token = symbols("c i", integer=True, positive=True)
steps = Symbol("s", integer=True, nonnegative=True)


@cache
def reach_is_nonnegative() -> Theorem:
    """For all s and tokens c, i: reach(s, c, i) >= 0."""

    def everywhere(theorem: Theorem) -> Theorem:
        return for_all(theorem, (start, N), (token, N))

    m = place()
    delta = part(fact(DELTA, a=start, b=token, term=m, place=m), 0)
    first = joint(
        Compare(reach(0, start, token), ">=", 0), recursion_start(reach, start, token), delta
    )
    following = recursion_step(reach, steps, start, token)
    extremum = following.formula.right
    body = ForAll(start, 1, N, ForAll(token, 1, N, Compare(reach(steps, start, token), ">=", 0)))
    before = at_places(assume(body), start, Integer(1))
    member = extremum_bounds(extremum, Integer(1))
    step = joint(
        Compare(reach(steps + 1, start, token), ">=", 0), following, member, before,
        at_places(marks, token, Integer(1)),
    )  # fmt: skip
    return induction(everywhere(first), everywhere(step), steps)


def average_of_reach(layer: Any, s: Any, c: Any, i: Any, signs: Theorem, floor: Theorem) -> Theorem:
    """sum_j A_ij reach(s, c, j) >= epsilon reach(s + 1, c, i)."""
    following = recursion_step(reach, s, c, i)
    extremum = following.formula.right
    assert isinstance(extremum, MaxOver)
    reached = extremum_reached(extremum)
    j = Dummy("j", integer=True)
    term = lambda k: weights(layer, i, k) * reach(s, c, k)  # noqa: E731
    known = lambda k: at_places(reach_is_nonnegative(), s, c, k)  # noqa: E731
    k = place()
    positive = joint(Compare(term(k), ">=", 0), known(k), instance(signs, k))
    own = sum_at_least_term(generalise(positive, k, 1, N), j)
    body = body_at(reached.formula, j)
    goal = Compare(summed(term, N), ">=", epsilon * reach(s + 1, c, i))
    chosen = linked(goal, own, assume(body), following, instance(floor, j), known(j))
    return choose(reached, j, chosen)
