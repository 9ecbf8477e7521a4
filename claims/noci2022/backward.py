r"""Lemma 3.1 and the pieces of its proof: expected gradient norms of an attention layer.

Covered: Eq. (6), Eq. (7), the key gradients, and the quantities of App. A.1.2 behind them; Eq. (8)
is in `inputs`.  The paper's L in "X^\top L X" is the centring matrix, `centre` here.
"""

from __future__ import annotations

from typing import Any

from sympy import Identity, Trace, sqrt
from sympy.matrices.expressions import KroneckerProduct

from claims.definitions import centring, frobenius_square, frobenius_square_expectation
from claims.domain import Point
from claims.expressions import FrobSq, Total, explicit, ones
from claims.model import Claim, Mutant, Relation, variants
from claims.noci2022.notation import (
    WK,
    WV,
    X,
    centre,
    d_k,
    d_v,
    n,
    norm_scatter,
    norm_xbar,
    normX,
    sigma_k,
    sigma_q,
    sigma_v,
    source,
)
from claims.noci2022.setup import (
    FIXED_TOKENS,
    UNIFORM,
    ZERO_MEAN_WEIGHTS,
    expected_gradient_norm,
    given_layer,
    given_weights,
    layer,
    random_layer,
    symbolic_layer,
    tokens,
    uniform_jacobian,
    weight_variances,
)

_E = r"\mathbb E\left\|\frac{\partial S}{\partial %s}\right\|_F^2"
_VALUES, _QUERIES, _KEYS = (_E % w for w in ("W^V", "W^Q", "W^K"))
_centred = WV.T * X.T * centre * X * WK

value_gradient_norm_of_uniform_attention = Claim(
    id="noci2022.lemma-3.1.values",
    source=source("Sec. 3.1", "Lemma 3.1, Eq. (6)"),
    kind="expectation",
    title="The expected squared value gradient is $d_vn$ times the squared norm of the mean token.",
    statement=Relation(_VALUES, (d_v * n * norm_xbar,)),
    domain=layer,
    define=expected_gradient_norm("values"),
    hypotheses=(UNIFORM, FIXED_TOKENS),
    mutants=variants(
        ("d_k for d_v", d_k * n * norm_xbar),
        ("n - 1 for n", d_v * (n - 1) * norm_xbar),
        ("n^2 for n", d_v * n**2 * norm_xbar),
        ("dropped d_v", n * norm_xbar),
        lhs=_VALUES,
    ),
    printed=(
        r"\mathbb{E} \left\| \frac{\partial \mathbf{S}^{\ell}}{\partial \mathbf{W}^{V,\ell}} "
        r"\right\|_{F}^{2} = d_{v} n \mathbb{E} \| \bar{\boldsymbol{x}}^{\ell} \|^{2}"
    ),
)

query_gradient_norm_of_uniform_attention = Claim(
    id="noci2022.lemma-3.1.queries",
    source=source("Sec. 3.1", "Lemma 3.1, Eq. (7)"),
    kind="expectation",
    title="The expected squared query gradient is the token norm times the squared scatter norm.",
    statement=Relation(_QUERIES, (sigma_v**2 * sigma_k**2 * d_v / n**2 * normX * norm_scatter,)),
    domain=random_layer,
    define=expected_gradient_norm("queries"),
    hypotheses=(UNIFORM, ZERO_MEAN_WEIGHTS, FIXED_TOKENS),
    mutants=variants(
        ("d_k for d_v", sigma_v**2 * sigma_k**2 * d_k / n**2 * normX * norm_scatter),
        ("1/n for 1/n^2", sigma_v**2 * sigma_k**2 * d_v / n * normX * norm_scatter),
        ("sigma_q for sigma_k", sigma_v**2 * sigma_q**2 * d_v / n**2 * normX * norm_scatter),
        ("d_v^2 for d_v", sigma_v**2 * sigma_k**2 * d_v**2 / n**2 * normX * norm_scatter),
        (
            "scatter not centred",
            sigma_v**2 * sigma_k**2 * d_v / n**2 * normX * FrobSq(X.T * X),
        ),
        lhs=_QUERIES,
    ),
    printed=(
        r"\mathbb{E} \left\| \frac{\partial \mathbf{S}^{\ell}}{\partial \mathbf{W}^{Q,\ell}} "
        r"\right\|_{F}^{2} = \frac{\sigma_{v}^{2} \sigma_{k}^{2} d_{v}}{n^{2}} \cdot \mathbb{E} "
        r"\left[ \| \mathbf{X}^{\ell} \|_{F}^{2} \cdot \| (\mathbf{X}^{\ell})^{\top} "
        r"\mathbf{X}^{\ell} - n \bar{\boldsymbol{x}}^{\ell} (\bar{\boldsymbol{x}}^{\ell})^{\top} "
        r"\|_{F}^{2} \right]"
    ),
)

