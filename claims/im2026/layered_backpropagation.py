r"""Theorem D.10, Eqs. (165)-(181): gradients through many layers, and those of $W^{(l)}$ and $P^{(l)}$."""

from __future__ import annotations

from typing import Any

from sympy import Integer, Rational, Symbol, binomial, sqrt

from claims.domain import Point
from claims.im2026.boxes import INDUCTION, MANY_LAYERS, leading_count, norm
from claims.im2026.displays import TERMS, chained, display, in_norms, normed
from claims.im2026.layered_activations import PROOF, corner, corners
from claims.im2026.layered_outputs import (
    TO_UNIFORM,
    centred,
    output_error,
    output_weights,
    softmax_shift,
)
from claims.im2026.map_norms import norm_of_the_context_map
from claims.im2026.notation import T, depth, eta, s, source, x
from claims.im2026.score_norms import norm_of_the_attention_map
from claims.model import Claim, Hypothesis
from claims.statement import Compare, ForAll
from claims.terms import Recursion, family, value_of

# From the output to the last layer ----------------------------------------------------------------

last_shift = in_norms(
    r"\|G_i^{(L)}-s\eta(Y_i-U_O)\bar B^\top\|_F",
    softmax_shift * output_weights + centred * output_error,
)
printed_last = TO_UNIFORM * 2 * x + sqrt(T) * 3 * x**2
_last = normed(
    MANY_LAYERS,
    (softmax_shift, TO_UNIFORM), (output_error, 3 * x**2), (output_weights, x + output_error),
    (centred, sqrt(T)),
)  # fmt: skip
gradients_at_the_last_layer = Claim(
    id="im2026.D.10.eq-171",
    source=source(PROOF, "Eq. (171)"),
    kind="bound",
    title=r"$G_i^{(L)}=R_iW_O^\top$ is within $4s^2\eta^2\sqrt T$ of $s\eta(Y_i-U_O)\bar B^\top$.",
    statement=display(
        (last_shift, printed_last), (printed_last, 4 * x**2 * sqrt(T))
    ),
    domain=_last,
    hypotheses=(
        INDUCTION,
        Hypothesis(r"\|R_i-(Y_i-U_O)\|_F\le2s\eta\sqrt{T/|V|},\ \text{Eq. (160)};\ \|Y_i-U_O\|_F\le\sqrt T"),
        Hypothesis(r"\|W_O\|\le s\eta+\|W_O-s\eta\bar B\|_F,\ \text{as}\ \|\bar B\|_F\le1"),
    ),
    printed=(
        r"\left\| G_i^{(L)} - s\eta(Y_i - U_O)\bar{B}^\top \right\|_F \leq "
        r"2s\eta\sqrt{\frac{T}{|V|}}(2s\eta) + \sqrt{T}(3s^2\eta^2) \leq 4s^2\eta^2\sqrt{T}"
    ),
    probes=corners(_last),
)  # fmt: skip

# One layer down -----------------------------------------------------------------------------------

