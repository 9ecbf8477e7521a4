r"""Figs. 7 and 11 and App. B.2: how far attention is from uniform, and the norm of deep outputs.

Sizes printed: d_v = 100 for Fig. 7; d = d_v = d_q = 30, input std 1/sqrt(d) or 1, L = 1..10, Xavier
weights for Fig. 11.  Not printed, and taken here: the number of tokens, alpha_1 = alpha_2 = 1 (no
scaling), a linear activation where none is named.  "True" is the softmax, "uniform" is 11^T/n.
"""

from __future__ import annotations

from typing import Any

from sympy import Abs, Integer, Rational, Symbol

from claims.domain import Choice, Domain
from claims.model import Claim, Hypothesis, Mutant
from claims.noci2022.forward import norm_after_depth
from claims.noci2022.network import LINEAR, XAVIER
from claims.noci2022.notation import d, d_v, depth, n, source
from claims.noci2022.uniformity import (
    INITIALISATION,
    attention_becomes_uniform,
    logits_vanish_at_inverse_square_rate,
)
from claims.statement import Compare, ForAll, Monotone, measured_family, measured_quantity

layer = Symbol("ell", integer=True, positive=True)
doublings = Symbol("k", integer=True, nonnegative=True)
share = Symbol("epsilon", positive=True)
scaled, activation, attention = (Symbol(name) for name in ("scaled", "sigma", "A"))
"""Whether residual branches have strength 1/sqrt(L); the activation; true or uniform attention."""


def setting(*chosen: Choice, **values: int) -> Domain:
    """The one setting at which a trend is measured, and what is chosen there."""
    symbols: dict[str, Any] = {"n": n, "d": d, "d_v": d_v, "depth": depth}
    fixed = (Choice(symbols[name], (Integer(v),)) for name, v in values.items())
    return Domain((*fixed, *chosen))


# Fig. 7 -------------------------------------------------------------------------------------------

_DISTANCE = r"\log\mathbb E\|A-\tfrac1n1_{n\times n}\|_F^2"
far_slope = measured_quantity(
    rf"\lim_{{d_k\to\infty}}\tfrac{{\mathrm d}}{{\mathrm d\log d_k}}{_DISTANCE}"
)
near_slope = measured_quantity(rf"\tfrac{{\mathrm d}}{{\mathrm d\log d_k}}{_DISTANCE}_{{d_k=d_v}}")

distance_from_uniform_falls_like_inverse_square = Claim(
    id="noci2022.fig-7",
    source=source("Fig. 7; App. A.5"),
    kind="experiment",
    title="At $d_v=100$ the squared distance of attention from uniform falls like $d_k^{-2}$.",
    statement=far_slope.equals(-2),
    domain=setting(n=8, d_v=100),
    hypotheses=(INITIALISATION, Hypothesis(r"X_{kj}\ \text{i.i.d.}\ \mathcal N(0,1/d_v)")),
    uses=(logits_vanish_at_inverse_square_rate, attention_becomes_uniform),
    mutants=(Mutant("already at d_k = d_v", near_slope.equals(-2)),),
    note=(
        r"read as the exponent for $d_k\to\infty$. To leading order the distance is "
        r"$\tfrac4{n^2(d_v+d_k)^2}\|X\|_F^2\|LX\|_F^2$ (`noci2022.beyond.distance-from-uniform`), so the "
        r"slope is $-2d_k/(d_v+d_k)$: $-1$ at $d_k=d_v=100$, and $-1.9$ only from $d_k=1900$ on. Caption and "
        "text divide by $n^2$, but for the text's last sentence: no matter for a slope. $n=8$ and tokens of "
        "variance $1/d_v$ are choices of ours; the print gives neither"
    ),
)

# Fig. 11 and App. B.2 -----------------------------------------------------------------------------

