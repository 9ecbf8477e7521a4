"""Proofs about the law of a logit: Gaussian integrals over one factor, then over the other."""

from __future__ import annotations

from functools import cache

from sympy import (
    Expr,
    Integer,
    Max,
    Rational,
    Symbol,
    cosh,
    exp,
    integrate,
    oo,
    pi,
    simplify,
    sinh,
    sqrt,
    symbols,
)  # fmt: skip

from claims.model import Claim
from claims.naitsaada2025 import logits as claims
from claims.naitsaada2025.logits import size, tilt
from claims.naitsaada2025.notation import d_qk, sigma_qk
from claims.statement import Compare
from proofs.certificate import Certificate, Checked
from proofs.conclude import argued, conclude
from proofs.kernel import (
    assume,
    both,
    congruent,
    cut,
    derived,
    discharge,
    joint,
    limit,
    limit_combined,
    substitute,
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


def half_angle() -> bool:
    """cosh t - 1 = u^2/x and dt/du = 2/sqrt(2x + u^2) for u = sqrt(2x) sinh(t/2)."""
    t, y = symbols("t x", positive=True)
    u = sqrt(2 * y) * sinh(t / 2)
    height = (cosh(t) - 1 - u**2 / y).rewrite(exp)
    slope = u.diff(t) ** 2 - (2 * y + u**2) / 4
    return simplify(height) == 0 and simplify(slope.rewrite(exp)) == 0


def tangent_of_the_root() -> bool:
    """1 - z/2 <= (1 + z)^(-1/2) <= 1: (1 - z/2)^2 (1 + z) = 1 - z^2 (3 - z)/4; and the two integrals."""
    z, u, y = symbols("z u x", positive=True)
    square = ((1 - z / 2) ** 2 * (1 + z) - 1 + z**2 * (3 - z) / 4).expand() == 0
    low = integrate((1 - u**2 / (4 * y)) * exp(-(u**2)), (u, 0, oo)) * 2 / sqrt(pi)
    high = integrate(exp(-(u**2)), (u, 0, oo)) * 2 / sqrt(pi)
    return square and simplify(low - 1 + 1 / (8 * y)) == 0 and simplify(high - 1) == 0


BETWEEN = (
    Checked(
        r"\frac{K_0(x)}{\sqrt{\pi/(2x)}\,e^{-x}}=\frac2{\sqrt\pi}\int_0^\infty "
        r"e^{-u^2}\Bigl(1+\frac{u^2}{2x}\Bigr)^{-1/2}du",
        r"$K_0(x)=\int_0^\infty e^{-x\cosh t}dt$ with $u=\sqrt{2x}\sinh(t/2)$",
        half_angle,
    ),
    Checked(
        r"1-\frac1{8x}\le\frac{K_0(x)}{\sqrt{\pi/(2x)}\,e^{-x}}\le1\quad\text{for every}\ x>0",
        r"$1-\frac z2\le(1+z)^{-1/2}\le1$ under the integral, where $0\le z\le2$; beyond, the left is negative",
        tangent_of_the_root,
    ),
)


@proves(claims.bessel_function_at_infinity)
def by_the_half_angle(claim: Claim) -> Certificate:
    """The ratio is between 1 - 1/(8x) and 1 for every x > 0."""
    return argued(claim, steps=BETWEEN, method="half an angle; bounds under the integral")


@proves(claims.density_decays_at_least_like_the_exponential)
def by_gamma_variables(claim: Claim) -> Certificate:
    r"""$U_{2m}$ is a difference of two Gamma($m$) variables of scale $\sigma^2$.

    For $(1+s^2\sigma^4)^{-m}=|1-is\sigma^2|^{-2m}$; its density is a polynomial times $e^{-x/\sigma^2}$.  For
    any $d$, odd too, $(1+s^2\sigma^4)^{-d/2}$ is the transform of a Bessel density of order $(d-1)/2$.
    """
    return argued(claim, steps=(), method="characteristic function and Gamma variables")
