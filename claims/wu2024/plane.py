r"""Sec. 4.3.1 and App. E: two tokens in the plane, causal mask, zero scores, W_V = [[1, w], [0, 1]].

A token of unit norm is (2u, 1 - u^2)/(1 + u^2) for the u of stereographic projection from (0, -1), so
that rational u give exact tokens; u = 0 is the pole (0, 1).  A ratio is X_{i,2}/X_{i,1}.  LayerNorm
divides rows by positive numbers, so that ratios and signs can be read before it.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import (
    Expr,
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

from claims.domain import Choice, Computed, Condition, Domain, Point, Real, Size
from claims.masks import Mask, causal
from claims.model import Claim, Hypothesis, Mutant, Proposition, Relation, variants
from claims.wu2024.notation import N, X, d, source, t, w
from claims.wu2024.setup import UnitRows, jordan

u = Symbol("u", real=True)
x11, x12, x21, x22 = (Symbol(f"X_{{{i},{j}}}", real=True) for i in (1, 2) for j in (1, 2))
POLE = ImmutableDenseMatrix([[0, 1]])

SETTING = Hypothesis(
    r"N=d=2,\ \mathcal G\ \text{causal},\ W_Q=W_K=0,\ W_V=\begin{bmatrix}1&w\\0&1\end{bmatrix}"
)
LARGE_W = Hypothesis(r"w>1")
FIRST_AT_POLE = Hypothesis(r"X_{1,:}=(0,1)")
OFF_AXIS = Condition(r"u\ne0", lambda at: at[u] != 0)
above_one = Real(w, 1, open_low=True)


def on_circle(parameter: Any) -> tuple[Any, Any]:
    """(2u, 1 - u^2)/(1 + u^2)."""
    square = 1 + parameter**2
    return 2 * parameter / square, (1 - parameter**2) / square


def circle_point(first: Symbol, second: Symbol) -> tuple[Any, ...]:
    """Domain variables of one token of unit norm, other than (0, -1)."""
    return (
        Real(u),
        Computed(first, lambda at: on_circle(at[u])[0]),
        Computed(second, lambda at: on_circle(at[u])[1]),
    )


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


def setting(point: Point) -> tuple[Any, ...]:
    """A of zero scores; whether -w is the mirror image of w; the number of stationary tokens."""
    first, second = point[X].row(0), point[X].row(1)
    mirrored = attended(first * _MIRROR, second * _MIRROR, -point[w])
    same = mirrored == attended(first, second, point[w]) * _MIRROR
    return causal_scores_zero(2), same, len(stationary_tokens(point[w]))


def _entries(matrix: Any) -> list[list[float]]:
    return [[float(x) for x in row] for row in matrix.tolist()]


def _as_for_large_w(point: Point, value: tuple[Any, ...]) -> bool:
    return _entries(value[0]) == [[1, 0], [0.5, 0.5]] and bool(value[1]) and int(value[2]) == 2


_two = (Choice(N, (Integer(2),)), Choice(d, (Integer(2),)), UnitRows(X))
_SAME = (
    r"A=\begin{bmatrix}1&0\\1/2&1/2\end{bmatrix},\ X_{i,1}\mapsto-X_{i,1}\ \text{exchanges}\ w,-w,"
    r"\ \text{and there are two stationary second tokens } A\ne B"
)
large_weights_of_either_sign_leave_two_tokens_stationary = Claim(
    id="wu2024.sec-4.3.1.counterexample-setting.repair",
    parent="wu2024.sec-4.3.1.counterexample-setting",
    source=source("Sec. 4.3.1"),
    kind="construction",
    title="The example with |w| > 1 is that with w > 1, up to a reflection.",
    statement=Proposition(_SAME, _as_for_large_w),
    domain=Domain((Real(w), *_two), (Condition(r"|w|>1", lambda at: abs(at[w]) > 1),)),
    define=setting,
    hypotheses=(SETTING, Hypothesis(r"|w|>1")),
    note=(
        "For |w| < 1 no second token with X_{2,1} != 0 is stationary and all collapse to the first; "
        "for |w| = 1 A and B are one semi-stable point. The paper needs |w| > 1, and then w > 1 is "
        "no loss of generality."
    ),
)

every_weight_leaves_two_tokens_stationary = Claim(
    id="wu2024.sec-4.3.1.counterexample-setting",
    source=source("Sec. 4.3.1"),
    kind="construction",
    title="For every real w the example behaves as for w > 1.",
    statement=Proposition(rf"\forall w\in\mathbb R:\ {_SAME}", _as_for_large_w),
    domain=Domain((Real(w), *_two)),
    define=setting,
    hypotheses=(SETTING, Hypothesis(r"w\in\mathbb R")),
    mutants=(
        Mutant(
            "the first token attends to both",
            Proposition(
                r"A_{ij}=\tfrac12", lambda point, value: _entries(value[0]) == [[0.5, 0.5]] * 2
            ),
        ),
        Mutant(
            "four stationary tokens",
            Proposition(r"4\ \text{stationary tokens}", lambda point, value: int(value[2]) == 4),
        ),
        Mutant(
            "|w| = 1 allowed",
            Proposition(_SAME, _as_for_large_w),
            domain=Domain((Choice(w, (Integer(1), Integer(2), Integer(-1))), *_two)),
        ),
    ),
    severity="missing-hypothesis",
    repair=large_weights_of_either_sign_leave_two_tokens_stationary,
    note="For |w| < 1 nothing is stationary off the axis, and the second token always collapses.",
)

# The first token -----------------------------------------------------------------------------------


def first_token(point: Point) -> tuple[Any, ...]:
    """Ratio after t + 1 layers less that after t; the former; the limit of the token."""
    value = jordan(2, point[w])
    start = ImmutableDenseMatrix([[point[x11], point[x12]]])
    before, row = start, start
    for _ in range(int(point[t]) + 1):
        before, row = row, row * value
    ratio = row[1] / row[0]
    return (ratio - before[1] / before[0], ratio, *_limit_of_first(start, point[w]))


@cache
def _limit_of_first(start: ImmutableDenseMatrix, weight: Any) -> tuple[Any, Any]:
    """lim X_1^{(n)}: rows of X_1 W^n over their norm, with W^n from SymPy's Jordan form."""
    layers = Symbol("n", integer=True, positive=True)
    row = start * jordan(2, weight) ** layers
    norm = sqrt((row[0] ** 2 + row[1] ** 2).expand())
    return limit(row[0] / norm, layers, oo), limit(row[1] / norm, layers, oo)


