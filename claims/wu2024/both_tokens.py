r"""Sec. 4.3: both tokens of the example in the plane converge, to an equilibrium of rank two.

Both evolve together, from the open set of pairs that `basin` exhibits: X_1 tends to the pole (0, 1), and X_2,
beside a first token that is still on its way, to the point B = -(1, h)/w with h = sqrt(w^2 - 1).
"""

from __future__ import annotations

from typing import Any

from sympy import Integer, sqrt

from claims.domain import Point
from claims.model import Claim, Mutant
from claims.statement import Formula, Tends
from claims.terms import family
from claims.wu2024.arcs import second_token_tends_to_b_below_a
from claims.wu2024.basin import (
    first_ratio,
    open_set_of_pairs_keeps_rank_two,
    pair_after,
    plane_region,
    second_ratio,
    sine_square,
    steps,
)
from claims.wu2024.notation import source, w
from claims.wu2024.plane import (
    first_token_runs_to_a_pole,
    second_token_is_stationary_at_two_points,
)


def _coordinate(point: Point, layers: int, token: int, b: int) -> Any:
    pair = pair_after(point[first_ratio], point[second_ratio], point[w], layers)
    return pair[token - 1][b - 1]


coordinate = family(r"X_{{{1},{2}}}^{{({0})}}", _coordinate)


def _converges(height: Any = -sqrt(1 - 1 / w**2)) -> Formula:
    """To (0, 1) and B, which span the plane."""

    def tends(token: int, b: int, limit: Any) -> Tends:
        return Tends(coordinate(steps, token, b), steps, limit)

    first = tends(1, 1, Integer(0)) & tends(1, 2, Integer(1))
    second = tends(2, 1, -1 / w) & tends(2, 2, height)
    return first & second & Tends(sine_square(steps), steps, w**-2)


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
    hypotheses=open_set_of_pairs_keeps_rank_two.hypotheses,
    uses=(
        first_token_runs_to_a_pole,
        second_token_is_stationary_at_two_points,
        second_token_tends_to_b_below_a,
        open_set_of_pairs_keeps_rank_two,
    ),
    mutants=(Mutant("the second token to A", _converges(sqrt(1 - 1 / w**2))),),
    note=(
        "The paper follows the second token beside a first one that has converged; here both evolve, "
        r"from an open set of pairs. With $y^{(t)}=X_{2,2}^{(t)}/X_{2,1}^{(t)}$, $h=\sqrt{w^2-1}$ and "
        r"$P_t=p+wt$, the gap obeys $|y^{(t+1)}-h|\le(1-\tfrac{2h}{5w})|y^{(t)}-h|+2/P_t$ for $t\ge2$, "
        "so it falls like $1/t$. That the class is all of what is general is not asserted: see the share of "
        "pairs in the claim that this one uses."
    ),
)
