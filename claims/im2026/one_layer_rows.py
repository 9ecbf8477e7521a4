r"""Theorem D.7 by rows: the induction closes up to $s\eta\le\tfrac12$, whatever T is.

The proof of the paper multiplies norms of whole sequences, and so pays powers of T.  Gradients are means
over rows, and rows do not know T: rows of $A X$ are convex combinations of one-hot rows, the 1-norm
of a row of the einsum is at most the largest score of the row, and $\|X^\top MX\|_F$ is at most the sum of the
entries of $|M|$.
"""

from __future__ import annotations

from typing import Any

from sympy import Integer, Rational, binomial, exp

from claims.domain import Domain, Size
from claims.im2026.boxes import INDUCTION, UpTo, leading_count, norm
from claims.im2026.displays import box_of, display, far, in_norms
from claims.im2026.notation import eta, s, source, words, x
from claims.model import Claim, Hypothesis
from claims.statement import Quantity

OUTPUT, VALUE, WEIGHTS = Rational(1, 6), Rational(1, 8), Rational(1, 10)
"""The theorem's constants, for 3, 4 and 6T."""

output_gap, value_gap = norm(r"\|\delta W_O\|_F"), norm(r"\|\delta V\|_F")
weight_gap = norm(r"\|\delta W\|_F")
value, output, residual = norm(r"\|V\|"), norm(r"\|W_O\|"), norm(r"\|\varepsilon_t\|")
features, scores = (
    norm(r"\|\bar\Phi^\top\bar B^\top\|_F"),
    norm(r"\|\tfrac{s^3-s^2}2\eta^3\bar g_t\|_\infty"),
)
attention_gap, score_gap = norm(r"\|\delta a_t\|_1"), norm(r"\|\delta g_t\|_\infty")
logit_row = norm(r"\|f_t\|")

MOST_LOGITS = x**4 / 4 + 2 * WEIGHTS * x**5
NEAR = (output, x + OUTPUT * x**2), (value, x**2 / 2 + VALUE * x**3)
ERROR = (residual, x / 50)
SHIFT = (attention_gap, exp(1) * MOST_LOGITS)

value_norm = in_norms(
    r"\|V\|_F", binomial(s, 2) * eta**2 * features + value_gap,
    (features, Integer(1)), (value_gap, VALUE * x**3),
)  # fmt: skip
logit = in_norms(
    r"\|z_t\|_\infty", 2 * leading_count * eta**4 + 2 * weight_gap, (weight_gap, WEIGHTS * x**5)
)
row = in_norms(r"\|f_t\|_2", (1 + value) * output, *NEAR)
distance = in_norms(
    r"\|\mathcal S(f_t)-\tfrac1{|\mathcal V|}\mathbf1\|", exp(2) / words * logit_row,
    (logit_row, 5 * x / 4),
)  # fmt: skip
output_slope = in_norms(
    r"\|\frac{\partial\mathcal L}{\partial W_O}+\bar B\|_F",
    (1 + value) * residual + value,
    NEAR[1],
    ERROR,
)
value_slope = in_norms(
    r"\|\frac{\partial\mathcal L}{\partial V^{(1)}}+s\eta\bar\Phi^\top\bar B^\top\|_F",
    residual * output + attention_gap * output + output_gap,
    NEAR[0], ERROR, SHIFT, (output_gap, OUTPUT * x**2),
)  # fmt: skip
score = in_norms(
    r"\|g_t-\tfrac{s^3-s^2}2\eta^3\bar g_t\|_\infty",
    residual * output * value + output * value_gap + output_gap * binomial(s, 2) * eta**2 * features,
    *NEAR, ERROR, (value_gap, VALUE * x**3), (output_gap, OUTPUT * x**2), (features, Integer(1)),
)  # fmt: skip
einsum = in_norms(
    r"\|S_t-\tfrac{s^3-s^2}2\eta^3Q_t\|_1", score_gap + 3 * attention_gap * scores,
    (score_gap, x**4 / 4), SHIFT, (scores, x**3 / 2),
)  # fmt: skip


