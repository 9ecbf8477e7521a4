r"""Rows of a product of row-stochastic matrices: closure, and the expansion in $A_k^\perp$ (Lemma A.3)."""

from __future__ import annotations

from typing import Any

from sympy import Expr, Integer, KroneckerDelta, MatrixSymbol, Rational, Sum, Symbol
from sympy import ImmutableDenseMatrix as Matrix

from claims.domain import Array, Computed, Domain, Point, Size
from claims.model import Claim, Hypothesis
from claims.naitsaada2025.interlacing import mean, stochastic_rows
from claims.naitsaada2025.notation import T, p, source
from claims.naitsaada2025.products import GAMMA, a, after_factor, i, j
from claims.statement import Compare, ForAll, Quantity
from claims.terms import Recursion, entry, family

_shape = Size(a, 1, 2)

# Closure -------------------------------------------------------------------------------------------

covariance_of_rows = Quantity(
    r"\mathrm{Cov}\bigl((A_2A_1)_{11},(A_2A_1)_{21}\bigr)",
    lambda at: _shared_column(int(at[T]), at[a]),
)


def _shared_column(tokens: int, shape: Any) -> Expr:
    """Two rows of A_2 are independent with mean 1/T: E of the squared mean of a column of A_1."""
    second = after_factor(mean(tokens) / tokens, shape, centred=False)
    return second[0, 0] - Rational(1, tokens**2)


first, second = MatrixSymbol("Z_1", T, T), MatrixSymbol("Z_2", T, T)
A1, A2 = MatrixSymbol("A_1", T, T), MatrixSymbol("A_2", T, T)


def rows_of(matrix: Any) -> tuple[Any, ...]:
    """Row sums and signs of a row-stochastic matrix."""
    row, column = (Symbol(name, integer=True) for name in ("row", "column"))
    own = entry(matrix)(row, column)
    return (
        ForAll(row, 1, T, Compare(Sum(own, (column, 1, T)), "=", 1)),
        ForAll(row, 1, T, ForAll(column, 1, T, Compare(own, ">=", 0))),
    )


def _stochastic(matrix: Any, values: Any) -> Computed:
    return Computed(matrix, lambda at: stochastic_rows(at[values]), known=rows_of(matrix))


sum_of_row = family(
    r"\textstyle\sum_j(A_2A_1)_{{{}j}}", lambda at, k: sum((at[A2] * at[A1]).row(k - 1))
)
product_entry = family("(A_2A_1)_{{{}{}}}", lambda at, k, m: (at[A2] * at[A1])[k - 1, m - 1])
row_stochastic_matrices_are_closed_under_products = Claim(
    id="naitsaada2025.lemma-A.3.closure.repair",
    parent="naitsaada2025.lemma-A.3.closure",
    source=source("App. A.3, proof of Lemma A.3"),
    kind="prose",
    title="Row-stochastic matrices are closed under products; rows of i.i.d. ones become dependent.",
    statement=ForAll(
        i, 1, T,
        Compare(sum_of_row(i), "=", 1) & ForAll(j, 1, T, Compare(product_entry(i, j), ">=", 0)),
    )
    & covariance_of_rows.equals((T - 1) / (T**3 * (a * T + 1))),
    domain=Domain(
        (
            Size(T, 2, 4), _shape, Array(first), Array(second),
            _stochastic(A1, first), _stochastic(A2, second),
        )
    ),
    hypotheses=(
        Hypothesis(r"\text{covariance: } Z_{ij}\ \text{i.i.d. gamma variables of shape}\ a"),
        Hypothesis(r"\text{sums, signs: } A_1,A_2\ \text{row-stochastic}"),
    ),
    note="This is all that $\\lambda_1(A_p\\cdots A_1)=1$ needs.",
)  # fmt: skip

markov_matrices_are_closed_under_products_as_printed = Claim(
    id="naitsaada2025.lemma-A.3.closure",
    source=source("App. A.3, proof of Lemma A.3"),
    kind="prose",
    title="I.i.d. Markov matrices are closed under products, so that rows of a product are independent.",
    statement=covariance_of_rows.equals(0),
    domain=Domain((Size(T, 2, 6), _shape)),
    hypotheses=(
        Hypothesis(r"A_1,A_2\ \text{independent i.i.d. Markov matrices}"),
        GAMMA,
        Hypothesis(r"\text{rows of an i.i.d. Markov matrix are independent (Definition 3.1)}"),
    ),
    severity="misprint",
    repair=row_stochastic_matrices_are_closed_under_products,
    printed=r"\text{the closure of the set of i.i.d. Markov matrices under matrix multiplication}",
    note="Rows of $A_2A_1$ share $A_1$. What is used, $\\lambda_1=1$, holds for row-stochastic matrices.",
)

# The expansion -------------------------------------------------------------------------------------

