r"""Prop. A.9: mean and variance of the squared singular values of the Jacobian $J_\ell$."""

from __future__ import annotations

from typing import Any

from sympy import Integer, Rational

from claims.domain import Choice, Condition, Domain, Point
from claims.model import Claim, Hypothesis, Relation, variants
from claims.naitsaada2025.free_products import (
    fuss_catalan,
    moments_are_fuss_catalan_numbers,
    power,
)
from claims.naitsaada2025.notation import ell, gamma, mean_Z, sigma_A, sigma_V, source
from claims.naitsaada2025.row_moments import moments_of_a_row
from claims.naitsaada2025.second_moments import (
    DEEP,
    MEAN,
    SIZES,
    TWICE_AS_WIDE,
    VALUES,
    VARIANCE,
    at_one,
    limiting_mean,
    limiting_square,
    limiting_variance,
)
from claims.naitsaada2025.shares import ANY_LAW_OF_FOUR, IDENTICAL_WITH_FOUR
from claims.statement import Compare

JACOBIAN = Hypothesis(
    r"J_\ell=(A_\ell^\perp\cdots A_1^\perp)\otimes(W_1^V\cdots W_\ell^V),\ "
    r"D_\ell=\lim\ \text{law of the eigenvalues of}\ J_\ell J_\ell^\top"
)
_hypotheses = (JACOBIAN, IDENTICAL_WITH_FOUR, VALUES, SIZES)
AT_MEAN_ONE = at_one(DEEP, mean_Z)
_printed_at = (*_hypotheses, Hypothesis(r"m=1,\ \text{where the print is false already}"))
PRINTED = (sigma_A * sigma_V) ** 2
SCALE = PRINTED / (mean_Z**2 * gamma)
"""What a layer multiplies the mean by, as printed and as it is."""
_ELSEWHERE = (
    "$T^{-1}\\mathbb E\\,\\mathrm{tr}\\,A^\\perp A^{\\perp\\top}\\sim(\\sigma_A^2/(m^2T))^\\ell$ and "
    "$d^{-1}\\mathbb E\\,\\mathrm{tr}\\,W^VW^{V\\top}=(\\sigma_V^2d)^\\ell$: their product carries "
    "$(d/T)^\\ell=\\gamma^{-\\ell}$, which Prop. A.8 has and this one lacks. "
    "Besides, $\\sigma_A/m$ takes the place of $\\sigma_A$ where $m\\ne1$, as in Prop. A.8."
)

mean_of_the_jacobian = Claim(
    id="naitsaada2025.prop-A.9.mean.repair",
    parent="naitsaada2025.prop-A.9.mean",
    source=source("App. A.4", "Prop. A.9, Eq. (40)"),
    kind="limit",
    title=(
        r"The limiting squared singular values of $J_\ell$ have mean "
        r"$(\sigma_A\sigma_V/(m\sqrt\gamma))^{2\ell}$."
    ),
    statement=Relation(MEAN, (SCALE**ell,)),
    domain=DEEP,
    probes=(TWICE_AS_WIDE,),
    define=limiting_mean,
    hypotheses=_hypotheses,
    uses=(moments_of_a_row,),
    note=ANY_LAW_OF_FOUR,
)
mean_of_the_jacobian_as_printed = Claim(
    id="naitsaada2025.prop-A.9.mean",
    source=source("App. A.4", "Prop. A.9, Eq. (40)"),
    kind="limit",
    title=r"The limiting squared singular values of $J_\ell$ have mean $(\sigma_A\sigma_V)^{2\ell}$.",
    statement=Relation(MEAN, (PRINTED**ell,)),
    domain=AT_MEAN_ONE,
    probes=(TWICE_AS_WIDE,),
    define=limiting_mean,
    hypotheses=_printed_at,
    mutants=variants(("gamma^l for gamma^-l", (PRINTED * gamma) ** ell), lhs=MEAN),
    severity="material",
    repair=mean_of_the_jacobian,
    printed=r"\mathbb{E}(Z) = (\sigma_A \sigma_V)^{2\ell}",
    note=f"For $m=1$ right at $\\gamma=1$ only. {_ELSEWHERE}",
)

