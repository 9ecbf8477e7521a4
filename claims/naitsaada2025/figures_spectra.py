r"""Figs. 1 and 10 and App. A.1: eigenvalues of other attentions, and of inputs that are not isometric.

Not printed, and taken here: $T=16,\dots,128$; $d_{qk}=T$, $\sigma_{qk}=1$ in Fig. 1 and $d_{qk}=d$
elsewhere; ReLU attention is divided by $T$ and sigmoid logits are shifted by
$-\log T$, as in the works that the figure cites.
"""

from __future__ import annotations

from typing import Any

from sympy import Integer, Rational, Symbol, exp, pi, sqrt

from claims.domain import Choice, Computed, Domain
from claims.model import Claim, Hypothesis, Mutant
from claims.naitsaada2025.notation import gamma, sigma_qk, source
from claims.naitsaada2025.spectral_gap import GAUSSIAN, ORTHONORMAL
from claims.naitsaada2025.spectral_laws import bulk_of_eigenvalues_is_a_shrinking_disc
from claims.statement import Compare, Formula, Monotone, measured_family, measured_quantity

mechanism, outlier = Symbol("A"), Symbol("lambda", real=True, positive=True)
doublings = Symbol("k", integer=True, nonnegative=True)

OUTLIERS: dict[str, Any] = {
    "softmax": Integer(1),
    "markov": Integer(1),
    "relu": 1 / sqrt(2 * pi),
    "sigmoid": exp(Rational(1, 2)),
}
"""Where the first eigenvalue goes: the mean row sum of each attention."""

first = measured_quantity(r"\lim_{T\to\infty}|\lambda_1(A)|")
ratio = measured_family(r"\mathbb E|\lambda_2/\lambda_1|_{{T={}}}")


def falls(quantity: Any) -> Formula:
    """From 32 tokens to 128."""
    return Compare(quantity(128), "<", quantity(32))


every_attention_has_an_outlier = Claim(
    id="naitsaada2025.fig-1",
    source=source("Sec. 1", "Fig. 1"),
    kind="experiment",
    title="Softmax, i.i.d. Markov, ReLU and sigmoid attention have one outlier and a shrinking bulk.",
    statement=first.equals(outlier) & Monotone(ratio(2**doublings), doublings, ">", 4, 7),
    domain=Domain(
        (
            Choice(mechanism, tuple(OUTLIERS)),
            Computed(outlier, lambda at: OUTLIERS[at[mechanism]]),
        )
    ),
    hypotheses=(
        ORTHONORMAL,
        GAUSSIAN,
        Hypothesis(
            r"d_{qk}=T,\ \sigma_{qk}=1;\ \lambda=1\ (\text{softmax, Markov}),\ \mathbb E\operatorname{ReLU}"
            r"(\mathcal N)=1/\sqrt{2\pi},\ \mathbb Ee^{\mathcal N}=\sqrt e\ (\text{sigmoid})"
        ),
    ),
    uses=(bulk_of_eigenvalues_is_a_shrinking_disc,),
    mutants=(Mutant("every outlier stays at one", first.equals(1)),),
    note=(
        "the figure shows outliers of different sizes and prints no normalisation; with those of the works "
        "it cites they are the mean row sums"
    ),
)

gap = measured_quantity(r"\lim_{T\to\infty}|\lambda_2(A)/\lambda_1(A)|")
_WIDTH = Hypothesis(r"d_{qk}=T,\ \sigma_{qk}=1")
_CENTRED = Hypothesis(r"\text{centred (Ali et al., 2023):}\ A-\tfrac1T1_{T\times T}")

mechanisms_with_a_mean_have_a_gap = Claim(
    id="naitsaada2025.sec-1.1.all-have-a-gap.repair",
    parent="naitsaada2025.sec-1.1.all-have-a-gap",
    source=source("Sec. 1.1", "third paragraph"),
    kind="prose",
    title="Attention whose rows have a mean away from zero has a spectral gap: softmax, ReLU, sigmoid.",
    statement=gap.equals(0),
    domain=Domain((Choice(mechanism, ("softmax", "relu", "sigmoid")),)),
    hypotheses=(ORTHONORMAL, GAUSSIAN, _WIDTH),
    uses=(every_attention_has_an_outlier,),
    note=(
        "The outlier is the mean row sum. What subtracts it, as Ali et al. (2023) do, has none; the "
        "difference of two softmax matrices (Ye et al., 2025) has as much of it as their weights differ."
    ),
)

every_suggested_attention_has_a_gap = Claim(
    id="naitsaada2025.sec-1.1.all-have-a-gap",
    source=source("Sec. 1.1", "third paragraph"),
    kind="prose",
    title="All suggested alternatives to softmax attention but the identity present a spectral gap.",
    statement=gap.equals(0),
    domain=Domain((Choice(mechanism, ("softmax", "relu", "sigmoid", "centred")),)),
    hypotheses=(ORTHONORMAL, GAUSSIAN, _WIDTH, _CENTRED),
    severity="material",
    repair=mechanisms_with_a_mean_have_a_gap,
    note=(
        r"The sentence lists Ali et al. (2023), whose attention is $A-\frac1T1_{T\times T}$, of row sums "
        "zero: its two largest eigenvalues are of the same size, which the next paragraph of the paper "
        "says as well, as it calls that work the paper's own remedy. The Differential Transformer is "
        r"listed as well, and said to remove the outlier: a difference $A_1-\lambda A_2$ of two softmax "
        r"matrices has the eigenvalue $1-\lambda$ at the vector of ones"
    ),
)

