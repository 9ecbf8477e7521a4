"""Proofs without LayerNorm: X^{(t)} = A^t X W^t, split into what A keeps and what it halves."""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Abs, Integer, Symbol, oo, sqrt, symbols

from claims.model import Claim
from claims.statement import And, Compare, Or
from claims.terms import Recursion, entry
from claims.wu2024 import unnormalised as claims
from claims.wu2024.notation import X, t, w
from claims.wu2024.unnormalised import spectral
from proofs.calculation import linked
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.facts import POWER_FALLS
from proofs.kernel import (
    Theorem,
    assume,
    both,
    congruent,
    cut,
    discharge,
    fact,
    generalise,
    induction,
    instance,
    joint,
    limit,
    limit_combined,
    limit_rewritten,
    part,
    recursion_start,
    recursion_step,
    squeezed,
    substitute,
    unfold,
)
from proofs.registry import proves

# Two tokens in the plane ------------------------------------------------------------------------------

DOMAIN = claims.tokens_collapse_to_a_point_under_a3.domain
DIVIDED, AS_PRINTED = (Compare(spectral, "=", s) for s in (1, 0))
ROOT = sqrt(w**2 + 4)
NORM = 1 + spectral * ((w + ROOT) / 2 - 1)
"""What W_V is divided by: one, or its spectral norm."""


def _step(t: Any, i: Any, b: Any, before: Any) -> Any:
    """The first token stays, the second moves half way to it; W_V adds w times the first entry."""
    row = lambda k: before(1, k) + (before(i, k) - before(1, k)) / i  # noqa: E731
    return (row(b) + (b - 1) * w * row(1)) / NORM


token = Recursion("x", lambda i, b: entry(X)(i, b), _step)
"""Entries of the tokens after t layers, for the tokens and places 1 and 2."""


def difference(at: Any, place: int) -> Any:
    return at(2, place) - at(1, place)


def start(i: Any, b: Any) -> Any:
    return entry(X)(i, b)


def closed_form(layer: Any) -> And:
    """X_1 and X_2 - X_1 after t layers."""
    here = lambda i, b: token(layer, i, b)  # noqa: E731
    share, half = NORM**-layer, 2**-layer
    x, y = start(1, 1), start(1, 2)
    far, high = (difference(start, b) for b in (1, 2))
    return And(
        (
            Compare(here(1, 1), "=", share * x),
            Compare(here(1, 2), "=", share * (y + w * layer * x)),
            Compare(difference(here, 1), "=", share * (half * far)),
            Compare(difference(here, 2), "=", share * (half * (high + w * layer * far))),
        )
    )


@cache
def norm_at_least_one() -> Theorem:
    """1 <= s, and 1 < s for the spectral norm."""
    choice = assume(Or((DIVIDED, AS_PRINTED)))
    larger = joint(Compare((w + ROOT) / 2, ">", 1), given=(Compare(w, ">", 1),))
    above = discharge(joint(Compare(NORM, ">", 1), larger, given=(DIVIDED,)), DIVIDED)
    equal = discharge(joint(Compare(NORM, "=", 1), given=(AS_PRINTED,)), AS_PRINTED)
    return both(joint(Compare(NORM, ">=", 1), above, equal, choice), above, equal)


@cache
def every_layer() -> Theorem:
    """The closed form, by induction on t."""
    first = joint(
        closed_form(Integer(0)), *(recursion_start(token, i, b) for i in (1, 2) for b in (1, 2))
    )
    one = joint(Compare(NORM, ">=", 1), part(norm_at_least_one(), 0))
    steps = [recursion_step(token, t, i, b) for i in (1, 2) for b in (1, 2)]
    following = [
        joint(goal, assume(closed_form(t)), one, *steps) for goal in closed_form(t + 1).formulas
    ]
    return induction(first, both(*following), t)


@cache
def share_at_most_one() -> Theorem:
    """0 < s^-t <= 1."""
    above = joint(Compare(NORM, ">=", 1), part(norm_at_least_one(), 0))
    falls = fact(POWER_FALLS, a=1 / NORM, p=Integer(0), q=t)
    inside = joint(Compare(1 / NORM, ">", 0) & Compare(1 / NORM, "<=", 1), above)
    share = cut(falls, inside)
    return joint(Compare(share.formula.left, ">", 0) & share.formula, share, above)


def read(i: int, b: int) -> Theorem:
    """An entry of the tokens, by the definition."""
    return unfold(claims.token_after(t, i, b), token(t, i, b), DOMAIN, ((t, 0, oo),))


