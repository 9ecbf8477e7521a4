r"""Fig. 6 and App. C.1: Adam's effective learning rates for queries and values in a toy task.

The effective rate of an entry is eta/(sqrt(v) + 10^-8), v Adam's second moment without its bias to
zero; over the entries of a matrix its geometric mean is taken, over runs the mean of logarithms.
The paper leaves open the batch size, the output layer and the hidden width (here: linear with
variance 1/d_v, and 4 d_v).  Covered: that the rate is larger for queries, increasingly with depth.
That the gap is constant *throughout* training, for which no length is printed, is a claim of its own
without an estimator: training is what `twofold figure noci2022.fig-6` shows.
"""

from __future__ import annotations

from sympy import Abs, Integer, Symbol

from claims.domain import Choice, Domain, Real, Size
from claims.model import Claim, Hypothesis
from claims.noci2022.notation import d_v, depth, n, source
from claims.noci2022.profiles import NOT_EXACT, layer
from claims.noci2022.setup import positive
from claims.statement import Compare, ForAll, measured_family, measured_quantity

steps, batch = Symbol("s", integer=True, positive=True), Symbol("b", integer=True, positive=True)

_printed = ((n, 20), (d_v, 16), (depth, 5), (steps, 6), (batch, 4))

gap = measured_family(r"\Delta_{{{}}}")
"""Query minus value logarithms of the effective rate in a layer."""
slope = measured_quantity(r"\mathrm{slope}_\ell\,\Delta_\ell")
"""The least-squares slope of the gap over layers."""

effective_rate_is_larger_for_queries_increasingly_with_depth = Claim(
    id="noci2022.fig-6",
    source=source("Sec. 3.4 and App. C.1", "Fig. 6"),
    kind="experiment",
    title="Adam's effective learning rate is larger for queries than for values, more so with depth.",
    statement=ForAll(layer, 1, depth, Compare(gap(layer), ">", 0)) & Compare(slope, ">", 0),
    domain=Domain(tuple(Choice(symbol, (Integer(value),)) for symbol, value in _printed)),
    hypotheses=(
        Hypothesis(
            r"\Delta_\ell=\mathbb E\,\overline{\log\frac{\eta}{\sqrt{v_{Q,\ell}}+\varepsilon}}-"
            r"\mathbb E\,\overline{\log\frac{\eta}{\sqrt{v_{V,\ell}}+\varepsilon}}"
        ),
        Hypothesis(
            r"\text{reverse 20 digits; 5 post-LN layers, one head, } d_v=16,\ \alpha_1=\alpha_2=1"
        ),
        Hypothesis(r"\text{Adam, } \eta=0.01,\ \beta=(0.9,0.999),\ \text{no weight decay}"),
        Hypothesis(r"\text{tested after 6 steps on 4 sequences each; } d_F=64"),
    ),
    note=(
        f"{NOT_EXACT}. That the gap is remarkably constant throughout training is "
        "`noci2022.fig-6.constant`"
    ),
)

time = Symbol("t", integer=True, positive=True)
last = Symbol("S", integer=True, positive=True)
close = Symbol("epsilon", positive=True)
gap_during_training = measured_family(r"\Delta_{{{}}}({})")
"""By layer and step."""

gap_is_constant_throughout_training = Claim(
    id="noci2022.fig-6.constant",
    source=source("Sec. 3.4", "Fig. 6"),
    kind="experiment",
    title="The gap between the effective rates of queries and values stays constant in training.",
    statement=ForAll(
        layer, 1, depth,
        ForAll(
            time, 1, last,
            Compare(Abs(gap_during_training(layer, time) - gap_during_training(layer, 1)), "<=", close),
        ),
    ),
    domain=Domain((Choice(depth, (Integer(5),)), Size(last, 1), Real(close, **positive))),
    left_open=(last, close),
    hypotheses=(
        Hypothesis(
            r"\Delta_\ell(t):\ \text{query minus value logarithm of the effective rate after}\ t\ "
            r"\text{steps, as in Fig. 6}"
        ),
    ),
    uses=(effective_rate_is_larger_for_queries_increasingly_with_depth,),
    note=(
        "neither the length of training nor what counts as remarkably constant is printed, and they "
        "decide: in our runs the gap keeps its size for the first hundred steps, and then shrinks by "
        "about one unit of the logarithm, to below zero in some early layers, once the loss moves. "
        "`twofold figure noci2022.fig-6` shows it"
    ),
)  # fmt: skip
