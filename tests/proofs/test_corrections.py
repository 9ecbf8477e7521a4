"""Corrections of naitsaada2025 that are derived: what they are derived from is needed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from claims.domain import Condition, Domain
from claims.model import Claim
from claims.naitsaada2025.concentration import attention_adds_what_its_bulk_spills
from claims.naitsaada2025.full_rank import (
    covariance_misses_one_dimension,
    exact_rank,
    rank,
    values,
)
from claims.naitsaada2025.low_rank import C, low_rank, singular_values_after_a_change_of_rank_k
from claims.naitsaada2025.notation import T
from proofs.certificate import Certificate
from proofs.naitsaada2025.concentration import by_the_triangle_inequality
from proofs.naitsaada2025.full_rank import by_products_of_order_one_less
from proofs.naitsaada2025.low_rank import by_the_minimax_principle


@pytest.mark.parametrize(
    ("proof", "claim"),
    [
        (by_products_of_order_one_less, covariance_misses_one_dimension),
        (by_the_triangle_inequality, attention_adds_what_its_bulk_spills),
        (by_the_minimax_principle, singular_values_after_a_change_of_rank_k),
    ],
    ids=lambda x: getattr(x, "id", ""),
)
def test_it_is_derived(proof: Callable[[Claim], Certificate], claim: Claim) -> None:
    certificate = proof(claim)
    assert certificate.status == "proved" and certificate.theorem is not None
    assert not certificate.theorem.argued and certificate.theorem.failures() == []


def judged(domain: Domain) -> str:
    """The rank of the covariance under other hypotheses, by the theorem that was derived."""
    proof = by_products_of_order_one_less(covariance_misses_one_dimension)
    claim = replace(covariance_misses_one_dimension, domain=domain, statement=rank.equals(T - 1))
    return proof.rejudge(claim).status


def test_the_rank_needs_invertible_layers() -> None:
    """Without them the rank may be less; invertible values alone are not enough either."""
    domain = covariance_misses_one_dimension.domain
    assert judged(domain) == "proved"
    assert judged(Domain(domain.variables)) == "refuted"
    alone = Condition("W", lambda at: all(exact_rank(w) == w.rows for w in at[values]))
    assert judged(Domain(domain.variables, (alone,))) == "refuted"


def test_singular_values_may_move_by_every_place_without_the_columns() -> None:
    """Of vectors that are not orthogonal to the change nothing follows."""
    claim = singular_values_after_a_change_of_rank_k
    free = tuple(
        replace(v, besides=None) if getattr(v, "besides", None) is C else v
        for v in low_rank.variables
    )
    found = by_the_minimax_principle(claim).rejudge(
        replace(claim, domain=Domain(free, low_rank.conditions))
    )
    assert found.status != "proved"
