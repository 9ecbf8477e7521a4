r"""Lemmas D.8 and D.9: the gradients of a network with any number of layers, and its first step from zero.

$G_i^{(l)}$ is $-NT$ times the derivative of the loss by $h_i^{(l)}$, as the proof of Lemma D.8 defines it;
that it obeys the recursion (123), (124) is a claim.
"""

from __future__ import annotations

from sympy import ImmutableDenseMatrix, MatrixSymbol, Symbol, ZeroMatrix
from sympy.matrices.expressions import MatMul, MatrixExpr

from claims.domain import Computed, Point, Real
from claims.expressions import Named, ones
from claims.im2026.backpropagation import (
    ATTENTION_STACK,
    OUTPUT,
    POSITION_STACK,
    SETTING,
    TENSOR,
    VALUE_STACK,
    Applied,
    EachSample,
    JacobianRows,
    OverSamples,
    SubDiagonals,
    any_layers,
    computed,
    generic,
    gradient,
    many_layers,
    one_of,
    parameter,
    softmax_jacobians,
)
from claims.im2026.corpora import first_tokens
from claims.im2026.notation import N, T, depth, eta, source, words
from claims.im2026.one_layer_gradients import (
    BY_OUTPUT,
    MEAN,
    OUTPUTS,
    RESIDUAL,
    TARGETS,
    TENSOR_D,
    R,
    U,
    X,
    Y,
    by,
)
from claims.model import Claim, Hypothesis, Relation, Understood

h, top = one_of("h_i^{(l-1)}", words), one_of("h_i^{(L)}", words)
A = one_of("A_i^{(l)}", T)
G = one_of("G_i^{(l)}", words)
W, V = (MatrixSymbol(f"{name}^{{(l)}}", words, words) for name in "WV")
P = MatrixSymbol("P^{(l)}", T, 1)
S = Named("S_i^{(l)}", Applied(G * V.T * h.T, A, Symbol("J_i^{(l)}")))

HIDDEN = computed(h, lambda run, place: run.stacked("hidden", place - 1))
TOP = computed(top, lambda run, _: run.stacked("hidden", run.layers))
WEIGHTS = computed(A, lambda run, place: run.stacked("attention", place))
BACK = computed(G, lambda run, place: -run.tokens_in_all * run.gradient("hidden", place))
OWN = (parameter(W, ATTENTION_STACK), parameter(V, VALUE_STACK))
_layer = many_layers(HIDDEN, WEIGHTS, BACK, *OWN)
BACKWARD = Hypothesis(
    r"1\le l\le L,\quad G_i^{(l)}=-NT\,\frac{\partial\mathcal L}{\partial h_i^{(l)}},\quad "
    r"J_{i,t}^{(l)}=\mathrm{Diag}(A_i^{(l)[t]})-A_i^{(l)[t]\top}A_i^{(l)[t]}"
)
LOGITS = Hypothesis(r"\tilde A_i^{(l)}=h_i^{(l-1)}W^{(l)}h_i^{(l-1)\top}+\mathrm{DM}(P^{(l)})")
DEFINED = Hypothesis(
    r"S_i^{(l)}=\mathrm{ein}_{tjk,tk\to tj}(J_i^{(l)},\ G_i^{(l)}V^{(l)\top}h_i^{(l-1)\top})"
)

_last = many_layers(TOP, RESIDUAL)
gradient_of_the_output_matrix = Claim(
    id="im2026.lemma-D.8.WO",
    source=source("App. D.2", "Lemma D.8, Eqs. (125), (131)"),
    kind="identity",
    title=r"The gradient by $W_O$ is $-\frac1{NT}\sum_ih_i^{(L)\top}R_i$.",
    statement=Relation(by("W_O"), (MatMul(MEAN, OverSamples(top.T * R)),)),
    define=gradient("W_O"),
    domain=_last,
    hypotheses=(SETTING,),
    probes=(generic(_last),),
    printed=(
        r"\frac{\partial \mathcal{L}}{\partial W_O} = \frac{-1}{NT} \sum_{i=1}^N h_i^{(L)\top} R_i"
    ),
)

