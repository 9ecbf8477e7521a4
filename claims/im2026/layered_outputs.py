r"""Theorem D.10, Eqs. (159)-(164): the output, and the gradients of $W_O$ and $V^{(l)}$."""

from __future__ import annotations

from typing import Any

from sympy import E, ImmutableDenseMatrix, Integer, sqrt
from sympy.matrices.expressions import MatMul

from claims.im2026.backpropagation import (
    ATTENTION_STACK,
    OUTPUT,
    POSITION_STACK,
    SETTING,
    VALUE_STACK,
    OverSamples,
    generic,
    gradient,
    many_layers,
)
from claims.im2026.boxes import INDUCTION, MANY_LAYERS, norm
from claims.im2026.corpora import one_hot
from claims.im2026.displays import display, in_norms, normed, spelled
from claims.im2026.layered_activations import PROOF, corners, leading_norm
from claims.im2026.layered_gradients import (
    BACK,
    BACKWARD,
    HIDDEN,
    OWN,
    A,
    gradient_of_a_value_matrix,
    h,
    residuals_go_backward,
)
from claims.im2026.layered_gradients import WEIGHTS as ATTENTION
from claims.im2026.notation import N, T, depth, eta, layer, s, sequences, source, words, x
from claims.im2026.one_layer_gradients import MEAN, RESIDUAL, R, by
from claims.model import Claim, Hypothesis, Relation, Source

# The output ---------------------------------------------------------------------------------------

hidden, output_weights = norm(r"\|h_i^{(L)}\|_F"), norm(r"\|W_O\|")
hidden_row = norm(r"\|h_i^{(L)}[t,:]\|")
LONGEST, WEIGHTS = 1 + x / 4, x + 3 * x**2
output = spelled(r"\|h_i^{(L)}\|_F\|W_O\|", hidden * output_weights, above=r"\|F_\theta(X_i)\|_F")
output_row = spelled(
    r"\|h_i^{(L)}[t,:]\|\|W_O\|", hidden_row * output_weights, above=r"\|f_{i,t}\|"
)
output_range = in_norms(r"\mathrm{range}(f_{i,t})", 2 * hidden_row * output_weights)
softened = in_norms(
    r"\frac{e^2}{|\mathcal V|}\|F_\theta(X_i)\|_F", E**2 / words * hidden * output_weights
)
_outputs = normed(
    MANY_LAYERS, (hidden_row, LONGEST), (hidden, sqrt(T) * hidden_row), (output_weights, WEIGHTS)
)
outputs_stay_near_uniform = Claim(
    id="im2026.D.10.eq-159",
    source=source(PROOF, "Eqs. (159)-(160)"),
    kind="bound",
    title=r"The output is at most $2s\eta\sqrt T$, its softmax within $2s\eta\sqrt{T/|V|}$ of uniform.",
    statement=display(
        (output, LONGEST * sqrt(T) * WEIGHTS),
        (LONGEST * sqrt(T) * WEIGHTS, 2 * x * sqrt(T)),
        (output_row, LONGEST * WEIGHTS), (output_row, 1), (output_range, 2),
        (softened, 2 * E**2 * x * sqrt(T) / words),
        (E**2 / sqrt(words), 1),
        (2 * E**2 * x * sqrt(T) / words, 2 * x * sqrt(T) / sqrt(words)),
    ),
    domain=_outputs,
    hypotheses=(
        INDUCTION,
        Hypothesis(r"\|h_i^{(L)}[t,:]\|\le1+s\eta/4,\ \|W_O\|\le s\eta+3s^2\eta^2\ \text{as}\ "
                   r"\|\bar B\|_F\le1"),
        Hypothesis(
            r"\|\mathcal S(F_\theta(X_i))-U_O\|_F\le\tfrac{e^2}{|V|}\|F_\theta(X_i)\|_F,\ \text{Lemma D.2 for "
            r"logits of range}\le2"
        ),
    ),
    printed=(
        r"\|F_\theta(X_i)\|_F = \|h_i^{(L)} W_O\|_F \leq \|h_i^{(L)}\|_F \|W_O\| \leq \left(1 + "
        r"\frac{s\eta}{4}\right) \sqrt{T} (s\eta + 3s^2 \eta^2) \leq 2s\eta \sqrt{T},\quad "
        r"\|f_{i,t}\| \leq \left(1 + \frac{s\eta}{4}\right)(s\eta + 3s^2\eta^2),\quad "
        r"\text{range}(f_{i,t}) \leq 2\|f_{i,t}\| \leq 2"
    ),
    probes=corners(_outputs),
)  # fmt: skip

# The gradient of the output matrix ----------------------------------------------------------------

