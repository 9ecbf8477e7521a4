r"""Figs. 2, 3, 6 and 7: mu(X) through randomly initialised stacks, by mask, LayerNorm and temperature.

SAN is attention alone, "SAN + LayerNorm" is attention followed by LayerNorm, as Sec. 5 describes
them: no residual connection in either.  The sentences about models at initialisation are tested, on
small stacks whose random matrices have the gain of BERT's; pretrained models are not run.

Quantities are means over random networks of the logarithm of mu; masks are counted from the most
global one to the most local one.
"""

from __future__ import annotations

from sympy import Integer, Rational, Symbol, log

from claims.domain import Choice, Domain
from claims.masks import causal, complete, one_directional, sliding_window
from claims.model import Claim, Hypothesis, Mutant
from claims.statement import And, Compare, ForAll, Formula, Monotone, measured_family
from claims.wu2024.notation import N, d, source

heads, depth = (Symbol(name, integer=True, positive=True) for name in ("h", "L"))
layer, mask, seen = (Symbol(name, integer=True, positive=True) for name in ("t", "m", "m'"))
kept, dropout = Symbol("epsilon", positive=True), Symbol("p", nonnegative=True)
TOKENS = 16
FROM_GLOBAL_TO_LOCAL = tuple(
    make(TOKENS) for make in (complete, causal, sliding_window, one_directional)
)
MASKS = len(FROM_GLOBAL_TO_LOCAL)


def _setting(layers: int, *chosen: Choice) -> Domain:
    sizes = ((N, TOKENS), (d, 48), (heads, 4), (depth, layers))
    return Domain((*(Choice(symbol, (Integer(value),)) for symbol, value in sizes), *chosen))


INITIALISED = Hypothesis(
    r"\text{weights i.i.d. } N(0,s^2),\ s^2d=0.02^2\cdot768;\ \text{embeddings as in BERT: "
    r"LN(word + position + type)}"
)
SMALL = Hypothesis(r"\text{tested at } N=16,\ d=48,\ 4\ \text{heads}")
GRAPHS = Hypothesis(
    r"\mathcal G_1,\dots,\mathcal G_4:\ \text{complete, causal, sliding window, one-directional window}"
)


def for_every_mask(body: Formula, last: int = MASKS) -> Formula:
    return ForAll(mask, 1, last, body)


# Figs. 2 and 6 -------------------------------------------------------------------------------------

step = measured_family(r"\lambda_{{{},{}}}")
"""By layer and mask: E log mu(X^(t))/mu(X^(t-1)) in the SAN."""
gained = measured_family(r"\kappa_{{{},{}}}")
"""E log mu(X^(L)) in the SAN with the second mask, over that with the first."""
relative = measured_family(r"\rho_{{{}}}")
"""E log of mu/||X||_F at L over that at 0, in the SAN."""
normalised = measured_family(r"\nu^{{\mathrm{{LN}}}}_{{{}}}")
transformer = measured_family(r"\nu^{{\mathrm{{full}}}}_{{{}}}")
"""E log mu(X^(L))/mu(X^(0)) in SAN + LayerNorm, and in the transformer."""

NESTED = ((1, 2), (1, 3), (2, 4), (3, 4))
"""Pairs of masks of which the second is the first without some edges: a more local mask."""
_falls = for_every_mask(ForAll(layer, 1, depth, Compare(step(layer, mask), "<", 0)))
_san = And((_falls, *(Compare(gained(*pair), ">", 0) for pair in NESTED)))
_stacks = _setting(
    6,
    Choice(kept, tuple(Rational(1, 10**k) for k in (1, 2, 3))),
    Choice(dropout, (Integer(0), Rational(1, 10))),
)
_SAN = Hypothesis(
    r"\lambda_{t,m}=\mathbb E\log\tfrac{\mu(X^{(t)})}{\mu(X^{(t-1)})},\ "
    r"\kappa_{m,m'}=\mathbb E\log\tfrac{\mu(X^{(L)})|_{\mathcal G_{m'}}}{\mu(X^{(L)})|_{\mathcal G_m}}\ "
    r"\text{in the SAN}"
)
_LAYERED = Hypothesis(
    r"L=6;\ \nu_m=\mathbb E\log\tfrac{\mu(X^{(L)})}{\mu(X^{(0)})}\ \text{in SAN + LayerNorm, } "
    r"X\mapsto\mathrm{LN}(\mathrm{Attn}(X)),\ \text{and in the transformer}"
)
_figure_2 = source("Sec. 5", "Fig. 2; App. G.1, Fig. 6")

