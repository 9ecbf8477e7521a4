r"""App. A.4: which law of a product of free matrices $\boxtimes$ gives, read off two square Gaussians.

For laws on $[0,\infty)$ the second moment of $\nu\boxtimes\nu'$ is $m_2m_1'^2+m_1^2m_2'-m_1^2m_1'^2$, its mean
$m_1m_1'$.  The quarter-circle law on $[0,2\sigma]$ has the moments $m_1=8\sigma/(3\pi)$ and $m_2=\sigma^2$.
"""

from __future__ import annotations

from typing import Any

from sympy import Integer, Rational, pi, symbols

from claims.definitions import entries, expectation, frobenius_square
from claims.domain import Domain, Point, Real, Size
from claims.model import Claim, Hypothesis, Relation, variants
from claims.naitsaada2025.notation import T, source

sigma, other = symbols(r"\sigma \sigma'", positive=True)


def mean_square(at: Point) -> Any:
    """E ||MM'||_F^2 / T, entry by entry."""
    first, second = (entries(name, int(at[T]), int(at[T])) for name in ("m", "w"))
    variances = dict.fromkeys(first, at[sigma] ** 2 / at[T])
    variances |= dict.fromkeys(second, at[other] ** 2 / at[T])
    return expectation(frobenius_square(first * second), variances) / at[T]


_MEAN = r"\mathbb E\,\tfrac1T\textstyle\sum_is_i^2(MM')"
_share = (Rational(8, 3) / pi) ** 2
"""The squared mean of the quarter-circle law over its second moment."""
_one: Any = {
    "source": source("App. A.4", "free multiplicative convolution"),
    "kind": "limit",
    "domain": Domain((Size(T, 1, 3), Real(sigma, 0, open_low=True), Real(other, 0, open_low=True))),
    "define": mean_square,
}
_gaussians = Hypothesis(
    r"M,M'\in\mathbb R^{T\times T}\ \text{independent, entries}\ \mathcal N(0,\sigma^2/T)\ \text{and}\ "
    r"\mathcal N(0,\sigma'^2/T)"
)
_AT_EVERY_SIZE = Hypothesis(
    r"\textstyle\int x^2\,d\nu_{MM'}=\tfrac1T\sum_is_i^2(MM'):\ \text{its mean is the same at every}\ T"
)

squared_singular_values_multiply_freely = Claim(
    id="naitsaada2025.app-A.4.free-convolution.repair",
    parent="naitsaada2025.app-A.4.free-convolution",
    title=(
        r"The squared singular values of a product of free matrices follow $\boxtimes$ of the laws of "
        "squared singular values: in the mean, for two Gaussians."
    ),
    statement=Relation(_MEAN, (sigma**2 * other**2,)),
    hypotheses=(
        _gaussians,
        _AT_EVERY_SIZE,
        Hypothesis(
            r"\text{with the laws}\ \rho,\rho'\ \text{of}\ s_i^2(M),s_i^2(M'):\ \rho\boxtimes\rho'\ "
            r"\text{has the mean}\ \sigma^2\sigma'^2"
        ),
    ),
    mutants=variants(("sigma for sigma^2", sigma * other), lhs=_MEAN),
    note=(
        "Further moments of such products are those of Prop. A.9's proof, with Fuss-Catalan numbers; the "
        "paper's own uses of $\\boxtimes$ are of squared singular values."
    ),
    **_one,
)
singular_values_multiply_freely = Claim(
    id="naitsaada2025.app-A.4.free-convolution",
    title=(
        r"The singular values of a product of free matrices follow $\nu\boxtimes\nu'$ of their laws: in the "
        "second moment, for two Gaussians."
    ),
    statement=Relation(_MEAN, (sigma**2 * other**2 * (2 * _share - _share**2),)),
    hypotheses=(
        _gaussians,
        _AT_EVERY_SIZE,
        Hypothesis(
            r"\nu,\nu'\ \text{quarter-circle laws}:\ m_2(\nu\boxtimes\nu')=m_2m_1'^2+m_1^2m_2'-m_1^2m_1'^2,\ "
            r"m_1=8\sigma/(3\pi),\ m_2=\sigma^2"
        ),
    ),
    probes=({T: Integer(2), sigma: Integer(1), other: Integer(1)},),
    severity="misprint",
    repair=squared_singular_values_multiply_freely,
    printed=(
        r"\nu_{\mathbf{M}_n \mathbf{M}'_n} \xrightarrow{n \rightarrow \infty} \nu \boxtimes \nu'"
    ),
    note=(
        r"Sec. 2.1 defines $\nu_M$ by the singular values $s_i(M)$. $\boxtimes$ multiplies free positive "
        r"elements, $M^\top M$ and $M'M'^\top$, and the laws of $|M|$ and $|M'|$ give that of another "
        r"product: for $\sigma=\sigma'=1$ its second moment is $0.92$, and that of $MM'$ is 1 at every size. "
        "Lemma A.7 and the propositions are about squared singular values, where it is right."
    ),
    **_one,
)
