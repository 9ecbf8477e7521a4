r"""The first gradient step from a Gaussian start (Eqs. (206)-(222)): gradients and weights after it.

As in `gaussian_activations`, norms are variables; those of gradients are products of them.
"""

from __future__ import annotations

from typing import Any

from sympy import E, Integer, Rational, Symbol, sqrt

from claims.domain import Domain, Point, Real, Size
from claims.im2026.boxes import GAUSSIAN, UpTo, norm
from claims.im2026.displays import at_ends, chained, normed, short_for, spelled
from claims.im2026.gaussian_activations import (
    EVENT,
    LOGITS,
    ROW,
    START,
    attention_starts_near_uniform,
    far,
    output_is_small,
    rows_stay_near_their_tokens,
)
from claims.im2026.notation import T, depth, eta, source, t, words
from claims.model import Claim, Hypothesis
from claims.statement import Compare, ForAll
from claims.terms import Recursion, family, value_of

__all__ = ["weights_after_the_first_step"]

FROBENIUS = 2 * eta**2 / T**2
"""Frobenius norms at the start, Eq. (198)."""
RESIDUAL = sqrt(2 * T)
"""One-hot rows less probabilities: each squared row is at most two."""
HALF = Rational(1, 2)


def _eta(power: Any) -> Any:
    return eta ** Rational(power)


moved, residual, guess, initial, hidden, weights, sensitivity, gradient = (
    norm(name)
    for name in (
        r"\|h_i^{(L)}-X_i\|_F", r"\|R_i\|_F", r"\|\mathcal S(F_\theta(X_i))-U_O\|_F",
        r"\|\Theta(0)\|_F", r"\|h_i^{(l-1)}\|", r"\|A_i^{(l)}\|", r"\|G_i^{(l)}\|_F",
        r"\|\nabla_\Theta\mathcal L\|_F",
    )
)  # fmt: skip
value, attention, head, jacobian, scores = (
    norm(rf"\|{name}\|") for name in ("V^{(l)}", "W^{(l)}", "W_O", "J_i^{(l)}", "S_i^{(l)}")
)
apart = norm(r"\|(A_i^{(l)}-A_0)[t,:]\|")
upstream = norm(r"D_{G,l}")
_SCORES = r"\|S_i^{(l)}\|_F"


def _gradient_of(weight: str) -> str:
    """Its norm before the first step."""
    return rf"\bigl\|\tfrac{{\partial\mathcal L}}{{\partial {weight}}}\bigr\|_F"


# Output matrix -----------------------------------------------------------------------------------

_pull = (moved * residual + sqrt(T) * guess) / T
_PULL = (
    r"\tfrac1T\bigl(\|h_i^{(L)}-X_i\|_F\|R_i\|_F+\sqrt T\|\mathcal S(F_\theta(X_i))-U_O\|_F\bigr)"
)
output_gradient = spelled(
    _PULL, _pull, above=r"\bigl\|\tfrac{\partial\mathcal L}{\partial W_O}+\bar B\bigr\|_F"
)
_rows = (
    (moved, sqrt(T) * _eta("7/2") / 3), (residual, RESIDUAL), (guess, 4 * eta**4 / sqrt(words)),
)  # fmt: skip

