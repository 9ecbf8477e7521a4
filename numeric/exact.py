"""From exact matrices to tensors."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import torch
from torch import Tensor

from numeric import device

__all__ = ["tensor"]


def tensor(value: Any) -> Tensor:
    """An explicit SymPy matrix, or a tuple of them stacked in front, as a float64 tensor."""
    matrices = value if isinstance(value, tuple) else (value,)
    rows = [_floats(matrix.as_immutable()) for matrix in matrices]
    stacked = torch.tensor(rows, dtype=torch.float64, device=device.current())
    return stacked if isinstance(value, tuple) else stacked[0]


@lru_cache(maxsize=4096)
def _floats(matrix: Any) -> list[list[float]]:
    """Estimators of one point ask for its matrices again and again."""
    return [[float(e) for e in row] for row in matrix.tolist()]