jacobian, gradient = norm(r"\|J_i^{(l)}\|"), norm(r"\|G_i^{(l)}\|")
value, hidden = norm(r"\|V^{(l)}\|"), norm(r"\|h_i^{(l-1)}\|_F")
score_gradient = in_norms(r"\|S_i^{(l)}\|_F", jacobian * gradient * value * hidden)
first_bound = Rational(5, 2) * gradient * (2 * x**2) * (2 * sqrt(T))
second_bound = 10 * x**2 * gradient * sqrt(T)
_scores = normed(
    MANY_LAYERS,
    (gradient, 2 * x * sqrt(T)), (jacobian, Rational(3, 2) + 10 * x / sqrt(T)), (value, 2 * x**2),
    (hidden, (1 + x / 4) * sqrt(T)),
)  # fmt: skip
score_gradients_are_small = Claim(
    id="im2026.D.10.eq-173",
    source=source(PROOF, "Eq. (173)"),
    kind="bound",
    title=r"Gradients of the attention scores obey $\|S_i^{(l)}\|_F\le7s\eta\|G_i^{(l)}\|$.",
    statement=display(
        (score_gradient, first_bound), (first_bound, second_bound),
        (second_bound, 7 * x * gradient),
    ),
    domain=_scores,
    hypotheses=(
        INDUCTION,
        Hypothesis(r"\|J_i^{(l)}\|\le\tfrac32+10s\eta/\sqrt T,\ \|V^{(l)}\|\le2s^2\eta^2,\ "
                   r"\|h_i^{(l-1)}\|_F\le(1+\tfrac{s\eta}4)\sqrt T"),
    ),
    printed=(
        r"\left\| S_i^{(l)} \right\|_F \leq \left\| J_i^{(l)} \right\| \left\| G_i^{(l)} \right\| \left\| "
        r"V^{(l)} \right\| \left\| h_i^{(l-1)} \right\|_F \leq \frac{5}{2} \left\| G_i^{(l)} \right\| "
        r"(2s^2\eta^2)(2\sqrt{T}) \leq 10s^2\eta^2 \left\| G_i^{(l)} \right\| \sqrt{T} \leq 7s\eta \left\| "
        r"G_i^{(l)} \right\|"
    ),
    probes=corners(_scores),
    note=(
        r"The Jacobians act on one row each, so that $\|J_i\|=\max_t\|J_{t,i}\|\le\tfrac12+10s\eta/\sqrt T<1$; "
        r"$2s\eta\|G_i^{(l)}\|$ would do."
    ),
)  # fmt: skip

shift, scores, leading = (
    norm(r"D_{G,l}"),
    norm(r"\|S_i^{(l)}\|"),
    norm(r"\|s\eta(Y_i-U_O)\bar B^\top\|"),
)
context, value_error = norm(r"\|\bar\Phi^\top\bar B^\top\|_F"), norm(r"\epsilon_V")
attention, weights = norm(r"\|A_i^{(l)}\|"), norm(r"\|W^{(l)}\|")
half = s * (s - 1) / 2 * eta**2
"""binom(s, 2) eta^2."""
descent = in_norms(
    r"\|G_i^{(l-1)}-s\eta(Y_i-U_O)\bar B^\top\|_F",
    shift + attention * gradient * (half * context + value_error) + 2 * scores * hidden * weights,
)
LAYER_BOUNDS = (
    (context, 1), (value_error, 12 * x**3), (attention, 2 + x), (hidden, (1 + x / 4) * sqrt(T)),
    (weights, x**4 / 4 + 13 * x**5 * T),
)  # fmt: skip
_descent = normed(
    MANY_LAYERS,
    (gradient, 2 * x * sqrt(T)), (shift, 12 * x**2 * sqrt(T)), (scores, 7 * x * gradient),
    *LAYER_BOUNDS,
)  # fmt: skip
_LAYER = (
    Hypothesis(r"G_i^{(l-1)}\ \text{from}\ G_i^{(l)}\ \text{by (123)};\ "
               r"\|A_i^{(l)}\|\le\|A_0\|+s\eta\le2+s\eta"),
    Hypothesis(
        r"\|V^{(l)}\|\le\tbinom s2\eta^2\|\bar\Phi^\top\bar B^\top\|_F+\epsilon_V,\ "
        r"\epsilon_V\le12s^3\eta^3;\ "
        r"\|\bar\Phi^\top\bar B^\top\|_F\le1\ \text{as rows of}\ A_0X_i\ \text{average one-hot rows}"
    ),
    Hypothesis(
        r"\|W^{(l)}\|\le\tfrac14s^4\eta^4+13s^5\eta^5T\ \text{as}\ \|\bar Q\|_F\le1;\ "
        r"\|h_i^{(l-1)}\|_F\le(1+\tfrac{s\eta}4)\sqrt T"
    ),
)  # fmt: skip
gradients_pass_through_a_layer = Claim(
    id="im2026.D.10.eq-172",
    source=source(PROOF, "Eq. (172)"),
    kind="bound",
    title=r"$G_i^{(l-1)}$ deviates by $4s^2\eta^2\|G_i^{(l)}\|+2\|S_i^{(l)}\|(2\sqrt "
          r"T)(2s^4\eta^4T)$ more than $G_i^{(l)}$.",
    statement=descent.at_most(
        shift + 4 * x**2 * gradient + 2 * scores * (2 * sqrt(T)) * (2 * x**4 * T)
    ),
    domain=_descent,
    hypotheses=(
        INDUCTION,
        *_LAYER,
    ),
    printed=(
        r"\left\| G_i^{(l-1)} - s\eta(Y_i - U_O)\bar{B}^\top \right\|_F \leq D_{G,l} + 4s^2\eta^2 \left\| "
        r"G_i^{(l)} \right\| + 2 \left\| S_i^{(l)} \right\| (2\sqrt{T})(2s^4\eta^4T)"
    ),
    uses=(norm_of_the_context_map, norm_of_the_attention_map),
    probes=corners(_descent),
    note=(
        r"The factors that the text names, $\|A_i^{(l)}\|\le2+s\eta$ and $\|V^{(l)}\|\le2s^2\eta^2$, give "
        r"$(4+2s\eta)s^2\eta^2$; but $\|V^{(l)}\|\le\tfrac32s^2\eta^2$, so that $4$ is right. That needs "
        r"$\|\bar\Phi^\top\bar B^\top\|_F\le1$ where $L=1$: with the paper's $\|\bar\Phi\|\le2$ it fails at "
        r"$T=60$ ($4.095$ against $4$). From two layers on, where $G_i^{(l-1)}$ enters a gradient, "
        r"$s\eta\le1/24$ and that bound leaves $3.07$."
    ),
)  # fmt: skip