output_gradient_is_the_bigram_map = Claim(
    id="im2026.D.13.eq-206",
    source=source("App. D.2", "proof of Theorem D.13, Eq. (206)"),
    kind="bound",
    title=r"The first gradient of $W_O$ is $-\bar B$ up to $2\eta^3$.",
    statement=chained(
        output_gradient, 4 * eta**4 / sqrt(words) + _eta("5/2") / sqrt(T), 2 * eta**3
    ),
    domain=normed(GAUSSIAN, *_rows),
    hypotheses=(EVENT,),
    uses=(rows_stay_near_their_tokens, output_is_small),
    probes=far(*_rows),
    printed=(
        r"\left\| \frac{\partial \mathcal{L}}{\partial W_O} + \bar{B} \right\|_F \leq "
        r"\frac{4\eta^4}{\sqrt{|V|}} + \frac{\eta^{5/2}}{\sqrt{T}} \leq 2\eta^3"
    ),
    note=(
        r"With $\frac{\partial\mathcal L}{\partial W_O}+\bar B=-\frac1{NT}\sum_i\bigl((h_i^{(L)}-X_i)^\top "
        r"R_i+X_i^\top(U_O-\mathcal S(F_\theta(X_i)))\bigr)$, Eq. (203) gives $\sqrt2\eta^{7/2}/3$ where "
        r"$\eta^{5/2}/\sqrt T$ is printed, which is more by $3/(\sqrt2\,\eta\sqrt T)\ge3.3$, since "
        r"$\eta\le5/(8\sqrt T)$: the step is right and gives away a power of $\eta$."
    ),
)

_OUTPUT = rf"\|\Theta(0)\|_F+\eta\,{_PULL}"
output_after = spelled(_OUTPUT, initial + eta * _pull, above=r"\|W_O-\eta\bar B\|_F")
_starts = (
    (initial, FROBENIUS), (moved, sqrt(T) * depth * ROW * START), (residual, RESIDUAL),
    (guess, E / words * ROW * sqrt(T) * START),
)  # fmt: skip

output_matrix_after_the_first_step = Claim(
    id="im2026.D.13.eq-207",
    source=source("App. D.2", "proof of Theorem D.13, Eq. (207)"),
    kind="bound",
    title=r"After the first step $W_O$ is $\eta\bar B$ up to $3\eta^4$.",
    statement=chained(output_after, START + 2 * eta**4, 3 * eta**4, 3 * eta**2),
    domain=normed(GAUSSIAN, *_starts),
    hypotheses=(EVENT,),
    uses=(rows_stay_near_their_tokens, output_is_small),
    probes=far(*_starts),
    printed=(
        r"\|W_O - \eta \bar{B}\|_F \leq \frac{3\eta^2}{T^2|V|^{1/2}} + 2\eta^4 \leq 3\eta^4 \leq 3\eta^2"
    ),
    note=(
        r"From Eqs. (198) and (206), which it is read off, it does not follow (`im2026.D.13.eq-207.step`). It "
        r"is right all the same, as is shown here from Eqs. (203) and (205) before they are rounded up: the "
        r"gradient differs from $-\bar B$ by far less than $2\eta^3$, and $2\eta^2/T^2\le2\eta^4$ takes its "
        r"place."
    ),
)

slope_error = norm(r"\bigl\|\tfrac{\partial\mathcal L}{\partial W_O}+\bar B\bigr\|_F")
_step = initial + eta * slope_error
_allowed = ((initial, FROBENIUS), (slope_error, 2 * eta**3))
output_step = spelled(rf"\|\Theta(0)\|_F+\eta\,{slope_error}", _step, above=r"\|W_O-\eta\bar B\|_F")
aligned_step = short_for(r"\|W_O-\eta\bar B\|_F", _step)
step_by_frobenius_norms = Claim(
    id="im2026.D.13.eq-207.step.repair",
    source=source("App. D.2", "proof of Theorem D.13, Eq. (207)"),
    kind="bound",
    title=r"Eqs. (198) and (206) give $\|W_O-\eta\bar B\|_F\le2\eta^2/T^2+2\eta^4\le4\eta^4$.",
    statement=chained(output_step, FROBENIUS + 2 * eta**4, 4 * eta**4, 3 * eta**2),
    domain=normed(GAUSSIAN, *_allowed),
    hypotheses=(EVENT,),
    uses=(output_gradient_is_the_bigram_map,),
    probes=far(*_allowed),
    parent="im2026.D.13.eq-207.step",
)
step_by_an_operator_norm = Claim(
    id="im2026.D.13.eq-207.step",
    source=source("App. D.2", "proof of Theorem D.13, from Eq. (206) to Eq. (207)"),
    kind="bound",
    title=(
        r"From the bounds of the start and of the gradient, $\|W_O-\eta\bar B\|_F$ is said to be at most "
        r"$3\eta^2/(T^2|V|^{1/2})+2\eta^4$."
    ),
    statement=chained(aligned_step, START + 2 * eta**4, 3 * eta**4, 3 * eta**2),
    domain=normed(GAUSSIAN, *_allowed),
    hypotheses=(
        Hypothesis(
            r"\text{the start and the gradient's error are multiples of the identity of opposite signs:}\ "
            r"\|W_O(0)\|=\|W_O(0)\|_F/|V|^{1/2},\ \text{within (197) and (198); the error within (206)}"
        ),
    ),
    uses=(output_gradient_is_the_bigram_map,),
    printed=(
        r"\|W_O - \eta \bar{B}\|_F \leq \frac{3\eta^2}{T^2|V|^{1/2}} + 2\eta^4 \leq 3\eta^4 \leq 3\eta^2"
    ),
    probes=far(*_allowed),
    severity="misprint",
    repair=step_by_frobenius_norms,
    note=(
        r"The operator norm of the start, $3\eta^2/(T^2|V|^{1/2})$ of Eq. (197), stands where its Frobenius "
        r"norm, up to $2\eta^2/T^2$ by Eq. (198), is needed. At $\eta=1/T$ the sum is $4\eta^4$, above "
        r"$3\eta^4$ as well. The display itself is true: `im2026.D.13.eq-207`."
    ),
)

