"""Limits of a row's moments, derived for every law of $Z$, hold for both laws that are tried."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest
from sympy import Integer, Rational

from claims.naitsaada2025.notation import T, mean_Z, sigma_A
from claims.naitsaada2025.shares import (
    GAMMA,
    RELATIVE_VARIANCE,
    TWO_POINT,
    Z,
    centred_row,
    covariance,
    fourth,
    law,
    quartic,
    relative_variance,
    two_points,
    unevenness,
)
from claims.terms import value_of

ENDS = {
    "r": (T * unevenness(T), RELATIVE_VARIANCE),
    "c": (T**2 * covariance(T), RELATIVE_VARIANCE),
    "f": (T**2 * fourth(T), RELATIVE_VARIANCE**2),
    "q": (T**2 * quartic(T), Integer(0)),
}


@pytest.mark.parametrize(("term", "limit"), ENDS.values(), ids=list(ENDS))
@pytest.mark.parametrize("of", [GAMMA, TWO_POINT])
@pytest.mark.parametrize("deviation", [Rational(1, 2), Integer(1)])
def test_a_sequence_approaches_its_limit_at_least_like_one_over_the_length(
    term, limit, of, deviation
):
    point = {law: of, mean_Z: Integer(1), sigma_A: deviation}
    end = value_of(limit, point)
    far, near = (abs(value_of(term, {**point, T: Integer(k)}) - end) * k for k in (32, 64))
    assert near < 2 * far


@pytest.mark.parametrize("of", [GAMMA, TWO_POINT])
def test_a_law_has_the_mean_and_the_deviation_of_its_point(of):
    point = {law: of, mean_Z: Rational(3, 2), sigma_A: Rational(1, 2)}
    first, second = (value_of(Z.moment(n), point) for n in (1, 2))
    assert first == Rational(3, 2) and second - first**2 == Rational(1, 4)
    assert relative_variance(point) == Rational(1, 9)


@pytest.mark.parametrize("tokens", [2, 3])
@pytest.mark.parametrize("variance", [Fraction(1), Fraction(1, 4)])
def test_moments_of_two_points_by_listing_all_rows(tokens, variance):
    low, high, chance = two_points(variance)
    row = centred_row(TWO_POINT, tokens, variance)
    for places in [(0, 0), (0, 1), (0, 0, 0), (0, 0, 1, 1), (0, 0, 0, 1), (1, 1, 1, 1)]:
        total = Fraction(0)
        for large in product((False, True), repeat=tokens):
            z = [high if each else low for each in large]
            weight = chance ** sum(large) * (1 - chance) ** (tokens - sum(large))
            for place in places:
                weight *= z[place] / sum(z) - Fraction(1, tokens)
            total += weight
        assert row(places) == total


@pytest.mark.parametrize("of", [GAMMA, TWO_POINT])
def test_a_centred_row_sums_to_zero(of):
    row = centred_row(of, 4, Fraction(1, 3))
    assert row((0,)) == 0
    assert row((0, 0)) + 3 * row((0, 1)) == 0
    assert row((0, 0, 0)) + 3 * row((0, 0, 1)) == 0
