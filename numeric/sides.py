"""Right-hand sides of relations as numbers: exactly at small points, in float64 at large ones."""

from __future__ import annotations

from typing import Any

from sympy import Add, Atom, Expr, Function, Mul, Pow, preorder_traversal, sympify
from sympy.core.function import AppliedUndef
from sympy.matrices.expressions import MatrixExpr
from torch import Tensor

from claims.domain import Point
from claims.expressions import explicit
from claims.model import Relation
from numeric.evaluate import Evaluation
from numeric.exact import numbers, tensor

__all__ = ["NotInFloats", "side_values"]

EXACT = 6
"""Rows or columns up to which matrices are written out exactly: beyond, SymPy takes seconds."""
MOST = 256
"""Rows or columns beyond which they are not written out at all."""


class NotInFloats(ArithmeticError):
    """What is printed has no value in floating point, at sizes where no exact one can be had."""


def side_values(relation: Relation, point: Point) -> tuple[Any, ...]:
    """Each side at a point: floats, tensors, or tuples of them."""
    matrices = {k: v for k, v in point.items() if hasattr(v, "tolist") and hasattr(v, "rows")}
    if all(max(m.shape) <= EXACT for m in matrices.values()):
        return tuple(map(numbers, relation.values(point)))
    values = {**point, **{symbol: tensor(matrix) for symbol, matrix in matrices.items()}}
    try:
        return tuple(
            numbers(explicit(side, point))
            if _is_of_numbers(side)
            else _value(side, Evaluation(values))
            for side in relation.rhs
        )
    except TypeError as error:  # a node that has no meaning on tensors
        if any(max(m.shape) > MOST for m in matrices.values()):
            raise NotInFloats(f"no value in floating point at this size: {error}") from None
        return tuple(map(numbers, relation.values(point)))


def _is_of_numbers(side: Any) -> bool:
    """Whether a side has a few numbers in it and nothing else: in floats it may cancel, where exact values
    cost nothing."""
    return isinstance(side, Expr) and all(
        isinstance(part, Add | Mul | Pow | Function | Atom) and not isinstance(part, AppliedUndef)
        for part in preorder_traversal(side)
    )


def _value(side: Any, evaluation: Evaluation) -> Any:
    if isinstance(side, tuple):
        return tuple(_value(part, evaluation) for part in side)
    if isinstance(side, MatrixExpr):
        return evaluation.matrix(side)
    value = evaluation(sympify(side))
    return float(value) if isinstance(value, Tensor) else value
