r"""Prop. A.9: mean and variance of the squared singular values of the Jacobian $J_\ell$."""

from __future__ import annotations

from claims.model import Claim, Hypothesis, Relation, variants
from claims.naitsaada2025.notation import ell, gamma, sigma_A, sigma_V, source
from claims.naitsaada2025.second_moments import (
    DEEP,
    GAMMA_LAW,
    OF_THE_LAW,
    SIZES,
    TWICE_AS_WIDE,
    limiting_mean,
    limiting_variance,
)

JACOBIAN = Hypothesis(
    r"J_\ell=(A_\ell^\perp\cdots A_1^\perp)\otimes(W_1^V\cdots W_\ell^V),\ "
    r"D_\ell=\lim\ \text{law of the eigenvalues of}\ J_\ell J_\ell^\top"
)
_hypotheses = (JACOBIAN, GAMMA_LAW, SIZES)
MEAN, VARIANCE = r"\mathbb E(Z),\ Z\sim D_\ell", r"\mathrm{Var}(Z),\ Z\sim D_\ell"
PRINTED, SCALE = (sigma_A * sigma_V) ** 2, (sigma_A * sigma_V) ** 2 / gamma
"""What a layer multiplies the mean by, as printed and as it is."""
_ELSEWHERE = (
    "$T^{-1}\\mathbb E\\,\\mathrm{tr}\\,A^\\perp A^{\\perp\\top}\\sim(\\sigma_A^2/T)^\\ell$ and "
    "$d^{-1}\\mathbb E\\,\\mathrm{tr}\\,W^VW^{V\\top}=(\\sigma_V^2d)^\\ell$: their product carries "
    "$(d/T)^\\ell=\\gamma^{-\\ell}$, which Prop. A.8 has and this one lacks."
)

mean_of_the_jacobian = Claim(
    id="naitsaada2025.prop-A.9.mean.repair",
    parent="naitsaada2025.prop-A.9.mean",
    source=source("App. A.4", "Prop. A.9, Eq. (40)"),
    kind="limit",
    title=(
        r"The limiting squared singular values of $J_\ell$ have mean "
        r"$(\sigma_A\sigma_V/\sqrt\gamma)^{2\ell}$."
    ),
    statement=Relation(MEAN, (SCALE**ell,)),
    domain=DEEP,
    probes=(TWICE_AS_WIDE,),
    define=limiting_mean("jacobian"),
    hypotheses=_hypotheses,
    note=OF_THE_LAW,
)
mean_of_the_jacobian_as_printed = Claim(
    id="naitsaada2025.prop-A.9.mean",
    source=source("App. A.4", "Prop. A.9, Eq. (40)"),
    kind="limit",
    title=r"The limiting squared singular values of $J_\ell$ have mean $(\sigma_A\sigma_V)^{2\ell}$.",
    statement=Relation(MEAN, (PRINTED**ell,)),
    domain=DEEP,
    probes=(TWICE_AS_WIDE,),
    define=limiting_mean("jacobian"),
    hypotheses=_hypotheses,
    mutants=variants(("gamma^l for gamma^-l", (PRINTED * gamma) ** ell), lhs=MEAN),
    severity="material",
    repair=mean_of_the_jacobian,
    printed=r"\mathbb{E}(Z) = (\sigma_A \sigma_V)^{2\ell}",
    note=f"Right for $\\gamma=1$ only. {_ELSEWHERE}",
)

variance_of_the_jacobian = Claim(
    id="naitsaada2025.prop-A.9.variance.repair",
    parent="naitsaada2025.prop-A.9.variance",
    source=source("App. A.4", "Prop. A.9, Eq. (41)"),
    kind="limit",
    title=(
        r"The limiting squared singular values of $J_\ell$ have variance "
        r"$\ell(\ell+2)(\sigma_A\sigma_V/\sqrt\gamma)^{4\ell}$."
    ),
    statement=Relation(VARIANCE, (ell * (ell + 2) * SCALE ** (2 * ell),)),
    domain=DEEP,
    probes=(TWICE_AS_WIDE,),
    define=limiting_variance("jacobian"),
    hypotheses=_hypotheses,
    note=OF_THE_LAW,
)
variance_of_the_jacobian_as_printed = Claim(
    id="naitsaada2025.prop-A.9.variance",
    source=source("App. A.4", "Prop. A.9, Eq. (41)"),
    kind="limit",
    title=(
        r"The limiting squared singular values of $J_\ell$ have variance "
        r"$\ell(\ell+2)(\sigma_A\sigma_V)^{4\ell}$."
    ),
    statement=Relation(VARIANCE, (ell * (ell + 2) * PRINTED ** (2 * ell),)),
    domain=DEEP,
    probes=(TWICE_AS_WIDE,),
    define=limiting_variance("jacobian"),
    hypotheses=_hypotheses,
    uses=(mean_of_the_jacobian_as_printed,),
    severity="material",
    repair=variance_of_the_jacobian,
    printed=r"\text{Var}(Z) = \ell(\ell + 2)(\sigma_A \sigma_V)^{4\ell}",
    note=f"Right for $\\gamma=1$ only, and the factor $\\ell(\\ell+2)$ for all $\\gamma$. {_ELSEWHERE}",
)
