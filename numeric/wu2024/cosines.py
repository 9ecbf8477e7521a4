r"""Least cosines and mu after attention with LayerNorm.

Named axes: `n` tokens, `d` features.
"""

from __future__ import annotations

from torch import Tensor

from claims.domain import Point
from claims.wu2024 import cosines as claims
from claims.wu2024.notation import X, attention
from claims.wu2024.turns import values
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.registry import measures
from numeric.wu2024.layers import mu, simulate


def last_tokens(point: Point) -> Tensor:
    """X after all layers of the point."""
    layers, turns = ([tensor(m) for m in point[group]] for group in (attention, values))
    return simulate(tensor(point[X]), layers, turns, len(layers), normalise=True)[-1]


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
