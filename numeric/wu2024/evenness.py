"""Uniform attention on a mask, entry by entry."""

from __future__ import annotations

import torch

from claims.domain import Point
from claims.wu2024 import evenness as claims
from claims.wu2024.notation import G
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.registry import measures


@measures(claims.even)
def weight_of_uniform_attention(point: Point, row: int, column: int) -> Measured:
    """The softmax of zero scores over the tokens that a token attends to."""
    scores = torch.where(tensor(point[G].matrix) > 0, 0.0, -torch.inf)
    value = float(torch.softmax(scores, dim=-1)[row - 1, column - 1])
    return Measured(value, rounding(value))
