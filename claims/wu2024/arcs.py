r"""App. E: where the second token goes once the first is at the pole (0, 1).

On either half of the circle the ratio y = X_{2,2}/X_{2,1} is a coordinate, and a layer acts on it by
g(y) = y + w + 1/X_{2,1} with 1/X_{2,1} = -sqrt(1 + y^2) on the left half.
"""

from __future__ import annotations

from decimal import Decimal, localcontext
from typing import Any

from sympy import And, Eq, Integer, Piecewise, Rational, Symbol, sqrt

from claims.domain import Domain, Point
from claims.model import Claim, Hypothesis, Mutant, Proposition, Relation, variants
from claims.wu2024.notation import source, w
from claims.wu2024.plane import (
    FIRST_AT_POLE,
    LARGE_W,
    SETTING,
    above_one,
    after_step,
    circle_point,
    first_token_runs_to_a_pole,
    second_domain,
    second_token_is_stationary_at_two_points,
    stationary_tokens,
    u,
    x21,
    x22,
)

_HYPOTHESES = (SETTING, LARGE_W, FIRST_AT_POLE, Hypothesis(r"X_{2,1}\ne0"))

# Eq. (28) ------------------------------------------------------------------------------------------


def ratio_change(point: Point) -> Any:
    """X_{2,2}'/X_{2,1}' - X_{2,2}/X_{2,1}, read off one layer."""
    row = after_step(point)
    return row[1] / row[0] - point[x22] / point[x21]


def _sign(change: Any) -> int:
    """-1, 0 or 1; differences of ratios below 1e-9 are rounding."""
    return 0 if abs(change) < 1e-9 else (1 if change > 0 else -1)


def _place(point: Point) -> int:
    """The sign of -1/w - X_{2,1}."""
    return _sign(-1 / point[w] - point[x21])


ratio_moves_by_the_side_of_the_stationary_tokens = Claim(
    id="wu2024.app-E.eq-28.repair",
    parent="wu2024.app-E.eq-28",
    source=source("App. E", "Eq. (28)"),
    kind="bound",
    title="On the left half of the circle the ratio grows left of A and B, and falls right of them.",
    statement=Proposition(
        r"\operatorname{sgn}\left(\tfrac{X_{2,2}'}{X_{2,1}'}-\tfrac{X_{2,2}}{X_{2,1}}\right)="
        r"\operatorname{sgn}\left(-\tfrac1w-X_{2,1}\right)\ \text{for } X_{2,1}<0,\quad >0\ "
        r"\text{for } X_{2,1}>0",
        lambda point, change: _sign(change) == (1 if point[x21] > 0 else _place(point)),
    ),
    domain=second_domain,
    define=ratio_change,
    hypotheses=_HYPOTHESES,
    note=(
        "The ratio falls for -1/w < X_{2,1} < 0 only: it stays at X_{2,1} = -1/w and grows for "
        "X_{2,1} > 0."
    ),
)
ratio_falls_everywhere_else = Claim(
    id="wu2024.app-E.eq-28",
    source=source("App. E", "Eq. (28)"),
    kind="bound",
    title="The second token's ratio grows for X_{2,1} < -1/w and falls otherwise.",
    statement=Proposition(
        r"\frac{X_{2,2}'}{X_{2,1}'}>\frac{X_{2,2}}{X_{2,1}}\ \text{if } X_{2,1}<-\tfrac1w,\quad "
        r"\frac{X_{2,2}'}{X_{2,1}'}<\frac{X_{2,2}}{X_{2,1}}\ \text{otherwise}",
        lambda point, change: _sign(change) == (1 if _place(point) > 0 else -1),
    ),
    domain=second_domain,
    define=ratio_change,
    hypotheses=_HYPOTHESES,
    uses=(second_token_is_stationary_at_two_points,),
    mutants=(
        Mutant(
            "reversed",
            Proposition(
                r"\text{falls if } X_{2,1}<-\tfrac1w,\ \text{grows otherwise}",
                lambda point, change: _sign(change) == (-1 if _place(point) > 0 else 1),
            ),
        ),
        Mutant(
            "1/w for -1/w",
            Proposition(
                r"\text{grows if } X_{2,1}<\tfrac1w,\ \text{falls otherwise}",
                lambda point, change: (
                    _sign(change) == (1 if _sign(1 / point[w] - point[x21]) > 0 else -1)
                ),
            ),
        ),
        Mutant(
            "1/w^2 for 1/w",
            Proposition(
                r"\text{grows if } X_{2,1}<-\tfrac1{w^2},\ \text{falls if } -\tfrac1{w^2}<X_{2,1}<0",
                lambda point, change: (
                    point[x21] > 0 or _sign(change) == _sign(-1 / point[w] ** 2 - point[x21])
                ),
            ),
        ),
    ),
    severity="missing-hypothesis",
    repair=ratio_moves_by_the_side_of_the_stationary_tokens,
    probes=(
        second_domain.completed({w: Rational(5, 4), u: Rational(-1, 2)}),
        second_domain.completed({w: Integer(2), u: Rational(1, 3)}),
    ),
    note=(
        "For X_{2,1} > 0 the ratio grows too, by w + 1/X_{2,1}, and at X_{2,1} = -1/w it does not "
        "move: 'otherwise' must read -1/w < X_{2,1} < 0. The conclusions drawn from it stand."
    ),
)

# Lemma 10 ------------------------------------------------------------------------------------------


def slope_of_g(point: Point) -> Any:
    """dg/dy along the circle: the derivatives of both ratios along the tangent (-X_{2,2}, X_{2,1})."""
    along = Symbol("s")
    moved = {**point, x21: point[x21] - along * point[x22], x22: point[x22] + along * point[x21]}
    # To first order the tangent line is the circle, so that X_2 keeps its norm beside the pole.
    row = after_step(moved)
    here, there = moved[x22] / moved[x21], row[1] / row[0]
    return (there.diff(along) / here.diff(along)).subs(along, 0)


