r"""Figs. 2, 3, 6 and 7: mu(X) through randomly initialised stacks, by mask, LayerNorm and temperature.

SAN is attention alone, "SAN + LayerNorm" is attention followed by LayerNorm, as Sec. 5 describes
them: no residual connection in either.  The sentences about models at initialisation are tested, on
small stacks whose random matrices have the gain of BERT's; pretrained models are not run.

A point is a mask.  What is measured there are intervals (mean, half-width) of means over random
networks, of the logarithm of mu.
"""

from __future__ import annotations

import math
from typing import Any

from sympy import Integer, Symbol

from claims.domain import Choice, Domain
from claims.masks import causal, complete, one_directional, sliding_window
from claims.model import Claim, Hypothesis, Mutant, Proposition
from claims.trends import least, most, no_closed_form
from claims.wu2024.notation import G, N, d, source

heads, depth = (Symbol(name, integer=True, positive=True) for name in ("h", "L"))
TOKENS = 16
FROM_GLOBAL_TO_LOCAL = tuple(
    make(TOKENS) for make in (complete, causal, sliding_window, one_directional)
)


def _setting(layers: int) -> Domain:
    sizes = ((N, TOKENS), (d, 48), (heads, 4), (depth, layers))
    fixed = tuple(Choice(symbol, (Integer(value),)) for symbol, value in sizes)
    return Domain((Choice(G, FROM_GLOBAL_TO_LOCAL), *fixed))


INITIALISED = Hypothesis(
    r"\text{weights i.i.d. } N(0,s^2),\ s^2d=0.02^2\cdot768;\ \text{embeddings as in BERT: "
    r"LN(word + position + type)}"
)
SMALL = Hypothesis(r"\text{tested at } N=16,\ d=48,\ 4\ \text{heads}")


def _said(text: str, test: Any) -> Proposition:
    return Proposition(text, lambda point, value: bool(test(point, value)))


# Figs. 2 and 6 -------------------------------------------------------------------------------------
# Measured at a mask: {"falls": log mu(t+1)/mu(t) in the SAN, one a layer; "slower": log mu(L) of the
# SAN above that of the next more global mask, None for the complete one; "relative": log of
# mu/||X||_F at L over that at 0; "LayerNorm", "transformer": log mu(L)/mu(0)}.

KEPT = math.log(1 / 10)
"""mu is kept when it does not fall below a tenth of where it started."""


def _falls(point: Any, value: dict) -> bool:
    return all(most(step) < 0 for step in value["falls"])


def _slower(point: Any, value: dict) -> bool:
    return value["slower"] is None or least(value["slower"]) > 0


def _kept(*models: str, above: float = KEPT) -> Any:
    return lambda point, value: all(most(value[model]) >= above for model in models)


def _all(*tests: Any) -> Any:
    return lambda point, value: all(test(point, value) for test in tests)


_SAN = r"\text{SAN: }\mathbb E\log\tfrac{\mu(X^{(t+1)})}{\mu(X^{(t)})}<0"
_ORDER = r"\mu(X^{(L)})\ \text{larger for more local }\mathcal G"
_LN = r"\text{with LayerNorm: }\mu(X^{(L)})\ge\tfrac1{10}\mu(X^{(0)})"
layernorm_alone_keeps_mu_above_zero = Claim(
    id="wu2024.fig-2.masks-and-layernorm",
    source=source("Sec. 5", "Fig. 2; App. G.1, Fig. 6"),
    kind="experiment",
    title="At initialisation mu falls exponentially without LayerNorm and stays above zero with it.",
    statement=_said(
        rf"{_SAN},\quad {_ORDER},\quad {_LN}",
        _all(_falls, _slower, _kept("LayerNorm", "transformer")),
    ),
    domain=_setting(6),
    define=no_closed_form,
    hypotheses=(
        INITIALISED,
        SMALL,
        Hypothesis(r"L=6;\ \text{SAN + LayerNorm: } X\mapsto\mathrm{LN}(\mathrm{Attn}(X))"),
    ),
    mutants=(
        Mutant(
            "a thousandth for a tenth",
            _said(
                r"\text{SAN + LayerNorm: }\mu(X^{(L)})\ge\mu(X^{(0)})/1000",
                _kept("LayerNorm", above=math.log(1e-3)),
            ),
        ),
        Mutant(
            "local masks collapse faster",
            _said(
                r"\mu(X^{(L)})\ \text{smaller for more local}\ \mathcal G",
                lambda p, v: v["slower"] is None or most(v["slower"]) < 0,
            ),
        ),
        Mutant(
            "mu/|X| tenfold down in the SAN",
            _said(
                r"\text{SAN: }\mu/\|X\|_F\ \text{falls below a tenth, all}\ \mathcal G",
                lambda p, v: least(v["relative"]) < KEPT,
            ),
        ),
        Mutant(
            "transformers collapse too",
            _said(
                r"\text{transformer: }\mu(X^{(L)})<\mu(X^{(0)})/10",
                lambda p, v: most(v["transformer"]) < KEPT,
            ),
        ),
    ),
    severity="material",
    repair=Claim(
        id="wu2024.fig-2.masks-and-layernorm.repair",
        parent="wu2024.fig-2.masks-and-layernorm",
        source=source("Sec. 5", "Fig. 2; App. G.1, Fig. 6"),
        kind="experiment",
        title="At initialisation mu falls exponentially in SANs and stays above zero in transformers.",
        statement=_said(
            rf"{_SAN},\quad {_ORDER},\quad"
            r"\text{transformer: }\mu(X^{(L)})\ge\tfrac1{10}\mu(X^{(0)})",
            _all(_falls, _slower, _kept("transformer")),
        ),
        domain=_setting(6),
        define=no_closed_form,
        hypotheses=(INITIALISED, SMALL, Hypothesis("L=6")),
        note=(
            "What keeps mu above zero at initialisation is the residual connection of the full "
            "transformer; attention with LayerNorm alone collapses with complete and causal masks."
        ),
    ),
    note=(
        "The first two parts hold; the last fails at initialisation. LayerNorm alone does not keep "
        "mu from zero: random value matrices act on near-equal tokens as orthogonal ones do "
        "(Theorem 2). With complete attention mu is at rounding level (1e-15 of |X|) after four "
        "layers, with or without LayerNorm, also at the printed N = 128, d = 768; with causal "
        "attention mu/|X| falls as fast as without LayerNorm; local masks fall little in either "
        "model. A residual connection, as in the full transformer, keeps mu over these depths, and "
        "dropout left on gives curves without any trend: either would explain what is printed. In "
        "SANs mu shrinks mostly since N(0, 0.02^2) weights shrink X, by 0.3 a layer: relative to |X| "
        "it falls slower than exponentially with local masks. The order of the two local masks is "
        "for depths up to about N; beyond, the one-directional one collapses faster. Pretrained "
        "models are not run"
    ),
)


