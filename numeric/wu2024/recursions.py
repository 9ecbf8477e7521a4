"""Sequences of cosine gaps that obey the recursion."""

from __future__ import annotations

from claims.domain import Point
from claims.wu2024 import recursions as claims
from claims.wu2024.cosines import t0
from claims.wu2024.notation import N, epsilon, r
from claims.wu2024.recursions import factors
from numeric.agreement import Measured, rounding
from numeric.registry import measures


@measures(claims.gap)
def followed_gap(point: Point, layer: int) -> Measured:
    """The gap at a layer of the sequence that the point's factors choose, forwards in layers."""
    shares = [float(share) for share in point[factors]]
    start, step = int(point[t0]), int(point[r])
    shrink = 1 - int(point[N]) * float(point[epsilon]) ** (2 * step)
    gaps: list[float] = []
    for place, share in enumerate(shares):
        if place < start:
            gaps.append(2 * share)
        elif place < start + step:
            gaps.append(share)
        else:
            gaps.append(share * shrink * gaps[place - step])
    return Measured(gaps[layer], rounding(1.0))
