"""The causal layer without scores in floats, on any tokens and on equilibria that are solved for.

`layer` is LN(A X W_V) with A the masked softmax of zero scores, tokens as rows (..., N, d).
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from claims.domain import Point
from claims.wu2024 import equilibria as claims
from claims.wu2024.equilibria import U, Y, i
from claims.wu2024.notation import WV, X
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.registry import directly, measures

__all__ = ["layer", "mixed"]


def mixed(x: Tensor, wv: Tensor) -> Tensor:
    """A X W_V, with A = softmax over tokens j <= i of scores that are all zero."""
    size = x.shape[-2]
    scores = torch.zeros(size, size, dtype=x.dtype, device=x.device)
    later = torch.ones_like(scores).triu(diagonal=1).bool()
    return torch.softmax(scores.masked_fill(later, -torch.inf), dim=-1) @ x @ wv


def layer(x: Tensor, wv: Tensor) -> Tensor:
    """LN(A X W_V): every row over its 2-norm; NaN where a row is zero."""
    rows = mixed(x, wv)
    return rows / torch.linalg.vector_norm(rows, dim=-1, keepdim=True)


@directly(claims.equilibrium_is_a_positive_multiple_of_the_sum_so_far)
def layer_output_of_a_token(point: Point) -> Measured:
    """Row i of one layer."""
    place = int(point[i]) - 1
    rows = layer(tensor(point[X]), tensor(point[WV]))
    return Measured(rows[place : place + 1], rounding(1.0))


def resting_entry(point: Point, tokens: Any, value: Any, place: tuple[int, int]) -> Measured:
    """An entry of one layer at an equilibrium; W_V has entries that are solved for."""
    wv = tensor(point[value])
    after = layer(tensor(point[tokens]), wv)[place[0] - 1, place[1] - 1]
    return Measured(float(after), rounding(1.0, wv.abs().max()))


@measures(claims.next_row)
def entry_at_rest(point: Point, n: int, m: int) -> Measured:
    """An entry of LN(A X W_V)."""
    return resting_entry(point, X, WV, (n, m))


@measures(claims.next_row_at_one)
def entry_at_rest_with_beta_one(point: Point, n: int, m: int) -> Measured:
    """An entry of LN(A X' W_V')."""
    return resting_entry(point, Y, U, (n, m))


@measures(claims.beta)
def inverse_norm_of_sum(point: Point, n: int) -> Measured:
    """1/|sum_{j<=i} X_j W_V|."""
    wv = tensor(point[WV])
    total = (tensor(point[X])[:n] @ wv).sum(dim=0)
    value = float(1 / torch.linalg.vector_norm(total))
    return Measured(value, rounding(value, wv.abs().max() * value**2))


def product_entry(point: Point, tokens: Any, value: Any, place: tuple[int, int]) -> Measured:
    rows = tensor(point[tokens]) @ tensor(point[value])
    return Measured(float(rows[place[0] - 1, place[1] - 1]), rounding(rows.abs().max() + 1))


@measures(claims.times_value)
def entry_of_product(point: Point, n: int, m: int) -> Measured:
    """An entry of X W_V."""
    return product_entry(point, X, WV, (n, m))


@measures(claims.times_value_at_one)
def entry_of_product_at_one(point: Point, n: int, m: int) -> Measured:
    """An entry of X' W_V'."""
    return product_entry(point, Y, U, (n, m))