# Jacobians of the softmax ------------------------------------------------------------------------

jacobian_moves = spelled(
    r"\bigl(1+\tfrac2{\sqrt t}\bigr)\|(A_i^{(l)}-A_0)[t,:]\|+\|(A_i^{(l)}-A_0)[t,:]\|^2",
    (1 + 2 / sqrt(t)) * apart + apart**2,
    above=r"\|J_{t,i}-J_t\|_2",
)
_apart = ((apart, E * LOGITS),)

all_jacobians_move = spelled(
    r"\sqrt T\Bigl[\bigl(1+\tfrac2{\sqrt t}\bigr)\|(A_i^{(l)}-A_0)[t,:]\|+\|(A_i^{(l)}-A_0)[t,:]\|^2\Bigr]",
    sqrt(T) * ((1 + 2 / sqrt(t)) * apart + apart**2),
)
jacobians_start_near_uniform = Claim(
    id="im2026.D.13.eq-214",
    source=source("App. D.2", "proof of Theorem D.13, Eqs. (212)-(215)"),
    kind="bound",
    title=(
        r"Softmax Jacobians start within $50\eta^{7/2}/\sqrt T$ of those of uniform attention, all of them "
        r"within $50\eta^{7/2}$."
    ),
    statement=chained(jacobian_moves, 50 * _eta("7/2") / sqrt(T))
    & chained(all_jacobians_move, 50 * _eta("7/2")),
    domain=Domain((*normed(GAUSSIAN, *_apart).variables, Size(t, 2, 4)), GAUSSIAN.conditions),
    hypotheses=(EVENT,),
    uses=(attention_starts_near_uniform,),
    probes=tuple({**point, t: Integer(2)} for point in far(*_apart)),
    printed=(
        r"\|J_{t,i} - J_t\|_2 \leq \frac{50\eta^{7/2}}{\sqrt{T}},\quad \|J_i - J\|_2 \leq 50\eta^{7/2}"
    ),
    note=(
        r"At $t=2$ the constant is $6e(1+\sqrt2)=39.4$, and the square adds less than 0.01. (215) is read as a "
        r"norm over all rows, at most $\sqrt T$ times the largest."
    ),
)

# Sensitivities -----------------------------------------------------------------------------------

