"""Derived statements about mu, LayerNorm and A2, A3: what changes them changes the verdict."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from sympy import Integer

from claims.domain import Domain
from claims.model import Claim
from claims.wu2024 import dynamics, layernorm, measure
from claims.wu2024.notation import N
from proofs.registry import proof_of
from proofs.wu2024 import dynamics as of_dynamics  # noqa: F401
from proofs.wu2024 import layernorm as of_layernorm  # noqa: F401
from proofs.wu2024 import measure as of_measure  # noqa: F401

CHANGED = (
    (measure.measure_by_pairs_of_tokens, measure.squared_mu.equals(measure.differences / N)),
    (measure.measure_by_pairs_of_tokens, measure.squared_mu.at_most(N * measure.ranges / 5)),
    (
        measure.lipschitz_measures_that_vanish_on_equal_rows_are_bounded_by_mu,
        measure.other_measure.at_most(measure.lipschitz * measure.mu / 2),
    ),
    (layernorm.layernorm_acts_on_the_left, layernorm.on_the_right.equals(0)),
    (layernorm.layernorm_scales_each_token, layernorm.order.equals(N + 1)),
    (
        dynamics.bounded_weights_bound_the_scores,
        dynamics.largest_score.at_most(dynamics.weight_bound * dynamics.largest),
    ),
    (
        dynamics.bounded_products_bound_the_tokens,
        dynamics.largest_after.at_most(dynamics.product_bound * dynamics.largest),
    ),
)


def verdict_of(claim: Claim, **changes: Any) -> str:
    """The verdict on the claim as changed, by the theorem that proves it as it stands."""
    prove = proof_of(claim)
    assert prove is not None
    certificate = prove(claim)
    assert (certificate.status, certificate.grade) == ("proved", "derived")
    changed = replace(claim, base=claim, mutants=(), repair=None, severity=None, **changes)
    return str(certificate.rejudge(changed).status)


@pytest.mark.parametrize(
    ("claim", "statement"), CHANGED, ids=lambda piece: getattr(piece, "id", "")
)
def test_another_statement_is_refuted(claim, statement):
    assert verdict_of(claim, statement=statement, define=None) == "refuted"


@pytest.mark.parametrize("kept", [0, 1])
def test_both_hypotheses_on_the_other_measure_are_needed(kept):
    claim = measure.lipschitz_measures_that_vanish_on_equal_rows_are_bounded_by_mu
    domain = Domain(claim.domain.variables, (claim.domain.conditions[kept],))
    assert verdict_of(claim, domain=domain) == "refuted"


@pytest.mark.parametrize(
    ("claim", "kind"),
    [
        (dynamics.bounded_weights_bound_the_scores, "Bounded"),
        (dynamics.bounded_products_bound_the_tokens, "Layers"),
    ],
)
def test_unbounded_weights_refute_the_bounds(claim, kind):
    variables = (
        v.relaxed() if type(v).__name__ == kind else v for v in claim.domain.variables
    )  # fmt: skip
    assert verdict_of(claim, domain=Domain(tuple(variables), claim.domain.conditions)) == "refuted"


def test_facts_of_a_spectral_norm_hold_at_drawn_points():
    from random import Random

    claim, rng = dynamics.bounded_products_bound_the_tokens, Random(1)
    (layers,) = (v for v in claim.domain.variables if isinstance(v, dynamics.Layers))
    for point in (claim.domain.draw(rng) for _ in range(5)):
        assert all(fact.truth({**point, N: Integer(point[N])}) is True for fact in layers.facts())
