r"""Proofs of Eq. (23)-(25): from nearly rank one products to tokens that gather, for every N and d."""

from __future__ import annotations

from claims.model import Claim
from claims.wu2024 import sphere_limits as claims
from proofs.certificate import Certificate
from proofs.conclude import argued
from proofs.registry import proves

SCOPE = (
    r"all $N\ge2$, $d\ge N$, all strongly connected masks with self-loops, all sequences of "
    "attention matrices of the class and of orthogonal value matrices, all independent initial "
    "tokens"
)


@proves(claims.row_factors_share_a_finite_limit)
def by_reverse_triangle_inequality(claim: Claim) -> Certificate:
    """1/u_i differs from |v^T X| by what Lemma 9 makes vanish, and v converges."""
    return argued(
        claim,
        steps=(),
        method="reverse triangle inequality and the least singular value", scope=SCOPE,
    )  # fmt: skip


@proves(claims.tokens_collapse_under_layernorm)
def by_common_row_factor(claim: Claim) -> Certificate:
    """All rows of P X W~ approach one multiple of v^T X W~."""
    return argued(
        claim,
        steps=(),
        method="rows of $P$ approach one row", scope=SCOPE,
    )  # fmt: skip


@proves(claims.tokens_converge_to_one_point)
def by_turning_back(claim: Claim) -> Certificate:
    """X^(t+1) W~^T = P X^(0) approaches u v^T X^(0), and u and v converge."""
    return argued(
        claim,
        steps=(),
        method="limit of $PX^{(0)}$", scope=SCOPE,
    )  # fmt: skip
