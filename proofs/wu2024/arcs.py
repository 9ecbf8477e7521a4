"""Proofs of App. E about one layer of the second token beside the pole (0, 1)."""

from __future__ import annotations

from functools import cache

from sympy import ImmutableDenseMatrix, Symbol, simplify, sqrt

from claims.model import Claim
from claims.statement import Compare
from claims.wu2024 import arcs as claims
from claims.wu2024.notation import w
from claims.wu2024.plane import POLE, attended, x21, x22
from proofs.calculation import algebra, conjuncts
from proofs.certificate import Certificate
from proofs.conclude import conclude, facts_of
from proofs.kernel import Theorem, assume, both, cut, derived, discharge, joint, substitute, unfold
from proofs.registry import proves
from proofs.wu2024.half_circles import LARGE, NORMED, SQUARED, A, B, H, M, R, V, height, top
from proofs.wu2024.plane import SECOND, on, ratio_after_a_layer, second_moved

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


# The four segments ---------------------------------------------------------------------------------

h = Symbol("h", real=True)
MOVED, NEXT = second_moved(), [claims.next_coordinate(k) for k in (1, 2)]
NORM = sqrt(MOVED[0] ** 2 + MOVED[1] ** 2)
ONE_LAYER_ON = {R: NORM, A: NEXT[0], B: NEXT[1], M: MOVED[0], V: MOVED[1]}
KNOWN = (
    Compare(h, ">", 0), Compare(h**2, "=", w**2 - 1), Compare(h, "<", w), LARGE,
    Compare(A, "<", 0), Compare(A**2 + B**2, "=", 1),
)  # fmt: skip
"""h = sqrt(w^2 - 1), and a token of the left half."""


@cache
def by_two_lines() -> Theorem:
    """On the left half the segments are told by the sides of two lines, those through A and through B."""
    above, below = Compare(B + h * A, ">", 0), Compare(B - h * A, "<", 0)
    beside = Compare(B + h * A, "<", 0) & Compare(B - h * A, ">", 0)
    product = joint(Compare((B + h * A) * (B - h * A), "=", 1 - (w * A) ** 2), given=KNOWN)
    segments = (
        Compare(w * B, ">", h).iff(above),
        Compare(w * A, "<", -1).iff(beside),
        Compare(w * B, "<", -h).iff(below),
    )
    return both(*(joint(each, product, given=KNOWN) for each in segments))


@cache
def sides_are_kept() -> Theorem:
    """(V - k A)(1 - w A) = (B - k A)(1 + B - (w - k) A) for V = B + 1 + w A, k = h and k = -h."""
    given, after, parts = (*KNOWN, Compare(B, ">", -1)), B + 1 + w * A, []
    for k in (h, -h):
        now, then, factor = B - k * A, after - k * A, 1 + B - (w - k) * A
        product = joint(Compare(then * (1 - w * A), "=", now * factor), given=given)
        positive = joint(Compare(factor, ">", 0) & Compare(1 - w * A, ">", 0), given=given)
        parts += [
            joint(Compare(now, sign, 0).implies(Compare(then, sign, 0)), product, positive)
            for sign in "<>"
        ]
    return both(*parts)


def next_token() -> Theorem:
    """X_2' times the norm before LayerNorm, which is positive; X_2' has norm one."""
    size = on(SECOND, Compare(NORM, ">", 0) & Compare(NORM**2, "=", MOVED[0] ** 2 + MOVED[1] ** 2))
    scaled = [
        joint(Compare(NORM * end, "=", row), unfold(end, row / NORM, SECOND), size)
        for end, row in zip(NEXT, MOVED, strict=True)
    ]
    unit = algebra(Compare(A**2 + B**2, "=", 1), (*NORMED, SQUARED), ONE_LAYER_ON, size, *scaled)
    return both(size, *scaled, unit)


@cache
def forgets_the_norm() -> Theorem:
    """B - k A has the sign of R (B - k A) = V - k M, k = h and k = -h."""
    parts = []
    for k in (h, -h):
        product = joint(Compare(R * (B - k * A), "=", V - k * M), given=NORMED)
        parts += [
            joint(
                Compare(V - k * M, sign, 0).implies(Compare(B - k * A, sign, 0)), product,
                given=NORMED[:1],
            )
            for sign in "<>"
        ]  # fmt: skip
    return both(*parts)


@proves(claims.no_layer_leaves_a_segment)
def by_the_sides_of_two_lines(claim: Claim) -> Certificate:
    """A layer multiplies what tells the sides of the lines through A and through B by positive factors."""
    right, *left = conjuncts(claims.no_layer_leaves_a_segment.formula)
    after, half = next_token(), Compare(x21, "<", 0)
    begin, end = {A: x21, B: x22, h: H}, {**ONE_LAYER_ON, h: H}
    stays_left = joint(Compare(NEXT[0], "<", 0), after, given=(half,))
    kept = substitute(sides_are_kept(), begin)
    scaled = cut(substitute(forgets_the_norm(), end), after)
    tells = [
        cut(substitute(by_two_lines(), begin), height()),
        cut(substitute(by_two_lines(), end), height(), stays_left, after),
    ]
    parts = [on(SECOND, right, after)]
    for each in left:
        found = joint(each, kept, scaled, *tells, stays_left, top(), given=(LARGE,))
        parts.append(discharge(cut(found, height(), assume(LARGE)), half))
    theorem = joint(claims.no_layer_leaves_a_segment.formula, *parts, given=facts_of(SECOND))
    return conclude(claim, theorem, method="sides of the lines through $A$ and through $B$")
