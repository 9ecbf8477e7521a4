"""Layers with scaled value matrices, and the equilibria of every rank counted in floats."""

from __future__ import annotations

from itertools import product

import torch

from claims.domain import Point
from claims.wu2024 import every_rank as claims
from claims.wu2024.notation import WV, N, X, d, w
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.registry import measures
from numeric.wu2024.coexistence import at_rest, count_of_rank
from numeric.wu2024.equilibria import layer
from numeric.wu2024.layers import jordan_matrix

CLOSE = 1e-9


@measures(claims.normed)
def entry_of_layer(point: Point, i: int, b: int) -> Measured:
    """An entry of LN(A X W_V)."""
    return Measured(float(layer(tensor(point[X]), tensor(point[WV]))[i - 1, b - 1]), CLOSE)


@measures(claims.normed_of_multiple)
def entry_of_scaled_layer(point: Point, i: int, b: int) -> Measured:
    """An entry of LN(A X (c W_V))."""
    wv = float(point[claims.scale]) * tensor(point[WV])
    return Measured(float(layer(tensor(point[X]), wv)[i - 1, b - 1]), CLOSE)


@measures(claims.unit_power)
def squared_norm_of_power(point: Point, power: int) -> Measured:
    """The squared 2-norm of a power of W_V over its 2-norm."""
    wv = tensor(point[WV])
    unit = torch.linalg.matrix_power(wv / torch.linalg.matrix_norm(wv, 2), power)
    return Measured(float(torch.linalg.matrix_norm(unit, 2).square()), rounding(1.0))


@measures(claims.scaled_norm)
def largest_sum(point: Point) -> Measured:
    """The largest sum of a row or column of W_V/(1 + w)."""
    weight = float(point[w])
    wv = jordan_matrix(int(point[d]), weight) / (1 + weight)
    return Measured(float(max(wv.sum(dim=0).max(), wv.sum(dim=1).max())), rounding(1.0))


@measures(claims.count_of_rank)
def counted_equilibria(point: Point, rank: int) -> Measured:
    """The number of equilibria of one rank; all of those of rank one."""
    tokens, weight = int(point[N]), float(point[w])
    wv = jordan_matrix(int(point[d]), weight)
    if rank > 1:
        return Measured(float(count_of_rank(tokens, wv, rank)))
    last = torch.zeros(1, len(wv)).to(wv)
    last[0, -1] = 1.0
    patterns = (torch.tensor(s).to(wv)[:, None] * last for s in product((1, -1), repeat=tokens))
    return Measured(float(sum(at_rest(x, wv / (1 + weight)) for x in patterns)))