def gap_is_below_its_bound(place: int) -> Theorem:
    """The gap is s^-t times what 2^-t and t 2^-t bound."""
    closed, limit_ = part(instance(every_layer(), t), place + 1), claims.gap_bound(t, place)
    far, high = (difference(start, b) for b in (1, 2))
    apart = 2**-t * (far if place == 1 else high + w * t * far)
    reached = joint(Compare(Abs(apart), "<=", limit_), given=(Compare(w, ">", 1),))
    below = linked(
        Compare(-limit_, "<=", (NORM**-t) * apart) & Compare((NORM**-t) * apart, "<=", limit_),
        reached, share_at_most_one(),
    )  # fmt: skip
    gap_ = Compare(Abs(claims.gap(t, place)), "<=", limit_)
    return generalise(joint(gap_, below, closed, read(1, place), read(2, place)), t, 0, oo)


def gap_vanishes(place: int) -> Theorem:
    """The bound, a combination of 2^-t and t 2^-t, squeezes the difference."""
    a, b = symbols("a b", real=True)
    rates = {a: limit(2**-t, t), b: limit(t * 2**-t, t)}
    x, y = (Abs(difference(start, k)) for k in (1, 2))
    term = a * x if place == 1 else a * y + b * w * x
    low, high = limit_combined(-term, rates), limit_combined(term, rates)
    inside = instance(gap_is_below_its_bound(place), t)
    gap, bound = claims.gap(t, place), claims.gap_bound(t, place)
    above = generalise(joint(Compare(gap, "<=", bound), inside), t, 0, oo)
    below = generalise(joint(Compare(-bound, "<=", gap), inside), t, 0, oo)
    return squeezed(below, above, low, high)


def first_token(place: int) -> Theorem:
    """X_1 = s^-t (x, y + w t x), as the claim names it."""
    right = start(1, 1) if place == 1 else start(1, 2) + w * t * start(1, 1)
    closed = part(instance(every_layer(), t), place - 1)
    return joint(
        Compare(claims.token_after(t, 1, place), "=", NORM**-t * right), closed, read(1, place)
    )


def divided_token_vanishes(place: int) -> Theorem:
    """s^-t (x, y + w t x) tends to zero for s > 1."""
    excess, (a, b) = Symbol("q", positive=True), symbols("a b", real=True)
    decays = {a: limit((1 + excess) ** -t, t), b: limit(t * (1 + excess) ** -t, t)}
    above = joint(Compare(NORM - 1, ">", 0), part(norm_at_least_one(), 1), given=(DIVIDED,))
    rates = {k: cut(substitute(rule, {excess: NORM - 1}), above) for k, rule in decays.items()}
    term = a * start(1, 1) if place == 1 else a * start(1, 2) + b * w * start(1, 1)
    return limit_rewritten(limit_combined(term, rates), generalise(first_token(place), t, 0, oo))


@cache
def undivided() -> Theorem:
    """s^-t = 1 where nothing is divided."""
    base = Symbol("q", real=True)
    same = congruent(base**-t, base, NORM, Integer(1))
    return cut(
        same, joint(Compare(NORM, "=", 1), part(norm_at_least_one(), 2), given=(AS_PRINTED,))
    )


def undivided_token_stays(place: int) -> Theorem:
    """(x, y + w t x) = (0, y) for x = 0."""
    a, end = Symbol("a", real=True), (Integer(0), start(1, 2))[place - 1]
    constant = limit_combined(end + a, {a: limit(Integer(0), t)})
    equal = joint(
        Compare(claims.token_after(t, 1, place), "=", end), first_token(place), undivided(),
        given=(Compare(start(1, 1), "=", 0),),
    )  # fmt: skip
    return limit_rewritten(constant, generalise(equal, t, 0, oo))


@proves(claims.tokens_collapse_to_a_point_of_the_plane)
def by_powers_of_both_matrices(claim: Claim) -> Certificate:
    """The first token is X_1 W^t, the difference 2^-t (X_2 - X_1) W^t, exactly."""
    wanted: Any = claims.tokens_collapse_to_a_point_under_a3.formula
    gaps = [rule(b) for b in (1, 2) for rule in (gap_is_below_its_bound, gap_vanishes)]
    zero, away = wanted.formulas[-2].premise, wanted.formulas[-1].conclusion
    runs = joint(away.body, first_token(2), undivided(), given=(Compare(w, ">", 1),))
    cases = [
        discharge(both(*map(divided_token_vanishes, (1, 2))), DIVIDED),
        discharge(cut(both(*map(undivided_token_stays, (1, 2))), assume(zero)), zero),
        discharge(generalise(runs, t, 0, oo), AS_PRINTED),
    ]
    return conclude(
        claim, both(*gaps, *cases), method=r"powers of $A$ and $W_V$ in closed form, by induction"
    )