key_gradient_norm_of_uniform_attention = Claim(
    id="noci2022.lemma-3.1.keys-analogous",
    source=source("Sec. 3.1", "before Lemma 3.1; App. A, Notation"),
    kind="prose",
    title=r"The key gradient has the query gradient's expected norm with $\sigma_q$ in place of $\sigma_k$.",
    statement=Relation(_KEYS, (sigma_v**2 * sigma_q**2 * d_v / n**2 * normX * norm_scatter,)),
    domain=random_layer,
    define=expected_gradient_norm("keys"),
    hypotheses=(UNIFORM, ZERO_MEAN_WEIGHTS, FIXED_TOKENS),
    uses=(query_gradient_norm_of_uniform_attention,),
    mutants=variants(
        ("sigma_k kept", sigma_v**2 * sigma_k**2 * d_v / n**2 * normX * norm_scatter),
        ("d_k for d_v", sigma_v**2 * sigma_q**2 * d_k / n**2 * normX * norm_scatter),
        ("1/n for 1/n^2", sigma_v**2 * sigma_q**2 * d_v / n * normX * norm_scatter),
        lhs=_KEYS,
    ),
    note=(
        'Neither sentence displays a formula: the case for the keys "is analogous", their gradients '
        '"have the form as the queries". Read as what Lemma 3.1 gives, expected norms, that is true. '
        "As an exchange of queries and keys in the Jacobians it would be false: the key Jacobian is "
        r"$(XW^Q\otimes W^{V\top}X^\top LX)K/(n\sqrt{d_k})$, with a commutation matrix $K$ and the "
        "query weights on the other Kronecker factor."
    ),
)

_outer = ones(n, n) * X * X.T * ones(n, n)
value_jacobian_norm_chain = Claim(
    id="noci2022.proof-3.1.values-chain",
    source=source("App. A.1.2", "gradient with respect to the values"),
    kind="identity",
    title="The value Jacobian's squared norm, through traces, is $d_vn$ times that of the mean token.",
    statement=Relation(
        r"\left\|\tfrac1n1_{n\times n}X\otimes I_{d_v}\right\|_F^2",
        (
            Trace(_outer) * Trace(Identity(d_v)) / n**2,
            d_v / n**2 * Trace(X * X.T * ones(n, n) * ones(n, n)),
            d_v / n * Trace(X * X.T * ones(n, n)),
            d_v / n * Total(X * X.T),
            d_v / n * FrobSq(X.T * ones(n)),
            d_v * n * norm_xbar,
        ),
    ),
    domain=tokens,
    define=lambda p: frobenius_square(
        explicit(KroneckerProduct(ones(n, n) * X / n, Identity(d_v)), p)
    ),
    hypotheses=(UNIFORM,),
    mutants=variants(
        ("n^2 for n in the last form", d_v * n**2 * norm_xbar),
        ("one factor 1_{n x n} lost", d_v / n**2 * Trace(X * X.T * ones(n, n))),
        ("1/n^2 kept", d_v / n**2 * Total(X * X.T)),
        ("d_v^2 for d_v", d_v**2 * n * norm_xbar),
        lhs=r"\left\|\tfrac1n1_{n\times n}X\otimes I_{d_v}\right\|_F^2",
    ),
    printed=(
        r"\left\| \frac{\partial \mathbf{S}}{\partial \mathbf{W}^V} \right\|_F^2 = \text{tr} "
        r"\left( \frac{\partial \mathbf{S}}{\partial \mathbf{W}^V} {\frac{\partial "
        r"\mathbf{S}}{\partial \mathbf{W}^V}}^\top \right) \stackrel{(22)}{=} \frac{1}{n^2} "
        r"\text{tr}((\mathbf{1}_{n \times n} \mathbf{X} \mathbf{X}^\top \mathbf{1}_{n \times n}) "
        r"\otimes \mathbf{I}_{d_v}) \stackrel{(21)}{=} \frac{1}{n^2} \text{tr}(\mathbf{1}_{n "
        r"\times n} \mathbf{X} \mathbf{X}^\top \mathbf{1}_{n \times n}) "
        r"\text{tr}(\mathbf{I}_{d_v}) = \frac{d}{n^2} \text{tr}(\mathbf{X} \mathbf{X}^\top "
        r"\mathbf{1}_{n \times n} \mathbf{1}_{n \times n}) = \frac{d_v}{n} \text{tr}(\mathbf{X} "
        r"\mathbf{X}^\top \mathbf{1}_{n \times n}) = \frac{d_v}{n} \text{tr}(\mathbf{X} "
        r"\mathbf{X}^\top \mathbf{1}_n \mathbf{1}_n^\top) = \frac{d_v}{n} \mathbf{1}_n^\top "
        r"\mathbf{X} \mathbf{X}^\top \mathbf{1}_n = \frac{d_v}{n} \|\mathbf{X}^\top "
        r"\mathbf{1}_n\|^2 = d_v n \|\bar{\mathbf{x}}\|^2"
    ),
    note=(
        "One line prints $d/n^2$ before the trace. $d$ is not defined in App. A.1; it is read as "
        "$d_v$, the trace of the identity in the line before."
    ),
)


