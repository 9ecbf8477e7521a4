r"""The outlier of a row-stochastic matrix between two bounds at every size.

$AA^\top$ is $\varphi\varphi^\top$ plus the Gram matrix of $A^\perp$, so that what $s_1$ exceeds one by is read
off the column sums, $\varphi^\top A^\perp$, up to a factor that the rest gives.
"""

from __future__ import annotations

from typing import Any

from sympy import ImmutableDenseMatrix, Integer

from claims.domain import Domain, Point, Size
from claims.model import Claim
from claims.naitsaada2025.decompositions import both_decomposed, rest
from claims.naitsaada2025.interlacing import ORTHOGONAL_PART, ROW_STOCHASTIC
from claims.naitsaada2025.markov import A, Markov
from claims.naitsaada2025.notation import T, source
from claims.naitsaada2025.stable_rank import singular, to_digits
from claims.statement import Compare, Quantity


def largest_square(matrix: Any) -> Any:
    """s_1^2 at a point."""
    return lambda at: to_digits(singular(at[matrix])[0][0] ** 2)


def _along_ones(at: Point) -> Any:
    """|1^T A^perp|^2/T."""
    rows = ImmutableDenseMatrix.ones(1, at[T]) * at[rest]
    return sum((e**2 for e in rows), start=Integer(0)) / at[T]


top = Quantity("s_1^2(A)", largest_square(A))
top_of_rest = Quantity(r"s_1^2(A^\perp)", largest_square(rest))
along_ones = Quantity(r"\|\varphi^\top A^\perp\|^2", _along_ones, nonnegative=True)
decomposed_attention = Domain((Size(T, 2, 4), Markov(A), *both_decomposed))
_one_token = ImmutableDenseMatrix(3, 3, lambda _, column: int(column == 0))

outlier_between_two_bounds = Claim(
    id="naitsaada2025.beyond.outlier-at-every-size",
    source=source("Sec. 3 and App. A.3", "Theorem A.1 and Lemma A.3"),
    kind="bound",
    title=(
        r"$s_1^2(A)-1$ lies between $\|\varphi^\top A^\perp\|^2$ and this over $s_1^2(A)-s_1^2(A^\perp)$, for "
        "every row-stochastic matrix."
    ),
    statement=Compare(along_ones, "<=", top - 1)
    & Compare((top - 1) * (top - top_of_rest), "<=", along_ones),
    domain=decomposed_attention,
    probes=(decomposed_attention.completed({T: Integer(3), A: _one_token}),),
    hypotheses=(ROW_STOCHASTIC, ORTHOGONAL_PART),
    note=(
        r"So $s_1(A)=1+\frac12\|\varphi^\top A^\perp\|^2(1+o(1))$ wherever $s_1(A^\perp)\to0$, products "
        r"included: for an i.i.d. Markov matrix $\mathbb E\|\varphi^\top A^\perp\|^2=r$, and "
        r"$T(s_1-1)\to\sigma^2/2$ where the paper has $s_1\to1$. The lower bound is attained for $\varphi$ "
        r"singular, the upper one where $A^\perp$ has rank one, at $T=2$ always. No law is asked for."
    ),
)  # fmt: skip
