r"""The second singular value of $A_p\cdots A_1W$ by the product of the $A_k^\perp$ (Theorem A.5).

$A_p\cdots A_1$ is $A_p^\perp\cdots A_1^\perp$ plus a matrix of equal rows (Lemma A.3), of rank one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sympy import ImmutableDenseMatrix as Matrix
from sympy import MatrixSymbol, Symbol

from claims.domain import Array, Computed, Domain, Point, Size
from claims.model import Claim, Hypothesis
from claims.naitsaada2025.crossings import crossing
from claims.naitsaada2025.decompositions import roots, vectors
from claims.naitsaada2025.interlacing import (
    AW,
    SPECTRA,
    A,
    W,
    largest_weight,
    product_with_weights,
    second_of_product,
    squared_singular_values,
)
from claims.naitsaada2025.notation import T, d, p, q, source
from claims.naitsaada2025.product_rows import (
    chain,
    chain_of_rests,
    layered,
    layers,
    product_is_a_matrix_of_equal_rows_plus_the_product_of_the_rests,
    product_of,
    rests,
)
from claims.naitsaada2025.products import (
    bound,
    first_size,
    from_some_size_on,
    growth,
    largest_singular_value_of_products_as_printed,
    largest_singular_value_with_weights_as_printed,
    size,
    weighted,
)
from claims.naitsaada2025.stable_rank import decomposed
from claims.statement import Compare, ForAll, Quantity
from claims.terms import entry

_row, _column = (Symbol(name, integer=True) for name in ("row", "column"))
R = MatrixSymbol("R", T, T)
RW, LEVEL_W = MatrixSymbol("RW", T, d), MatrixSymbol("(A-R)W", T, d)
rest_spectrum = MatrixSymbol("s(R)", T, 1), MatrixSymbol("U(R)", T, T)
SPECTRA_OF_PRODUCTS = {
    matrix: (MatrixSymbol(f"s({matrix})", T, 1), MatrixSymbol(f"U({matrix})", T, T))
    for matrix in (RW, LEVEL_W)
} | {AW: SPECTRA[AW]}
CROSSED = {AW: MatrixSymbol("z", T, 1), LEVEL_W: MatrixSymbol("w", T, 1)}


def product_of_rests(at: Point) -> Matrix:
    """A_p^perp...A_1^perp."""
    return product_of(rests(at), int(at[T]))


def _product(symbol: Any, entries: Any, value: Callable[[Point], Matrix]) -> Computed:
    """A product of all factors, entry by entry."""
    same = Compare(entry(symbol)(_row, _column), "=", entries(p, _row, _column))
    return Computed(symbol, value, known=(ForAll(_row, 1, T, ForAll(_column, 1, T, same)),))


layers_with_weights = Domain((
    *layered.variables, Size(d, 1, 3), Array(W),
    _product(A, chain, lambda at: product_of(at[layers], int(at[T]))),
    _product(R, chain_of_rests, product_of_rests),
    product_with_weights(AW, entry(A), lambda at: Matrix(at[A] * at[W])),
    product_with_weights(RW, entry(R), lambda at: Matrix(at[R] * at[W])),
    product_with_weights(
        LEVEL_W,
        lambda a, b: entry(A)(a, b) - entry(R)(a, b),
        lambda at: Matrix((at[A] - at[R]) * at[W]),
    ),
    *decomposed(A, roots, vectors), *decomposed(R, *rest_spectrum), *decomposed(W, *SPECTRA[W]),
    *(found for matrix, spectrum in SPECTRA_OF_PRODUCTS.items() for found in decomposed(matrix, *spectrum)),
    *(
        crossing(symbol, SPECTRA_OF_PRODUCTS[matrix][1], SPECTRA_OF_PRODUCTS[matrix][1], level=True)
        for matrix, symbol in CROSSED.items()
    ),
))  # fmt: skip

largest_of_rests = Quantity(
    r"s_1^2(A_p^\perp\cdots A_1^\perp)", lambda at: squared_singular_values(product_of_rests(at))[0]
)
largest_of_rests_with_weights = Quantity(
    r"s_1^2(A_p^\perp\cdots A_1^\perp W)",
    lambda at: squared_singular_values(Matrix(product_of_rests(at) * at[W]))[0],
)
second_of_equal_rows = Quantity(
    r"s_2^2((A-A_p^\perp\cdots A_1^\perp)W)",
    lambda at: squared_singular_values(
        Matrix((product_of(at[layers], int(at[T])) - product_of_rests(at)) * at[W])
    )[1],
)
FACTORS = Hypothesis(r"A=A_p\cdots A_1,\ A_k\in\mathbb R^{T\times T}\ \text{row-stochastic}")
RESTS = Hypothesis(r"A_k^\perp=A_k-\varphi\varphi^\top,\ \varphi=T^{-1/2}(1,\dots,1)^\top")

second_value_is_below_the_product_of_the_rests = Claim(
    id="naitsaada2025.thm-A.5.weyl.repair",
    parent="naitsaada2025.thm-A.5.weyl",
    source=source("App. A.3, proof of Theorem A.5", "after Eq. (31)"),
    kind="bound",
    title=(
        r"$s_2(AW)$ is at most $s_1(A_p^\perp\cdots A_1^\perp W)$, and this at most "
        r"$s_1(A_p^\perp\cdots A_1^\perp)s_1(W)$."
    ),
    statement=Compare(second_of_product, "<=", largest_of_rests_with_weights)
    & Compare(second_of_equal_rows, "=", 0)
    & Compare(largest_of_rests_with_weights, "<=", largest_of_rests * largest_weight),
    domain=layers_with_weights,
    hypotheses=(FACTORS, RESTS, Hypothesis(r"W\in\mathbb R^{T\times d}")),
    uses=(product_is_a_matrix_of_equal_rows_plus_the_product_of_the_rests,),
    note=(
        r"For all row-stochastic $A_k$. Theorem A.5 follows: $s_1(A_p^\perp\cdots A_1^\perp)$ is at most the "
        r"product of the $s_1(A_k^\perp)$, of order $T^{-p/2}$ for i.i.d. Markov matrices. With "
        r"$A^\perp=A-\varphi\varphi^\top$ for that product the three lines are right as well, but "
        r"$s_1(A^\perp)$ is larger, of order $T^{-1/2}$ for every $p$."
    ),
)

orders_of_the_second_value_as_printed = Claim(
    id="naitsaada2025.thm-A.5.weyl",
    source=source("App. A.3, proof of Theorem A.5", "after Eq. (31)"),
    kind="bound",
    title=r"$s_2(AW)$ is at most $s_1(A^\perp)s_1(W)$, of orders $T^{-p/2}$ and $d^{q/2}$.",
    statement=from_some_size_on(
        Compare(weighted(growth * size), "<=", bound * (growth * size) ** q / size**p),
    ),
    domain=largest_singular_value_with_weights_as_printed.domain,
    hypotheses=largest_singular_value_with_weights_as_printed.hypotheses,
    uses=(largest_singular_value_of_products_as_printed,),
    left_open=(bound, first_size),
    severity="material",
    repair=second_value_is_below_the_product_of_the_rests,
    printed=(
        r"s_2(\mathbf{A}\mathbf{W}) \leq s_1(\mathbf{A}^\perp \mathbf{W}) + "
        r"s_2(\varphi\varphi^\top \mathbf{W}) = s_1(\mathbf{A}^\perp \mathbf{W}), \quad "
        r"s_1(\mathbf{A}^\perp \mathbf{W}) \leq s_1(\mathbf{A}^\perp) s_1(\mathbf{W}) = "
        r"O(T^{-p/2}) O(d^{q/2})"
    ),
    note=(
        r"The inequalities are right. The orders are those of (30): "
        r"$\mathbb E\,s_1^2(A^\perp W)\ge\mathbb E\|\varphi^\top A^\perp W\|^2\ge d^q\frac{T-1}"
        r"{T(aT+1)}$, of order $d^qT^{-1}$, and not $d^qT^{-p}$, for $p\ge2$."
    ),
)
