"""The running bound on rounding covers what float64 loses, and is no larger than that by much."""

from __future__ import annotations

import pytest
from sympy import E, Expr, Integer, Rational, binomial, exp, sqrt, symbols

from numeric.im2026.displays import evaluated

a, b = symbols("a b", positive=True)
n = symbols("n", integer=True, positive=True)
POINT = {a: Rational(1, 3), b: sqrt(2) / 7, n: Integer(250)}
NEARLY = Rational(1, 3) + Rational(1, 10**12)
"""So near to a that their difference has four right digits in float64."""


@pytest.mark.parametrize(
    "term",
    [
        a * b + a**2 / b,
        (1 + a) ** n,
        sqrt((n - 1) * a**2 + (a + b) ** 2),
        E / n * a ** Rational(9, 2),
        exp(2) * b + exp(n * a / 10),
        (3 * binomial(n, 4) + 2 * binomial(n, 3)) * a**4,
        (NEARLY - a) * n,
        1 / (NEARLY - a),
        sqrt(NEARLY - a),
    ],
    ids=str,
)
def test_the_true_value_is_within_the_bound(term: Expr) -> None:
    found = evaluated(term)(POINT)
    true = term.subs(POINT)
    assert abs(Rational(found.value) - true.evalf(60)) <= found.error
    assert found.error <= abs(found.value) * (1e-12 if not term.has(NEARLY) else 1e-3)


@pytest.mark.parametrize("nothing", [b**2 - Rational(2, 49), Rational(2, 49) - b**2], ids=str)
def test_a_root_of_rounding_is_known_to_a_root_of_it(nothing: Expr) -> None:
    """The base is zero but for rounding, which may take it below: the true root is within the bound."""
    found = evaluated(sqrt(nothing))(POINT)
    assert found.value <= found.error <= 1e-7


def test_cancellation_widens_the_bound() -> None:
    plain, cancelled = evaluated(a)(POINT), evaluated(1 / (a - NEARLY))(POINT)
    assert cancelled.error / abs(cancelled.value) > 1e6 * plain.error / plain.value


def test_a_function_without_a_bound_is_refused() -> None:
    from sympy import sin

    with pytest.raises(TypeError, match="sin"):
        evaluated(sin(a))(POINT)
