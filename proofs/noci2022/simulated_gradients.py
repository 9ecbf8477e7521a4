"""Trends of the ratio of Eqs. (18) and (17): one factor depends on rho, another on sigma_x."""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Expr, symbols

from claims.model import Claim
from claims.noci2022 import simulated_gradients as claims
from claims.noci2022.notation import d, n, rho, sigma_x
from claims.noci2022.simulated_gradients import RATIO, rho2, sigma2
from claims.statement import Compare
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.kernel import Theorem, assume, both, cut, joint, substitute, unfold
from proofs.registry import proves

DOMAIN = claims.predicted_log_ratio_has_the_same_trends.domain
a, b, c, k = symbols("a b c k", real=True)
a2, b2, c2 = symbols("a' b' c'", real=True)


def _known(left: Any, sign: str, right: Any) -> Theorem:
    return assume(Compare(left, sign, right))


AT_LEAST_TWO_TOKENS, A_FEATURE = _known(n, ">=", 2), _known(d, ">=", 1)
POSITIVE_INPUT = _known(sigma_x, ">", 0)


def is_positive(term: Expr, *known: Theorem) -> Theorem:
    return joint(Compare(term, ">", 0), AT_LEAST_TWO_TOKENS, A_FEATURE, *known)


def read(quantity: Any, moved: dict[Any, Any]) -> Theorem:
    """The quantity is the printed ratio."""
    return unfold(quantity, RATIO.subs(moved), DOMAIN)


def falls_with_correlation() -> Theorem:
    """k (1 - rho)^2/(1 + rho (n - 1)): the numerator falls, the denominator grows."""
    free = sigma_x**4 * (d + n) * (n - 1) / (d * n)
    top, bottom = (1 - rho) ** 2, 1 + rho * (n - 1)
    lower, higher = top.subs(rho, rho2), bottom.subs(rho, rho2)
    apart, under_one = _known(rho, "<", rho2), _known(rho2, "<", 1)
    signs = (
        is_positive(free, POSITIVE_INPUT),
        joint(Compare(lower, "<", top), apart, under_one),
        joint(Compare(higher, ">", bottom), apart, AT_LEAST_TWO_TOKENS),
        is_positive(bottom, _known(rho, ">=", 0)),
        joint(Compare(top, ">", 0), apart, under_one),
    )
    quotient = joint(
        Compare(k * a2 / b2, "<", k * a / b),
        given=(
            Compare(k, ">", 0), Compare(a2, "<", a), Compare(b2, ">", b), Compare(b, ">", 0),
            Compare(a, ">", 0),
        ),
    )  # fmt: skip
    named = {k: free, a: top, a2: lower, b: bottom, b2: higher}
    ordered = cut(substitute(quotient, named), *signs)
    here = read(claims.here, {})
    moved = read(claims.along_rho, {rho: rho2})
    return joint(Compare(claims.along_rho, "<", claims.here), here, moved, ordered)


def grows_with_input() -> Theorem:
    """k sigma_x^4."""
    free = (1 - rho) ** 2 * (d + n) * (n - 1) / (d * n * (1 + rho * (n - 1)))
    below_one = joint(Compare((1 - rho) ** 2, ">", 0), _known(rho, "<", 1))
    below = is_positive(1 + rho * (n - 1), _known(rho, ">=", 0))
    rest = is_positive((d + n) * (n - 1) / (d * n))
    product = joint(Compare(a * b / c, ">", 0), given=tuple(Compare(x, ">", 0) for x in (a, b, c)))
    values = {a: (1 - rho) ** 2, b: (d + n) * (n - 1) / (d * n), c: 1 + rho * (n - 1)}
    positive = joint(
        Compare(free, ">", 0), cut(substitute(product, values), below_one, below, rest)
    )
    powers = joint(
        Compare(sigma2**4, ">", sigma_x**4), POSITIVE_INPUT, _known(sigma_x, "<", sigma2)
    )
    scaled = joint(Compare(k * c2, ">", k * c), given=(Compare(k, ">", 0), Compare(c2, ">", c)))
    ordered = cut(substitute(scaled, {k: free, c: sigma_x**4, c2: sigma2**4}), positive, powers)
    here = read(claims.here, {})
    moved = read(claims.along_sigma, {sigma_x: sigma2})
    return joint(Compare(claims.along_sigma, ">", claims.here), here, moved, ordered)


@cache
def both_trends() -> Theorem:
    return both(falls_with_correlation(), grows_with_input())


@proves(claims.predicted_log_ratio_has_the_same_trends)
def by_the_factors_of_the_ratio(claim: Claim) -> Certificate:
    """(1 - rho)^2 falls and 1 + rho (n - 1) grows with rho; the other factor is sigma_x^4."""
    return conclude(claim, both_trends(), method="the ratio's factors, compared one by one")
