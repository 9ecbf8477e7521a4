"""Proofs about tails: elementary inequalities and exact counterexamples."""

from __future__ import annotations

from functools import cache

from sympy import Abs, Integer, Max, Min, Symbol, exp

from claims.model import Claim
from claims.naitsaada2025 import tails as claims
from claims.naitsaada2025.notation import q
from claims.naitsaada2025.tails import C, N, beta, t, u, z
from claims.statement import Compare
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.facts import (
    BERNOULLI,
    EXP_ABOVE_TANGENT,
    EXP_INCREASES,
    EXP_STRICTLY_INCREASES,
    POWER_FALLS,
    POWER_INCREASES,
)
from proofs.kernel import (
    Theorem,
    assume,
    both,
    congruent,
    cut,
    discharge,
    fact,
    identity,
    joint,
    part,
    unfold,
)
from proofs.registry import proves

_LARGER = Max(t, t**2)


@cache
def rate_of_the_larger() -> Theorem:
    """For t <= 1 both minima are t^2, since powers of t fall; for t >= 1 both are t^(2/q) = v <= v^q."""
    whole = joint(Compare(q, ">=", 1))
    small, large = Compare(t, "<=", 1), Compare(t, ">=", 1)
    y = Symbol("y", real=True)
    not_negative = [fact(POWER_INCREASES, a=0, b=t, p=k / q) for k in (1, 2)]
    goal = Compare(Min(_LARGER**2, _LARGER ** (1 / q)), "=", Min(t**2, t ** (2 / q)))
    falls = [discharge(fact(POWER_FALLS, a=t, p=k / q, q=2), Compare(t, ">", 0)) for k in (1, 2)]
    first = congruent(y ** (1 / q), y, _LARGER, t)
    below = joint(goal, first, *falls, *not_negative, given=(small,))
    second = congruent(y ** (1 / q), y, _LARGER, t**2)
    rises = fact(POWER_INCREASES, a=1, b=t, p=2 / q)
    convex = fact(BERNOULLI, x=t ** (2 / q) - 1, p=q)
    above = joint(goal, second, rises, convex, given=(large,))
    between = [Compare(0, "<=", k / q) for k in (1, 2)] + [Compare(k / q, "<=", 2) for k in (1, 2)]
    exponents = [joint(inequality, whole) for inequality in between]
    lemmas = [whole, *exponents, *(cut(lemma, *exponents) for lemma in not_negative)]
    cases = [
        discharge(cut(case, *lemmas, joint(Compare(_LARGER, "=", equal), assume(given))), given)
        for case, equal, given in ((below, t, small), (above, t**2, large))
    ]
    return joint(goal, *cases)


@proves(claims.deviation_of_a_square)
def by_cases(claim: Claim) -> Certificate:
    """|z^2 - 1| = |z - 1| (z + 1), where z + 1 >= 1, and z + 1 >= t where z >= 1 + t."""
    domain = claims.deviation_of_a_square.domain
    shift = unfold(claims.shift, Abs(z - 1), domain)
    growth = unfold(claims.growth, Abs(z**2 - 1), domain)
    far = claims.shift.at_least(t)
    squares = discharge(joint(claims.growth.at_least(_LARGER), shift, growth, assume(far)), far)
    rate = unfold(claims.rate, Min(_LARGER**2, _LARGER ** (1 / q)), domain)
    same = joint(claims.rate.equals(Min(t**2, t ** (2 / q))), rate, rate_of_the_larger())
    return conclude(claim, both(squares, same), method="cases")


@proves(claims.bernstein_for_sub_weibull_sums)
def by_one_large_summand(claim: Claim) -> Certificate:
    """P = e^-w, w = (Nu)^beta; K^beta = 2, so C w / 2 <= w; at u = K, CN >= 4 N^beta > 1 + w."""
    repair = claims.bernstein_with_powers_of_the_sum
    bounded, exceeded = repair.formula.formulas  # type: ignore[attr-defined]
    norm, w, y = claims.norm, (N * u) ** beta, Symbol("y", real=True)
    tail = unfold(claims.tail, exp(-w), repair.domain)
    known = unfold(norm, 2 ** (1 / beta), repair.domain)
    half, two = (
        cut(congruent(y**power, y, norm, 2 ** (1 / beta)), known) for power in (-beta, beta)
    )
    split = identity(w, N**beta * u**beta)
    given = (Compare(C, "<=", 2),)
    (mended,) = bounded.right.atoms(exp)
    below = joint(Compare(-w, "<=", mended.args[0]), half, given=given)
    first = joint(bounded, tail, cut(fact(EXP_INCREASES, a=-w, b=mended.args[0]), below))
    (printed,) = exceeded.conclusion.right.atoms(exp)
    at_norm = congruent(y**beta, y, u, norm)
    least = fact(POWER_INCREASES, a=1, b=N, p=beta)
    premise = assume(exceeded.premise)
    premises = [part(premise, place) for place in (0, 1)]
    beyond = joint(
        Compare(1 + printed.args[0], "<", -w), half, two, split, at_norm, least, *premises
    )
    rises = cut(fact(EXP_STRICTLY_INCREASES, a=1 + printed.args[0], b=-w), beyond)
    above = joint(exceeded.conclusion, tail, rises, fact(EXP_ABOVE_TANGENT, x=Integer(1)))
    above = cut(above, joint(Compare(1, "<=", N), given=(Compare(N, ">=", 1),)))
    second = discharge(cut(above, *premises), exceeded.premise)
    method = "exact tail of one summand"
    return conclude(claim, both(first, second), method=method)