next_norm = in_norms(r"\|G_i^{(l-1)}\|", leading + TERMS[descent])
printed_shift = shift + 4 * x**2 * gradient + 56 * x**5 * T ** Rational(3, 2) * gradient
_down = normed(
    MANY_LAYERS,
    (shift, 12 * x**2 * sqrt(T)), (leading, x * sqrt(T)), (gradient, leading + shift),
    (scores, 7 * x * gradient), *LAYER_BOUNDS,
)  # fmt: skip
gradients_one_layer_down = Claim(
    id="im2026.D.10.eq-175",
    source=source(PROOF, "Eqs. (174)-(176)"),
    kind="bound",
    title=r"From layer to layer $D_{G,l-1}\le D_{G,l}+18s^2\eta^2\|G_i^{(l)}\|$.",
    statement=display(
        (descent, printed_shift), (printed_shift, shift + 18 * x**2 * gradient),
        (next_norm, (1 + 18 * x**2) * (leading + shift)),
        ((1 + 18 * x**2) * (leading + shift), (1 + 18 * x**2) * (x * sqrt(2 * T) + shift)),
    ),
    domain=_down,
    hypotheses=(
        INDUCTION,
        *_LAYER,
        Hypothesis(r"\|S_i^{(l)}\|\le7s\eta\|G_i^{(l)}\|,\ \text{Eq. (173)}"),
        Hypothesis(r"\|G_i^{(l)}\|\le\|s\eta(Y_i-U_O)\bar B^\top\|+D_{G,l},\ "
                   r"\|Y_i-U_O\|_F\le\sqrt T,\ \|\bar B\|_F\le1"),
    ),
    printed=(
        r"\left\| G_i^{(l-1)} - s\eta(Y_i - U_O)\bar{B}^\top \right\|_F \leq D_{G,l} + 4s^2\eta^2 \left\| "
        r"G_i^{(l)} \right\| + 56s^5\eta^5T^{3/2} \left\| G_i^{(l)} \right\|,\quad "
        r"\left\| G_i^{(l-1)} - s\eta(Y_i - U_O)\bar{B}^\top \right\|_F \leq D_{G,l} + 18s^2\eta^2 \left\| "
        r"G_i^{(l)} \right\|,\quad \left\| G_i^{(l-1)} \right\| \leq (1 + 18s^2\eta^2)(\left\| s\eta(Y_i - "
        r"U_O)\bar{B}^\top \right\| + D_{G,l}) \leq (1 + 18s^2\eta^2)(s\eta\sqrt{2T} + D_{G,l})"
    ),
    uses=(gradients_pass_through_a_layer, score_gradients_are_small),
    probes=corners(_down),
    note=r"Close: $4+56(5/8)^3<17.7$. That $\|Y_i-U_O\|_F\le\sqrt T$ makes the $\sqrt2$ of (176) unnecessary.",
)  # fmt: skip

