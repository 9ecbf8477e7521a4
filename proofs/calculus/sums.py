"""Sums over an index of symbolic length, in a form that linearity makes normal."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from sympy import Add, Mul, Sum, Symbol, sympify

from claims.algebra import expanded, ranged
from claims.bound import beyond, place
from claims.statement import Compare
from claims.terms import put
from proofs.smt import follows

__all__ = ["linear"]


@lru_cache(maxsize=16384)
def linear(e: Any, depth: int = 0) -> Any:
    """Expanded, sums split over their terms, constants outside, bound indices named by depth.

    >>> from sympy import Function
    >>> n, j, c = Symbol("n", integer=True, positive=True), Symbol("j", integer=True), Symbol("c")
    >>> a = Function("a")
    >>> linear(Sum(c * a(j) + 1, (j, 1, n)))
    c*Sum(a(_index_0), (_index_0, 1, n)) + n
    """
    e = sympify(e)
    if not e.has(Sum):
        return expanded(e)
    if isinstance(e, Sum):
        body, *inner, (index, low, high) = e.args[0], *map(tuple, e.args[1:])
        depth = max(depth, beyond(e))
        bound = place(depth)
        inside = linear(put(Sum(body, *inner) if inner else body, {index: bound}), depth + 1)
        return Add(*(_pulled(term, bound, low, high) for term in Add.make_args(expanded(inside))))
    if isinstance(e, Add | Mul):
        return expanded(e.func(*(linear(a, depth) for a in e.args)))
    return expanded(e)


def _pulled(term: Any, index: Symbol, low: Any, high: Any) -> Any:
    """One term of a sum; a constant is multiplied by the length only where that is not negative."""
    outside, inside = term.as_independent(index, as_Add=False)
    if inside == 1 and follows(Compare(high - low + 1, ">=", 0), []):
        return outside * (high - low + 1)
    return outside * ranged(Sum, inside, (index, low, high))
