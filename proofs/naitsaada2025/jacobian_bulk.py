"""Proofs about the law of the squared singular values of the Jacobian (Prop. A.9)."""

from __future__ import annotations

from claims.model import Claim
from claims.naitsaada2025 import jacobian_bulk as claims
from proofs.certificate import Certificate
from proofs.naitsaada2025.second_moments import decided_by_limit, mean_of, variance_of
from proofs.registry import proves

SCOPE = (
    r"all $\ell\ge1$, rational $\gamma$, $\sigma_A,\sigma_V>0$; $Z$ with a Gamma law; limits of mean "
    "moments"
)


@proves(claims.mean_of_the_jacobian_as_printed)
def by_the_limit_of_the_mean(claim: Claim) -> Certificate:
    """E tr of the attention factor and of the value factor, each layer by layer."""
    return decided_by_limit(claim, mean_of("jacobian"), SCOPE)


@proves(claims.variance_of_the_jacobian_as_printed)
def by_the_limit_of_the_mean_square(claim: Claim) -> Certificate:
    """Each factor has the mean square l + 1 over its squared mean, so that J has (l + 1)^2."""
    return decided_by_limit(claim, variance_of("jacobian"), SCOPE)
