"""Weights that are followed in balls from a small start: two roads to them, and to what leads."""

from random import Random

import pytest
from sympy import Abs, Integer, Rational

from claims.domain import Point
from claims.im2026 import small_starts as claims
from claims.im2026.cooperation import composed_value_map
from claims.im2026.corpora import bigram_map, position_map, word_map
from claims.im2026.notation import depth, eta, s, sequences
from claims.points import Itself
from claims.terms import value_of
from numeric.im2026.small_starts import _error, trained

MAPS = {"W_O": bigram_map, "V": composed_value_map, "W": word_map, "P": position_map}


def points(count: int) -> list[Point]:
    return [claims.TRAINED.draw(Random(seed)) for seed in range(count)]


@pytest.mark.parametrize("name", MAPS)
def test_what_leads_is_the_same_in_fractions(name: str) -> None:
    for point in points(6):
        found = claims._maps(Itself(point[sequences]))[name]
        exact = MAPS[name](point)
        entries = [Rational(int(x.p), int(x.q)) for x in found.entries()]
        assert entries == list(exact)


def test_balls_and_floats_follow_the_same_weights() -> None:
    for point in points(8):
        weights, _ = trained(point)
        steps, layers = Integer(point[s]), int(point[depth])
        pairs = [(claims.output(steps, 1, 1), weights.output[0, 0])]
        for place in range(1, layers + 1):
            pairs += [
                (claims.value(steps, place, 1, 1), weights.value[place - 1, 0, 0]),
                (claims.attention(steps, place, 1, 1), weights.attention[place - 1, 0, 0]),
                (claims.positions(steps, place, 1), weights.positions[place - 1, 0]),
            ]
        for exact, measured in pairs:
            assert abs(float(value_of(exact, point)) - float(measured)) < 1e-12


def test_a_start_may_be_zero_or_not_and_is_small() -> None:
    drawn = points(12)
    sizes = [sum(Abs(x) for x in point[claims.OUTPUT]) for point in drawn]
    assert any(sizes)
    assert not all(sizes)
    for point, size in zip(drawn, sizes, strict=True):
        assert size <= point[eta] ** 4
        assert all(formula.truth(point) for formula in claims.SMALL_FORMULAS)


@pytest.mark.parametrize("layers", [1, 2])
def test_errors_are_measured_where_a_model_has_500_words(layers: int) -> None:
    point = claims.still(
        claims.MIXED, claims.TURNS, rate=Rational(1, 96), steps=3, layers=layers, words_=500
    )
    x = float(point[s] * point[eta])
    found = [_error(point, name, layers) for name in MAPS]
    for error, most in zip(found, (3 * x**2, 12 * x**3, 65 * x**5, 65 * x**5), strict=True):
        assert 0 < error.value + error.error < most


def test_a_start_is_zero_where_its_absolute_values_add_up_to_nothing() -> None:
    for point in points(12):
        for condition in claims.ZERO.conditions:
            assert condition.holds(point) == condition.formula.truth(point)


def test_where_a_leading_term_cancels_its_rounding_is_in_the_error() -> None:
    """Of these two sequences the mean of what values and bigrams say is zero, word by word."""
    texts = (0, 0, 0, 1, 1, 1, 1), (1, 0, 1, 0, 0, 1, 0)
    point = claims.still(*texts, rate=Rational(5, 288), steps=2, layers=2, words_=2)
    exact = value_of(claims.value_error(1), point)
    found = _error(point, "V", 1)
    assert abs(found.value - float(exact)) <= found.error < 1e-15
