"""From exact matrices to tensors."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from numeric import device

__all__ = ["tensor"]


def tensor(value: Any) -> Tensor:
    """An explicit SymPy matrix, or a tuple of them stacked in front, as a float64 tensor."""
    matrices = value if isinstance(value, tuple) else (value,)
    rows = [[[float(e) for e in row] for row in matrix.tolist()] for matrix in matrices]
    stacked = torch.tensor(rows, dtype=torch.float64, device=device.current())
    return stacked if isinstance(value, tuple) else stacked[0]
