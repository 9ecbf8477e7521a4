r"""Sec. 4.3.1 and App. E: two tokens in the plane, causal mask, zero scores, W_V = [[1, w], [0, 1]].

A token of unit norm is (2u, 1 - u^2)/(1 + u^2) for the u of stereographic projection from (0, -1), so
that rational u give exact tokens; u = 0 is the pole (0, 1).  A ratio is X_{i,2}/X_{i,1}.  LayerNorm
divides rows by positive numbers, so that ratios and signs can be read before it.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import (
    ImmutableDenseMatrix,
    Integer,
    Poly,
    Rational,
    Symbol,
    exp,
    limit,
    oo,
    sign,
    sqrt,
)

from claims.domain import Choice, Computed, Condition, Domain, Point, Real
from claims.masks import Mask, causal
from claims.model import Claim, Hypothesis, Mutant, Understood
from claims.statement import And, Compare, ForAll, Formula, Quantity
from claims.terms import family
from claims.wu2024.lengths import UNIT
from claims.wu2024.notation import N, X, d, source, t, w
from claims.wu2024.setup import jordan
from claims.wu2024.unit_tokens import UnitRows

u = Symbol("u", real=True)
x11, x12, x21, x22 = (Symbol(f"X_{{{i},{j}}}", real=True) for i in (1, 2) for j in (1, 2))
POLE = ImmutableDenseMatrix([[0, 1]])

SETTING = Hypothesis(
    r"N=d=2,\ \mathcal G\ \text{causal},\ W_Q=W_K=0,\ W_V=\begin{bmatrix}1&w\\0&1\end{bmatrix}"
)
LARGE_W = Hypothesis(r"w>1")
FIRST_AT_POLE = Hypothesis(r"X_{1,:}=(0,1)")
above_one = Real(w, 1, open_low=True)


def first_has_converged(instance: str) -> Understood:
    """The standing assumption of the convergence analysis, stated after Theorem 3."""
    return Understood(
        "the first token is at its limit $(0, 1)$: all tokens before the one that is followed are "
        "assumed to have converged",
        f"$w = 2$, $X_1 = (1, 0)$, {instance}",
    )


def on_circle(parameter: Any) -> tuple[Any, Any]:
    """(2u, 1 - u^2)/(1 + u^2)."""
    square = 1 + parameter**2
    return 2 * parameter / square, (1 - parameter**2) / square


def circle_point(first: Symbol, second: Symbol) -> tuple[Any, ...]:
    """Domain variables of one token of unit norm, other than (0, -1)."""
    unit = (Compare(first**2 + second**2, "=", 1), Compare(second, ">", -1))
    return (
        Real(u),
        Computed(first, lambda at: on_circle(at[u])[0]),
        Computed(second, lambda at: on_circle(at[u])[1], known=unit),
    )


def off_axis(first: Symbol) -> Condition:
    """The token is neither (0, 1) nor (0, -1)."""
    return Condition(rf"{first}\ne0", lambda at: at[first] != 0, Compare(first, "!=", 0))


def causal_scores_zero(size: int, mask: Mask | None = None) -> ImmutableDenseMatrix:
    """Masked softmax of zero scores, from its definition: exp(0) over the sum of allowed exp(0)."""
    edges = (mask or causal(size)).matrix.applyfunc(lambda entry: entry * exp(0))
    return ImmutableDenseMatrix(
        size, size, lambda i, j: edges[i, j] / sum(edges.row(i), start=Integer(0))
    )


def attended(first: Any, second: Any, weight: Any) -> ImmutableDenseMatrix:
    """A X W_V before LayerNorm, for two tokens in the plane."""
    tokens = ImmutableDenseMatrix.vstack(first, second)
    return causal_scores_zero(2) * tokens * jordan(2, weight)


def after_step(point: Point) -> ImmutableDenseMatrix:
    """The second token before LayerNorm, one layer on, when the first is (0, 1)."""
    second = ImmutableDenseMatrix([[point[x21], point[x22]]])
    return attended(POLE, second, point[w]).row(1)


@cache
def stationary_tokens(weight: Any) -> tuple[tuple[Any, Any], ...]:
    """Second tokens with X_{2,1} != 0 that a layer leaves where they are, the first at (0, 1).

    Stationary means parallel to its successor, and on the same side of the origin; highest first.
    """
    scaled = 1 + u**2
    here = ImmutableDenseMatrix([[2 * u, 1 - u**2]])
    there = attended(POLE * scaled, here, weight).row(1)
    cross = Poly((here[0] * there[1] - here[1] * there[0]).expand(), u)
    along = Poly((here * there.T)[0].expand(), u)
    found = [
        on_circle(root)
        for root in dict.fromkeys(cross.real_roots())
        if root != 0 and along.as_expr().subs(u, root) > 0
    ]
    return tuple(sorted(((a, b.simplify()) for a, b in map(_simple, found)), key=lambda x: -x[1]))


def _simple(token: tuple[Any, Any]) -> tuple[Any, Any]:
    return token[0].simplify(), token[1].simplify()


# The setting ---------------------------------------------------------------------------------------

_MIRROR = ImmutableDenseMatrix([[-1, 0], [0, 1]])


def _layer(point: Point, mirror: Any, weight: Any) -> ImmutableDenseMatrix:
    return attended(point[X].row(0) * mirror, point[X].row(1) * mirror, weight)


weight_of = family("A_{{{},{}}}", lambda at, i, j: causal_scores_zero(2)[i - 1, j - 1])
after_layer = family(
    r"\left(AXW_V(w)\right)_{{{},{}}}",
    lambda at, i, b: _layer(at, ImmutableDenseMatrix.eye(2), at[w])[i - 1, b - 1],
)
after_mirrored = family(
    r"\left(AXSW_V(-w)\right)_{{{},{}}}",
    lambda at, i, b: _layer(at, _MIRROR, -at[w])[i - 1, b - 1],
)
"""S reflects the first coordinate: S = diag(-1, 1)."""
stationary_count = Quantity(
    r"\#\{X_2:\ X_{2,1}\ne0,\ X_2'=X_2\ \text{beside}\ (0,1)\}",
    lambda at: Integer(len(stationary_tokens(at[w]))),
)


def _all(*links: tuple[Any, Any]) -> Formula:
    return And(tuple(Compare(left, "=", right) for left, right in links))


def _attention(first: tuple[Any, Any], second: tuple[Any, Any] = (Rational(1, 2),) * 2) -> Formula:
    """A as printed, row by row."""
    rows = enumerate((first, second), start=1)
    return _all(*((weight_of(i, j), value) for i, row in rows for j, value in enumerate(row, 1)))


_reflected = _all(
    *((after_mirrored(i, 1), -after_layer(i, 1)) for i in (1, 2)),
    *((after_mirrored(i, 2), after_layer(i, 2)) for i in (1, 2)),
)
_as_for_large_w = (
    _attention((Integer(1), Integer(0))) & _reflected & stationary_count.equals(Integer(2))
)
_two = (Choice(N, (Integer(2),)), Choice(d, (Integer(2),)), UnitRows(X))
_large = Condition(r"|w|>1", lambda at: abs(at[w]) > 1, Compare(abs(w), ">", 1))
large_weights_of_either_sign_leave_two_tokens_stationary = Claim(
    id="wu2024.sec-4.3.1.counterexample-setting.repair",
    parent="wu2024.sec-4.3.1.counterexample-setting",
    source=source("Sec. 4.3.1"),
    kind="construction",
    title="The example with $|w| > 1$ is that with $w > 1$, up to a reflection.",
    statement=_as_for_large_w,
    domain=Domain((Real(w), *_two), (_large,)),
    hypotheses=(SETTING, UNIT, Hypothesis(r"|w|>1")),
    note=(
        "For $|w| < 1$ no second token with $X_{2,1}\\ne0$ is stationary and all collapse to the "
        "first; for $|w| = 1$ the points $A$ and $B$ are one semi-stable point. The paper needs "
        "$|w| > 1$, and then $w > 1$ is no loss of generality."
    ),
)

every_weight_leaves_two_tokens_stationary = Claim(
    id="wu2024.sec-4.3.1.counterexample-setting",
    source=source("Sec. 4.3.1"),
    kind="construction",
    title="For every real $w$ the example behaves as for $w > 1$.",
    statement=_as_for_large_w,
    printed=r"w \in \mathbb{R}.\ \text{Without loss of generality, fix } w > 1",
    domain=Domain((Real(w), *_two)),
    hypotheses=(SETTING, UNIT, Hypothesis(r"w\in\mathbb R")),
    mutants=(Mutant("the first token attends to both", _attention((Rational(1, 2),) * 2)),),
    severity="misprint",
    repair=large_weights_of_either_sign_leave_two_tokens_stationary,
    note=(
        '"Without loss of generality, fix $w > 1$" is read as: every $w$ gives the same picture, '
        "$A$, the reflection and the two stationary tokens $A\\ne B$. For $|w| < 1$ nothing is "
        "stationary off the axis, and the second token always collapses."
    ),
)

# The first token -----------------------------------------------------------------------------------


def _run(point: Point, layers: int) -> ImmutableDenseMatrix:
    """X_1 W_V^layers: LayerNorm only divides it by a positive number."""
    tokens = ImmutableDenseMatrix([[point[x11], point[x12]]])
    for _ in range(layers):
        tokens = tokens * jordan(2, point[w])
    return tokens


def _limit_of_first(point: Point) -> tuple[Any, ...]:
    """lim X_1 W^n/|X_1 W^n|: entries are polynomials in n, found from their first values."""
    rows = [_run(point, layers) for layers in range(2)]
    n = Symbol("n")
    entries = [Poly(row[0] + (row[1] - row[0]) * n, n) for row in zip(*rows, strict=True)]
    norm = sum((e**2 for e in entries), start=Poly(0, n))
    return tuple(
        sign(e.LC()) * sqrt(limit((e**2).as_expr() / norm.as_expr(), n, oo)) for e in entries
    )


ratio_after = family(
    r"\frac{{X_{{1,2}}^{{({0})}}}}{{X_{{1,1}}^{{({0})}}}}",
    lambda at, layers: _run(at, layers)[1] / _run(at, layers)[0],
)


def _limit(b: int) -> Quantity:
    name = rf"\lim_{{t\to\infty}}X_{{1,{b + 1}}}^{{(t)}}"
    return Quantity(name, lambda at: _limit_of_first(at)[b])


first_limits = (_limit(0), _limit(1))


def _first(layers: Any, left: Any = -1) -> Formula:
    """One step, the ratio after t + 1 layers with w times `layers` gained, and the limits."""
    step = Compare(ratio_after(t + 1), "=", ratio_after(t) + w)
    gained = Compare(ratio_after(t + 1), "=", x12 / x11 + w * layers)
    sides = ((Compare(x11, ">", 0), Integer(1)), (Compare(x11, "<", 0), left))
    to_right, to_left = (side.implies(first_limits[1].equals(end)) for side, end in sides)
    tends = first_limits[0].equals(Integer(0)) & to_right & to_left
    return ForAll(t, 0, oo, step & gained) & tends


_first_domain = Domain((above_one, *circle_point(x11, x12)), (off_axis(x11),))
_FIRST_HYPOTHESES = (SETTING, LARGE_W, Hypothesis(r"X_{1,1}^{(0)}\ne0"))
ratio_of_the_first_token_grows_by_w = Claim(
    id="wu2024.sec-4.3.1.first-token.repair",
    parent="wu2024.sec-4.3.1.first-token",
    source=source("Sec. 4.3.1; App. E", "First token"),
    kind="dynamics",
    title="The first token's ratio after $t + 1$ layers is its initial ratio plus $w(t + 1)$.",
    statement=_first(t + 1),
    domain=_first_domain,
    hypotheses=_FIRST_HYPOTHESES,
    note=(
        "The ratio after $t + 1$ layers has grown by $w(t + 1)$, not $wt$; the recurrence and the "
        "limits are right. The token tends to $(0,\\pm1)$ at distance $\\sim1/(wt)$; a token with "
        "$X_{1,1} = 0$ stays."
    ),
)
first_token_runs_to_a_pole = Claim(
    id="wu2024.sec-4.3.1.first-token",
    source=source("Sec. 4.3.1; App. E", "First token"),
    kind="dynamics",
    title="The first token's ratio grows by $w$ a layer, and the token tends to a pole.",
    statement=_first(t),
    printed=(
        r"\frac{X_{1,2}^{(t+1)}}{X_{1,1}^{(t+1)}} = \frac{X_{1,2}^{(0)}}{X_{1,1}^{(0)}} + wt,\quad "
        r"\lim_{t \rightarrow \infty} X_{1,:}^{(t)} = \begin{cases} {[0, 1]} & \text{if } "
        r"X_{1,1}^{(0)} > 0 \\ {[0, -1]} & \text{if } X_{1,1}^{(0)} < 0 \end{cases}"
    ),
    domain=_first_domain,
    hypotheses=_FIRST_HYPOTHESES,
    mutants=(Mutant("always to (0, 1)", _first(t + 1, Integer(1))),),
    severity="misprint",
    repair=ratio_of_the_first_token_grows_by_w,
    note="Off by one: $wt$ belongs to layer $t$, as App. F.3 has it in Eq. (34).",
)

# Stationary second tokens ----------------------------------------------------------------------------


def _next_ratio(point: Point) -> Any:
    row = after_step(point)
    return row[1] / row[0]


next_ratio = Quantity(r"\frac{X_{2,2}'}{X_{2,1}'}", _next_ratio)
ratio = x22 / x21
_height = sqrt(1 - 1 / w**2)


def _stationary(here: Any = -1 / w, height: Any = _height) -> Formula:
    """The ratio after a layer, and where it is the ratio before: at A and B exactly."""
    above, below = (Compare(x22, "=", s * height) for s in (1, -1))
    still = Compare(x21, "=", here) & (above | below)
    return next_ratio.equals(ratio + w + 1 / x21) & next_ratio.equals(ratio).iff(still)


second_domain = Domain((above_one, *circle_point(x21, x22)), (off_axis(x21),))
second_token_is_stationary_at_two_points = Claim(
    id="wu2024.sec-4.3.1.fixed-points",
    source=source("Sec. 4.3.1; App. E", "Second token"),
    kind="identity",
    title="Beside the first token at $(0, 1)$, the second is stationary exactly at $A$ and $B$.",
    statement=_stationary(),
    printed=(
        r"\frac{X_{2,2}^{(t+1)}}{X_{2,1}^{(t+1)}} = \frac{X_{2,2}^{(t)}}{X_{2,1}^{(t)}} + w + "
        r"\frac{1}{X_{2,1}^{(t)}},\quad A = \left(-\frac{1}{w}, \sqrt{1 - \frac{1}{w^2}}\right),\ "
        r"B = \left(-\frac{1}{w}, -\sqrt{1 - \frac{1}{w^2}}\right)"
    ),
    domain=second_domain,
    hypotheses=(SETTING, LARGE_W, FIRST_AT_POLE, Hypothesis(r"X_{2,1}\ne0")),
    probes=(second_domain.completed({w: Rational(5, 4), u: Rational(-1, 2)}),),
    understood=(
        first_has_converged(
            "$X_2 = (-4/5, 3/5)$: the ratio goes from $-3/4$ to $5$, and not to $0$"
        ),
    ),
    note=(
        "With $X_{2,1} = 0$ the token $(0, 1)$ is fixed too; at $(0, -1)$ the two tokens cancel, and "
        "LayerNorm is not defined."
    ),
)
