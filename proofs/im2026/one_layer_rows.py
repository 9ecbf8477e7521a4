"""Theorem D.7 by rows: every link of the induction, without T."""

from __future__ import annotations

from claims.im2026 import one_layer_rows as claims
from claims.model import Claim
from proofs.certificate import Certificate
from proofs.im2026.chains import TO_ONE_HALF, by_norms
from proofs.registry import proves


@proves(claims.early_features_whatever_the_length)
def by_rows(claim: Claim) -> Certificate:
    """Norms at their bounds, then polynomials in s eta up to one half."""
    return by_norms(claim, *claims.CHAINS, box=TO_ONE_HALF)
