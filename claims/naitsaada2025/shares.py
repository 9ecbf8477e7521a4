r"""Laws of $Z$, and the mean unevenness $\bar r=\mathbb E\|a-T^{-1}1\|^2$ of a row $a$ of $A$.

Means of squared norms through attention without the gap depend on the law of $Z$ through $\bar r$ alone.
Two laws are tried, one with a density and one without.
"""

from __future__ import annotations

from fractions import Fraction
from math import comb
from typing import Any

from sympy import Rational, Symbol

from claims.domain import Choice, Condition, Point
from claims.errors import OnlyMeasured
from claims.model import Hypothesis
from claims.naitsaada2025.notation import mean_Z, sigma_A
from claims.naitsaada2025.second_moments import T_1, Spread, size
from claims.statement import Tends
from claims.terms import family

law = Symbol("Z")
GAMMA, TWO_POINT = "Gamma", "two-point"


def two_points(variance: Any) -> tuple[Any, Any, Any]:
    """Both values and the chance of the larger, for mean 1."""
    return Fraction(1, 2), 1 + 2 * variance, 1 / (1 + 4 * variance)


def mean_unevenness(of: str, variance: Any, tokens: Any) -> Any:
    """E ||a - 1/T||^2 for Z of mean 1 and this variance."""
    if of == GAMMA:
        return variance * (tokens - 1) / (tokens * (tokens + variance))
    if not isinstance(tokens, Fraction):
        raise OnlyMeasured(f"the mean unevenness of a {of} law has no closed form in the size")
    low, high, chance = two_points(variance)
    total, count = Fraction(0), int(tokens)
    for large in range(count + 1):
        weight = comb(count, large) * chance**large * (1 - chance) ** (count - large)
        values = large * high, (count - large) * low
        total += weight * (values[0] * high + values[1] * low) / sum(values) ** 2
    return total - 1 / tokens


def relative_variance(point: Point) -> Rational:
    """Var Z/(E Z)^2."""
    return Rational((point[sigma_A] / point[mean_Z]) ** 2)


def _at_size(point: Point, k: int) -> Rational:
    variance = relative_variance(point)
    exact = Fraction(int(variance.p), int(variance.q))
    found = mean_unevenness(point[law], exact, Fraction(k * int(point[T_1])))
    return Rational(found.numerator, found.denominator)


unevenness = family(r"\bar r_{{{}}}", _at_size)
VARIANCE = (sigma_A / mean_Z) ** 2
_positive: Any = {"low": 0, "open_low": True}
LAWS = (
    Choice(law, (GAMMA, TWO_POINT)), Spread(mean_Z, **_positive), Spread(sigma_A, **_positive),
)  # fmt: skip
TO_THE_VARIANCE = Condition(
    r"T\,\bar r_k\to\sigma_A^2/m^2",
    lambda at: True,  # of either law; `ANY_LAW` says why of all
    Tends(T_1 * size * unevenness(size), size, VARIANCE),
)
IDENTICAL = Hypothesis(
    r"Z_{ij}\ge0\ \text{i.i.d.},\ \mathbb E Z_{ij}=m,\ \mathrm{Var}\,Z_{ij}=\sigma_A^2,\ "
    r"\bar r_k=\mathbb E\|a-T^{-1}1\|^2\ \text{for a row}\ a\ \text{of}\ A"
)
ANY_LAW = (
    r"Of the law of $Z$ only $T\bar r_k\to\sigma_A^2/m^2$ is used, which holds for all with a variance: "
    r"$T\sum_ja_j^2=\frac1T\sum_jZ_j^2\big/\big(\frac1T\sum_jZ_j\big)^2\to1+\sigma_A^2/m^2$ almost surely; "
    r"where $\sum_jZ_j\ge\frac12mT$ it is at most $\frac4{m^2T}\sum_jZ_j^2$, which is uniformly integrable, "
    r"and elsewhere at most $T$, with a probability that is exponentially small since $Z\ge0$."
)
