r"""Growth $N_k=R_1\cdots R_k$ behind Gaussian matrices: each $R_i$ is a mean of chi-squares.

$\|MW_1\cdots W_k\|_F^2=\|M\|_F^2N_k$ for independent $W_i$ with $d$ columns and standard Gaussian entries:
given what stands before $W_i$, $R_i=\sum_jp_j\chi^2_{d,j}$ with the shares $p_j$ of its squared singular
values.  Behind one row $R_i$ is $\chi^2_d$.  Of several such products the factors follow one another.

Values: $\sum_jp_j\chi^2_{d,j}$ has a mixture of chi-square laws (H. Ruben, Ann. Math. Statist. 33, 1962).
With $n$ equal shares it is the law of $\chi^2_{nd}/n$.  For independent $X,Y$ with the densities
$x^{k-1}e^{-x}/(k-1)!$ and $y^{m-1}e^{-y}/(m-1)!$,
$P(XY>s)=\sum_{j<k}2s^{(m+j)/2}K_{m-j}(2\sqrt s)/(j!(m-1)!)$.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import Any

import flint
from sympy import ImmutableDenseMatrix, Poly, Rational, Symbol, sympify

from claims.errors import OnlyMeasured
from claims.fixed import Fixed
from claims.terms import family

__all__ = ["Growth", "Member", "Shares", "chance"]

Point = Mapping[Any, Any]
BITS, DIGITS = 640, 60
WIDTH = flint.arb("1e-60")
"""How far the ends of a computed ball may be apart."""
_SMALL = 165.0
"""A series goes on until powers of its rate are below e^-165, some 10^-72."""
MOST_TERMS, MOST_ROWS = 7000, 6


@dataclass(frozen=True)
class Shares:
    """A matrix that is not negative, of trace one, whose eigenvalues are the shares of a factor."""

    gram: ImmutableDenseMatrix

    @staticmethod
    def equal(count: int) -> Shares:
        """So many shares of one size."""
        return Shares(ImmutableDenseMatrix(count, count, lambda i, j: Rational(i == j, count)))


@dataclass(frozen=True, eq=False)
class Member:
    """What a family of this module is made of."""

    of: Growth
    kind: str


class Growth(Fixed):
    r"""Families of the degrees of freedom, a number of factors and a level; `shares` gives those of a factor.

    They are those of a point and a place, from one on; it raises `OnlyMeasured` where they depend on the
    factors before.  The degrees of freedom are an argument, so that no theorem can put others in unseen.

    >>> from sympy import Integer
    >>> from claims.terms import value_of
    >>> behind_a_row = Growth("N", lambda at, place: Shares.equal(1))
    >>> value_of(behind_a_row.above(2, Integer(1), Integer(2)), {}).quantize(Decimal("1e-6"))
    Decimal('0.367879')
    """

    def __init__(self, name: str, shares: Callable[[Point, int], Shares]):
        self.name, self.shares = name, shares
        grown = rf"{name}_{{{{{{1}}}}}}^{{{{({{0}})}}}}"
        factor = r"R_{{{1}}}^{{({0})}}"
        self.above = self._family("above", rf"\mathbb P({grown}>{{2}})", self._above)
        self.below = self._family("below", rf"\mathbb P({grown}<{{2}})", self._below)
        self.factor = self._family("factor", rf"\mathbb P({factor}<{{2}})", self._factor)

    def _family(self, kind: str, name: str, define: Callable[..., Any]) -> Any:
        made = family(name, define)
        made.growth = Member(self, kind)
        return made

    def _factors(self, at: Point, count: int) -> tuple[Shares, ...]:
        return tuple(self.shares(at, place) for place in range(1, count + 1))

    def _above(self, at: Point, freedom: int, count: int, level: Any) -> Any:
        return _digits(lambda: 1 - self._chance(at, freedom, count, level, strict=False))

    def _below(self, at: Point, freedom: int, count: int, level: Any) -> Any:
        return _digits(lambda: self._chance(at, freedom, count, level, strict=True))

    def _chance(
        self, at: Point, freedom: int, count: int, level: Any, *, strict: bool
    ) -> flint.arb:
        _require_whole(freedom, 1)
        _require_whole(count, 0)
        return chance(freedom, self._factors(at, count), _rational(level), strict)

    def _factor(self, at: Point, freedom: int, place: int, level: Any) -> Any:
        _require_whole(freedom, 1)
        _require_whole(place, 1)
        only = (self.shares(at, place),)
        return _digits(lambda: chance(freedom, only, _rational(level), strict=True))


def _require_whole(number: Any, least: int) -> None:
    if not isinstance(number, int) or number < least:
        raise ValueError(f"{number} degrees of freedom or factors: there are {least} or more")


def _digits(value: Callable[[], flint.arb]) -> Decimal:
    with flint.ctx.workprec(BITS):
        found = value()
        if not 2 * found.rad() < WIDTH:
            raise OnlyMeasured("a chance that is not known to enough digits: measure it")
        return Decimal(found.str(DIGITS, radius=False))


def _rational(level: Any) -> Rational:
    exact = sympify(level)
    if not exact.is_Rational:
        raise OnlyMeasured(f"a chance at {level}, which is no rational number: measure it")
    return Rational(exact)


def _arb(x: Rational) -> flint.arb:
    return flint.arb(flint.fmpq(int(x.p), int(x.q)))


def chance(freedom: int, factors: tuple[Shares, ...], level: Rational, strict: bool) -> flint.arb:
    """P(N <= level) for the product, or P(N < level), which differs for the empty product alone."""
    if not factors:
        return flint.arb(1 if level > 1 or (level == 1 and not strict) else 0)
    if level <= 0:
        return flint.arb(0)
    if len(factors) == 1:
        return _one(freedom, factors[0], level)
    counts = [_equal(_spectrum(each.gram)) for each in factors]
    if len(factors) > 2 or None in counts or any(freedom * n % 2 for n in counts):  # type: ignore[operator]
        raise OnlyMeasured("a product of means of chi-squares without a closed form: measure it")
    first, second = counts
    scaled = level * first * second / 4  # type: ignore[operator]
    return 1 - _of_two(freedom * first // 2, freedom * second // 2, _arb(scaled))  # type: ignore[operator]


def _of_two(k: int, m: int, s: flint.arb) -> flint.arb:
    """P(XY > s) for independent X, Y with the densities x^(k-1) e^-x/(k-1)! and m for k."""
    root, found = s.sqrt(), flint.arb(0)
    for j in range(k):
        found += 2 * root ** (m + j) * (2 * root).bessel_k(m - j) / flint.arb(j + 1).gamma()
    return found / flint.arb(m).gamma()


def _equal(values: tuple[Any, ...]) -> int | None:
    """How many shares there are, if they are equal: all roots of a polynomial."""
    count = len(values) - 1
    return count if Poly([1, -Rational(1, count)], _MU) ** count == Poly(values, _MU) else None


_MU = Symbol("mu")


@cache
def _spectrum(gram: ImmutableDenseMatrix) -> tuple[Any, ...]:
    """Coefficients of the polynomial whose roots are the eigenvalues that are not zero, first the highest."""
    if gram != gram.T or gram.trace() != 1:
        raise ValueError(f"{gram}: shares are those of a symmetric matrix of trace one")
    if gram.rows > MOST_ROWS and not gram.is_diagonal():
        raise OnlyMeasured("the eigenvalues of a matrix of many rows: measure it")
    if gram.is_diagonal():
        found = Poly(1, _MU)
        for entry in gram.diagonal():
            found *= Poly([1, -entry], _MU) if entry else 1
        values = list(found.all_coeffs())
    else:
        values = list(gram.charpoly(_MU).all_coeffs())
    while values[-1] == 0:
        values.pop()
    if any((-1) ** place * value < 0 for place, value in enumerate(values)):
        raise ValueError(f"{gram}: shares are not negative")
    return tuple(values)


@dataclass(frozen=True)
class Mixture:
    """A mean of chi-squares is `scale` times one of `least` degrees and twice a random number more."""

    scale: Rational
    least: int
    weights: tuple[flint.arb, ...]


@cache
def _mixture(freedom: int, gram: ImmutableDenseMatrix) -> Mixture:
    """Ruben's: E z^K is the power -d/2 of prod_j ((p_j/b) (1 - z) + z), with b below every share p_j."""
    values = _spectrum(gram)
    count = len(values) - 1
    if (equal := _equal(values)) is not None:
        return Mixture(Rational(1, equal), equal * freedom, (flint.arb(1),))
    scale = -values[count] / values[count - 1]  # one over the sum of the inverses of the shares
    z, rise = Poly([1, 0], _MU), Poly([-1, 1], _MU)
    products = (v * z**m * rise ** (count - m) for m, v in enumerate(_elementary(values, scale)))
    base = sum(products, start=Poly(0, _MU)).all_coeffs()[::-1]  # from z^0 on
    terms = int(_SMALL / -math.log1p(-float(scale))) + count
    if terms > MOST_TERMS:
        raise OnlyMeasured("shares that differ too much for a series: measure it")
    lost = terms * -math.log2(2 ** (1 / count) - 1)  # bits, as radii grow like powers of this
    with flint.ctx.workprec(BITS + int(lost)):
        weights = _weights(freedom, [_arb(c / base[0]) for c in base], _arb(base[0]), terms)
    return Mixture(scale, count * freedom, weights)


