r"""Lemmas A.2 and A.3: Jacobians of the attention layer with the true softmax.

S = A X W^V with A = softmax(M) row by row and M = X W^Q W^K^T X^T / sqrt(d_k).  At a point the
query weights are integer multiples of log(2) sqrt(d_k), so that the softmax is rational (see
`softmax`) and both sides are compared exactly.  The paper's d in Lemma A.3 is d_v.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from sympy import ImmutableDenseMatrix, sqrt
from sympy.matrices.expressions import Identity, KroneckerProduct

from claims.definitions import directional_jacobian
from claims.domain import Array, Computed, Domain, Point, Scaled, Size
from claims.expressions import Commutation, Shaped, ones
from claims.model import Claim, Hypothesis, Relation, variants
from claims.noci2022.kronecker import (
    commutation_matrix_reorders_vectorisations,
    jacobian_of_a_product_is_a_kronecker_product,
    kronecker_factors_commute_past_commutation_matrices,
)
from claims.noci2022.notation import (
    WK,
    WQ,
    WV,
    A,
    X,
    d_k,
    d_v,
    n,
    softmax_jacobian,
    source,
)
from claims.noci2022.setup import given_layer
from claims.noci2022.softmax import (
    UNIT,
    jacobian_of_softmax,
    jacobian_of_the_softmax,
    softmax,
)

logit_jacobian = Shaped(r"\frac{\partial M}{\partial X}", n**2, n * d_v)

LOGITS = Hypothesis(r"A=\mathrm{softmax}(M),\ M=\tfrac1{\sqrt{d_k}}XW^QW^{K\top}X^\top")

Step = Callable[[ImmutableDenseMatrix], ImmutableDenseMatrix]


def logits_at(point: Point) -> ImmutableDenseMatrix:
    return given_layer(point).logits()


def jacobian_of(what: str, parameter: str) -> Callable[[Point], ImmutableDenseMatrix]:
    """The Jacobian of "logits", "attention" or "layer" by a parameter, from the product rule."""

    def define(point: Point) -> ImmutableDenseMatrix:
        layer = given_layer(point)
        logits, values = layer.logits(), layer.x * layer.wv
        attention, softmax_jacobian_ = softmax(logits), jacobian_of_softmax(logits)
        moves: dict[str, tuple[Step | None, Step | None, tuple[int, int]]] = {
            "values": (None, lambda dw: layer.x * dw, layer.wv.shape),
            "queries": (lambda dw: layer.logits(wq=dw), None, layer.wq.shape),
            "input": (
                lambda dx: layer.logits(x=dx) + layer.logits(x_right=dx),
                lambda dx: dx * layer.wv,
                layer.x.shape,
            ),
        }
        of_logits, of_values, shape = moves[parameter]

        def softened(step: ImmutableDenseMatrix) -> ImmutableDenseMatrix:
            column = softmax_jacobian_ * step.reshape(step.rows * step.cols, 1)
            return column.reshape(*step.shape)

        def moved(direction: ImmutableDenseMatrix) -> ImmutableDenseMatrix:
            through = softened(of_logits(direction)) if of_logits else 0 * logits
            if what == "attention":
                return through
            kept = attention * of_values(direction) if of_values else 0 * values
            return through * values + kept

        of_what = of_logits if what == "logits" else moved
        assert of_what is not None, f"{what} does not depend on {parameter}"
        return directional_jacobian(of_what, *shape)

    return define


_arrays = (
    Array(X, height=2),
    Scaled(WQ, height=1, unit=UNIT * sqrt(d_k)),
    Array(WK, height=1),
    Array(WV, height=2),
)
_softmax = (
    Computed(A, lambda point: softmax(logits_at(point))),
    Computed(softmax_jacobian, lambda point: jacobian_of_softmax(logits_at(point))),
)
_logit_jacobian = Computed(logit_jacobian, jacobian_of("logits", "input"))
attention_layer = Domain((Size(n, 2, 3), Size(d_v, 1, 2), Size(d_k, 1, 2), *_arrays))
attention_layer_with_softmax = Domain((*attention_layer.variables, *_softmax))

_generic = Domain((Size(n, 3, 3), Size(d_v, 4, 4), Size(d_k, 2, 2), *_arrays, *_softmax))
PROBES = (Domain((*_generic.variables, _logit_jacobian)).draw(Random(0)),)
"""One point at which no two sizes agree, always measured."""

_S_BY = r"\frac{\partial S}{\partial %s}"
_VALUES, _QUERIES, _INPUT = (_S_BY % name for name in ("W^V", "W^Q", "X"))

value_jacobian_of_attention = Claim(
    id="noci2022.lemma-A.2.values",
    source=source("App. A.1.2", "Lemma A.2"),
    kind="identity",
    title=r"The value Jacobian of attention is $AX\otimes I$.",
    statement=Relation(_VALUES, (KroneckerProduct(A * X, Identity(d_v)),)),
    domain=attention_layer_with_softmax,
    define=jacobian_of("layer", "values"),
    hypotheses=(LOGITS,),
    uses=(jacobian_of_a_product_is_a_kronecker_product,),
    probes=PROBES,
    mutants=variants(
        ("factors exchanged", KroneckerProduct(Identity(d_v), A * X)),
        ("A^T for A", KroneckerProduct(A.T * X, Identity(d_v))),
        ("dropped A", KroneckerProduct(X, Identity(d_v))),
        ("uniform attention", KroneckerProduct(ones(n, n) * X / n, Identity(d_v))),
        lhs=_VALUES,
    ),
    printed=(
        r"\frac{\partial \mathbf{S}}{\partial \mathbf{W}^V} = \text{softmax} \left( "
        r"\frac{\mathbf{XW}^Q \mathbf{W}^{K^\top} \mathbf{X}^\top}{\sqrt{d_k}} \right) \mathbf{X} "
        r"\otimes \mathbf{I}_{d_v}"
    ),
)

_through_softmax = KroneckerProduct(Identity(n), WV.T * X.T) * softmax_jacobian
_of_queries = KroneckerProduct(X, X * WK)

query_jacobian_of_attention = Claim(
    id="noci2022.lemma-A.2.queries",
    source=source("App. A.1.2", "Lemma A.2"),
    kind="identity",
    title=r"The query Jacobian of attention goes through the softmax Jacobian and $X\otimes XW^K$.",
    statement=Relation(_QUERIES, (_through_softmax * _of_queries / sqrt(d_k),)),
    domain=attention_layer_with_softmax,
    define=jacobian_of("layer", "queries"),
    hypotheses=(LOGITS,),
    uses=(jacobian_of_a_product_is_a_kronecker_product, jacobian_of_the_softmax),
    probes=PROBES,
    mutants=variants(
        ("dropped sqrt(d_k)", _through_softmax * _of_queries),
        ("d_k for sqrt(d_k)", _through_softmax * _of_queries / d_k),
        ("W^Q for W^K", _through_softmax * KroneckerProduct(X, X * WQ) / sqrt(d_k)),
        (
            "W^V for its transpose",
            KroneckerProduct(Identity(n), WV * X.T) * softmax_jacobian * _of_queries / sqrt(d_k),
        ),
        lhs=_QUERIES,
    ),
    printed=(
        r"\frac{\partial \mathbf{S}}{\partial \mathbf{W}^Q} = \left( \mathbf{I}_n \otimes "
        r"\mathbf{W}^{V^\top} \mathbf{X}^\top \right) \frac{\partial \mathbf{A}}{\partial "
        r"\mathbf{M}} \left( \frac{\mathbf{X} \otimes \mathbf{XW}^K}{\sqrt{d_k}} \right)"
    ),
)

_chain = _through_softmax * logit_jacobian

input_jacobian_by_the_chain_rule = Claim(
    id="noci2022.lemma-A.3.chain",
    source=source("App. A.1.2", "proof of Lemma A.3, Eqs. (26)-(29)"),
    kind="identity",
    title=r"The input Jacobian is a part through the logits plus $A\otimes W^{V\top}$ through the values.",
    statement=Relation(
        _INPUT,
        (
            _chain + KroneckerProduct(A, Identity(d_v)) * KroneckerProduct(Identity(n), WV.T),
            _chain + KroneckerProduct(A, WV.T),
        ),
    ),
    domain=Domain((*attention_layer_with_softmax.variables, _logit_jacobian)),
    define=jacobian_of("layer", "input"),
    hypotheses=(LOGITS, Hypothesis(r"d=d_v")),
    uses=(jacobian_of_a_product_is_a_kronecker_product,),
    probes=PROBES,
    mutants=variants(
        ("dropped A (x) W^V^T", _chain),
        ("dropped softmax part", KroneckerProduct(A, WV.T)),
        ("W^V for its transpose", _chain + KroneckerProduct(A, WV)),
        ("A^T for A", _chain + KroneckerProduct(A.T, WV.T)),
        lhs=_INPUT,
    ),
    printed=(
        r"\frac{\partial \mathbf{S}}{\partial \mathbf{X}} = \frac{\partial \mathbf{S}}{\partial "
        r"\mathbf{A}} \frac{\partial \mathbf{A}}{\partial \mathbf{X}} + \frac{\partial "
        r"\mathbf{S}}{\partial \mathbf{T}} \frac{\partial \mathbf{T}}{\partial \mathbf{X}} = "
        r"\frac{\partial \mathbf{S}}{\partial \mathbf{A}} \frac{\partial \mathbf{A}}{\partial "
        r"\mathbf{M}} \frac{\partial \mathbf{M}}{\partial \mathbf{X}} + \frac{\partial "
        r"\mathbf{S}}{\partial \mathbf{T}} \frac{\partial \mathbf{T}}{\partial \mathbf{X}} = "
        r"(\mathbf{I}_n \otimes \mathbf{W}^{V\top} \mathbf{X}^\top) \frac{\partial "
        r"\mathbf{A}}{\partial \mathbf{M}} \frac{\partial \mathbf{M}}{\partial \mathbf{X}} + "
        r"(\mathbf{A} \otimes \mathbf{I}_d) (\mathbf{I}_n \otimes \mathbf{W}^{V\top}) = "
        r"(\mathbf{I}_n \otimes \mathbf{W}^{V\top} \mathbf{X}^\top) \frac{\partial "
        r"\mathbf{A}}{\partial \mathbf{M}} \frac{\partial \mathbf{M}}{\partial \mathbf{X}} + "
        r"(\mathbf{A} \otimes \mathbf{W}^{V\top})"
    ),
    note=(
        "Eq. (28) prints $I_d$. $d$ is not defined in App. A.1; it is read as $d_v$, the number of "
        "columns of $T=XW^V$."
    ),
)

_left = KroneckerProduct(Identity(n), X * WK * WQ.T)
_right = KroneckerProduct(X * WQ * WK.T, Identity(n))
_differential = (_left + _right * Commutation(d_v, n)) / sqrt(d_k)

logit_jacobian_by_both_factors = Claim(
    id="noci2022.lemma-A.3.differential.repair",
    parent="noci2022.lemma-A.3.differential",
    source=source("App. A.1.2", "proof of Lemma A.3"),
    kind="identity",
    title="The logits move with the left and the right factor $X$.",
    statement=Relation(r"\frac{\partial M}{\partial X}", (_differential,)),
    domain=attention_layer,
    define=jacobian_of("logits", "input"),
    hypotheses=(LOGITS,),
    mutants=variants(
        ("K_nd for K_dn", (_left + _right * Commutation(n, d_v)) / sqrt(d_k)),
        ("one factor only", _left / sqrt(d_k)),
        ("dropped sqrt(d_k)", _left + _right * Commutation(d_v, n)),
        lhs=r"\frac{\partial M}{\partial X}",
    ),
    note=(
        r"$dA$ and $\partial A/\partial X$ are printed for the logits: the displayed right-hand "
        r"sides are $dM$ and $\partial M/\partial X$, and it is $\partial M/\partial X$ that Eq. "
        "(29), into which they are put, needs."
    ),
)

attention_jacobian_printed_without_softmax = Claim(
    id="noci2022.lemma-A.3.differential",
    source=source("App. A.1.2", "proof of Lemma A.3, displayed differentials"),
    kind="identity",
    title="The attention matrix $A$ moves with $X$ as the bilinear form of the logits does.",
    statement=Relation(r"\frac{\partial A}{\partial X}", (_differential,)),
    domain=attention_layer_with_softmax,
    define=jacobian_of("attention", "input"),
    hypotheses=(LOGITS,),
    uses=(jacobian_of_a_product_is_a_kronecker_product, commutation_matrix_reorders_vectorisations),
    probes=PROBES,
    mutants=variants(
        ("K_nd for K_dn", (_left + _right * Commutation(n, d_v)) / sqrt(d_k)),
        ("one factor only", _left / sqrt(d_k)),
        ("1/n for the softmax Jacobian", _differential / n),
        lhs=r"\frac{\partial A}{\partial X}",
    ),
    severity="misprint",
    repair=logit_jacobian_by_both_factors,
    printed=(
        r"\frac{\partial \mathbf{A}}{\partial \mathbf{X}} = \frac{1}{\sqrt{d_k}} \mathbf{I}_n "
        r"\otimes \mathbf{X} \mathbf{W}^K \mathbf{W}^{Q\top} + \frac{1}{\sqrt{d_k}} (\mathbf{X} "
        r"\mathbf{W}^Q \mathbf{W}^{K\top} \otimes \mathbf{I}_n) \mathbf{K}_{dn}"
    ),
    note=(
        "The softmax between the logits $M$ and $A$ is left out; with $M$ for $A$ the display is "
        "right."
    ),
)

_unswapped = KroneckerProduct(Identity(n), X * WQ * WK.T)
_swapped = Commutation(n, n) * _unswapped
_moved = _through_softmax * (_left + _swapped) / sqrt(d_k)
_kept = KroneckerProduct(A, WV.T)

input_jacobian_of_attention = Claim(
    id="noci2022.lemma-A.3.eq-25",
    source=source("App. A.1.2", "Lemma A.3, Eq. (25)"),
    kind="identity",
    title=r"The input Jacobian of attention in closed form, of shape $nd_v\times nd_v$.",
    statement=Relation(_INPUT, (_moved + _kept,)),
    domain=attention_layer_with_softmax,
    define=jacobian_of("layer", "input"),
    hypotheses=(LOGITS, Hypothesis(r"d=d_v")),
    uses=(
        input_jacobian_by_the_chain_rule,
        attention_jacobian_printed_without_softmax,
        kronecker_factors_commute_past_commutation_matrices,
    ),
    probes=PROBES,
    mutants=variants(
        ("dropped K_nn", _through_softmax * (_left + _unswapped) / sqrt(d_k) + _kept),
        ("one factor only", _through_softmax * _left / sqrt(d_k) + _kept),
        ("d_k for sqrt(d_k)", _moved / sqrt(d_k) + _kept),
        ("W^V for its transpose", _moved + KroneckerProduct(A, WV)),
        ("dropped A (x) W^V^T", _moved),
        lhs=_INPUT,
    ),
    printed=(
        r"\frac{\partial \mathbf{S}}{\partial \mathbf{X}} = \frac{1}{\sqrt{d_k}} (\mathbf{I}_n "
        r"\otimes \mathbf{W}^{V\top} \mathbf{X}^\top) \frac{\partial \mathbf{A}}{\partial "
        r"\mathbf{M}} \left( \mathbf{I}_n \otimes \mathbf{X} \mathbf{W}^K \mathbf{W}^{Q\top} + "
        r"\mathbf{K}_{nn} (\mathbf{I}_n \otimes \mathbf{X} \mathbf{W}^Q \mathbf{W}^{K\top}) "
        r"\right) + \mathbf{A} \otimes \mathbf{W}^{V\top}"
    ),
)
