r"""Proof of Lemma D.6: the displays of the third step from zero, as statements about norms.

The left side of a display is the largest value that the triangle inequality and norms of products
allow, a polynomial in norms; each norm is a variable between zero and its bound after two steps.
"""

from __future__ import annotations

from typing import Any

from sympy import Expr, Integer, Symbol, exp, sqrt

from claims.domain import Domain, Point
from claims.im2026.boxes import THIRD_STEP, ZERO_START, norm
from claims.im2026.displays import TERMS, at_ends, chained, display, in_norms, normed
from claims.im2026.notation import T, eta, source, words
from claims.model import Claim, Hypothesis, Understood

root = sqrt(words)

# Norms, with their bounds -------------------------------------------------------------------------

bigrams, contexts = norm(r"\|\bar B\|_F"), norm(r"\|\bar\Phi\|")
output_gap = norm(r"\|W_O-2\eta\bar B\|_F")
value_gap = norm(r"\|V^{(1)}-\eta^2\bar\Phi^\top\bar B^\top\|_F")
inputs, transposed = norm(r"\|X_i\|"), norm(r"\|X_i^\top\|")
mixing, first_residual = norm(r"\|A_0\|"), norm(r"\|Y_i-U_O\|_F")
output, value = norm(r"\|W_O\|_F"), norm(r"\|V^{(1)}\|")
hidden, logits = norm(r"\|H_i\|"), norm(r"\|F_\theta(X_i)\|_F")
change = norm(r"\|R_i-(Y_i-U_O)\|_F")
output_slope = norm(r"\|\frac{\partial\mathcal L}{\partial W_O}+\bar B\|_F")
jacobian, product = norm(r"\|J_t\|"), norm(r"\|M_i-2\eta^3M_i^0\|_F")
position_slope = norm(r"\max_m|\frac{\partial\mathcal L}{\partial P_m}+2\eta^3\Delta_m|")
slopes = {
    weight: norm(rf"\|\frac{{\partial\mathcal L}}{{\partial {weight}^{{(1)}}}}+{leading}\|_F")
    for weight, leading in (
        ("V", r"2\eta\bar\Phi^\top\bar B^\top"), ("W", r"2\eta^3\bar Q"), ("P", r"2\eta^3\Delta"),
    )
}  # fmt: skip

BOUNDS: dict[Symbol, Any] = {
    bigrams: Integer(1),
    contexts: Integer(2),
    output_gap: eta**2 / root,
    value_gap: 2 * eta**3 / root,
    inputs: sqrt(T),
    transposed: sqrt(T),
    mixing: Integer(2),
    first_residual: sqrt(T),
    output: 2 * eta + eta**2 / root,
    value: 2 * eta**2 + 2 * eta**3 / root,
    hidden: (1 + 5 * eta**2) * sqrt(T),
    logits: 4 * eta * sqrt(T),
    change: 4 * eta * sqrt(T) / root,
    output_slope: 2 * eta,
    jacobian: Integer(1),
    product: 3 * eta**4 * T / 2,
    position_slope: 2 * eta**4 * sqrt(T),
    slopes["V"]: eta**2,
    slopes["W"]: 2 * eta**4 * T,
    slopes["P"]: 2 * eta**4 * T,
}
"""What Lemma D.5 and the displays before say of each norm after two steps."""


def box(*terms: Expr) -> Domain:
    """The box of Lemma D.6 with the norms of some terms; searches begin with norms at their bounds."""
    used = set().union(*(term.free_symbols for term in terms))
    return normed(THIRD_STEP, *(bound for bound in BOUNDS.items() if bound[0] in used))


def corners(domain: Domain) -> tuple[Point, ...]:
    """Every norm and the rate at their ends: the least vocabulary, one token and a million; then far out."""
    sizes = ((1, 500), (10**6, 500), (10**6, 10**5))
    return tuple(at_ends(domain, {T: length, words: wide}) for length, wide in sizes)


