"""Eqs. (150)-(152): the values and the activations of many layers."""

from __future__ import annotations

from typing import Any

from sympy import Integer, KroneckerDelta, Rational, Sum, Symbol, exp, sqrt, symbols

from claims.im2026 import layered_activations as claims
from claims.im2026.layered_activations import q
from claims.im2026.notation import depth
from claims.model import Claim
from claims.statement import And, Compare
from proofs.calculation import linked, place, summed_over, weighed
from proofs.calculus.curves import MonotoneSign
from proofs.calculus.inequalities import BoxBound
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.decide import refute
from proofs.facts import DELTA, DELTA_SUM, EXP_ABOVE_TANGENT, POWER_INCREASES
from proofs.im2026.layered_chains import by_links, in_box, in_symbols, x
from proofs.kernel import (
    Theorem,
    assume,
    certified,
    cut,
    extremum_bounds,
    fact,
    generalise,
    instance,
    joint,
    substitute,
    sum_at_least_term,
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


@proves(claims.one_weight_against_the_others)
def by_the_sum_of_the_others(claim: Claim) -> Certificate:
    """Squares of terms that are not negative add up to at most the square of their sum."""
    share, size, k = claims.share, claims.t, place("k")
    positive, total = (assume(formula) for formula in claims.WEIGHTS.variables[-1].known)
    delta, m = KroneckerDelta(q, k), place("m")
    own, squared = (fact(DELTA, a=q, b=k, term=term, place=m) for term in (share(m), share(m) ** 2))
    one = fact(DELTA_SUM, place=q, k=k, low=1, high=size)
    other, rest = share(k) - delta * share(q), 1 - share(q)
    sign = joint(Compare(other, ">=", 0), instance(positive, k), own)
    others = Sum(other, (k, 1, size))
    whole = linked(Compare(others, "=", rest), total, one)
    term = sum_at_least_term(generalise(sign, k, 1, size), k)
    each = joint(Compare(other**2, "<=", rest * other), sign, term, whole)
    below = linked(
        Compare(Sum(other**2, (k, 1, size)), "<=", rest**2), summed_over(each, (k, size)), whole
    )
    split = joint(Compare(share(k) ** 2, "=", other**2 + delta * share(q) ** 2), own, squared)
    squares = Sum(share(k) ** 2, (k, 1, size))
    bound = linked(
        Compare(squares, "<=", share(q) ** 2 + rest**2), summed_over(split, (k, size)), below, one
    )
    read = unfold(claims.mixture, squares, claims.WEIGHTS)
    found = joint(Compare(claims.mixture, "<=", share(q) ** 2 + rest**2), bound, read)
    return conclude(claim, generalise(found, q, 1, size), method="a sum against its largest term")


def mixing_shortens(least: Any, own: Any, weight: Any, deviation: Any, value: Any) -> Theorem:
    """A row of at least 1 - d grows by its own length, for weights from b to 1 - b and 2 d <= b (1 - b)."""
    b, p, d, u, v = symbols("b p d u v", nonnegative=True)
    within = Compare(p, ">=", b), Compare(p, "<=", 1 - b)
    spread = joint(Compare(p * (1 - p), ">=", b * (1 - b)), given=within)
    square = joint(Compare(sqrt(p**2 + (1 - p) ** 2), "<=", 1 - p * (1 - p)), given=within)
    gap = Compare(2 * d, "<=", b * (1 - b)), Compare(u, ">=", 1 - d)
    short = joint(Compare(sqrt(p**2 + (1 - p) ** 2) + d, "<=", u), spread, square, given=gap)
    m = Symbol("m", real=True)
    grown = joint(Compare(u + m * v, "<=", (1 + v) * u), given=(Compare(m, "<=", u),))
    found = cut(substitute(grown, {m: short.formula.left}), short)
    return substitute(found, {b: least, p: weight, d: deviation, u: own, v: value})


@proves(claims.every_row_grows_by_its_own_length)
def by_a_short_row(claim: Claim) -> Certificate:
    """Rows that are mixed in have become longer than the last one."""
    return refute(claim, method="two layers written out")
