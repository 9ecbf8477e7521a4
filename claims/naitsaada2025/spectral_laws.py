r"""The bulk of the spectrum: quarter-circle and circular laws (Sec. 1, Eqs. (7), (15), Lemma A.6).

Even moments of the quarter-circle law on $[0,2\sigma]$ are $C_p\sigma^{2p}$ with Catalan numbers $C_p$; they
determine it.
"""

from __future__ import annotations

from typing import Any

from sympy import Rational, Sum, Symbol, binomial, sqrt

from claims.almost_surely import SureLimit
from claims.domain import Point
from claims.model import Claim, Hypothesis
from claims.naitsaada2025.markov_layers import n
from claims.naitsaada2025.notation import mean_Z, sigma_A, source
from claims.naitsaada2025.spectral_gap import (
    GAUSSIAN,
    MARKOV,
    MEAN,
    MOMENTS,
    ORTHONORMAL,
    TABLE,
    in_regimes,
    law,
    laws,
    regimes,
    second_singular_value_of_a_markov_matrix,
)
from claims.statement import And, Compare, measured_quantity

POWERS = (1, 2, 3)
_place = Symbol("j", integer=True, positive=True)


def catalan(power: int) -> Any:
    """The number of that order."""
    return binomial(2 * power, power) / (power + 1)


def of_the_quarter_circle(power: int) -> Any:
    """cZ and Z/m give the same matrix, whose quarter circle is that of sigma/m."""

    def define(at: Point) -> Any:
        average, deviation = MOMENTS[at[law]]
        return catalan(power) * (deviation / average) ** (2 * power)

    return define


def edge_of_the_quarter_circle(at: Point) -> Any:
    """Twice its deviation."""
    average, deviation = MOMENTS[at[law]]
    return 2 * deviation / average


even_moment = {
    power: SureLimit(
        rf"\lim_{{T\to\infty}}\tfrac1T\textstyle\sum_is_i(\sqrt TA^\perp)^{{{2 * power}}}",
        of_the_quarter_circle(power), of=TABLE.tables, index=n,
        term=n ** (power - 1) * Sum(TABLE.rest(_place, 1) ** (2 * power), (_place, 1, n)),
    )
    for power in POWERS
}  # fmt: skip
first, second, third = even_moment.values()


def _moments_are(deviation: Any) -> And:
    """The first three even moments are those of the quarter-circle law of a deviation."""
    return And(
        tuple(
            Compare(limit, "=", catalan(power) * deviation ** (2 * power))
            for power, limit in even_moment.items()
        )
    )


DEVIATION = Hypothesis(r"\sigma\ \text{of Def. 3.1: the deviation}\ \sigma_A\ \text{of}\ Z_{11}")

quarter_circle_of_any_mean = Claim(
    id="naitsaada2025.lemma-A.6.law.repair",
    parent="naitsaada2025.lemma-A.6.law",
    source=source("App. A.3", "Lemma A.6, Eq. (32)"),
    kind="law",
    title=r"The singular values of $\sqrt TA^\perp$ follow the quarter-circle law of $\sigma/m$.",
    statement=_moments_are(sigma_A / mean_Z),
    domain=laws,
    hypotheses=(MARKOV, DEVIATION, MEAN),
    note="with $m=1$ it is what is printed",
)

quarter_circle_law_without_the_gap = Claim(
    id="naitsaada2025.lemma-A.6.law",
    source=source("App. A.3", "Lemma A.6, Eq. (32)"),
    kind="law",
    title=r"The singular values of $\sqrt TA^\perp$ follow the quarter-circle law of $\sigma$.",
    statement=_moments_are(sigma_A),
    domain=laws,
    hypotheses=(MARKOV, DEVIATION),
    uses=(second_singular_value_of_a_markov_matrix,),
    severity="missing-hypothesis",
    repair=quarter_circle_of_any_mean,
    printed=(
        r"\nu_{\sqrt{T} \mathbf{A}^\perp} := \frac{1}{T} \sum_{i=1}^T \delta_{s_i(\sqrt{T} "
        r"\mathbf{A}^\perp)} \overset{c_b}{\longrightarrow} \mathcal{Q}_\sigma"
    ),
    note=(
        r"By its first three even moments $\sigma^2,2\sigma^4,5\sigma^6$. True at $m=1$; $A$ is the same for "
        r"$cZ$, the printed law is not. For $Z$ exponential times $c$ exactly "
        r"$\mathbb E\|A^\perp\|_F^2=(T-1)/(T+1)\to1$, against $\sigma^2=c^2$. "
        r"Both ends of $\tfrac1n\min_i\tfrac n{S_i}s_{j+1}(Z-m)\le s_j(A^\perp)\le\tfrac1n\max_i\tfrac n{S_i}"
        r"s_j(Z-m)$, $S_i=\sum_kZ_{ik}$, have the quarter circle of $\sigma/m$ for their law."
    ),
)