_outputs = many_layers(TARGETS, OUTPUTS)
_residual = Named("R_i", Y - U)
derivative_by_the_outputs = Claim(
    id="im2026.D.8.eq-129.repair",
    parent="im2026.D.8.eq-129",
    source=source("App. D.2", "proof of Lemma D.8, Eq. (129)"),
    kind="identity",
    title=r"The derivative of the loss by the outputs is $-\frac1{NT}R_i$, at any depth.",
    statement=Relation(
        BY_OUTPUT, (MatMul(-MEAN, EachSample(U - Y)), MatMul(MEAN, EachSample(_residual)))
    ),
    define=gradient("output"),
    domain=_outputs,
    hypotheses=(SETTING,),
    probes=(generic(_outputs),),
)
derivative_by_the_outputs_without_the_mean = Claim(
    id="im2026.D.8.eq-129",
    source=source("App. D.2", "proof of Lemma D.8, Eq. (129)"),
    kind="identity",
    title=r"The derivative of the loss by the outputs is said to be $\mathcal S(F_\theta(X_i))-Y_i=-R_i$.",
    statement=Relation(BY_OUTPUT, (EachSample(U - Y), EachSample(-_residual))),
    define=gradient("output"),
    domain=_outputs,
    hypotheses=(SETTING,),
    severity="misprint",
    repair=derivative_by_the_outputs,
    printed=(
        r"\frac{\partial \mathcal{L}}{\partial F_\theta(X_i)^{[t]}} = "
        r"\mathcal{S}(F_\theta(X_i)^{[t]}) - Y_i^{[t]} = -R_i^{[t]}"
    ),
    note=(
        r"The factor $\frac1{NT}$ is missing; Eqs. (125), (131) have it. The proof says that it leaves out "
        r"$-\frac1{NT}$ throughout, under the names $G_i^{(l)}$: that would leave $R_i$ here, with the other "
        "sign."
    ),
)

_step = G + A.T * G * V.T + S * h * W.T + S.T * h * W


def _at_the_top_and_below(at: Point) -> tuple[ImmutableDenseMatrix, ImmutableDenseMatrix]:
    scale = -int(at[N]) * int(at[T])
    last, below = gradient("hidden", top=True)(at), gradient("hidden", -1)(at)
    return scale * last, scale * below


_recursive = many_layers(HIDDEN, WEIGHTS, BACK, *OWN, RESIDUAL)
residuals_go_backward = Claim(
    id="im2026.lemma-D.8.G",
    source=source("App. D.2", "Lemma D.8, Eqs. (123), (124), (136)"),
    kind="identity",
    title=r"The derivatives by hidden states obey $G^{(L)}=RW_O^\top$ and the recursion (123).",
    statement=Relation(
        r"-NT\left(\frac{\partial\mathcal L}{\partial h_i^{(L)}},\ \frac{\partial\mathcal L}{\partial "
        r"h_i^{(l-1)}}\right)",
        ((EachSample(R * OUTPUT.T), EachSample(_step)),),
    ),
    define=_at_the_top_and_below,
    domain=_recursive,
    hypotheses=(SETTING, BACKWARD, DEFINED),
    probes=(generic(_recursive),),
    printed=(
        r"G_i^{(l-1)} = G_i^{(l)} + A_i^{(l)\top} G_i^{(l)} V^{(l)\top} + S_i^{(l)} h_i^{(l-1)} "
        r"W^{(l)\top} + S_i^{(l)\top} h_i^{(l-1)} W^{(l)}, \quad G_i^{(L)} = R_i W_O^\top"
    ),
    note=(
        "For $l=1$ it gives the derivative by the tokens, $h_i^{(0)}=X_i$. The display after (136) prints "
        "$-R_i$ for $\\partial\\mathcal L/\\partial F_\\theta(X_i)=-\\tfrac1{NT}R_i$, as Eq. (129) does "
        "(`im2026.D.8.eq-129`)."
    ),
)

