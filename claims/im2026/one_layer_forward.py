r"""Proof of Theorem D.7, Eqs. (97)-(102): the value matrix and the forward pass after s steps."""

from __future__ import annotations

from sympy import Integer, binomial, exp, sqrt

from claims.im2026.boxes import INDUCTION, ONE_LAYER, norm
from claims.im2026.displays import PRODUCTS, box_of, chained, display, far, in_norms
from claims.im2026.notation import T, eta, s, source, words, x
from claims.model import Claim, Hypothesis

PROOF = "App. D.1, proof of Thm D.7"

bigrams, contexts = norm(r"\|\bar B\|_F"), norm(r"\|\bar\Phi\|_F")
value_gap, output_gap = norm(r"\|\delta V\|_F"), norm(r"\|\delta W_O\|_F")
attention, value = norm(r"\|A_i\|"), norm(r"\|V\|")
inputs, hidden = norm(r"\|X_i\|_F"), norm(r"\|H_i\|_F")
output, logits = norm(r"\|W_O\|"), norm(r"\|F_i\|_F")

GAPS = Hypothesis(
    r"\delta V=V^{(1)}-\tbinom s2\eta^2\bar\Phi^\top\bar B^\top,\ \delta W_O=W_O-s\eta\bar B"
)
LOCAL = Hypothesis(
    r"\|\mathcal S(f)-\tfrac1{|\mathcal V|}\mathbf1\|\le\tfrac{e^2}{|\mathcal V|}\|f\|\ "
    r"\text{for rows with}\ \|f\|\le1\ \text{(Lemma D.2)}"
)
VALUE_BOUND = sqrt(2) * x**2 + 4 * x**3
OUTPUT_BOUND = x + 3 * x**2

value_matrix = in_norms(
    r"\|V^{(1)}\|_F", binomial(s, 2) * eta**2 * contexts * bigrams + value_gap,
    (bigrams, Integer(1)), (contexts, 2 * sqrt(2)), (value_gap, 4 * x**3),
)  # fmt: skip

value_matrix_is_of_second_order = Claim(
    id="im2026.D.7.eq-97",
    source=source(PROOF, "Eqs. (97)-(99)"),
    kind="bound",
    title=r"The value matrix is at most $4s^2\eta^2$.",
    statement=chained(
        value_matrix, binomial(s, 2) * eta**2 * 2 * sqrt(2) + 4 * x**3, VALUE_BOUND, 4 * x**2
    ),
    domain=box_of(ONE_LAYER, value_matrix),
    probes=far(box_of(ONE_LAYER, value_matrix)),
    hypotheses=(INDUCTION, PRODUCTS, GAPS),
    printed=(
        r"\binom{s}{2}\eta^2 2\sqrt{2} + 4s^3\eta^3 \le s^2\eta^2\sqrt{2} + 4s^3\eta^3,\quad "
        r"\|V^{(1)}\|_F \leq 4s^2\eta^2"
    ),
    note=(
        r"$\|\bar\Phi\|\le2$ by (79), so that $2\sqrt2$ is generous; $\sqrt2s^2\eta^2+s^2\eta^2$ "
        r"would do at the horizon."
    ),
)

hidden_states = in_norms(
    r"\|X_i+A_i^{(1)}X_iV^{(1)}\|_F", inputs + attention * inputs * value,
    (inputs, sqrt(T)), (attention, 2 + 2 * x), (value, 4 * x**2),
)  # fmt: skip

hidden_states_stay_near_the_inputs = Claim(
    id="im2026.D.7.eq-100",
    source=source(PROOF, "Eq. (100)"),
    kind="bound",
    title=r"The hidden states have norm at most $\sqrt T(1+16s^2\eta^2)$.",
    statement=chained(hidden_states, sqrt(T) * (1 + 16 * x**2)),
    domain=box_of(ONE_LAYER, hidden_states),
    probes=far(box_of(ONE_LAYER, hidden_states)),
    hypotheses=(INDUCTION, PRODUCTS),
    printed=r"\|X_i + A_i^{(1)}X_iV^{(1)}\|_F \leq \sqrt{T}(1 + 16s^2\eta^2)",
    note=r"Row by row it is $\sqrt T(1+4s^2\eta^2)$: the proof bounds a row by $1+4s^2\eta^2$ below (102).",
)