layernorm_alone_keeps_mu_above_zero = Claim(
    id="wu2024.fig-2.masks-and-layernorm",
    source=_figure_2,
    kind="experiment",
    title=r"At initialisation $\mu$ falls exponentially without LayerNorm and stays above zero with it.",
    statement=_san
    & for_every_mask(
        Compare(normalised(mask), ">=", log(kept)) & Compare(transformer(mask), ">=", log(kept))
    ),
    domain=_stacks,
    left_open=(kept, dropout),
    hypotheses=(
        INITIALISED,
        SMALL,
        GRAPHS,
        _SAN,
        _LAYERED,
        Hypothesis(
            r"\text{dropout with probability } p\ \text{of attention probabilities and branches}"
        ),
    ),
    mutants=(
        Mutant(
            "mu relative to the norm of the tokens falls in the SAN too",
            for_every_mask(Compare(relative(mask), "<", log(kept))),
        ),
    ),
    note=(
        r"Whether $\mu$ stays above zero with LayerNorm alone depends on a switch that is not printed: a BERT "
        r"made from its configuration is in training mode, with dropout 0.1, one that is loaded is not. With "
        r"dropout all that is printed holds: what dropout moves the tokens apart by, LayerNorm scales up "
        r"again. Without dropout the last part fails at initialisation, whatever share $\epsilon$ of its "
        r"start $\mu$ is asked to keep: random value matrices act on near-equal tokens as orthogonal ones do "
        r"(Theorem 2). With complete attention $\mu$ is then at rounding level ($10^{-15}$ of $\|X\|$) after "
        r"four layers, with or without LayerNorm, also at the printed $N=128$, $d=768$; with causal attention "
        r"$\mu/\|X\|$ falls as fast as without LayerNorm; local masks fall little in either model. A residual "
        r"connection, as in the full transformer, keeps $\mu$ over these depths. Pretrained models are not "
        r"run. In SANs $\mu$ shrinks mostly since $N(0,0.02^2)$ weights shrink $X$, by 0.3 a layer: relative "
        r"to $\|X\|$ it falls slower than exponentially with local masks. The order of the two local masks is "
        r"for depths below about $2N$: with uniform attention and Gaussian tokens the one-directional window "
        r"has the smaller root mean square of $\mu$ from $t=29$ on for $N=16$, from $t=121$ on for $N=64$."
    ),
)


# Figs. 3 and 7 -------------------------------------------------------------------------------------

effect = measured_family(r"\delta_{{{},{}}}")
"""By layer and mask: E log mu(t)/mu(t-1) at d_QK/100, minus the same at d_QK."""

temperature_matters_more_in_shallow_layers = Claim(
    id="wu2024.fig-3.temperature",
    source=source("Sec. 5", "Fig. 3; App. G.2, Fig. 7"),
    kind="experiment",
    title="Small $d_{QK}$ slows the first layer's collapse, most with global masks; deeper layers less.",
    statement=for_every_mask(Compare(effect(1, mask), ">", 0))
    & Monotone(effect(1, mask), mask, ">", 1, MASKS)
    & ForAll(layer, 2, depth, Compare(effect(layer, seen), "<=", effect(1, seen))),
    domain=_setting(4, Choice(seen, tuple(map(Integer, range(1, MASKS + 1))))),
    left_open=(seen,),
    hypotheses=(
        INITIALISED,
        SMALL,
        GRAPHS,
        Hypothesis(
            r"\delta_{t,m}=\mathbb E\Big[\log\tfrac{\mu(X^{(t)})}{\mu(X^{(t-1)})}\Big|_{d_{QK}/100}-"
            r"\log\tfrac{\mu(X^{(t)})}{\mu(X^{(t-1)})}\Big|_{d_{QK}}\Big]"
        ),
        Hypothesis(r"L=4,\ \text{SAN without LayerNorm};\ m'\ \text{is not printed}"),
    ),
    note=(
        "The first two parts hold at initialisation for all four masks. Whether deeper layers show "
        r"less depends on the masks that are looked at, $m'$, and on the precision: with causal and "
        r"local masks scores fade with $\|X\|$ and the effect with them. With complete attention a layer maps "
        "the distance from equal tokens to a multiple of its cube, so that an effect on one layer "
        "triples in the next: it grows with depth in exact arithmetic, and curves that merge after "
        "three or four layers have reached rounding level. With causal attention the second layer "
        "collapses faster for smaller $d_{QK}$. Pretrained models (Fig. 3) are not run"
    ),
)
