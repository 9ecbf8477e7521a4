r"""App. A.1.1 and the commutation matrices of Lemma A.3: matrix calculus in row-wise vectorisation.

Y's Jacobian by X is d vec_r(Y) / d vec_r(X)^T: rows and columns run over the entries of Y and X,
the column index of each matrix fastest.  A commutation matrix K_{mn} sends vec_c(B) to vec_c(B^T)
for B of shape m x n.  The general matrices A, B, C, D and W of the appendix live here only.
"""

from __future__ import annotations

from typing import Any

from sympy import ImmutableDenseMatrix, Integer, MatrixSymbol, Trace
from sympy.matrices.expressions import Identity, Inverse, KroneckerProduct, Transpose

from claims.definitions import directional_jacobian
from claims.domain import Array, Domain, Point, Size
from claims.expressions import Commutation
from claims.model import Claim, Hypothesis, Relation, Understood, variants
from claims.noci2022.notation import WK, WQ, X, d_k, d_v, m, n, p, q, r, s, source

A, B = MatrixSymbol("A", n, m), MatrixSymbol("B", p, q)
C, D, W = MatrixSymbol("C", m, r), MatrixSymbol("D", q, s), MatrixSymbol("W", m, p)
square_A, square_B = MatrixSymbol("A", n, n), MatrixSymbol("B", p, p)

_sizes = tuple(Size(size, 1, 3) for size in (n, m, p, q))
_ROW_WISE = Hypothesis(
    r"\tfrac{\partial Y}{\partial X}:="
    r"\tfrac{\partial\,\mathrm{vec}_r(Y)}{\partial\,\mathrm{vec}_r(X)^\top}"
)


def jacobian_of_a_product(point: Point) -> ImmutableDenseMatrix:
    """d(A W B)/dW, one unit direction of W at a time."""
    left, right = point[A], point[B]
    return directional_jacobian(lambda dw: left * dw * right, left.cols, right.rows)


_PRODUCT = r"\frac{\partial AWB}{\partial W}"

jacobian_of_a_product_is_a_kronecker_product = Claim(
    id="noci2022.eq-20",
    source=source("App. A.1.1", "Eq. (20)"),
    kind="identity",
    title=r"The row-wise Jacobian of $AWB$ by $W$ is $A\otimes B^\top$.",
    statement=Relation(_PRODUCT, (KroneckerProduct(A, B.T),)),
    domain=Domain((*_sizes, Array(A), Array(B))),
    define=jacobian_of_a_product,
    hypotheses=(_ROW_WISE,),
    mutants=variants(
        ("column-wise vectorisation", KroneckerProduct(B.T, A)),
        ("B for B^T", KroneckerProduct(A, B)),
        ("denominator layout", KroneckerProduct(A.T, B)),
        lhs=_PRODUCT,
    ),
    printed=(
        r"\frac{\partial \mathbf{AWB}}{\partial \mathbf{W}} = \mathbf{A} \otimes \mathbf{B}^\top"
    ),
)


def kronecker(a: ImmutableDenseMatrix, b: ImmutableDenseMatrix) -> ImmutableDenseMatrix:
    """A (x) B block by block: block (i, j) is a_ij B."""
    rows = []
    for i in range(a.rows):
        rows += [[a[i, j] * y for j in range(a.cols) for y in b.row(k)] for k in range(b.rows)]
    return ImmutableDenseMatrix(rows)


def main_diagonal(a: ImmutableDenseMatrix) -> Any:
    """The sum of the entries (i, i) of a square matrix."""
    return sum((a[i, i] for i in range(a.rows)), start=Integer(0))


_TRACE = r"\mathrm{tr}(A\otimes B)"

trace_of_a_kronecker_product = Claim(
    id="noci2022.lemma-A.1.trace",
    source=source("App. A.1.1", "Lemma A.1, Eq. (21)"),
    kind="identity",
    title="The trace of a Kronecker product is the product of the traces.",
    statement=Relation(_TRACE, (Trace(square_A) * Trace(square_B),)),
    domain=Domain((Size(n, 1, 3), Size(p, 1, 3), Array(square_A), Array(square_B))),
    define=lambda point: main_diagonal(kronecker(point[square_A], point[square_B])),
    mutants=variants(
        ("sum for product", Trace(square_A) + Trace(square_B)),
        ("dropped tr(B)", p * Trace(square_A)),
        lhs=_TRACE,
    ),
    printed=r"\mathrm{tr}(\mathbf{A}\otimes\mathbf{B})=\mathrm{tr}(\mathbf{A})\,\mathrm{tr}(\mathbf{B})",
    understood=(
        Understood(
            "$A$ and $B$ are square: $n=m$ and $p=q$.",
            r"$A\in\mathbb R^{1\times2}$ and $B\in\mathbb R^{2\times1}$, as printed: "
            r"$A\otimes B$ is square, and $\mathrm{tr}\,A$ is not defined.",
        ),
    ),
)


def product_of_kronecker_products(point: Point) -> ImmutableDenseMatrix:
    """(A (x) B)(C (x) D), both factors written out and multiplied."""
    return kronecker(point[A], point[B]) * kronecker(point[C], point[D])


_MIXED = r"(A\otimes B)(C\otimes D)"
_small = tuple(Size(size, 1, 2) for size in (n, m, p, q, r, s))

