"""Theorem 2.2 at a fixed width of queries and keys: the singular values that do not vanish."""

from __future__ import annotations

from sympy import Integer, simplify, symbols

from claims.model import Claim
from claims.naitsaada2025 import rank_collapse as claims
from claims.naitsaada2025.exponential_layers import GAUSSIAN
from claims.naitsaada2025.notation import ell
from proofs.certificate import Certificate, Checked
from proofs.conclude import argued, conclude
from proofs.decide import refute
from proofs.naitsaada2025.edge_of_attention import PRODUCT
from proofs.naitsaada2025.products import OF_TABLES
from proofs.naitsaada2025.spectral_gap import NORM, b, tilted
from proofs.naitsaada2025.sure_ranks import StableRank
from proofs.registry import proves


def first_excited_state() -> bool:
    """E_u u e^(b x u) e^(c u^2/2) is the ground state's value times (b/(1 - c)) x."""
    x, slope = symbols("x s", real=True)
    gap = symbols("g", positive=True)  # 1 - c
    found = tilted(slope, gap).diff(slope) / tilted(slope, gap)
    return simplify(found.subs(slope, b * x) - b / gap * x) == 0


SPECTRUM = (
    *NORM,
    Checked(
        r"\mathbb E_ue^{bxu+cu^2/2}u=\tfrac b{1-c}(1-c)^{-1/2}xe^{cx^2/2}",
        r"by the derivative in $s$: the next eigenvalue; all are geometric, by Mehler's formula",
        first_excited_state,
    ),
)


@proves(claims.collapse_in_width)
def by_the_spectrum_of_the_kernel(claim: Claim) -> Certificate:
    """The value matrix acts on the first singular directions of A like sqrt(d) times an isometry."""
    return argued(claim, steps=SPECTRUM, method="spectrum of a Gaussian kernel")


@proves(claims.almost_sure_collapse_at_every_depth)
def by_the_rest_of_the_product(claim: Claim) -> Certificate:
    r"""$\operatorname{sr}-1\le Ts_2^4/s_1^4$, where $s_2$ is bounded and $s_1$ the length of a row at least."""
    rank = StableRank(claims.SIGNAL, GAUSSIAN, ell)
    domain = claims.almost_sure_collapse_at_every_depth.domain
    theorem = rank.outcome.sure_limit(claims.deep_limit, Integer(1), rank.tends(), domain)
    return conclude(
        claim, theorem, method=f"{OF_TABLES}; length of a row through Gaussian matrices"
    )


@proves(claims.convergence_rate_in_width)
def by_the_bulk_of_one_layer(claim: Claim) -> Certificate:
    r"""$\sum_{i\ge2}s_i^4(X)$ is of order $T$, by the laws of the factors, and $s_1^4(X)\sim d^2$."""
    return refute(claim, steps=PRODUCT, method="fourth moments of the bulk over the outlier")


@proves(claims.rank_grows_without_the_gap)
def by_a_bulk_of_finite_rank(claim: Claim) -> Certificate:
    r"""$s_2(K)>0$ of the operator stays at a fixed width: $\operatorname{sr}(\Sigma^\perp)$ is bounded."""
    return refute(claim, steps=SPECTRUM, method="spectrum of a Gaussian kernel")