_FIRST = (
    r"\left(\frac{X_{1,2}^{(t+1)}}{X_{1,1}^{(t+1)}}-\frac{X_{1,2}^{(t)}}{X_{1,1}^{(t)}},"
    r"\frac{X_{1,2}^{(t+1)}}{X_{1,1}^{(t+1)}},\lim_{s\to\infty}X_{1,:}^{(s)}\right)"
)
_ratio = x12 / x11


def _first(ratio: Any, step: Any = w, end: tuple[Any, Any] = (Integer(0), sign(x11))) -> tuple:
    return (step, ratio, *end)


_first_domain = Domain((above_one, *circle_point(x11, x12), Size(t, 0, 6)), (OFF_AXIS,))
_FIRST_HYPOTHESES = (SETTING, LARGE_W, Hypothesis(r"X_{1,1}^{(0)}\ne0"))
ratio_of_the_first_token_grows_by_w = Claim(
    id="wu2024.sec-4.3.1.first-token.repair",
    parent="wu2024.sec-4.3.1.first-token",
    source=source("Sec. 4.3.1; App. E", "First token"),
    kind="dynamics",
    title="The first token's ratio after t + 1 layers is its initial ratio plus w (t + 1).",
    statement=Relation(_FIRST, (_first(_ratio + w * (t + 1)),)),
    domain=_first_domain,
    define=first_token,
    hypotheses=_FIRST_HYPOTHESES,
    note=(
        "The ratio after t + 1 layers has grown by w (t + 1), not w t; the recurrence and the limits "
        "are right. The token tends to (0, +-1) at distance ~ 1/(w t); X_{1,1} = 0 is fixed."
    ),
)
first_token_runs_to_a_pole = Claim(
    id="wu2024.sec-4.3.1.first-token",
    source=source("Sec. 4.3.1; App. E", "First token"),
    kind="dynamics",
    title="The first token's ratio grows by w per layer, and the token tends to a pole.",
    statement=Relation(_FIRST, (_first(_ratio + w * t),)),
    domain=_first_domain,
    define=first_token,
    hypotheses=_FIRST_HYPOTHESES,
    mutants=variants(
        ("w(t+2)", _first(_ratio + w * (t + 2))),
        ("w^t for w t", _first(_ratio + w**t)),
        ("always to (0, 1)", _first(_ratio + w * (t + 1), end=(Integer(0), Integer(1)))),
        ("2 w per layer", _first(_ratio + w * (t + 1), step=2 * w)),
        lhs=_FIRST,
    ),
    severity="misprint",
    repair=ratio_of_the_first_token_grows_by_w,
    probes=(_first_domain.completed({w: Integer(2), u: Rational(-1, 2), t: Integer(1)}),),
    note="Off by one: w t belongs to layer t, as App. F.3 has it in Eq. (34).",
)

# Stationary second tokens ----------------------------------------------------------------------------


def second_token(point: Point) -> tuple[Any, ...]:
    """The ratio after a layer, and the stationary tokens: their X_{2,1}, and the two X_{2,2}."""
    row = after_step(point)
    (first, high), (same, low) = stationary_tokens(point[w])
    assert first == same, "the two stationary tokens share their first coordinate"
    return row[1] / row[0], first, high, low


_SECOND = r"\left(\frac{X_{2,2}'}{X_{2,1}'},\ X_{2,1}^A=X_{2,1}^B,\ X_{2,2}^A,\ X_{2,2}^B\right)"
_height = sqrt(1 - 1 / w**2)
_y = x22 / x21


def _stationary(ratio: Expr, first: Expr = -1 / w, height: Expr = _height) -> tuple[Expr, ...]:
    return ratio, first, height, -height


second_domain = Domain((above_one, *circle_point(x21, x22)), (OFF_AXIS,))
second_token_is_stationary_at_two_points = Claim(
    id="wu2024.sec-4.3.1.fixed-points",
    source=source("Sec. 4.3.1; App. E", "Second token"),
    kind="identity",
    title="Beside the first token at (0, 1), the second is stationary exactly at A and B.",
    statement=Relation(_SECOND, (_stationary(_y + w + 1 / x21),)),
    domain=second_domain,
    define=second_token,
    hypotheses=(SETTING, LARGE_W, FIRST_AT_POLE, Hypothesis(r"X_{2,1}\ne0")),
    mutants=variants(
        ("-w for w", _stationary(_y - w + 1 / x21)),
        ("1/X_{2,1} dropped", _stationary(_y + w)),
        ("1/w for -1/w", _stationary(_y + w + 1 / x21, first=1 / w)),
        ("1/w for 1/w^2", _stationary(_y + w + 1 / x21, height=sqrt(1 - 1 / w))),
        lhs=_SECOND,
    ),
    note=(
        "With X_{2,1} = 0, (0, 1) is fixed too; at (0, -1) the two tokens cancel, and LayerNorm is "
        "not defined."
    ),
)