# All layers ---------------------------------------------------------------------------------------

below = Symbol("k", integer=True, nonnegative=True)
"""How many layers below the last one."""
descended = Recursion(
    "D",
    lambda: 4 * x**2 * sqrt(T),
    lambda k, before: before() + 18 * x**2 * (x * sqrt(2 * T) + before()),
)


def _largest_shift(at: Point, k: int) -> Any:
    found = value_of(descended.start(), at)
    for _ in range(k):
        found = value_of(found + 18 * x**2 * (x * sqrt(2 * T) + found), at)
    return found


largest_shift = family("D_{{G,L-{}}}", _largest_shift)
largest_gradient = family(
    r"(\|s\eta(Y_i-U_O)\bar B^\top\|+D_{{G,L-{}}})",
    lambda at, k: at[leading] + _largest_shift(at, k),
)
_all = normed(MANY_LAYERS, (leading, x * sqrt(T)))
gradients_of_all_layers = Claim(
    id="im2026.D.10.DG",
    source=source(PROOF, "after Eq. (176)"),
    kind="bound",
    title=r"In all layers $D_{G,l}\le12s^2\eta^2\sqrt T$ and $\|G_i^{(l)}\|\le2s\eta\sqrt T$.",
    statement=ForAll(
        below, 0, depth,
        Compare(largest_shift(below), "<=", 12 * x**2 * sqrt(T))
        & Compare(largest_gradient(below), "<=", x * sqrt(T) + 12 * x**2 * sqrt(T)),
    )
    & Compare(x * sqrt(T) + 12 * x**2 * sqrt(T), "<=", 2 * x * sqrt(T)),
    domain=_all,
    hypotheses=(
        Hypothesis(r"D_{G,L}=4s^2\eta^2\sqrt T,\ D_{G,l-1}=D_{G,l}+18s^2\eta^2(s\eta\sqrt{2T}+D_{G,l})"),
        Hypothesis(
            r"\|G_i^{(l)}\|\le\|s\eta(Y_i-U_O)\bar B^\top\|+D_{G,l},\ \|Y_i-U_O\|_F\le\sqrt T,\ "
            r"\|\bar B\|_F\le1"
        ),
    ),
    printed=(
        r"D_{G,l} \leq 12s^2\eta^2\sqrt{T},\quad \left\| G_i^{(l)} \right\| \leq s\eta\sqrt{T} + "
        r"12s^2\eta^2\sqrt{T} \leq 2s\eta\sqrt{T}"
    ),
    probes=(corner(_all), corner(_all, length=10**6, layers=2)),
    note=(
        r"With $8$ in the place of $12$ as well: each layer adds at most $48s^3\eta^3\sqrt T$, and "
        r"$12Ls\eta\le1$."
    ),
)  # fmt: skip

# The gradients of the attention -------------------------------------------------------------------

jacobian_shift, deviation = norm(r"\|J_i^{(l)}-J\|"), norm(r"\|h_i^{(l-1)}-X_i\|_F")