def _elementary(values: tuple[Any, ...], scale: Rational) -> Iterator[Rational]:
    """Of the shares over `scale`, the elementary symmetric function for each power of z: e_n, ..., e_0."""
    count = len(values) - 1
    for m in range(count + 1):
        yield (-1) ** (count - m) * values[count - m] / scale ** (count - m)


def _weights(
    freedom: int, base: list[flint.arb], lead: flint.arb, terms: int
) -> tuple[flint.arb, ...]:
    """Coefficients of f = (lead * base)^(-d/2), from base f' = -(d/2) base' f."""
    power = -flint.arb(freedom) / 2
    slopes = [(c, power * j + j) for j, c in enumerate(base)][1:]
    weights = [lead**power]
    for k in range(1, terms):
        last = reversed(weights[-len(slopes) :])
        parts = (c * w * (rise - k) for (c, rise), w in zip(slopes, last, strict=False))
        weights.append(sum(parts, start=flint.arb(0)) / k)
    return tuple(weights)


def _one(freedom: int, shares: Shares, level: Rational) -> flint.arb:
    """P(R <= level): what is left out of the mixture lies between nothing and its weight."""
    mixture = _mixture(freedom, shares.gram)
    half = _arb(level / mixture.scale / 2)
    order = flint.arb(mixture.least) / 2
    below = half.gamma_lower(order, regularized=1)
    step = half**order * (-half).exp() / (order + 1).gamma()
    found, rest = flint.arb(0), flint.arb(1)
    for k, weight in enumerate(mixture.weights):
        found += weight * below
        rest -= weight
        below -= step
        step *= half / (order + k + 1)
    return found + rest.union(flint.arb(0)) * (below.union(flint.arb(0)))
