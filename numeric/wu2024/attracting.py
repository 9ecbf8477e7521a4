"""Two tokens on the complete mask with LayerNorm, layer by layer in float64."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import islice
from typing import Any

import torch
from torch import Tensor

from claims.domain import Point
from claims.masks import complete
from claims.points import Remembered
from claims.wu2024 import attracting as claims
from numeric import device
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.registry import measures
from numeric.remembered import remembered
from numeric.wu2024.layers import layer_norm, masked_attention, support_of


def tokens_from(u: float, v: float) -> Iterator[Tensor]:
    """The tokens after 0, 1, ... layers, the first so far from e_1 and the second so far from e_2."""
    keys = tensor(claims.SCORES).mT * math.sqrt(2)
    value, support = tensor(claims.VALUE), support_of(complete(2))
    along, across = float(claims.FIRST) * u, float(claims.SECOND) * v
    state = torch.tensor(
        [[math.sqrt(1 - along**2), along], [across, math.sqrt(1 - across**2)]],
        dtype=value.dtype, device=value.device,
    )  # fmt: skip
    one = torch.eye(2).to(value)
    while True:
        yield state
        state = layer_norm(masked_attention(state, one, keys, support) @ state @ value)


@remembered(maxsize=64)
def _orbit(u: Any, v: Any, where: torch.device) -> Remembered:
    return Remembered(lambda: tokens_from(float(u), float(v)))


def tokens_at(point: Point, layers: int) -> Tensor:
    orbit = _orbit(point[claims.first], point[claims.second], device.current())
    return next(islice(orbit, layers, None))


@measures(claims.token_after)
def coordinate(point: Point, layers: int, i: int, b: int) -> Measured:
    """A coordinate of a token after some layers."""
    return Measured(float(tokens_at(point, layers)[i - 1, b - 1]), rounding(1.0))


@measures(claims.determinant)
def determinant_of_tokens(point: Point, layers: int) -> Measured:
    """det X after some layers."""
    return Measured(float(torch.linalg.det(tokens_at(point, layers))), rounding(1.0))
