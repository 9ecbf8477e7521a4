"""LayerNorm on tensors: row norms, which diagonal matrices reproduce it, and whether it exists."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from claims.domain import Point
from claims.wu2024 import layernorm as claims
from claims.wu2024.notation import WV, A, X
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.registry import directly
from numeric.wu2024.layers import layer_norm


@directly(claims.layernorm_has_one_scale_per_feature)
def order_and_row_norms(point: Point) -> Measured:
    """The order of the D that multiplies X, and the squared row norms of DX."""
    x = tensor(point[X])
    scales = torch.diag(1 / x.norm(dim=-1))
    return Measured(
        (float(len(scales)), (scales @ x).square().sum(-1, keepdim=True)), rounding(1.0)
    )


def fitted_on_the_right(x: Tensor, wanted: Tensor) -> Tensor:
    """The least squares r with X diag(r) closest to `wanted`, column by column."""
    return (x * wanted).sum(dim=0) / x.square().sum(dim=0).clamp_min(1.0)  # integers or all zero


@directly(claims.layernorm_acts_on_the_left)
def diagonals_that_normalise(point: Point) -> Measured:
    """Flags: left and right least squares fits reproduce LN(X); norms equal per column, overall."""
    x = tensor(point[X])
    wanted, norms = layer_norm(x), x.norm(dim=-1)
    left = fitted_on_the_right(x.T.contiguous(), wanted.T).unsqueeze(-1) * x
    right = fitted_on_the_right(x, wanted) * x
    exact = rounding(1.0)
    columns = [norms[x[:, j] != 0] for j in range(x.shape[1])]
    return Measured(
        (
            bool((left - wanted).abs().max() <= exact),
            bool((right - wanted).abs().max() <= exact),
            all(len(c) == 0 or bool(c.max() - c.min() <= rounding(norms)) for c in columns),
            bool(norms.max() - norms.min() <= rounding(norms)),
        )
    )


@directly(claims.layernorm_never_diverges)
def squared_size_after_a_layer(point: Point) -> Measured:
    """||LN(A X W_V)||_F^2, infinite where a row vanishes up to rounding."""
    value = tensor(point[WV])
    moved = tensor(point[A]) @ tensor(point[X]) @ value
    if bool((moved.norm(dim=-1) <= rounding(1 + value.abs().max())).any()):
        return Measured(math.inf)
    return Measured(float(layer_norm(moved).square().sum()), rounding(float(len(moved))))
