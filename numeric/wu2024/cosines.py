r"""Least cosines and mu after attention with LayerNorm, and sequences of gaps that obey the recursion.

Named axes: `n` tokens, `d` features.
"""

from __future__ import annotations

from torch import Tensor

from claims.domain import Point
from claims.wu2024 import cosines as claims
from claims.wu2024.cosines import factors, t0
from claims.wu2024.notation import WV, N, X, attention, epsilon, r
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.registry import measures
from numeric.wu2024.layers import mu, simulate


def last_tokens(point: Point) -> Tensor:
    """X after all layers of the point."""
    layers = [tensor(a) for a in point[attention]]
    start, value = tensor(point[X]), tensor(point[WV])
    return simulate(start, layers, value, len(layers), normalise=True)[-1]


def least_cosine(point: Point) -> Measured:
    """min_ij <X_i, X_j> after all layers, LayerNorm after each."""
    tokens = last_tokens(point)
    return Measured(float((tokens @ tokens.mT).min()), rounding(1.0))


for _quantity in (claims.phi_after, claims.phi_after_longest, claims.phi_now, claims.alpha):
    measures(_quantity)(least_cosine)


@measures(claims.spread_now, claims.squared_spread_now)
def spread_of_last_tokens(point: Point) -> tuple[Measured, Measured]:
    """mu after all layers, and its square."""
    tokens = last_tokens(point)
    spread, error = float(mu(tokens)), rounding(float(len(tokens)))
    return Measured(spread, error), Measured(spread**2, error)


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
