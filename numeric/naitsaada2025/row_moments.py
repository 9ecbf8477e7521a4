"""Moments of rows of attention, drawn at three lengths."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from claims.domain import Point
from claims.naitsaada2025 import row_moments as claims
from claims.naitsaada2025.notation import mean_Z, sigma_A
from claims.naitsaada2025.shares import law
from numeric.agreement import Measured
from numeric.naitsaada2025.second_moments import centred_rows
from numeric.registry import measures
from numeric.remembered import remembered
from numeric.sampling import quick_stream
from numeric.trends import limit_of_means, mean_and_reach

LENGTHS = (512, 1024, 2048)
ROWS = 2048


@remembered()
def _drawn(kind: str, std: float, tokens: int) -> Tensor:
    """Squared norms and sums of fourth powers of centred rows, (2, rows), times T and T^2."""
    rng = quick_stream("naitsaada2025", "row", kind, std, tokens)
    squares = (tokens * centred_rows(rng, (ROWS, tokens), std, kind)).square()
    return torch.stack((squares.mean(-1), squares.square().mean(-1) / tokens))


Statistic = Callable[[Tensor, Tensor, int], Tensor]
STATISTICS: dict[str, Statistic] = {
    "unevenness": lambda norms, fourths, tokens: norms,
    "covariance": lambda norms, fourths, tokens: norms * (tokens / (tokens - 1)),
    "fourth": lambda norms, fourths, tokens: norms.square(),
    "quartic": lambda norms, fourths, tokens: fourths,
}


def _limit(name: str) -> Callable[[Point], Measured]:
    def measured(point: Point) -> Measured:
        std, found = float(point[sigma_A] / point[mean_Z]), []
        for tokens in LENGTHS:
            norms, fourths = _drawn(point[law], std, tokens)
            found.append(mean_and_reach(STATISTICS[name](norms, fourths, tokens)))
        return limit_of_means(found)

    return measured


for _name, _quantity in claims.LIMITS.items():
    measures(_quantity)(_limit(_name))
