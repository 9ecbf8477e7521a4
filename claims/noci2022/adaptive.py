r"""Fig. 6 and App. C.1: Adam's effective learning rates for queries and values in a toy task.

The effective rate of an entry is eta/(sqrt(v) + 10^-8), v Adam's second moment without its bias to
zero; over the entries of a matrix its geometric mean is taken, over runs the mean of logarithms.
The paper leaves open the batch size, the output layer and the hidden width (here: linear with
variance 1/d_v, and 4 d_v).  Covered: that the rate is larger for queries, increasingly with depth.
Not covered: that the gap is constant *throughout* training, for which no length is printed.
"""

from __future__ import annotations

from sympy import Integer, Symbol

from claims.domain import Choice, Domain
from claims.model import Claim, Hypothesis
from claims.noci2022.notation import d_v, depth, n, source
from claims.noci2022.profiles import NOT_EXACT, layer
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
        f"{NOT_EXACT}. The paper also calls the gap remarkably constant throughout training; it is "
        "for the first hundred steps, but in our longer runs it shrinks by about one unit of the "
        "logarithm, to below zero in some early layers, once the loss moves"
    ),
)