SECOND_STEP = Hypothesis(r"\text{the bounds of Lemma D.5 after two steps, and the displays before}")
PRODUCTS = Hypothesis(r"\text{left sides by}\ \|M+N\|\le\|M\|+\|N\|,\ \|MN\|_F\le\|M\|\,\|N\|_F")
SETTING = (
    ZERO_START, Hypothesis(r"L=1,\ \eta\le1/8,\ |\mathcal V|\ge500"), SECOND_STEP, PRODUCTS,
)  # fmt: skip


def at(equation: str) -> Any:
    """A place in this proof."""
    return source("App. D.1", f"proof of Lemma D.6, {equation}")


# Displays -----------------------------------------------------------------------------------------

output_size = in_norms(r"\|W_O\|_F", 2 * eta * bigrams + output_gap)
value_size = in_norms(r"\|V^{(1)}\|", eta**2 * contexts * bigrams + value_gap)
weights_after_two_steps = Claim(
    id="im2026.eq-67.norms",
    source=at("Eq. (67), (68)"),
    kind="bound",
    title="Norms of the output and value weights after two steps.",
    statement=display(
        (output_size, 2 * eta + eta**2 / root), (value_size, 2 * eta**2 + 2 * eta**3 / root)
    ),
    domain=box(TERMS[output_size], TERMS[value_size]),
    probes=corners(box(TERMS[output_size], TERMS[value_size])),
    hypotheses=(*SETTING, Hypothesis(r"\|\bar B\|_F\le1,\ \|\bar\Phi\|\le2")),
    printed=(
        r"\|W_O\|_F \leq 2\eta + \frac{\eta^2}{\sqrt{|V|}}, \quad \|V^{(1)}\| \leq \left(2\eta^2 + "
        r"\frac{2\eta^3}{\sqrt{|V|}}\right)"
    ),
    note=r"Since $\|\bar\Phi\|_F\le1$, the first term of the second bound may be $\eta^2$.",
)
hidden_size = in_norms(r"\|X_i+A_0X_iV^{(1)}\|", inputs + mixing * inputs * value)
hidden_states_after_two_steps = Claim(
    id="im2026.eq-70.h",
    source=at("Eq. (70)"),
    kind="bound",
    title=r"Hidden states are within a factor $1+5\eta^2$ of the inputs.",
    statement=chained(hidden_size, (1 + 5 * eta**2) * sqrt(T)),
    domain=box(TERMS[hidden_size]),
    probes=corners(box(TERMS[hidden_size])),
    hypotheses=SETTING,
    printed=r"\|X_i + A_0X_iV^{(1)}\| \leq (1 + 5\eta^2) \sqrt{T}",
)
logit_size = in_norms(r"\|F_\theta(X_i)\|_F", hidden * output)
row_of_hidden = in_norms(r"\|H_i^{[t,:]}\|", 1 + value)
output_bound = in_norms(r"\|W_O\|", output)
row_size = in_norms(r"\|f_{i,t}\|_2", (1 + value) * output)
row_range = in_norms(r"\mathrm{range}(f_{i,t})", 2 * (1 + value) * output)
output_change = in_norms(r"\|\mathcal S(F_\theta(X_i))-U_O\|_F", exp(Integer(1)) / words * logits)
_outputs = box(
    *(
        TERMS[made]
        for made in (logit_size, row_of_hidden, output_bound, row_size, row_range, output_change)
    )
)
outputs_after_two_steps = Claim(
    id="im2026.eq-71.F",
    source=at("Eq. (71), (72)"),
    kind="bound",
    title="Logits after two steps are small, and outputs near uniform.",
    statement=display(
        (logit_size, 5 * eta / 2 * (1 + 5 * eta**2) * sqrt(T), 4 * eta * sqrt(T)),
        (row_of_hidden, 1 + 5 * eta**2),
        (output_bound, 5 * eta / 2),
        (row_size, 5 * eta / 2 * (1 + 5 * eta**2)),
        (row_range, 5 * eta * (1 + 5 * eta**2), Integer(1)),
        (output_change, 4 * exp(Integer(1)) * eta * sqrt(T) / words, 4 * eta * sqrt(T) / root),
    ),
    domain=_outputs,
    probes=corners(_outputs),
    hypotheses=(
        *SETTING,
        Hypothesis(
            r"\mathrm{range}(f)\le2\|f\|;\ \text{rows of}\ A_0X_i\ \text{have norm at most one}"
        ),
        Hypothesis(
            r"\|\mathcal S(f)-\tfrac1{|\mathcal V|}\mathbf1\|\le\tfrac e{|\mathcal V|}\|f\|\ "
            r"\text{for range at most one (Lemma D.2)}"
        ),
    ),
    printed=(
        r"\|F_\theta(X_i)\|_F \leq \frac{5\eta}{2} (1 + 5\eta^2) \sqrt{T} \leq 4\eta\sqrt{T}, \quad "
        r"\|H_i^{[t,:]}\| \leq 1 + 5\eta^2, \quad \|W_O\| \leq \|W_O\|_F \leq \frac{5\eta}{2}. \quad "
        r"\|f_{i,t}\|_2 \leq \frac{5\eta}{2}(1 + 5\eta^2). \quad "
        r"\text{range}(f_{i,t}) \leq 2\|f_{i,t}\|_2 \leq 1. \quad "
        r"\|\mathcal{S}(F_\theta(X_i)) - U_O\|_F \leq \frac{e}{|V|} \|F_\theta(X_i)\|_F \leq "
        r"\frac{4e\eta\sqrt{T}}{|V|} \leq \frac{4\eta\sqrt{T}}{\sqrt{|V|}},"
    ),
    note=(
        r"“The bounds above” are of whole matrices and give $\sqrt T$ too much for a row of $H_i$. What is "
        r"missing is that rows of $A_0X_i$ are convex combinations of one-hot rows. The links by Lemma D.2 "
        r"are hypotheses here; the lemma, and with it the display for one row, is `im2026.lemma-D.2.dev`."
    ),
)  # fmt: skip
moved = mixing * inputs * value
output_slope_size = in_norms(
    r"\|\frac{\partial\mathcal L}{\partial W_O}+\bar B\|_F",
    (hidden * change + moved * first_residual) / T,
)
output_error = in_norms(r"\|W_O-3\eta\bar B\|_F", output_gap + eta * output_slope)
output_weights_after_three_steps = Claim(
    id="im2026.eq-73.gradWO",
    source=at("Eq. (73), (74)"),
    kind="bound",
    title=r"At the third step the gradient of $W_O$ is within $2\eta$ of $-\bar B$.",
    statement=display(
        (output_slope_size, 8 * eta / root + 5 * eta**2, 2 * eta),
        (output_error, eta**2 / root + 2 * eta**2, 3 * eta**2),
    ),
    domain=box(TERMS[output_slope_size], TERMS[output_error]),
    probes=corners(box(TERMS[output_slope_size], TERMS[output_error])),
    hypotheses=SETTING,
    printed=(
        r"\left\| \frac{\partial \mathcal{L}}{\partial W_O} + \bar{B} \right\|_F \leq \frac{1}{NT} "
        r"\sum_{i=1}^N \left( \frac{8\eta T}{\sqrt{|V|}} + 5\eta^2 T \right) \leq 2\eta, \quad \|W_O - "
        r"3\eta\bar{B}\|_F \leq \frac{\eta^2}{\sqrt{|V|}} + 2\eta^2 \leq 3\eta^2"
    ),
    note=r"Under $\eta\le1/8$ and $|\mathcal V|\ge500$ the gradient is within $\eta$ already.",
)
value_slope = in_norms(
    r"\|\frac{\partial\mathcal L}{\partial V^{(1)}}+2\eta\bar\Phi^\top\bar B^\top\|_F",
    inputs * mixing * (change * output + first_residual * output_gap) / T,
)
values_after_three_steps = Claim(
    id="im2026.eq-75.gradV",
    source=at("Eq. (75)"),
    kind="bound",
    title=r"The third gradient of $V^{(1)}$ is within $\eta^2$ of $-2\eta\bar\Phi^\top\bar B^\top$.",
    statement=display((
        value_slope, 2 * (4 * eta / root * (5 * eta / 2) + eta**2 / root), 22 * eta**2 / root, eta**2,
    )),
    domain=box(TERMS[value_slope]),
    probes=corners(box(TERMS[value_slope])),
    hypotheses=SETTING,
    printed=(
        r"\left\| \frac{\partial \mathcal{L}}{\partial V^{(1)}} + 2\eta\bar{\Phi}^\top \bar{B}^\top "
        r"\right\|_F \leq 2 \left( \frac{4\eta}{\sqrt{|V|}} \frac{5\eta}{2} + "
        r"\frac{\eta^2}{\sqrt{|V|}} \right) \leq \frac{22\eta^2}{\sqrt{|V|}} \leq \eta^2"
    ),
    note=(
        r"The last link holds from $|\mathcal V|=484$ on. The reason given, "
        r"$\|Y_i-\mathcal S(F_\theta(X_i))\|\le\sqrt{2T}$, is not what the middle term uses: that is "
        r"$\|Y_i-U_O\|\le\sqrt T$ and (72)."
    ),
)  # fmt: skip
product_error = in_norms(
    r"\|R_iW_O^\top V^{(1)\top}X_i^\top-2\eta^3(Y_i-U_O)\bar B^\top\bar B\bar\Phi X_i^\top\|_F",
    change * output * value * inputs
    + first_residual * output_gap * value * inputs
    + first_residual * 2 * eta * bigrams * value_gap * inputs,
)
products_at_the_third_step = Claim(
    id="im2026.eq-80.product",
    source=at("Eq. (80)"),
    kind="bound",
    title="The product under the attention gradient is near its leading term.",
    statement=display((
        product_error,
        25 * eta**4 * T / root + 5 * T * eta**4 / (2 * root) + 4 * eta**4 * T / root,
        3 * eta**4 * T / 2,
    )),
    domain=box(TERMS[product_error]),
    probes=corners(box(TERMS[product_error])),
    hypotheses=SETTING,
    printed=(
        r"\left\| R_i W_O^\top V^{(1)\top} X_i^\top - 2\eta^3 (Y_i - U_O) \bar{B}^\top \bar{B} "
        r"\bar{\Phi} X_i^\top \right\|_F \leq \frac{25\eta^4 T}{\sqrt{|V|}} + \frac{5T\eta^4}{2 "
        r"\sqrt{|V|}} + \frac{4\eta^4 T}{\sqrt{|V|}} \leq \frac{3\eta^4 T}{2}"
    ),
    note=r"The sum is $\frac{63}2\eta^4T/\sqrt{|\mathcal V|}$: the last link holds from $|\mathcal V|=441$ on.",
)  # fmt: skip
attention_slope = in_norms(
    r"\|\frac{\partial\mathcal L}{\partial W^{(1)}}+2\eta^3\bar Q\|_F",
    transposed * jacobian * product * inputs / T,
)
attention_weights_at_the_third_step = Claim(
    id="im2026.eq-83.gradW",
    source=at("Eq. (83)"),
    kind="bound",
    title=r"The gradient of $W^{(1)}$ is within $2\eta^4T$ of $-2\eta^3\bar Q$.",
    statement=chained(attention_slope, 2 * eta**4 * T),
    domain=box(TERMS[attention_slope]),
    hypotheses=(
        *SETTING,
        Hypothesis(r"M_i=R_iW_O^\top V^{(1)\top}X_i^\top;\ \|J_t\|\le\tfrac1t\le1"),
    ),
    printed=(
        r"\left\| \frac{\partial \mathcal{L}}{\partial W^{(1)}} + 2\eta^3 \bar{Q} \right\|_F \leq "
        r"2\eta^4 T"
    ),
    note=(
        r"$\|J_t\|=1/t$ holds for $t\ge2$ only; $J_1=0$, since one token attends to itself. Both are at most "
        r"one half, and $\frac34\eta^4T$ would do. What is said of the norm of the einsum is "
        "`im2026.eq-83.einsum`. The “Lemma 1.1” of the proof is Lemma D.1."
    ),
)
each_position = in_norms(
    r"|\frac{\partial\mathcal L}{\partial P_m}+2\eta^3\Delta_m|", sqrt(T) * jacobian * product / T
)
all_positions = in_norms(
    r"\|\frac{\partial\mathcal L}{\partial P^{(1)}}+2\eta^3\Delta\|_F", sqrt(T) * position_slope
)
position_scores_at_the_third_step = Claim(
    id="im2026.eq-85.gradP",
    source=at("Eq. (85), (86)"),
    kind="bound",
    title=r"The gradient of $P^{(1)}$ is within $2\eta^4T$ of $-2\eta^3\Delta$.",
    statement=display((each_position, 2 * eta**4 * sqrt(T)), (all_positions, 2 * eta**4 * T)),
    domain=box(TERMS[each_position], TERMS[all_positions]),
    probes=corners(box(TERMS[each_position], TERMS[all_positions])),
    hypotheses=(
        *SETTING,
        Hypothesis(r"|\textstyle\sum_tE_{t,t-m+1}|\le\sqrt T\|E\|_F;\ \|J_t\|\le\tfrac1t\le1"),
    ),
    printed=(
        r"\left\| \frac{\partial \mathcal{L}}{\partial P_m^{(1)}} + \frac{2\eta^3}{NT} \sum_{i=1}^N "
        r"\text{Tr}(D_{-m} Q_i) \right\|_F \leq 2\eta^4 \sqrt{T}, \quad \left\| \frac{\partial "
        r"\mathcal{L}}{\partial P^{(1)}} + 2\eta^3 \Delta \right\|_F \leq 2\eta^4 T"
    ),
    understood=(
        Understood(
            r"$\mathrm{Tr}(D_{-m}Q)$ is the sum of sub-diagonal $m-1$ of $Q$, that is "
            r"$\mathrm{Tr}(D_m^\top Q)$",
            r"$m=1$: $D_{-1}$ is not defined, and by the letter of Lemma D.1 has its ones on super-diagonal "
            "two instead of the main one",
        ),
    ),
)
value_after = in_norms(
    r"\|V^{(1)}-3\eta^2\bar\Phi^\top\bar B^\top\|_F", value_gap + eta * slopes["V"]
)
attention_after = in_norms(r"\|W^{(1)}-2\eta^4\bar Q\|_F", eta * slopes["W"])
positions_after = in_norms(r"\|P^{(1)}-2\eta^4\Delta\|_F", eta * slopes["P"])
_after = box(*(TERMS[made] for made in (value_after, attention_after, positions_after)))
weights_after_three_steps = Claim(
    id="im2026.eq-76.weights",
    source=at("Eqs. (76), (84), (87)"),
    kind="bound",
    title=r"After the third step $V^{(1)}$, $W^{(1)}$ and $P^{(1)}$ are as near their leading terms as said.",
    statement=display(
        (value_after, 2 * eta**3), (attention_after, 2 * eta**5 * T),
        (positions_after, 2 * eta**5 * T),
    ),
    domain=_after,
    probes=corners(_after),
    hypotheses=(
        *SETTING,
        Hypothesis(
            r"\text{one step with the gradients of (75), (83) and (86)};\ "
            r"W^{(1)}=0,\ P^{(1)}=0\ \text{before it, Eq. (38)}"
        ),
    ),
    uses=(
        values_after_three_steps, attention_weights_at_the_third_step, position_scores_at_the_third_step,
    ),
    printed=(
        r"\|V^{(1)} - 3\eta^2\bar{\Phi}^\top \bar{B}^\top\|_F \leq 2\eta^3,\quad "
        r"\left\| W^{(1)} - 2\eta^4 \bar{Q} \right\|_F \leq 2\eta^5 T,\quad "
        r"\left\| P^{(1)} - 2\eta^4 \Delta \right\|_F \leq 2\eta^5 T"
    ),
    note=r"The first is $\eta^3(1+2/\sqrt{|\mathcal V|})$, about half of what is said.",
)  # fmt: skip
