"""Evaluate a claim's right-hand side on tensors, differentiably, for the adversary.

The constants and exponents are read from the claim; nothing is restated here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from sympy import Add, Expr, Mul, Pow, Trace
from sympy.matrices.expressions import (
    Identity,
    MatAdd,
    MatMul,
    MatrixExpr,
    MatrixSymbol,
    OneMatrix,
    Transpose,
)  # fmt: skip
from torch import Tensor

from claims.expressions import FrobSq, Named, Total

__all__ = ["evaluate"]


def evaluate(expression: Expr, values: Mapping[Any, Any]) -> Tensor:
    """A scalar SymPy expression at tensors: matrix symbols map to (starts, rows, cols).

    Raises `TypeError` for a node that has no meaning on tensors.
    """
    value = _scalar(expression, values)
    return value if isinstance(value, Tensor) else torch.tensor(value, dtype=torch.float64)


def _scalar(e: Any, values: Mapping[Any, Any]) -> Any:
    if e in values:
        return values[e]
    if e.is_number:
        return float(e)
    if isinstance(e, FrobSq):
        return _matrix(e.args[0], values).square().sum(dim=(-1, -2))
    if isinstance(e, Total):
        return _matrix(e.args[0], values).sum(dim=(-1, -2))
    if isinstance(e, Trace):
        return _matrix(e.args[0], values).diagonal(dim1=-2, dim2=-1).sum(dim=-1)
    if isinstance(e, Pow):
        return _scalar(e.base, values) ** _scalar(e.exp, values)
    if isinstance(e, Add | Mul):
        first, *rest = (_scalar(a, values) for a in e.args)
        for value in rest:
            first = first + value if isinstance(e, Add) else first * value
        return first
    raise TypeError(f"cannot evaluate {type(e).__name__} on tensors: {e}")


def _matrix(e: Any, values: Mapping[Any, Any]) -> Any:
    if not isinstance(e, MatrixExpr):
        return _scalar(e, values)
    if isinstance(e, MatrixSymbol):
        return values[e]
    if isinstance(e, Named):
        return _matrix(e.definition, values)
    if isinstance(e, Transpose):
        return _matrix(e.arg, values).mT
    if isinstance(e, OneMatrix | Identity):
        rows, cols = (int(_scalar(side, values)) for side in e.shape)
        build = torch.ones if isinstance(e, OneMatrix) else torch.eye
        return build(rows, cols, dtype=torch.float64)
    parts = [_matrix(a, values) for a in e.args]
    if isinstance(e, MatAdd):
        return sum(parts[1:], start=parts[0])
    if isinstance(e, MatMul):
        result = parts[0]
        for part in parts[1:]:
            scalar = not isinstance(result, Tensor) or not isinstance(part, Tensor)
            result = result * part if scalar else result @ part
        return result
    raise TypeError(f"cannot evaluate {type(e).__name__} on tensors: {e}")
