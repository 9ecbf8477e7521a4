r"""Sec. 4.3: both tokens of the example in the plane converge, to an equilibrium of rank two.

Both evolve together, from the open set of pairs that `basin` exhibits: X_1 tends to the pole (0, 1), and X_2,
beside a first token that is still on its way, to the point B = -(1, h)/w with h = sqrt(w^2 - 1).
"""

from __future__ import annotations

from decimal import localcontext
from typing import Any

from sympy import Abs, Float, Integer, oo, sqrt

from claims.domain import Point
from claims.model import Claim, Hypothesis, Mutant
from claims.statement import Compare, ForAll, Formula, Tends
from claims.terms import family
from claims.wu2024.arcs import second_token_tends_to_b_below_a
from claims.wu2024.basin import (
    PLANE_DIGITS,
    first_ratio,
    open_set_of_pairs_keeps_rank_two,
    pair,
    pair_after,
    plane_region,
    sine_square,
    steps,
)
from claims.wu2024.notation import source, w
from claims.wu2024.plane import (
    first_token_runs_to_a_pole,
    second_token_is_stationary_at_two_points,
)


def _coordinate(point: Point, layers: int, token: int, b: int) -> Any:
    return pair_after(point[pair], point[w], layers)[token - 1][b - 1]


def _ratio(point: Point, layers: int) -> Float:
    """As a number that other terms can be added to."""
    first, second = (_coordinate(point, layers, 2, b) for b in (1, 2))
    with localcontext() as context:
        context.prec = PLANE_DIGITS
        return Float(str(second / first), PLANE_DIGITS)


coordinate = family(r"X_{{{1},{2}}}^{{({0})}}", _coordinate)
ratio_after = family(r"y^{{({0})}}", _ratio)

_h = sqrt(w**2 - 1)


def _converges(side: int = 1) -> Formula:
    """To (0, 1) and B, which span the plane; A is on the other side."""

    def tends(token: int, b: int, limit: Any) -> Tends:
        return Tends(coordinate(steps, token, b), steps, limit)

    start = first_ratio + 5 * w**2 / _h
    most = w * (start + 2 * w) + 75 * w**2 / _h**2
    rate = Compare((start + w * steps) * Abs(ratio_after(steps) - side * _h), "<=", most)
    first = tends(1, 1, Integer(0)) & tends(1, 2, Integer(1))
    second = tends(2, 1, -1 / w) & tends(2, 2, -side * sqrt(1 - 1 / w**2))
    return first & second & Tends(sine_square(steps), steps, w**-2) & ForAll(steps, 2, oo, rate)


both_tokens_converge_to_an_equilibrium_of_rank_two = Claim(
    id="wu2024.sec-4.3.both-converge",
    source=source("Sec. 4.3", "first paragraph; Sec. 4.3.1, Fig. 1 right"),
    kind="limit",
    title="From an open set of pairs that evolve together, the tokens tend to $(0, 1)$ and $B$.",
    statement=_converges(),
    printed=(
        r"\text{for a general class of input sequences, tokens converge to an equilibrium where rank "
        r"collapse does not happen}"
    ),
    domain=plane_region,
    hypotheses=(
        *open_set_of_pairs_keeps_rank_two.hypotheses,
        Hypothesis(r"y^{(t)}=X_{2,2}^{(t)}/X_{2,1}^{(t)}"),
    ),
    uses=(
        first_token_runs_to_a_pole,
        second_token_is_stationary_at_two_points,
        second_token_tends_to_b_below_a,
        open_set_of_pairs_keeps_rank_two,
    ),
    mutants=(Mutant("the second token to A", _converges(-1)),),
    note=(
        "The paper follows the second token beside a first one that has converged; here both evolve, "
        r"from an open set of pairs. With $h=\sqrt{w^2-1}$, which is the ratio at $B$, and $P_t=p+wt$ the gap "
        r"obeys $|y^{(t+1)}-h|\le(1-\tfrac{2h}{5w})|y^{(t)}-h|+2/P_t$ for $t\ge2$, so it falls like $1/t$; "
        "the constants of the rate are ours, and not the best. How large the class is, the claim on rank two "
        "of such pairs says."
    ),
)
