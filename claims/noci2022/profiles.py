r"""Figs. 1, 3 and 9: alignment and gradient norms through deep encoders at initialisation.

A profile is measured layer by layer on freshly drawn encoders: Gaussian embeddings of variance 1
plus sinusoidal positions, several heads with an output matrix, ReLU, the sizes of Table 2.  What the
paper leaves open is chosen here and said in the hypotheses: the loss ("some loss") is quadratic with
standard normal targets, and the depth and the strengths compared are ours.  Not covered: what
Fig. 1 shows of training (see `translation`).

The value at a point is a mapping from a trend to an interval that holds its mean over runs.  A mean
over random deep networks has no closed form, so that `define` has nothing to say: these claims are
measured only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sympy import Integer, Symbol

from claims.domain import Choice, Domain, Point
from claims.model import Claim, Hypothesis, Mutant, Proposition
from claims.noci2022.notation import d_v, depth, n, source

hidden, heads = Symbol("d_F", integer=True, positive=True), Symbol("h", integer=True, positive=True)
placement = Symbol("LN")
"""Where layer norm stands: "post" or "pre"."""

NOT_EXACT = (
    "the claim is about means over random deep networks, which have no closed form; measured on "
    "i.i.d. runs, not proved"
)

Trends = Mapping[str, tuple[float, float]]


def no_exact_value(point: Point) -> tuple[Any, ...]:
    """Nothing is known exactly."""
    return ()


def grows(trends: Trends, name: str) -> bool:
    """Whether the whole interval is positive."""
    return trends[name][0] > 0


def falls(trends: Trends, name: str) -> bool:
    """Whether the whole interval is negative."""
    return trends[name][1] < 0


def _sizes(norm: str, layers: int, tokens: int = 50) -> Domain:
    printed = ((n, tokens), (d_v, 32), (hidden, 128), (heads, 4), (depth, layers))
    fixed = tuple(Choice(symbol, (Integer(value),)) for symbol, value in printed)
    return Domain((*fixed, Choice(placement, (norm,))))


def _trend(text: str, test: Callable[[Trends], bool]) -> Proposition:
    return Proposition(text, lambda point, trends: test(trends))


def doubt(name: str, text: str, test: Callable[[Trends], bool], at: Domain | None = None) -> Mutant:
    """A trend that a referee might expect instead."""
    return Mutant(name, _trend(text, test), domain=at)


TABLE_2 = Hypothesis(
    r"\text{sizes of Table 2: } d_v=32,\ d_F=128,\ 4\ \text{heads},\ n=50,\ \text{ReLU}"
)
INPUT = Hypothesis(
    r"\text{input: i.i.d. } N(0,1)\ \text{embeddings plus sinusoidal positions; He and Xavier weights}"
)
LOSS = Hypothesis(
    r"\mathcal L=\tfrac1{2nd_v}\|X^L-T\|_F^2,\ T_{ij}\sim N(0,1)\ \text{(the paper: some loss)}"
)
DEPTH = Hypothesis(r"\text{tested at } L=8,\ \alpha_1=\alpha_2=\alpha")
_GRADIENTS = (
    r"g^\ell_{QK}=\left(\|\partial_{W^{Q,\ell}}\mathcal L\|^2+"
    r"\|\partial_{W^{K,\ell}}\mathcal L\|^2\right)^{1/2},\ g^\ell_V=\|\partial_{W^{V,\ell}}\mathcal L\|"
)


# Fig. 1 -------------------------------------------------------------------------------------------

depth_aligns_tokens_unless_residuals_are_scaled = Claim(
    id="noci2022.fig-1",
    source=source("Sec. 1", "Fig. 1, caption"),
    kind="experiment",
    title="At initialisation deeper post-LN encoders align tokens more, unless residuals are scaled.",
    statement=_trend(
        r"\mathbb E\,(\cos_{4L}-\cos_{L})_{\alpha=1}>0,\quad"
        r"\mathbb E\,(\cos_{4L}-\cos_{L})_{\alpha=1/\sqrt{\text{depth}}}"
        r"<\tfrac12\,\mathbb E\,(\cos_{4L}-\cos_{L})_{\alpha=1}",
        lambda trends: grows(trends, "unscaled") and grows(trends, "saved"),
    ),
    domain=_sizes("post", layers=2, tokens=20),
    define=no_exact_value,
    hypotheses=(
        Hypothesis(r"d_v=32,\ d_F=128,\ 4\ \text{heads, ReLU, as in Table 2};\ n=20"),
        INPUT,
        Hypothesis(
            r"\cos_L:\ \text{mean cosine of two different tokens after the last of } L\ "
            r"\text{post-LN blocks; tested at } L=2"
        ),
    ),
    mutants=(
        doubt("depth does not matter", r"\text{no growth}", lambda t: not grows(t, "unscaled")),
        doubt(
            "scaled residuals align as much",
            r"\text{scaled growth at least half the unscaled}",
            lambda t: not grows(t, "saved"),
        ),
    ),
    note=(
        f"{NOT_EXACT}. The caption's second half, that alignment can inhibit training on IWSLT'14, "
        "is not a statement that a measurement could contradict; `twofold figure noci2022.fig-1` "
        "trains on a generated corpus or on a user's"
    ),
)


# Fig. 3 -------------------------------------------------------------------------------------------

post_norm, pre_norm = _sizes("post", 8), _sizes("pre", 8)


def _post_ln_trends(trends: Trends) -> bool:
    aligned = grows(trends, "cosine") and grows(trends, "stronger")
    return aligned and falls(trends, "queries") and grows(trends, "values")


post_ln_query_gradients_shrink_and_value_gradients_grow = Claim(
    id="noci2022.fig-3",
    source=source("Sec. 3.2 and App. B.1", "Fig. 3, Table 2"),
    kind="experiment",
    title="Through post-LN layers tokens align, query gradients shrink and value gradients grow.",
    statement=_trend(
        r"\mathbb E\cos_L>\mathbb E\cos_0,\ \mathbb E\cos_L\ \text{increasing in}\ \alpha,\quad"
        r"\mathbb E\log\frac{g^L_{QK}}{g^1_{QK}}<0<\mathbb E\log\frac{g^L_V}{g^1_V}",
        _post_ln_trends,
    ),
    domain=post_norm,
    define=no_exact_value,
    hypotheses=(
        TABLE_2, INPUT, LOSS, DEPTH, Hypothesis(_GRADIENTS),
        Hypothesis(r"\alpha=1\ \text{for the gradients};\ \alpha\in\{\tfrac12,1\}"),
    ),
    mutants=(
        doubt(
            "query gradients grow", r"\mathbb E\log g^L_{QK}/g^1_{QK}>0",
            lambda t: grows(t, "queries"),
        ),
        doubt(
            "value gradients shrink too", r"\mathbb E\log g^L_V/g^1_V<0",
            lambda t: falls(t, "values"),
        ),
        doubt(
            "stronger branches align less", r"\cos_L\ \text{falls with}\ \alpha",
            lambda t: falls(t, "stronger"),
        ),
        doubt("pre-LN as well", r"\text{the same with pre-LN}", _post_ln_trends, pre_norm),
    ),
    note=(
        f"{NOT_EXACT}. The growth of the value gradients belongs to unscaled branches: with "
        "alpha = 1/sqrt(L) they stay nearly level, as the figure shows. Strengths, depth and loss "
        "of the printed figure are not stated"
    ),
)  # fmt: skip


# Fig. 9 -------------------------------------------------------------------------------------------


def _pre_ln_trends(trends: Trends) -> bool:
    slower = grows(trends, "cosine") and falls(trends, "cosine against post")
    stable = falls(trends, "queries") and grows(trends, "queries against post")
    return slower and stable and falls(trends, "values") and grows(trends, "values of post")


pre_ln_gradients_are_more_stable_and_value_gradients_shrink = Claim(
    id="noci2022.fig-9",
    source=source("App. B.1", "Fig. 9, Table 2"),
    kind="experiment",
    title="Pre-LN aligns tokens more slowly, steadies query gradients, and shrinks value gradients.",
    statement=_trend(
        r"\mathbb E\cos_0<\mathbb E\cos^{\mathrm{pre}}_L<\mathbb E\cos^{\mathrm{post}}_L,\quad"
        r"\mathbb E\log\tfrac{g^{L,\mathrm{post}}_{QK}}{g^{1,\mathrm{post}}_{QK}}<"
        r"\mathbb E\log\tfrac{g^{L,\mathrm{pre}}_{QK}}{g^{1,\mathrm{pre}}_{QK}}<0,\quad"
        r"\mathbb E\log\tfrac{g^{L,\mathrm{pre}}_V}{g^{1,\mathrm{pre}}_V}<0<"
        r"\mathbb E\log\tfrac{g^{L,\mathrm{post}}_V}{g^{1,\mathrm{post}}_V}",
        _pre_ln_trends,
    ),
    domain=pre_norm,
    define=no_exact_value,
    hypotheses=(
        TABLE_2, INPUT, LOSS, DEPTH, Hypothesis(_GRADIENTS), Hypothesis(r"\alpha_1=\alpha_2=1"),
    ),
    uses=(post_ln_query_gradients_shrink_and_value_gradients_grow,),
    mutants=(
        doubt(
            "as fast as post-LN", r"\cos^{\mathrm{pre}}_L\ge\cos^{\mathrm{post}}_L",
            lambda t: not falls(t, "cosine against post"),
        ),
        doubt(
            "query gradients less stable", r"\text{pre-LN ratio below post-LN}",
            lambda t: falls(t, "queries against post"),
        ),
        doubt("value gradients grow", r"\mathbb E\log g^L_V/g^1_V>0", lambda t: grows(t, "values")),
    ),
    note=NOT_EXACT,
)  # fmt: skip
