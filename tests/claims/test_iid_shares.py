"""Moments of shares of independent variables, against a list of all rows and the variables' own law."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

import pytest
from sympy import Integer, Rational, Symbol, oo

from claims.domain import Domain, Size
from claims.iid_shares import Gamma, Iid, TwoPoints
from claims.terms import value_of

law, tokens = Symbol("Z"), Symbol("T", integer=True, positive=True)
Z = Iid("Z", lambda at: at[law])
HALF = Fraction(1, 2)
COINS = {
    "positive": TwoPoints(HALF, Fraction(3), Fraction(1, 5)),
    "often zero": TwoPoints(Fraction(0), Fraction(2), Fraction(1, 3)),
}
LAWS = {**COINS, "Gamma": Gamma(Fraction(2, 3), Fraction(5))}
POWERS = [(1,), (2,), (3,), (4,), (1, 1), (2, 1), (2, 2), (1, 1, 1)]


@dataclass(frozen=True)
class Pareto:
    """P(Z > z) = z^(-tail) for z >= 1: moments up to the tail's exponent."""

    tail: int

    def moment(self, order: int) -> Any:
        return Rational(self.tail, self.tail - order) if order < self.tail else oo

    def shares(self, powers: Sequence[int], number: int) -> Any:
        raise NotImplementedError


def listed(coin: TwoPoints, powers: tuple[int, ...], number: int) -> Fraction:
    """A mean over all rows, by their probabilities; a row of zeros is uniform."""
    found = Fraction(0)
    for large in product((False, True), repeat=number):
        z = [coin.high if each else coin.low for each in large]
        chance = prod(coin.chance if each else 1 - coin.chance for each in large)
        row = [Fraction(v, sum(z)) if sum(z) else Fraction(1, number) for v in z]
        found += chance * prod(a**p for a, p in zip(row, powers, strict=False))
    return found


@pytest.mark.parametrize(
    ("given", "share"),
    [(Gamma(1, 1), Rational(1, 15)), (TwoPoints(0, 1, Fraction(1, 2)), Rational(899, 9600))],
)
def test_a_law_of_whole_numbers_has_exact_shares(given: Any, share: Rational) -> None:
    assert value_of(Z.shares(2)(tokens), {law: given, tokens: Integer(5)}) == share


def test_a_law_of_decimals_has_no_exact_shares() -> None:
    with pytest.raises(ValueError, match="digits only"):
        value_of(Z.shares(2)(tokens), {law: Gamma(0.5, 1.0), tokens: Integer(5)})


@pytest.mark.parametrize("powers", POWERS, ids=str)
@pytest.mark.parametrize("coin", COINS.values(), ids=list(COINS))
def test_shares_of_two_values_by_listing_all_rows(coin: TwoPoints, powers: tuple[int, ...]) -> None:
    for number in (3, 4):
        found = value_of(Z.shares(*powers)(tokens), {law: coin, tokens: Integer(number)})
        assert found == listed(coin, powers, number)


@pytest.mark.parametrize("of", LAWS.values(), ids=list(LAWS))
def test_shares_sum_to_one(of: Any) -> None:
    """So do they with further factors: of T shares, one is the first and T - 1 are others."""
    for number in (1, 2, 5):
        assert number * of.shares((1,), number) == 1
    for p in (1, 2, 3):
        assert of.shares((p + 1,), 4) + 3 * of.shares((p, 1), 4) == of.shares((p,), 4)


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_moments_of_a_gamma_variable_by_its_shares_in_a_large_row(order: int) -> None:
    """T^p E a^p times (E Z)^p, of a row that is long, without limits of ours."""
    of, number = LAWS["Gamma"], 10**9
    scaled = number**order * of.shares((order,), number) * of.moment(1) ** order
    assert abs(scaled / of.moment(order) - 1) < Fraction(1, 10**7)
    assert of.moment(1) == Fraction(10, 3) and of.moment(2) - of.moment(1) ** 2 == Fraction(50, 3)


def test_moments_of_two_values() -> None:
    of = COINS["positive"]
    assert [of.moment(n) for n in (1, 2)] == [Fraction(1), Fraction(2)]
    assert value_of(Z.moment(4), {law: of}) == Rational(4, 5) / 16 + Rational(81, 5)


def test_a_moment_is_one_object_and_shares_are_one_family() -> None:
    assert Z.moment(3) is Z.moment(3) and Z.shares(2, 1) is Z.shares(2, 1)
    assert Z.shares(2, 1) != Z.shares(1, 2)
    other = Iid("Z", lambda at: at[law])
    assert other.moment(3) != Z.moment(3) and other.shares(2) != Z.shares(2)


def test_more_places_than_shares_and_powers_that_are_none_are_refused() -> None:
    with pytest.raises(ValueError, match="2 different shares of 1"):
        value_of(Z.shares(1, 1)(tokens), {law: LAWS["Gamma"], tokens: Integer(1)})
    for powers in ((), (0,), (2, -1)):
        with pytest.raises(ValueError, match="at least one"):
            Z.shares(*powers)


def test_a_law_with_negative_values_is_refused() -> None:
    for low, high in ((-1, 2), (1, -2)):
        with pytest.raises(ValueError, match="not negative"):
            TwoPoints(Fraction(low), Fraction(high), HALF)


def test_a_law_without_a_moment_is_no_point_of_a_domain_that_asks_for_it() -> None:
    domain = Domain((Size(tokens, 1, 2),), (Z.with_moment(4),))
    assert domain.objection({tokens: 2, law: Pareto(5)}) is None
    for tail in (3, 4):
        assert "^{4} < " in str(domain.objection({tokens: 2, law: Pareto(tail)}))
        assert Z.with_moment(2).holds({law: Pareto(tail)})


def test_there_are_no_shares_between_numbers() -> None:
    """Gamma functions would give them a mean."""
    with pytest.raises(ValueError, match="integer"):
        value_of(Z.shares(2)(Rational(5, 2)), {law: LAWS["Gamma"]})