def score_terms(x: Any, c: Any, y: Any) -> Any:
    r"""$x=s\eta$, $c=\binom s2\eta^2$, $y=\sqrt T$; $xc=\frac{s^3-s^2}2\eta^3$."""
    through_values = shift * value * hidden + x * y * value_error * hidden
    return jacobian_shift * leading_scores(x, c, y) + jacobian * (
        through_values + x * y * c * context * deviation
    )


def leading_scores(x: Any, c: Any, y: Any) -> Any:
    r"""The norm of $\frac{s^3-s^2}2\eta^3(Y_i-U_O)\bar B^\top\bar B\bar\Phi X_i^\top$."""
    return x * c * context * y**2


def weight_terms(error: Any, x: Any, c: Any, y: Any) -> Any:
    """What the activations on both sides of $S_i$ make of its error, and their own."""
    return (hidden**2 * error + (hidden + y) * deviation * leading_scores(x, c, y) / 2) / y**2


def position_terms(error: Any, x: Any, c: Any, y: Any) -> Any:
    """Sub-diagonals of $S_i$ are summed over at most T entries."""
    return error / y


_AT = (x, half, sqrt(T))
score_error = in_norms(r"\left\|\frac{s^3-s^2}2\eta^3Q_i-S_i^{(l)}\right\|_F", score_terms(*_AT))
attention_gradient = in_norms(
    r"\left\|\frac{\partial\mathcal L}{\partial W^{(l)}}+\frac{s^3-s^2}2\eta^3\bar Q\right\|_F",
    weight_terms(score_terms(*_AT), *_AT),
)
position_gradient = in_norms(
    r"\left\|\frac{\partial\mathcal L}{\partial P^{(l)}}+\frac{s^3-s^2}2\eta^3\Delta\right\|_F",
    position_terms(score_terms(*_AT), *_AT),
)
printed_error = 64 * x**4 * T
ALL_ROWS = Rational(3, 2) + 10 * x / sqrt(T)
_attention = normed(
    MANY_LAYERS,
    (context, 2), (value_error, 12 * x**3), (value, 2 * x**2), (shift, 12 * x**2 * sqrt(T)),
    (deviation, x / 4 * sqrt(T)), (hidden, sqrt(T) + deviation), (jacobian_shift, 10 * x / sqrt(T)),
    (jacobian, Rational(1, 2) + jacobian_shift),
)  # fmt: skip
attention_gradients_keep_their_leading_terms = Claim(
    id="im2026.D.10.eq-177",
    source=source(PROOF, "Eqs. (177)-(179) and the bound of the Jacobians before them"),
    kind="bound",
    title=r"$S_i^{(l)}$ and the gradients of $W^{(l)}$ and $P^{(l)}$ are within $64s^4\eta^4T$ "
          r"of their leading terms.",
    statement=display(
        (jacobian, ALL_ROWS, Integer(2)),
        (score_error, printed_error), (attention_gradient, printed_error),
        (position_gradient, printed_error),
    ),
    domain=_attention,
    hypotheses=(
        INDUCTION,
        Hypothesis(r"\|J_t\|=1/t,\ J_{1,i}=0,\ \text{Eq. (170)}:\ "
                   r"\|J_i\|=\max_t\|J_{t,i}\|\le\tfrac12+10s\eta/\sqrt T"),
        Hypothesis(
            r"D_{G,l}\le12s^2\eta^2\sqrt T,\ \epsilon_V\le12s^3\eta^3,\ \|V^{(l)}\|\le2s^2\eta^2,\ "
            r"\|\bar\Phi^\top\bar B^\top\|_F\le2"
        ),
        Hypothesis(r"\|h_i^{(l-1)}-X_i\|_F\le\tfrac{s\eta}4\sqrt T,\ \|Y_i-U_O\|_F\le\sqrt T,\ "
                   r"\|\bar B\|_F\le1"),
    ),
    printed=(
        r"\|J_i\|_2 \leq \frac{3}{2} + \frac{10s\eta}{\sqrt{T}} \leq 2,\quad "
        r"\left\| \frac{s^3 - s^2}{2}\eta^3Q_i - S_i^{(l)} \right\|_F \leq 64s^4\eta^4T,\quad "
        r"\left\| \frac{\partial \mathcal{L}}{\partial W^{(l)}} + \frac{s^3 - s^2}{2}\eta^3\bar{Q} "
        r"\right\|_F \leq 64s^4\eta^4T,\quad \left\| \frac{\partial \mathcal{L}}{\partial P^{(l)}} + "
        r"\frac{s^3 - s^2}{2} \eta^3 \Delta \right\|_F \leq 64s^4 \eta^4 T"
    ),
    probes=corners(_attention),
    note=(
        r"The constants that the text names, $\|J_i\|\le2$, $\|\bar\Phi\|\le2$ and "
        r"$D_{G,l}\le12s^2\eta^2\sqrt T$, are just enough. For $L\ge2$, where $s\eta\le1/24$ and $T\ge64$, "
        r"they give $62.4s^4\eta^4T$ in (177) and $63.9s^4\eta^4T$ in (178), with the factor $(1+s\eta/4)^2$ "
        r"of the activations on both sides of $S_i^{(l)}$ that it does not show; one layer has "
        r"$D_{G,l}\le4s^2\eta^2\sqrt T$ by (171). Jacobians act on single rows, so that $\|J_i\|$ is below "
        r"one; then $26s^4\eta^4T$ will do in all three. What is added to $\tfrac32$ is read from "
        r"row to all rows in three ways: $5s^2\eta^2\sqrt T$ in Theorem D.7, as if rows added up, "
        r"$10s\eta/\sqrt T$ here, the largest row, $50\eta^{7/2}$ in Theorem D.13, again $\sqrt T$ times a row."
    ),
)  # fmt: skip

