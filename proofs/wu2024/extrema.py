r"""Proofs about the entries of a vector under attention, for every number of tokens.

One layer replaces an entry by an average of all entries, so that what a token is away from an extreme
is handed on: to itself with weight A_ii, to its neighbours with weight epsilon (`averages`).
"""

from __future__ import annotations

from typing import Any

from sympy import Integer

from claims.domain import Domain
from claims.model import Claim
from claims.statement import Compare, ForAll, Formula, Implies
from claims.terms import MaxOver, MinOver, Recursion
from claims.wu2024 import extrema as claims
from claims.wu2024.extrema import i0, i1, i2
from claims.wu2024.notation import N, T, epsilon, p, t
from claims.wu2024.setup import distance
from proofs.calculation import at_places
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.kernel import (
    Theorem,
    assume,
    both,
    cut,
    discharge,
    generalise,
    induction,
    instance,
    joint,
    part,
    recursion_start,
    recursion_step,
    substitute,
    unfold,
)
from proofs.registry import proves
from proofs.wu2024.averages import (
    Averages,
    attended,
    centre,
    entries_of,
    i,
    n,
    s,
    vector,
    weights,
)

EXTREMES: dict[type, Any] = {MaxOver: claims.top, MinOver: claims.bottom}
averages = Averages(vector, T)
NONNEGATIVE = entries_of(T)[1]


def extremes(domain: Domain, layer: Any) -> list[Theorem]:
    """M and m of a layer, as terms."""
    return [unfold(f(layer), averages.extreme(kind, layer), domain) for kind, f in EXTREMES.items()]


@proves(claims.extrema_over_as_many_tokens_as_features)
def by_averages(claim: Claim) -> Certificate:
    """Every entry of A x is an average of entries of x, so it stays between m and M."""
    domain, sides = claims.extrema_are_monotone.domain, []
    for kind, family in EXTREMES.items():
        one = averages.one_layer(kind, t)
        now, then = (
            unfold(family(at), averages.extreme(kind, at), domain, ((t, 0, T - 1),))
            for at in (t, t + 1)
        )
        sides.append(joint(Compare(family(t + 1), one.formula.sign, family(t)), one, now, then))
    theorem = generalise(both(*sides), t, 0, T - 1)
    return conclude(claim, theorem, method="every entry is an average")


# Lemma 2 ------------------------------------------------------------------------------------------

diagonal = Recursion("D", lambda i: 1, lambda t, i, before: weights(t, i, i) * before(i))


def kept_level(kind: type) -> Theorem:
    """level(T, i) >= D(T, i) level(0, i), D the product of A_ii: by induction over layers."""

    def level(t: Any) -> Any:
        return averages.level(kind)(t, i).subs(s, 0)

    def body(steps: Any) -> Implies:
        enough = Compare(level(steps), ">=", diagonal(steps, i) * level(0))
        return Implies(Compare(steps, "<=", T), enough)

    following = Compare(n + 1, "<=", T)
    handed = substitute(averages.handed_on(kind, s + n, i, i), {s: Integer(0)})
    step = joint(
        body(n + 1).conclusion, joint(body(n).conclusion, assume(body(n)), given=(following,)),
        handed, recursion_step(diagonal, n, i), at_places(assume(NONNEGATIVE), n, i, i),
    )  # fmt: skip
    every = induction(
        joint(body(0), recursion_start(diagonal, i)),
        discharge(cut(step, assume(following)), following), n,
    )  # fmt: skip
    return joint(body(T).conclusion, instance(every, T))


def keeps_its_place(claim: Claim, kind: type, conclusion: Compare) -> Certificate:
    """A token gives itself weight A_ii, and the others are no further than the extreme."""
    domain, token = claims.token_keeps_part_of_its_distance_to_the_maximum.domain, claims.token
    ends = [unfold(token(i, layer), vector(layer, i), domain) for layer in (0, T)]
    theorem = joint(
        conclusion, kept_level(kind), unfold(claims.kept, diagonal(T, i), domain), *ends,
        *extremes(domain, 0), given=(domain.conditions[-1].formula,),
    )  # fmt: skip
    return conclude(claim, theorem, method="induction over layers")


def span() -> Any:
    return claims.top(0) - claims.bottom(0)


@proves(claims.token_as_printed_keeps_part_of_its_distance)
def by_induction_over_layers(claim: Claim) -> Certificate:
    """The distance to the maximum is p (M - m), of which the part prod A_ii is kept."""
    below = claims.top(0) - p * claims.kept * span()
    return keeps_its_place(claim, MaxOver, Compare(claims.token(i, T), "<=", below))


@proves(claims.token_stays_above_by_the_same_factor)
def by_reflection(claim: Claim) -> Certificate:
    """The distance to the minimum is (1 - p) (M - m), of which the part prod A_ii is kept."""
    above = claims.bottom(0) + (1 - p) * claims.kept * span()
    return keeps_its_place(claim, MinOver, Compare(claims.token(i, T), ">=", above))


# Eq. (13)-(16) ------------------------------------------------------------------------------------

two_cases = claims.two_cases
NEAR = Compare(distance(i0, i), "<=", T)
LOW = Compare(claims.token(i0, 0), "<=", claims.top(0) - p * span())


