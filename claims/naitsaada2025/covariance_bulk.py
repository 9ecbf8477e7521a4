r"""Prop. A.8: mean and variance of the singular values of the covariance $\Sigma_\ell^\perp$."""

from __future__ import annotations

from sympy import Integer, Symbol

from claims.domain import Choice, Domain, Size
from claims.model import Claim, Hypothesis, Relation, variants
from claims.naitsaada2025.notation import ell, gamma, sigma_A, sigma_V, source
from claims.naitsaada2025.second_moments import (
    DEEP,
    GAMMA_LAW,
    OF_THE_LAW,
    ORTHONORMAL,
    RATIO,
    SIZES,
    T_1,
    TWICE_AS_WIDE,
    d_1,
    limiting_mean,
    limiting_variance,
)
from claims.statement import Quantity

COVARIANCE = Hypothesis(
    r"\Sigma_\ell^\perp=X_\ell^\perp X_\ell^{\perp\top}\ \text{of model (16)},\ "
    r"D_\ell=\lim\ \text{law of its singular values}"
)
_hypotheses = (COVARIANCE, ORTHONORMAL, GAMMA_LAW, SIZES)
MEAN, VARIANCE = r"\mathbb E(Z),\ Z\sim D_\ell", r"\mathrm{Var}(Z),\ Z\sim D_\ell"
SCALE = (sigma_A * sigma_V) ** 2 / gamma

mean_of_the_covariance = Claim(
    id="naitsaada2025.prop-A.8.mean",
    source=source("App. A.4", "Prop. A.8, Eq. (35)"),
    kind="limit",
    title=(
        r"The limiting singular values of $\Sigma_\ell^\perp$ have mean "
        r"$(\sigma_A\sigma_V/\sqrt\gamma)^{2\ell}$."
    ),
    statement=Relation(MEAN, (SCALE**ell,)),
    domain=DEEP,
    define=limiting_mean("covariance"),
    hypotheses=_hypotheses,
    mutants=variants(("gamma^-1 once", (sigma_A * sigma_V) ** (2 * ell) / gamma), lhs=MEAN),
    probes=(TWICE_AS_WIDE,),
    printed=r"\mathbb{E}(Z) = (\sigma_A \sigma_V / \sqrt{\gamma})^{2\ell}",
    note=OF_THE_LAW,
)

_variance = ell * (1 + gamma) * SCALE ** (2 * ell)
variance_of_the_covariance = Claim(
    id="naitsaada2025.prop-A.8.variance",
    source=source("App. A.4", "Prop. A.8, Eq. (36)"),
    kind="limit",
    title=(
        r"The limiting singular values of $\Sigma_\ell^\perp$ have variance "
        r"$\ell(1+\gamma)(\sigma_A\sigma_V/\sqrt\gamma)^{4\ell}$."
    ),
    statement=Relation(VARIANCE, (_variance,)),
    domain=DEEP,
    define=limiting_variance("covariance"),
    hypotheses=_hypotheses,
    probes=(TWICE_AS_WIDE,),
    printed=r"\text{Var}(Z) = \ell(1 + \gamma)(\sigma_A \sigma_V / \sqrt{\gamma})^{4\ell}",
    note=(
        "Each $A^\\perp$ adds 1 and each $W^V$ adds $\\gamma$, seen from the $T$ tokens. Read as free "
        "convolution of the laws that the proof names, the sum would be $2\\ell-1+\\gamma$: two errors "
        f"of the printed proof cancel. {OF_THE_LAW}"
    ),
)

# More tokens than features ------------------------------------------------------------------------

kept = Symbol("c", integer=True, nonnegative=True)
_more_tokens = Domain(
    (
        Size(ell, 1, 2), Choice(T_1, (Integer(2),)), Choice(d_1, (Integer(1),)), RATIO,
        Choice(sigma_A, (Integer(1),)), Choice(sigma_V, (Integer(1),)),
        Choice(kept, (Integer(0), Integer(1))),
    )
)  # fmt: skip
whole_mean = Quantity(
    r"\mathbb E(Z),\ Z\sim\lim\ \text{law of}\ \Sigma_\ell^\perp", limiting_mean("covariance")
)

mean_with_more_tokens_than_features = Claim(
    id="naitsaada2025.prop-A.8.gamma-above-1",
    source=source("App. A.4", "after Prop. A.8"),
    kind="prose",
    title=(
        r"For $\gamma>1$ the limit law is $(1-\gamma^{-1})\delta_0+\gamma^{-1}D_\ell$, so that its mean is "
        r"$\gamma^{-1}$ times that of $D_\ell$."
    ),
    statement=whole_mean.equals(gamma**kept * SCALE**ell / gamma),
    domain=_more_tokens,
    hypotheses=(
        COVARIANCE, GAMMA_LAW, SIZES,
        Hypothesis(r"X_0W_1^V\ \text{Gaussian},\ T\times d\ \text{(no}\ X_0X_0^\top=I\ \text{for}\ T>d)"),
        Hypothesis(
            r"D_\ell\ \text{has mean}\ \gamma^c\,(\sigma_A\sigma_V/\sqrt\gamma)^{2\ell}:\ c=0\ \text{as in "
            r"Prop. A.8},\ c=1\ \text{for the law of the non-zero values}"
        ),
    ),
    left_open=(kept,),
    printed=r"(1 - \gamma^{-1})\delta_0 + \gamma^{-1}\mathcal{D}_\ell",
    note=(
        "The share $1-\\gamma^{-1}$ of zeros is right. (35) and (36) hold for all $\\gamma$ as they stand, "
        "zeros included: with $D_\\ell$ as in Prop. A.8 the mixture would be wrong, and nothing is to "
        "be adjusted; with $D_\\ell$ the law of the non-zero values, whose mean is $\\gamma$ times (35), "
        "it is right by definition. The print does not say which."
    ),
)  # fmt: skip