_SLOPE = r"\frac{\partial g}{\partial y}"
slope_of_g_is_one_plus_the_second_coordinate = Claim(
    id="wu2024.app-E.lemma-10.repair",
    parent="wu2024.app-E.lemma-10",
    source=source("App. E", "Lemma 10"),
    kind="identity",
    title="The slope of g is one plus the second coordinate of the second token.",
    statement=Relation(_SLOPE, (1 + x22,)),
    domain=second_domain,
    define=slope_of_g,
    hypotheses=_HYPOTHESES,
    note=(
        "The derivative of 1/X_{2,1} is X_{2,2}, as the line before says, so the slope is "
        "1 + X_{2,2} > 0: g is increasing, and the lemma holds."
    ),
)
slope_of_g_is_one_plus_the_first_coordinate = Claim(
    id="wu2024.app-E.lemma-10",
    source=source("App. E", "Lemma 10"),
    kind="identity",
    title="The slope of g is one plus the first coordinate of the second token.",
    statement=Relation(_SLOPE, (1 + x21,)),
    domain=second_domain,
    define=slope_of_g,
    hypotheses=_HYPOTHESES,
    mutants=variants(
        ("1 - X_{2,2}", 1 - x22),
        ("2 X_{2,2}", 1 + 2 * x22),
        ("w X_{2,2}", 1 + w * x22),
        ("w for 1", w + x22),
        lhs=_SLOPE,
    ),
    severity="misprint",
    repair=slope_of_g_is_one_plus_the_second_coordinate,
    note="X_{2,1} for X_{2,2} in the last line of the proof; the lemma itself is right.",
)

# The limit of the second token ---------------------------------------------------------------------

_DIGITS, _LAYERS = 60, 4000


def limit_of_second_token(point: Point) -> tuple[Any, Any]:
    """The limit of X_2 as layers repeat: stationary at once, or followed in sixty digits.

    What remains of sixty digits decides between limits that are far apart: A, B and the pole.
    """
    limits = (*stationary_tokens(point[w]), (Integer(0), Integer(1)))
    start = (point[x21], point[x22])
    if start in limits:
        return start
    end = _followed(start, point[w], limits)
    return min(limits, key=lambda z: float((z[0] - end[0]) ** 2 + (z[1] - end[1]) ** 2))


def _followed(start: tuple[Any, Any], weight: Any, limits: tuple) -> tuple[float, float]:
    """The second token when it has come within 1e-6 of a limit other than A and stayed there."""
    goals = [(float(a), float(b)) for a, b in limits[1:]]
    with localcontext() as context:
        context.prec = _DIGITS
        x, y, slope = (Decimal(int(z.p)) / Decimal(int(z.q)) for z in (*start, weight))
        for _ in range(_LAYERS):
            # (x, y) + (0, 1), times W_V; the attention weight 1/2 is lost to LayerNorm.
            x, y = x, y + 1 + slope * x
            norm = (x * x + y * y).sqrt()
            x, y = x / norm, y / norm
            if any(abs(float(x) - a) + abs(float(y) - b) < 1e-6 for a, b in goals):
                break
    return float(x), float(y)


_height = sqrt(1 - 1 / w**2)
_LIMIT = r"\lim_{t\to\infty}X_{2,:}^{(t)}"
_below_a = And(x21 < 0, x22 < _height)


def _limits(basin: Any, low: Any = -_height) -> tuple[Any, Any]:
    """B on `basin`, A at A, the pole elsewhere."""
    at_a = And(Eq(w * x21, -1), x22 > 0)
    first = Piecewise((-1 / w, at_a), (-1 / w, basin), (Integer(0), True))
    second = Piecewise((_height, at_a), (low, basin), (Integer(1), True))
    return first, second


_AT_A = {w: Rational(5, 4), u: Rational(-1, 2)}
second_token_tends_to_b_below_a = Claim(
    id="wu2024.app-E.second-token-limit",
    source=source("Sec. 4.3.1, Fig. 1; App. E, Fig. 5"),
    kind="limit",
    title="The second token tends to B from the arc that runs left from A down to (0, -1).",
    statement=Relation(_LIMIT, (_limits(_below_a),)),
    domain=Domain((above_one, *circle_point(x21, x22))),
    define=limit_of_second_token,
    hypotheses=(SETTING, LARGE_W, FIRST_AT_POLE, Hypothesis(r"X_2^{(0)}\ne(0,-1)")),
    uses=(
        first_token_runs_to_a_pole,
        second_token_is_stationary_at_two_points,
        ratio_falls_everywhere_else,
        slope_of_g_is_one_plus_the_first_coordinate,
    ),
    mutants=variants(
        ("A attracts", _limits(_below_a, _height)),
        ("the whole left half", _limits(x21 < 0)),
        ("below B only", _limits(And(x21 < 0, x22 < -_height))),
        ("X_{2,1} < -1/w only", _limits(w * x21 < -1)),
        lhs=_LIMIT,
    ),
    probes=(
        second_domain.completed(_AT_A),
        second_domain.completed({w: Integer(2), u: Rational(-1, 8)}),
        second_domain.completed({w: Integer(2), u: Integer(-8)}),
    ),
    note=(
        "The arc from A through (-1, 0) and B to (0, -1) has length pi/2 + arccos(1/w), the fraction "
        "1/4 + arccos(1/w)/(2 pi) of the circle. At (0, -1) the tokens cancel. The two proof steps "
        "that are refuted, (28) for X_{2,1} > 0 and the slope in Lemma 10, are replaced by repairs."
    ),
)
