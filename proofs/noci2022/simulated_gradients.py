"""Trends of the log ratio of Eqs. (18) and (17), from the signs of its logarithmic derivatives."""

from __future__ import annotations

from functools import cache

from sympy import Add, Expr, Integer, Mul, Symbol, apart, diff, simplify, together

from claims.model import Claim
from claims.noci2022 import simulated_gradients as claims
from claims.noci2022.notation import n, rho, sigma_x
from proofs.certificate import Certificate, Checked, Identity
from proofs.decide import decide
from proofs.registry import proves

_others = Symbol("m", integer=True, positive=True)
READINGS = (Symbol("r", nonnegative=True), 1 - Symbol("u", positive=True))
"""What rho may be written as for 0 <= rho < 1; either is enough to know a sign."""


def sign_of_term(term: Expr) -> int:
    """The sign of a term for 0 <= rho < 1 and n >= 2, or 0 where sums of positives do not tell it."""
    for reading in READINGS:
        plain = together(term.subs(n, _others + 1).subs(rho, reading)).expand(numer=True)
        plain = simplify(plain)
        if plain.is_positive or plain.is_negative:
            return 1 if plain.is_positive else -1
    return 0


def common_sign(expression: Expr) -> Integer:
    """The sign shared by all terms of a sum."""
    signs = {sign_of_term(term) for term in Add.make_args(expression)}
    if len(signs) != 1 or 0 in signs:
        raise ArithmeticError(f"{expression}: its terms do not share a sign")
    return Integer(signs.pop())


@cache
def logarithmic_derivatives() -> tuple[Expr, Expr]:
    """d log((18)/(17)) / d rho in partial fractions, and the same by sigma_x."""
    ratio = claims.QUERIES / claims.VALUES
    by_rho = apart(simplify(diff(ratio, rho) / ratio), rho)
    return by_rho, simplify(diff(ratio, sigma_x) / ratio)


@proves(claims.predicted_log_ratio_has_the_same_trends)
def by_logarithmic_derivatives(claim: Claim) -> Certificate:
    """Every term of d log g/d rho is negative on [0, 1), and d log g/d sigma_x is 4/sigma_x."""
    ratio = claims.QUERIES / claims.VALUES
    by_rho, by_sigma = logarithmic_derivatives()
    value = (common_sign(by_rho), common_sign(by_sigma))
    steps = (
        Identity(diff(ratio, rho), by_rho * ratio, "quotient rule", claim.domain, r"\partial_\rho g"),
        Identity(
            diff(ratio, sigma_x), by_sigma * ratio, "quotient rule", claim.domain,
            r"\partial_{\sigma_x}g",
        ),
        Checked(
            r"g>0,\ \operatorname{sign}\left(\partial_\rho\log g,\ \partial_{\sigma_x}\log g\right)"
            rf"={value}\ \text{{on}}\ 0\le\rho<1,\ \sigma_x>0",
            "sums of terms and products of factors of known sign, with rho >= 0 or 1 - rho > 0 as a symbol",
            lambda: (
                (common_sign(by_rho), common_sign(by_sigma)) == value
                and all(sign_of_term(factor) == 1 for factor in Mul.make_args(ratio))
            ),
        ),
    )  # fmt: skip
    return decide(
        claim,
        value,
        steps=steps,
        method="by the signs of the logarithmic derivatives and the mean value theorem",
        scope="all n >= 2, d >= 1, 0 <= rho < rho' < 1, 0 < sigma_x < sigma_x'",
    )
