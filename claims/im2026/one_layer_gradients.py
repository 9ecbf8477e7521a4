r"""Lemma D.1: the gradients of a network with one layer, and the steps of its proof."""

from __future__ import annotations

from sympy import ImmutableDenseMatrix, Symbol
from sympy.matrices.expressions import MatMul

from claims.domain import Computed, Point
from claims.im2026.backpropagation import (
    OUTPUT,
    SETTING,
    TENSOR,
    VALUES,
    Applied,
    EachSample,
    JacobianRows,
    OverSamples,
    SubDiagonals,
    computed,
    generic,
    gradient,
    one_layer,
    one_of,
    softmax_jacobians,
)
from claims.im2026.corpora import next_tokens
from claims.im2026.notation import N, T, source, words
from claims.model import Claim, Hypothesis, Relation, Understood

X = one_of("X_i", words)
hidden = one_of("h_i^{(1)}", words)
A = one_of("A_i^{(1)}", T)
R = one_of("R_i", words)
TOKENS = computed(X, lambda run, _: run.stacked("hidden", 0))
HIDDEN = computed(hidden, lambda run, _: run.stacked("hidden", 1))
WEIGHTS = computed(A, lambda run, _: run.stacked("attention", 1))
RESIDUAL = computed(R, lambda run, _: run.residuals())
MEAN = -1 / (N * T)
_last, _inner = one_layer(TOKENS, HIDDEN, RESIDUAL), one_layer(TOKENS, WEIGHTS, RESIDUAL)
_diagonal = one_layer(TOKENS, WEIGHTS, RESIDUAL, TENSOR)


def by(name: str) -> str:
    """The derivative of the loss, in LaTeX."""
    return rf"\frac{{\partial\mathcal L}}{{\partial {name}}}"


gradient_of_the_output_matrix = Claim(
    id="im2026.lemma-D.1.WO",
    source=source("App. D.1", "Lemma D.1, Eqs. (18), (23)"),
    kind="identity",
    title=r"The gradient by $W_O$ is $-\frac1{NT}\sum_ih_i^{(1)\top}R_i$.",
    statement=Relation(by("W_O"), (MatMul(MEAN, OverSamples(hidden.T * R)),)),
    define=gradient("W_O"),
    domain=_last,
    probes=(generic(_last),),
    hypotheses=(SETTING,),
    printed=(
        r"\frac{\partial \mathcal{L}}{\partial W_O} = \frac{-1}{NT} \sum_{i=1}^N h_i^{(1)\top} R_i"
    ),
)

gradient_of_the_value_matrix = Claim(
    id="im2026.lemma-D.1.V",
    source=source("App. D.1", "Lemma D.1, Eqs. (19), (24)"),
    kind="identity",
    title=r"The gradient by $V^{(1)}$ is $-\frac1{NT}\sum_iX_i^\top A_i^{(1)\top}R_iW_O^\top$.",
    statement=Relation(by("V^{(1)}"), (MatMul(MEAN, OverSamples(X.T * A.T * R * OUTPUT.T)),)),
    define=gradient("V"),
    domain=_inner,
    probes=(generic(_inner),),
    hypotheses=(SETTING,),
    printed=(
        r"\frac{\partial \mathcal{L}}{\partial V^{(1)}} = \frac{-1}{NT} \sum_{i=1}^N X_i^\top "
        r"A_i^{(1)\top} R_i W_O^\top"
    ),
)

JACOBIAN = Hypothesis(
    r"J_i\in\mathbb R^{T\times T\times T},\ J_{i,t}=\mathrm{Diag}(A_i^{(1)[t]})-A_i^{(1)[t]\top}A_i^{(1)[t]}"
)
_PARENTHESIS = Understood(
    r"$J_{i,t}=\mathrm{Diag}(A_i^{(1)[t]})-A_i^{(1)[t]\top}A_i^{(1)[t]}$, as in Eq. (26)",
    r"Lemma D.1 prints $\mathrm{Diag}(A_i^{(1)[t]}-A_i^{(1)[t]\top}A_i^{(1)[t]})$, a row less a $T\times T$ "
    "matrix, which has no value for $T\\ge2$",
)
_upstream = R * OUTPUT.T * VALUES.T * X.T
_BOTH = r"\text{ein}_{tjk, tk \rightarrow tj}(J_i, (R_i W_O^\top V^{(1)\top} X_i^\top))"
gradient_of_the_attention_matrix = Claim(
    id="im2026.lemma-D.1.W",
    source=source("App. D.1", "Lemma D.1, Eqs. (20), (28)"),
    kind="identity",
    title=r"The gradient by $W^{(1)}$ goes through the Jacobian of the softmax.",
    statement=Relation(
        by("W^{(1)}"),
        (MatMul(MEAN, OverSamples(X.T * Applied(_upstream, A, Symbol("J_i")) * X)),),
    ),
    define=gradient("W"),
    domain=_inner,
    probes=(generic(_inner),),
    hypotheses=(SETTING, JACOBIAN),
    understood=(_PARENTHESIS,),
    printed=(
        r"\frac{\partial \mathcal{L}}{\partial W^{(1)}} = \frac{-1}{NT} \sum_{i=1}^N X_i^\top "
        rf"{_BOTH} X_i"
    ),
)

