r"""App. E: where the second token goes once the first is at the pole (0, 1).

On either half of the circle the ratio y = X_{2,2}/X_{2,1} is a coordinate, and a layer acts on it by
g(y) = y + w + 1/X_{2,1} with 1/X_{2,1} = -sqrt(1 + y^2) on the left half.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal, localcontext
from functools import lru_cache
from typing import Any

from sympy import Abs, Float, Integer, Rational, Symbol, oo, sqrt, zoo

from claims.domain import Domain, Point
from claims.model import Claim, Hypothesis, Mutant, Understood
from claims.statement import And, Compare, ForAll, Formula, Quantity, Tends
from claims.terms import family, from_zero
from claims.wu2024.notation import source, t, w
from claims.wu2024.plane import (
    FIRST_AT_POLE,
    LARGE_W,
    SETTING,
    above_one,
    after_step,
    circle_point,
    first_has_converged,
    first_token_runs_to_a_pole,
    next_ratio,
    ratio,
    second_domain,
    second_token_is_stationary_at_two_points,
    u,
    x21,
    x22,
)
from claims.wu2024.trajectory import decimal_of, unit_row

_HYPOTHESES = (SETTING, LARGE_W, FIRST_AT_POLE, Hypothesis(r"X_{2,1}\ne0"))

# Eq. (28) ------------------------------------------------------------------------------------------


def _if(premise: Formula, sign: str) -> Formula:
    """The ratio after a layer against the ratio before, under a premise."""
    return premise.implies(Compare(next_ratio, sign, ratio))


_left, _at = Compare(x21, "<", -1 / w), Compare(x21, "=", -1 / w)
_between, _right = Compare(-1 / w, "<", x21) & Compare(x21, "<", 0), Compare(x21, ">", 0)
ratio_moves_by_the_side_of_the_stationary_tokens = Claim(
    id="wu2024.app-E.eq-28.repair",
    parent="wu2024.app-E.eq-28",
    source=source("App. E", "Eq. (28)"),
    kind="bound",
    title="On the left half of the circle the ratio grows left of $A$ and $B$, and falls right of them.",
    statement=_if(_left, ">") & _if(_at, "=") & _if(_between, "<") & _if(_right, ">"),
    domain=second_domain,
    hypotheses=_HYPOTHESES,
    note=(
        "The ratio falls for $-1/w < X_{2,1} < 0$ only: it stays at $X_{2,1} = -1/w$ and grows for "
        "$X_{2,1} > 0$."
    ),
)
ratio_falls_everywhere_else = Claim(
    id="wu2024.app-E.eq-28",
    source=source("App. E", "Eq. (28)"),
    kind="bound",
    title="The second token's ratio grows for $X_{2,1} < -1/w$ and falls otherwise.",
    statement=_if(_left, ">") & _if(~_left, "<"),
    printed=(
        r"\begin{cases} \frac{X_{2,2}^{(t+1)}}{X_{2,1}^{(t+1)}} > \frac{X_{2,2}^{(t)}}{X_{2,1}^{(t)}} "
        r"& \text{if } X_{2,1} < -1/w \\ \frac{X_{2,2}^{(t+1)}}{X_{2,1}^{(t+1)}} < "
        r"\frac{X_{2,2}^{(t)}}{X_{2,1}^{(t)}} & \text{otherwise} . \end{cases}"
    ),
    domain=second_domain,
    hypotheses=_HYPOTHESES,
    uses=(second_token_is_stationary_at_two_points,),
    severity="missing-hypothesis",
    repair=ratio_moves_by_the_side_of_the_stationary_tokens,
    probes=(
        second_domain.completed({w: Rational(5, 4), u: Rational(-1, 2)}),
        second_domain.completed({w: Integer(2), u: Rational(1, 3)}),
    ),
    understood=(
        first_has_converged(
            "$X_2 = (-3/5, -4/5)$: left of $A$ and $B$ the ratio falls, $4/3$ to $0$"
        ),
    ),
    note=(
        "For $X_{2,1} > 0$ the ratio grows too, by $w + 1/X_{2,1}$, and at $X_{2,1} = -1/w$ it does "
        'not move: "otherwise" must read $-1/w < X_{2,1} < 0$. The conclusions drawn from it stand.'
    ),
)

# Lemma 10 ------------------------------------------------------------------------------------------


def slope_along_circle(point: Point) -> Any:
    """dg/dy along the circle: the derivatives of both ratios along the tangent (-X_{2,2}, X_{2,1})."""
    along = Symbol("s")
    moved = {**point, x21: point[x21] - along * point[x22], x22: point[x22] + along * point[x21]}
    # To first order the tangent line is the circle, so that X_2 keeps its norm beside the pole.
    row = after_step(moved)
    here, there = moved[x22] / moved[x21], row[1] / row[0]
    return (there.diff(along) / here.diff(along)).subs(along, 0)


slope_of_g = Quantity(r"\frac{\partial g}{\partial y}", slope_along_circle)


def _nondecreasing(value: Any) -> Formula:
    return slope_of_g.equals(value) & slope_of_g.at_least(Integer(0))


slope_of_g_is_one_plus_the_second_coordinate = Claim(
    id="wu2024.app-E.lemma-10.repair",
    parent="wu2024.app-E.lemma-10",
    source=source("App. E", "Lemma 10"),
    kind="identity",
    title="The slope of $g$ is one plus the second coordinate of the second token, never negative.",
    statement=_nondecreasing(1 + x22),
    domain=second_domain,
    hypotheses=_HYPOTHESES,
    note=(
        "The derivative of $1/X_{2,1}$ is $X_{2,2}$, as the line before says, so the slope is "
        "$1 + X_{2,2} > 0$: $g$ is increasing, and the lemma holds."
    ),
)
slope_of_g_is_one_plus_the_first_coordinate = Claim(
    id="wu2024.app-E.lemma-10",
    source=source("App. E", "Lemma 10"),
    kind="identity",
    title="The slope of $g$ is one plus the first coordinate of the second token, never negative.",
    statement=_nondecreasing(1 + x21),
    printed=r"\frac{\partial g}{\partial y} = 1 + X_{2,1} \geq 0",
    domain=second_domain,
    hypotheses=_HYPOTHESES,
    severity="misprint",
    repair=slope_of_g_is_one_plus_the_second_coordinate,
    understood=(
        first_has_converged(
            "$X_2 = (-3/5, -4/5)$: the slope is $9/10$, neither $1 + X_{2,1}$ nor $1 + X_{2,2}$"
        ),
    ),
    note=(
        "$X_{2,1}$ for $X_{2,2}$ in the last line of the proof; the lemma itself is right on either half of "
        "the circle. Of both, $g$ is no function of $X_{2,2}/X_{2,1}$, which is the same for opposite tokens: "
        "at $w=2$ it is $3$ at $(1,0)$ and $1$ at $(-1,0)$."
    ),
)

# The four segments ---------------------------------------------------------------------------------

_height = sqrt(1 - 1 / w**2)


def _next(point: Point, b: int) -> Any:
    """A coordinate one layer on, of unit norm."""
    row = after_step(point)
    return row[b - 1] / sqrt(row[0] ** 2 + row[1] ** 2)


next_coordinate = family("X_{{2,{}}}'", _next)


def _segments(first: Any, second: Any) -> tuple[Formula, ...]:
    """The right half of the circle; on the left half above A, between A and B, and below B."""
    left = Compare(first, "<", 0)
    return (
        Compare(first, ">", 0),
        left & Compare(second, ">", _height),
        Compare(first, "<", -1 / w),
        left & Compare(second, "<", -_height),
    )


def _quarters(first: Any, second: Any) -> tuple[Formula, ...]:
    """The left half above (-1, 0), and below."""
    left = Compare(first, "<", 0)
    return left & Compare(second, ">", 0), left & Compare(second, "<", 0)


def _kept(segments: Callable[[Any, Any], tuple[Formula, ...]]) -> Formula:
    """A token of a segment is in it one layer on."""
    pairs = zip(segments(x21, x22), segments(next_coordinate(1), next_coordinate(2)), strict=True)
    return And(tuple(now.implies(then) for now, then in pairs))


_beside_a, _beside_b = (
    second_domain.completed({w: Integer(2), u: place})
    for place in (Rational(-1, 4), Rational(-15, 4))
)
"""Tokens a little above A, at u = -2 + sqrt(3), and a little above B, at u = -2 - sqrt(3)."""
no_layer_leaves_a_segment = Claim(
    id="wu2024.app-E.segments",
    source=source("App. E, Fig. 5", "text after Lemma 10"),
    kind="dynamics",
    title="No layer takes the second token out of an arc between the poles, $A$ and $B$.",
    statement=_kept(_segments),
    printed=(
        r"\text{together with Lemma 10, they imply the invariance of the 4 segments on } \mathbb S^1, "
        r"\text{ as shown in Fig. 5}"
    ),
    domain=second_domain,
    hypotheses=_HYPOTHESES,
    uses=(
        second_token_is_stationary_at_two_points,
        slope_of_g_is_one_plus_the_first_coordinate,
    ),
    mutants=(Mutant("the left half is cut at (-1, 0)", _kept(_quarters)),),
    probes=(_beside_a, _beside_b),
    understood=(
        first_has_converged(
            "$X_2 = (-4/5, 3/5)$, which is between $A$ and $B$: a layer takes it along $(1/5, 1)$ "
            "to the right half"
        ),
    ),
    note=(
        "The poles, $A$ and $B$ cut the circle into the right half and three arcs of the left half: "
        "above $A$, between $A$ and $B$, and from $B$ down to $(0,-1)$. One layer from any token says "
        "it of all layers. The ends $A$, $B$ and $(0,1)$ stay where they are, so that the segments may "
        "be read with them; at $(0,-1)$ LayerNorm is not defined. The slope in Lemma 10 is misprinted, "
        "but positive. Where tokens of each segment tend is `wu2024.app-E.second-token-limit`: to $B$ "
        "from the two beside $B$, and to $(0,1)$, at which the first token rests, from the two others."
    ),
)

# The limit of the second token ---------------------------------------------------------------------

_DIGITS = 60


def _stands(start: tuple[Any, Any], weight: Any) -> bool:
    """Whether a layer leaves the token where it is."""
    x, y = start
    after = y + 1 + weight * x
    return bool(x * after == y * x and x * x + y * after > 0)


@lru_cache(maxsize=4096)
def _second_after(start: tuple[Any, Any], weight: Any, layers: int) -> tuple[Decimal, Decimal]:
    """The second token after some layers, to sixty digits; what a layer leaves in its place stays."""
    from_zero(layers)
    with localcontext() as context:
        context.prec = _DIGITS
        if layers == 0 or _stands(start, weight):
            return decimal_of(start[0]), decimal_of(start[1])
        x, y = _second_after(start, weight, layers - 1)
        # (x, y) + (0, 1), times W_V; the attention weight 1/2 is lost to LayerNorm.
        first, second = unit_row((x, y + 1 + decimal_of(weight) * x))
        return first, second


def _after(at: Point, layers: int) -> tuple[Decimal, Decimal]:
    return _second_after((at[x21], at[x22]), at[w], layers)


def _ratio_after(at: Point, layers: int) -> Any:
    """As a number that other terms can be added to."""
    x, y = _after(at, layers)
    with localcontext() as context:
        context.prec = _DIGITS
        return Float(str(y / x), _DIGITS) if x else zoo


coordinate = family(r"X_{{2,{1}}}^{{({0})}}", lambda at, layers, b: _after(at, layers)[b - 1])
ratio_after = family(r"y^{{({0})}}", _ratio_after)
RATIO = Hypothesis(r"y^{(t)}=X_{2,2}^{(t)}/X_{2,1}^{(t)}")

_h = sqrt(w**2 - 1)
_share = (_h + ratio) / (w + sqrt(1 + ratio**2))
"""How much nearer to B the first layer brings a ratio below h; h/w is the same at B."""
_at_a = Compare(x21, "=", -1 / w) & Compare(x22, ">", 0)
_below_a = Compare(x21, "<", 0) & Compare(x22, "<", _height)


def _every(body: Formula) -> Formula:
    return ForAll(t, 0, oo, body)


def _tends(first: Any, second: Any) -> Formula:
    return Tends(coordinate(t, 1), t, first) & Tends(coordinate(t, 2), t, second)


def _near(gap: Any, kept: Any, at_first: Any) -> Formula:
    """A gap that keeps its sign, and falls geometrically."""
    return _every(Compare(0, "<=", gap) & Compare(gap, "<=", kept**t * at_first))


def _toward_b() -> Formula:
    """From above h, or from below."""
    above, below = ratio_after(t) - _h, _h - ratio_after(t)
    return (
        Compare(ratio, ">=", _h).implies(_near(above, 1 - _h / w, ratio - _h))
        & Compare(ratio, "<", _h).implies(_near(below, 1 - _share, _h - ratio))
        & _tends(-1 / w, -_height)
    )


def _toward_the_pole() -> Formula:
    """Away from A on the left half, and steadily along the right half; (0, 1) stays."""
    away = Compare(Abs(ratio + _h), "<=", (w / (w + _h)) ** t * Abs(ratio_after(t) + _h))
    steadily = Compare(ratio_after(t + 1), ">=", w + (w + 1) * t)
    return (
        Compare(x21, "<", 0).implies(_every(away))
        & Compare(x21, ">", 0).implies(_every(steadily))
        & _tends(Integer(0), Integer(1))
    )


def _limits(basin: Formula) -> Formula:
    """A at A, B on `basin`, the pole elsewhere."""
    stays = Compare(coordinate(t, 1), "=", -1 / w) & Compare(coordinate(t, 2), "=", _height)
    elsewhere = ~(_at_a | basin)
    return (
        _at_a.implies(_every(stays))
        & basin.implies(_toward_b())
        & elsewhere.implies(_toward_the_pole())
    )


_AT_A = {w: Rational(5, 4), u: Rational(-1, 2)}
second_token_tends_to_b_below_a = Claim(
    id="wu2024.app-E.second-token-limit",
    source=source("Sec. 4.3.1, Fig. 1; App. E, Fig. 5"),
    kind="limit",
    title="The second token tends to $B$ from the arc that runs left from $A$ down to $(0, -1)$.",
    statement=_limits(_below_a),
    domain=Domain((above_one, *circle_point(x21, x22))),
    hypotheses=(SETTING, LARGE_W, FIRST_AT_POLE, Hypothesis(r"X_2^{(0)}\ne(0,-1)"), RATIO),
    uses=(
        first_token_runs_to_a_pole,
        second_token_is_stationary_at_two_points,
        ratio_falls_everywhere_else,
        slope_of_g_is_one_plus_the_first_coordinate,
    ),
    mutants=(
        Mutant("the whole left half", _limits(Compare(x21, "<", 0) & ~_at_a)),
        Mutant("below B only", _limits(Compare(x21, "<", 0) & Compare(x22, "<", -_height))),
        Mutant("X_{2,1} < -1/w only", _limits(_left)),
    ),
    probes=(
        second_domain.completed(_AT_A),
        second_domain.completed({w: Integer(2), u: Rational(-1, 8)}),
        second_domain.completed({w: Integer(2), u: Integer(-8)}),
    ),
    understood=(
        first_has_converged(
            "$X_2 = (-4/5, 3/5)$: one layer takes $X_2$ along $(1/5, 1)$ into the positive quadrant, "
            "which no layer leaves, and it tends to $(0, 1)$, not to $B$"
        ),
        Understood(
            "the second token is not $(0, -1)$, where LayerNorm is not defined",
            "$X_2 = (0, -1)$: the two tokens cancel in one layer",
        ),
    ),
    note=(
        "The arc from $A$ through $(-1, 0)$ and $B$ to $(0, -1)$ has length $\\pi/2 + \\arccos(1/w)$, "
        "the fraction $1/4 + \\arccos(1/w)/(2\\pi)$ of the circle. The two proof steps that are "
        "refuted, (28) for $X_{2,1} > 0$ and the slope in Lemma 10, are not used in its proof. The limits "
        r"stand with how fast they are reached, in the ratio $y$, which is $\sqrt{w^2-1}$ at $B$ and "
        r"$-\sqrt{w^2-1}$ at $A$."
    ),
)
