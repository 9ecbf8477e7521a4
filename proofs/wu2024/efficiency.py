"""Depth needed against the two numbers called diameter."""

from __future__ import annotations

from claims.model import Claim
from claims.wu2024 import efficiency as claims
from proofs.certificate import Certificate, Checked
from proofs.conclude import argued
from proofs.registry import proves
from proofs.wu2024.masks import enumerated_depths, supports_multiply

SCOPE = "all strongly connected masks with self-loops"
WALKS = (
    Checked(
        r"(A^{(k-1)}\cdots A^{(0)})_{ij}>0\iff\mathrm{dist}(j,i)\le k,\quad\text{so } k^*=R",
        "induction: non-negative terms cannot cancel, and self-loops let a walk wait",
        supports_multiply,
    ),
    Checked(
        r"k^*=R\ge r\ \text{on every strongly connected graph with loops, } N\le3",
        "enumeration",
        enumerated_depths(3),
    ),
)


@proves(claims.smaller_diameter_needs_fewer_layers)
def by_walks(claim: Claim) -> Certificate:
    """k* is the longest distance itself, so that the one orders the other."""
    return argued(claim, steps=WALKS, method="supports of products are walks", scope=SCOPE)


@proves(claims.depth_needed_is_at_least_the_diameter)
def by_longest_distance(claim: Claim) -> Certificate:
    """k* is the longest distance, a maximum over tokens of what r is the minimum of."""
    return argued(
        claim, steps=WALKS, method="supports of products are walks; powers of numbers below one",
        scope=rf"{SCOPE}, $0<\epsilon<1$",
    )  # fmt: skip