mixed_product_rule = Claim(
    id="noci2022.lemma-A.1.mixed",
    source=source("App. A.1.1", "Lemma A.1, Eq. (22)"),
    kind="identity",
    title="Kronecker products multiply factor by factor.",
    statement=Relation(_MIXED, (KroneckerProduct(A * C, B * D),)),
    domain=Domain((*_small, Array(A), Array(B), Array(C), Array(D))),
    define=product_of_kronecker_products,
    hypotheses=(
        Hypothesis(
            r"A\in\mathbb R^{n\times m},\ B\in\mathbb R^{p\times q},\ C\in\mathbb R^{m\times r},"
            r"\ D\in\mathbb R^{q\times s}"
        ),
    ),
    mutants=variants(
        ("factors exchanged", KroneckerProduct(B * D, A * C)),
        ("dropped D", KroneckerProduct(A * C, B)),
        ("transposed", KroneckerProduct(A * C, B * D).T),
        lhs=_MIXED,
    ),
    printed=(
        r"(\mathbf{A} \otimes \mathbf{B})(\mathbf{C} \otimes \mathbf{D}) = (\mathbf{AC}) \otimes "
        r"(\mathbf{BD})"
    ),
)


def column_order_after_row_order(point: Point) -> ImmutableDenseMatrix:
    """The matrix that sends vec_r(B) = vec_c(B^T) to vec_r(B^T) = vec_c(B), B of shape m x n."""
    rows, cols = int(point[m]), int(point[n])
    places = []
    for j in range(cols):
        for i in range(rows):  # place j * rows + i of vec_r(B^T) holds B_ij
            places.append([Integer(k == i * cols + j) for k in range(rows * cols)])
    return ImmutableDenseMatrix(places)


_SWAP = r"\frac{\partial\,\mathrm{vec}_r(B^\top)}{\partial\,\mathrm{vec}_r(B)^\top}"

commutation_matrix_reorders_vectorisations = Claim(
    id="noci2022.lemma-A.3.commutation-rules",
    source=source("App. A.1.2", "proof of Lemma A.3"),
    kind="identity",
    title=(
        r"$K_{nm}$ takes $\mathrm{vec}_r(B)$ to $\mathrm{vec}_r(B^\top)=\mathrm{vec}_c(B)$, and is transpose "
        "and inverse of $K_{mn}$."
    ),
    statement=Relation(
        _SWAP, (Inverse(Commutation(m, n)), Transpose(Commutation(m, n)), Commutation(n, m))
    ),
    domain=Domain((Size(m, 1, 4), Size(n, 1, 4))),
    define=column_order_after_row_order,
    hypotheses=(
        Hypothesis(r"B\in\mathbb R^{m\times n},\ K_{mn}\mathrm{vec}_c(B)=\mathrm{vec}_c(B^\top)"),
    ),
    mutants=variants(
        ("K_mn for K_nm", Commutation(m, n)),
        ("no reordering", Identity(m * n)),
        ("opposite sign", -Commutation(n, m)),
        lhs=_SWAP,
    ),
    printed=(
        r"\mathbf{K}_{mn} \text{vec}_r(\mathbf{B}^\top) = \text{vec}_r(\mathbf{B}), \quad "
        r"\text{vec}_r(\mathbf{B}^\top) = \mathbf{K}_{nm} \text{vec}_r(\mathbf{B}), \quad "
        r"\mathbf{K}_{mn}^{-1} = \mathbf{K}_{mn}^\top = \mathbf{K}_{nm}"
    ),
    note=(
        r"The second rule is that the map $\mathrm{vec}_r(B)\mapsto\mathrm{vec}_r(B^\top)$ has the matrix "
        r"$K_{nm}$; the first is the same of $B^\top$, whose sizes are exchanged, and says that the inverse "
        "map has the matrix $K_{mn}$."
    ),
)

_G = X * WQ * WK.T
_LEFT = r"(XW^QW^{K\top}\otimes I_n)K_{dn}"


def swapped_kronecker_product(point: Point) -> ImmutableDenseMatrix:
    """(G (x) I_n) K_dn for G = X W^Q W^K^T: column (k, b) of G (x) I_n goes to column (b, k)."""
    g = point[X] * point[WQ] * point[WK].T
    size, width = g.shape
    return ImmutableDenseMatrix(
        size * size,
        size * width,
        lambda row, col: g[row // size, col % width] * Integer(row % size == col // width),
    )


kronecker_factors_commute_past_commutation_matrices = Claim(
    id="noci2022.lemma-A.3.commutation-swap",
    source=source("App. A.1.2", "proof of Lemma A.3"),
    kind="identity",
    title=r"$(G\otimes I_n)K_{dn}=K_{nn}(I_n\otimes G)$ for $G=XW^QW^{K\top}$.",
    statement=Relation(_LEFT, (Commutation(n, n) * KroneckerProduct(Identity(n), _G),)),
    domain=Domain(
        (Size(n, 2, 3), Size(d_v, 1, 3), Size(d_k, 1, 2), Array(X, 2), Array(WQ, 2), Array(WK, 2))
    ),
    define=swapped_kronecker_product,
    hypotheses=(Hypothesis(r"d=d_v"),),
    uses=(commutation_matrix_reorders_vectorisations,),
    mutants=variants(
        ("dropped K_nn", KroneckerProduct(Identity(n), _G)),
        ("factors not exchanged", Commutation(n, n) * KroneckerProduct(_G, Identity(n))),
        (
            "queries and keys exchanged",
            Commutation(n, n) * KroneckerProduct(Identity(n), X * WK * WQ.T),
        ),
        lhs=_LEFT,
    ),
)
