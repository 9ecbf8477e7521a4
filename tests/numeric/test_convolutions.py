"""The closed form of a convolution of exponentials, and its rate, beside quadrature."""

from __future__ import annotations

import math

import pytest
from scipy.integrate import quad
from sympy import Rational

from claims.naitsaada2025.convolutions import a, b, convolved, of_exponentials, of_squares, x
from numeric.naitsaada2025.convolutions import exponential_rate, square_rate


@pytest.mark.parametrize("rates", [(1, 1), (2, 1), (Rational(1, 3), Rational(5, 2))])
def test_the_convolution_of_exponentials(rates: tuple[object, object]) -> None:
    first, second = map(float, rates)  # type: ignore[arg-type]

    def integrand(y: float, place: float) -> float:
        return math.exp(-first * abs(y) - second * abs(place - y))

    for place in (0.5, 3.0):
        found, _ = quad(integrand, -80, 80, args=(place,), points=[0, place], limit=200)
        assert float(convolved(*rates).subs(x, place)) == pytest.approx(found, rel=1e-9)


@pytest.mark.parametrize("rates", [(1, 1), (2, 1), (Rational(1, 3), Rational(5, 2))])
def test_rates_are_measured_as_they_are(rates: tuple[object, object]) -> None:
    point = dict(zip((a, b), map(Rational, rates), strict=True))
    for measure, exact in ((exponential_rate, of_exponentials), (square_rate, of_squares)):
        found = measure(point)
        assert abs(found.value - float(exact(point))) <= found.error
        assert found.error <= 0.02 * found.value
