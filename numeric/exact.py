"""From exact matrices to tensors."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import torch
from sympy import ImmutableDenseMatrix, Tuple
from torch import Tensor

from numeric import device

__all__ = ["numbers", "tensor"]


def tensor(value: Any) -> Tensor:
    """An explicit SymPy matrix, or a tuple of them stacked in front, as a float64 tensor."""
    if isinstance(value, Tensor):
        return value
    fixed = tuple(map(_fixed, value)) if isinstance(value, tuple) else _fixed(value)
    return _tensor(fixed, device.current()).clone()


def _fixed(matrix: Any) -> ImmutableDenseMatrix:
    """What is fixed already stays the same object: its entries are hashed once."""
    return matrix if isinstance(matrix, ImmutableDenseMatrix) else matrix.as_immutable()


@lru_cache(maxsize=64)
def _tensor(value: Any, where: torch.device) -> Tensor:
    """Remembered, since a formula reads the same tokens once for every index."""
    if isinstance(value, tuple):
        return torch.stack([_filled(matrix) for matrix in value]).to(where)
    return _filled(value).to(where)


def _filled(matrix: ImmutableDenseMatrix) -> Tensor:
    """By the entries other than zero, which are few in a one-hot matrix."""
    filled = torch.zeros(matrix.shape, dtype=torch.float64, device="cpu")
    entries = matrix.todok()
    if entries:
        rows, columns = torch.tensor(list(entries), device="cpu").T
        values = [float(entry) for entry in entries.values()]
        filled[rows, columns] = torch.tensor(values, dtype=torch.float64, device="cpu")
    return filled


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
