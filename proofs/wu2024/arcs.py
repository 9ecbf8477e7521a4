"""Proofs of App. E: one-dimensional dynamics of the second token beside the pole (0, 1).

On the left half of the circle X_{2,1} = -1/s and X_{2,2} = -y/s with s = sqrt(1 + y^2); on the right
half with the other sign.  Everything follows from g(y) = y + w -+ s and s^2 = 1 + y^2.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Abs, Expr, ImmutableDenseMatrix, Symbol, acos, cos, pi, simplify, sqrt, symbols

from claims.model import Claim
from claims.wu2024 import arcs as claims
from claims.wu2024.notation import w
from claims.wu2024.plane import POLE, attended, x21, x22
from proofs.certificate import Certificate, Checked
from proofs.conclude import argued, conclude
from proofs.kernel import Theorem, derived
from proofs.registry import proves
from proofs.wu2024.plane import (
    SECOND,
    is_zero,
    on,
    ratio_after_a_layer,
    second_moved,
)

y = Symbol("y", real=True)
root = sqrt(1 + y**2)
LEFT, RIGHT = {x21: -1 / root, x22: -y / root}, {x21: 1 / root, x22: y / root}

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


# The limit -----------------------------------------------------------------------------------------


def g(half: dict[Any, Expr]) -> Expr:
    """The ratio after a layer as a function of the ratio y before it."""
    moved = second_moved().subs(half)
    return simplify(moved[1] / moved[0])


COORDINATE = Checked(
    r"g(y)=y+w\mp\sqrt{1+y^2},\quad y=X_{2,2}/X_{2,1},\ \text{left and right half}",
    "one layer with symbolic tokens",
    lambda: is_zero(g(LEFT) - (y + w - root), g(RIGHT) - (y + w + root)),
)

h = Symbol("h", positive=True)
"""w = sqrt(1 + h^2): every w > 1 once, with y_B = h and y_A = -h."""
weight = sqrt(1 + h**2)


def drift() -> bool:
    """(g(y) - y)(w + s) = w^2 - 1 - y^2 = (h - y)(h + y) on the left; w + s > 0 on the right."""
    left = (g(LEFT) - y) * (w + root)
    right = (g(RIGHT) - y).subs(w, weight)
    return is_zero(left - (w**2 - 1 - y**2), (left.subs(w, weight)) - (h - y) * (h + y)) and bool(
        right.is_positive
    )


def endpoints() -> bool:
    """y_A = -h and y_B = h are A and B, and X_{2,2} = -y/s falls in y on the left half."""
    at = lambda value: (LEFT[x21].subs(y, value), LEFT[x22].subs(y, value))  # noqa: E731
    height = sqrt(1 - 1 / weight**2)
    (a1, a2), (b1, b2) = at(-h), at(h)
    falls = is_zero(LEFT[x22].diff(y) * (1 + y**2) ** 2 + root)
    return is_zero(a1 + 1 / weight, a2 - height, b1 + 1 / weight, b2 + height) and falls


def ends_of_the_half() -> bool:
    """As y -> -oo on the left, or +oo on the right, the token tends to (0, 1)."""
    z = Symbol("z", positive=True)  # |y| = 1/z
    near = lambda half, sign: [e.subs(y, sign / z).simplify().limit(z, 0, "+") for e in half]  # noqa: E731
    left, right = (near([half[x21], half[x22]], sign) for half, sign in ((LEFT, -1), (RIGHT, 1)))
    return left == [0, 1] == right


def multipliers() -> bool:
    """g'(y_B) = 1 - sqrt(1 - 1/w^2) lies in (0, 1); g'(y_A) = 1 + sqrt(1 - 1/w^2) > 1."""
    at = lambda value: g(LEFT).diff(y).subs(y, value)  # noqa: E731
    height = h / weight  # sqrt(1 - 1/w^2), below one since h^2 < 1 + h^2
    return is_zero(
        at(h) - (1 - height), at(-h) - (1 + height), (1 / height) ** 2 - 1 - 1 / h**2
    ) and is_zero(sqrt(1 - 1 / weight**2) - height)


def pole_stays() -> bool:
    """Beside (0, 1), the token (0, 1) stays."""
    return bool(2 * attended(POLE, POLE, w).row(1) == 2 * POLE)


def arc() -> bool:
    """A stands at the angle arccos(1/w) above (-1, 0), and (0, -1) at pi/2 below it."""
    angle = acos(1 / weight)
    return is_zero(
        cos(pi - angle) + 1 / weight, (pi / 2 + angle) / (2 * pi) - (1 + 2 * angle / pi) / 4
    )


def small_weights() -> bool:
    """|w| < 1: (g(y) - y)(w + s) = -(1 - w^2) - y^2 < 0 everywhere; w = 1: -y^2."""
    gap = symbols("q", positive=True)  # q = 1 - w^2
    change = simplify((g(LEFT) - y) * (w + root)).subs(w**2, 1 - gap)
    return is_zero(change + gap + y**2) and bool((-gap - Abs(y) ** 2).is_negative)


LIMIT_STEPS = (
    COORDINATE,
    Checked(
        r"(g(y)-y)(w+\sqrt{1+y^2})=(h-y)(h+y)\ \text{on the left half},\ h=\sqrt{w^2-1};\quad"
        r" g(y)-y=w+\sqrt{1+y^2}\ \text{on the right}",
        r"algebra: $g$ is increasing, so the arcs between $-\infty$, $-h$, $h$ and $\infty$ are "
        r"invariant; the sequence is monotone on each and tends to its end: to $-\infty$ below "
        r"$-h$, to $h$ above $-h$, to $\infty$ on the right",
        drift,
    ),
    Checked(
        r"y=\mp h\ \text{are } A, B;\quad X_{2,2}<X_{2,2}^A\iff y>-h\ \text{on the left half}",
        "symbolic $w>1$",
        endpoints,
    ),
    Checked(
        r"y\to-\infty\ \text{(left)},\ y\to\infty\ \text{(right)}:\ X_2\to(0,1)",
        "limits of both coordinates",
        ends_of_the_half,
    ),
    Checked(r"(0,1)\mapsto(0,1)", "one layer", pole_stays),
    Checked(
        r"g'(y_B)=1-\sqrt{1-1/w^2}\in(0,1),\quad g'(y_A)=1+\sqrt{1-1/w^2}>1",
        "symbolic $w>1$: $B$ attracts at a geometric rate, $A$ repels",
        multipliers,
    ),
    Checked(
        r"|\text{arc}|/2\pi=\tfrac14+\tfrac{\arccos(1/w)}{2\pi}",
        r"$A$ is at the angle $\arccos(1/w)$ from $(-1,0)$",
        arc,
    ),
    Checked(
        r"|w|<1:\ (g(y)-y)(w+\sqrt{1+y^2})=-(1-w^2)-y^2<0",
        "no stationary ratio: all second tokens tend to $(0,1)$; for $w=1$, $y=0$ is semi-stable",
        small_weights,
    ),
)


@proves(claims.second_token_tends_to_b_below_a)
def by_monotone_iteration(claim: Claim) -> Certificate:
    """A monotone map of a line has monotone orbits, which tend to stationary points or to infinity."""
    return argued(claim, steps=LIMIT_STEPS, method="monotone iteration")
