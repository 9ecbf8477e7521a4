"""How likely one of many Pareto variables is large."""

from __future__ import annotations

from functools import cache

from sympy import Rational, Symbol, exp

from claims.model import Claim
from claims.naitsaada2025 import heavy_rows as claims
from claims.naitsaada2025 import rank_collapse
from claims.naitsaada2025.heavy_rows import delta
from claims.naitsaada2025.notation import T
from claims.statement import Compare
from proofs.calculus.inequalities import BoxBound, MonotoneSign
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.facts import EXP_ABOVE_TANGENT, POWER_FALLS, POWER_INCREASES
from proofs.kernel import (
    Theorem,
    both,
    certified,
    cut,
    fact,
    joint,
    substitute,
    unfold,
    within,
    words,
)  # fmt: skip
from proofs.registry import proves

DOMAIN = claims.one_entry_keeps_the_rank_with_polynomial_probability.domain


@cache
def one_of_many_is_large() -> Theorem:
    """(1 - x)^n <= e^(-nx) <= 1 - nx/4 where nx <= 1; here n x = T^2 (4T)^(-4-delta) <= 1/16."""
    x, n, y = (4 * T) ** (-(4 + delta)), T**2, Symbol("y", real=True)
    slope = BoxBound(exp(-y) - Rational(1, 4), ((y, 0, 1),))
    convex = certified(MonotoneSign(1 - y / 4 - exp(-y), slope, 0, ">=0"))
    falls = fact(POWER_FALLS, a=1 / (4 * T), p=2, q=4 + delta)
    size = joint(Compare(T, ">=", 1))
    small = cut(
        falls,
        joint(Compare(1 / (4 * T), ">", 0), size),
        joint(Compare(1 / (4 * T), "<=", 1), size),
        joint(Compare(2, "<=", 4 + delta)),
    )
    tangent = fact(EXP_ABOVE_TANGENT, x=-x)
    power = fact(POWER_INCREASES, a=1 - x, b=exp(-x), p=n)
    ends = [
        joint(Compare(0, "<=", n * x), size),
        joint(Compare(n * x, "<=", 1), small, size),
        joint(Compare(1 - x, ">=", 0), small, size),
        joint(Compare(1 - x, "<=", exp(-x)), tangent),
        joint(Compare(n, ">=", 0), size),
    ]
    many = cut(substitute(convex, {y: n * x}), *ends)
    known = unfold(claims.heavy, 1 - (1 - x) ** n, DOMAIN)
    return joint(claims.heavy.at_least(n * x / 4), known, cut(power, *ends), many)


@proves(
    claims.collapse_is_overwhelming_under_a_fourth_moment,
    rank_collapse.collapse_in_width_at_every_depth,
)
def by_one_large_entry(claim: Claim) -> Certificate:
    """The entry's probability is derived; what it does to the stable rank is argued, and measured."""
    text = (
        "its row has more than half of its weight on one token, so that the row and the mean of the "
        "others span two directions of comparable share"
    )
    keeps = words(claims.kept.at_least(Rational(1, 2)), text, within(DOMAIN))
    method = "probability of the largest of independent variables"
    return conclude(claim, both(one_of_many_is_large(), keeps), method=method)