# The next step ------------------------------------------------------------------------------------

error, moved = norm(r"\epsilon_W"), norm(r"\epsilon_{\partial W}")
next_error = in_norms(r"\epsilon_W(s+1)", error + eta * moved)
_next = normed(MANY_LAYERS, (error, 13 * x**5 * T), (moved, 64 * x**4 * T))
next_count = (3 * binomial(s + 1, 4) + 2 * binomial(s + 1, 3)) * eta**4
attention_keeps_its_bound = Claim(
    id="im2026.D.10.eq-180",
    source=source(PROOF, "Eqs. (180)-(181)"),
    kind="bound",
    title=r"Hence the bounds of $W^{(l)}$ and $P^{(l)}$ hold after $s+1$ steps.",
    statement=Compare(next_count, "=", leading_count * eta**4 + eta * (s**3 - s**2) / 2 * eta**3)
    & chained(next_error, 13 * (s + 1) ** 5 * eta**5 * T),
    domain=_next,
    hypotheses=(
        INDUCTION,
        Hypothesis(
            r"\epsilon_W\le13s^5\eta^5T,\ \epsilon_{\partial W}\le64s^4\eta^4T\ \text{the errors "
            r"of the weights and of "
            r"the gradients},\ W^{(l)}\ \text{or}\ P^{(l)}"
        ),
    ),
    printed=(
        r"\left\| W^{(l)} - \left( 3 \binom{s+1}{4} + 2 \binom{s+1}{3} \right) \eta^4 \bar{Q} \right\|_F \leq "
        r"13(s+1)^5 \eta^5 T,\quad \left\| P^{(l)} - \left( 3 \binom{s+1}{4} + 2 \binom{s+1}{3} \right) "
        r"\eta^4 \Delta \right\|_F \leq 13(s+1)^5 \eta^5 T"
    ),
    probes=corners(_next),
)  # fmt: skip
