"""Printed sums over tokens in closed form: their Kronecker deltas are contracted and counted.

Moments at sites become sums over pairings of the model's covariance (Theorem A.1).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from sympy import Add, Expr, Integer, KroneckerDelta, Mul, Symbol, sympify

from claims.noci2022.notation import d, n, rho, sigma_x
from claims.noci2022.sums import IndexSum, TokenMoment
from proofs.calculus.deltas import Delta, Index, delta, delta_sum, unequal, vanishes

__all__ = ["counted", "covariance", "matchings", "pairings", "same_sums", "site"]

Site = tuple[Any, Any]


def site(symbol: Any, size: Any = n) -> Any:
    """A summation index; numbers stay numbers."""
    symbol = sympify(symbol)
    return symbol if symbol.is_Integer else Index(symbol.name, size)


def _agree(first: Any, second: Any) -> Expr:
    return Integer(first == second) if sympify(first).is_Integer else delta(first, second)


def covariance(first: Site, second: Site, scale: Any = sigma_x**2) -> Expr:
    """E[X_ai X_bj] of the model."""
    (a, i), (b, j) = first, second
    return scale * _agree(i, j) * (delta(a, b) + rho * unequal(a, b))


def matchings(places: tuple[Any, ...]) -> Iterator[tuple[tuple[Any, Any], ...]]:
    """All pairings: the first place with each other one, then the rest."""
    if not places:
        yield ()
        return
    first, *others = places
    for k, partner in enumerate(others):
        for rest in matchings((*others[:k], *others[k + 1 :])):
            yield ((first, partner), *rest)


def pairings(sites: Iterable[Site], scale: Any = sigma_x**2) -> Expr:
    """E[X_ai X_bj ...] as a sum over pairings (Theorem A.1)."""
    return Add(*(Mul(*(covariance(*p, scale) for p in m)) for m in matchings(tuple(sites))))


def counted(expression: Any) -> Expr:
    """A statement's sums over indices in closed form; indices that stay free stay as deltas."""
    e = sympify(expression)
    if isinstance(e, IndexSum):
        return delta_sum(counted(e.body), [_index(i, e.size) for i in e.indices])
    if isinstance(e, TokenMoment):
        places = tuple((site(a), site(i, d)) for a, i in e.pairs)
        return pairings(places, e.args[0])
    if isinstance(e, KroneckerDelta):
        return delta(site(e.args[0]), site(e.args[1]))
    if isinstance(e, Add | Mul) or (e.is_Pow and e.has(IndexSum, TokenMoment, KroneckerDelta)):
        return e.func(*map(counted, e.args))
    return e


def _index(symbol: Symbol, size: Expr) -> Index:
    return Index(symbol.name, size)


def same_sums(left: Any, right: Any) -> bool:
    """Equality of expressions in sums over indices and Kronecker deltas, for symbolic sizes."""
    if isinstance(left, tuple):
        return len(left) == len(right) and all(map(same_sums, left, right))
    difference = delta_sum(counted(left) - counted(right))
    return not difference.has(Delta) and vanishes(difference)
