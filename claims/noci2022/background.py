r"""Sections 1-2: the layer, its initialisation, and what is said of both.

Prose is put in the sharpest form the text supports.  "Xavier" is read as the paper's own App. A.5
reads it, variance 2/(rows + columns), and "He" as gain/fan, both of which the paper leaves open.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from itertools import product
from typing import Any

from sympy import (
    Expr,
    ImmutableDenseMatrix,
    Integer,
    MatrixSymbol,
    Rational,
    Sum,
    Symbol,
    exp,
    sqrt,
)

from claims.definitions import (
    directional_jacobian,
    entries,
    frobenius_square_expectation,
)
from claims.domain import Array, Choice, Domain, Point, Real, Size
from claims.expressions import FrobSq, ones
from claims.model import Claim, Hypothesis, Relation, Understood, variants
from claims.noci2022.network import EVERY_TOKEN_NONZERO
from claims.noci2022.notation import (
    WK,
    WQ,
    WV,
    X,
    alpha1,
    alpha2,
    d_k,
    d_v,
    m,
    n,
    norm_scatter,
    norm_xbar,
    sigma_k,
    sigma_q,
    sigma_v,
    source,
)
from claims.noci2022.setup import (
    UNIFORM,
    ZERO_MEAN_WEIGHTS,
    given_weights,
    positive,
    uniform_step,
)
from claims.statement import And, Compare, ForAll, Formula, Quantity, measured_quantity
from claims.terms import entry, family

LINEAR = Hypothesis(r"\sigma(z)=z")


LAYERS = (X, WQ, WK, WV)
token, other, feature, width, column = (
    Symbol(name, integer=True, positive=True) for name in ("i", "j", "a", "b", "c")
)


def logit(row: Any, col: Any) -> Expr:
    """M_ij = sum over a, b, c of X_ia W^Q_ab W^K_cb X_jc / sqrt(d_k)."""
    x, query, key = entry(X), entry(WQ), entry(WK)
    queries = Sum(x(row, feature) * query(feature, width), (feature, 1, d_v))
    keys = Sum(x(col, column) * key(column, width), (column, 1, d_v))
    return Sum(queries * keys, (width, 1, d_k)) / sqrt(d_k)


def attention_at(point: Point) -> ImmutableDenseMatrix:
    """A, row by row: exponentials of the logits over their sum."""
    integer_logits = point[X] * point[WQ] * point[WK].T * point[X].T
    weights = (integer_logits / sqrt(point[d_k])).applyfunc(exp)
    totals = [sum(weights.row(i)) for i in range(weights.rows)]
    return ImmutableDenseMatrix(weights.rows, weights.cols, lambda i, j: weights[i, j] / totals[i])


attention_weight = family(r"A_{{{}{}}}", lambda at, i, j: attention_at(at)[i - 1, j - 1])
row_sum = family(r"\sum_jA_{{{}j}}", lambda at, i: sum(attention_at(at).row(i - 1)))


def sizes_of(name: str, matrix: Callable[[Point], Any]) -> tuple[Quantity, Quantity]:
    """The number of rows and of columns of a matrix."""
    return (
        Quantity(rf"\mathrm{{rows}}({name})", lambda at: Integer(matrix(at).shape[0])),
        Quantity(rf"\mathrm{{columns}}({name})", lambda at: Integer(matrix(at).shape[1])),
    )


def of_shape(sizes: Iterable[tuple[Quantity, Quantity]], rows: Any, columns: Any) -> Formula:
    """All matrices have so many rows and columns."""
    parts = [
        q.equals(size) for pair in sizes for q, size in zip(pair, (rows, columns), strict=True)
    ]
    return And(tuple(parts))


# Softmax entries are rational functions whose degree grows with the weights: keep both small.
_small_weights = Domain((
    Size(n, 2, 3), Size(d_v, 1, 2), Size(d_k, 1, 2),
    *(Array(array, height=1) for array in (X, WQ, WK, WV)),
))  # fmt: skip
attention_sizes = sizes_of("A", attention_at)
output_sizes = sizes_of("S", lambda at: attention_at(at) * at[X] * at[WV])
attention_is_row_stochastic_and_keeps_the_shape = Claim(
    id="noci2022.eq-1.attention",
    source=source("Sec. 2", "Eq. (1)"),
    kind="construction",
    title=r"Attention weights form a row-stochastic $n\times n$ matrix and the output has the tokens' shape.",
    statement=ForAll(
        token,
        1,
        n,
        Compare(row_sum(token), "=", 1)
        & ForAll(other, 1, n, Compare(attention_weight(token, other), ">", 0)),
    )
    & of_shape((attention_sizes,), n, n)
    & of_shape((output_sizes,), n, d_v),
    domain=_small_weights,
    hypotheses=(Hypothesis(r"A=\mathrm{softmax}\bigl(XW^Q(XW^K)^\top/\sqrt{d_k}\bigr),\ S=AXW^V"),),
    printed=(
        r"\mathbf{S}^\ell:=\mathbf{A}^\ell\mathbf{X}^\ell\mathbf{W}^V,\ \mathbf{A}^\ell="
        r"\text{softmax}\left(\frac1{\sqrt{d_k}}\mathbf{X}^\ell\mathbf{W}^Q"
        r"(\mathbf{X}^\ell\mathbf{W}^K)^\top\right)"
    ),
)

WF1, WF2 = MatrixSymbol("W^{F_1}", d_v, d_v), MatrixSymbol("W^{F_2}", d_v, d_v)
_block_domain = Domain((
    *given_weights.variables, Array(WF1, height=2), Array(WF2, height=2),
    Real(alpha1), Real(alpha2), Choice(Symbol("sigma"), ("relu", "linear")),
))  # fmt: skip


def _block(point: Point) -> tuple[ImmutableDenseMatrix, ...]:
    """S (uniform attention; any A of shape n x n has the same shapes), Z, Y and X^{l+1}."""
    x = point[X]
    uniform = ImmutableDenseMatrix.ones(x.rows, x.rows) / Integer(x.rows)
    s = uniform * x * point[WV]
    z = point[alpha1] * s + x
    hidden = z * point[WF1]
    if point[Symbol("sigma")] == "relu":
        hidden = hidden.applyfunc(lambda u: max(u, Integer(0)))
    y = hidden * point[WF2]
    return s, z, y, point[alpha2] * y + z


def _part_of_block(place: int, point: Point) -> ImmutableDenseMatrix:
    return _block(point)[place]


block_sizes = tuple(
    sizes_of(name, partial(_part_of_block, k))
    for k, name in enumerate((r"S^\ell", r"Z^\ell", r"Y^\ell", r"X^{\ell+1}"))
)
block_maps_token_matrices_to_token_matrices = Claim(
    id="noci2022.eq-2-4.block",
    source=source("Sec. 2", "Eqs. (2)-(4)"),
    kind="construction",
    title=r"Every sum in the block is between $n\times d_v$ matrices, so that blocks compose.",
    statement=of_shape(block_sizes, n, d_v),
    domain=_block_domain,
    printed=(
        r"\mathbf{Z}^\ell=\alpha_1\mathbf{S}^\ell+\mathbf{X}^\ell,\ "
        r"\mathbf{Y}^\ell=\sigma(\mathbf{Z}^\ell\mathbf{W}^{F_1})\mathbf{W}^{F_2},\ "
        r"\mathbf{X}^{\ell+1}=\alpha_2\mathbf{Y}^\ell+\mathbf{Z}^\ell"
    ),
)

fan, gain = Symbol("fan"), Symbol("g^2")
_initialised = Domain(
    (
        Size(d_v, 1, 8), Size(d_k, 1, 8), Choice(fan, ("in", "out")),
        Choice(gain, (Integer(1), Integer(2))),
    )
)  # fmt: skip
xavier_variance = Quantity(
    r"\sigma^2_{\mathrm{Xavier}}", lambda at: 2 / (at[d_v] + at[d_k]), positive=True
)
he_variance = Quantity(
    r"\sigma^2_{\mathrm{He}}",
    lambda at: at[gain] / at[d_v if at[fan] == "in" else d_k],
    positive=True,
)

initialisation_is_xavier_or_he = Claim(
    id="noci2022.sec2.init",
    source=source("Sec. 2", "initialisation paragraph and footnote 3"),
    kind="assumption",
    title="The query and key variance $1/d_k$ is called the standard Xavier or He choice.",
    statement=xavier_variance.equals(1 / d_k) | he_variance.equals(1 / d_k),
    domain=_initialised,
    left_open=(fan, gain),
    hypotheses=(
        Hypothesis(
            r"W^Q,W^K\in\mathbb R^{d_v\times d_k}:\ \sigma^2_{\mathrm{Xavier}}=\tfrac2{d_v+d_k},\ "
            r"\sigma^2_{\mathrm{He}}=\tfrac{g^2}{d_v}\ (\text{fan in})\ \text{or}\ \tfrac{g^2}{d_k}\ "
            r"(\text{fan out})"
        ),
        Hypothesis(r"g^2=1\ (\text{linear})\ \text{or}\ 2\ (\mathrm{ReLU}):\ \text{not printed}"),
    ),
    printed=r"\sigma_k^2=\frac{1}{d_k}",
    probes=tuple(
        {d_v: Integer(2), d_k: Integer(3), fan: way, gain: Integer(size)}
        for way, size in product(("in", "out"), (1, 2))
    ),
    note=(
        "He's variance, with the fan out and the gain of a linear layer, is $1/d_k$ for every "
        "$d_v\\times d_k$ matrix; with the fan in, or with the gain of a ReLU, it is not, but for single sizes "
        "such as $d_v=d_k$ or $d_v=2d_k$. Xavier's is $2/(d_v+d_k)$, as App. A.5 says, and $1/d_k$ exactly "
        "when $d_k=d_v$. The paper names neither fan nor gain"
    ),
)

queries = MatrixSymbol("X'", m, d_v)
_cross_sizes = (
    Size(m, 1, 3), Size(n, 2, 3), Size(d_v, 1, 2), Size(d_k, 1, 2), Array(queries), Array(X),
)  # fmt: skip


def _cross(*deviations: Symbol) -> Domain:
    return Domain((*_cross_sizes, *(Real(sigma, **positive) for sigma in deviations)))


def _cross_gradient(parameter: str, point: Point) -> Expr:
    """E||dS/dW||_F^2 for queries from X' and keys, values from X, under uniform attention."""
    v, k = int(point[d_v]), int(point[d_k])
    fixed, wv = entries("w", v, k), entries("v", v, v)
    x, other = point[X], point[queries]
    scale = 1 / Integer(k) ** Rational(1, 2)

    def step(dw: ImmutableDenseMatrix) -> ImmutableDenseMatrix:
        if parameter == "values":
            return ImmutableDenseMatrix.ones(other.rows, x.rows) * x * dw / Integer(x.rows)
        product_ = dw * fixed.T if parameter == "queries" else fixed * dw.T
        return uniform_step(other * product_ * x.T * scale) * x * wv

    jacobian = directional_jacobian(step, v, v if parameter == "values" else k)
    laws = ((fixed, sigma_k if parameter == "queries" else sigma_q), (wv, sigma_v))
    variances = {w: point[s] ** 2 for w_, s in laws if s in point for w in w_}
    return frobenius_square_expectation(jacobian, variances)


