r"""Shares $a_j=Z_j/\sum_kZ_k$ of independent $Z_1,\dots,Z_T\ge0$ of one law: moments of both, as terms.

Where every $Z_j$ is zero, shares are $T^{-1}$; so they sum to one whatever the law.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import comb, prod
from typing import Any, Protocol

from sympy import Rational, oo

from claims.domain import Condition
from claims.fixed import Fixed
from claims.statement import Compare, Quantity
from claims.terms import family
from claims.whole import whole

__all__ = ["Gamma", "Iid", "Law", "ShareMoment", "TwoPoints"]

Point = Mapping[Any, Any]


class Law(Protocol):
    """The law of a variable that is not negative, and not zero almost surely."""

    def moment(self, order: int) -> Any:
        r"""$\mathbb E Z^n$, or infinity."""

    def shares(self, powers: Sequence[int], tokens: Any) -> Any:
        r"""$\mathbb E\prod_ia_i^{p_i}$, one power for each of the first shares of so many."""


def _hold_exactly(law: Any, *names: str) -> None:
    """Integers of Python become fractions, as a quotient of two would be a float."""
    for name in names:
        if isinstance(number := getattr(law, name), int):
            object.__setattr__(law, name, Fraction(number))


@dataclass(frozen=True)
class Gamma:
    """Its shares have a Dirichlet law."""

    shape: Any
    scale: Any

    def __post_init__(self) -> None:
        _hold_exactly(self, "shape", "scale")

    def moment(self, order: int) -> Any:
        return self.scale**order * _rising(self.shape, order)

    def shares(self, powers: Sequence[int], tokens: Any) -> Any:
        own = prod((_rising(self.shape, p) for p in powers), start=self.shape**0)
        return own / _rising(self.shape * tokens, sum(powers))


def _rising(start: Any, steps: int) -> Any:
    return prod((start + j for j in range(steps)), start=start**0)


@dataclass(frozen=True)
class TwoPoints:
    """Two values, and the chance of the second."""

    low: Any
    high: Any
    chance: Any

    def __post_init__(self) -> None:
        _hold_exactly(self, "low", "high", "chance")
        if self.low < 0 or self.high < 0:
            raise ValueError(f"{self}: a law of shares is one of numbers that are not negative")

    def moment(self, order: int) -> Any:
        return (1 - self.chance) * self.low**order + self.chance * self.high**order

    def shares(self, powers: Sequence[int], tokens: int) -> Any:
        """By what the places that count hold, and how many of the others are large."""
        rest, total, one = tokens - len(powers), 0 * self.chance, self.chance**0
        for large in product((False, True), repeat=len(powers)):
            held = [self.high if each else self.low for each in large]
            own = prod((z**p for z, p in zip(held, powers, strict=True)), start=one)
            chance = self._chance(sum(large), len(powers))
            for more in range(rest + 1):
                weight = comb(rest, more) * self._chance(more, rest)
                whole = sum(held) + more * self.high + (rest - more) * self.low
                share = own / whole ** sum(powers) if whole else one / tokens ** sum(powers)
                total += chance * weight * share
        return total

    def _chance(self, large: int, of: int) -> Any:
        return self.chance**large * (1 - self.chance) ** (of - large)


@dataclass(frozen=True, eq=False)
class ShareMoment:
    """What a family of moments of shares is made of: one member for each number of shares."""

    of: Iid
    powers: tuple[int, ...]


KNOWN: tuple[type, ...] = (Gamma, TwoPoints)
"""Laws whose shares are those of the variables that have their moments: a reviewer reads them here."""


def _require_law(law: Law) -> Law:
    """Refuses numbers that give no law; of indeterminates nothing is asked, which no point has."""
    if isinstance(law, Gamma) and not (law.shape > 0 and law.scale > 0):
        raise ValueError(f"{law}: a shape and a scale are positive")
    if isinstance(law, TwoPoints) and not 0 <= law.chance <= 1:
        raise ValueError(f"{law}: a chance lies between zero and one")
    return law


def _require_shares(law: Law) -> Law:
    """Refuses laws of other kinds, whose shares may be those of variables with other moments."""
    if type(law) not in KNOWN:
        raise ValueError(f"{law}: is none of the laws whose shares are known here")
    return _require_law(law)


class Iid(Fixed):
    """Independent variables that are not negative, nor all zero, of a law that a point gives.

    >>> from sympy import Integer
    >>> from claims.terms import value_of
    >>> exponential = Iid("Z", lambda at: Gamma(Integer(1), Integer(2)))
    >>> value_of(exponential.moment(2), {}), value_of(exponential.shares(2)(Integer(3)), {})
    (8, 1/6)
    """

    def __init__(self, name: str, at: Callable[[Point], Law]):
        self.name, self.at = name, at
        self._moments: dict[int, Quantity] = {}
        self._shares: dict[tuple[int, ...], Any] = {}

    def moment(self, order: int) -> Quantity:
        r"""$\mathbb E Z^n$, the same object whenever it is asked for."""
        if order not in self._moments:
            power = self.name if order == 1 else rf"{self.name}^{{{order}}}"
            self._moments[order] = Quantity(
                rf"\mathbb E\,{power}",
                lambda point: _exact(_require_law(self.at(point)).moment(order)),
            )
        return self._moments[order]

    def finite(self, order: int) -> Compare:
        """That the moment is finite."""
        return Compare(self.moment(order), "<", oo)

    def with_moment(self, order: int) -> Condition:
        """The same, as a hypothesis."""
        return Condition.of(self.finite(order))

    def shares(self, *powers: int) -> Any:
        r"""$\mathbb E\,a_1^{p_1}\cdots a_r^{p_r}$, for each number of shares $T\ge r$."""
        if not powers or min(powers) < 1:
            raise ValueError(f"powers {powers}: each must be at least one, and one is needed")
        if powers not in self._shares:
            factors = "".join(
                f"a_{place}" if p == 1 else rf"a_{place}^{{{{{p}}}}}"
                for place, p in enumerate(powers, 1)
            )
            made = family(rf"\mathbb E\,{factors}\big|_{{{{T={{}}}}}}", self._mean(powers))
            made.shares = ShareMoment(self, powers)
            self._shares[powers] = made
        return self._shares[powers]

    def _mean(self, powers: tuple[int, ...]) -> Callable[[Point, int], Any]:
        def define(point: Point, number: Any) -> Any:
            if (tokens := whole(number)) < len(powers):
                raise ValueError(f"{len(powers)} different shares of {tokens}")
            return _exact(_require_shares(self.at(point)).shares(powers, tokens))

        return define


def _exact(value: Any) -> Any:
    if isinstance(value, float):
        raise ValueError(f"{value}: is known to some digits only; give a law in fractions")
    return value if value is oo else Rational(value)