def query_jacobian(factor: Any) -> Relation:
    """dS/dW^Q = factor * X (x) W^V^T X^T L X W^K."""
    return Relation(r"\frac{\partial S}{\partial W^Q}", (factor * KroneckerProduct(X, _centred),))


query_jacobian_of_uniform_attention = Claim(
    id="noci2022.proof-3.1.queries-jacobian",
    source=source("App. A.1.2", "gradient with respect to the queries"),
    kind="identity",
    title="The query Jacobian is a Kronecker product of the tokens and the weighted scatter.",
    statement=query_jacobian(1 / sqrt(d_k * n)),
    domain=given_weights,
    define=lambda p: uniform_jacobian(given_layer(p), "queries"),
    hypotheses=(UNIFORM,),
    mutants=(
        Mutant("1/(n d_k)", query_jacobian(1 / (n * d_k))),
        Mutant("no 1/n", query_jacobian(1 / sqrt(d_k))),
        Mutant("1/(n sqrt d_v)", query_jacobian(1 / (n * sqrt(d_v)))),
    ),
    severity="misprint",
    repair=Claim(
        id="noci2022.proof-3.1.queries-jacobian.repair",
        source=source("App. A.1.2", "gradient with respect to the queries"),
        kind="identity",
        title=r"The query Jacobian carries the factor $1/(n\sqrt{d_k})$.",
        statement=query_jacobian(1 / (n * sqrt(d_k))),
        domain=given_weights,
        define=lambda p: uniform_jacobian(given_layer(p), "queries"),
        hypotheses=(UNIFORM,),
        note="$n$ belongs outside the root, as the next line of the paper has it ($1/(d_kn^2)$).",
        parent="noci2022.proof-3.1.queries-jacobian",
    ),
    printed=(
        r"\frac{\partial \mathbf{S}}{\partial \mathbf{W}^Q} = \frac{1}{\sqrt{d_k n}} \mathbf{X} "
        r"\otimes \left[ \mathbf{W}^{V\top} \mathbf{X}^\top \left( \mathbf{I}_n - \frac{1}{n} "
        r"\mathbf{1}_{n \times n} \right) \mathbf{X} \mathbf{W}^K \right]"
    ),
    note=(
        "The root is printed over $d_kn$, twice, or the transcription that we read has it so; the softmax "
        r"Jacobian contributes $1/n$, not $1/\sqrt n$."
    ),
)

_norm_q = r"\left\|\frac{\partial S}{\partial W^Q}\right\|_F^2"
query_jacobian_norm_of_uniform_attention = Claim(
    id="noci2022.proof-3.1.queries-norm",
    source=source("App. A.1.2", "gradient with respect to the queries"),
    kind="identity",
    title="Before averaging, the squared query gradient factors into token norm and weighted scatter.",
    statement=Relation(_norm_q, (normX * FrobSq(_centred) / (d_k * n**2),)),
    domain=given_weights,
    define=lambda p: frobenius_square(uniform_jacobian(given_layer(p), "queries")),
    hypotheses=(UNIFORM,),
    mutants=variants(
        ("1/(d_k n)", normX * FrobSq(_centred) / (d_k * n)),
        ("1/(d_k^2 n^2)", normX * FrobSq(_centred) / (d_k**2 * n**2)),
        ("not centred", normX * FrobSq(WV.T * X.T * X * WK) / (d_k * n**2)),
        lhs=_norm_q,
    ),
    printed=(
        r"\left\| \frac{\partial \mathbf{S}}{\partial \mathbf{W}^Q} \right\|_F^2 = \text{tr} "
        r"\left( \frac{\partial \mathbf{S}}{\partial \mathbf{W}^Q} {\frac{\partial "
        r"\mathbf{S}}{\partial \mathbf{W}^Q}}^\top \right) \stackrel{(21)}{=} \frac{1}{d_k n^2} "
        r"\|\mathbf{X}\|_F^2 \cdot \left\| \mathbf{W}^{V\top} \mathbf{X}^\top \left( \mathbf{I}_n "
        r"- \frac{1}{n} \mathbf{1}_{n \times n} \right) \mathbf{X} \mathbf{W}^K \right\|_F^2"
    ),
)


