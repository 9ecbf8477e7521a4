"""Steps that several proofs about this paper share: products of signs, and judging a bound.

A bound is judged in two moves: the definition is searched for an exact witness, and where there is
none, the right-hand side must be one that the general argument reaches, symbol for symbol.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from sympy import Expr, Integer, Symbol, expand, simplify, symbols

from claims.masks import causal, complete, cycle, one_directional, sliding_window, star
from claims.model import Claim
from proofs.calculus.inequalities import SumOfSquares
from proofs.certificate import Bounded, Certificate, Checked
from proofs.conclude import conclude
from proofs.kernel import within, words

__all__ = [
    "algebra",
    "bounded",
    "cauchy_schwarz",
    "chain_of_neighbours",
    "nonnegative",
    "positive_column",
]


def algebra(text: str, left: Any, right: Any, by: str = "algebra") -> Checked:
    """`left = right` for all values of their symbols."""
    return Checked(text, by, lambda: simplify(expand(left - right)) == 0)


def nonnegative(text: str, expression: Expr, *parts: Expr, given: Iterable[Expr] = ()) -> Bounded:
    """`expression >= 0`: it is a sum of products of factors that are, by assumption or as `given`."""
    certificate = SumOfSquares(expression, (), parts or (expression,), tuple(given))
    return Bounded(text, certificate, "sum of products of nonnegative factors")


def cauchy_schwarz() -> tuple[Any, ...]:
    """|a|^2 (|a|^2 |b|^2 - (a.b)^2) = | |a|^2 b - (a.b) a |^2 >= 0, in every dimension."""
    square, other, inner, a, b = symbols("s q g a_k b_k", real=True)
    return (
        algebra(
            r"(sb_k-ga_k)^2=s^2b_k^2-2sga_kb_k+g^2a_k^2,\ \text{summed over } k",
            (square * b - inner * a) ** 2,
            square**2 * b**2 - 2 * square * inner * a * b + inner**2 * a**2,
        ),
        algebra(
            r"s^2q-2sg\cdot g+g^2s=s\,(sq-g^2),\quad s=\|a\|^2,\ q=\|b\|^2,\ g=\langle a,b\rangle",
            square**2 * other - 2 * square * inner * inner + inner**2 * square,
            square * (square * other - inner**2),
        ),
    )


def bounded(
    claim: Claim, printed: Claim, reached: Sequence[Expr], *, steps: Iterable[Any], method: str,
    scope: str,
) -> Certificate:  # fmt: skip
    """Judge an upper bound by a written argument that reaches each expression of `reached`.

    The steps concern the left-hand side of `printed` (its domain, its definition).
    """
    assert printed.quantity is not None
    bounds = printed.quantity.at_most(*reached)
    theorem = words(bounds, method, within(printed.domain))
    return conclude(claim, theorem, method=method, scope=scope, steps=steps)


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


def positive_column() -> tuple[Any, ...]:
    """P_ic >= eps^T for every token i within distance T of c, by induction in T, for every N.

    P is a product of T matrices of the class.  One layer more, token i attends with weight a >= eps
    to a token j with P_jc >= eps^T: to itself (A1) when it is within T, else to its predecessor.
    """
    a, b, e, power = symbols(r"a b \epsilon \epsilon^T", nonnegative=True)
    step = nonnegative(
        r"A_{ij}P_{jc}\ge\epsilon^{T+1}\ \text{for } A_{ij}\ge\epsilon,\ P_{jc}\ge\epsilon^T",
        a * b - e * power, (a - e) * b, e * (b - power), given=(a - e, b - power),
    )  # fmt: skip
    start = algebra(r"T=0:\ P=I,\ P_{cc}=1=\epsilon^0", Integer(1), e**0)
    return chain_of_neighbours(), start, step


def average_is_below_maximum() -> tuple[Any, ...]:
    """M - sum_j a_j x_j = sum_j a_j (M - x_j) >= 0 for weights that sum to one, term by term."""
    a = Symbol("a_j", nonnegative=True)
    top, x = symbols("M x_j", real=True)
    split = algebra(
        r"M\textstyle\sum_ja_j-\sum_ja_jx_j=\sum_ja_j(M-x_j)",
        top * a - a * x, a * (top - x), "for every summand, hence for every $N$",
    )  # fmt: skip
    return split, nonnegative(r"a_j(M-x_j)\ge0", a * (top - x), given=(top - x,))


def powers_keep_order() -> tuple[Any, ...]:
    """b^k <= a^k for 0 <= b <= a, by induction in k."""
    a, b, high, low = symbols("a b a^k b^k", nonnegative=True)
    step = nonnegative(
        r"a^{k+1}-b^{k+1}=a(a^k-b^k)+b^k(a-b)\ge0\ \text{for } a\ge b\ge0",
        a * high - b * low, a * (high - low), low * (a - b), given=(high - low, a - b),
    )  # fmt: skip
    start = algebra(r"a^0-b^0=0", Integer(1), Integer(1))
    return start, step
