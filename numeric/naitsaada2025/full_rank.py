"""The rank of the covariance without the gap, by singular values in double precision."""

from __future__ import annotations

from torch.linalg import svdvals

from claims.domain import Point
from claims.naitsaada2025 import full_rank as claims
from claims.naitsaada2025.layers import X0, attentions, values
from numeric.agreement import Measured
from numeric.naitsaada2025.layers import layer_by_layer
from numeric.registry import measures

LOST = 1e-13
"""Beside the largest, smaller singular values may be rounding alone, whatever they are."""
SURE, CLEAR = 1e-10, 1e-6
"""Larger ones than the first are not zero.  Where all others are larger than the second, those that are
lost are zero: in deep products of ill-conditioned factors singular values fall by degrees."""


@measures(claims.rank)
def rank(point: Point) -> Measured:
    """The rank of XX^T, which is that of X; between bounds where small values are lost in rounding."""
    signal = layer_by_layer(point[X0], point[attentions], point[values], False)
    found = svdvals(signal)
    shares = found / found[0] if float(found[0]) else found
    least, most = int((shares > SURE).sum()), len(shares)
    kept = shares[shares > LOST]
    if not len(kept) or float(kept[-1]) > CLEAR:
        most = least
    return Measured((least + most) / 2, (most - least) / 2)
