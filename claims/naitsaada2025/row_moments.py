r"""What limits without the gap use of the law of $Z$: four moments of a row of $A$."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sympy import Integer

from claims.domain import Point
from claims.model import Claim, Hypothesis
from claims.naitsaada2025.notation import source
from claims.naitsaada2025.second_moments import FIELD, GROWS, rational_limit
from claims.naitsaada2025.shares import (
    FOURTH_MOMENT,
    RELATIVE_VARIANCE,
    ROW_MOMENTS,
    ROWS,
    centred_row,
    law,
    relative_variance,
    require_closed_form,
)
from claims.statement import Quantity


def _limit(name: str, power: int) -> Callable[[Point], Any]:
    """Of a moment times a power of T, for a Gamma law."""

    def define(point: Point) -> Any:
        require_closed_form(point[law])
        row = centred_row(point[law], GROWS, FIELD.from_sympy(relative_variance(point)))
        return rational_limit(GROWS**power * ROW_MOMENTS[name](row, GROWS))

    return define


LIMITS = {
    name: Quantity(rf"\lim_{{T\to\infty}}{factor}{symbol}", _limit(name, power))
    for name, symbol, factor, power in (
        ("unevenness", r"\bar r", "T", 1), ("covariance", "c", "T^2", 2),
        ("fourth", "f", "T^2", 2), ("quartic", "q", "T^2", 2),
    )
}  # fmt: skip
_ENDS = (RELATIVE_VARIANCE, RELATIVE_VARIANCE, RELATIVE_VARIANCE**2, Integer(0))
"""Of the four, in order."""
_stated = [limit.equals(end) for limit, end in zip(LIMITS.values(), _ENDS, strict=True)]
moments_of_a_row = Claim(
    id="naitsaada2025.beyond.moments-of-a-row",
    source=source("App. A.4", "Props A.8, A.9"),
    kind="limit",
    title=(
        r"Moments of a row of an i.i.d. Markov matrix tend to those of $Z/(mT)$ where $Z$ has a fourth "
        "moment."
    ),
    statement=_stated[0] & _stated[1] & _stated[2] & _stated[3],
    domain=ROWS.with_conditions(FOURTH_MOMENT),
    hypotheses=(
        Hypothesis(
            r"Z_{ij}\ge0\ \text{i.i.d.},\ \mathbb E Z_{ij}=m,\ \mathrm{Var}\,Z_{ij}=\sigma_A^2"
        ),
        Hypothesis(
            r"y=a-T^{-1}1,\ a\ \text{a row of}\ A\ \text{(}T^{-1}1\ \text{where that of}\ Z\ "
            r"\text{vanishes):}\ \bar r=\mathbb E\|y\|^2,\ "
            r"\mathbb E\,yy^\top=c\,(I-T^{-1}11^\top),\ f=\mathbb E\|y\|^4,\ q=\mathbb E\,\textstyle\sum_jy_j^4"
        ),
    ),
    note=(
        r"Props 3.8, A.8 and A.9 need no more of the law of $Z$; a variance is enough for the first two. "
        r"$T\sum_ja_j^2=\frac1T\sum_jZ_j^2\big/\big(\frac1T\sum_jZ_j\big)^2\to1+\sigma_A^2/m^2$ almost "
        r"surely. Where $\sum_jZ_j\ge\frac12mT$ it is at most $\frac4{m^2T}\sum_jZ_j^2$, which is uniformly "
        r"integrable with a variance of $Z$, and its square with a fourth moment; $T^2\sum_ja_j^4$ is at most "
        r"$\frac{16}{m^4T^2}\sum_jZ_j^4$ there. Elsewhere they are at most $T^2$, with a probability that is "
        r"exponentially small since $Z\ge0$."
    ),
)
