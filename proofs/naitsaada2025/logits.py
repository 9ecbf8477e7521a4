"""Proofs about the law of a logit: Gaussian integrals over one factor, then over the other."""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import (
    Expr,
    Integer,
    Max,
    Rational,
    Sum,
    Symbol,
    exp,
    integrate,
    oo,
    pi,
    simplify,
    sqrt,
    symbols,
)  # fmt: skip

from claims.model import Claim
from claims.naitsaada2025 import logits as claims
from claims.naitsaada2025.logits import half, size, tilt
from claims.naitsaada2025.notation import d_qk, sigma_qk
from claims.statement import Compare, Implies
from claims.terms import Recursion
from proofs.calculation import linked, place
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.facts import HANKEL
from proofs.kernel import (
    Theorem,
    assume,
    both,
    congruent,
    cut,
    derived,
    discharge,
    fact,
    generalise,
    induction,
    instance,
    joint,
    limit,
    limit_combined,
    recursion_start,
    recursion_step,
    squeezed,
    substitute,
    sum_at_least_term,
    sum_compared,
    unfold,
)
from proofs.registry import proves

METHOD = "Gaussian integrals over one factor, then over the other"
w = sigma_qk**4


@cache
def gaussian_square(curvature: Expr) -> Expr:
    """E exp((1 - c) Q^2 / 2) = c^(-1/2) for a standard normal Q and c > 0; infinite for c <= 0."""
    q, c = Symbol("q", real=True), Symbol("c", positive=True)
    value = integrate(exp(-c * q**2 / 2) / sqrt(2 * pi), (q, -oo, oo))
    return value.subs(c, curvature)


def moment(order: int) -> Expr:
    """E Z^k where it is finite: E exp(a K) = exp(a^2 sigma^2 / 2) with a = k Q / sqrt(d)."""
    return gaussian_square(1 - order**2 * w / d_qk) ** d_qk


@proves(claims.fourth_moment_is_finite_above_sixteen)
def by_gaussian_integrals(claim: Claim) -> Certificate:
    """1 / E Z^4 = max(0, 1 - 16 sigma^4 / d)^(d/2), which is zero where the curvature is not positive."""
    repair = claims.fourth_moment_is_finite_iff
    least, value = repair.formula.formulas  # type: ignore[attr-defined]
    curvature, y = 1 - 16 * w / d_qk, Symbol("y", real=True)
    assert simplify(moment(4) * curvature ** (d_qk / 2)) == 1
    clipped = Max(curvature, 0)
    known = derived(claims.reciprocal, clipped ** (d_qk / 2), repair.domain, METHOD)
    given, zero = assume(value.premise), Compare(16 * w, ">=", d_qk)
    inside = cut(
        congruent(y ** (d_qk / 2), y, clipped, curvature),
        joint(Compare(clipped, "=", curvature), given),
    )
    outside = cut(
        congruent(y ** (d_qk / 2), y, clipped, Integer(0)),
        joint(Compare(clipped, "=", 0), assume(zero)),
    )
    cases = [discharge(inside, value.premise), discharge(outside, zero)]
    whole = joint(least, known, *cases)
    equal = joint(value, known, *cases)
    return conclude(claim, both(whole, equal), method=METHOD)


@proves(claims.limit_variance_depends_on_sigma_qk_only)
def by_two_moments(claim: Claim) -> Certificate:
    """E Z^2 / (E Z)^2 - 1; its limit by that of n log(1 - w/n) - (n/2) log(1 - 4w/n), which is w."""
    repair = claims.limit_variance_of_the_exponential
    known = derived(claims.spread, moment(2) / moment(1) ** 2 - 1, repair.domain, METHOD)
    free, x = Symbol("w", positive=True), Symbol("x", real=True)
    exponent = limit(claims.log_spread(size).subs(sigma_qk, free ** Rational(1, 4)), size)
    tends = substitute(limit_combined(exp(x) - 1, {x: exponent}), {free: w})
    return conclude(claim, both(known, tends), method=METHOD)


@cache
def transform_of_bessel(tilt: Expr) -> Expr:
    """(2/pi) int cosh(r y) K_0(y) dy by K_0(y) = int exp(-y cosh t) dt: int cosh t / (cosh^2 t - r^2) dt.

    With v = sinh t that is the integral of 1 / (b + v^2), b = 1 - r^2.
    """
    b, c, r, y, v = symbols("b c r y v", positive=True)
    inner = integrate((exp(-c * y) + exp(-(c + 2 * r) * y)) / 2, (y, 0, oo)).subs(c, c - r)
    assert simplify(inner - c / (c**2 - r**2)) == 0
    outer = integrate(1 / (b + v**2), (v, 0, oo))
    return simplify(2 * outer / pi).subs(b, 1 - tilt**2)


