"""The causal layer without scores in floats, on any tokens and on equilibria that are solved for.

`layer` is LN(A X W_V) with A the masked softmax of zero scores, tokens as rows (..., N, d).
"""

from __future__ import annotations

import torch
from torch import Tensor

from claims.domain import Point
from claims.wu2024 import equilibria as claims
from claims.wu2024.equilibria import U, Y, i, token
from claims.wu2024.notation import WV, X
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.registry import directly

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


@directly(claims.equilibrium_rows_follow_one_another)
def layer_output_at_rest(point: Point) -> Measured:
    """Row i + 1 of one layer, at both equilibria; W_V has entries that are solved for."""
    outputs, scales = [], []
    for tokens, value in ((X, WV), (Y, U)):
        place, wv = token(point, tokens, 1) - 1, tensor(point[value])
        outputs.append(layer(tensor(point[tokens]), wv)[place : place + 1])
        scales.append(wv.abs().max())
    return Measured(tuple(outputs), rounding(1.0, *scales))