last = spelled(r"\|R_i\|_F\|W_O\|", residual * head, above=r"\|G_i^{(L)}\|_F")
recurrence = spelled(
    r"D_{G,l}+\|A_i^{(l)}\|D_{G,l}\|V^{(l)}\|+2\|S_i^{(l)}\|\|h_i^{(l-1)}\|\|W^{(l)}\|",
    upstream + weights * upstream * value + 2 * scores * hidden * attention,
    above=r"\|G_i^{(l-1)}\|_F",
)
_backward = (
    (residual, RESIDUAL), (head, START), (weights, HALF * 5), (value, START), (hidden, RESIDUAL),
    (attention, START),
)  # fmt: skip
_FREE = (Real(upstream, 0), Real(scores, 0))


def _with_free(*bounds: Any, free: tuple[Real, ...] = _FREE) -> Domain:
    return Domain((*normed(GAUSSIAN, *bounds).variables, *free), GAUSSIAN.conditions)


def _far_with_free(*bounds: Any, free: tuple[Real, ...] = _FREE) -> tuple[Point, ...]:
    return tuple({**p, **{v.symbol: Integer(1) for v in free}} for p in far(*bounds))


sensitivities_before_the_first_step = Claim(
    id="im2026.D.13.eq-216",
    source=source("App. D.2", "proof of Theorem D.13, Eqs. (216)-(217)"),
    kind="bound",
    title=r"$G_i^{(L)}$ is at most $5\eta^4$, and grows little from layer to layer.",
    statement=chained(last, RESIDUAL * START, 5 * eta**4)
    & chained(
        recurrence,
        upstream + HALF * 5 * upstream * START + 2 * scores * RESIDUAL * START,
        (1 + 8 * _eta("9/2")) * upstream + 9 * eta**4 * scores,
    ),
    domain=_with_free(*_backward),
    hypotheses=(EVENT,),
    uses=(rows_stay_near_their_tokens, attention_starts_near_uniform),
    probes=_far_with_free(*_backward),
    printed=(
        r"\|G_i^{(L)}\|_F \leq \sqrt{2T} \frac{3\eta^2}{T^2|V|^{1/2}} \leq 5\eta^4,\quad "
        r"\|G_i^{(l-1)}\|_F \leq D_{G,l} + \frac{5}{2}D_{G,l} \frac{3\eta^2}{T^2|V|^{1/2}} + "
        r"2\|S_i^{(l)}\| \sqrt{2T} \frac{3\eta^2}{T^2|V|^{1/2}} \leq "
        r"(1 + 8\eta^{9/2})D_{G,l} + 9\eta^4 \|S_i^{(l)}\|"
    ),
)

score_norm = spelled(
    r"\|J_i^{(l)}\|D_{G,l}\|V^{(l)}\|\|h_i^{(l-1)}\|",
    jacobian * upstream * value * hidden,
    above=_SCORES,
)
_wide = ((jacobian, HALF * 5), (value, START), (hidden, RESIDUAL))
_narrow = ((jacobian, Integer(2)), (value, START), (hidden, ROW * sqrt(T)))
_scale = (Real(upstream, 0),)

scores_are_small_with_the_later_bound_on_jacobians = Claim(
    id="im2026.D.13.eq-218.repair",
    parent="im2026.D.13.eq-218",
    source=source("App. D.2", "proof of Theorem D.13, Eq. (218)"),
    kind="bound",
    title=r"$\|S_i^{(l)}\|_F\le8\eta^4D_{G,l}$ with $\|J_i^{(l)}\|\le2$ and rows of at most $1+\eta^{7/2}/2$.",
    statement=chained(
        score_norm, 2 * upstream * START * ROW * sqrt(T), 7 * eta**4 * upstream,
        8 * eta**4 * upstream,
    ),
    domain=_with_free(*_narrow, free=_scale),
    hypotheses=(EVENT,),
    probes=_far_with_free(*_narrow, free=_scale),
)  # fmt: skip

