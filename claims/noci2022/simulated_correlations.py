r"""Figs. 4, 8 and 10: the average token correlation along simulated networks, and the norm's growth.

The paper prints no sizes.  Taken here: i.i.d. N(0, 1) tokens, true softmax attention in Figs. 4 and
10, Xavier weights, alpha_1 = alpha_2 = 1 "without scaling" and 1/sqrt(L) with it; the correlation of
a network is its average cosine, in place of the ratios of expectations of Eqs. (5) and (14), and
trends are those of its mean over networks.  Fig. 8 is
stated for the uniform attention of Lemmas 3.2 and 3.3, whose closed forms its curves follow; there
rho^l is the ratio of expectations of Eq. (5).
"""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import E, Expr, Integer, Rational, Symbol, exp

from claims.domain import Choice, Domain, Equal, Point, Size
from claims.model import Claim, Hypothesis, Understood
from claims.noci2022.correlation import scaled_correlation_limit, unscaled_correlation_limit
from claims.noci2022.forward import inner_products_after_depth, norm_after_depth
from claims.noci2022.network import (
    EQUAL_NORMS,
    LINEAR,
    NONZERO,
    SMALL_SIZES,
    XAVIER,
    Network,
    correlation,
    numbers,
)
from claims.noci2022.notation import C, X, alpha1, alpha2, d, depth, n, normX, source
from claims.noci2022.setup import UNIFORM
from claims.statement import Compare, ForAll, Quantity, measured_family, measured_quantity

NORMS = ("none", "pre", "post")
TOKENS = Hypothesis(r"X_{kj}\ \text{i.i.d.}\ \mathcal N(0,1)")
VARIANTS = Hypothesis(
    r"\text{No-LN, PRE-LN, POST-LN, each with}\ \alpha_i=1\ \text{and}\ \alpha_i=1/\sqrt L"
)
MEAN_COSINE = Hypothesis(
    r"\rho^\ell=\tfrac1{n(n-1)}\sum_{k\ne k'}\cos\theta_{kk'}\ \text{at layer } \ell \text{ of a network, in "
    r"place of the ratios of expectations of Eq. (5)}"
)
NO_NORMALISATION = Hypothesis(
    r"\text{no layer normalisation},\ \alpha_i=1\ \text{and}\ \alpha_i=1/\sqrt L"
)
layer = Symbol("ell", integer=True, positive=True)


def setting(size: int, width: int, layers: int, *chosen: Choice) -> Domain:
    """The one setting at which a trend is measured."""
    fixed = ((n, size), (d, width), (depth, layers))
    return Domain((*(Choice(symbol, (Integer(value),)) for symbol, value in fixed), *chosen))


# Fig. 4 -------------------------------------------------------------------------------------------

share = Symbol("epsilon", positive=True)
slower_than = {
    norm: measured_quantity(
        rf"\mathbb E\,(\rho^L_{{\text{{{norm}}}}}-\rho^L_{{\text{{pre}}}})_{{\alpha=1}}"
    )
    for norm in ("none", "post")
}
spread = {
    strength: measured_quantity(
        rf"\max_{{a,b}}\left|\mathbb E\,(\rho^L_a-\rho^L_b)\right|_{{\alpha={strength}}}"
    )
    for strength in ("1", r"1/\sqrt L")
}
"""Over the placements a, b of layer norm, by the strength of the branches."""

pre_norm_slows_alignment_and_scaling_makes_norms_alike = Claim(
    id="noci2022.fig-4",
    source=source("Fig. 4; Sec. 3.2; App. B.1"),
    kind="experiment",
    title="Unscaled, PRE-LN slows the growth of the correlation; scaled, layer norm hardly matters.",
    statement=slower_than["none"].above(0)
    & slower_than["post"].above(0)
    & spread[r"1/\sqrt L"].below(share * spread["1"]),
    domain=setting(
        6, 16, 16, Choice(share, (Rational(1, 20), Rational(1, 3), Rational(1, 10), Rational(1, 2)))
    ),
    left_open=(share,),
    hypotheses=(
        LINEAR,
        XAVIER,
        TOKENS,
        VARIANTS,
        Hypothesis(r"\epsilon:\ \text{what is called not significant; not printed}"),
    ),
    note=(
        "The first two parts are measured and hold: without scaling PRE-LN has the lowest correlation. With "
        "scaling the difference between placements is about 0.15 of that: less than a third or half of "
        "it, not less than a tenth, and PRE-LN stays lowest. What counts as not significant is not printed, "
        "nor are sizes: $n=6$, $d=16$, $L=16$ is a setting of ours"
    ),
)

# Fig. 8 -------------------------------------------------------------------------------------------