gradient_of_a_value_matrix = Claim(
    id="im2026.lemma-D.8.V",
    source=source("App. D.2", "Lemma D.8, Eq. (126)"),
    kind="identity",
    title=r"The gradient by $V^{(l)}$ is $-\frac1{NT}\sum_ih_i^{(l-1)\top}A_i^{(l)\top}G_i^{(l)}$.",
    statement=Relation(by("V^{(l)}"), (MatMul(MEAN, OverSamples(h.T * A.T * G)),)),
    define=gradient("V"),
    domain=_layer,
    hypotheses=(SETTING, BACKWARD),
    uses=(residuals_go_backward,),
    probes=(generic(_layer),),
    printed=(
        r"\frac{\partial \mathcal{L}}{\partial V^{(l)}} = \frac{-1}{NT} \sum_{i=1}^N h_i^{(l-1)\top} "
        r"A_i^{(l)\top} G_i^{(l)}"
    ),
)
_softmax = many_layers(WEIGHTS)
jacobian_of_a_row_of_attention = Claim(
    id="im2026.D.8.eq-132",
    source=source("App. D.2", "proof of Lemma D.8, Eq. (132)"),
    kind="identity",
    title=r"In every layer rows of the softmax have the Jacobian $\mathrm{Diag}(a)-a^\top a$.",
    statement=Relation(
        r"\frac{\partial A_i^{(l)[t]}}{\partial\tilde A_i^{(l)[t]}}", (EachSample(JacobianRows(A)),)
    ),
    define=softmax_jacobians,
    domain=_softmax,
    hypotheses=(SETTING, LOGITS),
    probes=(generic(_softmax),),
    printed=(r"J_{i,t}^{(l)} = \text{Diag}(A_i^{(l)[t]}) - A_i^{(l)[t]\top} A_i^{(l)[t]}"),
    note=(
        "Logits that the mask hides have derivative zero, on both sides; a row of logits moves no other row "
        "of the attention."
    ),
)
derivative_by_the_logits = Claim(
    id="im2026.lemma-D.8.S",
    source=source("App. D.2", "Lemma D.8, Eqs. (122), (133)"),
    kind="identity",
    title=r"$S_i^{(l)}$ is $-NT$ times the derivative of the loss by the logits of layer $l$.",
    statement=Relation(
        r"-NT\,\frac{\partial\mathcal L}{\partial\tilde A_i^{(l)}}", (EachSample(S.definition),)
    ),
    define=lambda at: -int(at[N]) * int(at[T]) * gradient("logits")(at),
    domain=_layer,
    hypotheses=(
        SETTING,
        BACKWARD,
        LOGITS,
    ),
    uses=(residuals_go_backward,),
    probes=(generic(_layer),),
    printed=(
        r"S_i^{(l)} = \text{ein}_{tjk, tk \rightarrow tj} (J_i^{(l)}, G_i^{(l)} V^{(l)\top} "
        r"h_i^{(l-1)\top})"
    ),
    note="The definition (122) is what going back through the softmax gives, which is the claim here.",
)
gradient_of_an_attention_matrix = Claim(
    id="im2026.lemma-D.8.W",
    source=source("App. D.2", "Lemma D.8, Eqs. (127), (134)"),
    kind="identity",
    title=r"The gradient by $W^{(l)}$ is $-\frac1{NT}\sum_ih_i^{(l-1)\top}S_i^{(l)}h_i^{(l-1)}$.",
    statement=Relation(by("W^{(l)}"), (MatMul(MEAN, OverSamples(h.T * S * h)),)),
    define=gradient("W"),
    domain=_layer,
    hypotheses=(SETTING, BACKWARD, DEFINED),
    uses=(residuals_go_backward, derivative_by_the_logits),
    probes=(generic(_layer),),
    printed=(
        r"\frac{\partial \mathcal{L}}{\partial W^{(l)}} = \frac{-1}{NT} \sum_{i=1}^N h_i^{(l-1)\top} "
        r"S_i^{(l)} h_i^{(l-1)}"
    ),
)
_positions = many_layers(HIDDEN, WEIGHTS, BACK, *OWN, TENSOR)
gradient_of_the_positions = Claim(
    id="im2026.lemma-D.8.P",
    source=source("App. D.2", "Lemma D.8, Eqs. (128), (135)"),
    kind="identity",
    title=r"The gradient by $P^{(l)}$ sums $S_i^{(l)}$ along its sub-diagonals.",
    statement=Relation(by("P^{(l)}"), (MatMul(MEAN, SubDiagonals(OverSamples(S))),)),
    define=gradient("P"),
    domain=_positions,
    hypotheses=(SETTING, BACKWARD, DEFINED, TENSOR_D),
    uses=(residuals_go_backward, derivative_by_the_logits),
    probes=(generic(_positions),),
    understood=(
        Understood(
            "the $(-t+1)$-th diagonal, that is $t-1$ below the main one",
            r"“the $(-t+1)$-th sub-diagonal” of $D_2$, read to the letter, lies above the main diagonal, "
            r"where $S_i^{(l)}$ vanishes",
        ),
    ),
    printed=(
        r"\frac{\partial \mathcal{L}}{\partial P^{(l)}} = \frac{-1}{NT} \text{ein}_{tjk, jk "
        r"\rightarrow t} \left( D, \sum_{i=1}^N S_i^{(l)} \right)"
    ),
)

