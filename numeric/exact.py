"""From exact matrices to tensors."""

from __future__ import annotations

from typing import Any

import torch
from sympy import QQ, ImmutableDenseMatrix, Tuple
from sympy.polys.polyerrors import CoercionFailed
from torch import Tensor

from claims.intervals import NoNumber
from numeric import device
from numeric.remembered import remembered

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


@remembered(maxsize=64)
def _tensor(value: Any, where: torch.device) -> Tensor:
    """Remembered, since a formula reads the same tokens once for every index."""
    if isinstance(value, tuple):
        return torch.stack([_filled(matrix) for matrix in value]).to(where)
    return _filled(value).to(where)


def _filled(matrix: ImmutableDenseMatrix) -> Tensor:
    """By the entries other than zero, which are few in a one-hot matrix."""
    filled = torch.zeros(matrix.shape, dtype=torch.float64, device="cpu")
    entries = _floats(matrix)
    if entries:
        rows, columns = torch.tensor(list(entries), device="cpu").T
        values = torch.tensor(list(entries.values()), dtype=torch.float64, device="cpu")
        filled[rows, columns] = values
    return filled


def _floats(matrix: ImmutableDenseMatrix) -> dict[tuple[int, int], float]:
    """The entries other than zero, by place; rational ones are read without a SymPy number for each."""
    try:
        exact = matrix.to_DM(QQ).to_dok()
    except CoercionFailed:
        return {place: float(entry) for place, entry in matrix.todok().items()}
    return {place: int(x.numerator) / int(x.denominator) for place, x in exact.items()}


def numbers(value: Any) -> Any:
    """Exact values as floats: a number, a tensor, or a tuple of them; flags stay flags.

    Raises `NoNumber` for what is complex or not there, as the quotient of a number by zero.
    """
    if isinstance(value, tuple | Tuple):
        return tuple(numbers(v) for v in value)
    if isinstance(value, bool):
        return value
    if hasattr(value, "tolist") and hasattr(value, "rows"):
        return torch.tensor(
            [[_real(x) for x in row] for row in value.tolist()], dtype=torch.float64
        )
    return _real(value)


def _real(value: Any) -> float:
    try:
        return float(value)
    except TypeError:
        raise NoNumber(f"{value} is no real number") from None
