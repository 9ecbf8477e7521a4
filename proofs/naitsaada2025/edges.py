"""Proofs about largest singular values of products with Gaussian weights."""

from __future__ import annotations

from sympy import sqrt

from claims.model import Claim
from claims.naitsaada2025 import edges as claims
from claims.naitsaada2025.notation import ell, gamma, sigma_A, sigma_V
from proofs.certificate import Certificate
from proofs.conclude import argued
from proofs.decide import decide
from proofs.naitsaada2025.interlacing import argued_right
from proofs.registry import proves


@proves(claims.largest_singular_values_of_gaussian_matrices)
def by_geman(claim: Claim) -> Certificate:
    r"""$\mathbb E s_1\le\sqrt T+\sqrt d$ (Gordon), and the limit is almost sure (Geman, 1980)."""
    return argued(claim, steps=(), method="norms of Gaussian matrices (Geman; Gordon)")


@proves(claims.product_of_largest_singular_values_as_printed)
def by_the_edges_of_the_factors(claim: Claim) -> Certificate:
    r"""The limits multiply: $(4/T)^\ell\cdot d(1+\sqrt\gamma)^2\cdot(4d)^{\ell-1}$."""
    return argued_right(
        claim, claims.product_of_largest_singular_values, "edges of independent factors"
    )


@proves(claims.a_power_of_four_is_lost)
def by_collecting_powers(claim: Claim) -> Certificate:
    r"""$2^{2\ell}\,2^{2(\ell-1)}=4^{2\ell-1}$."""
    value = (sigma_A * sigma_V) ** (2 * ell) * 4 ** (2 * ell - 1) * (1 + 1 / sqrt(gamma)) ** 2
    return decide(claim, value, method="powers of two, collected")


@proves(claims.second_singular_value_with_weights)
def by_a_rank_one_change(claim: Claim) -> Certificate:
    r"""$s_2(A_p\cdots A_1W)\le s_1(A_p^\perp\cdots A_1^\perp W)\le\prod_ks_1(A_k^\perp)\,s_1(W)$.

    By the expansion in the proof of Lemma A.3 the difference of the two matrices has rank one.
    """
    return argued(claim, steps=(), method="rank-one change; norms of the factors")


@proves(claims.weights_compensate_attention)
def by_norms_of_both(claim: Claim) -> Certificate:
    r"""$s_1(A)\to1$, $\sqrt Ts_2(A)\to2\sigma$ (Bordenave et al.), $d^{-1/2}s_1(W)\to2$ (Geman)."""
    return argued(claim, steps=(), method="norms of Markov and of Gaussian matrices")


@proves(claims.largest_singular_value_with_overwhelming_probability)
def by_the_norm_of_the_rest(claim: Claim) -> Certificate:
    r"""$s_1(A^\perp W)$, small beside $d^{q/2}$, bounds the distance from $\|\varphi^\top W\|$."""
    return argued_right(
        claim,
        claims.largest_singular_value_tends_in_mean_square,
        "triangle inequality; norms of a Gaussian row through Gaussian matrices",
    )


@proves(claims.stable_rank_with_the_gap_as_printed)
def by_theorems_4_and_5(claim: Claim) -> Certificate:
    r"""T - 1 values $s_i^4$, of mean $\gamma^{-2\ell}(1+\ell+\ell\gamma)$, over $s_1^4=d^{2\ell}(1+o(1))$."""
    return argued_right(
        claim, claims.stable_rank_with_the_gap, "Theorems A.4 and A.5 with $p=q=\\ell$"
    )