# Which attentions collapse in width ----------------------------------------------------------------

layer_excess = measured_family(r"\mathbb E\log(\operatorname{{sr}}(\Sigma)-1)_{{T={}}}")
_OTHERS = Domain((Choice(mechanism, ("relu", "sigmoid")),))
_LAYER = (
    ORTHONORMAL, GAUSSIAN,
    Hypothesis(r"d_{qk}=d=T,\ \sigma_{qk}=1;\ \Sigma=XX^\top,\ X=AX_0W^V,\ A\ \text{with ReLU or sigmoid}"),
)  # fmt: skip

other_attentions_collapse_in_width = Claim(
    id="naitsaada2025.abstract.unique-to-softmax.repair",
    parent="naitsaada2025.abstract.unique-to-softmax",
    source=source("Abstract", "and Sec. 1"),
    kind="prose",
    title="The stable rank of one layer falls towards one with ReLU and with sigmoid attention as well.",
    statement=falls(layer_excess),
    domain=_OTHERS,
    hypotheses=_LAYER,
    note="Rows with a mean away from zero are enough: the outlier grows beside the bulk.",
)

collapse_in_width_is_called_unique = Claim(
    id="naitsaada2025.abstract.unique-to-softmax",
    source=source("Abstract", "and Sec. 1"),
    kind="prose",
    title="Rank collapse in width is called unique to softmax attention: other attentions have none.",
    statement=~falls(layer_excess),
    domain=_OTHERS,
    hypotheses=_LAYER,
    severity="misprint",
    repair=other_attentions_collapse_in_width,
    printed=r"\text{an additional and previously unknown challenge unique to softmax attention layers}",
    note=(
        "Sec. 1.1 says the opposite: the attentions of others, ReLU and sigmoid among them, suffer from rank "
        "collapse as well. In the introduction the phenomenon is unique to attention layers."
    ),
)

# Inputs that are not isometric --------------------------------------------------------------------

UNIT = Hypothesis(
    r"\text{rows of}\ X_0\ \text{Gaussian, then brought to length one};\ d_{qk}=d=T/\gamma"
)
_ratios = Choice(gamma, (Integer(1), Integer(2)))
_either = Domain((_ratios, Choice(sigma_qk, (Rational(1, 2), Integer(1)))))
unit_ratio = measured_family(r"\mathbb E|\lambda_2/\lambda_1|_{{T={}}}^{{\text{{unit rows}}}}")
excess = measured_family(r"\mathbb E\log(\operatorname{{sr}}(\Sigma)-1)_{{T={}}}")
shape, isometric_shape = (
    measured_quantity(
        rf"\left.\frac{{\mathbb E|\lambda|^4}}{{(\mathbb E|\lambda|^2)^2}}\right|_{{\text{{bulk, {words}}}}}"
    )
    for words in (r"}\gamma\text{", r"}X_0X_0^\top=I\text{")
)

gap_and_collapse_of_unit_tokens = Claim(
    id="naitsaada2025.app-A.1.non-isometric",
    source=source("App. A.1", "Figs. 10, 11"),
    kind="prose",
    title=r"The gap and the rank collapse persist for inputs that are not isometric, $\gamma>1$ included.",
    statement=falls(unit_ratio) & falls(excess),
    domain=_either,
    left_open=(gamma, sigma_qk),
    hypotheses=(GAUSSIAN, UNIT),
    note=(
        r"The gap persists at both; the stable rank falls from $T=32$ to $128$ but for $\gamma=2$, "
        r"$\sigma_{qk}=1$, where it still rises: the larger $\gamma$ and $\sigma_{qk}$, the later it falls. "
        r"With $d$ fixed the rank of the logits is fixed, and "
        r"$\operatorname{sr}(\Sigma)$ keeps away from one as it does for a fixed $d_{qk}$. The text refers to "
        r"Figure 10 for TinyBert, which Figure 11 shows; and the caption of Figure 3 has $d=784$ for encoders "
        r"of the family whose width is 768 in that of Figure 8."
    ),
)

gap_persists_and_bulk_differs = Claim(
    id="naitsaada2025.fig-10",
    source=source("App. A.1", "Fig. 10"),
    kind="experiment",
    title=r"With tokens of unit length the gap persists; for $\gamma>1$ the bulk looks different.",
    statement=falls(unit_ratio)
    & Compare(gamma, ">", 1).implies(Compare(shape, ">", isometric_shape)),
    domain=_either,
    left_open=(sigma_qk,),
    hypotheses=(GAUSSIAN, UNIT),
    uses=(gap_and_collapse_of_unit_tokens,),
    note=(
        r"'looks different' is read as more eigenvalues near the centre, by $\mathbb E|\lambda|^4/(\mathbb "
        r"E|\lambda|^2)^2$ of the bulk, which a disc has $\tfrac43$; it differs for $\gamma\le1$ as "
        r"well, by less"
    ),
)
