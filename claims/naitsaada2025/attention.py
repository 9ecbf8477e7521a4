r"""Softmax attention at initialisation: Eqs. (1), (7), (8), and what its logits are not.

Logits are $M=X_0W^QW^{K\top}X_0^\top/\sqrt{d_{qk}}$.  Where products of small integers stand under the
softmax, its entries are exact.
"""

from __future__ import annotations

from functools import partial
from itertools import permutations
from math import factorial
from typing import Any

from sympy import (
    Expr,
    ImmutableDenseMatrix,
    Integer,
    KroneckerDelta,
    MatrixSymbol,
    Rational,
    Sum,
    Symbol,
    exp,
    sqrt,
    zeros,
)

from claims.definitions import entries, expectation
from claims.domain import Array, Computed, Condition, Domain, Point, Real, Size
from claims.model import Claim, Hypothesis, Relation, Understood, variants
from claims.naitsaada2025.layers import X0, AtMost, Isotropic
from claims.naitsaada2025.markov import normalised
from claims.naitsaada2025.notation import T, d, d_qk, sigma_qk, source
from claims.statement import And, Compare, ForAll, Formula, Quantity
from claims.terms import entry, family

i, j, k, l = (Symbol(name, integer=True) for name in "ijkl")  # noqa: E741
a, b = Symbol("a", integer=True), Symbol("b", integer=True)
WQ, WK, WV = MatrixSymbol("W^Q", d, d_qk), MatrixSymbol("W^K", d, d_qk), MatrixSymbol("W^V", d, d)
ISOTROPIC = Hypothesis(r"X_0X_0^\top=I_T")
GAUSSIAN = Hypothesis(
    r"W^Q,W^K\in\mathbb R^{d\times d_{qk}}\ \text{independent, i.i.d. }\mathcal N(0,\sigma_{qk}^2)"
)

# Shapes -------------------------------------------------------------------------------------------


def softmax(logits: ImmutableDenseMatrix) -> ImmutableDenseMatrix:
    """Row by row: exponentials over their sum."""
    return normalised(logits.applyfunc(exp))


def attention_at(point: Point) -> ImmutableDenseMatrix:
    """A(X_0), keys transposed."""
    logits = point[X0] * point[WQ] * point[WK].T * point[X0].T
    return softmax(logits / sqrt(point[d_qk]))


def score(row: Any, column: Any) -> Expr:
    """M_ij as a sum over entries."""
    x, query, key = entry(X0), entry(WQ), entry(WK)
    queries = Sum(x(row, a) * query(a, l), (a, 1, d))
    keys = Sum(x(column, b) * key(b, l), (b, 1, d))
    return Sum(queries * keys, (l, 1, d_qk)) / sqrt(d_qk)


def size(name: str, matrix: Any, axis: int) -> Quantity:
    """The number of rows or of columns of a matrix."""
    word = ("rows", "columns")[axis]
    return Quantity(rf"\mathrm{{{word}}}({name})", lambda at: Integer(matrix(at).shape[axis]))


query_columns = size("X_0W^Q", lambda at: at[X0] * at[WQ], 1)
key_rows = size("W^K", lambda at: at[WK], 0)
transposed_key_rows = size(r"W^{K\top}", lambda at: at[WK].T, 0)
attention_rows, attention_columns = (size("A", attention_at, axis) for axis in (0, 1))
weight = family(r"A_{{{}{}}}", lambda at, row, column: attention_at(at)[row - 1, column - 1])
row_sum = family(r"\sum_jA_{{{}j}}", lambda at, row: sum(attention_at(at).row(row - 1)))
layer = Domain((
    Size(d, 1, 3), AtMost(T, 1, 2), Size(d_qk, 1, 2), Isotropic(X0), Array(WQ, 1), Array(WK, 1),
))  # fmt: skip
attention_matrix_is_row_stochastic = Claim(
    id="naitsaada2025.eq-1.repair",
    parent="naitsaada2025.eq-1",
    source=source("Sec. 2.2", "Eq. (1)"),
    kind="construction",
    title=r"With $W^{K\top}$ the products exist and $A(X_0)$ is a row-stochastic $T\times T$ matrix.",
    statement=query_columns.equals(transposed_key_rows)
    & attention_rows.equals(T)
    & attention_columns.equals(T)
    & ForAll(
        i, 1, T,
        Compare(row_sum(i), "=", 1) & ForAll(j, 1, T, Compare(weight(i, j), ">", 0)),
    ),
    domain=layer,
    hypotheses=(Hypothesis(r"W^Q,W^K\in\mathbb R^{d\times d_{qk}}"),),
)  # fmt: skip
attention_matrix_without_a_transpose = Claim(
    id="naitsaada2025.eq-1",
    source=source("Sec. 2.2", "Eq. (1)"),
    kind="construction",
    title=r"The logits are written as a product of $X_0W^Q$ with $W^K$ itself.",
    statement=query_columns.equals(key_rows),
    domain=layer,
    hypotheses=(Hypothesis(r"W^Q,W^K\in\mathbb R^{d\times d_{qk}}"),),
    severity="misprint",
    repair=attention_matrix_is_row_stochastic,
    printed=(
        r"\mathbf{A}(\mathbf{X}_0) := \text{softmax} \left( \frac{\mathbf{X}_0 \mathbf{W}^Q "
        r"\mathbf{W}^K \mathbf{X}_0^\top}{\sqrt{d_{qk}}} \right), \quad \mathbf{W}^Q, \mathbf{W}^K "
        r"\in \mathbb{R}^{d \times d_{qk}}"
    ),
    note=(
        r"$X_0W^Q$ is $T\times d_{qk}$ and $W^K$ is $d\times d_{qk}$: the product exists for $d_{qk}=d$ "
        r"only. The proof of Theorem 2.1 takes inner products of rows of $X_0W^Q$ and $X_0W^K$, that "
        r"is, $W^{K\top}$."
    ),
)

