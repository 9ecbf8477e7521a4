r"""The last displays before (16), from a centre that attains Def. 5's diameter."""

from __future__ import annotations

from sympy import Integer

from claims.model import Claim
from claims.statement import Compare
from claims.terms import MaxOver, MinOver
from claims.wu2024 import least_centre as claims
from claims.wu2024.extrema import bottom, token, top
from claims.wu2024.least_centre import i0, level, low
from claims.wu2024.notation import N, r
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.kernel import (
    assume,
    both,
    discharge,
    extremum_bounds,
    generalise,
    instance,
    joint,
    substitute,
    unfold,
)
from proofs.registry import proves
from proofs.wu2024.averages import RADIUS_BELOW, Averages, centre, i, s, vector

averages = Averages(vector, r)


@proves(claims.any_centre_pulls_all_down_as_printed)
def by_walks_from_the_nearest_centre(claim: Claim) -> Certificate:
    """All tokens are within r of this centre, so that the maximum falls, and no entry is above it."""
    domain = claims.least_centre
    near = claims.attains.formula.substitute({i0: centre})
    falls = substitute(
        averages.toward_centre(MaxOver, r, instance(assume(near), i), assume(RADIUS_BELOW)),
        {s: Integer(0), centre: i0},
    )
    highest = averages.extreme(MaxOver, r)
    values = (
        unfold(token(i0, 0), vector(0, i0), domain),
        unfold(top(0), averages.extreme(MaxOver, Integer(0)), domain),
        unfold(bottom(0), averages.extreme(MinOver, Integer(0)), domain),
        unfold(top(r), highest, domain),
    )
    fallen = joint(Compare(top(r), "<=", level), falls, assume(low), *values)
    own = unfold(token(i, r), vector(r, i), domain, ((i, 1, N),))
    each = joint(
        Compare(token(i, r), "<=", level), fallen, own, extremum_bounds(highest, i), values[-1]
    )
    whole = discharge(both(generalise(each, i, 1, N), fallen), low)
    return conclude(claim, whole, method="walks from a centre that attains the diameter")
