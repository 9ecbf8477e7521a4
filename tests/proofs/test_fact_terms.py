"""What textbook facts ask of the terms that are put into them."""

from __future__ import annotations

from typing import Any

import pytest
from sympy import (
    I,
    Integer,
    Rational,
    Sum,
    Symbol,
    acos,
    acosh,
    asin,
    atan,
    atanh,
    exp,
    log,
    oo,
    sqrt,
)

from claims.statement import Compare
from proofs.fact_terms import (
    Fact,
    free_of,
    require_finite,
    require_indices,
    require_integer,
    require_real,
    require_sizes,
    sum_over,
)

k, m = (Symbol(name, integer=True) for name in "km")
n, N = (Symbol(name, integer=True, positive=True) for name in "nN")
x, y = (Symbol(name, real=True) for name in "xy")
p = Symbol("p", positive=True)
z = Symbol("z")

ADMITTED = [
    (require_finite, (n, k + 1, Integer(5))), (require_indices, (k, m)), (require_indices, (x,)),
    (require_integer, (k, n**2, Integer(0))), (require_sizes, (n, N + 1, Integer(1))),
    (require_real, (x, sqrt(p), p ** Rational(1, 3), log(p), log(1 + p), atan(x), x**k, x**-2)),
    (require_real, (sqrt(x**2), sqrt(1 + x**2), exp(x), z)), (require_real, ()),
]  # fmt: skip
REFUSED = [
    (require_finite, (oo,), "finite"),
    (require_finite, (-oo,), "finite"),
    (require_finite, (n, oo), "finite"),
    (require_indices, (k, k), "no two"),
    (require_indices, (k + 1,), "index"),
    (require_indices, (Integer(1),), "index"),
    (require_integer, (k, x), "integer"),
    (require_integer, (k / 2,), "integer"),
    (require_sizes, (k,), "positive"),
    (require_sizes, (p,), "integer"),
    (require_sizes, (n, Integer(0)), "positive"),
    (require_real, (sqrt(x),), "real"),
    (require_real, (x ** Rational(1, 3),), "real"),
    (require_real, (x, 1 + x**y), "real"),
    (require_real, (log(x),), "real"),
    (require_real, (log(p - 1),), "real"),
    (require_real, (acos(x),), "real"),
    (require_real, (asin(x),), "real"),
    (require_real, (acosh(x),), "real"),
    (require_real, (1 + atanh(x),), "real"),
    (require_real, (I,), "real"),
    (require_real, (1 + I * z,), "real"),
    (require_real, (oo,), "real"),
    (require_real, (Symbol("w", imaginary=True),), "real"),
    (require_real, (p, log(p) + log(x)), "real"),
]


@pytest.mark.parametrize(("asked", "terms"), ADMITTED)
def test_what_is_asked_for_is_admitted(asked: Any, terms: Any) -> None:
    asked(*terms)


@pytest.mark.parametrize(("asked", "terms", "fragment"), REFUSED)
def test_what_is_not_known_is_refused(asked: Any, terms: Any, fragment: str) -> None:
    with pytest.raises(ValueError, match=fragment):
        asked(*terms)


def test_a_term_may_not_depend_on_an_index_that_it_leaves() -> None:
    free_of(x * n, k)
    free_of(Sum(k, (k, 1, n)), k)
    with pytest.raises(ValueError, match="depend on k"):
        free_of(x * k, k)


def test_sums_are_written_with_their_range() -> None:
    assert sum_over(x * k, (k, 1, n)) == Sum(x * k, (k, 1, n))


def test_terms_are_put_into_a_schema_as_numbers_of_the_calculus() -> None:
    fact = Fact("toy", "nowhere", lambda a, f: ((), Compare(a, "<=", f(a))))
    assert fact.instance(a=2, f=lambda value: value + 1) == ((), Compare(Integer(2), "<=", 3))
