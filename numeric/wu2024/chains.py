"""Chains of generalised eigenvectors in floats: linear solves and ranks, of integer matrices."""

from __future__ import annotations

import torch
from torch import Tensor

from claims.domain import Point
from claims.wu2024 import chains as claims
from claims.wu2024.chains import after
from claims.wu2024.notation import WV, d, k, w
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.reach import CORNERS
from numeric.registry import directly, measures
from numeric.wu2024.layers import jordan_matrix

ZERO = 1e-9
"""Integer entries stay integers here, and are far below 1e9: less than this is zero."""


def is_zero(x: Tensor) -> bool:
    return bool((x.abs() < ZERO).all())


def walked(point: Point) -> list[Tensor]:
    """X_k, X_{k-1}, ... walked down from v by (30) until the next would be zero."""
    wv, tokens = tensor(point[WV]), [tensor(point[claims.v])]
    while not is_zero(below := tokens[-1] - tokens[-1] @ wv):
        tokens.append(below)
    return tokens


@measures(claims.chain_length)
def number_of_tokens(point: Point) -> Measured:
    """The number of tokens of the chain."""
    return Measured(float(len(walked(point))))


@measures(claims.image_entry, reach=CORNERS)
def entry_of_image(point: Point, j: int, b: int) -> Measured:
    """(X_j W_V)_b."""
    tokens, wv = walked(point), tensor(point[WV])
    row = tokens[len(tokens) - j] @ wv
    return Measured(float(row[0, b - 1]), rounding(row.abs().max() + 1))


@measures(claims.token_entry)
def entry_of_walked_token(point: Point, j: int, b: int) -> Measured:
    """X_{j,b}."""
    tokens = walked(point)
    token = tokens[len(tokens) - j]
    return Measured(float(token[0, b - 1]), rounding(token.abs().max() + 1))


@measures(claims.power_entry, reach=CORNERS)
def entry_of_power(point: Point, m: int, b: int) -> Measured:
    """An entry of X_k (I - W_V)^m: an integer, exactly."""
    wv = tensor(point[WV])
    power = torch.linalg.matrix_power(torch.eye(len(wv)).to(wv) - wv, m)
    row = tensor(point[claims.v]) @ power
    return Measured(float(row[0, b - 1]))


@measures(claims.shift_power)
def entry_of_shift_power(point: Point, m: int, a: int, b: int) -> Measured:
    """An entry of (W_V - I)^m; no term of it is negative, so that a zero is exact."""
    size, long = int(point[d]), int(point[k])
    shift = torch.zeros(size, size, dtype=torch.float64)
    block = jordan_matrix(long, float(point[w])).to(shift)
    shift[size - long :, size - long :] = block - torch.eye(long).to(shift)
    value = float(torch.linalg.matrix_power(shift, m)[a - 1, b - 1])
    return Measured(value, rounding(value) if value else 0.0)


@directly(claims.rows_shift_by_one_place)
def row_times_identity_minus_value(point: Point) -> Measured:
    """X_{i+1} (I - W_V)."""
    wv, row = jordan_matrix(int(point[d]), float(point[w])), tensor(point[after])
    return Measured(
        row @ (torch.eye(len(wv)).to(wv) - wv), rounding(row.abs().max() * wv.max() + 1)
    )