scores_are_small = Claim(
    id="im2026.D.13.eq-218",
    source=source("App. D.2", "proof of Theorem D.13, Eq. (218)"),
    kind="bound",
    title=(
        r"As $\tfrac52\cdot\tfrac{3\eta^2}{T^2|V|^{1/2}}\sqrt{2T}\le8\eta^4$, before the first step "
        r"$\|S_i^{(l)}\|_F\le8\eta^4D_{G,l}$."
    ),
    statement=chained(score_norm, HALF * 5 * upstream * START * RESIDUAL, 8 * eta**4 * upstream),
    domain=_with_free(*_wide, free=_scale),
    hypotheses=(EVENT,),
    probes=_far_with_free(*_wide, free=_scale),
    severity="material",
    repair=scores_are_small_with_the_later_bound_on_jacobians,
    printed=(
        r"\|S_i^{(l)}\|_F \leq \|J_i^{(l)}\| \|G_i^{(l)}\| \|V^{(l)}\| \|h_i^{(l-1)}\|_F \leq "
        r"\frac{5}{2}D_{G,l} \frac{3\eta^2}{T^2|V|^{1/2}} \sqrt{2T} \leq 8\eta^4 D_{G,l}"
    ),
    note=(
        r"The last link fails, whatever the norms before it: at $T=|V|=1/\eta$ the middle is "
        r"$\frac{15}{\sqrt2}\eta^4D_{G,l}>10.6\,\eta^4D_{G,l}$. The bound "
        r"$8\eta^4D_{G,l}$ itself holds, and so does what is made of it: $\|J_i^{(l)}\|\le2$, which is shown "
        r"above Eq. (220), for $5/2$ and $(1+\eta^{7/2}/2)\sqrt T$ for $\sqrt{2T}$ give $6.01$."
    ),
)

below = Symbol("k", integer=True, nonnegative=True)
"""How many layers below the last one."""
final = norm(r"\|G_i^{(L)}\|_F")
GROWTH = 8 * _eta("9/2") + 72 * eta**8
GROWN = Rational(6, 5)
"""How much larger than at the last layer sensitivities are below it, at most."""
grown = Recursion("D", lambda: final, lambda k, before: (1 + GROWTH) * before())


def _sensitivity(at: Point, k: int) -> Any:
    """What the recursion comes to after k layers."""
    return value_of((1 + GROWTH) ** k * final, at)


sensitivity_below = family("D_{{G,L-{}}}", _sensitivity)
_through = (
    (weights, HALF * 5), (value, START), (hidden, RESIDUAL), (attention, START),
    (final, RESIDUAL * START),
)  # fmt: skip
_layers = Domain(
    (
        *normed(GAUSSIAN, *_through).variables, Real(upstream, 0),
        UpTo(scores, 0, 8 * eta**4 * upstream),
    ),
    GAUSSIAN.conditions,
)  # fmt: skip
sensitivities_of_all_layers = Claim(
    id="im2026.D.13.eq-219",
    source=source("App. D.2", "proof of Theorem D.13, Eq. (219) and the display after it"),
    kind="bound",
    title=r"From layer to layer $G_i^{(l)}$ grows by $1+8\eta^{9/2}+72\eta^8$, to at most $6\eta^4$.",
    statement=chained(recurrence, (1 + GROWTH) * upstream)
    & ForAll(below, 0, depth, Compare(sensitivity_below(below), "<=", GROWN * final))
    & Compare(GROWN * final, "<=", 6 * eta**4),
    domain=_layers,
    hypotheses=(
        EVENT,
        Hypothesis(r"\|S_i^{(l)}\|\le8\eta^4D_{G,l},\ \text{Eq. (218)}"),
        Hypothesis(
            r"D_{G,L}=\|G_i^{(L)}\|_F\le\sqrt{2T}\tfrac{3\eta^2}{T^2|V|^{1/2}},\ \text{Eq. (216)};\ "
            r"D_{G,l-1}=(1+8\eta^{9/2}+72\eta^8)D_{G,l}"
        ),
    ),
    uses=(
        sensitivities_before_the_first_step, scores_are_small_with_the_later_bound_on_jacobians,
    ),
    probes=tuple(at_ends(_layers, {**point, upstream: 1}) for point in far()[:4]),
    printed=(
        r"\|G_i^{(l-1)}\|_F \leq (1 + 8\eta^{9/2} + 72\eta^8)D_{G,l},\quad D_{G,l} \leq 6\eta^4"
    ),
)  # fmt: skip