@cache
def _grams(strength: Expr, layers: int, tokens: Any) -> tuple[Any, Any]:
    """E X X^T before and after a network with alpha_1 = alpha_2 = sqrt(strength)."""
    root = Integer(1) if strength == 1 else strength ** Rational(1, 2)
    at = {X: tokens, n: tokens.rows, d: tokens.cols, alpha1: root, alpha2: root}
    network = Network.unscaled(at)
    return numbers(network.after(0).gram()), numbers(network.after(layers).gram())


def _propagated(point: Point, strength: Expr) -> tuple[Any, Any]:
    return _grams(strength, int(point[depth]), point[X])


def _growth(point: Point, strength: Expr) -> Expr:
    """E||X^L||_F^2 / ||X||_F^2."""
    before, after = (sum(g[k][k] for k in range(len(g))) for g in _propagated(point, strength))
    return after / before


def _correlations(point: Point) -> tuple[Expr, Expr]:
    """rho^0 and rho^L with alpha^2 = 1/L."""
    before, after = _propagated(point, 1 / point[depth])
    return correlation(before), correlation(after)


scaled_growth = Quantity(
    r"\frac{\mathbb E_{\alpha_i^2=1/L}\|X^L\|_F^2}{\|X\|_F^2}",
    lambda at: _growth(at, 1 / at[depth]),
)
unscaled_growth = Quantity(
    r"\frac{\mathbb E_{\alpha_i=1}\|X^L\|_F^2}{\|X\|_F^2}", lambda at: _growth(at, Integer(1))
)
first_correlation = Quantity(r"\rho^0", lambda at: _correlations(at)[0])
last_correlation = Quantity(r"\rho^L_{\alpha_i^2=1/L}", lambda at: _correlations(at)[1])
_limit = (n * E * C() / ((E - 1) * C() + n * normX) - 1) / (n - 1)
"""Eq. (15) with both strengths 1/sqrt(L)."""

scaling_stabilises_norm_and_correlation = Claim(
    id="noci2022.fig-8",
    source=source("Fig. 8; App. B.1"),
    kind="experiment",
    title="At every depth, scaling keeps the norm within $e^2$ and the correlation below its limit.",
    statement=scaled_growth.at_most(exp(2))
    & Compare(first_correlation, "<=", last_correlation)
    & last_correlation.at_most(_limit)
    & unscaled_growth.at_least(2**depth),
    domain=Domain((*SMALL_SIZES, Size(depth, 1, 16), Equal(X)), (NONZERO,)),
    hypotheses=(UNIFORM, LINEAR, XAVIER, EQUAL_NORMS, NO_NORMALISATION),
    uses=(
        norm_after_depth,
        inner_products_after_depth,
        scaled_correlation_limit,
        unscaled_correlation_limit,
    ),
    understood=(
        Understood(
            "attention is uniform and tokens have equal norms, as in Lemmas 3.2 and 3.3 and Theorem 3.3; the "
            "caption names linear activations and no layer normalisation",
            r"softmax attention, three tokens of norm 4 at angles of $120^\circ$ in the plane, $L=8$, "
            r"$\alpha_1^2=\alpha_2^2=\frac18$: the average correlation is about $-0.30$, above the limit "
            r"$-\frac12$ of Theorem 3.3",
        ),
    ),
    note=(
        "The figure shows simulations, with attention that is not named. Stabilised is read as bounded, with "
        "the bounds that the lemmas give; the last part says that without scaling the norm is not. The "
        "statement is about exact averages over the weights; the norm under softmax attention is measured in "
        "`noci2022.fig-11`."
    ),
)

# Fig. 10 ------------------------------------------------------------------------------------------

placement, scaled = Symbol("LN"), Symbol("scaled")
lead = measured_family(r"\mathbb E\,(\rho_{{\mathrm{{ReLU}}}}-\rho_{{\mathrm{{linear}}}})^{{{}}}")
"""By layer: networks with the same tokens and weights."""

relu_aligns_faster_than_linear = Claim(
    id="noci2022.fig-10",
    source=source("Fig. 10; Sec. 3.2; App. B.1"),
    kind="experiment",
    title="At initialisation the correlation grows faster with ReLU than with linear activations.",
    statement=ForAll(layer, 1, depth, Compare(lead(layer), ">", 0)),
    domain=setting(6, 16, 8, Choice(placement, NORMS), Choice(scaled, (False, True))),
    hypotheses=(XAVIER, TOKENS, VARIANTS, MEAN_COSINE),
    note=(
        "at $n=6$, $d=16$, $L=8$, a setting of ours, with the same weights for both activations but for a "
        r"factor $\sqrt2$ in $W^{F_1}$, whose variance is $2/d_v$ with ReLU (footnote 3); close to $\rho=1$ "
        "the difference must vanish"
    ),
)
