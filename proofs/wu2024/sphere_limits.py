r"""Proofs of Eq. (23)-(25): from nearly rank one products to tokens that gather, for every N and d."""

from __future__ import annotations

from typing import Any

from sympy import symbols

from claims.model import Claim
from claims.wu2024 import sphere_limits as claims
from proofs.certificate import Certificate
from proofs.conclude import argued
from proofs.registry import proves
from proofs.wu2024.cone import (
    norms_stay_above_the_hull,
    scores_are_bounded,
    sums_stay_at_least_one,
)
from proofs.wu2024.ergodic import contraction, products_stay_positive
from proofs.wu2024.lengths import rotations_keep_length
from proofs.wu2024.positivity import entries_in_range
from proofs.wu2024.steps import algebra, cauchy_schwarz, nonnegative

SCOPE = (
    "all N >= 2, d >= N, all strongly connected masks with self-loops, all sequences of attention "
    "matrices of the class and of orthogonal value matrices, all independent initial tokens"
)


def ergodic_products() -> tuple[Any, ...]:
    """Lemmas 4-6: a floor for A, bounds for D, and ratios of columns of P that converge.

    The ratio of two columns ranges over intervals that are nested and shrink to a point, so it
    converges in every row to one limit: the unit vector v^{(t)} converges.
    """
    return (
        *scores_are_bounded(), *sums_stay_at_least_one(), *norms_stay_above_the_hull(),
        *entries_in_range(), *products_stay_positive(), *contraction(),
    )  # fmt: skip


def factors_are_inverse_norms() -> tuple[Any, ...]:
    """1 = u_i |z + e_i| with z = v^T X, e_i = E_i X/u_i -> 0; and |z| >= sigma_min."""
    norm, error, inner = symbols("z e h", real=True)
    whole, entry = symbols("x E_{ij}/u_i", nonnegative=True)
    value, least, coordinate = symbols("s_k s_{min} c_k", real=True)
    return (
        *cauchy_schwarz(),
        nonnegative(
            r"(\|z\|+\|e\|)^2-\|z+e\|^2=2(\|z\|\|e\|-\langle z,e\rangle)\ge0",
            (norm + error) ** 2 - (norm**2 + 2 * inner + error**2), 2 * (norm * error - inner),
            given=(2 * (norm * error - inner),),
        ),
        nonnegative(
            r"\|e_i\|\le\textstyle\sum_j\tfrac{|E_{ij}|}{u_i}\|X_j\|:\ "
            r"\tfrac{|E_{ij}|}{u_i}(1-\|X_j\|)\ge0,\ \text{and Lemma 9}",
            entry * (1 - whole), given=(1 - whole,),
        ),
        nonnegative(
            r"\|v^\top X\|^2-s_{\min}^2=\textstyle\sum_k(s_k^2-s_{\min}^2)c_k^2\ge0\ "
            r"\text{in the basis of singular vectors}",
            (value**2 - least**2) * coordinate**2, given=(value**2 - least**2,),
        ),
        rotations_keep_length(),
    )  # fmt: skip


def tokens_gather() -> tuple[Any, ...]:
    """X_i - X_k = (u_i - u_k) z + (E_i - E_k) X, where u_i - u_k -> 0 and E = u (E/u) -> 0."""
    first, second, z, one, other = symbols("u_i u_k z E_iX E_kX", real=True)
    return (
        algebra(
            r"X_i-X_k=(u_i-u_k)z+(E_i-E_k)X", (first * z + one) - (second * z + other),
            (first - second) * z + (one - other),
        ),
        algebra(r"\frac1{u_k}-\frac1{u_i}=\frac{u_i-u_k}{u_iu_k}", 1 / second - 1 / first,
                (first - second) / (first * second)),
    )  # fmt: skip


@proves(claims.row_factors_share_a_finite_limit)
def by_reverse_triangle_inequality(claim: Claim) -> Certificate:
    """1/u_i differs from |v^T X| by what Lemma 9 makes vanish, and v converges."""
    return argued(
        claim,
        steps=(*ergodic_products(), *factors_are_inverse_norms(), *tokens_gather()),
        method="reverse triangle inequality and the least singular value", scope=SCOPE,
    )  # fmt: skip


@proves(claims.tokens_collapse_under_layernorm)
def by_common_row_factor(claim: Claim) -> Certificate:
    """All rows of P X W~ approach one multiple of v^T X W~."""
    return argued(
        claim,
        steps=(*ergodic_products(), *factors_are_inverse_norms(), *tokens_gather()),
        method="rows of P approach one row", scope=SCOPE,
    )  # fmt: skip


@proves(claims.tokens_converge_to_one_point)
def by_turning_back(claim: Claim) -> Certificate:
    """X^(t+1) W~^T = P X^(0) approaches u v^T X^(0), and u and v converge."""
    return argued(
        claim,
        steps=(*ergodic_products(), *factors_are_inverse_norms(), *tokens_gather()),
        method="limit of P X^(0)", scope=SCOPE,
    )  # fmt: skip