# Lemma D.9 ----------------------------------------------------------------------------------------


def _after_one_step(at: Point) -> tuple[ImmutableDenseMatrix, ...]:
    """The weights of the layer after one step from zero: minus eta times the gradient there."""
    blank = {
        symbol: ImmutableDenseMatrix.zeros(int(at[depth]) * int(at[rows]), columns)
        for symbol, rows, columns in (
            (ATTENTION_STACK, words, int(at[words])),
            (POSITION_STACK, T, 1),
            (VALUE_STACK, words, int(at[words])),
        )
    }
    zero = {**at, **blank, OUTPUT: ImmutableDenseMatrix.zeros(int(at[words]), int(at[words]))}
    return tuple(-at[eta] * gradient(what)(zero) for what in ("W_O", "W", "V", "P"))


TOKENS = Computed(X, lambda at: ImmutableDenseMatrix.vstack(*first_tokens(at)))
U_O: MatrixExpr = Named("U_O", ones(T, words) / words)
bigrams: MatrixExpr = Named(r"\bar B", MatMul(1 / (N * T), OverSamples(X.T * (Y - U_O))))
START = any_layers(Real(eta, 0, open_low=True), TOKENS, TARGETS)
first_step_from_zero = Claim(
    id="im2026.lemma-D.9",
    source=source("App. D.2", "Lemma D.9, Eqs. (137), (138), (140)"),
    kind="identity",
    title=r"One step from zero gives $W_O=\eta\bar B$ and leaves every other weight at zero.",
    statement=Relation(
        r"\left(W_O,\ W^{(l)},\ V^{(l)},\ P^{(l)}\right)",
        (
            (
                MatMul(eta, bigrams),
                ZeroMatrix(words, words),
                ZeroMatrix(words, words),
                ZeroMatrix(T, 1),
            ),
        ),
    ),
    define=_after_one_step,
    domain=START,
    hypotheses=(
        Hypothesis(r"\text{all weights zero before the step},\ 1\le l\le L"),
        Hypothesis(r"\bar B=\frac1{NT}\sum_{i=1}^NX_i^\top(Y_i-U_O)"),
    ),
    uses=(residuals_go_backward, gradient_of_a_value_matrix, gradient_of_an_attention_matrix),
    printed=r"W_O = \eta(\bar{B}), \quad W^{(l)}, V^{(l)}, P^{(l)} = \mathbf{0}",
)
