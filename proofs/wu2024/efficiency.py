"""Depth needed against the two numbers called diameter."""

from __future__ import annotations

from claims.model import Claim
from claims.wu2024 import efficiency as claims
from proofs.certificate import Certificate, Checked
from proofs.conclude import argued
from proofs.decide import find_witness, refute
from proofs.registry import proves
from proofs.wu2024.masks import enumerated_depths, supports_multiply

METHOD = "supports of products are walks"
SCOPE = "all strongly connected masks with self-loops"


@proves(claims.smaller_diameter_needs_fewer_layers)
def by_two_masks(claim: Claim) -> Certificate:
    """Two masks on seven tokens are a counterexample, exactly."""
    return refute(claim, method=METHOD, scope="two masks on the same number of tokens")


@proves(claims.smaller_distance_mixes_faster)
def by_walks(claim: Claim) -> Certificate:
    """k* is the longest distance itself, so that the one orders the other."""
    if find_witness(claim) is not None:
        return refute(claim, method=METHOD, scope=SCOPE)
    steps = (
        Checked(
            r"(A^{(k-1)}\cdots A^{(0)})_{ij}>0\iff\mathrm{dist}(j,i)\le k,\quad\text{so } k^*=R",
            "induction: non-negative terms cannot cancel, and self-loops let a walk wait",
            supports_multiply,
        ),
        Checked(
            r"k^*=R\ \text{on every strongly connected graph with loops, } N\le3",
            "enumeration",
            enumerated_depths(3),
        ),
    )
    return argued(claim, steps=steps, method=METHOD, scope=SCOPE)