def _cross_norm(parameter: str) -> str:
    return rf"\mathbb E\left\|\frac{{\partial S}}{{\partial W^{parameter}}}\right\|_F^2"


_CROSS_SOURCE = source("Sec. 2", "footnote 1")
_scatters = d_v / n**2 * FrobSq(queries) * norm_scatter
value_gradient_norm_of_cross_attention = Claim(
    id="noci2022.footnote-1.cross-attention-values",
    source=_CROSS_SOURCE,
    kind="prose",
    title="For cross-attention Eq. (6) holds with the number of queries times the mean token of the keys.",
    statement=Relation(_cross_norm("V"), (d_v * m * norm_xbar,)),
    domain=_cross(),
    define=partial(_cross_gradient, "values"),
    hypotheses=(UNIFORM, ZERO_MEAN_WEIGHTS),
    mutants=variants(
        ("n for m", d_v * n * norm_xbar),
        ("the mean query", d_v * FrobSq(queries.T * ones(m)) / m),
        ("d_k for d_v", d_k * m * norm_xbar),
        lhs=_cross_norm("V"),
    ),
    note="The footnote gives no formula; this is Eq. (6) with the two sequences told apart.",
)

_query_value, _key_value = sigma_v**2 * sigma_k**2 * _scatters, sigma_v**2 * sigma_q**2 * _scatters
query_gradient_norm_of_cross_attention = Claim(
    id="noci2022.footnote-1.cross-attention",
    source=_CROSS_SOURCE,
    kind="prose",
    title="For cross-attention Eq. (7) holds with the querying sequence's norm in the first factor.",
    statement=Relation(_cross_norm("Q"), (_query_value,)),
    domain=_cross(sigma_k, sigma_v),
    define=partial(_cross_gradient, "queries"),
    hypotheses=(UNIFORM, ZERO_MEAN_WEIGHTS),
    mutants=variants(
        ("m for n", _query_value * n**2 / m**2),
        ("scatter of the queries", sigma_v**2 * sigma_k**2 * d_v / n**2 * FrobSq(X) * norm_scatter),
        ("d_k for d_v", _query_value * d_k / d_v),
        lhs=_cross_norm("Q"),
    ),
    note=(
        "The footnote gives no formula; this is Eq. (7) with the two sequences told apart. Eq. (6) is "
        "`noci2022.footnote-1.cross-attention-values`, and the keys of Lemma 3.1 are "
        "`noci2022.footnote-1.cross-attention-keys`. Eq. (8) and the lemmas on the forward pass are in no "
        "statement."
    ),
)

