r"""Laws of $Z$, and the moments of a centred row $y=a-T^{-1}1$, $a=Z/\sum_jZ_j$, that means depend on.

Means of squared norms through attention without the gap depend on the law of $Z$ through
$\bar r=\mathbb E\|y\|^2$ alone, means of their squares through $c$, where $\mathbb E\,yy^\top=cK$ with
$K=I-T^{-1}11^\top$, $f=\mathbb E\|y\|^4$ and $q=\mathbb E\sum_jy_j^4$.  Two laws are tried, one with a density
and one without.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product
from random import Random
from typing import Any

from sympy import Integer, Rational, Symbol

from claims.domain import Choice, Domain, Point, Real
from claims.errors import OnlyMeasured
from claims.iid_shares import Gamma, Iid, Law, TwoPoints
from claims.model import Hypothesis
from claims.naitsaada2025.notation import mean_Z, sigma_A
from claims.terms import family

law = Symbol("Z")
EXPONENTIAL = Hypothesis(r"Z_{ij}\sim\mathrm{Exp}(1)")
GAMMA, TWO_POINT = "Gamma", "two-point"


@dataclass(frozen=True)
class Spread(Real):
    """A positive number; one of two is drawn, since a limit is read off sizes large beside it."""

    drawn: tuple[Any, ...] = (Integer(1), Rational(1, 2))

    def draw(self, rng: Random, point: Point) -> Any:
        return rng.choice(self.drawn)


_positive: Any = {"low": 0, "open_low": True}
LAWS = (
    Choice(law, (GAMMA, TWO_POINT)),
    Spread(mean_Z, **_positive, drawn=(Integer(1), Integer(2))), Spread(sigma_A, **_positive),
)  # fmt: skip
RELATIVE_VARIANCE = (sigma_A / mean_Z) ** 2
ROWS = Domain(LAWS)
"""Rows of attention matrices of any length."""


def relative_variance(point: Point) -> Rational:
    """Var Z/(E Z)^2."""
    return Rational((point[sigma_A] / point[mean_Z]) ** 2)


def two_points(variance: Any) -> tuple[Any, Any, Any]:
    """Both values and the chance of the larger, for mean 1."""
    return Fraction(1, 2), 1 + 2 * variance, 1 / (1 + 4 * variance)


def law_of(name: str, variance: Any, mean: Any = 1) -> Law:
    """A law by its name, this variance beside its squared mean, and its mean."""
    if name == GAMMA:
        return Gamma(1 / variance, mean * variance)
    low, high, chance = two_points(variance)
    return TwoPoints(mean * low, mean * high, chance)


def _law_at(point: Point) -> Law:
    mean = Fraction(Rational(point[mean_Z]))
    return law_of(point[law], Fraction(relative_variance(point)), mean)


Z = Iid("Z", _law_at)
"""The entries of a row before it is brought to sum one."""
SECOND_MOMENT, FOURTH_MOMENT = Z.with_moment(2), Z.with_moment(4)

# A row at one size --------------------------------------------------------------------------------

RowMoment = Callable[[tuple[int, ...]], Any]


def centred_row(of: str, tokens: Any, variance: Any) -> RowMoment:
    """E prod y_p, for Z of mean 1 and this variance; at a size, or for a Gamma law as its function."""
    shares = cache(law_of(of, variance).shares)
    mean = variance**0 / tokens

    @cache
    def moment(places: tuple[int, ...]) -> Any:
        total = 0 * mean
        for kept in product((True, False), repeat=len(places)):
            inside = [p for p, keep in zip(places, kept, strict=True) if keep]
            counts = tuple(sorted(inside.count(p) for p in set(inside)))
            total += (-mean) ** (len(places) - len(inside)) * shares(counts, tokens)
        return total

    return lambda places: moment(tuple(sorted(places)))


def mean_unevenness(of: str, variance: Any, tokens: Any) -> Any:
    """E ||y||^2; at a size that is a number, or as a function of it for a Gamma law."""
    if not isinstance(tokens, Fraction):
        require_closed_form(of)
    length = int(tokens) if isinstance(tokens, Fraction) else tokens
    return tokens * centred_row(of, length, variance)((0, 0))


def require_closed_form(of: str) -> None:
    """Raises `OnlyMeasured` where moments of a row are no rational functions of the size."""
    if of != GAMMA:
        raise OnlyMeasured(f"rows of a {of} law have moments without a closed form in the size")


# The same as sequences in the length --------------------------------------------------------------


def _covariance(row: RowMoment, tokens: Any) -> Any:
    return -tokens * row((0, 1)) if tokens != 1 else Fraction(0)


def _fourth(row: RowMoment, tokens: Any) -> Any:
    pairs = tokens * (tokens - 1) * row((0, 0, 1, 1)) if tokens != 1 else 0
    return tokens * row((0, 0, 0, 0)) + pairs


ROW_MOMENTS: dict[str, Callable[[RowMoment, Any], Any]] = {
    "unevenness": lambda row, tokens: tokens * row((0, 0)),
    "covariance": _covariance,
    "fourth": _fourth,
    "quartic": lambda row, tokens: tokens * row((0, 0, 0, 0)),
}
"""Of a row, by its length."""


def _sequence(symbol: str, moment: Callable[[RowMoment, Any], Any]) -> Any:
    def of_length(point: Point, tokens: int) -> Rational:
        row = centred_row(point[law], tokens, Fraction(relative_variance(point)))
        return Rational(moment(row, tokens))

    return family(symbol, of_length)


unevenness, covariance, fourth, quartic = (
    _sequence(f"{letter}_{{{{{{}}}}}}", moment)
    for letter, moment in zip((r"\bar r", "c", "f", "q"), ROW_MOMENTS.values(), strict=True)
)
_IID = (
    r"Z_{ij}\ge0\ \text{i.i.d.},\ \mathbb E Z_{ij}=m,\ \mathrm{Var}\,Z_{ij}=\sigma_A^2;\quad "
    r"y=a-T^{-1}1,\ a\ \text{a row of}\ A\ \text{(}T^{-1}1\ \text{where that of}\ Z\ \text{vanishes):}\ "
)
IDENTICAL = Hypothesis(_IID + r"\bar r_T=\mathbb E\|y\|^2")
IDENTICAL_WITH_FOUR = Hypothesis(
    _IID + r"\mathbb E\,yy^\top=c_T(I-T^{-1}11^\top),\ f_T=\mathbb E\|y\|^4,\ "
    r"q_T=\mathbb E\,\textstyle\sum_jy_j^4"
)
ANY_LAW = (
    r"Of the law of $Z$ only $T\bar r_T\to\sigma_A^2/m^2$ is used, which holds for all with a variance "
    "(`naitsaada2025.beyond.moments-of-a-row`)."
)
ANY_LAW_OF_FOUR = (
    "Moments of the limit law are limits of mean moments, as in the paper's proof. Of the law of $Z$ only "
    "$T^2c_T\\to\\sigma_A^2/m^2$, $T^2f_T\\to\\sigma_A^4/m^4$ and $T^2q_T\\to0$ are used, which hold for all "
    "with a fourth moment (`naitsaada2025.beyond.moments-of-a-row`)."
)