deviation, centred = norm(r"\|h_i^{(L)}-X_i\|_F"), norm(r"\|Y_i-U_O\|_F")
softmax_shift = norm(r"\|\mathcal S(F_\theta(X_i))-U_O\|_F")
TO_UNIFORM = 2 * x * sqrt(T) / sqrt(words)
output_gradient = in_norms(
    r"\left\|\frac{\partial\mathcal L}{\partial W_O}+\bar B\right\|_F",
    (hidden * softmax_shift + deviation * centred) / T,
)
printed_gradient = 4 * x / sqrt(words) + 4 * x
output_error, output_slope_gap = (
    norm(r"\|W_O-s\eta\bar B\|_F"), norm(r"\|\nabla_{W_O}\mathcal L+\bar B\|_F")
)  # fmt: skip
output_step = in_norms(r"\|W_O^{(s+1)}-(s+1)\eta\bar B\|_F", output_error + eta * output_slope_gap)
_gradients = normed(
    MANY_LAYERS,
    (hidden, LONGEST * sqrt(T)), (softmax_shift, TO_UNIFORM), (deviation, x / 4 * sqrt(T)),
    (centred, sqrt(T)), (output_error, 3 * x**2), (output_slope_gap, 5 * x),
)  # fmt: skip
output_matrix_keeps_its_bound = Claim(
    id="im2026.D.10.eq-161",
    source=source(PROOF, "Eqs. (161)-(162)"),
    kind="bound",
    title=r"The gradient of $W_O$ is within $5s\eta$ of $-\bar B$, so that (146) holds after $s+1$ steps.",
    statement=display(
        (output_gradient, printed_gradient), (printed_gradient, 5 * x),
        (output_step, 3 * x**2 + 5 * s * eta**2, 3 * (s + 1) ** 2 * eta**2),
    ),
    domain=_gradients,
    hypotheses=(
        INDUCTION,
        Hypothesis(
            r"\frac{\partial\mathcal L}{\partial W_O}+\bar "
            r"B=\frac1{NT}\sum_i\bigl[h_i^{(L)\top}(\mathcal S(F_\theta"
            r"(X_i))-U_O)-(h_i^{(L)}-X_i)^\top(Y_i-U_O)\bigr]"
        ),
        Hypothesis(r"\text{Eqs. (152), (160)},\ \|Y_i-U_O\|_F\le\sqrt T"),
    ),
    printed=(
        r"\left\| \frac{\partial \mathcal{L}}{\partial W_O} + \bar{B} \right\|_F \leq "
        r"\frac{4s\eta}{\sqrt{|V|}} + 4s\eta \leq 5s\eta,\quad "
        r"\|W_O - (s+1)\eta\bar{B}\|_F \leq 3s^2\eta^2 + 5s\eta^2 \leq 3(s+1)^2\eta^2"
    ),
    probes=corners(_gradients),
    note=(
        r"Generous: the activations deviate by $s\eta/4$, so that $s\eta/2$ in the place of $5s\eta$ will do, "
        r"and $s^2\eta^2/2$ in the place of $3s^2\eta^2$ in (146)."
    ),
)  # fmt: skip

# The gradient of the values -----------------------------------------------------------------------

backward = norm(r"\|G_i^{(l)}\|_F")
attention, attention_shift = norm(r"\|A_i^{(l)}\|"), norm(r"\|A_i^{(l)}-A_0\|_F")
backward_shift = norm(r"D_{G,l}")
strayed = norm(r"\|h_i^{(l-1)}-X_i\|_F")
value_gradient = in_norms(
    r"\left\|\frac{\partial\mathcal L}{\partial V^{(l)}}+s\eta\bar\Phi^\top\bar B^\top\right\|_F",
    (
        strayed * attention * backward + sqrt(T) * attention_shift * backward
        + sqrt(T) * 2 * backward_shift
    ) / T,
)  # fmt: skip
value_gap, value_slope_gap = (
    norm(r"\|V^{(l)}-\tbinom s2\eta^2\bar\Phi^\top\bar B^\top\|_F"),
    norm(r"\|\nabla_{V^{(l)}}\mathcal L+s\eta\bar\Phi^\top\bar B^\top\|_F"),
)
NEW_PAIRS = s * (s - 1) / 2 + s - s * (s + 1) / 2
"""What is left of C(s, 2) + s for C(s + 1, 2)."""
value_step = in_norms(
    r"\|V^{(l),(s+1)}-\tbinom{s+1}2\eta^2\bar\Phi^\top\bar B^\top\|_F",
    NEW_PAIRS * eta**2 * leading_norm + value_gap + eta * value_slope_gap,
)
_values = normed(
    MANY_LAYERS,
    (strayed, x / 4 * sqrt(T)), (attention_shift, x), (attention, 2 + attention_shift),
    (backward_shift, 12 * x**2 * sqrt(T)), (backward, x * sqrt(T) + backward_shift),
    (leading_norm, 2), (value_gap, 12 * x**3), (value_slope_gap, 36 * x**2),
)  # fmt: skip
values_keep_their_bound = Claim(
    id="im2026.D.10.eq-164",
    source=source(PROOF, "Eq. (164) and the display after it"),
    kind="bound",
    title=(
        r"The gradient of $V^{(l)}$ is within $36s^2\eta^2$ of its leading term, so that (147) holds after "
        r"$s+1$ steps."
    ),
    statement=display(
        (value_gradient, 36 * x**2),
        (value_step, 12 * x**3 + 36 * s**2 * eta**3, 12 * (s + 1) ** 3 * eta**3),
    ),
    domain=_values,
    hypotheses=(
        INDUCTION,
        Hypothesis(
            r"\frac{\partial\mathcal L}{\partial "
            r"V^{(l)}}=-\frac1{NT}\sum_ih_i^{(l-1)\top}A_i^{(l)\top}G_i^{(l)},\ "
            r"\text{Lemma D.8}"
        ),
        Hypothesis(
            r"\text{Eqs. (152), (158)},\ \|X_i\|\le\sqrt T,\ \|A_0\|\le2,\ D_{G,l}=\|G_i^{(l)}-s\eta(Y_i-U_O)"
            r"\bar B^\top\|_F\le12s^2\eta^2\sqrt T"
        ),
    ),
    printed=(
        r"\left\| \frac{\partial \mathcal{L}}{\partial V^{(l)}} + s\eta \bar{\Phi}^\top \bar{B}^\top "
        r"\right\|_F \leq 36s^2\eta^2,\quad \left\| V^{(l)} - \binom{s+1}{2}\eta^2\bar{\Phi}^\top\bar{B}^\top "
        r"\right\|_F \leq 12s^3\eta^3 + 36s^2\eta^3 \leq 12(s+1)^3\eta^3"
    ),
    probes=corners(_values),
    note=(
        r"With $G_i^{(l)}$ of (126); the line before it prints $R_iW_O^\top$ (`im2026.D.10.eq-163`). It "
        r"uses the bound of $D_{G,l}$ that comes after it, which does not use (164) in turn."
    ),
)  # fmt: skip

