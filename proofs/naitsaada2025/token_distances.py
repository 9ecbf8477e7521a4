"""Distances of tokens after one layer: second moments of shares, and their limit."""

from __future__ import annotations

from sympy import oo

from claims.model import Claim
from claims.naitsaada2025 import token_distances as claims
from claims.naitsaada2025.notation import T, d, size
from claims.naitsaada2025.products import a
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.kernel import both, derived, generalise, limit, limit_rewritten, unfold
from proofs.registry import proves

METHOD = "second moments of shares"
ANY_SHAPE = claims.tokens_converge_to_a_point.domain


@proves(claims.tokens_converge_to_a_point)
def by_second_moments_of_shares(claim: Claim) -> Certificate:
    r"""$\mathbb E\|a_i-a_k\|^2$ over $\mathbb E\|a_i\|^2$ is $2(T-1)/((a+1)T)$ at every size."""
    ratio = 2 * size / ((a + 1) * (size + 1))
    said = unfold(claims.distance_at(size + 1), ratio, ANY_SHAPE, ((size, 1, oo),))
    tends = limit_rewritten(limit(ratio, size), generalise(said, size, 1, oo))
    relative = derived(claims.relative_distance, tends.formula.limit, ANY_SHAPE, METHOD, tends)
    whole = claims.tokens_stay_apart.domain
    value = 2 * d * (T - 1) / (T * (a * T + 1))
    return conclude(
        claim, both(derived(claims.squared_distance, value, whole, METHOD), relative), method=METHOD
    )