def _weighted_scatter(point: Point) -> Any:
    layer_ = symbolic_layer(point)
    product = layer_.wv.T * layer_.x.T * centring(layer_.x.rows) * layer_.x * layer_.wk
    return frobenius_square_expectation(product, weight_variances(layer_, point))


_weighted = r"\mathbb E\|W^{V\top}X^\top LXW^K\|_F^2"
second_moment_of_the_weighted_scatter = Claim(
    id="noci2022.proof-3.1.weight-second-moment",
    source=source(
        "App. A.1.2", "note on the second moment of the weights and the display after it"
    ),
    kind="expectation",
    title="Averaging both weight matrices multiplies the squared scatter by its sizes and variances.",
    statement=Relation(
        _weighted,
        (
            sigma_v**2 * sigma_k**2 * d_k * d_v * Trace(X.T * centre * X * X.T * centre * X),
            sigma_v**2 * sigma_k**2 * d_k * d_v * FrobSq(X.T * centre * X),
            sigma_v**2 * sigma_k**2 * d_k * d_v * norm_scatter,
        ),
    ),
    domain=random_layer,
    define=_weighted_scatter,
    hypotheses=(ZERO_MEAN_WEIGHTS,),
    mutants=variants(
        ("d_v^2 for d_k d_v", sigma_v**2 * sigma_k**2 * d_v**2 * norm_scatter),
        ("d_k dropped", sigma_v**2 * sigma_k**2 * d_v * norm_scatter),
        ("sigma_k to the first power", sigma_v**2 * sigma_k * d_k * d_v * norm_scatter),
        lhs=_weighted,
    ),
    printed=(
        r"\mathbb{E} \|\mathbf{W}^{V\top} \mathbf{X}^\top \mathbf{L} \mathbf{X} \mathbf{W}^K\|_F^2 "
        r"= \mathbb{E} \text{tr}(\mathbf{W}^{V\top} \mathbf{X}^\top \mathbf{L} \mathbf{X} "
        r"\mathbf{W}^K \cdot \mathbf{W}^{K\top} \mathbf{X}^\top \mathbf{L} \mathbf{X} "
        r"\mathbf{W}^V) = \text{tr}(\mathbf{X}^\top \mathbf{L} \mathbf{X} \mathbb{E}[\mathbf{W}^K "
        r"\mathbf{W}^{K\top}] \mathbf{X}^\top \mathbf{L} \mathbf{X} \mathbb{E}[\mathbf{W}^V "
        r"\mathbf{W}^{V\top}]) = \sigma_v^2 \sigma_k^2 d_k d_v \text{tr}(\mathbf{X}^\top "
        r"\mathbf{L} \mathbf{X} \cdot \mathbf{X}^\top \mathbf{L} \mathbf{X}) = \sigma_v^2 "
        r"\sigma_k^2 d_k d_v \|\mathbf{X}^\top \mathbf{L} \mathbf{X}\|_F^2 = \sigma_v^2 \sigma_k^2 "
        r"d_k d_v \left\| \mathbf{X}^\top \left( \mathbf{I}_n - \frac{1}{n} \mathbf{1}_n "
        r"\mathbf{1}_n^\top \right) \mathbf{X} \right\|_F^2 = \sigma_v^2 \sigma_k^2 d_k d_v "
        r"\|\mathbf{X}^\top \mathbf{X} - n \bar{\mathbf{x}} \bar{\mathbf{x}}^\top\|_F^2"
    ),
    note=(
        r"The note before the display, $\mathbb EWW^\top=d\sigma^2I_d$, is printed for a square "
        "Gaussian matrix; what is used is the same for $W^K$, with $d_k$ columns, and for $W^V$, with "
        "$d_v$, and needs no more than second moments."
    ),
)
