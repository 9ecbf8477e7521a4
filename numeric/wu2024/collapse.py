"""Theorem 1 on tensors: attention along trajectories, mu after t layers, and the fate of tokens."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from claims.domain import Point
from claims.wu2024 import collapse as claims
from claims.wu2024.dynamics import values
from claims.wu2024.masks import d_QK
from claims.wu2024.notation import G, X, attention, t
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.reach import Reach
from numeric.registry import measures
from numeric.remembered import remembered
from numeric.wu2024.extrema import widths
from numeric.wu2024.layers import masked_softmax, mu, simulate, support_of

SETTLED = 2**14
"""Layers after which (1 - 1/48)^t, the slowest decay of a point's attention, is below rounding."""


@remembered(maxsize=64)
def followed_attention(tokens: Any, matrices: tuple[Any, ...], mask: Any, d_qk: Any) -> Any:
    """A of every layer of the dynamics, by softmax of the scores, and a bound on its rounding."""
    state, support, size, found = tensor(tokens), support_of(mask), 1.0, []
    for layer in matrices:
        wq, wk, wv = map(tensor, layer)
        scores = (state @ wq) @ (state @ wk).mT / math.sqrt(float(d_qk))
        size = max(size, float(scores.abs().max()), float(state.abs().max()))
        found.append(masked_softmax(scores, support))
        state = found[-1] @ state @ wv
    # Scores are quadratic in tokens whose error is that of the scores before.
    return torch.stack(found), rounding(1.0) * size**2


@measures(
    claims.weight,
    reach=Reach(2, "the exact softmax of exponentials, layer by layer, is part of the point"),
)
def entry_of_attention(point: Point, layer: int, i: int, j: int) -> Measured:
    """A_ij of a layer."""
    layers = zip(point[claims.queries], point[claims.keys], point[values], strict=True)
    weights, error = followed_attention(point[X], tuple(layers), point[G], point[d_QK])
    return Measured(float(weights[layer, i - 1, j - 1]), error)


@measures(claims.edge)
def marked_edge(point: Point, j: int, i: int) -> Measured:
    """One where token i attends to token j."""
    return Measured(float(support_of(point[G])[i - 1, j - 1]))


@measures(claims.spread)
def mu_after_layers(point: Point) -> Measured:
    """mu(X^{(t)}) by iteration."""
    x, layers = tensor(point[X]), int(point[t])
    if layers == 0:
        return Measured(float(mu(x)), rounding(1 + x.norm()))
    attentions, products = tensor(point[attention]).unbind(), tensor(point[values]).unbind()
    last = simulate(x, attentions, products, layers, normalise=False)[-1]
    size = (1 + x.norm()) * math.prod(1 + float(w.norm()) for w in products)
    return Measured(float(mu(last)), rounding(size))


@measures(claims.ranges)
def norm_of_ranges(point: Point) -> Measured:
    """The norm of the ranges of the columns at the start."""
    x = tensor(point[X])
    return Measured(float(widths(x.mT).norm()), rounding(1 + x.norm()))


def turned(point: Point, layers: int) -> Tensor:
    """X^{(t)} for t up to so many layers, the point's matrices used in turn."""
    x, weights, products = tensor(point[X]), point[attention], point[values]
    pairs = [(tensor(weights[s]), tensor(products[s])) for s in range(max(layers, 1))]
    return simulate(x, [a for a, _ in pairs], [w for _, w in pairs], layers, normalise=False)


@measures(claims.gap)
def largest_gap(point: Point, layer: int) -> Measured:
    """The largest difference of two tokens in a feature."""
    last = turned(point, layer)[-1]
    return Measured(float(widths(last.mT).max()), rounding(1 + tensor(point[X]).norm()))


@measures(claims.widest)
def largest_gap_at_the_start(point: Point) -> Measured:
    x = tensor(point[X])
    return Measured(float(widths(x.mT).max()), rounding(x))


@measures(claims.lasting_step)
def late_step(point: Point) -> Measured:
    """The largest step of four layers after that, a whole period of the value matrices."""
    x = tensor(point[X])
    a, w = (
        torch.linalg.matrix_power(tensor(m[0]), SETTLED) for m in (point[attention], point[values])
    )
    late = turned({**point, X: a @ x @ w}, 4)
    error = rounding(1 + x.abs().max(), operations=16 * SETTLED)
    return Measured(float((late[1:] - late[:-1]).abs().max()), error)
