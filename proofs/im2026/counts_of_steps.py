"""Counts of steps: binomials as polynomials, sums by induction, signs by counting roots."""

from __future__ import annotations

from typing import Any

from sympy import Integer, Symbol, binomial

from claims.im2026 import counts_of_steps as claims
from claims.im2026.boxes import leading_count
from claims.im2026.notation import s
from claims.model import Claim
from claims.statement import Compare
from claims.terms import Recursion
from proofs.calculation import integers_apart
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.kernel import (
    Theorem,
    assume,
    both,
    identity,
    induction,
    instance,
    joint,
    recursion_start,
    recursion_step,
    unfold,
)
from proofs.registry import proves

n = Symbol("n", integer=True, nonnegative=True)
COUNT = s * (s - 1) * (s - 2) * (3 * s - 1) / 24
partial = Recursion("c", lambda: Integer(0), lambda k, before: before() + k * k * (k - 1) / 2)
"""The sum over the steps so far, binomials as polynomials."""


def factored() -> Theorem:
    """The count of the leading term as a polynomial."""
    return identity(leading_count, COUNT)


def summed() -> Theorem:
    """The sum as a polynomial in its end."""
    body = Compare(partial(n), "=", COUNT.subs(s, n))
    start = joint(body.substitute({n: Integer(0)}), recursion_start(partial))
    step = joint(body.substitute({n: n + 1}), assume(body), recursion_step(partial, n))
    return instance(induction(start, step, n), s)


@proves(claims.counts_of_steps)
def by_induction(claim: Claim) -> Certificate:
    """The next summand is the difference of the polynomials."""
    first = unfold(claims.counted, partial(s), claims.STEPS)
    second = unfold(claims.following, s * binomial(s, 2), claims.STEPS)
    theorem = both(
        joint(claims.counted.equals(leading_count), first, summed(), factored()),
        joint(
            claims.following.equals((s**3 - s**2) / 2), second,
            identity(s * binomial(s, 2), (s**3 - s**2) / 2),
        ),
    )  # fmt: skip
    return conclude(claim, theorem, method="induction over the steps")


def bounded(claim: Claim, goal: Any) -> Certificate:
    """By the signs of a polynomial at zero and from one on."""
    read = unfold(claims.doubled, 2 * leading_count, claims.STEPS)
    theorem = joint(goal, read, factored(), integers_apart(Integer(0), s))
    method = "sign of a polynomial on the integers"
    return conclude(claim, theorem, method=method)


@proves(claims.counts_are_below_powers)
def by_the_sign_of_a_polynomial(claim: Claim) -> Certificate:
    """$s^4-s(s-1)(s-2)(3s-1)/12\\ge0$."""
    return bounded(claim, claims.counts_are_below_powers.formula)


@proves(claims.a_quarter_of_the_fourth_power)
def by_the_signs_of_two_polynomials(claim: Claim) -> Certificate:
    """$12(s^4/4-\\dots)=s(2s-1)(5s-2)$ and $s(9s-2)$: neither is negative at an integer."""
    return bounded(claim, claims.a_quarter_of_the_fourth_power.formula)