# Figs. 3 and 7 -------------------------------------------------------------------------------------
# Measured at a mask: {"effect": log mu(1) at d_QK/100 over that at d_QK; "more": this effect minus
# that of the next more local mask, None for the last; "deeper": for t = 2..L, the effect on
# log mu(t)/mu(t-1) minus that on log mu(1)/mu(0)}.


def _alleviates(point: Any, value: dict) -> bool:
    return least(value["effect"]) > 0


def _more_when_global(point: Any, value: dict) -> bool:
    return value["more"] is None or least(value["more"]) > 0


def _less_deeper(point: Any, value: dict) -> bool:
    return all(least(step) <= 0 for step in value["deeper"])


_RATE = r"\log\tfrac{\mu(X^{(t)})}{\mu(X^{(t-1)})}"
_EFFECT = rf"\delta_t=\mathbb E\Big[{_RATE}\Big|_{{d_{{QK}}/100}}-{_RATE}\Big|_{{d_{{QK}}}}\Big]"
temperature_matters_more_in_shallow_layers = Claim(
    id="wu2024.fig-3.temperature",
    source=source("Sec. 5", "Fig. 3; App. G.2, Fig. 7"),
    kind="experiment",
    title="Small d_QK slows the first layer's collapse, most with global masks; deeper layers less.",
    statement=_said(
        rf"\delta_1>0,\quad \delta_1\ \text{{larger for more global }}\mathcal G,\quad "
        rf"\delta_t\le\delta_1\ (t\ge2),\quad {_EFFECT}",
        _all(_alleviates, _more_when_global, _less_deeper),
    ),
    domain=_setting(4),
    define=no_closed_form,
    hypotheses=(
        INITIALISED,
        SMALL,
        Hypothesis(r"L=4,\ \text{SAN without LayerNorm},\ d_{QK}\ \text{and}\ d_{QK}/100"),
    ),
    mutants=(
        Mutant(
            "larger temperature slows the collapse",
            _said(r"\delta_1<0", lambda p, v: most(v["effect"]) < 0),
        ),
        Mutant(
            "more with local masks",
            _said(
                r"\delta_1\ \text{smaller for more global}\ \mathcal G",
                lambda p, v: v["more"] is None or most(v["more"]) < 0,
            ),
        ),
        Mutant(
            "deeper layers more, for every mask",
            _said(r"\delta_t\ge\delta_1", lambda p, v: all(most(s) >= 0 for s in v["deeper"])),
        ),
    ),
    severity="missing-hypothesis",
    repair=Claim(
        id="wu2024.fig-3.temperature.repair",
        parent="wu2024.fig-3.temperature",
        source=source("Sec. 5", "Fig. 3; App. G.2, Fig. 7"),
        kind="experiment",
        title="Small d_QK slows the first layer's collapse at initialisation, most with global masks.",
        statement=_said(
            rf"\delta_1>0,\quad \delta_1\ \text{{larger for more global }}\mathcal G,\quad {_EFFECT}",
            _all(_alleviates, _more_when_global),
        ),
        domain=_setting(4),
        define=no_closed_form,
        hypotheses=(INITIALISED, SMALL, Hypothesis(r"\text{SAN without LayerNorm, first layer}")),
        note=(
            "Said of the first layer it holds for all four masks; with complete attention the effect "
            "triples from layer to layer, and with causal attention the second layer reverses it."
        ),
    ),
    note=(
        "The first two parts hold at initialisation, and the third with causal and local masks, "
        "where scores fade with |X|. With complete attention a layer maps the distance from equal "
        "tokens to a multiple of its cube, so that an effect on one layer triples in the next: it "
        "grows with depth in exact arithmetic. Curves that merge after three or four layers have "
        "reached rounding level. With causal attention the second layer collapses faster for "
        "smaller d_QK. Pretrained models (Fig. 3) are not run"
    ),
)
