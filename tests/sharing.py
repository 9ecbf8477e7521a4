"""Instances of the fact about shares of independent variables, for laws with moments and without."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from math import prod
from random import Random
from typing import Any

import mpmath
import numpy
from instances import Point, Terms, k
from mpmath import mpf, workdps
from scipy.stats import binom
from sympy import Integer, Rational, Symbol, nan, oo, sqrt, zoo

from claims import iid_shares
from claims.iid_shares import Gamma, Iid, TwoPoints
from claims.statement import Tends
from claims.terms import value_of


@dataclass(frozen=True)
class Pareto:
    """P(Z > z) = z^(-tail) for z >= 1: no moment of the tail's exponent, nor of any above."""

    tail: mpf

    def moment(self, order: int) -> Any:
        return Rational(str(self.tail / (self.tail - order))) if order < self.tail else oo

    @cache  # noqa: B019 - a frozen law
    def shares(self, powers: Sequence[int], tokens: int) -> Any:
        """1/S^p is an integral of s^(p-1) exp(-s S), and the mean of a product a product of means."""
        total = sum(powers)

        def weighed(s: mpf) -> mpf:
            with_power = prod(self._laplace(p, s) for p in powers)
            return s ** (total - 1) * with_power * self._laplace(0, s) ** (tokens - len(powers))

        ends = [mpf(c) / tokens for c in (0, 1, 4, 12, 40)]
        return Rational(str(mpmath.quad(weighed, ends) / mpmath.factorial(total - 1)))

    @cache  # noqa: B019 - a frozen law
    def _laplace(self, power: int, s: mpf) -> mpf:
        """E Z^power exp(-s Z)."""
        return self.tail * mpmath.expint(self.tail + 1 - power, s) if s else self.moment(power)


class Coin(TwoPoints):
    """Two values in long rows: numbers of large ones within twelve deviations of their mean."""

    def moment(self, order: int) -> Any:
        return Rational(super().moment(order))

    @cache  # noqa: B019 - a frozen law
    def shares(self, powers: Sequence[int], tokens: int) -> Any:
        rest, found = tokens - len(powers), 0.0
        reach = 12 * int(sqrt(rest)) + 1
        centre = int(self.chance * rest)
        more = numpy.arange(max(0, centre - reach), min(rest, centre + reach) + 1)
        weight = binom(rest, self.chance).pmf(more)
        for large in product((False, True), repeat=len(powers)):
            held = [self.high if each else self.low for each in large]
            own = prod(z**p for z, p in zip(held, powers, strict=True)) * self._chance(
                sum(large), len(large)
            )
            whole = sum(held) + more * self.high + (rest - more) * self.low
            found += own * float(weight @ (whole / tokens) ** (-1.0 * sum(powers)))
        return Rational(found) / tokens ** sum(powers)


class Zero:
    """What is zero: its shares are all equal."""

    def moment(self, order: int) -> Any:
        return Integer(0)

    def shares(self, powers: Sequence[int], tokens: int) -> Any:
        return Rational(1, tokens ** sum(powers))


iid_shares.KNOWN = (*iid_shares.KNOWN, Pareto, Coin, Zero)

LAW = Symbol("Z")
IID = Iid("Z", lambda at: at[LAW])
COINS = (Coin(0.5, 2.5, 0.2), Coin(0.0, 2.0, 0.4), Coin(0.25, 1.0, 0.9))
HEAVY = tuple(Pareto(mpf(tail)) for tail in ("1.5", "2.5", "5"))
POWERS = [(1,), (2,), (3,), (4,), (1, 1), (2, 1), (2, 2), (1, 1, 1), (3, 1)]


def moments_of_shares(rng: Random) -> Iterator[tuple[Terms, Point]]:
    """Laws with a density and without, some that may be zero, some without a moment, and one of zeros."""
    while True:
        shape, scale = (Rational(rng.randint(1, 12), rng.randint(1, 4)) for _ in range(2))
        law = rng.choice((Gamma(shape, scale), Gamma(shape, scale), *COINS, *HEAVY, Zero()))
        powers, each = rng.choice(POWERS), rng.randint(1, 2)
        order = max(powers) + rng.randint(0, 1)
        yield {"share": IID.shares(*powers)(each * k), "k": k, "order": order}, {LAW: law}


LENGTHS = (10**4, 10**6)
"""How many shares there are, but for a factor."""


def settles(formula: Tends, point: Point) -> bool | None:
    """Whether an error falls like a root of the length at least, or what has no limit grows so."""
    end = value_of(formula.limit, point)
    if end in (nan, zoo):
        return None
    with workdps(15):
        near, far = (value_of(formula.term, point | {formula.index: Integer(n)}) for n in LENGTHS)
    if end is oo:
        return bool(far > 4 * near)
    errors = [abs(float(value / end) - 1) for value in (near, far)]
    return errors[1] < max(0.2 * errors[0], 1e-8)