tables = MatrixSymbol("Z", p * T, T)
layers = Symbol(r"A_{1,\dots,p}")
"""Holds a tuple of row-stochastic matrices at a point, the first factor first."""
layer_weight = entry(layers)
_factor_, _row, _column = (Symbol(name, integer=True) for name in ("factor", "row", "column"))
_inner = Symbol("inner", integer=True)
FACTORS_SUM_TO_ONE = ForAll(
    _factor_, 0, p - 1,
    ForAll(_row, 1, T, Compare(Sum(layer_weight(_factor_, _row, _column), (_column, 1, T)), "=", 1)),
)  # fmt: skip


chain, chain_of_rests = (
    Recursion(
        name,
        lambda u, v: KroneckerDelta(u, v),
        lambda t, u, v, before, less=less: Sum(
            (layer_weight(t, u, _inner) - less) * before(_inner, v), (_inner, 1, T)
        ),
    )
    for name, less in ((r"[A_t\cdots A_1]", Integer(0)), (r"[A_t^\perp\cdots A_1^\perp]", 1 / T))
)
"""Entries of the products of the first factors, one factor more at a step."""
shared_row = Recursion(
    "c",
    lambda v: Integer(0),
    lambda t, v, before: before(v) + Sum(chain_of_rests(t, _inner, v), (_inner, 1, T)) / T,
)
"""The rows of the matrix of equal rows: one term more for every factor."""


def split(at: Point) -> tuple[Matrix, ...]:
    """The rows of a tall table, T at a time, each over its sum."""
    tokens, values = int(at[T]), stochastic_rows(at[tables])
    return tuple(values[tokens * n : tokens * (n + 1), :] for n in range(int(at[p])))


def product_of(matrices: tuple[Matrix, ...], tokens: int) -> Matrix:
    """A_p...A_1 of (A_1, ..., A_p)."""
    found = Matrix.eye(tokens)
    for matrix in matrices:
        found = matrix * found
    return found


def rests(at: Point) -> tuple[Matrix, ...]:
    """(A_1^perp, ..., A_p^perp)."""
    return tuple(each - mean(each.rows) for each in at[layers])


def leading_row(at: Point) -> Matrix:
    """A row of T^{-1} 11^T (I + A_1^perp + ... + A_{p-1}^perp...A_1^perp)."""
    tokens, matrices = int(at[T]), rests(at)
    terms = (product_of(matrices[:n], tokens) for n in range(len(matrices)))
    return sum((mean(tokens).row(0) * term for term in terms), start=0 * mean(tokens).row(0))


full_entry = family(
    r"(A_p\cdots A_1)_{{{}{}}}", lambda at, k, m: product_of(at[layers], int(at[T]))[k - 1, m - 1]
)
rest_entry = family(
    r"(A_p^\perp\cdots A_1^\perp)_{{{}{}}}",
    lambda at, k, m: product_of(rests(at), int(at[T]))[k - 1, m - 1],
)
leading_entry = family(
    r"\left(\tfrac1T1_{{T\times T}}(I+A_1^\perp+\dots+A_{{p-1}}^\perp\cdots A_1^\perp)\right)_{{{}{}}}",
    lambda at, k, m: leading_row(at)[m - 1],
)
layered = Domain(
    (
        Size(T, 2, 3), Size(p, 1, 3), Array(tables),
        Computed(layers, split, known=(FACTORS_SUM_TO_ONE,)),
    )
)  # fmt: skip
SPLIT = Compare(full_entry(i, j), "=", leading_entry(i, j) + rest_entry(i, j))

product_is_a_matrix_of_equal_rows_plus_the_product_of_the_rests = Claim(
    id="naitsaada2025.lemma-A.3.expansion",
    source=source("App. A.3, proof of Lemma A.3"),
    kind="identity",
    title="A product of row-stochastic matrices is a matrix of equal rows plus the product of their rests.",
    statement=ForAll(i, 1, T, ForAll(j, 1, T, SPLIT & Compare(leading_entry(i, j), "=", leading_entry(1, j)))),
    domain=layered,
    hypotheses=(
        Hypothesis(r"A_1,\dots,A_p\in\mathbb R^{T\times T}\ \text{row-stochastic}"),
        Hypothesis(r"A_k^\perp=A_k-T^{-1}1_{T\times T}"),
    ),
    printed=(
        r"\mathbf{A} = \mathbf{A}_p \dots \mathbf{A}_1 = (T^{-1}\mathbf{1}_{T \times T} + "
        r"\mathbf{A}_p^\perp) \dots (T^{-1}\mathbf{1}_{T \times T} + \mathbf{A}_1^\perp) = "
        r"T^{-1}\mathbf{1}_{T \times T}(\mathbf{I} + \mathbf{A}_1^\perp "
        r"+ \dots + \mathbf{A}_{p-1}^\perp \dots \mathbf{A}_1^\perp) + \mathbf{A}_p^\perp \dots "
        r"\mathbf{A}_1^\perp"
    ),
    note=(
        "Equal rows: the difference has rank at most one, and exactly one since its rows sum to one. It "
        r"is not $\varphi\varphi^\top$, which is why Lemma A.3 fails."
    ),
)  # fmt: skip