key_gradient_norm_of_cross_attention = Claim(
    id="noci2022.footnote-1.cross-attention-keys",
    source=_CROSS_SOURCE,
    kind="prose",
    title="For cross-attention the keys have the norm of the queries, with the variance of the queries.",
    statement=Relation(_cross_norm("K"), (_key_value,)),
    domain=_cross(sigma_q, sigma_v),
    define=partial(_cross_gradient, "keys"),
    hypotheses=(UNIFORM, ZERO_MEAN_WEIGHTS),
    mutants=variants(
        ("m for n", _key_value * n**2 / m**2),
        (
            "norm of the keys' tokens",
            sigma_v**2 * sigma_q**2 * d_v / n**2 * FrobSq(X) * norm_scatter,
        ),
        ("d_k for d_v", _key_value * d_k / d_v),
        lhs=_cross_norm("K"),
    ),
    note="The footnote gives no formula; this is Lemma 3.1 for the keys with the two sequences told apart.",
)

_nonzero_rows = Domain((Size(n, 2, 3), Size(d_v, 1, 3), Array(X, height=2)), (EVERY_TOKEN_NONZERO,))
K, L, Z, W = (Symbol(name, integer=True, positive=True) for name in "klji")


def _product(at: Point, k: int, l: int) -> Expr:  # noqa: E741
    return at[X].row(k - 1).dot(at[X].row(l - 1))


