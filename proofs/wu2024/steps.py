"""Steps that several proofs about this paper share: products of signs, and walks on masks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sympy import Expr, Symbol, expand, simplify, symbols

from claims.masks import causal, complete, cycle, one_directional, sliding_window, star
from proofs.calculus.inequalities import SumOfSquares
from proofs.certificate import Bounded, Checked

__all__ = [
    "average_is_below_maximum",
    "chain_of_neighbours",
    "identity_step",
    "nonnegative",
]


def identity_step(text: str, left: Any, right: Any, by: str = "algebra") -> Checked:
    """`left = right` for all values of their symbols."""
    return Checked(text, by, lambda: simplify(expand(left - right)) == 0)


def nonnegative(text: str, expression: Expr, *parts: Expr, given: Iterable[Expr] = ()) -> Bounded:
    """`expression >= 0`: it is a sum of products of factors that are, by assumption or as `given`."""
    certificate = SumOfSquares(expression, (), parts or (expression,), tuple(given))
    return Bounded(text, certificate, "sum of products of nonnegative factors")


# How a centre's column becomes positive -----------------------------------------------------------

_GRAPHS = tuple(
    make(n)
    for make in (causal, complete, cycle, one_directional, sliding_window, star)
    for n in range(2, 7)
)


def _predecessors_exist() -> bool:
    """On every mask: a token at distance s + 1 from a node attends to one at distance s."""
    return all(
        any(graph.distance(c, j) == graph.distance(c, i) - 1 for j in graph.neighbours(i))
        for graph in _GRAPHS
        for c in graph.centre_nodes
        for i in graph.graph
        if i != c
    )


def chain_of_neighbours() -> Checked:
    """Shortest paths: the token before the last one is one step nearer."""
    return Checked(
        r"\mathrm{dist}(c,i)=s+1\ \Rightarrow\ \exists j\in\mathcal N_i:\ \mathrm{dist}(c,j)=s",
        r"the last step of a shortest path; checked on six families of masks, $N=2,\dots,6$",
        _predecessors_exist,
    )


def average_is_below_maximum() -> tuple[Any, ...]:
    """M - sum_j a_j x_j = sum_j a_j (M - x_j) >= 0 for weights that sum to one, term by term."""
    a = Symbol("a_j", nonnegative=True)
    top, x = symbols("M x_j", real=True)
    split = identity_step(
        r"M\textstyle\sum_ja_j-\sum_ja_jx_j=\sum_ja_j(M-x_j)",
        top * a - a * x, a * (top - x), "for every summand, hence for every $N$",
    )  # fmt: skip
    return split, nonnegative(r"a_j(M-x_j)\ge0", a * (top - x), given=(top - x,))
