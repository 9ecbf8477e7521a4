"""Singular values by the spectral theorem: each theorem holds at numbers, and rests on no words."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from sympy import ImmutableDenseMatrix, Integer, MatrixSymbol

from claims.domain import Array, Domain, Size
from claims.naitsaada2025.crossings import orthogonal_to
from claims.naitsaada2025.interlacing import singular_values_interlace
from claims.naitsaada2025.notation import T, d
from claims.naitsaada2025.product_of_rests import second_value_is_below_the_product_of_the_rests
from claims.naitsaada2025.stable_rank import M, decomposed
from claims.terms import entry, value_of
from proofs.certificate import Certificate
from proofs.kernel import ProofError, Theorem
from proofs.naitsaada2025.decompositions import along_ones, bulk, whole
from proofs.naitsaada2025.interlacing import p
from proofs.naitsaada2025.ky_fan import below_two
from proofs.naitsaada2025.minimax import Met
from proofs.naitsaada2025.product_of_rests import by_weyl
from proofs.naitsaada2025.rayleigh import Rayleigh

column = MatrixSymbol("z", T, 1)
DRAWN = Domain((Size(T, 2, 4), Size(d, 1, 3), Array(M, 5), *decomposed(), Array(column, 5)))
FOUND = Rayleigh()


def z(place: Any) -> Any:
    return entry(column)(place, 1)


def difference(theorem: Theorem, seed: int) -> float:
    """Left less right at a random matrix and column."""
    point = DRAWN.draw(Random(seed))
    left, right = (value_of(side, point) for side in (theorem.formula.left, theorem.formula.right))
    return float(left - right)


@pytest.mark.parametrize("seed", range(4))
def test_squared_norms_are_spread_over_the_singular_vectors(seed: int) -> None:
    assert abs(difference(FOUND.spread(z), seed)) < 1e-40
    assert abs(difference(FOUND.form(z), seed)) < 1e-40
    assert abs(difference(FOUND.own(Integer(2)), seed)) < 1e-40


@pytest.mark.parametrize("theorem", [FOUND.bessel(z), FOUND.principle(z), below_two(FOUND, z)])
def test_bounds_hold_at_random_matrices(theorem: Theorem) -> None:
    found = [difference(theorem, seed) for seed in range(6)]
    assert max(found) < 1e-40 and min(found) > -1e6
    assert theorem.failures() == [] and not theorem.argued


def test_the_ones_are_split_off_only_where_rows_sum_to_one() -> None:
    theorem = along_ones(lambda a: whole.u(a, 1))
    assert any("1" in h.latex() for h in theorem.hypotheses)
    with pytest.raises(ProofError):  # a total that no theorem gives
        along_ones(lambda a: whole.u(a, 1), Integer(7))


def test_a_vector_meets_the_spans_that_it_was_chosen_for() -> None:
    """Between other singular vectors it says nothing."""
    low = Met(singular_values_interlace.domain.variables[-2], p)  # type: ignore[arg-type]
    assert not low.at_least(bulk).argued and not low.at_most(whole).argued
    for wrong in (low.at_least, low.at_most):
        with pytest.raises(ProofError):
            wrong(whole if wrong == low.at_least else bulk)


def test_a_vector_is_found_though_conditions_repeat() -> None:
    rows = ImmutableDenseMatrix([[1, 2, 3], [2, 4, 6]])
    found = orthogonal_to(rows)
    assert max(abs(e) for e in rows * found) < 1e-50 and abs((found.T * found)[0] - 1) < 1e-50


def test_a_corrected_bound_of_stochastic_matrices_is_derived() -> None:
    """Of a correction the audit expects no verdict, as it does of the claims that are proved this way."""
    certificate: Certificate = by_weyl(second_value_is_below_the_product_of_the_rests)
    assert certificate.status == "proved" and certificate.theorem is not None
    assert not certificate.theorem.argued and certificate.theorem.failures() == []
