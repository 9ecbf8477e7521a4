"""What stands for a definition in the claims about spectra of attention, against integrals and by hand."""

from __future__ import annotations

from sympy import ImmutableDenseMatrix, Integer, Rational, Symbol, integrate

from claims.naitsaada2025.decompositions import roots
from claims.naitsaada2025.largest_gap import all_outliers_are_removed
from claims.naitsaada2025.markov import A
from claims.naitsaada2025.products import a
from claims.naitsaada2025.rank_of_attention import mean_gram, mean_square
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


def test_the_cut_is_after_the_first_value_and_leaves_one_four_times_the_bulk() -> None:
    (point,) = all_outliers_are_removed.probes
    values = list(point[roots])
    wanted = (1, Rational(4, 9), Rational(1, 9), Rational(1, 9))
    assert all(abs(x - y) < Rational(1, 10**50) for x, y in zip(values, wanted, strict=True))
    assert largest_gap(A)(point) == 1


def test_the_first_of_equal_gaps_is_taken() -> None:
    assert largest_gap(A)({A: ImmutableDenseMatrix.diag(3, 2, 1)}) == 1