variance_of_the_jacobian = Claim(
    id="naitsaada2025.prop-A.9.variance.repair",
    parent="naitsaada2025.prop-A.9.variance",
    source=source("App. A.4", "Prop. A.9, Eq. (41)"),
    kind="limit",
    title=(
        r"The limiting squared singular values of $J_\ell$ have variance "
        r"$\ell(\ell+2)(\sigma_A\sigma_V/(m\sqrt\gamma))^{4\ell}$."
    ),
    statement=Relation(VARIANCE, (ell * (ell + 2) * SCALE ** (2 * ell),)),
    domain=DEEP,
    probes=(TWICE_AS_WIDE,),
    define=limiting_variance("jacobian"),
    hypotheses=_hypotheses,
    uses=(moments_of_a_row,),
    note=ANY_LAW_OF_FOUR,
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
    domain=AT_MEAN_ONE,
    probes=(TWICE_AS_WIDE,),
    define=limiting_variance("jacobian"),
    hypotheses=_printed_at,
    uses=(mean_of_the_jacobian_as_printed,),
    severity="material",
    repair=variance_of_the_jacobian,
    printed=r"\text{Var}(Z) = \ell(\ell + 2)(\sigma_A \sigma_V)^{4\ell}",
    note=f"For $m=1$ right at $\\gamma=1$ only, and the factor $\\ell(\\ell+2)$ always. {_ELSEWHERE}",
)

# The moments of the proof, and dynamical isometry -------------------------------------------------

_MOMENT = r"\lim\mathbb E\tfrac1{Td}\mathrm{tr}(J_\ell J_\ell^\top)^k"
_ORDERS = Choice(power, (Integer(1), Integer(2)))
_with_orders = Domain((*DEEP.variables, _ORDERS), DEEP.conditions)
_orders = (*_hypotheses, Hypothesis(r"k\in\{1,2\}:\ \text{what the proposition needs}"))


def limiting_moment(point: Point) -> Any:
    """The limit of the first or the second moment."""
    moments = (limiting_mean, limiting_square("jacobian"))
    return moments[int(point[power]) - 1](point)


moments_of_the_jacobian = Claim(
    id="naitsaada2025.proof-A.9.moment.repair",
    parent="naitsaada2025.proof-A.9.moment",
    source=source("App. A.2", "proof of Prop. A.9"),
    kind="limit",
    title=r"The $k$-th moment tends to $(\sigma_A^2\sigma_V^2/(m^2\gamma))^{\ell k}\,\mathrm{FC}_\ell(k)^2$.",
    statement=Relation(_MOMENT, (SCALE ** (ell * power) * fuss_catalan(ell, power) ** 2,)),
    domain=_with_orders,
    define=limiting_moment,
    hypotheses=_orders,
    uses=(moments_of_a_row,),
    note=ANY_LAW_OF_FOUR,
)
moments_of_the_jacobian_as_printed = Claim(
    id="naitsaada2025.proof-A.9.moment",
    source=source("App. A.2", "proof of Prop. A.9"),
    kind="limit",
    title=(
        r"The $k$-th moment tends to $(\sigma_A^2)^k\,\mathrm{FC}_\ell(k)\times"
        r"(\sigma_V^2)^k\,\mathrm{FC}_\ell(k)$."
    ),
    statement=Relation(_MOMENT, (PRINTED**power * fuss_catalan(ell, power) ** 2,)),
    domain=Domain((*AT_MEAN_ONE.variables, _ORDERS), DEEP.conditions),
    define=limiting_moment,
    hypotheses=(*_orders, _printed_at[-1]),
    uses=(moments_are_fuss_catalan_numbers,),
    probes=({**TWICE_AS_WIDE, sigma_V: Integer(1), power: Integer(1)},),
    severity="material",
    repair=moments_of_the_jacobian,
    printed=(
        r"\lim_{T, d \rightarrow \infty} \mathbb{E} \left[ \frac{1}{Td} \text{tr}(\mathbf{J}_\ell "
        r"\mathbf{J}_\ell^\top)^k \right] = (\sigma_A^2)^k \text{FC}_\ell(k) \times (\sigma_V^2)^k "
        r"\text{FC}_\ell(k)"
    ),
    note=(
        "Variances enter with each of the $\\ell$ layers, so that the exponent is $\\ell k$, as the "
        "proposition has it; and $W$ of entries of variance $\\sigma_V^2$ has singular values like "
        "$\\sqrt d$, those of $A^\\perp$ are like $T^{-1/2}$: the factor $(d/T)^{\\ell k}$ remains. "
        "For $m\\ne1$ it is $\\sigma_A/m$ that enters."
    ),
)

