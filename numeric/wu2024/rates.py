"""Rates of collapse from products of attention matrices, beside the bound of Eq. (6)."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import repeat
from typing import Any

import torch
from torch import Tensor

from claims.domain import Point
from claims.masks import Mask, complete
from claims.statement import Quantity
from claims.wu2024 import rates as claims
from claims.wu2024.notation import A, G, N, epsilon, r
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.registry import measures
from numeric.wu2024.layers import masked_softmax, mu, simulate, support_of, uniform_attention

DOUBLINGS = 16
"""Layers are doubled so often: the logarithm of the rate is then known to `RATE_ERROR`."""
RATE_ERROR = 1e-3
"""A Jordan block of order 3 leaves 2 log(t)/t = 3e-4 at t = 2^16; rounding, accumulated to 1e-12 by
squaring, moves its eigenvalue by the cube root, 1e-4."""


def collapse_rate(attention: Tensor) -> float:
    """lim ||B A^t B||^(1/t) with B the centring: the rate at which mu falls for generic tokens.

    B A = B A B for row-stochastic A, so powers of M = B A B are squared without cancellation.
    """
    size = len(attention)
    centring = torch.eye(size).to(attention) - 1 / size
    power, log_norm = centring @ attention @ centring, 0.0
    for _ in range(DOUBLINGS):
        norm = float(power.norm())
        if norm <= rounding(1.0):
            return 0.0
        power, log_norm = power / norm, log_norm + math.log(norm)
        power, log_norm = power @ power, 2 * log_norm
    norm = float(power.norm())
    return 0.0 if norm == 0 else math.exp((log_norm + math.log(norm)) / 2**DOUBLINGS)


def log_bound(floor: float, layers: float) -> float:
    """log (1 - eps^r)^{1/r}."""
    return math.log1p(-(floor**layers)) / layers


def _register_bound(quantity: Quantity, radius: Any, floor: Any) -> None:
    @measures(quantity)
    def bound(point: Point) -> Measured:
        """(1 - eps^r)^{1/r}."""
        value = math.exp(log_bound(float(point[floor]), float(point[radius])))
        return Measured(value, rounding(1.0))


_register_bound(claims.bound_near, r, epsilon)
_register_bound(claims.bound_far, claims.larger, epsilon)
_register_bound(claims.bound_of_more, r, claims.more)


def _register_own_bound(quantity: Quantity, mask_of: Callable[[int], Mask]) -> None:
    @measures(quantity)
    def bound(point: Point) -> Measured:
        """The bound for the least weight of uniform attention, and the diameter of its powers."""
        attention = uniform_attention(mask_of(int(point[N])))
        floor, power, layers = float(attention[attention > 0].min()), attention, 1
        while not bool((power > 0).all(dim=0).any()):  # a token that every token has heard of
            power, layers = power @ attention, layers + 1
        return Measured(math.exp(log_bound(floor, layers)), rounding(1.0))


_register_own_bound(claims.bound_of_complete, complete)
_register_own_bound(claims.bound_of_tree, claims.two_generations)

ALL = slice(None)


def at_temperature(point: Point, sharp: bool, rows: slice = ALL) -> Tensor:
    """Rows of attention at d_QK = 1, or at b^2."""
    factor = float(point[claims.root]) if sharp else 1.0
    scores = factor * math.log(3) * tensor(point[claims.scores])[rows]
    return masked_softmax(scores, support_of(point[G])[rows])


def _register_collapse(quantity: Quantity, mask: Any) -> None:
    @measures(quantity)
    def collapse(point: Point) -> Measured:
        """The rate at which mu falls under uniform attention."""
        return Measured(collapse_rate(uniform_attention(point[mask])), RATE_ERROR)


_register_collapse(claims.collapse_near, G)
_register_collapse(claims.collapse_far, claims.second_mask)


def _register_spread(quantity: Any, first: Callable[[Point], Tensor]) -> None:
    @measures(quantity)
    def spread(point: Point, layers: int) -> Measured:
        """mu after layers from the identity, of which all but the first attend uniformly."""
        attention = first(point)
        tokens = torch.eye(len(attention)).to(attention)
        matrices = (attention, *repeat(uniform_attention(point[G]), layers - 1))
        trajectory = simulate(tokens, matrices, tokens, layers, normalise=False)
        return Measured(float(mu(trajectory[-1])), rounding(len(tokens)))


for _quantity, _matrix in (
    (claims.spread_focused, lambda point: tensor(point[A])),
    (claims.spread_even, lambda point: tensor(point[claims.second])),
    (claims.spread_sharp, lambda point: at_temperature(point, True)),
    (claims.spread_soft, lambda point: at_temperature(point, False)),
):  # fmt: skip
    _register_spread(_quantity, _matrix)


def _register_share(quantity: Any, largest: bool, sharp: bool) -> None:
    @measures(quantity)
    def share(point: Point, i: int) -> Measured:
        """The least or largest share of a row, over neighbours."""
        one = slice(i - 1, i)
        row = at_temperature(point, sharp, one)[support_of(point[G])[one]]
        return Measured(float(row.max() if largest else row.min()), rounding(1.0))


for _quantity, _largest, _sharp in (
    (claims.least_sharp, False, True), (claims.least_soft, False, False),
    (claims.most_sharp, True, True), (claims.most_soft, True, False),
):  # fmt: skip
    _register_share(_quantity, _largest, _sharp)