logit_matrix = in_norms(
    r"\|F_\theta(X_i)\|_F", hidden * output,
    (hidden, sqrt(T) * (1 + 16 * x**2)), (output, OUTPUT_BOUND),
)  # fmt: skip
output_matrix, output_operator = (
    in_norms(name, x * bigrams + output_gap, (bigrams, Integer(1)), (output_gap, 3 * x**2))
    for name in (r"\|W_O\|_F", r"\|W_O\|")
)
logit_row = in_norms(
    r"\|f_{i,t}\|", (1 + value) * output, (value, 4 * x**2), (output, OUTPUT_BOUND)
)
hidden_row = in_norms(r"\|H_i^{[t,:]}\|", 1 + value, (value, 4 * x**2))
logit_range = in_norms(
    r"\mathrm{range}(f_{i,t})", 2 * (1 + value) * output, (value, 4 * x**2), (output, OUTPUT_BOUND)
)
distance = in_norms(
    r"\|\mathcal S(F_\theta(X_i))-U_O\|_F", exp(2) / words * logits, (logits, 4 * x * sqrt(T))
)

_outputs = box_of(
    ONE_LAYER, output_matrix, output_operator, logit_matrix, hidden_row, logit_row, logit_range,
    distance,
)  # fmt: skip
outputs_stay_near_the_uniform_distribution = Claim(
    id="im2026.D.7.eq-101",
    source=source(PROOF, "Eqs. (101)-(102) and the displays after them"),
    kind="bound",
    title=r"Logits are at most $4s\eta\sqrt T$, and outputs within $4s\eta\sqrt{T/|V|}$ of uniform.",
    statement=display(
        (output_matrix, OUTPUT_BOUND),
        (output_operator, OUTPUT_BOUND),
        (logit_matrix, 2 * sqrt(T) * OUTPUT_BOUND, 4 * x * sqrt(T)),
        (hidden_row, 1 + 4 * x**2),
        (logit_row, (1 + 4 * x**2) * OUTPUT_BOUND, Integer(1)),
        (logit_range, Integer(2)),
        (distance, 4 * exp(2) * x * sqrt(T) / words),
        (exp(2) / sqrt(words), Integer(1)),
        (distance, 4 * x * sqrt(T) / sqrt(words)),
    ),
    domain=_outputs,
    probes=far(_outputs),
    hypotheses=(INDUCTION, PRODUCTS, GAPS, LOCAL),
    printed=(
        r"\|F_\theta(X_i)\|_F \leq 2\sqrt{T}(s\eta + 3s^2\eta^2),\quad "
        r"\|F_\theta(X_i)\|_F \leq 4s\eta\sqrt{T},\quad "
        r"\|H_i^{[t,:]}\| \leq 1 + \|V^{(1)}\| \leq 1 + 4s^2\eta^2.\quad "
        r"\|W_O\| \leq \|W_O\|_F \leq s\eta + 3s^2\eta^2.\quad "
        r"\|f_{i,t}\| \leq (1 + 4s^2\eta^2)(s\eta + 3s^2\eta^2).\quad "
        r"\text{range}(f_{i,t}) \leq 2\|f_{i,t}\| \leq 2.\quad "
        r"\|\mathcal{S}(F_\theta(X_i)) - U_O\|_F \leq \frac{e^2}{|V|} \|F_\theta(X_i)\|_F \leq "
        r"\frac{4e^2s\eta\sqrt{T}}{|V|}.\quad "
        r"\|\mathcal{S}(F_\theta(X_i)) - U_O\|_F \leq 4s\eta\sqrt{\frac{T}{|V|}}."
    ),
    note=(
        r"Tight: (101) needs $16s^2\eta^2\le1$, that is $T^{3/4}\ge9/4$ at the horizon, true from $T=3$ "
        r"on ($3^{3/4}\approx2.28$). The links by Lemma D.2 are hypotheses here; the lemma, "
        r"and with it the display for one row, is `im2026.lemma-D.2.dev`."
    ),
)