GAUSSIAN = Hypothesis(
    r"X_{kj}\ \text{i.i.d. Gaussian with standard deviation}\ 1/\sqrt d\ \text{or}\ 1"
)
STRENGTHS = Hypothesis(r"\alpha_1=\alpha_2=1\ \text{or}\ 1/\sqrt L:\ \text{not printed};\ n=30")
UNSCALED = Hypothesis(r"\alpha_1=\alpha_2=1")
_stacks = (Choice(scaled, (False, True)),)
_RATIO = Hypothesis(
    r"r_\ell=\frac{\mathbb E\|X^\ell\|_F^2\ (\text{softmax})}{\mathbb E\|X^\ell\|_F^2\ (\text{uniform})}"
)
ratio = {
    std: measured_family(rf"r_{{{{{{}}}}}}^{{{{\sigma_x={std}}}}}")
    for std in (r"1/\sqrt{{d}}", "1")
}
"""By layer, for inputs of a standard deviation."""
small, large = ratio.values()

prediction_is_better_for_small_inputs = Claim(
    id="noci2022.fig-11",
    source=source("Fig. 11; App. B.2"),
    kind="experiment",
    title=(
        "Ten layers deep, the uniform-attention norm is closer to the truth for inputs of std "
        r"$1/\sqrt d$."
    ),
    statement=Compare(Abs(small(depth) - 1), "<", Abs(large(depth) - 1)),
    domain=setting(*_stacks, n=30, d=30, depth=10),
    left_open=(scaled,),
    hypotheses=(LINEAR, XAVIER, GAUSSIAN, STRENGTHS, _RATIO),
    uses=(norm_after_depth,),
    note="as ratio of means: the densities are in the figure; ten tokens show the same",
)

uniform_attention_is_excellent_for_small_inputs = Claim(
    id="noci2022.B.2.std-small-good",
    source=source("App. B.2", "second paragraph"),
    kind="prose",
    title=(
        r"With input std $1/\sqrt d$ uniform attention is an excellent prediction of the norm, "
        r"$L=1,\dots,10$."
    ),
    statement=ForAll(
        layer, 1, depth,
        Compare(1 - share, "<=", small(layer)) & Compare(small(layer), "<=", 1 + share),
    ),
    domain=setting(
        *_stacks, Choice(share, (Rational(1, 2), Rational(1, 10))), n=30, d=30, depth=10
    ),
    left_open=(scaled, share),
    hypotheses=(
        LINEAR, XAVIER, GAUSSIAN, STRENGTHS, _RATIO,
        Hypothesis(r"\epsilon:\ \text{what is called excellent; not printed}"),
    ),
    uses=(norm_after_depth,),
    note=(
        r"With branches scaled by $1/\sqrt L$ the prediction is right to a few parts in a thousand. "
        r"Unscaled it is so over the first layers only (within 2% for $\ell\le4$): norms grow fourfold a "
        "layer, the logits' variance like their square, and attention stops being uniform near layer "
        "5; at $n=30$ the mean norm after ten layers is about twice the prediction, at $n=10$ a third "
        r"above it. $n$, $\alpha$ and a measure of excellence are not printed"
    ),
)  # fmt: skip

spread = measured_family(r"\operatorname{{Var}}\log\|X^{{{}}}\|_F^2")

tails_grow_with_depth = Claim(
    id="noci2022.B.2.heavy-tail",
    source=source("App. B.2", "second paragraph"),
    kind="prose",
    title="The deeper the network, the heavier the tails of its squared output norm.",
    statement=Monotone(spread(2**doublings), doublings, "<", 0, 3),
    domain=setting(
        Choice(activation, ("linear", "relu")), Choice(attention, ("mean", "softmax")),
        n=4, d=30, depth=8,
    ),
    hypotheses=(
        XAVIER,
        UNSCALED,
        Hypothesis(
            r"\text{tokens fixed, weights random; linear and ReLU, uniform and true softmax}"
        ),
    ),
    note=(
        "heaviness is measured by the variance of the logarithm, which fixes all ratios of quantiles "
        "of a log-normal law; the norm is a product of many independent factors. At $n=4$, $d=30$, with "
        r"$W^{F_1}$ of variance $2/d_v$ for ReLU (footnote 3)"
    ),
)  # fmt: skip