cosine = family(
    r"\cos\theta_{{{}{}}}",
    lambda at, k, l: _product(at, k, l) / sqrt(_product(at, k, k) * _product(at, l, l)),  # noqa: E741
)
token_norm = family(r"\|X_{{{}}}\|^2", lambda at, k: _product(at, k, k))
inner_product = family(r"\langle X_{{{}}},X_{{{}}}\rangle", _product)
length = family(r"\|X_{{{}}}\|", lambda at, k: sqrt(_product(at, k, k)))


def all_pairs(body: Formula) -> Formula:
    return ForAll(K, 1, n, ForAll(L, 1, n, body))


aligned = all_pairs(Compare(cosine(K, L), "=", 1) & Compare(token_norm(K), "=", token_norm(L)))
"""Perfect alignment together with equal norms."""
x = entry(X)
tokens_equal = all_pairs(ForAll(Z, 1, d_v, Compare(x(K, Z), "=", x(L, Z))))
rank_at_most_one = all_pairs(
    ForAll(Z, 1, d_v, ForAll(W, 1, d_v, Compare(x(K, Z) * x(L, W), "=", x(K, W) * x(L, Z))))
)
"""All minors of size two vanish."""

_ALIGNMENT = source("Sec. 2", "rank-collapse paragraph, display")
_ANGLE = (
    Hypothesis(r"\theta_{k,k'}\ \text{is the angle between}\ X_k\ne0\ \text{and}\ X_{k'}\ne0"),
)
_DISPLAY = (
    r"\langle \mathbf{X}_{k}^{\ell}, \mathbf{X}_{k'}^{\ell'} \rangle = "
    r"\|\mathbf{X}_{k}^{\ell}\| \|\mathbf{X}_{k}^{\ell}\| \cos \theta_{k,k'} \text{ with } "
    r"\cos \theta_{k,k'} = 1 \text{ for all } k, k' \in [n]"
)

