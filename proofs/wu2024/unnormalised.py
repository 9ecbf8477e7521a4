"""Proofs without LayerNorm: X^{(t)} = A^t X W^t, split into what A keeps and what it halves."""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Abs, Integer, Symbol, oo, sqrt, symbols

from claims.model import Claim
from claims.statement import And, Compare
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
    cut,
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

DOMAIN = claims.tokens_collapse_to_a_point_of_the_plane.domain
DIVIDED = Compare(spectral, "=", 1)
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
def norm_exceeds_one() -> Theorem:
    """1 < s for the spectral norm."""
    larger = joint(Compare((w + ROOT) / 2, ">", 1), given=(Compare(w, ">", 1),))
    return joint(Compare(NORM, ">", 1), larger, given=(DIVIDED,))


@cache
def every_layer() -> Theorem:
    """The closed form, by induction on t."""
    first = joint(
        closed_form(Integer(0)), *(recursion_start(token, i, b) for i in (1, 2) for b in (1, 2))
    )
    one = norm_exceeds_one()
    steps = [recursion_step(token, t, i, b) for i in (1, 2) for b in (1, 2)]
    following = [
        joint(goal, assume(closed_form(t)), one, *steps) for goal in closed_form(t + 1).formulas
    ]
    return induction(first, both(*following), t)


@cache
def share_at_most_one() -> Theorem:
    """0 < s^-t <= 1."""
    above = norm_exceeds_one()
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
    above = joint(Compare(NORM - 1, ">", 0), norm_exceeds_one())
    rates = {k: cut(substitute(rule, {excess: NORM - 1}), above) for k, rule in decays.items()}
    term = a * start(1, 1) if place == 1 else a * start(1, 2) + b * w * start(1, 1)
    return limit_rewritten(limit_combined(term, rates), generalise(first_token(place), t, 0, oo))


def second_token_vanishes(place: int) -> Theorem:
    """X_2 = X_1 + (X_2 - X_1), and both parts vanish."""
    a, b = symbols("a b", real=True)
    parts = {a: divided_token_vanishes(place), b: gap_vanishes(place)}
    one, two = (claims.token_after(t, i, place) for i in (1, 2))
    equal = joint(Compare(two, "=", one + claims.gap(t, place)))
    return limit_rewritten(limit_combined(a + b, parts), generalise(equal, t, 0, oo))


@proves(claims.tokens_collapse_to_a_point_of_the_plane)
def by_powers_of_both_matrices(claim: Claim) -> Certificate:
    """The first token is X_1 W^t, the difference 2^-t (X_2 - X_1) W^t, exactly."""
    gaps = both(*map(gap_is_below_its_bound, (1, 2)))
    limits = [rule(b) for rule in (divided_token_vanishes, second_token_vanishes) for b in (1, 2)]
    return conclude(
        claim, both(gaps, both(*limits)),
        method=r"powers of $A$ and $W_V$ in closed form, by induction",
    )  # fmt: skip
