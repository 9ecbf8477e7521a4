r"""Fig. 6 and App. C.1: Adam's effective learning rates for queries and values in a toy task.

The effective rate of an entry is eta/(sqrt(v) + 10^-8), v Adam's second moment without its bias to
zero; over the entries of a matrix its geometric mean is taken, over runs the mean of logarithms.
The paper leaves open the batch size, the output layer and the hidden width (here: linear with
variance 1/d_v, and 4 d_v).  Covered: that the rate is larger for queries, increasingly with depth.
Not covered: that the gap is constant *throughout* training, for which no length is printed.
"""

from __future__ import annotations

import math

from sympy import Integer, Symbol

from claims.domain import Choice, Domain
from claims.model import Claim, Hypothesis, Proposition
from claims.noci2022.notation import d_v, depth, n, source
from claims.noci2022.profiles import NOT_EXACT, Trends, doubt, falls, grows, no_exact_value

steps, batch = Symbol("s", integer=True, positive=True), Symbol("b", integer=True, positive=True)

LAYERS = 5
_printed = ((n, 20), (d_v, 16), (depth, LAYERS), (steps, 6), (batch, 4))


def gap(layer: int) -> str:
    """The name of a layer's trend, layers counted from one."""
    return f"layer {layer}"


def _larger_with_depth(trends: Trends) -> bool:
    everywhere = all(grows(trends, gap(layer)) for layer in range(1, LAYERS + 1))
    return everywhere and grows(trends, "slope")


effective_rate_is_larger_for_queries_increasingly_with_depth = Claim(
    id="noci2022.fig-6",
    source=source("Sec. 3.4 and App. C.1", "Fig. 6"),
    kind="experiment",
    title="Adam's effective learning rate is larger for queries than for values, more so with depth.",
    statement=Proposition(
        r"\Delta_\ell=\mathbb E\,\overline{\log\frac{\eta}{\sqrt{v_{Q,\ell}}+\varepsilon}}-"
        r"\mathbb E\,\overline{\log\frac{\eta}{\sqrt{v_{V,\ell}}+\varepsilon}}>0\ "
        r"\text{for } \ell=1,\dots,5,\ \text{with positive slope in}\ \ell",
        lambda point, trends: _larger_with_depth(trends),
    ),
    domain=Domain(tuple(Choice(symbol, (Integer(value),)) for symbol, value in _printed)),
    define=no_exact_value,
    hypotheses=(
        Hypothesis(
            r"\text{reverse 20 digits; 5 post-LN layers, one head, } d_v=16,\ \alpha_1=\alpha_2=1"
        ),
        Hypothesis(r"\text{Adam, } \eta=0.01,\ \beta=(0.9,0.999),\ \text{no weight decay}"),
        Hypothesis(r"\text{tested after 6 steps on 4 sequences each; } d_F=64"),
    ),
    mutants=(
        doubt(
            "larger for values", r"\Delta_\ell<0",
            lambda t: all(falls(t, gap(layer)) for layer in range(1, LAYERS + 1)),
        ),
        doubt("less with depth", r"\text{negative slope in}\ \ell", lambda t: falls(t, "slope")),
        doubt(
            "tenfold in every layer", r"\Delta_\ell>\log10",
            lambda t: all(t[gap(layer)][0] > math.log(10) for layer in range(1, LAYERS + 1)),
        ),
    ),
    note=(
        f"{NOT_EXACT}. The paper also calls the gap remarkably constant throughout training; it is "
        "for the first hundred steps, but in our longer runs it shrinks by about one unit of the "
        "logarithm, to below zero in some early layers, once the loss moves"
    ),
)  # fmt: skip
