r"""App. A.2, first lines of the proof of Theorem 2.1: $Z_{ij}$ as it is defined and as it is read."""

from __future__ import annotations

from typing import Any

from sympy import Expr, sqrt

from claims.domain import Point
from claims.model import Claim, Hypothesis
from claims.naitsaada2025.attention import (
    ISOTROPIC,
    WK,
    WQ,
    X0,
    i,
    j,
    key_rows,
    layer,
    query_columns,
    transposed_key_rows,
)
from claims.naitsaada2025.notation import T, d_qk, source
from claims.statement import Compare, ForAll, Formula
from claims.terms import family

SHAPES = Hypothesis(r"W^Q,W^K\in\mathbb R^{d\times d_{qk}}")
EXPONENTIALS = Hypothesis(r"Z_{ij}=\exp\bigl(X_0W^QW^{K\top}X_0^\top/\sqrt{d_{qk}}\bigr)_{ij}")

# The display --------------------------------------------------------------------------------------

_DISPLAY = source("App. A.2", "proof of Theorem 2.1, first display")
logits_with_a_transpose = Claim(
    id="naitsaada2025.proof-2.1.transpose.repair",
    parent="naitsaada2025.proof-2.1.transpose",
    source=_DISPLAY,
    kind="construction",
    title=r"$X_0W^Q$ has as many columns as $W^{K\top}$ has rows.",
    statement=query_columns.equals(transposed_key_rows),
    domain=layer,
    hypotheses=(ISOTROPIC, SHAPES),
)
logits_without_a_transpose = Claim(
    id="naitsaada2025.proof-2.1.transpose",
    source=_DISPLAY,
    kind="construction",
    title=r"The exponents of $Z_{ij}$ are written as a product of $X_0W^Q$ with $W^K$ itself.",
    statement=query_columns.equals(key_rows),
    domain=layer,
    hypotheses=(ISOTROPIC, SHAPES),
    severity="misprint",
    repair=logits_with_a_transpose,
    printed=(
        r"Z_{i,j} := \exp\left(\frac{\mathbf{X}_0 \mathbf{W}_1^Q \mathbf{W}_1^K \mathbf{X}_0^\top}"
        r"{\sqrt{d_{qk}}}\right)_{i,j}"
    ),
    note=(
        r"The transpose that Eq. (1) lacks too (`naitsaada2025.eq-1`): as printed the product exists for "
        r"$d_{qk}=d$ only. The lines that follow take inner products of rows of $X_0W^Q$ and $X_0W^K$, that "
        r"is, $W^{K\top}$."
    ),
)

# The sentence after it ----------------------------------------------------------------------------


def inner(at: Point, row: int, column: int) -> Expr:
    """<(X_0 W^Q)_i, (X_0 W^K)_j>."""
    queries, keys = at[X0] * at[WQ], at[X0] * at[WK]
    value: Expr = queries.row(row - 1).dot(keys.row(column - 1))
    return value


exponent = family(
    r"\log Z_{{{}{}}}", lambda at, row, column: inner(at, row, column) / sqrt(at[d_qk])
)
inner_product = family(
    r"\langle(X_0W^Q)_{{{},:}},(X_0W^K)_{{{},:}}\rangle",
    inner,
)


def _everywhere(factor: Any) -> Formula:
    return ForAll(
        i, 1, T, ForAll(j, 1, T, Compare(exponent(i, j), "=", factor * inner_product(i, j)))
    )


_SENTENCE = source("App. A.2", "proof of Theorem 2.1, after the first display")
exponents_are_scaled_inner_products = Claim(
    id="naitsaada2025.proof-2.1.exponent.repair",
    parent="naitsaada2025.proof-2.1.exponent",
    source=_SENTENCE,
    kind="identity",
    title=r"$Z_{ij}$ is the exponential of the inner product of a query and a key over $\sqrt{d_{qk}}$.",
    statement=_everywhere(1 / sqrt(d_qk)),
    domain=layer,
    hypotheses=(ISOTROPIC, SHAPES, EXPONENTIALS),
)
exponents_are_inner_products = Claim(
    id="naitsaada2025.proof-2.1.exponent",
    source=_SENTENCE,
    kind="identity",
    title=r"$Z_{ij}$ is said to be the exponential of the inner product of a query and a key.",
    statement=_everywhere(1),
    domain=layer,
    hypotheses=(ISOTROPIC, SHAPES, EXPONENTIALS),
    severity="misprint",
    repair=exponents_are_scaled_inner_products,
    note=(
        r"The display before the sentence defines $Z_{ij}$ with $1/\sqrt{d_{qk}}$ in the exponent, and the one "
        r"of $\mathbb E|Z_{1,1}|^4=\mathbb E\exp(4U_{d_{qk}}/\sqrt{d_{qk}})$ has it again, with $U_{d_{qk}}$ "
        r"the inner product. Without it no $d_{qk}$ would make the fourth moment finite for "
        r"$\sigma_{qk}\ge\tfrac12$."
    ),
)
