r"""Prop. A.8: mean and variance of the singular values of the covariance $\Sigma_\ell^\perp$."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from sympy import Integer, Rational, Symbol, sqrt

from claims.definitions import expectation
from claims.domain import Choice, Condition, Domain, Point, Real, Size
from claims.expressions import scalar_at
from claims.model import Claim, Hypothesis, Relation, Understood, variants
from claims.naitsaada2025.free_products import variance_of_free_product
from claims.naitsaada2025.notation import T_1, d_1, ell, gamma, mean_Z, sigma_A, sigma_V, source
from claims.naitsaada2025.row_moments import moments_of_a_row
from claims.naitsaada2025.second_moments import (
    DEEP,
    MEAN,
    ORTHONORMAL,
    RATIO,
    SIZES,
    TWICE_AS_WIDE,
    VALUES,
    VARIANCE,
    limiting_mean,
    limiting_variance,
)
from claims.naitsaada2025.shares import (
    ANY_LAW_OF_FOUR,
    GAMMA,
    IDENTICAL_WITH_FOUR,
    TWO_POINT,
    law,
)
from claims.statement import Compare, Quantity

COVARIANCE = Hypothesis(
    r"\Sigma_\ell^\perp=X_\ell^\perp X_\ell^{\perp\top}\ \text{of model (16)},\ "
    r"D_\ell=\lim\ \text{law of its singular values}"
)
_hypotheses = (COVARIANCE, ORTHONORMAL, IDENTICAL_WITH_FOUR, VALUES, SIZES)
PRINTED = (sigma_A * sigma_V) ** 2 / gamma
SCALE = PRINTED / mean_Z**2
"""What a layer multiplies the mean by, as printed and as it is."""
EIGHTH = DEEP.completed(
    {
        ell: Integer(1),
        T_1: Integer(1),
        d_1: Integer(1),
        law: GAMMA,
        mean_Z: Rational(1, 8),
        sigma_A: Rational(1, 8),
        sigma_V: Integer(1),
    }
)
"""Z exponential with mean and deviation 1/8, one square layer."""
SCALED = (
    "$A$ is the same for $Z$ and $cZ$, and $\\sigma_A$ is not: $\\sigma_A/m$ takes its place. Neither "
    "Definition 3.1 nor the proposition asks for $m=1$, as the proof of Lemma A.3 does without loss of "
    "generality for $A$: one gap, of Theorem A.1 and of all that follows from it. Bordenave et al. (2011) "
    "have $\\sigma/m$."
)

mean_of_the_covariance = Claim(
    id="naitsaada2025.prop-A.8.mean.repair",
    parent="naitsaada2025.prop-A.8.mean",
    source=source("App. A.4", "Prop. A.8, Eq. (35)"),
    kind="limit",
    title=(
        r"The limiting singular values of $\Sigma_\ell^\perp$ have mean "
        r"$(\sigma_A\sigma_V/(m\sqrt\gamma))^{2\ell}$."
    ),
    statement=Relation(MEAN, (SCALE**ell,)),
    domain=DEEP,
    define=limiting_mean,
    hypotheses=_hypotheses,
    uses=(moments_of_a_row,),
    mutants=variants(
        ("gamma^-1 once", (sigma_A * sigma_V / mean_Z) ** (2 * ell) / gamma), lhs=MEAN
    ),
    probes=(TWICE_AS_WIDE,),
    note=f"With $m=1$ it is what is printed. {ANY_LAW_OF_FOUR}",
)
mean_of_the_covariance_as_printed = Claim(
    id="naitsaada2025.prop-A.8.mean",
    source=source("App. A.4", "Prop. A.8, Eq. (35)"),
    kind="limit",
    title=(
        r"The limiting singular values of $\Sigma_\ell^\perp$ have mean "
        r"$(\sigma_A\sigma_V/\sqrt\gamma)^{2\ell}$, whatever the mean of $Z$."
    ),
    statement=Relation(MEAN, (PRINTED**ell,)),
    domain=DEEP,
    define=limiting_mean,
    hypotheses=_hypotheses,
    probes=(EIGHTH,),
    severity="missing-hypothesis",
    repair=mean_of_the_covariance,
    printed=r"\mathbb{E}(Z) = (\sigma_A \sigma_V / \sqrt{\gamma})^{2\ell}",
    note=SCALED,
)

_variance = ell * (1 + gamma) * SCALE ** (2 * ell)
variance_of_the_covariance = Claim(
    id="naitsaada2025.prop-A.8.variance.repair",
    parent="naitsaada2025.prop-A.8.variance",
    source=source("App. A.4", "Prop. A.8, Eq. (36)"),
    kind="limit",
    title=(
        r"The limiting singular values of $\Sigma_\ell^\perp$ have variance "
        r"$\ell(1+\gamma)(\sigma_A\sigma_V/(m\sqrt\gamma))^{4\ell}$."
    ),
    statement=Relation(VARIANCE, (_variance,)),
    domain=DEEP,
    define=limiting_variance("covariance"),
    hypotheses=_hypotheses,
    uses=(moments_of_a_row,),
    probes=(TWICE_AS_WIDE,),
    note=(
        "Each $A^\\perp$ adds 1 and each $W^V$ adds $\\gamma$, seen from the $T$ tokens. Read as free "
        "convolution of the laws that the proof names, the sum would be $2\\ell-1+\\gamma$: two errors "
        f"of the printed proof cancel. {ANY_LAW_OF_FOUR}"
    ),
)
variance_of_the_covariance_as_printed = Claim(
    id="naitsaada2025.prop-A.8.variance",
    source=source("App. A.4", "Prop. A.8, Eq. (36)"),
    kind="limit",
    title=(
        r"The limiting singular values of $\Sigma_\ell^\perp$ have variance "
        r"$\ell(1+\gamma)(\sigma_A\sigma_V/\sqrt\gamma)^{4\ell}$, whatever the mean of $Z$."
    ),
    statement=Relation(VARIANCE, (ell * (1 + gamma) * PRINTED ** (2 * ell),)),
    domain=DEEP,
    define=limiting_variance("covariance"),
    hypotheses=_hypotheses,
    uses=(mean_of_the_covariance_as_printed,),
    probes=(EIGHTH,),
    severity="missing-hypothesis",
    repair=variance_of_the_covariance,
    printed=r"\text{Var}(Z) = \ell(1 + \gamma)(\sigma_A \sigma_V / \sqrt{\gamma})^{4\ell}",
    note=SCALED,
)

# More tokens than features ------------------------------------------------------------------------

kept = Symbol("c", integer=True, nonnegative=True)
_more_tokens = Domain(
    (
        Size(ell, 1, 2), Choice(T_1, (Integer(2),)), Choice(d_1, (Integer(1),)), RATIO,
        Choice(law, (GAMMA, TWO_POINT)), Choice(mean_Z, (Integer(1),)), Choice(sigma_A, (Integer(1),)),
        Choice(sigma_V, (Integer(1),)), Choice(kept, (Integer(0), Integer(1))),
    )
)  # fmt: skip
whole_mean = Quantity(r"\mathbb E(Z),\ Z\sim\lim\ \text{law of}\ \Sigma_\ell^\perp", limiting_mean)

mean_with_more_tokens_than_features = Claim(
    id="naitsaada2025.prop-A.8.gamma-above-1",
    source=source("App. A.4", "after Prop. A.8"),
    kind="prose",
    title=(
        r"For $\gamma>1$ the limit law is $(1-\gamma^{-1})\delta_0+\gamma^{-1}D_\ell$, so that its mean is "
        r"$\gamma^{-1}$ times that of $D_\ell$."
    ),
    statement=whole_mean.equals(gamma**kept * PRINTED**ell / gamma),
    domain=_more_tokens,
    hypotheses=(
        COVARIANCE, IDENTICAL_WITH_FOUR, VALUES, SIZES,
        Hypothesis(r"X_0W_1^V\ \text{Gaussian},\ T\times d\ \text{(no}\ X_0X_0^\top=I\ \text{for}\ T>d)"),
        Hypothesis(
            r"D_\ell\ \text{has mean}\ \gamma^c\,(\sigma_A\sigma_V/\sqrt\gamma)^{2\ell}:\ c=0\ \text{as in "
            r"Prop. A.8 at}\ m=1,\ c=1\ \text{for the law of the non-zero values}"
        ),
    ),
    left_open=(kept,),
    printed=r"(1 - \gamma^{-1})\delta_0 + \gamma^{-1}\mathcal{D}_\ell",
    note=(
        "The share $1-\\gamma^{-1}$ of zeros is right. For $m=1$, (35) and (36) hold for all $\\gamma$ as "
        "they stand, zeros included: with $D_\\ell$ as in Prop. A.8 the mixture would be wrong, and nothing "
        "is to be adjusted; with $D_\\ell$ the law of the non-zero values, whose mean is $\\gamma$ times "
        "(35), it is right by definition. The print does not say which."
    ),
)  # fmt: skip

# The law, and what can be controlled --------------------------------------------------------------

SECOND = (
    r"\mathrm{Var}(Z)/\mathbb E(Z)^2,\ Z\sim\lim\ \text{law of the squared singular values of}\ "
    r"X_\ell^\perp"
)


def relative_variance(point: Point) -> Any:
    return limiting_variance("covariance")(point) / limiting_mean(point) ** 2


limit_law_of_the_covariance = Claim(
    id="naitsaada2025.proof-3.7.limit-law.repair",
    parent="naitsaada2025.proof-3.7.limit-law",
    source=source("App. A.2", "proofs of Props 3.7 and A.8"),
    kind="law",
    title=(
        r"It is $\mathcal{MP}^{\boxtimes\ell}(1,\sigma_A/m)\boxtimes\mathcal{MP}^{\boxtimes\ell}(\gamma,"
        r"\sigma_V/\sqrt\gamma)$: in its relative variance."
    ),
    statement=Relation(SECOND, (ell * (1 + gamma),)),
    domain=DEEP,
    define=relative_variance,
    probes=(
        DEEP.completed({**TWICE_AS_WIDE, ell: Integer(1)}),
        DEEP.completed({**TWICE_AS_WIDE, ell: Integer(1), d_1: Integer(1)}),
    ),
    hypotheses=_hypotheses,
    uses=(
        moments_of_a_row,
        variance_of_free_product,
    ),
    note=(
        "Shown: its variance over its squared mean, which no scale changes; the mean, with $\\sigma_A/m$ for "
        "$\\sigma_A$, is what is true instead of `naitsaada2025.prop-A.8.mean`. Seen from $T$ tokens the "
        "spectrum of $W_2W_2^\\top$, compressed, is "
        f"that of $T\\times d$ matrices, for every later layer as for the first. {ANY_LAW_OF_FOUR}"
    ),
)
limit_law_of_the_covariance_as_printed = Claim(
    id="naitsaada2025.proof-3.7.limit-law",
    source=source("App. A.2", "proofs of Props 3.7 and A.8"),
    kind="law",
    title=(
        r"The squared singular values of $X_\ell^\perp$ have the limit law $\mathcal M=\mathcal{MP}^"
        r"{\boxtimes\ell}(1,\sigma_A)\boxtimes\mathcal{MP}(\gamma,\sigma_V/\sqrt\gamma)\boxtimes"
        r"\mathcal{MP}^{\boxtimes\ell-1}(1,\sigma_V/\sqrt\gamma)$: in its relative variance."
    ),
    statement=Relation(SECOND, (2 * ell - 1 + gamma,)),
    domain=DEEP,
    define=relative_variance,
    hypotheses=(
        *_hypotheses,
        Hypothesis(r"\mathrm{Var}/\mathbb E^2\ \text{of}\ \mathcal M\ \text{is}\ 2\ell-1+\gamma"),
    ),
    uses=(variance_of_free_product,),
    probes=(DEEP.completed({**TWICE_AS_WIDE, d_1: Integer(4)}),),
    severity="misprint",
    repair=limit_law_of_the_covariance,
    printed=(
        r"\mathcal{M} := \mathcal{MP}^{\boxtimes \ell}(1, \sigma_A) \boxtimes \mathcal{MP}(\gamma, "
        r"\frac{\sigma_W}{\sqrt{\gamma}}) \boxtimes \mathcal{MP}^{\boxtimes \ell-1}(1, "
        r"\frac{\sigma_W}{\sqrt{\gamma}})"
    ),
    understood=(
        Understood(
            r"$\boxtimes$ is the free multiplicative convolution, as it is called",
            r"with the formula (34) that Lemma A.7 prints for it, which is right of chains of rectangular "
            r"matrices, the variance comes out as $\ell(1+\gamma)$: the sign is wrong, and not what is meant",
        ),
    ),
    note=(
        "Right for $\\ell=1$ and for $\\gamma=1$. Each of the $2\\ell$ laws adds its ratio to "
        "$\\mathrm{Var}/\\mathbb E^2$ (`naitsaada2025.beyond.variance-of-free-products`): "
        "$2\\ell-1+\\gamma$, where the matrices have "
        "$\\ell(1+\\gamma)$. What $\\alpha$ in $\\mathcal{MP}(p,\\alpha)$ is called is "
        "`naitsaada2025.proof-A.8.alpha`."
    ),
)

# What the second parameter is ---------------------------------------------------------------------


def _variance_of_an_entry(at: Point) -> Any:
    """E (w/sqrt(gamma))^2 for an entry w of W^V."""
    weight = Symbol("w")
    return expectation(weight**2 / at[gamma], {weight: at[sigma_V] ** 2})


_PARAMETER = source("App. A.2", "proof of Theorem A.8, sentence before the law")
_ENTRY = r"\mathrm{Var}\bigl((\tfrac1{\sqrt\gamma}W^V_\ell)_{ij}\bigr)"
_ALPHA = Hypothesis(r"\mathcal{MP}(1,\alpha)\ \text{is printed with}\ \alpha=\sigma_V/\sqrt\gamma")
_ENTRIES = Domain((Real(sigma_V, 0, open_low=True), Real(gamma, 0, 1, open_low=True)))
alpha_is_the_deviation_of_an_entry = Claim(
    id="naitsaada2025.proof-A.8.alpha.repair",
    parent="naitsaada2025.proof-A.8.alpha",
    source=_PARAMETER,
    kind="expectation",
    title=r"$\alpha=\sigma_V/\sqrt\gamma$ of $\mathcal{MP}(p,\alpha)$ is the deviation of the entries.",
    statement=Relation(_ENTRY, ((sigma_V / sqrt(gamma)) ** 2,)),
    domain=_ENTRIES,
    define=_variance_of_an_entry,
    hypotheses=(VALUES, _ALPHA),
    note=r"So does Lemma A.7 read, by which $\mathcal{MP}(\gamma_1,\sigma_1)$ has the mean $\sigma_1^2$.",
)
alpha_is_the_variance_of_an_entry = Claim(
    id="naitsaada2025.proof-A.8.alpha",
    source=_PARAMETER,
    kind="expectation",
    title=r"$\alpha=\sigma_V/\sqrt\gamma$ of $\mathcal{MP}(p,\alpha)$ is called the variance of the entries.",
    statement=Relation(_ENTRY, (sigma_V / sqrt(gamma),)),
    domain=_ENTRIES,
    define=_variance_of_an_entry,
    hypotheses=(VALUES, _ALPHA),
    probes=({sigma_V: Integer(2), gamma: Integer(1)},),
    severity="misprint",
    repair=alpha_is_the_deviation_of_an_entry,
    printed=r"\mathcal{MP}(p, \alpha), \quad \mathcal{MP}^{\boxtimes \ell-1}(1, \sigma_V / \sqrt{\gamma})",
    note=(
        r"The text calls $\alpha$ the variance of the entries of each rescaled matrix. Those of the value "
        r"weights are $\mathcal N(0,\sigma_V^2)$, divided by $\sqrt\gamma$, so that $\alpha$ is their standard "
        r"deviation. The law of the display is right in this parameter."
    ),
)


@dataclass(frozen=True)
class Controlled(Real):
    """The value at which sigma_A sigma_V is sqrt(gamma) times `level`."""

    level: Any = 1

    def value(self, point: Point) -> Any:
        return sqrt(point[gamma]) * scalar_at(self.level, point) / point[sigma_A]

    def of_weight(self, weight: int, point: Point) -> Iterator[Any]:
        if weight == 0:
            yield self.value(point)

    def draw(self, rng: Random, point: Point) -> Any:
        return self.value(point)


def _controlled(latex: str, level: Any) -> Domain:
    """Layers with sigma_A sigma_V = level sqrt(gamma)."""
    fixed = Controlled(sigma_V, 0, open_low=True, level=level)
    on = Condition(
        latex,
        lambda at: (at[sigma_A] * at[sigma_V]) ** 2 == at[gamma] * scalar_at(level, at) ** 2,
        Compare((sigma_A * sigma_V) ** 2, "=", gamma * level**2),
    )
    return Domain(
        tuple(fixed if v.symbol == sigma_V else v for v in DEEP.variables), (*DEEP.conditions, on)
    )


_AT_ONE, _AS_PRINTED = r"\sigma_A\sigma_V=m\sqrt\gamma", r"\sigma_A\sigma_V=\sqrt\gamma"
variance_at_constant_mean = Claim(
    id="naitsaada2025.prop-A.8.no-control.repair",
    parent="naitsaada2025.prop-A.8.no-control",
    source=source("App. A.4", "after Prop. A.8"),
    kind="prose",
    title=(
        r"Where $\sigma_A\sigma_V=m\sqrt\gamma$, which keeps the mean at 1, the variance grows linearly: it "
        r"is $\ell(1+\gamma)$."
    ),
    statement=Relation(VARIANCE, (ell * (1 + gamma),)),
    domain=_controlled(_AT_ONE, mean_Z),
    define=limiting_variance("covariance"),
    hypotheses=(*_hypotheses, Hypothesis(_AT_ONE)),
    uses=(mean_of_the_covariance, variance_of_the_covariance),
    note=(
        "That the mean, a power with exponent $\\ell$, stays constant only there is Prop. A.8 itself, "
        "repaired. $\\mathrm{Var}/\\mathbb E^2=\\ell(1+\\gamma)$ for all weights."
    ),
)
variance_at_constant_mean_as_printed = Claim(
    id="naitsaada2025.prop-A.8.no-control",
    source=source("App. A.4", "after Prop. A.8"),
    kind="prose",
    title=(
        r"$\sigma_A\sigma_V=\sqrt\gamma$, said to keep the mean at 1, makes the variance grow linearly: it is "
        r"$\ell(1+\gamma)$."
    ),
    statement=Relation(VARIANCE, (ell * (1 + gamma),)),
    domain=_controlled(_AS_PRINTED, Integer(1)),
    define=limiting_variance("covariance"),
    hypotheses=(*_hypotheses, Hypothesis(_AS_PRINTED)),
    uses=(mean_of_the_covariance_as_printed, variance_of_the_covariance_as_printed),
    probes=(EIGHTH | {sigma_V: Integer(8)},),
    severity="missing-hypothesis",
    repair=variance_at_constant_mean,
    note=(
        "With another mean $m$ of $Z$ the variance there is $\\ell(1+\\gamma)m^{-4\\ell}$, and the mean "
        "$m^{-2\\ell}$: both exponential in depth. That mean and variance cannot be controlled together "
        f"stands for every $m$. {SCALED}"
    ),
)