_GROWTH = r"\frac{\mathbb E_{Z\sim D_{\ell+1}}(Z)}{\mathbb E_{Z\sim D_\ell}(Z)}"
_small = Condition(
    r"\sigma_A\sigma_V<1",
    lambda at: at[sigma_A] * at[sigma_V] < 1,
    Compare(sigma_A * sigma_V, "<", 1),
)
_small_enough = Condition(
    r"(\sigma_A\sigma_V)^2<m^2\gamma",
    lambda at: (at[sigma_A] * at[sigma_V]) ** 2 < at[mean_Z] ** 2 * at[gamma],
    Compare((sigma_A * sigma_V) ** 2, "<", mean_Z**2 * gamma),
)


def growth_of_the_mean(point: Point) -> Any:
    """What one more layer multiplies the mean by."""
    deeper = {**point, ell: point[ell] + 1}
    return limiting_mean(deeper) / limiting_mean(point)


mean_vanishes_below_the_ratio = Claim(
    id="naitsaada2025.prop-A.9.no-isometry.repair",
    parent="naitsaada2025.prop-A.9.no-isometry",
    source=source("App. A.4", "after Prop. A.9"),
    kind="prose",
    title=r"For $\sigma_A\sigma_V<m\sqrt\gamma$ every layer shrinks the mean, which vanishes with depth.",
    statement=Relation(_GROWTH, (Integer(1),), "<"),
    domain=DEEP.with_conditions(_small_enough),
    define=growth_of_the_mean,
    hypotheses=(*_hypotheses, Hypothesis(r"\sigma_A\sigma_V<m\sqrt\gamma")),
    note=(
        "With $s=\\sigma_A\\sigma_V/(m\\sqrt\\gamma)$ the mean is $s^{2\\ell}$ and the variance "
        "$\\ell(\\ell+2)s^{4\\ell}$: constant and quadratic at $s=1$, and small only for $s<1$. No choice "
        "gives dynamical isometry: that conclusion stands."
    ),
)
mean_vanishes_below_one = Claim(
    id="naitsaada2025.prop-A.9.no-isometry",
    source=source("App. A.4", "after Prop. A.9"),
    kind="prose",
    title=(
        r"$\sigma_A\sigma_V<1$, which a small variance needs, makes the mean vanish with depth: every "
        "layer shrinks it."
    ),
    statement=Relation(_GROWTH, (Integer(1),), "<"),
    domain=AT_MEAN_ONE.with_conditions(_small),
    define=growth_of_the_mean,
    hypotheses=(*_printed_at, Hypothesis(r"\sigma_A\sigma_V<1")),
    uses=(mean_of_the_jacobian_as_printed, variance_of_the_jacobian_as_printed),
    probes=(DEEP.completed({**TWICE_AS_WIDE, ell: Integer(1), sigma_V: Rational(9, 10)}),),
    severity="material",
    repair=mean_vanishes_below_the_ratio,
    note=(
        "For $\\gamma\\le(\\sigma_A\\sigma_V)^2<1$ the mean does not vanish, and the variance grows: the "
        "threshold is $\\sqrt\\gamma$, as (40) and (41) lack their powers of $\\gamma$. The section begins "
        "with the outlier of softmax attention, established, it says, in Section 3: in Section 2."
    ),
)
