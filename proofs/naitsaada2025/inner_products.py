r"""Proofs about the exponents of $Z_{ij}$: shapes, and both sides entry by entry."""

from __future__ import annotations

from sympy import sqrt

from claims.model import Claim
from claims.naitsaada2025 import inner_products as claims
from claims.naitsaada2025.attention import WK, WQ, X0, i, j, layer, score
from claims.naitsaada2025.notation import T, d_qk
from claims.statement import Compare
from proofs.calculation import for_all
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.kernel import joint, unfold
from proofs.naitsaada2025.attention import INDEX, size
from proofs.registry import proves


@proves(claims.logits_without_a_transpose)
def by_shapes_of_the_factors(claim: Claim) -> Certificate:
    """Columns of X_0 W^Q meet rows of the transposed W^K."""
    met = joint(
        claims.query_columns.equals(claims.transposed_key_rows),
        size(claims.query_columns, X0 * WQ, 1, layer),
        size(claims.transposed_key_rows, WK.T, 0, layer),
    )  # fmt: skip
    return conclude(claim, met, method=INDEX)


@proves(claims.exponents_are_inner_products)
def by_entries(claim: Claim) -> Certificate:
    """Both are sums over the features of a query and a key."""
    over = ((i, 1, T), (j, 1, T))
    exponent, product = claims.exponent(i, j), claims.inner_product(i, j)
    read = (
        unfold(exponent, score(i, j), layer, over),
        unfold(product, score(i, j) * sqrt(d_qk), layer, over),
    )
    same = joint(Compare(exponent, "=", product / sqrt(d_qk)), *read)
    return conclude(claim, for_all(same, (i, T), (j, T)), method="entry by entry")
