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
    Sum,
    Symbol,
    exp,
    sqrt,
)

from claims.definitions import directional_jacobian, entries, expectation, frobenius_square
from claims.domain import Array, Choice, Computed, Domain, Point, Real, Size, UpTo
from claims.expressions import Total
from claims.model import Claim, Hypothesis, Relation, Understood
from claims.naitsaada2025.layers import X0, Isotropic
from claims.naitsaada2025.markov import normalised
from claims.naitsaada2025.notation import T, d, d_qk, sigma_qk, source
from claims.statement import And, Compare, ForAll, Quantity, measured_quantity
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
    Size(d, 1, 3), UpTo(T, 1, 2, last=d), Size(d_qk, 1, 2), Isotropic(X0), Array(WQ, 1), Array(WK, 1),
))  # fmt: skip
KEY_SHAPES = Hypothesis(r"W^Q,W^K\in\mathbb R^{d\times d_{qk}}")
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
    hypotheses=(ISOTROPIC, KEY_SHAPES),
)  # fmt: skip
attention_matrix_without_a_transpose = Claim(
    id="naitsaada2025.eq-1",
    source=source("Sec. 2.2", "Eq. (1)"),
    kind="construction",
    title=r"The logits are written as a product of $X_0W^Q$ with $W^K$ itself.",
    statement=query_columns.equals(key_rows),
    domain=layer,
    hypotheses=(ISOTROPIC, KEY_SHAPES),
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

_LOGITS = source("App. A.2", "proof of Theorem 2.1, first display")
logits_with_a_transpose = Claim(
    id="naitsaada2025.proof-2.1.transpose.repair",
    parent="naitsaada2025.proof-2.1.transpose",
    source=_LOGITS,
    kind="construction",
    title=r"$X_0W^Q$ has as many columns as $W^{K\top}$ has rows.",
    statement=query_columns.equals(transposed_key_rows),
    domain=layer,
    hypotheses=(ISOTROPIC, KEY_SHAPES),
)
logits_without_a_transpose = Claim(
    id="naitsaada2025.proof-2.1.transpose",
    source=_LOGITS,
    kind="construction",
    title=r"The exponents of $Z_{ij}$ are written as a product of $X_0W^Q$ with $W^K$ itself.",
    statement=query_columns.equals(key_rows),
    domain=layer,
    hypotheses=(ISOTROPIC, KEY_SHAPES),
    severity="misprint",
    repair=logits_with_a_transpose,
    printed=(
        r"Z_{i,j} := \exp\left(\frac{\mathbf{X}_0 \mathbf{W}_1^Q \mathbf{W}_1^K \mathbf{X}_0^\top}"
        r"{\sqrt{d_{qk}}}\right)_{i,j}"
    ),
    note=(
        r"As in Eq. (1), `naitsaada2025.eq-1`. The lines that follow take inner products of rows of "
        r"$X_0W^Q$ and $X_0W^K$."
    ),
)

attention_width = size("A(X_0)", attention_at, 1)
token_rows, value_rows = size("X_0", lambda at: at[X0], 0), size("W^V", lambda at: at[WV], 0)
token_columns = size("X_0", lambda at: at[X0], 1)
output_rows, output_columns = (
    size("X", lambda at: attention_at(at) * at[X0] * at[WV], axis) for axis in (0, 1)
)
one_layer = Domain((*layer.variables, Array(WV, 1)))
SHAPES = Hypothesis(r"A(X_0)\in\mathbb R^{T\times T},\ W^V\in\mathbb R^{d\times d}")
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
    hypotheses=(ISOTROPIC, SHAPES, Hypothesis(r"X=A(X_0)X_0W^V")),
)  # fmt: skip
attention_times_values = Claim(
    id="naitsaada2025.sec-2.2.output-shape",
    source=source("Sec. 2.2", "and Eq. (8)"),
    kind="construction",
    title="The output of a layer is written as attention times value weights, without the tokens.",
    statement=attention_width.equals(value_rows),
    domain=one_layer,
    hypotheses=(
        ISOTROPIC,
        SHAPES,
    ),
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

# Queries and keys over isotropic tokens -----------------------------------------------------------


def _covariance(at: Point, row: int, column: int, other: int, place: int) -> Expr:
    """E[(X_0 W)_ia (X_0 W)_jb], from the entries of W."""
    weights = entries("w", int(at[d]), int(at[d_qk]))
    product = at[X0] * weights
    second = product[row - 1, column - 1] * product[other - 1, place - 1]
    return expectation(second, dict.fromkeys(weights, at[sigma_qk] ** 2))


covariance = family(r"\mathbb E[(X_0W^Q)_{{{}{}}}(X_0W^Q)_{{{}{}}}]", _covariance)
_POSITIVE = Real(sigma_qk, 0, open_low=True)
queries_over_isotropic_tokens_are_iid = Claim(
    id="naitsaada2025.proof-2.1.distribution",
    source=source("App. A.2", "proof of Theorem 2.1"),
    kind="law",
    title="Over orthonormal tokens, queries have uncorrelated Gaussian entries of the weights' variance.",
    statement=ForAll(i, 1, T, ForAll(a, 1, d_qk, ForAll(j, 1, T, ForAll(b, 1, d_qk, Compare(
        covariance(i, a, j, b), "=", sigma_qk**2 * KroneckerDelta(i, j) * KroneckerDelta(a, b)
    ))))),
    domain=Domain((Size(d, 1, 3), UpTo(T, 1, 2, last=d), Size(d_qk, 1, 2), Isotropic(X0), _POSITIVE)),
    hypotheses=(ISOTROPIC, GAUSSIAN),
    understood=(
        Understood(
            "The law of an entry is meant.",
            r"For $T<d$ the shapes differ: $X_0W^Q$ is $T\times d_{qk}$, $W^Q$ is $d\times d_{qk}$.",
        ),
    ),
    note=(
        "Linear images of Gaussians are Gaussian with mean zero, and uncorrelated ones are independent. "
        "Keys have the same law."
    ),
)  # fmt: skip

_law = Domain((Size(d_qk, 1, 2, reach=9), _POSITIVE))
QUERIES_AND_KEYS = Hypothesis(
    r"M_{ij}=q_i^\top k_j/\sqrt{d_{qk}},\ q_i,k_j\in\mathbb R^{d_{qk}}\ \text{independent}\ "
    r"\mathcal N(0,\sigma_{qk}^2I)"
)


def _moment(at: Point, polynomial: Any) -> tuple[Expr, ...]:
    """E of the product and of the factors of two squares of logits, from queries and keys."""
    width = int(at[d_qk])
    rows = [entries(name, 1, width) for name in ("q", "r", "k", "m")]
    variances = dict.fromkeys((x for row in rows for x in row), at[sigma_qk] ** 2)
    one, other = (square / width for square in polynomial(*rows))
    return tuple(expectation(f, variances) for f in (one * other, one, other))


def _of_squares(at: Point, polynomial: Any) -> Expr:
    """The covariance of two squares."""
    product, one, other = _moment(at, polynomial)
    return product - one * other


def one_query(q: Any, _: Any, k: Any, m: Any) -> tuple[Expr, Expr]:
    """(q.k)^2 and (q.m)^2."""
    return q.dot(k) ** 2, q.dot(m) ** 2


def one_pair_of_keys(q: Any, r: Any, k: Any, m: Any) -> tuple[Expr, Expr]:
    """(q.(k - m))^2 and (r.(k - m))^2."""
    return q.dot(k - m) ** 2, r.dot(k - m) ** 2


def _dependence(
    name: str, place: str, titles: tuple[str, str], lhs: str, define: Any, value: Expr, **more: Any
) -> Claim:
    """Independence as printed, which makes a covariance vanish, and the covariance."""
    shared: dict[str, Any] = {
        "kind": "prose", "domain": _law, "define": define,
        "hypotheses": (ISOTROPIC, QUERIES_AND_KEYS), "source": source(place),
    }  # fmt: skip
    repair = Claim(
        id=f"naitsaada2025.{name}.repair", parent=f"naitsaada2025.{name}", title=titles[1],
        statement=Relation(lhs, (value,)), **shared,
    )  # fmt: skip
    return Claim(
        id=f"naitsaada2025.{name}", title=titles[0], statement=Relation(lhs, (Integer(0),)),
        severity="material", repair=repair, uses=(queries_over_isotropic_tokens_are_iid,),
        **shared, **more,
    )  # fmt: skip


entries_are_called_independent = _dependence(
    "proof-2.1.iid",
    "App. A.2, proof of Theorem 2.1",
    (
        r"Exponentials of inner products of rows are called independent.",
        r"Logits that share a query are uncorrelated and dependent: their squares have covariance "
        r"$2\sigma_{qk}^8/d_{qk}$.",
    ),
    r"\mathrm{Cov}(M_{11}^2,M_{12}^2)",
    partial(_of_squares, polynomial=one_query),
    2 * sigma_qk**8 / d_qk,
    printed=r"Z_{i,j} \text{ are i.i.d.}",
    note=(
        r"$Z_{ij}=e^{M_{ij}}$ are independent only if the $M_{ij}$ are, and $Z_{11}$, $Z_{12}$ share "
        r"the query $q_1$. They are identically distributed, and independent in the limit of many "
        r"$d_{qk}$ only."
    ),
)
attention_is_called_markov = _dependence(
    "rem-3.2.softmax-instance",
    "Sec. 3, Remark 3.2",
    (
        "Softmax attention over isotropic tokens is called an i.i.d. Markov matrix.",
        r"Rows of softmax attention are dependent, by the keys that they share: squares of "
        r"$\log(A_{11}/A_{12})$ and $\log(A_{21}/A_{22})$ have covariance $8\sigma_{qk}^8/d_{qk}$.",
    ),
    r"\mathrm{Cov}\bigl(\log^2\tfrac{A_{11}}{A_{12}},\log^2\tfrac{A_{21}}{A_{22}}\bigr)",
    partial(_of_squares, polynomial=one_pair_of_keys),
    8 * sigma_qk**8 / d_qk,
    printed=(
        r"\text{the standard key-query dot product attention matrix } \mathbf{A}(\mathbf{X}_0) \text{ defined "
        r"in (1) is an i.i.d. Markov matrix provided the input is isotropic } "
        r"\mathbf{X}_0\mathbf{X}_0^\top = \mathbf{I}"
    ),
    note=(
        r"Rows of an i.i.d. Markov matrix are independent, whatever $Z$ it is made of; here "
        r"$\log(A_{i1}/A_{i2})=q_i^\top(k_1-k_2)/\sqrt{d_{qk}}$. So no other choice of $Z$ helps, for "
        r"$T\ge2$ and fixed $d_{qk}$."
    ),
)

# Vanishing logits ---------------------------------------------------------------------------------

B, most = MatrixSymbol("B", T, T), Symbol(r"\epsilon", real=True)
squared_logit = Quantity(
    r"\mathbb E[M_{ij}^2]", lambda at: _moment(at, one_query)[1], nonnegative=True
)
of_logits = family(r"A_{{{}{}}}", lambda at, row, column: softmax(at[B])[row - 1, column - 1])
small_weights_make_attention_uniform = Claim(
    id="naitsaada2025.sec-3.vanishing-logits",
    source=source("Sec. 3", "first paragraph"),
    kind="limit",
    title=(
        r"Logits have second moment $\sigma_{qk}^4$, and logits within $\epsilon$ of zero give attention "
        r"within a factor $e^{2\epsilon}$ of uniform."
    ),
    statement=squared_logit.equals(sigma_qk**4)
    & ForAll(i, 1, T, ForAll(j, 1, T,
        Compare(of_logits(i, j), "<=", exp(2 * most) / T)
        & Compare(of_logits(i, j), ">=", exp(-2 * most) / T),
    )),
    domain=Domain((
        *_law.variables, Size(T, 1, 3), Array(B, 1),
        Computed(most, lambda at: max(map(abs, at[B])), known=(
            ForAll(i, 1, T, ForAll(j, 1, T,
                Compare(entry(B)(i, j), "<=", most) & Compare(entry(B)(i, j), ">=", -most))),)),
    )),
    hypotheses=(
        ISOTROPIC, QUERIES_AND_KEYS, Hypothesis(r"A=\mathrm{softmax}(B),\ |B_{ij}|\le\epsilon"),
    ),
    note=(
        r"So with $\sigma_{qk}\to0$ logits vanish in mean square, at any $d_{qk}$, and with them "
        r"$A-T^{-1}1_{T\times T}$, whose entries are at most $(e^{2\epsilon}-1)/T$. That is at fixed $T$."
    ),
)  # fmt: skip

# Isotropic inputs ---------------------------------------------------------------------------------

_ISOMETRY = r"\|X_0X_0^\top-I_T\|_F^2"
isotropic_inputs_need_enough_features = Claim(
    id="naitsaada2025.app-A.1.gamma",
    source=source("App. A.1"),
    kind="prose",
    title="Every $T\\times d$ input misses isometry by $T-d$ at least, so that isometry needs $T\\le d$.",
    statement=(isometry_gap := Quantity(
        _ISOMETRY,
        lambda at: sum((e**2 for e in at[X0] * at[X0].T - ImmutableDenseMatrix.eye(at[T])), start=Integer(0)),
    )).at_least(T - d),
    domain=Domain((Size(T, 1, 3), Size(d, 1, 3), Array(X0))),
    printed=r"T \leq d",
    note=(
        r"The heading says that $T$ need not be bigger than $d$; the assumption that it does without is "
        r"$T\le d$, so that smaller is meant."
    ),
)  # fmt: skip

# The gradient of the values -----------------------------------------------------------------------


def value_gradient(at: Point) -> Expr:
    """||dX_1/dW^V||_F^2 under uniform attention, one unit direction at a time."""
    mean = ImmutableDenseMatrix.ones(at[T], at[T]) / at[T] * at[X0]
    jacobian = directional_jacobian(lambda step: mean * step, int(at[d]), int(at[d]))
    return frobenius_square(jacobian)


_GRADIENT = r"\left\|\frac{\partial X_1}{\partial W^V}\right\|_F^2"
_degenerate: dict[str, Any] = {
    "source": source("Sec. 3.1", "Exploding gradients"), "kind": "prose", "define": value_gradient,
    "domain": Domain((Size(d, 1, 3), UpTo(T, 1, 3, last=d), Isotropic(X0))),
    "hypotheses": (ISOTROPIC, Hypothesis(r"A=T^{-1}1_{T\times T},\ X_1=AX_0W^V")),
}  # fmt: skip
value_gradients_of_degenerate_attention_vanish = Claim(
    id="naitsaada2025.sec-3.1.noci-gradients",
    title="With degenerate attention, gradients by the value weights are said to vanish.",
    statement=Relation(_GRADIENT, (Integer(0),)),
    severity="material",
    repair=Claim(
        id="naitsaada2025.sec-3.1.noci-gradients.repair",
        parent="naitsaada2025.sec-3.1.noci-gradients",
        title="With degenerate attention the gradient by the value weights is that of the mean token.",
        statement=Relation(_GRADIENT, (d * Total(X0 * X0.T) / T,)),
        note=r"It is $d$ for isotropic tokens, since $1^\top X_0X_0^\top1=T$.",
        **_degenerate,
    ),
    printed=(r"\text{the gradients with respect to } \mathbf{W}_\ell^V \text{ vanish}"),
    note=(
        "Noci et al. (2022, Theorem 3.2) show that gradients by queries and keys vanish; those by values "
        "do not, there or here, and so nothing turns from vanishing to exploding by another scaling. "
        r"The gradient does not depend on the scale of $W^V$ for one layer; with entries of variance "
        "$1/d$, as there, its mean square is the same at every depth. Read as zero; it is $d$ over isotropic "
        "tokens, which no growth of the sizes makes vanish."
    ),
    **_degenerate,
)

# Rank ---------------------------------------------------------------------------------------------

draw = Symbol("draw", integer=True)
least_singular_value = measured_quantity(r"s_T(A(X_0))")
attention_has_full_rank = Claim(
    id="naitsaada2025.sec-2.3.full-rank",
    source=source("Sec. 2.3"),
    kind="prose",
    title="Softmax attention over isotropic tokens with Gaussian weights is almost surely of full rank.",
    statement=least_singular_value.above(0),
    domain=Domain((
        Choice(draw, tuple(map(Integer, range(64)))), Size(d, 2, 6), UpTo(T, 2, 5, last=d),
        Size(d_qk, 1, 8),
    )),
    hypotheses=(ISOTROPIC, GAUSSIAN),
    understood=(
        Understood(
            "The law of $Z$ is that of softmax attention.",
            r"An i.i.d. Markov matrix with $Z_{ij}\in\{1,2\}$, which Definition 3.1 admits, has two "
            "equal rows with positive probability.",
        ),
    ),
    note=(
        "argued: the determinant is a real-analytic function of the weights that does not vanish "
        "identically: with queries $(i,0,\\dots,0)$ and keys $(\\sqrt{d_{qk}}\\log x_j,0,\\dots,0)$ it is "
        "$\\prod_jx_j\\prod_{i<j}(x_j-x_i)$ over row sums, for $d_{qk}=1$ as well. Measured on random draws "
        "with two hundred digits, since $d_{qk}=1$ needs more than double precision has"
    ),
)  # fmt: skip
