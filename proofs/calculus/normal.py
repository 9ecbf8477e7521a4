"""Equality for symbolic dimensions, in normal form."""

from __future__ import annotations

from typing import Any

from sympy import simplify, sympify
from sympy.matrices.expressions import KroneckerProduct, MatrixExpr

from claims.bound import apart
from claims.steps import misjudges
from proofs.calculus import networks, wick

__all__ = ["same"]


def same(left: Any, right: Any) -> bool:
    """Equality for symbolic dimensions: trace words and index networks have normal forms."""
    if isinstance(left, tuple):
        return len(left) == len(right) and all(map(same, left, right))
    if any(isinstance(side, MatrixExpr | networks.Network) for side in (left, right)):
        try:
            return networks.equal(left, right)
        except networks.StructureError:  # other shapes: nothing to compare
            return False
    left, right = sympify(left), sympify(right)
    difference = left - right
    if difference.has(KroneckerProduct):  # traces of Kronecker products split into traces of words
        left, right = (networks.network(side).scalar() for side in (left, right))
    if difference.has(MatrixExpr):
        return wick.equal(left, right)
    return not misjudges(difference) and bool(simplify(apart(difference)) == 0)
