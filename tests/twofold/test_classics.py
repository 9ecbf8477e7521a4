"""`check` on inequalities that papers lean on: each is proved, and a little more is not."""

from __future__ import annotations

from typing import Any

import pytest
from sympy import (
    E,
    Eq,
    Implies,
    Limit,
    Ne,
    Rational,
    Sum,
    atan,
    binomial,
    cos,
    cosh,
    erf,
    erfc,
    exp,
    factorial,
    log,
    oo,
    pi,
    sin,
    sinh,
    sqrt,
    symbols,
    tanh,
)  # fmt: skip

from twofold import Real, Size, check

x, y, p, n, k = symbols("x y p n k")
LINE, RIGHT, POSITIVE = [Real(x)], [Real(x, 0)], [Real(x, 0, open_low=True)]
ABOVE_ONE = [Real(x, 1, open_low=True)]
SHARE = [Real(p, 0, 1, open_low=True, open_high=True)]
COUNT = [Size(n, 1)]
entropy = -p * log(p) - (1 - p) * log(1 - p)

TRUE: list[tuple[Any, list[Any]]] = [
    (sin(x) <= x, RIGHT), (sin(x) >= 2 * x / pi, [Real(x, 0, pi / 2)]), (sin(x) >= x - x**3 / 6, RIGHT),
    (cos(x) >= 1 - x**2 / 2, LINE), (cosh(x) <= exp(x**2 / 2), LINE), (cosh(x) >= 1, LINE),
    (tanh(x) <= x, RIGHT), (tanh(x) < 1, LINE), (tanh(x) >= x - x**3 / 3, RIGHT), (x * tanh(x) <= x**2, LINE),
    (sinh(x) >= x, RIGHT), (atan(x) <= x, RIGHT),
    (entropy <= log(2), SHARE),
    (p * log(2 * p) + (1 - p) * log(2 - 2 * p) >= 2 * (p - Rational(1, 2)) ** 2, SHARE),
    (log(1 + x) >= x / (1 + x), [Real(x, -1, open_low=True)]), (log(1 + x) <= x / sqrt(1 + x), RIGHT),
    (log(x) <= sqrt(x), POSITIVE), (log(x) <= x / E, POSITIVE), (x * log(x) >= -1 / E, POSITIVE),
    (x**x >= exp(-1 / E), POSITIVE), (exp(x) <= 1 + x + x**2, [Real(x, -oo, 1)]),
    (exp(x) <= 1 / (1 - x), [Real(x, -oo, 1, open_high=True)]), (exp(x) - 1 - x <= x**2 * exp(x) / 2, RIGHT),
    (exp(-(x**2)) <= 1 / (1 + x**2), LINE), (x**2 * exp(-x) <= 4 / E**2, RIGHT),
    (log(1 + exp(x)) >= x, LINE), (log(1 + exp(x)) <= log(2) + x / 2 + x**2 / 8, LINE),
    (log((x + y) / 2) >= (log(x) + log(y)) / 2, [*POSITIVE, Real(y, 0, open_low=True)]),
    (exp(x) * exp(y) >= 1 + x + y, [Real(x), Real(y)]),
    ((1 - x) * (1 - y) <= exp(-x - y), [Real(x, 0, 1), Real(y, 0, 1)]),
    (Implies(x >= 1, log(x) <= (x - 1) / sqrt(x)), [Real(x)]), ((1 - 1 / n) ** n <= exp(-1), COUNT),
    ((1 + 1 / n) ** n <= E, COUNT), ((1 + x / n) ** n <= exp(x), [*RIGHT, *COUNT]),
    (factorial(n) >= 2 ** (n - 1), COUNT), (binomial(2 * n, n) <= 4**n, COUNT),
    (Sum(1 / k, (k, 1, n)) >= log(n + 1), COUNT), (Sum(1 / k, (k, 1, n)) <= 1 + log(n), COUNT),
    (atan(x) < pi / 2, LINE), (erf(x) > -1, LINE), (erfc(x) <= exp(-(x**2)), RIGHT), (sqrt(x**2 + 1) > x, LINE),
    (erfc(x) <= exp(-(x**2)) / (x * sqrt(pi)), POSITIVE), (atan(x) < pi / 2 - x / (1 + x**2), POSITIVE),
    (erfc(x) >= 2 * x * exp(-(x**2)) / (sqrt(pi) * (2 * x**2 + 1)), POSITIVE), (x * atan(1 / x) < 1, POSITIVE),
    (log(1 + 1 / x) > 2 / (2 * x + 1), POSITIVE), ((1 + 1 / x) ** (x + Rational(1, 2)) >= E, POSITIVE),
    (sqrt(x) <= (x - 1) / log(x), ABOVE_ONE), ((x - 1) / log(x) <= (x + 1) / 2, ABOVE_ONE),
    (Eq(atan(x) + atan(1 / x), pi / 2), POSITIVE), (1 / (exp(x) - 1) >= 1 / x - Rational(1, 2), POSITIVE),
    (x * exp(-(x**2)) <= 1 / sqrt(2 * E), LINE), (Ne(exp(x), 1), POSITIVE),
    (x + log(1 + exp(-x)) > 0, LINE), (2 * log(1 + x) > log(1 + 2 * x), POSITIVE),
    (log(x) - log(y) <= x / y - 1, [*POSITIVE, Real(y, 0, open_low=True)]),
    (Sum(2 ** (-k), (k, 1, n)) < 1, COUNT), (Eq(Limit(Sum(2 ** (-k), (k, 1, n)), n, oo), 1), COUNT),
]  # fmt: skip
FALSE: list[tuple[Any, list[Any]]] = [
    (sin(x) <= Rational(99, 100) * x, RIGHT), (sin(x) >= 2 * x / 3, [Real(x, 0, pi / 2)]),
    (cos(x) >= 1 - Rational(49, 100) * x**2, LINE), (cosh(x) <= exp(Rational(49, 100) * x**2), LINE),
    (tanh(x) < Rational(99, 100), LINE), (tanh(x) >= x - Rational(3, 10) * x**3, RIGHT),
    (entropy <= log(2) - Rational(1, 100), SHARE), (log(x) <= Rational(36, 100) * x, POSITIVE),
    (x * log(x) >= -Rational(36, 100), POSITIVE), (exp(x) <= 1 + x + x**2, [Real(x, -oo, 2)]),
    (log(1 + exp(x)) <= log(2) + x / 2 + x**2 / 9, LINE), ((1 + 1 / n) ** n <= Rational(27, 10), COUNT),
    (Sum(1 / k, (k, 1, n)) <= log(n) + Rational(9, 10), COUNT), (factorial(n) >= 2**n, COUNT),
    (x + log(1 + exp(-x)) >= Rational(1, 100), LINE),
    (atan(x) < Rational(3, 2), LINE), (erfc(x) <= Rational(9, 10) * exp(-(x**2)), RIGHT),
    (erfc(x) <= Rational(99, 100) * exp(-(x**2)) / (x * sqrt(pi)), POSITIVE),
    ((1 + 1 / x) ** (x + Rational(49, 100)) >= E, POSITIVE), (x * exp(-(x**2)) <= Rational(42, 100), LINE),
    (1 / (exp(x) - 1) >= 1 / x - Rational(49, 100), POSITIVE),
    ((1 - 1 / n) ** n <= Rational(36, 100), COUNT), (Implies(x >= 1, log(x) <= (x - 1) / x), [Real(x)]),
]  # fmt: skip


@pytest.mark.parametrize(("statement", "domain"), TRUE, ids=lambda a: str(a)[:40])
def test_is_proved(statement: Any, domain: list[Any]) -> None:
    answer = check(statement, domain)
    assert answer.verdict == "proved", answer
    assert answer.certificate is not None and answer.certificate.grade == "derived"
    assert answer.certificate.recheck() == []


@pytest.mark.parametrize(("statement", "domain"), FALSE, ids=lambda a: str(a)[:40])
def test_a_little_more_is_refuted(statement: Any, domain: list[Any]) -> None:
    answer = check(statement, domain)
    assert answer.verdict == "refuted", answer
    assert answer.witness
