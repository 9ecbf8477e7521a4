"""Lemma A.6: only sigma/m can enter, since a change of scale of Z leaves the matrix alone."""

from __future__ import annotations

from claims.model import Claim
from claims.naitsaada2025 import spectral_laws as claims
from proofs.certificate import Certificate, Checked
from proofs.conclude import argued
from proofs.naitsaada2025.spectral_gap import scale_cancels
from proofs.registry import proves


@proves(claims.quarter_circle_law_without_the_gap)
def by_a_change_of_scale(claim: Claim) -> Certificate:
    """The law at Z/m, for the same matrices; a perturbation of rank one moves no bulk."""
    return argued(
        claim,
        steps=(Checked(r"A(cZ)=A(Z)", "row by row", scale_cancels),),
        method="the quarter-circle law of Bordenave et al. (2011) at mean one, and a change of scale",
    )
