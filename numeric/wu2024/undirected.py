"""One attention layer with LayerNorm on undirected masks, at tokens that it should not move."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from claims.domain import Point
from claims.wu2024 import undirected as claims
from claims.wu2024.notation import G, k
from numeric import device
from numeric.agreement import Measured
from numeric.registry import measures
from numeric.wu2024.layers import masked_attention, support_of, uniform_attention

SMALL = 1e-9
"""Below it a number of order one is zero: inverses of these attention matrices are of order ten."""


def layer(attention: Tensor, x: Tensor, value: Tensor) -> Tensor:
    after = attention @ x @ value
    return after / torch.linalg.vector_norm(after, dim=-1, keepdim=True)


def tokens(size: int, rank: int) -> Tensor:
    """I for full rank; else the projection on `rank` Fourier modes of the cycle, rows normalised."""
    eye = torch.eye(size, dtype=torch.float64, device=device.current())
    if rank == size:
        return eye
    kept = torch.zeros(size, dtype=torch.complex128, device=eye.device)
    kept[claims.modes(size, rank)] = 1.0
    projected = torch.fft.ifft(kept[:, None] * torch.fft.fft(eye.to(kept.dtype), dim=0), dim=0).real
    return projected / torch.linalg.vector_norm(projected, dim=-1, keepdim=True)


def rank_of(matrix: Tensor) -> int:
    return int((torch.linalg.svdvals(matrix) > SMALL).sum())


@measures(claims.moved_rows, claims.token_rank, claims.crossed_columns, claims.uniform_rank)
def counted(point: Point) -> tuple[Measured, ...]:
    """Rows that the layer moves, rank of X, columns of W_V that are not orthogonal, rank without scores."""
    size, rank = point[G].size, int(point[k])
    x = tokens(size, rank)
    eye = torch.eye(size, dtype=x.dtype, device=x.device)
    sharpness = math.sqrt(math.log(int(point[claims.sharpness])) * math.sqrt(size))
    attention = masked_attention(x, *(sharpness * eye,) * 2, support_of(point[G]))
    uniform = rank_of(uniform_attention(point[G]))
    if rank_of(attention) < size:
        found = (size, 0, 0, uniform)
    else:
        value = torch.linalg.inv(attention)
        gram = value @ value.T
        crossed = int((gram.tril(-1).abs() > SMALL * gram.abs().max()).sum())
        value = value / torch.linalg.matrix_norm(value, ord=2)  # A3; LayerNorm takes the factor out
        moved = (layer(attention, x, value) - x).abs().amax(dim=-1) > SMALL
        found = (int(moved.sum()), rank_of(x), crossed, uniform)
    return tuple(Measured(float(n)) for n in found)
