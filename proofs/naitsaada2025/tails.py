"""Proofs about tails: elementary inequalities and exact counterexamples."""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Abs, Integer, Max, Min, Rational, Symbol, exp, oo, sqrt, symbols

from claims.domain import Domain
from claims.model import Claim
from claims.naitsaada2025 import tails as claims
from claims.naitsaada2025.notation import q
from claims.naitsaada2025.tails import C, N, beta, t, u, z
from claims.statement import Compare, Formula, Not
from proofs.calculation import algebra, body_at
from proofs.certificate import Certificate
from proofs.conclude import at_every_choice, conclude
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
from proofs.naitsaada2025.far_out import at_a_size_beyond
from proofs.registry import proves

AT_NORM = Compare(u, "=", claims.norm)
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
    w = (N * u) ** beta
    tail, half, _ = read(claims.tail, repair.domain)
    (mended,) = bounded.right.atoms(exp)
    below = joint(Compare(-w, "<=", mended.args[0]), half, given=(Compare(C, "<=", 2),))
    first = joint(bounded, tail, cut(fact(EXP_INCREASES, a=-w, b=mended.args[0]), below))
    above = beyond_the_print(claims.tail, exceeded.conclusion, repair.domain)
    premise = assume(exceeded.premise)
    second = discharge(cut(above, part(premise, 0), part(premise, 1)), exceeded.premise)
    method = "exact tail of one summand"
    return at_every_choice(
        conclude(claim, both(first, second), method=method), claim, at_every_constant
    )


def read(tail: Any, domain: Domain, over: Any = ()) -> tuple[Theorem, Theorem, Theorem]:
    """P = e^-w, and K^-beta and K^beta by K = 2^(1/beta)."""
    norm, y = claims.norm, Symbol("y", real=True)
    known = unfold(norm, 2 ** (1 / beta), domain)
    half, two = (
        cut(congruent(y**power, y, norm, 2 ** (1 / beta)), known) for power in (-beta, beta)
    )
    return unfold(tail, exp(-((N * u) ** beta)), domain, over), half, two


def beyond_the_print(tail: Any, goal: Formula, domain: Domain, over: Any = ()) -> Theorem:
    """At u = K, CN >= 4 N^beta > 1 + w, so that P is more than the print allows."""
    w, y = (N * u) ** beta, Symbol("y", real=True)
    value, half, two = read(tail, domain, over)
    split, at_norm = identity(w, N**beta * u**beta), congruent(y**beta, y, u, claims.norm)
    least = fact(POWER_INCREASES, a=1, b=N, p=beta)
    (printed,) = goal.right.atoms(exp)  # type: ignore[attr-defined]
    beyond = joint(
        Compare(1 + printed.args[0], "<", -w), half, two, split, at_norm, least,
        given=(AT_NORM, Compare(C * N, ">=", 4 * N**beta)),
    )  # fmt: skip
    rises = cut(fact(EXP_STRICTLY_INCREASES, a=1 + printed.args[0], b=-w), beyond)
    above = joint(goal, value, rises, fact(EXP_ABOVE_TANGENT, x=Integer(1)))
    return cut(above, joint(Compare(1, "<=", N), given=(Compare(N, ">=", 1),)))


def at_every_constant(claim: Claim) -> Theorem:
    r"""At $\beta=\frac12$ and $N>16/C^2$, where $CN\ge4\sqrt N$."""
    body = body_at(claim.formula, N)
    goal = Compare(body.left, ">", body.right)  # type: ignore[attr-defined]
    above = beyond_the_print(claims.tail_at(N), goal, claim.domain, ((N, 1, oo),))
    number, y = 16 / C**2, Symbol("y", real=True)
    n, c = symbols("n c", real=True)
    many = algebra(
        Compare(c * n**2, ">=", 4 * n),
        (Compare(n**2 * c**2, ">=", 16), Compare(n, ">", 0), Compare(c, ">", 0)), {n: sqrt(N), c: C},
        joint(Compare(N * C**2, ">=", 16), given=[Compare(N, ">", number)]),
    )  # fmt: skip
    root = congruent(N**y, y, beta, Rational(1, 2))
    enough = joint(
        Compare(C * N, ">=", 4 * N**beta), many, root, given=[Compare(beta, "=", Rational(1, 2))]
    )
    none = joint(Compare(number, ">=", 0))
    return at_a_size_beyond(number, none, claim, joint(Not(body), cut(above, enough)), (), N)
