r"""Proofs for the second token's recursion and Lemma 11: two columns of X_2 W_V + e_d, and unit norm."""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Integer, Symbol, diff, factor, oo, simplify, sqrt, symbols

from claims.model import Claim
from claims.wu2024 import second_token as claims
from claims.wu2024.notation import w
from claims.wu2024.second_token import f, next_1, next_up, now_1, now_2, now_d, now_up, rho, y
from proofs.certificate import Certificate, Checked
from proofs.decide import decide, refute
from proofs.registry import proves
from proofs.wu2024.jordan import outgrowing, same_after

TOKENS = "all d >= 3, all w > 1, every second token of unit norm with r_2, ..., r_{d-1} > 0"


def same(left: Any, right: Any) -> bool:
    return bool(simplify(left - right) == 0)


@cache
def recursion() -> Checked:
    """With X_d = y x, X_{d-2} = q x for x = X_{d-1}: the update's quotient."""
    x, q = Symbol("x", nonzero=True), Symbol("q", positive=True)
    quotient = (w * x + y * x + 1) / (w * q * x + x)
    return Checked(
        r"y'=\frac{wX_{2,d-1}+X_{2,d}+1}{wX_{2,d-2}+X_{2,d-1}}"
        r"=\rho\left(y+w+\tfrac1{X_{2,d-1}}\right),\quad \rho=\frac1{1+wq_{d-1}}",
        "columns d - 1 and d of X_2 W_V + e_d",
        lambda: same(quotient, (y + w + 1 / x) / (1 + w * q)),
    )


@proves(claims.second_token_recursion_as_printed)
def by_columns(claim: Claim) -> Certificate:
    """The quotient of two columns of X_2 W_V + e_d; the first d - 1 columns are those of (31)."""
    value = ((w * now_1 + now_d + 1) / (w * now_2 + now_1), oo)
    update = {next_1: w * now_2 + now_1, next_up: now_up}
    return decide(
        claim, value, steps=(recursion(), *outgrowing()), same=same_after(update),
        method="one step of (31) with the first token at e_d", scope=TOKENS,
    )  # fmt: skip


@cache
def slopes() -> tuple[Any, Any, Any]:
    """1/X_{d-1}^2, the slope of 1/X_{d-1} and that of h, where X_{d-1} = side/sqrt(1 + f + y^2)."""
    side = Symbol("side", nonzero=True)  # its square is one
    inverse = side * sqrt(1 + f + y**2)
    last = side * y / sqrt(1 + f + y**2)  # X_d = y X_{d-1}, as side = 1/side
    square = simplify((inverse**2).subs(side**2, 1))
    slope, rising = diff(inverse, y), diff(rho * (y + w + inverse), y)
    return (
        square,
        simplify(slope - last) + now_d,
        factor(simplify(rising - rho * last) + rho * now_d),
    )


@cache
def prefactor_is_positive() -> bool:
    """rho = 1/(1 + w q) > 0; and 1 + X_d > 0, since X_d^2 = 1 - (1 + f) X_{d-1}^2 < 1."""
    q, rate = symbols("q w", positive=True)
    gap = simplify(1 - y**2 / (1 + f + y**2))
    return bool((1 / (1 + rate * q)).is_positive) and same(gap, (1 + f) / (1 + f + y**2))


@proves(claims.ratio_map_is_nondecreasing)
def by_unit_norm(claim: Claim) -> Certificate:
    """Unit norm gives 1/X_{d-1} as a function of y; differentiate it and h."""
    method = "derivative along tokens with the same r_2, ..., r_{d-1}"
    if claim.domain is not claims.ratio_map_is_nondecreasing.domain:
        return refute(claim, method=method, scope=TOKENS)
    sign = Checked(
        r"\rho=\frac1{1+wq_{d-1}}>0,\quad 1-X_{2,d}^2=\frac{1+f}{1+f+y^2}>0",
        "positive ratios and unit norm",
        prefactor_is_positive,
    )
    value = (*slopes(), Integer(0))
    return decide(claim, value, steps=(recursion(), sign), method=method, scope=TOKENS)
