"""Exact searches for what would refute the orders of the updates.

The orders of the updates are not proved here: small corpora are searched, in exact power series.
"""

from __future__ import annotations

from claims.im2026 import leading_terms as claims
from claims.model import Claim
from proofs.certificate import Certificate
from proofs.decide import refute
from proofs.registry import proves


@proves(
    claims.leading_terms_are_the_same_in_every_layer,
    claims.orders_of_the_updates,
)
def by_power_series_of_small_corpora(claim: Claim) -> Certificate:
    """Weights as exact series in the learning rate, corpus by corpus."""
    return refute(claim, method="exact power series")
