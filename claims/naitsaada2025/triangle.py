r"""The largest singular value of $AW$ between the difference and the sum of those of its two parts."""

from __future__ import annotations

from typing import Any

from sympy import Abs

from claims.model import Claim, Hypothesis
from claims.naitsaada2025.interlacing import (
    AW,
    MEAN_W,
    ORTHOGONAL_PART,
    REST_W,
    ROW_STOCHASTIC,
    with_weights,
)
from claims.naitsaada2025.notation import source
from claims.naitsaada2025.stable_rank import singular, to_digits
from claims.statement import Compare, Quantity


def _largest(matrix: Any) -> Any:
    """s_1 at a point."""
    return lambda at: to_digits(singular(at[matrix])[0][0])


of_product, of_mean, of_rest = (
    Quantity(rf"s_1({name})", _largest(matrix), nonnegative=True)
    for name, matrix in (("AW", AW), (r"\varphi\varphi^\top W", MEAN_W), (r"A^\perp W", REST_W))
)

largest_value_between_difference_and_sum = Claim(
    id="naitsaada2025.thm-A.4.first-display",
    source=source("App. A.3, proof of Theorem A.4", "first display"),
    kind="bound",
    title=(
        r"$s_1(AW)$ lies between the difference and the sum of $s_1(\varphi\varphi^\top W)$ and "
        r"$s_1(A^\perp W)$."
    ),
    statement=Compare(Abs(of_mean - of_rest), "<=", of_product)
    & Compare(of_product, "<=", of_mean + of_rest),
    domain=with_weights,
    hypotheses=(ROW_STOCHASTIC, ORTHOGONAL_PART, Hypothesis(r"W\in\mathbb R^{T\times d}")),
    printed=(
        r"|s_1(\varphi\varphi^\top \mathbf{W}) - s_1(\mathbf{A}^\perp \mathbf{W})| \leq "
        r"s_1(\mathbf{A}\mathbf{W}) = s_1(\varphi\varphi^\top \mathbf{W} + \mathbf{A}^\perp \mathbf{W}) "
        r"\leq s_1(\varphi\varphi^\top \mathbf{W}) + s_1(\mathbf{A}^\perp \mathbf{W})"
    ),
    note=(
        r"The triangle inequality of the norm, for every row-stochastic $A$, products included, and every $W$. "
        r"Both bounds are reached where $A^\perp W=0$, at uniform attention for one. What the proof puts in "
        r"for $s_1(A^\perp W)$ is another line (`naitsaada2025.eq-30`)."
    ),
)
