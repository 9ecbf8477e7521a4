"""Proofs about two tokens in the plane: symmetry, the first token, stationary second tokens, scaling.

Everything is read off one layer with symbolic tokens and a symbolic weight w.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import (
    Expr,
    ImmutableDenseMatrix,
    Integer,
    Matrix,
    Symbol,
    simplify,
    sqrt,
)

from claims.model import Claim
from claims.wu2024 import plane as claims
from claims.wu2024.notation import t, w
from claims.wu2024.plane import POLE, attended, causal_scores_zero, x11, x12, x21, x22
from claims.wu2024.setup import jordan
from proofs.certificate import Certificate, Checked, Limit
from proofs.conclude import argued
from proofs.decide import decide, find_witness, refute
from proofs.registry import proves

PLANE = "N = d = 2, all real tokens off the axis, all real w > 1"


def second_moved(weight: Expr = w) -> ImmutableDenseMatrix:
    """Twice the second token after a layer beside (0, 1), before LayerNorm."""
    return 2 * attended(POLE, ImmutableDenseMatrix([[x21, x22]]), weight).row(1)


def is_zero(*expressions: Any) -> bool:
    return all(simplify(e) == 0 for e in expressions)


# The setting ---------------------------------------------------------------------------------------


def mirror_exchanges_signs() -> bool:
    """A X S W(-w) = A X W(w) S for S = diag(-1, 1), so that rows keep their norms."""
    mirror = Matrix([[-1, 0], [0, 1]])
    first, second = Matrix([[x11, x12]]), Matrix([[x21, x22]])
    return bool(
        (attended(first * mirror, second * mirror, -w) - attended(first, second, w) * mirror)
        .applyfunc(simplify)
        .is_zero_matrix
    )


def cross_product() -> bool:
    """X_2 x X_2' = X_{2,1} (1 + w X_{2,1}) up to a positive factor, and X_{2,1}' = X_{2,1}/2."""
    moved = second_moved()
    return is_zero(x21 * moved[1] - x22 * moved[0] - x21 * (1 + w * x21), moved[0] - x21)


def stationary_points_stay() -> bool:
    """At X_{2,1} = -1/w, a token of unit norm has X_{2,2}^2 = 1 - 1/w^2 and is its own successor."""
    moved = second_moved().subs(x21, -1 / w)
    norms = (1 - 1 / w**2) - (w - 1) * (w + 1) / w**2
    return is_zero(moved[0] + 1 / w, moved[1] - x22, norms)


ATTENTION = Checked(
    r"\operatorname{softmax}_{\mathcal G}(0)=\begin{bmatrix}1&0\\1/2&1/2\end{bmatrix}",
    "definition",
    lambda: causal_scores_zero(2) == Matrix([[2, 0], [1, 1]]) / 2,
)
MIRROR = Checked(
    r"A(XS)W_V(-w)=(AXW_V(w))S,\quad S=\operatorname{diag}(-1,1)",
    "symbolic tokens and w; S keeps the norms of rows, hence commutes with LayerNorm",
    mirror_exchanges_signs,
)
CROSS = Checked(
    r"2(X_{2,1}X_{2,2}'-X_{2,2}X_{2,1}')=X_{2,1}(1+wX_{2,1}),\quad 2X_{2,1}'=X_{2,1}",
    "one layer with symbolic tokens: off the axis, parallel means X_{2,1} = -1/w, and the side is kept",
    cross_product,
)
STAY = Checked(
    r"X_{2,1}=-\tfrac1w\Rightarrow 2X_2'=X_2;\quad X_{2,2}^2=\tfrac{(w-1)(w+1)}{w^2}",
    "one layer with symbolic w: two values of X_{2,2} if and only if |w| > 1, one if |w| = 1",
    stationary_points_stay,
)


@proves(claims.every_weight_leaves_two_tokens_stationary)
def by_cross_product_with_the_successor(claim: Claim) -> Certificate:
    """A token is stationary when its cross product with its successor vanishes on its own side."""
    method, scope = "cross product with the successor", "N = d = 2, all real w with |w| > 1"
    if find_witness(claim) is not None:
        return refute(claim, steps=(CROSS, STAY), method=method, scope="N = d = 2, real w")
    return argued(claim, steps=(ATTENTION, MIRROR, CROSS, STAY), method=method, scope=scope)


# The first token -----------------------------------------------------------------------------------

n = Symbol("n", integer=True, positive=True)


def power_of_value() -> bool:
    """W^n = [[1, n w], [0, 1]]: true for n = 1, and W^n W = W^(n+1)."""
    at = lambda k: Matrix([[1, k * w], [0, 1]])  # noqa: E731
    return at(1) == jordan(2, w) and bool(
        (at(n) * jordan(2, w) - at(n + 1)).applyfunc(simplify).is_zero_matrix
    )


def run_of_first(a: Expr) -> tuple[Expr, Expr]:
    """The first token after n layers, from (a, b) of any norm."""
    b, weight = Symbol("b", real=True), Symbol("w", positive=True)
    row = Matrix([[a, b]]) * Matrix([[1, n * weight], [0, 1]])
    norm = sqrt(row[0] ** 2 + row[1] ** 2)
    return row[0] / norm, row[1] / norm


@cache
def first_token_steps() -> tuple[Any, ...]:
    """The power of W, the limits from both sides of the axis, and the order of convergence."""
    a, b, weight = Symbol("a", real=True), Symbol("b", real=True), Symbol("w", positive=True)
    first, second = run_of_first(a)
    right = ({a: Integer(1), b: Integer(-3), weight: Integer(2)}, {a: 3, b: 4, weight: 5})
    left = ({a: Integer(-1), b: Integer(3), weight: Integer(2)}, {a: -3, b: 4, weight: 5})
    why = "the ratio (b + n w a)/a grows without bound, and the sign of a is kept"
    return (
        Checked(r"W_V^n=\begin{bmatrix}1&nw\\0&1\end{bmatrix}", "induction on n", power_of_value),
        Limit(first, n, Integer(0), (*right, *left), by=why),
        Limit(second, n, Integer(1), right, by=f"{why}: a > 0"),
        Limit(second, n, Integer(-1), left, by=f"{why}: a < 0"),
        Limit(n * weight * first, n, Integer(1), right, by="order of convergence: 1/(w n)"),
        Checked(
            r"X_{1,1}=0\Rightarrow X_1'=X_1",
            "the pole is an eigenvector of W_V",
            lambda: Matrix([[0, 1]]) * jordan(2, w) == Matrix([[0, 1]]),
        ),
    )


@proves(claims.first_token_runs_to_a_pole)
def by_power_of_the_value_matrix(claim: Claim) -> Certificate:
    """The first token attends to itself only, so it is X_1 W^n up to a positive factor."""
    after = lambda k: (Matrix([[x11, x12]]) * Matrix([[1, k * w], [0, 1]])).applyfunc(simplify)  # noqa: E731
    ratio = lambda row: row[1] / row[0]  # noqa: E731
    from sympy import sign

    one, final = after(t), after(t + 1)
    value = (simplify(ratio(final) - ratio(one)), ratio(final), Integer(0), sign(x11))
    return decide(
        claim, value, steps=first_token_steps(), method="power of the value matrix",
        scope="N = d = 2, all t >= 0, X_{1,1} != 0, w > 1",
    )  # fmt: skip


# Stationary second tokens --------------------------------------------------------------------------


def poles() -> bool:
    """Beside (0, 1), the token (0, 1) stays; (0, -1) and (0, 1) cancel."""
    up, down = (2 * attended(POLE, sign * POLE, w).row(1) for sign in (1, -1))
    return up == 2 * POLE and down == 0 * POLE


@proves(claims.second_token_is_stationary_at_two_points)
def by_solving_for_stationary_tokens(claim: Claim) -> Certificate:
    """The ratio after a layer; and where the cross product with the successor vanishes."""
    moved, height = second_moved(), sqrt(1 - 1 / w**2)
    value = (moved[1] / moved[0], -1 / w, height, -height)
    pole = Checked(
        r"(0,1)\mapsto(0,1),\quad (0,-1)\mapsto0:\ \text{LayerNorm undefined}", "one layer", poles
    )
    return decide(
        claim, value, steps=(CROSS, STAY, pole), method="cross product with the successor",
        scope=PLANE,
    )  # fmt: skip
