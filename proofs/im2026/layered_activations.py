"""Eqs. (150)-(152): the values and the activations of many layers."""

from __future__ import annotations

from sympy import Integer, Rational, Symbol, exp

from claims.im2026 import layered_activations as claims
from claims.im2026.notation import depth
from claims.model import Claim
from claims.statement import And, Compare
from proofs.calculus.inequalities import BoxBound, MonotoneSign
from proofs.certificate import Certificate
from proofs.facts import EXP_ABOVE_TANGENT, POWER_INCREASES
from proofs.im2026.layered_chains import by_links, in_box, in_symbols, x
from proofs.kernel import Theorem, assume, certified, cut, fact, substitute
from proofs.registry import proves


@proves(claims.values_are_of_second_order)
def by_polynomials(claim: Claim) -> Certificate:
    """Each link follows from the ranges of the norms."""
    return by_links(claim)


def below_a_line() -> Theorem:
    """exp(u) <= 1 + 3u/2 for 0 <= u <= 1/72, at u = 2 L x^2."""
    u = Symbol("u", real=True)
    steep = BoxBound(Rational(3, 2) - exp(u), ((u, 0, Rational(1, 72)),), ">0")
    gap = certified(MonotoneSign(1 + 3 * u / 2 - exp(u), steep, Integer(0), ">=0"))
    exponent = claims.exponent
    inside = in_symbols(And((Compare(exponent, ">=", 0), Compare(exponent, "<=", Rational(1, 72)))))
    return cut(substitute(gap, {u: exponent}), in_box(inside))


@proves(claims.activations_stay_near_the_tokens)
def by_powers(claim: Claim) -> Certificate:
    """(1 + v)^L <= e^(vL), and e^u <= 1 + 3u/2 for small u."""
    base, known = 1 + 2 * claims.x**2, [assume(Compare(depth, ">=", 1))]
    known += [in_box(Compare(x**2, ">=", 0)), assume(Compare(claims.value, ">=", 0))]
    known += [assume(Compare(claims.value, "<=", 2 * claims.x**2))]
    row = cut(fact(POWER_INCREASES, a=1 + claims.value, b=base, p=depth), *known)
    tangent = fact(EXP_ABOVE_TANGENT, x=2 * claims.x**2)
    power = fact(POWER_INCREASES, a=base, b=exp(2 * claims.x**2), p=depth)
    exponential = cut(power, *known, tangent)
    return by_links(claim, row, exponential, below_a_line())
