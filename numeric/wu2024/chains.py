"""Chains of generalised eigenvectors in floats: linear solves and ranks, of integer matrices."""

from __future__ import annotations

import torch
from torch import Tensor

from claims.domain import Point
from claims.wu2024 import chains as claims
from claims.wu2024.equilibria import after
from claims.wu2024.notation import WV, d, k, w
from numeric.agreement import Measured, rounding
from numeric.exact import tensor
from numeric.registry import directly, measures
from numeric.wu2024.layers import jordan_matrix

ZERO = 1e-9
"""Integer entries stay integers here, and are far below 1e9: less than this is zero."""


def is_zero(x: Tensor) -> bool:
    return bool((x.abs() < ZERO).all())


@measures(
    claims.rank_of_row, claims.rank_of_tokens, claims.distance_from_chain, claims.eigenvectors
)
def walked_chain(point: Point) -> tuple[Measured, ...]:
    """Tokens walked down from v by (30) until the next would be zero, and what they are."""
    wv, tokens = tensor(point[WV]), [tensor(point[claims.v])]
    while not is_zero(below := tokens[-1] - tokens[-1] @ wv):
        tokens.append(below)
    shift = wv - torch.eye(len(wv)).to(wv)
    pairs = [(row, tokens[0] @ torch.linalg.matrix_power(shift, m)) for m, row in enumerate(tokens)]
    apart = max(min(float((r - p).abs().max()), float((r + p).abs().max())) for r, p in pairs)
    fixed = sum(is_zero(row @ wv - row) for row in tokens)
    rank = int(torch.linalg.matrix_rank(torch.cat(tokens)))
    return (
        Measured(float(len(tokens))), Measured(float(rank)), Measured(apart, ZERO),
        Measured(float(fixed)),
    )  # fmt: skip


@directly(claims.printed_matrices_have_chains_of_length_k)
def longest_jordan_block(point: Point) -> Measured:
    """The number of powers of W_V - I, from the zeroth on, that are not zero."""
    size, long = int(point[d]), int(point[k])
    wv = torch.eye(size).to(jordan_matrix(size, 0.0))
    wv[size - long :, size - long :] = jordan_matrix(long, float(point[w]))
    power, count = torch.eye(size).to(wv), 0
    while not is_zero(power):
        power, count = power @ (wv - torch.eye(size).to(wv)), count + 1
    return Measured(float(count))


@directly(claims.rows_shift_by_one_place)
def row_times_identity_minus_value(point: Point) -> Measured:
    """X_{i+1} (I - W_V)."""
    wv, row = jordan_matrix(int(point[d]), float(point[w])), tensor(point[after])
    return Measured(
        row @ (torch.eye(len(wv)).to(wv) - wv), rounding(row.abs().max() * wv.max() + 1)
    )
