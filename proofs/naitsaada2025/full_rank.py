"""The rank of the covariance without the gap, by kernels and ranges."""

from __future__ import annotations

from claims.model import Claim
from claims.naitsaada2025 import full_rank as claims
from proofs.certificate import Certificate
from proofs.naitsaada2025.interlacing import argued_right
from proofs.registry import proves


@proves(claims.covariance_has_full_rank)
def by_kernels_and_ranges(claim: Claim) -> Certificate:
    r"""$A_k^\perp x=0$ says $A_kx=\bar x1=A_k(\bar x1)$: the kernel of $A_k^\perp$ is spanned by $1$.

    $A_k^\perp x=1$ would say $A_kx=(1+\bar x)1$, so $x=(1+\bar x)1$, whose mean is not $\bar x$: $1$ is in no
    range, and each further factor keeps the rank $T-1$. $X_0W_1^V\cdots W_\ell^V$ has rank $T$.
    """
    return argued_right(
        claim,
        claims.covariance_misses_one_dimension,
        "the ones span the null space of each factor and lie in the range of none",
    )