@proves(claims.density_of_a_product_of_gaussians)
def by_laplace_transforms(claim: Claim) -> Certificate:
    """Both are (1 - r^2)^(-1/2) for one product, and independent summands multiply."""
    domain, y = claims.density_of_a_product_of_gaussians.domain, Symbol("y", real=True)
    one = gaussian_square(1 - tilt**2)
    law = derived(claims.laplace, one**d_qk, domain, METHOD)
    bessel = transform_of_bessel(tilt)
    known = derived(claims.transform, bessel, domain, "integral representation of $K_0$")
    power = cut(congruent(y**d_qk, y, claims.transform, bessel), known)
    theorem = joint(claims.laplace.equals(claims.transform**d_qk), law, power)
    return conclude(claim, theorem, method="Laplace transforms")


@proves(claims.bessel_function_at_infinity)
def by_the_remainder_of_the_expansion(claim: Claim) -> Certificate:
    """The ratio is between 1 - 1/(8x) and 1 for every x > 0."""
    there, domain = claims.x * claims.step, claims.bessel_function_at_infinity.domain
    ratio, over = claims.ratio(claims.step), (claims.step, 1, oo)
    read = unfold(ratio, claims.over_leading_term(there), domain, (over,))
    positive = joint(Compare(there, ">", 0), given=(Compare(claims.step, ">=", 1),))
    bounds = cut(fact(HANKEL, x=there), positive)
    goals = Compare(1 - 1 / (8 * there), "<=", ratio), Compare(ratio, "<=", 1)
    links = [joint(goal, bounds, read) for goal in goals]
    low, high = (generalise(link, *over) for link in links)
    ends = (limit(goals[0].left, claims.step), limit(Integer(1), claims.step))
    whole = both(generalise(both(*links), *over), squeezed(low, high, *ends))
    return conclude(claim, whole, method="remainder of an asymptotic expansion")


c = Recursion(
    "c", lambda: Integer(1),
    lambda k, before: before() * (half - 1 - k) * (half + k) / (k + 1) * sigma_qk**2 / 2,
)  # fmt: skip
r"""Of the polynomial p that the density is times $e^{-x/\sigma^2}$: its coefficients over the first.

$U_{2m}$ is a difference of two Gamma(m) variables, for $(1+s^2\sigma^4)^{-m}=|1-is\sigma^2|^{-2m}$.
"""
j, k = place(), Symbol("k", integer=True, nonnegative=True)


@cache
def coefficients_are_not_negative() -> Theorem:
    """c_k >= 0 for all k < m."""

    def body(at: Any) -> Implies:
        return Implies(Compare(at, "<=", half - 1), Compare(c(at), ">=", 0))

    start = joint(body(Integer(0)), recursion_start(c))
    step = joint(body(k + 1), assume(body(k)), recursion_step(c, k))
    return induction(start, step, k)


def degree_bounds(at: Any, positive: Theorem) -> tuple[Expr, Expr, tuple[Theorem, ...]]:
    """p(t) = sum_j c_(j-1) t^(m-j) and t p'(t); the one is positive, the other in [0, (m-1) p(t)]."""
    term, inside = c(j - 1) * at ** (half - j), (Compare(j, ">=", 1), Compare(j, "<=", half))
    weight, over = (half - j) * term, (j, 1, half)
    whole, moment = Sum(term, over), Sum(weight, over)
    known = instance(coefficients_are_not_negative(), j - 1)
    sign = joint(Compare(term, ">=", 0), known, positive, given=inside)
    ends = Compare(0, "<=", weight), Compare(weight, "<=", (half - 1) * term)
    sums = (sum_compared(generalise(joint(end, sign, given=inside), *over)) for end in ends)
    goals = Compare(0, "<=", moment), Compare(moment, "<=", (half - 1) * whole)
    one = joint(Compare(1, "<=", half))
    first = cut(sum_at_least_term(generalise(sign, *over), 1), one)
    start = joint(Compare(whole, ">", 0), first, recursion_start(c), positive)
    return whole, moment, (start, *map(linked, goals, sums))


@proves(claims.density_decays_at_least_like_the_exponential)
def by_the_degree_of_the_polynomial(claim: Claim) -> Certificate:
    """-f'/f = 1/sigma^2 - p'/p, and p'/p is between zero and (m-1)/t."""
    there, domain = claims.x * claims.step, claims.density_decays_at_the_rate_of_its_variance.domain
    slope, steady, over = claims.slope(claims.step), 1 / sigma_qk**2, (claims.step, 1, oo)
    positive = joint(Compare(there, ">", 0), given=(Compare(claims.step, ">=", 1),))
    whole, moment, bounds = degree_bounds(there, positive)
    read = unfold(slope, steady - moment / (there * whole), domain, (over,))
    goals = Compare(steady - (half - 1) / there, "<=", slope), Compare(slope, "<=", steady)
    apart = joint(Compare(there, "!=", 0), positive)
    links = [cut(joint(goal, read, positive, *bounds), apart) for goal in goals]
    low, high = (generalise(link, *over) for link in links)
    ends = limit(goals[0].left, claims.step), limit(steady, claims.step)
    theorem = both(generalise(both(*links), *over), squeezed(low, high, *ends))
    return conclude(claim, theorem, method="degree of a polynomial with positive coefficients")
