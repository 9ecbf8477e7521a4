"""Layers with scaled value matrices, and the equilibria of every rank counted in floats."""

from __future__ import annotations

from itertools import product

import torch
from torch import Tensor

from claims.domain import Point
from claims.wu2024 import every_rank as claims
from claims.wu2024.notation import WV, N, X, d, w
from numeric.agreement import Measured
from numeric.exact import tensor
from numeric.registry import directly
from numeric.wu2024.coexistence import at_rest, count_of_rank
from numeric.wu2024.equilibria import layer, mixed
from numeric.wu2024.layers import jordan_matrix

CLOSE = 1e-9


@directly(claims.value_matrix_may_be_normalised)
def scaled_layers(point: Point) -> Measured:
    """Layers with W_V, W_V/|W_V|_2 and its negative; 2-norms of the first powers."""
    x, wv = tensor(point[X]), tensor(point[WV])
    norm = torch.linalg.matrix_norm(wv, 2)
    unit = wv / norm
    powers = [
        float(torch.linalg.matrix_norm(torch.linalg.matrix_power(unit, m), 2)) for m in (1, 2, 3)
    ]
    raw = [float(torch.linalg.matrix_norm(torch.linalg.matrix_power(wv, m), 2)) for m in (1, 2, 3)]

    def same(a: Tensor, b: Tensor) -> bool:
        return bool((a - b).abs().max() < CLOSE)

    return Measured(
        {
            "same with LN": same(layer(x, unit), layer(x, wv)),
            "same without LN": same(mixed(x, unit), mixed(x, wv)),
            "same for -c": same(layer(x, -unit), layer(x, wv)),
            "powers at most 1": all(p < 1 + CLOSE for p in powers),
            "powers equal 1": all(abs(p - 1) < CLOSE for p in powers),
            "W_V at most 1": all(p < 1 + CLOSE for p in raw),
        }
    )


@directly(claims.equilibria_of_every_rank_coexist)
def counted_by_rank(point: Point) -> Measured:
    """Whether W_V/(1 + w) has 2-norm at most one, and the number of equilibria of each rank."""
    tokens, weight = int(point[N]), float(point[w])
    wv = jordan_matrix(int(point[d]), weight)
    bounded = float(torch.linalg.matrix_norm(wv / (1 + weight), 2)) < 1 + CLOSE
    counts = [count_of_rank(tokens, wv, rank) for rank in range(1, tokens + 1)]
    last = torch.zeros(1, len(wv)).to(wv)
    last[0, -1] = 1.0
    patterns = (
        torch.tensor(signs).to(wv)[:, None] * last for signs in product((1, -1), repeat=tokens)
    )
    counts[0] = sum(at_rest(x, wv / (1 + weight)) for x in patterns)
    return Measured((bounded, tuple(counts)))
