r"""How far context travels on a mask, as a recursion that proofs can follow.

`reach(s, c, i)` is one where a walk of s edges leads from token c to token i, else zero; with
self-loops that says: of at most s edges.
"""

from __future__ import annotations

from sympy import Integer, KroneckerDelta, Symbol

from claims.domain import Computed, Condition, Point
from claims.statement import Compare, ForAll
from claims.terms import MaxOver, Recursion, entry
from claims.wu2024.notation import G, N, r

__all__ = ["R", "centre", "centre_of_mask", "edges", "longest_distance", "reach", "reached_by_all",
           "reached_by_centre"]  # fmt: skip

R = Symbol("R", integer=True, positive=True)
"""The ordinary diameter: the longest distance over all ordered pairs of tokens."""
centre = Symbol("c", integer=True, positive=True)
"""A token from which all others are reached within Def. 5's r."""

_i, _j = (Symbol(name, integer=True, positive=True) for name in "ij")
_k = Symbol("k", integer=True)
reach = Recursion(
    r"\rho",
    lambda c, i: KroneckerDelta(c, i),
    lambda s, c, i, before: MaxOver(entry(G)(_k, i) * before(c, _k), (_k, 1, N)),
)

centre_of_mask = Computed(
    centre,
    lambda at: Integer(min(at[G].centre_nodes, key=lambda c: (at[G].farthest(c), c))),
)
longest_distance = Computed(R, lambda at: Integer(at[G].ordinary_diameter))


def _walks(at: Point, start: int, steps: int) -> bool:
    return at[G].has_self_loops and at[G].farthest(start) <= steps


edges = Condition(
    r"\text{A1: } (i,i)\in E\ \forall i",
    lambda at: at[G].has_self_loops,
    ForAll(_i, 1, N, ForAll(_j, 1, N, Compare(entry(G)(_j, _i) * (1 - entry(G)(_j, _i)), "=", 0)))
    & ForAll(_i, 1, N, Compare(entry(G)(_i, _i), "=", 1)),
)
"""A1; and how a mask is written as numbers: one where i attends to j, else zero."""

reached_by_centre = Condition(
    r"\text{A1, } \mathrm{dist}(c,i)\le r\ \forall i",
    lambda at: _walks(at, int(at[centre]), int(at[r])),
    Compare(centre, "<=", N) & Compare(centre, ">=", 1)
    & ForAll(_i, 1, N, Compare(reach(r, centre, _i), "=", 1)),
)  # fmt: skip
reached_by_all = Condition(
    r"\text{A1, } \mathrm{dist}(j,i)\le R\ \forall i,j",
    lambda at: all(_walks(at, start, int(at[R])) for start in range(1, at[G].size + 1)),
    ForAll(_j, 1, N, ForAll(_i, 1, N, Compare(reach(R, _j, _i), "=", 1))),
)
