"""Signs, kinds, laws and digits that say more of a term than is so."""

from __future__ import annotations

from typing import Any

from sympy import Integer, KroneckerDelta, Rational, Symbol, exp
from wrong_certificates import bare, each, family, i, j, k

from claims.gaussian_growth import Growth, Shares
from claims.statement import And, Compare, Implies
from claims.terms import Recursion
from proofs import facts, kernel
from proofs.kernel import Theorem

NO = Compare(Integer(0), "=", Integer(1))


def absurd(*theorems: Theorem) -> bool:
    """Whether they give 0 = 1, under nothing that could be asked for."""
    return bare(kernel.joint(NO, *theorems))


# Signs --------------------------------------------------------------------------------------------


def delta(term: Any, place: Any) -> Theorem:
    return kernel.fact(facts.DELTA, a=i, b=j, term=term, place=place)


def cancelled_at_zero(place: Any) -> bool:
    """i/i is one and i/j is what 0/0 stands for, where both are zero."""
    known = delta(i / place, place)
    zero = [Compare(i, "=", 0), Compare(j, "=", 0)]
    there = kernel.joint(Implies(And(tuple(zero)), Compare(KroneckerDelta(i, j), "=", 0)), known)
    return absurd(kernel.substitute(there, {i: Integer(0), j: Integer(0)}))


@family
def signs_of_a_place() -> Any:
    """What the place of a delta declares of itself, its indices need not be."""
    signed = [Symbol("q", integer=True, **{sign: True}) for sign in ("positive", "negative")]
    false = [*each(cancelled_at_zero, *signed), *each(delta, *((k / q, q) for q in signed))]
    return iter(false), each(delta, (signed[0] + k, signed[0]), (1 / (1 + k**2), signed[0]))


# Digits -------------------------------------------------------------------------------------------

TAIL = Growth("N", lambda at, place: Shares.equal(1)).factor(2, 1, 1)
"""P(chi^2 < 1) for two degrees of freedom, to sixty digits."""
CHANCE = 1 - exp(-Rational(1, 2))


def computed(value: Any, sign: str = "=") -> Theorem:
    return kernel.compute(Compare(TAIL, sign, value))


def two_values() -> bool:
    return absurd(computed(CHANCE), computed(CHANCE + Rational(1, 10**50)))


@family
def digits_are_no_exact_values() -> Any:
    """Decimals that agree in all the digits that are known need not be equal."""
    stepped = Recursion("g", lambda: TAIL, lambda t, before: before())
    false = [
        two_values, *each(computed, CHANCE, CHANCE + Rational(1, 10**50)),
        *each(computed, (CHANCE - Rational(1, 10**50), "<="), (CHANCE, ">=")),
        lambda: kernel.compute(Compare(stepped(Integer(1)), "=", CHANCE)),
    ]  # fmt: skip
    doubled = Recursion("g", lambda: Integer(1), lambda t, before: 2 * before())
    return iter(false), iter(
        [
            lambda: kernel.compute(Compare(doubled(Integer(3)), "=", 8)),
            lambda: kernel.compute(Compare(CHANCE, "<", Rational(2, 5))),
        ]
    )