# Value matrices ----------------------------------------------------------------------------------

value_gradient = spelled(
    r"\tfrac1T\|h_i^{(l-1)}\|\|A_i^{(l)}\|\|G_i^{(l)}\|_F",
    hidden * weights * sensitivity / T,
    above=_gradient_of("V^{(l)}"),
)
after = spelled(
    r"\|\Theta(0)\|_F+\eta\|\nabla_\Theta\mathcal L\|_F", initial + eta * gradient,
    above=r"\|\Theta(1)\|_F",
)  # fmt: skip
ATTENTION = 2 + 6 * E * _eta("7/2")
_flow = (
    (hidden, ROW * sqrt(T)), (weights, ATTENTION),
    (sensitivity, GROWN * RESIDUAL * START), (initial, FROBENIUS),
    (gradient, 15 * _eta("9/2")),
)  # fmt: skip

value_matrices_after_the_first_step = Claim(
    id="im2026.D.13.eq-209",
    source=source("App. D.2", "proof of Theorem D.13, Eq. (209) and the display below"),
    kind="bound",
    title=r"The first gradient of $V^{(l)}$ is at most $15\eta^{9/2}$, $V^{(l)}$ itself then $3\eta^4$.",
    statement=chained(value_gradient, 15 * eta**2 / (T**2 * sqrt(words)), 15 * _eta("9/2"))
    & chained(after, FROBENIUS + 15 * _eta("11/2"), 3 * eta**4, 12 * eta**3),
    domain=normed(GAUSSIAN, *_flow),
    hypotheses=(
        EVENT,
        Hypothesis(
            r"\|G_i^{(l)}\|_F\le\tfrac65\|G_i^{(L)}\|_F\le\tfrac65\sqrt{2T}\tfrac{3\eta^2}{T^2|V|^{1/2}},\ "
            r"\text{Eqs. (216), (219)}"
        ),
    ),
    uses=(
        rows_stay_near_their_tokens,
        attention_starts_near_uniform,
        sensitivities_before_the_first_step,
        sensitivities_of_all_layers,
    ),
    probes=far(*_flow),
    printed=(
        r"\left\| \frac{\partial \mathcal{L}}{\partial V^{(l)}} \right\|_F \leq \frac{15\eta^2}{T^2|V|^{1/2}} "
        r"\leq 15\eta^{9/2},\quad \|V^{(l)}\|_F \leq \frac{2\eta^2}{T^2} + 15\eta^{11/2} \leq 3\eta^4 \leq "
        r"12\eta^3"
    ),
    note=(
        r"Eq. (208) writes $R_iW_O^\top$ for $G_i^{(l)}$ in every layer, which is so in the last one only "
        r"(`im2026.D.13.eq-208`). The bound does not suffer: $\|G_i^{(l)}\|_F$ exceeds "
        r"$\sqrt{2T}\|W_O\|$ by at most a fifth, Eqs. (217)-(219), and that is what is used here. About 11 "
        r"does for 15."
    ),
)

# Attention weights -------------------------------------------------------------------------------