attention_width = size("A(X_0)", attention_at, 1)
token_rows, value_rows = size("X_0", lambda at: at[X0], 0), size("W^V", lambda at: at[WV], 0)
token_columns = size("X_0", lambda at: at[X0], 1)
output_rows, output_columns = (
    size("X", lambda at: attention_at(at) * at[X0] * at[WV], axis) for axis in (0, 1)
)
one_layer = Domain((*layer.variables, Array(WV, 1)))
attention_acts_on_the_tokens = Claim(
    id="naitsaada2025.sec-2.2.output-shape.repair",
    parent="naitsaada2025.sec-2.2.output-shape",
    source=source("Sec. 2.2", "and Eq. (8)"),
    kind="construction",
    title=r"With the tokens between them, $A(X_0)X_0W^V$ exists and has the shape of $X_0$.",
    statement=And((
        attention_width.equals(token_rows), token_columns.equals(value_rows),
        output_rows.equals(T), output_columns.equals(d),
    )),
    domain=one_layer,
    hypotheses=(Hypothesis(r"X=A(X_0)X_0W^V"),),
)  # fmt: skip
attention_times_values = Claim(
    id="naitsaada2025.sec-2.2.output-shape",
    source=source("Sec. 2.2", "and Eq. (8)"),
    kind="construction",
    title="The output of a layer is written as attention times value weights, without the tokens.",
    statement=attention_width.equals(value_rows),
    domain=one_layer,
    hypotheses=(Hypothesis(r"A(X_0)\in\mathbb R^{T\times T},\ W^V\in\mathbb R^{d\times d}"),),
    severity="misprint",
    repair=attention_acts_on_the_tokens,
    printed=r"\mathbf{X} = \mathbf{A}(\mathbf{X}_0) \mathbf{W}^V",
    note=(
        "The product exists for $T=d$ only, while $T=\\gamma d$ with $\\gamma\\le1$; model (11) has "
        "$X_0$. For orthonormal tokens $X_0W^V$ is a $T\\times d$ Gaussian matrix, which is what the "
        "proofs use."
    ),
)

# The mean of the attention matrix -----------------------------------------------------------------

Q, K = MatrixSymbol("Q", T, d_qk), MatrixSymbol("K", T, d_qk)


def mean_over_orders(at: Point, row: int, column: int) -> Expr:
    """A_ij averaged over all orders of the keys."""
    total = Integer(0)
    for order in permutations(range(at[K].rows)):
        keys = ImmutableDenseMatrix([list(at[K].row(place)) for place in order])
        total += softmax(at[Q] * keys.T / sqrt(at[d_qk]))[row - 1, column - 1]
    return total / factorial(at[K].rows)


mean_weight = family(r"\mathbb E[A_{{{}{}}}\mid Q,\{{k_1,\dots,k_T\}}]", mean_over_orders)
EXCHANGEABLE = Hypothesis(
    r"Q=X_0W^Q;\ K=X_0W^K\ \text{has i.i.d. rows, whose order is uniform given their values}"
)
mean_attention_is_uniform = Claim(
    id="naitsaada2025.eq-7.mean",
    source=source("Sec. 2.4", "Eq. (7)"),
    kind="expectation",
    title="The mean of softmax attention over isotropic tokens is uniform, already given the queries.",
    statement=ForAll(i, 1, T, ForAll(j, 1, T, Compare(mean_weight(i, j), "=", 1 / T))),
    domain=Domain((Size(T, 1, 2, reach=3), Size(d_qk, 1, 2, reach=2), Array(Q, 1), Array(K, 1))),
    hypotheses=(ISOTROPIC, EXCHANGEABLE),
    printed=(
        r"\mathbf{A} = \mathbb{E}\mathbf{A} + (\mathbf{A} - \mathbb{E}\mathbf{A}) = "
        r"\frac{1}{T}\mathbf{1}_{T \times T} + \mathbf{A}^\perp"
    ),
    note=(
        r"Given $Q$ and which keys there are, their order is uniform, and averaging over it is enough: "
        r"$\mathbb EA=T^{-1}1_{T\times T}$ for every $T$, whatever the common law of the keys, and "
        r"$\mathbb EA^\perp=0$."
    ),
)