TENSOR_D = Hypothesis(r"D_t\ \text{has ones on the}\ (t-1)\text{-th sub-diagonal, and zeros else}")
gradient_of_the_positions = Claim(
    id="im2026.lemma-D.1.P",
    source=source("App. D.1", "Lemma D.1, Eqs. (21), (29)"),
    kind="identity",
    title=r"The gradient by $P^{(1)}$ sums the same matrices along their sub-diagonals.",
    statement=Relation(
        by("P^{(1)}"),
        (MatMul(MEAN, SubDiagonals(OverSamples(Applied(_upstream, A, Symbol("J_i"))))),),
    ),
    define=gradient("P"),
    domain=_diagonal,
    probes=(generic(_diagonal),),
    hypotheses=(SETTING, JACOBIAN, TENSOR_D),
    understood=(
        _PARENTHESIS,
        Understood(
            "the $(-t+1)$-th diagonal, that is $t-1$ below the main one",
            r"“the $(-t+1)$-th sub-diagonal” of $D_2$, read to the letter, lies above the main diagonal, "
            "where the mask is",
        ),
    ),
    printed=(
        r"\frac{\partial \mathcal{L}}{\partial P^{(1)}} = \frac{-1}{NT} \text{ein}_{tjk, jk \rightarrow "
        rf"t}} \left( D, \sum_{{i=1}}^N {_BOTH} \right)"
    ),
)

# Steps of the proof -------------------------------------------------------------------------------

Y = one_of("Y_i", words)
U = one_of(r"\mathcal{S}(F_\theta(X_i))", words)
TARGETS = Computed(Y, lambda at: ImmutableDenseMatrix.vstack(*next_tokens(at)))
OUTPUTS = computed(U, lambda run, _: ImmutableDenseMatrix.vstack(*run.targets) - run.residuals())
BY_OUTPUT = by("F_\\theta(X_i)")
derivative_by_the_outputs = Claim(
    id="im2026.eq-22.residual.repair",
    parent="im2026.eq-22.residual",
    source=source("App. D.1", "proof of Lemma D.1, Eq. (22)"),
    kind="identity",
    title=r"The derivative of the loss by the outputs is $-\frac1{NT}(Y_i-\mathcal S(F_\theta(X_i)))$.",
    statement=Relation(BY_OUTPUT, (MatMul(MEAN, EachSample(Y - U)),)),
    define=gradient("output"),
    domain=one_layer(TARGETS, OUTPUTS),
)
derivative_by_the_outputs_without_a_sign = Claim(
    id="im2026.eq-22.residual",
    source=source("App. D.1", "proof of Lemma D.1, Eq. (22)"),
    kind="identity",
    title=r"The derivative of the loss by the outputs is said to be $Y_i-\mathcal S(F_\theta(X_i))$.",
    statement=Relation(BY_OUTPUT, (EachSample(Y - U),)),
    define=gradient("output"),
    domain=one_layer(TARGETS, OUTPUTS),
    severity="misprint",
    repair=derivative_by_the_outputs,
    printed=r"Y_i^{[t]} - \mathcal{S}(F_\theta(X_i)^{[t]})",
    note=(
        r"Sign and factor $\frac1{NT}$ are missing; Eqs. (18), (23) have both. Eq. (129), the same derivative "
        "in the proof of Lemma D.8, has the sign and lacks the factor: `im2026.D.8.eq-129`."
    ),
)
derivative_by_the_attention = Claim(
    id="im2026.eq-25.dA",
    source=source("App. D.1", "proof of Lemma D.1, Eq. (25)"),
    kind="identity",
    title=r"The derivative of the loss by the attention is $-\frac1{NT}R_iW_O^\top V^{(1)\top}X_i^\top$.",
    statement=Relation(by("A_i^{(1)}"), (MatMul(MEAN, EachSample(_upstream)),)),
    define=gradient("attention"),
    domain=_inner,
    probes=(generic(_inner),),
    hypotheses=(SETTING,),
    printed=(
        r"\frac{\partial \mathcal{L}}{\partial A_i^{(1)}} = \frac{-1}{NT} R_i W_O^\top V^{(1)\top} "
        r"X_i^\top."
    ),
    note="The entries of $A_i$ are taken as free here, those above the diagonal included.",
)


def _jacobian_and_gradient(at: Point) -> tuple[ImmutableDenseMatrix, ImmutableDenseMatrix]:
    return softmax_jacobians(at), gradient("logits")(at)


derivative_by_the_logits = Claim(
    id="im2026.eq-26.jacobian",
    source=source("App. D.1", "proof of Lemma D.1, Eqs. (26), (27)"),
    kind="identity",
    title=r"Rows of the softmax have the Jacobian $\mathrm{Diag}(a)-a^\top a$; what it gives for the logits.",
    statement=Relation(
        r"\left(\frac{\partial A_i^{(1)[t]}}{\partial B_i^{(1)[t]}},\ \frac{\partial\mathcal L}{\partial "
        r"B_i^{(1)}}\right)",
        (
            (
                EachSample(JacobianRows(A)),
                MatMul(MEAN, EachSample(Applied(_upstream, A, Symbol("J_i")))),
            ),
        ),
    ),
    define=_jacobian_and_gradient,
    domain=_inner,
    probes=(generic(_inner),),
    hypotheses=(SETTING, Hypothesis(r"B_i^{(1)}=X_iW^{(1)}X_i^\top+\mathrm{DM}(P^{(1)})")),
    printed=(
        r"J_{i,t} = \text{Diag}(A_i^{(1)[t]}) - A_i^{(1)[t]\top} A_i^{(1)[t]}, \quad \frac{\partial "
        r"\mathcal{L}}{\partial B_i^{(1)}} = \frac{-1}{NT} \text{ein}_{tjk, tk \rightarrow tj}(J_i, R_i "
        r"W_O^\top V^{(1)\top} X_i^\top)"
    ),
    note="Logits that the mask hides have derivative zero, on both sides.",
)
