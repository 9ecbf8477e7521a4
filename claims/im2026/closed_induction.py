r"""The induction of Theorem D.10 with smaller constants: ours.

As in the paper's displays every norm has a range, and every link shows that the next one stays in it.
"""

from __future__ import annotations

from typing import Any

from sympy import E, Rational, expand, sqrt

from claims.domain import Size
from claims.im2026.boxes import MANY_LAYERS, ZERO_START, norm
from claims.im2026.displays import display, in_norms, normed, short_for
from claims.im2026.layered_activations import corner, corners
from claims.im2026.layered_attention import RANGE, leading_terms, row
from claims.im2026.map_norms import norm_of_the_context_map
from claims.im2026.notation import T, depth, eta, s, source, words, x
from claims.im2026.score_norms import norm_of_the_attention_map
from claims.model import Claim, Hypothesis

OUTPUT, VALUE, ATTENTION = Rational(1, 20), Rational(1, 4), Rational(1, 20)
"""In the place of 3, 12 and 13."""
half = s * (s - 1) / 2 * eta**2
output_error, value_error, attention_error = (norm(rf"\epsilon_{n}") for n in ("{W_O}", "V", "W"))
value, deviation, softened = norm(r"\|V\|"), norm(r"\delta"), norm(r"\sigma")
row_shift, jacobian_shift = norm(r"\alpha"), norm(r"\|J_i-J\|")
backward, shift, scores = norm(r"\|G\|"), norm(r"D_G"), norm(r"\epsilon_S")
moved = norm(r"\epsilon_{\partial W}")
longest, jacobian = 1 + deviation, Rational(1, 2) + jacobian_shift
weight = x**4 / 8 + attention_error
RANGES = (
    (output_error, OUTPUT * x**2), (value_error, VALUE * x**3),
    (attention_error, ATTENTION * x**5 * T), (value, Rational(11, 20) * x**2), (deviation, x / 20),
    (softened, x / 50), (row_shift, x / (100 * sqrt(T))), (jacobian_shift, x / (40 * sqrt(T))),
    (backward, Rational(11, 10) * x * sqrt(T)), (shift, x**2 * sqrt(T) / 5),
    (scores, Rational(21, 100) * x**4 * T), (moved, x**4 * T / 4),
)  # fmt: skip
BOUND = dict(RANGES)

value_term = short_for(r"\|V\|^+", half + value_error)
deviation_term = short_for(r"\delta^+", depth * longest * value)


def outputs(e: Any, w: Any, x: Any) -> Any:
    r"""Rows of the softmax of outputs, by Lemma D.2; $w=\sqrt{|V|}$."""
    return e**2 / w**2 * longest * (x + output_error)


def attentions(e: Any, p: Any, x: Any, y: Any) -> Any:
    r"""Rows of the attention, by Lemma D.2; $p=1/\sqrt t$, $y=\sqrt T$."""
    leading = leading_terms(x**4 / 4, deviation, 1 / p, y)
    return expand(e * p**2 * (leading + attention_error * (1 + longest**2 / p)))


softened_term = short_for(r"\sigma^+", outputs(E, sqrt(words), x))
row_term = short_for(r"\alpha^+", attentions(E, 1 / sqrt(row), x, sqrt(T)))
jacobian_term = short_for(r"\|J_i-J\|^+", row_shift + 2 / sqrt(row) * row_shift + row_shift**2)
layer_term = (2 + sqrt(T) * row_shift) * value * backward + 2 * (
    jacobian * value * longest * sqrt(T) * backward
) * longest * sqrt(T) * weight
shift_term = short_for(
    r"D_G^+",
    softened * sqrt(T) * (x + output_error) + sqrt(T) * output_error + depth * layer_term,
)
backward_term = short_for(r"\|G\|^+", x * sqrt(T) + shift)
leading_scores = x * half * T
scores_term = short_for(
    r"\epsilon_S^+",
    jacobian_shift * leading_scores
    + jacobian * (
        shift * value * longest * sqrt(T) + x * sqrt(T) * value_error * longest * sqrt(T)
        + x * sqrt(T) * half * deviation * sqrt(T)
    ),
)  # fmt: skip

next_output = in_norms(
    r"\epsilon_{W_O}(s+1)", output_error + eta * (longest * softened + deviation)
)
next_value = in_norms(
    r"\epsilon_V(s+1)",
    value_error + eta * (
        deviation * (2 + sqrt(T) * row_shift) * backward + sqrt(T) * row_shift * backward
        + 2 * shift
    ) / sqrt(T),
)  # fmt: skip
moved_term = short_for(
    r"\epsilon_{\partial W}^+",
    longest**2 * scores + (longest + 1) * deviation * leading_scores / 2,
)
next_attention = in_norms(r"\epsilon_W(s+1)", attention_error + eta * moved)
after = s + 1
_domain = normed(MANY_LAYERS, *RANGES, sizes=(Size(row, 2, 4),), conditions=(RANGE,))
induction_closes_with_small_constants = Claim(
    id="im2026.beyond.closed-induction",
    source=source("Theorem D.10", "Eqs. (146)-(149)"),
    kind="bound",
    title=(
        r"The induction closes with $\tfrac1{20}$, $\tfrac14$ and $\tfrac1{20}$ in the place of $3$, $12$ "
        r"and $13$."
    ),
    statement=display(
        (value_term, BOUND[value]), (deviation_term, BOUND[deviation]),
        (softened_term, BOUND[softened]), (row_term, BOUND[row_shift]),
        (jacobian_term, BOUND[jacobian_shift]), (backward_term, BOUND[backward]),
        (shift_term, BOUND[shift]), (scores_term, BOUND[scores]),
        (moved_term, BOUND[moved]),
        (next_output, OUTPUT * after**2 * eta**2),
        (next_value, VALUE * after**3 * eta**3),
        (next_attention, ATTENTION * after**5 * eta**5 * T),
    ),
    domain=_domain,
    hypotheses=(
        ZERO_START,
        Hypothesis(
            r"\epsilon_{W_O}\le\tfrac{s^2\eta^2}{20},\ \epsilon_V\le\tfrac{s^3\eta^3}4,\ "
            r"\epsilon_W\le\tfrac{s^5\eta^5T}"
            r"{20}\ \text{(and the same for}\ P\text{): the errors after}\ s\ \text{steps}"
        ),
        Hypothesis(
            r"\|\bar B\|_F,\|\bar\Phi^\top\bar B^\top\|_F,\|\bar Q\|_F,\|\Delta\|\le1,\ "
            r"\|A_0\|\le2,\ \|Y_i-U_O\|_F"
            r"\le\sqrt T"
        ),
        Hypothesis(
            r"\delta,\alpha\ \text{rows of}\ h-X_i,\ A-A_0\ (t\ge2),\ \sqrt T\sigma=\|\mathcal S(F)-U_O\|_F,\ "
            r"\epsilon_S,\epsilon_{\partial W}\ \text{errors of}\ S_i\ \text{and the gradient}"
        ),
    ),
    uses=(norm_of_the_context_map, norm_of_the_attention_map),
    probes=(*corners(_domain), corner(_domain, t=60)),
    note=(
        r"Each norm with a plus is what the others allow it to be, and stays within its range, so that the "
        r"bounds pass from $s$ to $s+1$ for $W_O$, $V$, $W$ (and $P$, where less is needed). Constants are "
        r"48 to 260 times smaller on the same box; the leading term of $W^{(l)}$, at most $s^4\eta^4/8$, "
        r"still is not larger than its error at the horizon."
    ),
)  # fmt: skip
