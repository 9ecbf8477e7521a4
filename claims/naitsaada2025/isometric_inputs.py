r"""When tokens can be orthonormal (App. A.1): as many as there are features, and no more."""

from __future__ import annotations

from typing import Any

from sympy import ImmutableDenseMatrix, MatrixSymbol

from claims.definitions import frobenius_square
from claims.domain import Array, Condition, Domain, Point, Size
from claims.model import Claim, Hypothesis
from claims.naitsaada2025.notation import T, d, source
from claims.statement import Compare, Quantity

X0 = MatrixSymbol("X_0", T, d)
_tokens = (Size(T, 1, 3), Size(d, 1, 3), Array(X0))
_as_many = Condition.of(Compare(T, ">=", d))
_more = Condition.of(Compare(T, ">", d))
RATIO = Hypothesis(r"\gamma=T/d")


def squared_distance(point: Point) -> Any:
    """||X_0 X_0^T - I||_F^2."""
    gram = point[X0] * point[X0].T
    return frobenius_square(gram - ImmutableDenseMatrix.eye(int(point[T])))


distance = Quantity(r"\|X_0X_0^\top-I_T\|_F^2", squared_distance)

more_tokens_than_features_are_not_orthonormal = Claim(
    id="naitsaada2025.app-A.1.non-orthonormal.repair",
    parent="naitsaada2025.app-A.1.non-orthonormal",
    source=source("App. A.1", "third paragraph"),
    kind="prose",
    title=r"For $\gamma>1$ no tokens are orthonormal: $\|X_0X_0^\top-I_T\|_F^2\ge T-d$.",
    statement=Compare(distance, ">=", T - d) & Compare(distance, ">", 0),
    domain=Domain(_tokens, (_more,)),
    hypotheses=(RATIO, Hypothesis(r"\gamma>1")),
    note=r"Equality where the columns are orthonormal, $X_0^\top X_0=I_d$.",
)

as_many_tokens_as_features_are_not_orthonormal = Claim(
    id="naitsaada2025.app-A.1.non-orthonormal",
    source=source("App. A.1", "third paragraph"),
    kind="prose",
    title=r"For $\gamma\ge1$ the tokens are necessarily not orthonormal.",
    statement=Compare(distance, ">", 0),
    domain=Domain(_tokens, (_as_many,)),
    hypotheses=(RATIO, Hypothesis(r"\gamma\ge1")),
    severity="misprint",
    repair=more_tokens_than_features_are_not_orthonormal,
    printed=(r"\gamma \geq 1, \text{ hence necessarily the tokens must be non-orthonormal}"),
    note=(
        r"At $\gamma=1$ the rows of any orthogonal matrix are orthonormal. Two sentences before, the "
        r"text has $T\le d$ for what isometric inputs need, and Theorem A.4 and the text assume $\gamma\le1$."
    ),
)
