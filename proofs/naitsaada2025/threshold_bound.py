"""Proofs about the bound that a threshold for singular values gives."""

from __future__ import annotations

from claims.model import Claim
from claims.naitsaada2025 import threshold_bound as claims
from proofs.certificate import Certificate
from proofs.naitsaada2025.interlacing import argued_right
from proofs.registry import proves


@proves(claims.bound_of_the_threshold_as_printed)
def by_the_limit_law(claim: Claim) -> Certificate:
    r"""$\mathrm{sr}/T\to\int x^2\,d\mathcal M/e^2$, $c^2P\le\int x^2\,d\mathcal M$, and $e=27/4<16$."""
    return argued_right(
        claim, claims.bound_of_the_threshold, "moments and edge of a Fuss-Catalan law"
    )
