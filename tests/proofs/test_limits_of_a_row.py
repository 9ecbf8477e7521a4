"""Limits of a row's moments: derived for every law with the moment they name, and for no other."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from sympy import Integer, Rational, oo

from claims.domain import Domain
from claims.model import Claim
from claims.naitsaada2025 import covariance_bulk, gradients, jacobian_bulk, row_moments
from claims.naitsaada2025.notation import T
from claims.naitsaada2025.shares import FOURTH_MOMENT, ROWS, SECOND_MOMENT, Z
from proofs.kernel import ProofError, unfold
from proofs.naitsaada2025.row_moments import READ, SCALED, of_a_row
from proofs.registry import load, proof_of

RESTING = {
    FOURTH_MOMENT: (
        row_moments.moments_of_a_row,
        covariance_bulk.mean_of_the_covariance,
        covariance_bulk.variance_of_the_covariance,
        covariance_bulk.limit_law_of_the_covariance,
        jacobian_bulk.mean_of_the_jacobian,
        jacobian_bulk.variance_of_the_jacobian,
        jacobian_bulk.moments_of_the_jacobian,
        jacobian_bulk.mean_vanishes_below_the_ratio,
    ),
    SECOND_MOMENT: (
        gradients.gradients_grow_linearly,
        gradients.traces_per_feature_are_constants,
        gradients.growth_without_gap_is_constant_when_balanced,
    ),
}
FIRST = {
    row_moments.moments_of_a_row, covariance_bulk.limit_law_of_the_covariance,
    gradients.gradients_grow_linearly,
}  # fmt: skip
"""One for each road; the others take the same ones."""
CLAIMS = [
    pytest.param(claim, condition, marks=() if claim in FIRST else pytest.mark.seldom)
    for condition, claims in RESTING.items()
    for claim in claims
]


@pytest.mark.parametrize(("claim", "condition"), CLAIMS, ids=lambda x: getattr(x, "id", ""))
def test_without_the_moment_nothing_is_proved(claim: Claim, condition: Any) -> None:
    load()
    judge = proof_of(claim)
    assert judge is not None
    found = judge(claim)
    assert found.status == "proved" and found.theorem is not None and not found.theorem.argued
    rest = tuple(c for c in claim.domain.conditions if c is not condition)
    assert len(rest) == len(claim.domain.conditions) - 1
    wider = judge(replace(claim, domain=Domain(claim.domain.variables, rest)))
    assert wider.status == "undecided"


@pytest.mark.parametrize("family", SCALED, ids=["r", "c", "f", "q"])
def test_limits_hold_no_moment_above_the_second(family: Any) -> None:
    """And rest on no words; a row's length may grow in steps of any size."""
    _, _, end = SCALED[family]
    for theorem in (of_a_row(family), of_a_row(family, Integer(1))):
        assert theorem.formula.limit == end and not theorem.argued
        assert Z.finite(4) in theorem.hypotheses and Z.finite(2) not in theorem.hypotheses
        assert theorem.failures() == []


@pytest.mark.parametrize("family", READ, ids=["r", "c", "f", "q"])
def test_another_reading_of_a_definition_is_refused(family: Any) -> None:
    over = ((T, 2, oo),)
    for term in (READ[family] * Rational(100, 99), READ[family] + (T - 2) / T**9):
        with pytest.raises(ProofError):
            unfold(family(T), term, ROWS, over)


def test_a_second_moment_is_enough_for_the_mean_squared_norm() -> None:
    unevenness, *_, quartic = SCALED
    assert Z.finite(4) not in of_a_row(unevenness, order=2).hypotheses
    with pytest.raises(ValueError, match="no order of moments"):
        of_a_row(quartic, order=3)
