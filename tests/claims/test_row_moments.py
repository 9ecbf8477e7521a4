"""Limits of a row's moments, argued for every law of $Z$, hold for both laws that are tried."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest
from sympy import Integer, Rational

from claims.naitsaada2025.notation import T_1, mean_Z, sigma_A, size
from claims.naitsaada2025.shares import (
    COVARIANCE_TENDS,
    FOURTH_TENDS,
    GAMMA,
    QUARTIC_TENDS,
    TWO_POINT,
    UNEVENNESS_TENDS,
    centred_row,
    law,
    two_points,
)
from claims.terms import value_of


@pytest.mark.parametrize(
    "tends", [UNEVENNESS_TENDS, COVARIANCE_TENDS, FOURTH_TENDS, QUARTIC_TENDS], ids=list("rcfq")
)
@pytest.mark.parametrize("of", [GAMMA, TWO_POINT])
@pytest.mark.parametrize("deviation", [Rational(1, 2), Integer(1)])
def test_a_sequence_approaches_its_limit_at_least_like_one_over_the_length(tends, of, deviation):
    point = {T_1: Integer(2), law: of, mean_Z: Integer(1), sigma_A: deviation}
    end = value_of(tends.limit, point)
    far, near = (abs(value_of(tends.term, {**point, size: Integer(k)}) - end) * k for k in (16, 32))
    assert near < 2 * far


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