def pulled(kind: type) -> Theorem:
    """level(T, i) >= epsilon^T level(0, i_0) at tokens within T of a centre i_0."""
    reach = instance(averages.walked(kind), T)
    at_start = substitute(reach, {s: Integer(0), centre: i0})
    goal = at_start.formula.conclusion.body.conclusion
    everywhere = joint(at_start.formula.conclusion, at_start)
    far = instance(assume(two_cases.conditions[0].formula), i)
    return joint(Implies(NEAR, goal), instance(everywhere, i), far)


def near_tokens(kind: type, end: Compare, case: Formula) -> Theorem:
    """Tokens near a centre keep epsilon^T of its distance to an extreme, which the case bounds."""
    extreme = EXTREMES[kind](0)
    tokens = [
        unfold(claims.token(*at), vector(at[1], at[0]), two_cases, over)
        for at, over in (((i, T), ((i, 1, N),)), ((i0, 0), ()))
    ]
    after = Compare(end.left, end.sign, extreme - epsilon**T * (extreme - claims.token(i0, 0)))
    moved = joint(Implies(NEAR, after), pulled(kind), *tokens, *extremes(two_cases, 0))
    return generalise(joint(Implies(NEAR, end), moved, assume(case)), i, 1, N)


def width_after(goal: Compare) -> Theorem:
    """Where all tokens are within T of a low centre: M falls with them, m does not."""
    near = ForAll(i, 1, N, NEAR)
    within = (f.substitute({i0: centre}) for f in (near, two_cases.conditions[0].formula))
    falls = substitute(
        averages.toward_centre(MaxOver, T, *(instance(assume(f), i) for f in within)),
        {s: Integer(0), centre: i0},
    )
    stays = instance(substitute(averages.stays(MinOver), {s: Integer(0)}), T)
    start = unfold(claims.token(i0, 0), vector(0, i0), two_cases)
    ends = (*extremes(two_cases, 0), *extremes(two_cases, T))
    return discharge(joint(goal, falls, stays, start, *ends, assume(LOW)), near)


@proves(claims.low_centre_pulls_down)
def by_induction_over_distance(claim: Claim) -> Certificate:
    """Each step away from the centre costs a factor eps; M falls with all tokens, m never falls."""
    below = Compare(claims.token(i, T), "<=", claims.top(0) - p * epsilon**T * span())
    shrunk = Compare(claims.top(T) - claims.bottom(T), "<=", (1 - p * epsilon**T) * span())
    whole = both(near_tokens(MaxOver, below, LOW), width_after(shrunk))
    return conclude(
        claim, discharge(whole, LOW), method="induction over the distance from the centre"
    )


@proves(claims.high_centre_pulls_up_by_the_same_factor)
def by_the_same_induction(claim: Claim) -> Certificate:
    """What a centre that is not low is above the minimum, 1 - p of the width, is handed on."""
    above = Compare(claims.token(i, T), ">=", claims.bottom(0) + (1 - p) * epsilon**T * span())
    whole = discharge(near_tokens(MinOver, above, ~LOW), ~LOW)
    return conclude(claim, whole, method="induction over the distance from the centre")


# Eq. (15) -----------------------------------------------------------------------------------------

two_layers = Averages(vector, Integer(2))


def at_start(theorem: Theorem) -> Theorem:
    return substitute(theorem, {s: Integer(0)})


def handed(layer: int, token: Any, to: Any) -> tuple[Theorem, ...]:
    """A_{to,token} >= eps, and of what the token is below M so much is handed on; it is not above M."""
    start = Integer(layer)
    return (
        attended(2, start, to, token),
        at_start(two_layers.handed_on(MaxOver, start, to, token)),
        at_start(two_layers.inside(MaxOver, start, token)),
    )


@proves(claims.weights_on_edges_as_printed_are_the_floor)
def by_the_floors_of_two_weights(claim: Claim) -> Certificate:
    """i_1 gives i_0, and i_2 gives i_1, weight at least eps."""
    domain, every, top = claims.two_layers, ((i1, 1, N), (i2, 1, N)), claims.top(0)
    near, middle, end = (claims.token(*at) for at in ((i0, 0), (i1, 1), (i2, 2)))
    values = [
        unfold(near, vector(0, i0), domain),
        unfold(middle, vector(1, i1), domain, every[:1]),
        unfold(end, vector(2, i2), domain, every[1:]),
        unfold(claims.weight(i2, i1, 1), weights(1, i2, i1), domain, every),
        *extremes(domain, 0),
    ]
    floor = Compare(epsilon, ">", 0)
    one_hop = joint(
        Compare(top - middle, ">=", epsilon * (top - near)), *handed(0, i0, i1), *values
    )
    pulled = joint(
        Compare(top - middle, ">=", p * epsilon * span()), one_hop, assume(LOW), given=(floor,)
    )
    last = handed(1, i1, i2)
    first = joint(Compare(end, "<=", claims.first_line), last[1], *values)
    line = top - epsilon * p * epsilon * span()
    second = joint(Compare(claims.first_line, "<=", line), pulled, *last, *values, given=(floor,))
    edges = (part(assume(claims.two_hops), place) for place in (0, 1))
    each = discharge(cut(both(first, second), *edges), claims.two_hops)
    whole = generalise(generalise(each, i2, 1, N), i1, 1, N)
    return conclude(claim, discharge(whole, LOW), method="the floors of two weights")
