r"""Laws of $Z$, and the moments of a centred row $y=a-T^{-1}1$, $a=Z/\sum_jZ_j$, that means depend on.

Means of squared norms through attention without the gap depend on the law of $Z$ through
$\bar r=\mathbb E\|y\|^2$ alone, means of their squares through $c$, where $\mathbb E\,yy^\top=cK$ with
$K=I-T^{-1}11^\top$, $f=\mathbb E\|y\|^4$ and $q=\mathbb E\sum_jy_j^4$.  Two laws are tried, one with a density
and one without.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product
from math import comb, prod
from random import Random
from typing import Any

from sympy import Integer, Rational, Symbol

from claims.domain import Choice, Domain, Point, Real, Size
from claims.errors import OnlyMeasured
from claims.model import Hypothesis
from claims.naitsaada2025.notation import T_1, mean_Z, sigma_A, size
from claims.statement import Tends
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
ROWS = Domain((Size(T_1, 1, 2, reach=4), *LAWS))
"""Rows of attention matrices of growing size."""


def relative_variance(point: Point) -> Rational:
    """Var Z/(E Z)^2."""
    return Rational((point[sigma_A] / point[mean_Z]) ** 2)


def two_points(variance: Any) -> tuple[Any, Any, Any]:
    """Both values and the chance of the larger, for mean 1."""
    return Fraction(1, 2), 1 + 2 * variance, 1 / (1 + 4 * variance)


# A row at one size --------------------------------------------------------------------------------

RowMoment = Callable[[tuple[int, ...]], Any]


def _of_gamma(counts: Sequence[int], tokens: Any, variance: Any) -> Any:
    """Shares have a Dirichlet law."""

    def rising(start: Any, steps: int) -> Any:
        return prod((start + j for j in range(steps)), start=one)

    one, shape = variance**0, 1 / variance
    own = prod((rising(shape, c) for c in counts), start=one)
    return own / rising(shape * tokens, sum(counts))


def _of_two_points(counts: Sequence[int], tokens: int, variance: Fraction) -> Fraction:
    """What the places that count hold, and how many of the others are large."""
    low, high, chance = two_points(variance)
    rest, total = tokens - len(counts), Fraction(0)
    for large in product((False, True), repeat=len(counts)):
        held = [high if each else low for each in large]
        own = prod((z**c for z, c in zip(held, counts, strict=True)), start=Fraction(1))
        own *= chance ** sum(large) * (1 - chance) ** (len(large) - sum(large))
        for more in range(rest + 1):
            weight = comb(rest, more) * chance**more * (1 - chance) ** (rest - more)
            whole = sum(held) + more * high + (rest - more) * low
            total += own * weight / whole ** sum(counts)
    return total


def centred_row(of: str, tokens: Any, variance: Any) -> RowMoment:
    """E prod y_p, for Z of mean 1 and this variance; at a size, or for a Gamma law as its function."""
    shares = cache(_of_gamma if of == GAMMA else _of_two_points)
    mean = variance**0 / tokens

    @cache
    def moment(places: tuple[int, ...]) -> Any:
        total = 0 * mean
        for kept in product((True, False), repeat=len(places)):
            inside = [p for p, keep in zip(places, kept, strict=True) if keep]
            counts = tuple(sorted(inside.count(p) for p in set(inside)))
            total += (-mean) ** (len(places) - len(inside)) * shares(counts, tokens, variance)
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


# The same as sequences in the size ----------------------------------------------------------------


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
    def at_size(point: Point, k: int) -> Rational:
        tokens = k * int(point[T_1])
        variance = Fraction(relative_variance(point))
        return Rational(moment(centred_row(point[law], tokens, variance), tokens))

    return family(symbol, at_size)


unevenness, covariance, fourth, quartic = (
    _sequence(f"{letter}_{{{{{{}}}}}}", moment)
    for letter, moment in zip((r"\bar r", "c", "f", "q"), ROW_MOMENTS.values(), strict=True)
)
_T = T_1 * size


UNEVENNESS_TENDS = Tends(_T * unevenness(size), size, RELATIVE_VARIANCE)
COVARIANCE_TENDS = Tends(_T**2 * covariance(size), size, RELATIVE_VARIANCE)
FOURTH_TENDS = Tends(_T**2 * fourth(size), size, RELATIVE_VARIANCE**2)
QUARTIC_TENDS = Tends(_T**2 * quartic(size), size, Integer(0))
"""What a row's moments tend to for every law of Z: `naitsaada2025.beyond.moments-of-a-row`."""
_IID = (
    r"Z_{ij}\ge0\ \text{i.i.d.},\ \mathbb E Z_{ij}=m,\ \mathrm{Var}\,Z_{ij}=\sigma_A^2;\quad "
    r"y=a-T^{-1}1,\ a\ \text{a row of}\ A:\ "
)
IDENTICAL = Hypothesis(_IID + r"\bar r_k=\mathbb E\|y\|^2")
IDENTICAL_WITH_FOUR = Hypothesis(
    _IID + r"\mathbb E\,yy^\top=c_k(I-T^{-1}11^\top),\ f_k=\mathbb E\|y\|^4,\ "
    r"q_k=\mathbb E\,\textstyle\sum_jy_j^4"
)
ANY_LAW = (
    r"Of the law of $Z$ only $T\bar r_k\to\sigma_A^2/m^2$ is used, which holds for all with a variance; "
    "that is argued in words (`naitsaada2025.beyond.moments-of-a-row`)."
)
ANY_LAW_OF_FOUR = (
    "Moments of the limit law are limits of mean moments, as in the paper's proof. Of the law of $Z$ only "
    "$T^2c_k\\to\\sigma_A^2/m^2$, $T^2f_k\\to\\sigma_A^4/m^4$ and $T^2q_k\\to0$ are used, which hold for all "
    "with a fourth moment; that is argued in words (`naitsaada2025.beyond.moments-of-a-row`)."
)