# Which gradient passes through a layer --------------------------------------------------------------

_layer = many_layers(HIDDEN, ATTENTION, BACK, *OWN, RESIDUAL)
_WITNESS = {
    N: Integer(1), T: Integer(1), words: Integer(2), depth: Integer(2), layer: Integer(1),
    sequences: (one_hot((0, 1), 2),), ATTENTION_STACK: ImmutableDenseMatrix.zeros(4, 2),
    POSITION_STACK: ImmutableDenseMatrix.zeros(2, 1),
    VALUE_STACK: ImmutableDenseMatrix([[0, 0], [0, 0], [0, 0], [0, 1]]),
    OUTPUT: ImmutableDenseMatrix([[0, 0], [0, 1]]),
}  # fmt: skip


def _learns_from_the_output(claim_id: str, asserted: Source, note: str) -> Claim:
    """Both starts print the gradient of the values with the residuals of the last layer."""
    common: dict[str, Any] = {
        "source": asserted, "kind": "identity", "define": gradient("V"), "domain": _layer,
        "hypotheses": (SETTING, BACKWARD),
    }  # fmt: skip
    through_later_layers = Claim(
        id=f"{claim_id}.repair",
        title=r"The gradient of $V^{(l)}$ is made of $G_i^{(l)}$, which has passed through later layers.",
        statement=gradient_of_a_value_matrix.statement,
        uses=(residuals_go_backward,),
        probes=(generic(_layer),),
        parent=claim_id,
        **common,
    )
    return Claim(
        id=claim_id,
        title=r"In every layer the gradient of $V^{(l)}$ is made of $R_iW_O^\top$.",
        statement=Relation(by("V^{(l)}"), (MatMul(MEAN, OverSamples(h.T * A.T * R * OUTPUT.T)),)),
        probes=(_layer.completed(_WITNESS),),
        printed=(
            r"\frac{\partial \mathcal{L}}{\partial V^{(l)}} = -\frac{1}{NT} \sum_i h_i^{(l-1)\top} "
            r"A_i^{(l)\top} R_i W_O^\top"
        ),
        severity="misprint",
        repair=through_later_layers,
        note=note,
        **common,
    )


values_learn_from_the_output = _learns_from_the_output(
    "im2026.D.10.eq-163",
    source(PROOF, "Eq. (163)"),
    r"$G_i^{(l)}$ of (126) stands in the place of $R_iW_O^\top$; by (124) the two are one for $l=L$. "
    r"(164) allows for it: with $R_iW_O^\top$ alone $12s^2\eta^2$ would do. It cites Lemma D.8, which is for "
    r"any weights, and so is the repair.",
)
values_learn_from_the_output_at_first = _learns_from_the_output(
    "im2026.D.13.eq-208",
    source("App. D.2", "proof of Theorem D.13, Eq. (208)"),
    r"As in (163), $G_i^{(l)}$ of (126) stands in the place of $R_iW_O^\top$ (`im2026.D.10.eq-163`). From a "
    r"Gaussian start the two differ in every layer but the last at the first step already. (209) does not "
    r"suffer: $\|G_i^{(l)}\|_F$ is at most a fifth larger (`im2026.D.13.eq-209`).",
)
