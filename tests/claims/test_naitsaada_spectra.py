"""What stands for a definition in the claims about spectra of attention, against integrals and by hand."""

from __future__ import annotations

from typing import Any

import pytest
from scipy.optimize import minimize_scalar
from sympy import ImmutableDenseMatrix, Integer, Rational, Symbol, exp, integrate, sqrt

from claims.domain import Point
from claims.naitsaada2025.decompositions import roots
from claims.naitsaada2025.largest_gap import all_outliers_are_removed, apart
from claims.naitsaada2025.markov import A
from claims.naitsaada2025.products import a
from claims.naitsaada2025.rank_of_attention import mean_gram, mean_square
from claims.naitsaada2025.spectral_gap import edge, inverse_transform, turning_point
from claims.naitsaada2025.stable_rank import largest_gap

u, v = Symbol("u"), Symbol("v")


def test_means_over_two_shares_are_integrals_over_uniform_ones() -> None:
    """Two shares of exponential variables are u and 1 - u with u uniform."""
    own = u**2 + (1 - u) ** 2
    mixed = (u * v + (1 - u) * (1 - v)) ** 2
    square = integrate(2 * own, (u, 0, 1))
    gram = integrate(2 * own**2, (u, 0, 1)) + integrate(2 * mixed, (u, 0, 1), (v, 0, 1))
    at = {a: Integer(1)}
    assert (mean_square(at, 2), mean_gram(at, 2)) == (square, gram)


@pytest.mark.parametrize("point", all_outliers_are_removed.probes)
def test_the_cut_is_after_the_first_value_and_leaves_more_than_the_bulk(point: Point) -> None:
    """1, (k + 1)/(2k + 3) and twice 1/(2k + 3): the second is k + 1 times the third."""
    level = point[apart]
    wanted = (1, *(Rational(above, 2 * level + 3) for above in (level + 1, 1, 1)))
    found = zip(point[roots], wanted, strict=True)
    assert all(abs(x - y) < Rational(1, 10**50) for x, y in found)
    assert largest_gap(A)(point) == 1


def test_the_first_of_equal_gaps_is_taken() -> None:
    assert largest_gap(A)({A: ImmutableDenseMatrix.diag(3, 2, 1)}) == 1


@pytest.mark.parametrize("width", [0, Rational(1, 4), 1, 3])
def test_the_edge_is_where_the_inverse_transform_is_least(width: Any) -> None:
    linear = Rational(1, 4)
    total = exp(linear) - 1
    pole = float(1 / sqrt(width * linear)) if width else 10.0

    def transform(g: float) -> float:
        return float(inverse_transform(g, float(width), float(linear), float(total)))

    found = minimize_scalar(transform, bounds=(1e-9, pole * (1 - 1e-9)), method="bounded")
    assert abs(found.fun - float(edge(width, linear))) < 1e-6


def test_a_product_of_two_gaussian_matrices_has_the_edge_of_fuss_and_catalan() -> None:
    """27/4 is that of the law whose moments are binom(3k, k)/(2k + 1)."""
    turn = turning_point(1, Integer(1), Integer(1) + Rational(1, 10**30))
    value = inverse_transform(turn, 1, Integer(1), Integer(1))
    assert abs(value**2 - Rational(27, 4)) < Rational(1, 10**28)
