"""Eqs. (150)-(152): the values and the activations of many layers."""

from __future__ import annotations

from sympy import Integer, Rational, Sum, Symbol, exp

from claims.im2026 import layered_activations as claims
from claims.im2026.layered_activations import q
from claims.im2026.notation import depth
from claims.model import Claim
from claims.statement import And, Compare
from proofs.calculation import linked, weighed
from proofs.calculus.inequalities import BoxBound, MonotoneSign
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.decide import refute
from proofs.facts import EXP_ABOVE_TANGENT, POWER_INCREASES
from proofs.im2026.layered_chains import by_links, in_box, in_symbols, x
from proofs.kernel import (
    Theorem,
    assume,
    certified,
    cut,
    extremum_bounds,
    fact,
    instance,
    joint,
    substitute,
    unfold,
)
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


def average() -> Theorem:
    """sum_q A_q r_q <= max_q r_q."""
    positive, total = map(assume, claims.ROW.variables[-2].known)
    summed = weighed(
        claims.share, lambda k: extremum_bounds(claims.longest, k), claims.t,
        lambda k: instance(positive, k),
    )  # fmt: skip
    sides = Sum(claims.share(q) * claims.length_of(q), (q, 1, claims.t)), claims.longest
    return linked(Compare(sides[0], "<=", sides[1]), summed, total)


@proves(claims.deviation_grows_by_the_longest_row, claims.longest_row_grows)
def by_an_average(claim: Claim) -> Certificate:
    """An average of lengths is at most the longest."""
    statement = (claim.base or claim).formula
    assert isinstance(statement, Compare)
    terms = dict(zip((claims.next_deviation, claims.next_row), claims.NEXT, strict=True))
    unfolded = unfold(statement.left, terms[statement.left], claims.ROW)
    own = extremum_bounds(claims.longest, claims.t)
    found = joint(statement, unfolded, average(), own, given=(Compare(claims.own_norm, ">=", 0),))
    return conclude(claim, found, method="an average is at most the maximum")


@proves(claims.every_row_grows_by_its_own_length)
def by_a_short_row(claim: Claim) -> Certificate:
    """A row of length zero grows."""
    return refute(claim, method="two layers written out")
