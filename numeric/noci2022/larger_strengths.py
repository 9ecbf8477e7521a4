"""How much a correlation rises with each strength, in fractions, so that no rise is seen as none.

A block averaged over its weights adds alpha_1^2 times the mean of all inner products to each of them, and
multiplies them by 1 + alpha_2^2.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from claims.domain import Point
from claims.noci2022 import larger_strengths as claims
from claims.noci2022.network import other, token
from claims.noci2022.notation import X, alpha1, alpha2, ell
from numeric.agreement import Measured, rounding
from numeric.noci2022.pairs import EXACT
from numeric.registry import measures


def _fraction(value: Any) -> Fraction:
    return Fraction(int(value.p), int(value.q))


def signed_square(point: Point, first: Any, second: Any) -> Fraction:
    """rho_kk'|rho_kk'| after l blocks at these strengths."""
    rows = [[_fraction(e) for e in row] for row in point[X].tolist()]
    gram = [[sum(map(Fraction.__mul__, a, b), Fraction(0)) for b in rows] for a in rows]
    attended, fed = (_fraction(point[a]) ** 2 for a in (first, second))
    for _ in range(int(point[ell])):
        added = attended * sum(map(sum, gram), Fraction(0)) / len(rows) ** 2
        gram = [[(1 + fed) * (g + added) for g in row] for row in gram]
    k, l = int(point[token]) - 1, int(point[other]) - 1  # noqa: E741
    return gram[k][l] * abs(gram[k][l]) / (gram[k][k] * gram[l][l])


def _rise(point: Point, first: Any, second: Any) -> Measured:
    before, after = signed_square(point, alpha1, alpha2), signed_square(point, first, second)
    if before == after:
        return Measured(0.0)
    values = (math.copysign(math.sqrt(abs(square)), square) for square in (after, before))
    return Measured(next(values) - next(values), rounding(1.0))


@measures(claims.by_first, reach=EXACT)
def rise_with_attention(point: Point) -> Measured:
    """At a larger strength of the attention branch."""
    return _rise(point, claims.larger1, alpha2)


@measures(claims.by_second, reach=EXACT)
def rise_with_feed_forward(point: Point) -> Measured:
    """At a larger strength of the feed-forward branch."""
    return _rise(point, alpha1, claims.larger2)


@measures(claims.by_both, reach=EXACT)
def rise_with_both(point: Point) -> Measured:
    """At larger strengths of both."""
    return _rise(point, claims.larger1, claims.larger2)
