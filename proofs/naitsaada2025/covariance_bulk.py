"""Proofs about the law of the singular values of the covariance (Prop. A.8)."""

from __future__ import annotations

from claims.model import Claim
from claims.naitsaada2025 import covariance_bulk as claims
from proofs.certificate import Certificate
from proofs.naitsaada2025.second_moments import decided_by_limit, mean_of, variance_of
from proofs.registry import proves

SCOPE = (
    r"all $\ell\ge1$, rational $\gamma$, $\sigma_A,\sigma_V>0$; $Z$ with a Gamma law; limits of mean "
    "moments"
)


@proves(claims.mean_of_the_covariance)
def by_the_limit_of_the_mean(claim: Claim) -> Certificate:
    """E tr Sigma_l, layer by layer."""
    return decided_by_limit(claim, mean_of("covariance"), SCOPE)


@proves(claims.variance_of_the_covariance)
def by_the_limit_of_the_mean_square(claim: Claim) -> Certificate:
    """E tr Sigma_l^2: the layers of values first, then those of attention."""
    return decided_by_limit(claim, variance_of("covariance"), SCOPE)
