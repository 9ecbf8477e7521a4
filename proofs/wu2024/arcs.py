"""Proofs of App. E about one layer of the second token beside the pole (0, 1)."""

from __future__ import annotations

from functools import cache

from sympy import ImmutableDenseMatrix, Symbol, simplify

from claims.model import Claim
from claims.wu2024 import arcs as claims
from claims.wu2024.notation import w
from claims.wu2024.plane import POLE, attended, x21, x22
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.kernel import Theorem, derived
from proofs.registry import proves
from proofs.wu2024.plane import SECOND, on, ratio_after_a_layer

# Eq. (28) and Lemma 10 -----------------------------------------------------------------------------


@proves(claims.ratio_falls_everywhere_else)
def by_sign_of_the_change(claim: Claim) -> Certificate:
    """The change of the ratio is w + 1/X_{2,1}, whose sign is read off on four ranges of X_{2,1}."""
    repaired = claims.ratio_moves_by_the_side_of_the_stationary_tokens
    theorem = on(SECOND, repaired.formula, ratio_after_a_layer())
    return conclude(claim, theorem, method="sign of the change in one layer")


@cache
def slope() -> Theorem:
    """dg/dy: the derivatives of both ratios along the tangent (-X_{2,2}, X_{2,1}) of the circle."""
    s = Symbol("s", real=True)
    moved = ImmutableDenseMatrix([[x21 - s * x22, x22 + s * x21]])
    after = attended(POLE, moved, w).row(1)
    rates = [(row[1] / row[0]).diff(s).subs(s, 0) for row in (after, moved)]
    return derived(claims.slope_of_g, simplify(rates[0] / rates[1]), SECOND, "derivative")


@proves(claims.slope_of_g_is_one_plus_the_first_coordinate)
def by_differentiating_along_the_circle(claim: Claim) -> Certificate:
    """The derivative is 1 + X_{2,2}/|X_2|^2, and tokens have unit norm."""
    repaired = claims.slope_of_g_is_one_plus_the_second_coordinate
    theorem = on(SECOND, repaired.formula, slope())
    return conclude(claim, theorem, method="derivative along the circle")
