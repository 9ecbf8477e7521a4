r"""Least cosines after attention with LayerNorm, and sequences of gaps that obey the recursion.

Named axes: `n` tokens, `d` features.
"""

from __future__ import annotations

from claims.domain import Point
from claims.wu2024 import cosines as claims
from claims.wu2024.cosines import factors, t0, widest
from claims.wu2024.notation import WV, N, X, attention, epsilon, r, t
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.registry import directly
from numeric.wu2024.layers import simulate


@directly(
    claims.least_cosine_grows_by_strong_connectivity,
    claims.least_cosine_grows_by_quasi_strong_connectivity,
)
def simulated_gap(point: Point) -> Measured:
    """1 - min_ij <X_i, X_j> after the layers of the point, LayerNorm after each."""
    layers = [tensor(a) for a in point[attention]]
    value = tensor(point[WV])
    tokens = simulate(tensor(point[X]), layers, value, len(layers), normalise=True)[-1]
    return Measured(float(1 - (tokens @ tokens.mT).min()), rounding(1.0))


@directly(claims.cosine_gap_decays_from_t0, claims.cosine_gap_decays_from_the_start)
def followed_gap(point: Point) -> Measured:
    """The gap at layer t of the sequence that the point's factors choose, forwards in layers."""
    shares = [float(share) for share in point[factors]]
    start, step = int(point[t0]), int(point[r])
    shrink = 1 - int(point[N]) * float(point[epsilon]) ** (2 * step)
    gaps: list[float] = []
    for layer, share in enumerate(shares):
        if layer < start:
            gaps.append(2 * share)
        elif layer < start + step:
            gaps.append(float(point[widest]) * share)
        else:
            gaps.append(share * shrink * gaps[layer - step])
    return Measured(gaps[int(point[t])], rounding(1.0))
