"""Trends of the exact gradient norms in sigma_x^2, rho, n and d, and the moments they involve.

A sign is certified by shifting every variable to the end of its range: if all coefficients of a
polynomial in the shifted variables are positive, so is the polynomial.
"""

from __future__ import annotations

from functools import cache, partial
from operator import eq
from typing import Any

from sympy import Expr, Integer, Poly, Rational, Symbol, fraction, sign, together

from claims.model import Claim, Relation
from claims.noci2022 import moments
from claims.noci2022 import scaling as claims
from claims.noci2022.notation import X, d, n, rho, sigma_x
from proofs.calculus.deltas import delta_sum, tidy, vanishes
from proofs.calculus.wick import equal as equal_words
from proofs.calculus.wick import expectation
from proofs.certificate import Certificate, Checked, Identity, Limit
from proofs.decide import decide
from proofs.noci2022.moments import gradient
from proofs.noci2022.setup import expected_norm, uniform_jacobian
from proofs.noci2022.terms import centre_entry, token_indices
from proofs.registry import proves

PARAMETERS = claims.PARAMETERS
t, h, k, s, w = (Symbol(name, positive=True) for name in "thksw")


def positive(expression: Expr) -> bool:
    """Whether numerator and denominator have positive coefficients only, in positive symbols."""
    top, bottom = fraction(together(tidy(expression)))
    symbols_ = sorted(expression.free_symbols, key=str)
    return all(
        all(c > 0 for c in Poly(part, *symbols_).coeffs()) if symbols_ else part > 0
        for part in (top, bottom)
    )


def certified_sign(expression: Expr, shifts: dict[Any, Any]) -> int:
    """The sign of a rational function on a whole range, given by shifts to positive symbols.

    Raises `ArithmeticError` when the coefficients do not have one sign.
    """
    shifted = tidy(expression.subs(shifts, simultaneous=True))
    if shifted == 0:
        return 0
    for candidate in (1, -1):
        if positive(candidate * shifted):
            return candidate
    raise ArithmeticError(f"no sign by coefficients: {shifted}; choose other shifts")


@cache
def power_in_scale(parameter: str) -> int:
    """The power of s in E||dS/dW||_F^2 at tokens sX, from its normal form in trace words."""
    scaled = expectation(expected_norm(uniform_jacobian(parameter)).xreplace({X: s * X}), [])
    ((power,),) = Poly(scaled, s).monoms()
    return int(power)


def homogeneous(parameter: str) -> Checked:
    """E||dS/dW||_F^2 at sX is a power of s times its value at X."""
    norm, power = expected_norm(uniform_jacobian(parameter)), power_in_scale(parameter)
    return Checked(
        rf"G_{{\mathrm{{{parameter}}}}}(sX)=s^{{{power}}}\,G_{{\mathrm{{{parameter}}}}}(X)",
        "normal form of trace words",
        lambda: equal_words(norm.xreplace({X: s * X}), s**power * norm),
    )


@proves(claims.gradient_norms_are_powers_of_the_variance)
def by_homogeneity(claim: Claim) -> Certificate:
    """Values are linear in X and queries and keys cubic, so the squares have degrees two and six."""
    value = tuple(Rational(power_in_scale(parameter), 2) for parameter in PARAMETERS)
    return decide(
        claim, value, steps=tuple(map(homogeneous, PARAMETERS)), method="homogeneity of trace words"
    )


LATER = {rho: 1 - t - h, claims.rho2: 1 - t, n: k + 1, sigma_x: s, d: w}
"""rho = 1 - t - h < rho' = 1 - t <= 1, n = k + 1; t = 0 is checked apart."""


@cache
def trend(parameter: str) -> int:
    """The sign of the change of the exact gradient norm from rho to rho' > rho."""
    norm = gradient(parameter)
    change = norm.subs(rho, claims.rho2) - norm
    at_one = {**LATER, rho: 1 - h, claims.rho2: Integer(1)}
    signs = {certified_sign(change, shifts) for shifts in (LATER, at_one)}
    (only,) = signs
    return only


def _has_trend(parameter: str, expected: int) -> bool:
    return trend(parameter) == expected


