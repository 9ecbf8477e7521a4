r"""Figs. 1, 3 and 9: alignment and gradient norms through deep encoders at initialisation.

A profile is measured layer by layer on freshly drawn encoders: Gaussian embeddings of variance 1
plus sinusoidal positions, several heads with an output matrix, ReLU, the sizes of Table 2.  What the
paper leaves open is chosen here and said in the hypotheses: the loss ("some loss") is quadratic with
standard normal targets, and the depth and the strengths compared are ours.  Not covered: what
Fig. 1 shows of training (see `translation`).

Quantities are means over random deep networks, which have no closed form: they are measured only.
"""

from __future__ import annotations

from typing import Any

from sympy import Integer, Symbol

from claims.domain import Choice, Domain
from claims.model import Claim, Hypothesis
from claims.noci2022.notation import d_v, depth, n, source
from claims.statement import Compare, ForAll, Monotone, measured_family

hidden, heads = Symbol("d_F", integer=True, positive=True), Symbol("h", integer=True, positive=True)
layer = Symbol("ell", integer=True, positive=True)
doublings = Symbol("k", integer=True, nonnegative=True)

NOT_EXACT = (
    "the claim is about means over random deep networks, which have no closed form; measured on "
    "i.i.d. runs, not proved"
)


def _sizes(layers: int, tokens: int = 50) -> Domain:
    printed = ((n, tokens), (d_v, 32), (hidden, 128), (heads, 4), (depth, layers))
    return Domain(tuple(Choice(symbol, (Integer(value),)) for symbol, value in printed))


def _by_norm(name: str) -> dict[str, Any]:
    """A measured family over layers for each place of layer norm."""
    return {norm: measured_family(name.replace("NORM", norm)) for norm in ("post", "pre")}


unscaled = measured_family(r"c_{{{}}}^{{\alpha=1}}")
scaled = measured_family(r"c_{{{}}}^{{\alpha=1/\sqrt{{\mathrm{{depth}}}}}}")
"""E cos after the last of so many post-LN blocks, by the strength of the branches."""
cosine = _by_norm(r"\mathbb E_{{\mathrm{{NORM}}}}\cos_{{{}}}")
weaker = measured_family(r"\mathbb E_{{\mathrm{{post}},\alpha=1/2}}\cos_{{{}}}")
queries = _by_norm(r"\mathbb E_{{\mathrm{{NORM}}}}\log\tfrac{{g^{{{}}}_{{QK}}}}{{g^1_{{QK}}}}")
values = _by_norm(r"\mathbb E_{{\mathrm{{NORM}}}}\log\tfrac{{g^{{{}}}_{{V}}}}{{g^1_{{V}}}}")
"""A layer's gradient norm over the first one's, at strengths 1."""

TABLE_2 = Hypothesis(
    r"\text{sizes of Table 2: } d_v=32,\ d_F=128,\ 4\ \text{heads},\ n=50,\ \text{ReLU}"
)
INPUT = Hypothesis(
    r"\text{input: i.i.d. } N(0,1)\ \text{embeddings plus sinusoidal positions; He and Xavier weights}"
)
LOSS = Hypothesis(
    r"\mathcal L=\tfrac1{2nd_v}\|X^L-T\|_F^2,\ T_{ij}\sim N(0,1)\ \text{(the paper: some loss)}"
)
DEPTH = Hypothesis(
    r"\text{tested at } L=8,\ \alpha_1=\alpha_2=1\ \text{where nothing else is said}"
)
MEASURED = Hypothesis(
    r"\cos_\ell:\ \text{mean cosine of two different tokens after layer } \ell;\quad "
    r"g^\ell_{QK}=\left(\|\partial_{W^{Q,\ell}}\mathcal L\|^2+"
    r"\|\partial_{W^{K,\ell}}\mathcal L\|^2\right)^{1/2},\ g^\ell_V=\|\partial_{W^{V,\ell}}\mathcal L\|"
)

depth_aligns_tokens_unless_residuals_are_scaled = Claim(
    id="noci2022.fig-1",
    source=source("Sec. 1", "Fig. 1, caption"),
    kind="experiment",
    title="At initialisation deeper post-LN encoders align tokens more, unless residuals are scaled.",
    statement=Compare(unscaled(depth), "<", unscaled(4 * depth))
    & Compare(scaled(4 * depth) - scaled(depth), "<", unscaled(4 * depth) - unscaled(depth)),
    domain=_sizes(layers=2, tokens=20),
    hypotheses=(
        Hypothesis(r"d_v=32,\ d_F=128,\ 4\ \text{heads, ReLU, as in Table 2};\ n=20"),
        INPUT,
        Hypothesis(
            r"c_L:\ \text{mean cosine of two different tokens after the last of } L\ "
            r"\text{post-LN blocks; tested at } L=2"
        ),
    ),
    note=(
        f"{NOT_EXACT}. With scaled residuals the cosine after the last layer grows little, from 0.45 at "
        "$L=2$ to 0.48 at $L=8$. The caption's second "
        "half, that alignment can inhibit training on IWSLT'14, is not a statement that a "
        "measurement could contradict; `twofold figure noci2022.fig-1` trains on a generated corpus "
        "or on a user's"
    ),
)

post_ln_query_gradients_shrink_and_value_gradients_grow = Claim(
    id="noci2022.fig-3",
    source=source("Sec. 3.2 and App. B.1", "Fig. 3, Table 2"),
    kind="experiment",
    title="Through post-LN layers tokens align, query gradients shrink and value gradients grow.",
    statement=Monotone(cosine["post"](2**doublings), doublings, "<", 0, 3)
    & Compare(weaker(depth), "<", cosine["post"](depth))
    & ForAll(layer, 2, depth, Compare(queries["post"](layer), "<", 0))
    & Compare(values["post"](depth), ">", 0),
    domain=_sizes(8),
    hypotheses=(TABLE_2, INPUT, LOSS, DEPTH, MEASURED),
    note=(
        f"{NOT_EXACT}. 'Diminish with depth' is read against the first layer, as the figure is drawn: below it "
        "at every later layer; the value gradients are compared at the last one, since their growth from layer "
        "to layer is less than these runs resolve. That growth belongs to unscaled branches: with "
        r"$\alpha=1/\sqrt L$ the last value gradient is below the first, and query gradients fall to 0.45 of "
        r"the first, most of it at the second layer, against 0.04 unscaled. Strengths, depth and loss "
        r"of the printed figure are not stated. That Theorem 3.3 shows the same of $\alpha_1$ and "
        "$\\alpha_2$, as the caption says, is judged in `noci2022.fig-3.caption`"
    ),
)

pre_ln_gradients_are_more_stable_and_value_gradients_shrink = Claim(
    id="noci2022.fig-9",
    source=source("App. B.1", "Fig. 9, Table 2"),
    kind="experiment",
    title="Pre-LN aligns tokens more slowly, steadies query gradients, and shrinks value gradients.",
    statement=Compare(cosine["pre"](0), "<", cosine["pre"](depth))
    & Compare(cosine["pre"](depth), "<", cosine["post"](depth))
    & Compare(queries["post"](depth), "<", queries["pre"](depth))
    & Compare(queries["pre"](depth), "<", 0)
    & Compare(values["pre"](depth), "<", 0)
    & Compare(values["post"](depth), ">", 0),
    domain=_sizes(8),
    hypotheses=(TABLE_2, INPUT, LOSS, DEPTH, MEASURED),
    uses=(post_ln_query_gradients_shrink_and_value_gradients_grow,),
    note=NOT_EXACT,
)