spectrum_resembles_a_gaussian_matrix = Claim(
    id="naitsaada2025.eq-15",
    source=source("Sec. 3.2", "Eq. (15) and the line after"),
    kind="law",
    title=r"Up to scale, the singular values of $A^\perp$ are those of a Gaussian matrix.",
    statement=Compare(second, "=", 2 * first**2) & Compare(third, "=", 5 * first**3),
    domain=laws,
    hypotheses=(MARKOV,),
    uses=(quarter_circle_law_without_the_gap,),
    note=("read for singular values, whose law is a quarter circle; moments in the ratios $1:2:5$"),
)

edge = {
    place: SureLimit(
        rf"\lim_{{T\to\infty}}\sqrt T\,s_{place}(A^\perp)", edge_of_the_quarter_circle,
        of=TABLE.tables, term=sqrt(n) * TABLE.rest(place, 1), index=n,
    )
    for place in (1, 2)
}  # fmt: skip

no_gap_without_the_mean = Claim(
    id="naitsaada2025.lemma-A.6.no-gap",
    source=source("App. A.3", "Lemma A.6, last sentence"),
    kind="limit",
    title=(
        r"The two largest singular values of $\sqrt TA^\perp$ tend to one limit, the edge of the bulk: no gap."
    ),
    statement=And(tuple(Compare(limit, "=", 2 * sigma_A / mean_Z) for limit in edge.values())),
    domain=laws,
    hypotheses=(MARKOV, MEAN),
    printed=(
        r"\text{Moreover, almost surely, } \mathbf{A}^\perp \text{ does not exhibit any spectral gap}"
    ),
    note=(
        r"As the limit is not zero, $s_1/s_2\to1$ almost surely, and $\sqrt T(s_1-s_2)\to0$. Unlike (32) it "
        r"holds at every mean $m$ of $Z$, as nothing is printed of where the values end."
    ),
)

radius_exponent = measured_quantity(
    r"\lim_{T\to\infty}\tfrac{\mathrm d}{\mathrm d\log T}\mathbb E\log|\lambda_1(A^\perp(X_0))|"
)

moved_eigenvalue = measured_quantity(r"|\lambda_2(A(X_0))|/|\lambda_1(A^\perp(X_0))|")

spectral_radius_without_the_mean = Claim(
    id="naitsaada2025.eq-7.spectral-radius",
    source=source("Sec. 2.4", "after Eq. (7)"),
    kind="rate",
    title=r"Without its mean, softmax attention has a spectral radius of order $T^{-1/2}$.",
    statement=radius_exponent.equals(-Rational(1, 2)) & moved_eigenvalue.equals(1),
    domain=regimes("proportional", "faster", "fixed"),
    hypotheses=(ORTHONORMAL, GAUSSIAN, in_regimes("proportional", "faster", "fixed")),
    printed=r"\lambda_1(\mathbf{A}^\perp) = O(T^{-1/2})",
    note=(
        "in probability and for every growth of $d_{qk}$, fixed widths included, where the singular values "
        "do not fall so fast; Lemma A.3, to which the paper points, bounds them. Almost surely it fails at "
        r"fixed $d_{qk}$, as `naitsaada2025.thm-2.1.lambda2` does. That $T^{-1}11^\top$ moves one "
        r"eigenvalue, from 0 to 1, and no other is exact: $A^\perp1=0$"
    ),
)

bulk_exponent = measured_quantity(
    r"\lim_{T\to\infty}\tfrac{\mathrm d}{\mathrm d\log T}\mathbb E\log|\lambda_2(A)|"
)
disc_moment = {
    degree: measured_quantity(
        rf"\lim_{{T\to\infty}}\tfrac1T\textstyle\sum_{{i\ge2}}|\lambda_i(\sqrt TA)|^{degree}"
    )
    for degree in (2, 4)
}

bulk_of_eigenvalues_is_a_shrinking_disc = Claim(
    id="naitsaada2025.intro.bulk-shrinks",
    source=source("Sec. 1; Fig. 1, caption"),
    kind="rate",
    title=r"The eigenvalues of an i.i.d. Markov matrix but the first fill a disc of order $T^{-1/2}$.",
    statement=bulk_exponent.equals(-Rational(1, 2))
    & disc_moment[2].equals((sigma_A / mean_Z) ** 2 / 2)
    & disc_moment[4].equals((sigma_A / mean_Z) ** 4 / 3),
    domain=laws,
    hypotheses=(MARKOV,),
    note=(
        r"a disc of radius $\sigma/m$ by $|\lambda|^2$ and $|\lambda|^4$, which average to $r^2/2$ "
        r"and $r^4/3$ over "
        "it; the circular law of Bordenave et al. (2011) asks for a bounded density, which these laws have"
    ),
)
