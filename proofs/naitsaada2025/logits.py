"""Proofs about the law of a logit: Gaussian integrals over one factor, then over the other."""

from __future__ import annotations

from functools import cache

from sympy import (
    Expr,
    Integer,
    Max,
    Rational,
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
from claims.naitsaada2025.logits import size, tilt
from claims.naitsaada2025.notation import d_qk, sigma_qk
from claims.statement import Compare
from proofs.certificate import Certificate
from proofs.conclude import argued, conclude
from proofs.facts import HANKEL
from proofs.kernel import (
    assume,
    both,
    congruent,
    cut,
    derived,
    discharge,
    fact,
    generalise,
    joint,
    limit,
    limit_combined,
    squeezed,
    substitute,
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


@proves(claims.density_decays_at_least_like_the_exponential)
def by_gamma_variables(claim: Claim) -> Certificate:
    r"""$U_{2m}$ is a difference of two Gamma($m$) variables of scale $\sigma^2$.

    For $(1+s^2\sigma^4)^{-m}=|1-is\sigma^2|^{-2m}$; its density is a polynomial times $e^{-x/\sigma^2}$.  For
    any $d$, odd too, $(1+s^2\sigma^4)^{-d/2}$ is the transform of a Bessel density of order $(d-1)/2$.
    """
    return argued(claim, steps=(), method="characteristic function and Gamma variables")
