"""Growth behind Gaussian matrices, against closed forms, integrals and sampled matrices."""

from __future__ import annotations

from decimal import Decimal
from itertools import product
from math import sqrt
from typing import Any

import numpy
import pytest
from growing import EQUAL, FACTORS, GROWN
from mpmath import exp, gammainc, inf, mpf, workdps
from sympy import ImmutableDenseMatrix, Integer, Rational, Symbol

from claims.domain import Domain, Real, Size
from claims.errors import OnlyMeasured
from claims.gaussian_growth import Growth, Shares
from claims.statement import Compare
from claims.terms import value_of
from proofs.confirm import confirmed_at_points

DIGITS = mpf(10) ** -40
LEVELS = (Rational(1, 7), Rational(1), Rational(5, 2), Rational(9))


def mixed(*shares: Any) -> Shares:
    """A factor with these shares, in a basis that is not that of the coordinates."""
    turned = ImmutableDenseMatrix(
        [[Rational(3, 5), Rational(4, 5)], [-Rational(4, 5), Rational(3, 5)]]
    )
    return Shares(turned * ImmutableDenseMatrix.diag(*map(Rational, shares)) * turned.T)


def number(member: Any, *factors: Shares) -> mpf:
    return mpf(str(value_of(member, {FACTORS: factors})))


@pytest.mark.parametrize(("freedom", "count"), list(product((1, 2, 3, 8), (1, 2, 5))))
def test_equal_shares_make_one_chi_square(freedom: int, count: int) -> None:
    with workdps(50):
        for x in LEVELS:
            level = mpf(count) * x.p / x.q / 2
            above = gammainc(mpf(freedom * count) / 2, level, inf, regularized=True)
            assert abs(number(GROWN.above(freedom, 1, x), Shares.equal(count)) - above) < DIGITS
            assert abs(number(GROWN.below(freedom, 1, x), Shares.equal(count)) - 1 + above) < DIGITS


@pytest.mark.parametrize("large", ["2/3", "9/10", "39/40"])
def test_two_shares_of_two_degrees_make_two_exponential_laws(large: str) -> None:
    with workdps(50):
        shares, p = mixed(large, 1 - Rational(large)), mpf(Rational(large).p) / Rational(large).q
        for x in LEVELS:
            level = mpf(x.p) / x.q
            ends = [s * exp(-level / (2 * s)) for s in (p, 1 - p)]
            above = (ends[0] - ends[1]) / (2 * p - 1)
            assert abs(number(GROWN.above(2, 1, x), shares) - above) < DIGITS


def test_a_factor_is_the_growth_of_one() -> None:
    shares = (mixed("3/4", "1/4"), Shares.equal(3))
    for place, own in enumerate(shares, 1):
        for x in LEVELS:
            alone = number(GROWN.below(3, 1, x), own)
            assert number(GROWN.factor(3, place, x), *shares) == alone


SAMPLES, SIGMAS = 40_000, 5


@pytest.mark.parametrize(("width", "rows"), [(2, 1), (2, 3), (4, 2), (3, 2)])
def test_norms_of_sampled_matrices_have_these_tails(width: int, rows: int) -> None:
    """||M W_1||^2 for a matrix M of random rows, and |u W_1 W_2|^2 for a unit row."""
    rng = numpy.random.default_rng(width * 10 + rows)
    start = ImmutableDenseMatrix(rows, rows, lambda i, j: int(rng.integers(1, 5)) + 9 * (i == j))
    gram = start * start.T
    weights = rng.standard_normal((SAMPLES, rows, width))
    norms = numpy.square(numpy.array(start, dtype=float) @ weights).sum(axis=(1, 2))
    grown = norms / float(gram.trace())
    cases = [(grown, (Shares(gram / gram.trace()),))]
    if width % 2 == 0:
        twice = weights[:, :1] @ rng.standard_normal((SAMPLES, width, width))
        cases.append((numpy.square(twice).sum(axis=(1, 2)), (Shares.equal(1), Shares.equal(1))))
        whole = rng.standard_normal((SAMPLES, width, width))
        both = (
            numpy.square(weights[:, 0]).sum(axis=1) * numpy.square(whole).sum(axis=(1, 2)) / width
        )
        cases.append((both, (Shares.equal(1), Shares.equal(width))))
    for sampled, factors in cases:
        count = len(factors)
        for x in (Rational(width**count, 2), Rational(width**count), Rational(2 * width**count)):
            chance = float(number(GROWN.below(width, count, x), *factors))
            error = SIGMAS * sqrt(chance * (1 - chance) / SAMPLES)
            assert abs(float((sampled < float(x)).mean()) - chance) < error


def test_where_there_is_no_closed_form_nothing_is_computed() -> None:
    uneven = mixed("3/4", "1/4")
    for factors, freedom in (((uneven, uneven), 2), ((EQUAL[0],) * 2, 3), ((EQUAL[0],) * 3, 2)):
        with pytest.raises(OnlyMeasured):
            number(GROWN.above(freedom, len(factors), Integer(1)), *factors)
    with pytest.raises(OnlyMeasured):
        number(GROWN.above(2, 1, Integer(1)), mixed(1 - Rational(1, 10**6), Rational(1, 10**6)))


@pytest.mark.parametrize(("freedom", "count"), [(0, 1), (2, -1), (Rational(3, 2), 1)])
def test_there_are_no_fewer_factors_than_none(freedom: Any, count: int) -> None:
    with pytest.raises(ValueError, match=r"degrees of freedom"):
        value_of(GROWN.below(freedom, count, Integer(1)), {FACTORS: EQUAL})


def test_the_empty_product_is_one() -> None:
    at = {FACTORS: ()}
    below, above = (
        [value_of(tail(2, 0, x), at) for x in (Rational(1, 2), Integer(1), Integer(2))]
        for tail in (GROWN.below, GROWN.above)
    )
    assert below == [0, 0, 1] and above == [1, 0, 0]


def test_levels_between_integers_are_no_integers() -> None:
    """An argument that is no index reaches the definition as it is."""
    d, x = Symbol("d", integer=True, positive=True), Symbol("x", positive=True)
    row = Growth("N", lambda at, place: Shares.equal(1))
    near, far = (value_of(row.above(d, 1, x), {d: 2, x: Rational(k, 4)}) for k in (5, 7))
    assert isinstance(near, Decimal) and near > far
    domain = Domain((Size(d, 1, 3), Real(x, 0, 4, open_low=True)))
    assert confirmed_at_points(row.below(d, 1, x), 1 - row.above(d, 1, x), domain)
    assert not confirmed_at_points(
        row.below(d, 1, x), 1 - row.above(d, 1, x + Rational(1, 8)), domain
    )
    assert Compare(row.above(d, 1, x), "<=", row.above(d, 1, x / 2)).truth(
        {d: 2, x: Rational(1, 2)}
    )
