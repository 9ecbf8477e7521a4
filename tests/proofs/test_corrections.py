"""Corrections of naitsaada2025 that are derived: what they are derived from is needed."""

from __future__ import annotations

from dataclasses import replace

from claims.domain import Condition, Domain
from claims.naitsaada2025.full_rank import (
    covariance_misses_one_dimension,
    exact_rank,
    rank,
    values,
)
from claims.naitsaada2025.low_rank import C, low_rank, singular_values_after_a_change_of_rank_k
from claims.naitsaada2025.notation import T
from proofs.conclude import undischarged
from proofs.naitsaada2025.full_rank import by_products_of_order_one_less
from proofs.naitsaada2025.low_rank import by_the_minimax_principle


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
    theorem = by_the_minimax_principle(claim).theorem
    assert theorem is not None and undischarged(theorem, claim) == []
    assert undischarged(theorem, replace(claim, domain=Domain(free, low_rank.conditions)))