@proves(claims.gradient_norms_are_monotone_in_the_correlation)
def by_signs_of_coefficients(claim: Claim) -> Certificate:
    """The change from rho to rho' has coefficients of one sign in 1 - rho' and rho' - rho."""
    value = tuple(Integer(trend(parameter)) for parameter in PARAMETERS)
    steps = tuple(
        Checked(
            rf"\operatorname{{sign}}(G(\rho')-G(\rho))={sign_}\ \text{{for the {parameter}}}",
            r"coefficients of one sign in $t=1-\rho'$, $h=\rho'-\rho$, $n-1$, $d$, $\sigma_x$",
            partial(_has_trend, parameter, int(sign_)),
        )
        for parameter, sign_ in zip(PARAMETERS, value, strict=True)
    )
    return decide(claim, value, steps=steps, method="signs of coefficients", same=_same_flags)


def _same_flags(left: tuple[Any, ...], right: tuple[Any, ...]) -> bool:
    return all(vanishes(a - b) if a != b else True for a, b in zip(left, right, strict=True))


@cache
def growth_signs() -> tuple[int, int, int, int, Expr]:
    """The five signs of the claim, the last as a multiple of the sign of rho."""
    shifts = {rho: 1 - t, n: k + 1, sigma_x: s, d: w}
    by_width = [
        certified_sign(g.subs(d, d + 1) * d**2 - g * (d + 1) ** 2, shifts)
        for g in (gradient("values"), gradient("queries"))
    ]
    values, queries = gradient("values"), gradient("queries")
    longer = {g: g.subs(n, n + 1) for g in (values, queries)}
    at_zero = lambda e: e.subs(rho, 0)  # noqa: E731
    by_length = [certified_sign(at_zero(longer[g] - g), shifts) for g in (values, queries)]
    moved = longer[queries] * values * at_zero(queries * longer[values])
    plain = queries * longer[values] * at_zero(longer[queries] * values)
    # The difference vanishes at rho = 0; what is left after dividing by rho has one sign.
    remainder = certified_sign(tidy((moved - plain) / rho), shifts)
    return by_width[0], by_width[1], by_length[0], by_length[1], remainder * sign(rho)


def growth_steps() -> tuple[Any, ...]:
    """The signs again, and the exact query norm against its printed form in the limits."""
    printed = moments.query_gradient_norm_of_gaussian_tokens.statement
    assert isinstance(printed, Relation)
    ratio = tidy(gradient("queries") / printed.rhs[0])
    excess = 1 + 4 * (1 - rho) / (n * d)
    domain = claims.gradient_norms_scale_differently_with_width_and_length.domain
    sample = ({rho: Rational(1, 3)}, {rho: Rational(0)}, {rho: Rational(3, 4)})
    limits = [
        Limit(ratio, variable, Integer(1), tuple({**p, other: Integer(2)} for p in sample))
        for variable, other in ((n, d), (d, n))
    ]
    return (
        Checked(
            r"\text{signs } 0,\ -1,\ 0,\ 1,\ -\operatorname{sign}\rho\ \text{on the whole range}",
            r"coefficients of one sign in $1-\rho$, $n-1$, $d$, $\sigma_x$; a factor $\rho$ in "
            "the last",
            lambda: growth_signs() == (0, -1, 0, 1, -sign(rho)),
        ),
        Identity(ratio, excess, "cancellation", domain, r"\text{exact over printed queries}"),
        *limits,
    )


@proves(claims.gradient_norms_scale_differently_with_width_and_length)
def by_signs_of_growth(claim: Claim) -> Certificate:
    """Compare growth in d with d^2, n + 1 with n at rho = 0, and how Q/V moves at rho and at 0."""
    value = growth_signs()
    return decide(
        claim,
        tuple(map(Integer, value[:4])) + value[4:],
        steps=growth_steps(),
        method="signs of coefficients of the exact norms",
        same=eq,
    )


GAUSSIAN_SIXTH, THREE_POINT_SIXTH = claims.MOMENTS["gaussian"][2], claims.MOMENTS["three-point"][2]


def sixth_order_gap() -> Expr:
    """Only pure sixth powers tell the two laws apart; X_ij^6 has the coefficient L_ii^2."""
    a, *_ = token_indices()
    return (GAUSSIAN_SIXTH - THREE_POINT_SIXTH) * d * delta_sum(centre_entry(a, a) ** 2, [a])


@proves(claims.sixth_order_moments_enter)
def by_the_monomials_that_differ(claim: Claim) -> Certificate:
    """The joint moments of the two laws differ in sixth moments only."""
    method = "the monomials that tell the two laws apart"
    return decide(claim, sixth_order_gap(), method=method)