def step(name: str, gap: Any, old: Any, slope: Any) -> Quantity:
    """A weight after one more step: the old error and that of the gradient."""
    return in_norms(name, gap + eta * slope, (gap, old))


output_step = step(r"\|\delta W_O^{(s+1)}\|_F", output_gap, OUTPUT * x**2, 2 * OUTPUT * x)
value_step = step(r"\|\delta V^{(s+1)}\|_F", value_gap, VALUE * x**3, 3 * VALUE * x**2)
weight_step = step(r"\|\delta W^{(s+1)}\|_F", weight_gap, WEIGHTS * x**5, 5 * WEIGHTS * x**4)
CHAINS = (
    value_norm, logit, row, distance, output_slope, value_slope, score, einsum,
    output_step, value_step, weight_step,
)  # fmt: skip
_BOX = Domain(
    (
        Size(words, 500, 501), Size(s, 1, 4),
        UpTo(eta, 0, 1 / (2 * s), open_low=True),
    )
)  # fmt: skip
_next = (s + 1) * eta

early_features_whatever_the_length = Claim(
    id="im2026.beyond.early-features-whatever-the-length",
    source=source("App. D.1", "Theorem D.7"),
    kind="bound",
    title=r"The induction of Theorem D.7 closes up to $s\eta\le\tfrac12$ for every $T$, with smaller errors.",
    statement=display(
        (value_norm, NEAR[1][1]),
        (logit, MOST_LOGITS, Rational(1, 2)),
        (row, 5 * x / 4, Integer(1)),
        (distance, x / 50),
        (output_slope, 2 * OUTPUT * x),
        (value_slope, 3 * VALUE * x**2),
        (score, x**4 / 4),
        (einsum, 5 * WEIGHTS * x**4),
        (output_step, OUTPUT * _next**2),
        (value_step, VALUE * _next**3),
        (weight_step, WEIGHTS * _next**5),
    ),
    domain=box_of(_BOX, *CHAINS),
    probes=far(box_of(_BOX, *CHAINS)),
    hypotheses=(
        INDUCTION,
        Hypothesis(
            r"\text{with the errors}\ \tfrac16s^2\eta^2,\ \tfrac18s^3\eta^3,\ \tfrac1{10}s^5\eta^5\ \text{of}\ "
            r"W_O,\ V,\ W\ (\text{and}\ P)"
        ),
        Hypothesis(
            r"\varepsilon_t=\mathcal S(f_t)-\tfrac1{|\mathcal V|}\mathbf1,\ \delta a_t=(A_i-A_0)[t,:],\ "
            r"g_t\ \text{a row of}\ R_iW_O^\top V^\top X_i^\top,\ \tfrac{s^3-s^2}2\eta^3\bar g_t\ "
            r"\text{its leading term},\ S_t\ \text{one of the einsum}"
        ),
        Hypothesis(
            r"\|\delta a_t\|_1\le e\|z_t\|_\infty,\ \|J_{t,i}h\|_1\le\|h\|_\infty,\ "
            r"\|(J_{t,i}-J_t)g\|_1\le3\|\delta a_t\|_1\|g\|_\infty,\ \|X^\top MX\|_F\le\textstyle\sum|M_{tk}|"
        ),
    ),
    note=(
        r"The links of the paper's induction, for rows: errors $\tfrac16s^2\eta^2$ for $3s^2\eta^2$, "
        r"$\tfrac18s^3\eta^3$ for $4s^3\eta^3$ and $\tfrac1{10}s^5\eta^5$ for $6s^5\eta^5T$. The horizon "
        r"$3/(8T^{3/8})$ and the factor $T$ of (90) and (91) come from norms of whole sequences, not from the "
        r"network. At $s=1$ all errors are zero. The error of $P$ is that of $W$."
    ),
)
