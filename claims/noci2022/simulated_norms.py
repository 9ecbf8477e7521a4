r"""Figs. 7 and 11 and App. B.2: how far attention is from uniform, and the norm of deep outputs.

Sizes printed: d_v = 100 for Fig. 7; d = d_v = d_q = 30, input std 1/sqrt(d) or 1, L = 1..10, Xavier
weights for Fig. 11.  Not printed, and taken here: the number of tokens, alpha_1 = alpha_2 = 1 (no
scaling), a linear activation where none is named.  "True" is the softmax, "uniform" is 11^T/n.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sympy import Integer, Symbol

from claims.domain import Choice, Domain
from claims.model import Claim, Hypothesis, Mutant, Proposition
from claims.noci2022.forward import norm_after_depth
from claims.noci2022.leading_correction import leading_correction_to_uniform_attention
from claims.noci2022.network import LINEAR, XAVIER
from claims.noci2022.notation import d, d_v, depth, n, source
from claims.noci2022.uniformity import (
    INITIALISATION,
    attention_becomes_uniform,
    logits_vanish_at_inverse_square_rate,
)
from claims.trends import away, least, most, no_closed_form


def setting(**values: int) -> Domain:
    """The one setting at which a trend is measured."""
    symbols: dict[str, Symbol] = {"n": n, "d": d, "d_v": d_v, "depth": depth}
    return Domain(tuple(Choice(symbols[name], (Integer(v),)) for name, v in values.items()))


# Fig. 7 -------------------------------------------------------------------------------------------
# Measured: {"far": slope for d_k -> infinity, "near": slope from d_k = d_v to 2 d_v}.

_DISTANCE = r"\mathbb E\left\|A-\tfrac1n1_{n\times n}\right\|_F^2"


def falls_like(power: int, where: str = "far") -> Any:
    """Whether the log-log slope is `power`, and known well enough to say so."""

    def test(_: Any, value: dict) -> bool:
        nearest, farthest = away(value[where], power)
        return nearest == 0 and farthest < 0.75

    return test


_slope = r"\frac{\mathrm d\log}{\mathrm d\log d_k}" + _DISTANCE
distance_from_uniform_falls_like_inverse_square = Claim(
    id="noci2022.fig-7",
    source=source("Fig. 7; App. A.5"),
    kind="experiment",
    title="At d_v = 100 the squared distance of attention from uniform falls like d_k^-2.",
    statement=Proposition(rf"{_slope}\to-2\ (d_k\to\infty)", falls_like(-2)),
    domain=setting(n=8, d_v=100),
    define=no_closed_form,
    hypotheses=(INITIALISATION, Hypothesis(r"X_{kj}\ \text{i.i.d.}\ \mathcal N(0,1/d_v)")),
    uses=(logits_vanish_at_inverse_square_rate, attention_becomes_uniform),
    mutants=(
        Mutant("-1 for -2", Proposition(rf"{_slope}\to-1", falls_like(-1))),
        Mutant("-3 for -2", Proposition(rf"{_slope}\to-3", falls_like(-3))),
        Mutant(
            "already at d_k = d_v",
            Proposition(rf"{_slope}=-2\ \text{{at}}\ d_k=d_v", falls_like(-2, "near")),
        ),
    ),
    note=(
        "read as the exponent for d_k -> infinity. To leading order the distance is proportional to "
        "(d_v + d_k)^-2, so the slope is -2 d_k/(d_v + d_k): -1 at d_k = d_v = 100, and -1.9 only "
        "from d_k = 1900 on. The caption divides by n^2, the text does not: no matter for a slope"
    ),
)

# Fig. 11 and App. B.2 -----------------------------------------------------------------------------
# Measured: {std: [E||X^l||^2 true / E||X^l||^2 uniform for l = 0..L]}, std "1/sqrt(d)" or "1".

SMALL, LARGE = "1/sqrt(d)", "1"
GAUSSIAN = Hypothesis(
    r"X_{kj}\ \text{i.i.d. Gaussian with standard deviation}\ 1/\sqrt d\ \text{or}\ 1"
)
UNSCALED = Hypothesis(r"\alpha_1=\alpha_2=1")
_stack = setting(n=30, d=30, depth=10)
_RATIO = r"r_\ell=\frac{\mathbb E\|X^\ell\|_F^2\ (\text{softmax})}{\mathbb E\|X^\ell\|_F^2\ (\text{uniform})}"

prediction_is_better_for_small_inputs = Claim(
    id="noci2022.fig-11",
    source=source("Fig. 11; App. B.2"),
    kind="experiment",
    title="Ten layers deep, the uniform-attention norm is closer to the truth for inputs of std 1/sqrt(d).",
    statement=Proposition(
        rf"|r_{{10}}-1|_{{\sigma_x=1/\sqrt d}}<|r_{{10}}-1|_{{\sigma_x=1}},\quad {_RATIO}",
        lambda _, value: away(value[SMALL][-1], 1)[1] < away(value[LARGE][-1], 1)[0],
    ),
    domain=_stack,
    define=no_closed_form,
    hypotheses=(LINEAR, XAVIER, GAUSSIAN, UNSCALED),
    uses=(norm_after_depth,),
    mutants=(
        Mutant(
            "closer for large inputs",
            Proposition(
                r"|r_{10}-1|_{\sigma_x=1}<|r_{10}-1|_{\sigma_x=1/\sqrt d}",
                lambda _, value: away(value[LARGE][-1], 1)[1] < away(value[SMALL][-1], 1)[0],
            ),
        ),
        Mutant(
            "uniform attention overestimates",
            Proposition(r"r_{10}<1", lambda _, value: most(value[LARGE][-1]) < 1),
        ),
    ),
    note="at n = 30, L = 10, alpha = 1, as ratio of means: the densities are in the figure",
)


def within(share: float, std: str, layers: slice = slice(None)) -> Any:
    """Whether no measured ratio is farther from one than `share`, beyond its interval."""
    return lambda _, value: all(away(r, 1)[0] <= share for r in value[std][layers])


uniform_attention_is_excellent_for_small_inputs = Claim(
    id="noci2022.B.2.std-small-good",
    source=source("App. B.2", "first paragraph"),
    kind="prose",
    title="With input std 1/sqrt(d) uniform attention predicts the norm within 10%, L = 1..10.",
    statement=Proposition(
        rf"\sigma_x=\tfrac1{{\sqrt d}}:\ |r_\ell-1|\le\tfrac1{{10}},\ \ell\le10,\quad {_RATIO}",
        within(0.1, SMALL),
    ),
    domain=_stack,
    define=no_closed_form,
    hypotheses=(LINEAR, XAVIER, GAUSSIAN, UNSCALED),
    uses=(norm_after_depth,),
    mutants=(
        Mutant(
            "for std 1 as well",
            Proposition(r"\sigma_x=1:\ |r_\ell-1|\le\tfrac1{10}", within(0.1, LARGE)),
        ),
        Mutant(
            "1% for 10%",
            Proposition(r"\sigma_x=1/\sqrt d:\ |r_\ell-1|\le\tfrac1{100}", within(0.01, SMALL)),
        ),
        Mutant(
            "std 1, first three layers",
            Proposition(
                r"\sigma_x=1:\ |r_\ell-1|\le\tfrac1{10},\ \ell\le3", within(0.1, LARGE, slice(0, 4))
            ),
        ),
    ),
    severity="missing-hypothesis",
    repair=replace(
        leading_correction_to_uniform_attention,
        id="noci2022.B.2.std-small-good.repair",
        parent=leading_correction_to_uniform_attention.id,
        uses=(),
        note=(
            "One layer deviates at second order in the logits by this much: little for std 1/sqrt(d) "
            "while the norm stays at its input's size, that is for shallow or 1/sqrt(L)-scaled networks."
        ),
    ),
    note=(
        "Excellent over the first layers only (within 2% for l <= 4), or with 1/sqrt(L) scaling: "
        "unscaled norms grow fourfold a layer, the logits' variance like their square, and attention "
        "stops being uniform near layer 5. At n = 30 the mean norm after ten layers is about twice "
        "the prediction. 'Excellent' is read as 10%; n and alpha are not printed."
    ),
)

# Measured: {(activation, attention): {(l, l'): interval of Var log||X^l'||^2 - Var log||X^l||^2}}.

_LOG = r"\operatorname{Var}\log\|X^\ell\|_F^2"
tails_grow_with_depth = Claim(
    id="noci2022.B.2.heavy-tail",
    source=source("App. B.2", "first paragraph"),
    kind="prose",
    title="The deeper the network, the heavier the tails of its squared output norm.",
    statement=Proposition(
        rf"{_LOG}\ \text{{increases}},\ \ell=1,2,4,8,\ \text{{linear and ReLU, uniform and true softmax}}",
        lambda _, value: all(least(gap) > 0 for rows in value.values() for gap in rows.values()),
    ),
    domain=setting(n=4, d=30, depth=8),
    define=no_closed_form,
    hypotheses=(XAVIER, UNSCALED, Hypothesis(r"\text{tokens fixed, weights random}")),
    mutants=(
        Mutant(
            "tails do not change",
            Proposition(
                rf"{_LOG}\ \text{{constant}}",
                lambda _, value: all(
                    away(g, 0)[0] == 0 for r in value.values() for g in r.values()
                ),
            ),
        ),
        Mutant(
            "tails get lighter",
            Proposition(
                rf"{_LOG}\ \text{{decreases}}",
                lambda _, value: all(most(gap) < 0 for r in value.values() for gap in r.values()),
            ),
        ),
    ),
    note=(
        "heaviness is measured by the variance of the logarithm, which fixes all ratios of quantiles "
        "of a log-normal law; the norm is a product of many independent factors. At n = 4, d = 30"
    ),
)
