"""The rank of the covariance without the gap, by singular values in double precision."""

from __future__ import annotations

from torch.linalg import matrix_rank

from claims.domain import Point
from claims.naitsaada2025 import full_rank as claims
from claims.naitsaada2025.layers import X0, attentions, values
from numeric.agreement import Measured
from numeric.naitsaada2025.layers import layer_by_layer
from numeric.registry import measures

ZERO = 1e-10
"""Singular values of the signal that are smaller, beside the largest, count as zero."""


@measures(claims.rank)
def rank(point: Point) -> Measured:
    """The rank of XX^T, which is that of X."""
    signal = layer_by_layer(point[X0], point[attentions], point[values], False)
    return Measured(float(matrix_rank(signal, rtol=ZERO)))