equal_tokens_iff_aligned_with_equal_norms = Claim(
    id="noci2022.sec2.collapse-notion",
    source=source("Sec. 2", "rank-collapse paragraph"),
    kind="prose",
    title="All tokens are equal exactly when they are aligned with equal norms, which implies rank one.",
    statement=aligned.iff(tokens_equal) & tokens_equal.implies(rank_at_most_one),
    domain=_nonzero_rows,
    hypotheses=(Hypothesis(r"X_k\ne0\ \text{(a rank-one limit is meant)}"),),
    note=(
        "What is claimed is the prose around the display, which tells what perfect alignment is and is judged "
        r"by itself: `noci2022.sec2.collapse-notion.cosine`. $\mathbf1_{d_v}$ is explained where $\mathbf1_n$ "
        "is used. Rank one is said by minors: all of size two vanish, and no token is zero."
    ),
)

cosine_by_both_norms = Claim(
    id="noci2022.sec2.collapse-notion.cosine.repair",
    parent="noci2022.sec2.collapse-notion.cosine",
    source=_ALIGNMENT,
    kind="identity",
    title=r"An inner product is the product of the norms of both tokens and the cosine of their angle.",
    statement=all_pairs(Compare(inner_product(K, L), "=", length(K) * length(L) * cosine(K, L))),
    domain=_nonzero_rows,
    hypotheses=_ANGLE,
)

cosine_by_one_norm = Claim(
    id="noci2022.sec2.collapse-notion.cosine",
    source=_ALIGNMENT,
    kind="identity",
    title="An inner product is printed as the squared norm of one token times the cosine of the angle.",
    statement=all_pairs(Compare(inner_product(K, L), "=", length(K) * length(K) * cosine(K, L))),
    domain=_nonzero_rows,
    hypotheses=_ANGLE,
    severity="misprint",
    repair=cosine_by_both_norms,
    printed=_DISPLAY,
    note=(
        r"The norm of token $k$ stands twice, in print or in the transcription that we read: with "
        r"$\cos\theta=1$ the tokens $1$ and $2$, perfectly aligned, would not be. Nor would equal norms be a "
        "further condition, as the next sentence has them, since for all $k,k'$ the display makes all tokens "
        r"equal. $\ell'$, which is not bound, is read as $\ell$."
    ),
)

instance = Symbol("draw", integer=True)
collapse_exponent = measured_quantity(
    r"\liminf_{\ell\to\infty}\tfrac{\log r_{\ell+1}}{\log r_\ell}"
)
no_skip_collapses_doubly_exponentially = Claim(
    id="noci2022.sec1.no-skip-doubly-exponential",
    source=source("Sec. 1-2", "result recalled from Dong et al. (2021)"),
    kind="prose",
    title="Without skip connections the distance to equal tokens decays doubly exponentially.",
    statement=collapse_exponent.at_least(2),
    domain=Domain(
        (Choice(instance, tuple(map(Integer, range(64)))), Size(n, 2, 6), Size(d_v, 2, 16))
    ),
    hypotheses=(
        Hypothesis(r"\text{softmax layers alone: no residual branch, no feed-forward layer}"),
        Hypothesis(r"r_\ell=\|X^\ell-1_n\bar x^{\ell\top}\|_F/\|1_n\bar x^{\ell\top}\|_F"),
        Hypothesis(r"\text{Gaussian weights}"),
    ),
    understood=(
        Understood(
            r"The tokens collapse, $r_\ell\to0$; how fast is what is stated.",
            r"Two tokens $x$ and $-x$ stay opposite in every layer: their mean is zero, and $r_\ell$ infinite.",
        ),
    ),
    printed=r"\mathbf{X}^\ell \to \mathbf{1}_n x^\top",
    note=(
        "recalled from another paper; measured on random layers whose residual is already below "
        r"$10^{-12}$, not proved. Doubly exponential decay is a lower limit above one; it tends to $3$, since "
        r"the next residual is of third order. At one layer no bound holds surely: $W^V$ may map the mean "
        r"token nearly to zero and the differences not. With Sec. 2's variances $\log\|x^\top W^{V,0}\cdots "
        r"W^{V,\ell}\|$ is a random walk with negative drift, so that $X^\ell\to0$ almost surely: the limit as "
        "printed is of rank zero, and it is the residual relative to the mean that collapses"
    ),
)