whole = norm(r"\|h_i^{(l-1)}\|_F")
_product = jacobian * sensitivity * value * whole
first_scores = spelled(
    r"\|J_i^{(l)}\|\|G_i^{(l)}\|_F\|V^{(l)}\|\|h_i^{(l-1)}\|_F", _product, above=_SCORES
)
attention_gradient = spelled(
    r"\tfrac1T\|h_i^{(l-1)}\|^2\,\|J_i^{(l)}\|\|G_i^{(l)}\|_F\|V^{(l)}\|\|h_i^{(l-1)}\|_F",
    hidden**2 * _product / T,
    above=_gradient_of("W^{(l)}"),
)
position_gradient = spelled(
    r"\tfrac1{\sqrt T}\|J_i^{(l)}\|\|G_i^{(l)}\|_F\|V^{(l)}\|\|h_i^{(l-1)}\|_F",
    _product / sqrt(T),
    above=_gradient_of("P^{(l)}"),
)
uniform_jacobian, jacobian_shift = norm(r"\|J\|"), norm(r"\|J_i^{(l)}-J\|")
near_uniform_jacobian = spelled(
    r"\|J\|+\|J_i^{(l)}-J\|", uniform_jacobian + jacobian_shift, above=r"\|J_i^{(l)}\|"
)
JACOBIAN = HALF * 3 + 50 * _eta("7/2")
_attention = (
    (uniform_jacobian, HALF), (jacobian_shift, 50 * _eta("7/2")),
    (jacobian, JACOBIAN), (sensitivity, 6 * eta**4), (value, START), (whole, ROW * sqrt(T)),
    (hidden, whole),
)  # fmt: skip

attention_gradients_before_the_first_step = Claim(
    id="im2026.D.13.eq-220",
    source=source("App. D.2", "proof of Theorem D.13, Eqs. (220)-(222)"),
    kind="bound",
    title=r"As $G_i^{(l)}$ is at most $6\eta^4$, gradients of $W^{(l)}$, $P^{(l)}$ are at most $48\eta^8$.",
    statement=chained(near_uniform_jacobian, JACOBIAN, 2)
    & chained(first_scores, 48 * eta**8)
    & chained(attention_gradient, 48 * eta**8)
    & chained(position_gradient, 48 * eta**8),
    domain=normed(GAUSSIAN, *_attention),
    hypotheses=(
        EVENT,
        Hypothesis(
            r"\|J\|=\max_{t\ge2}\tfrac1t=\tfrac12;\ \|J_i^{(l)}-J\|\le50\eta^{7/2},\ \text{Eq. (215)}"
        ),
    ),
    uses=(sensitivities_of_all_layers, jacobians_start_near_uniform),
    probes=far(*_attention),
    printed=(
        r"\|J_t\|_2 = \frac{1}{t}, \|J_i^{(l)}\|_2 \leq \frac{3}{2} + 50\eta^{7/2} \leq 2,\quad "
        r"\|S_i^{(l)}\|_F \leq 48\eta^8,\quad \left\| \frac{\partial \mathcal{L}}{\partial W^{(l)}} \right\|_F "
        r"\leq 48\eta^8,\quad \left\| \frac{\partial \mathcal{L}}{\partial P^{(l)}} \right\|_F \leq 48\eta^8"
    ),
    note=(
        r"$48=8\cdot6$ leans on Eq. (218), whose middle is too large for it, and $\|h\|^2/T$, which is above "
        r"one, is left out of Eq. (221); with $\|J_i^{(l)}\|\le3/2+50\eta^{7/2}$ and "
        r"$\|h\|_F\le(1+\eta^{7/2}/2)\sqrt T$ the products are below $28\eta^8$."
    ),
)

_last = ((initial, FROBENIUS), (gradient, 48 * eta**8))

weights_after_the_first_step = Claim(
    id="im2026.D.13.final",
    source=source("App. D.2", "proof of Theorem D.13, last display"),
    kind="bound",
    title=r"After the first step $W^{(l)}$ and $P^{(l)}$ are at most $4\eta^5T$.",
    statement=chained(after, 48 * eta**9 + 3 * eta**2 / T**2, 4 * eta**5 * T),
    domain=normed(GAUSSIAN, *_last),
    hypotheses=(EVENT,),
    uses=(attention_gradients_before_the_first_step,),
    probes=far(*_last),
    printed=(
        r"\|W^{(l)}\|_F \leq 48\eta^9 + \frac{3\eta^2}{T^2} \leq 4\eta^5 T,\quad \|P^{(l)}\|_F \leq 48\eta^9 + "
        r"\frac{3\eta^2}{T^2} \leq 4\eta^5 T"
    ),
    note=r"Eq. (198) has $2\eta^2/T^2$, for which 3 is ample.",
)
