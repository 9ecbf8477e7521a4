"""From exact matrices to tensors."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import torch
from sympy import Tuple
from torch import Tensor

from numeric import device

__all__ = ["numbers", "tensor"]


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


def numbers(value: Any) -> Any:
    """Exact values as floats: a number, a tensor, or a tuple of them; flags stay flags."""
    if isinstance(value, tuple | Tuple):
        return tuple(numbers(v) for v in value)
    if isinstance(value, bool):
        return value
    if hasattr(value, "tolist") and hasattr(value, "rows"):
        return torch.tensor(
            [[float(x) for x in row] for row in value.tolist()], dtype=torch.float64
        )
    return float(value)
