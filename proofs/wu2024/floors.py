r"""Norms of tokens, scores and shares of a softmax, bounded by induction over layers and by Cauchy.

Rows of Y are averages of rows of $X^{(0)}$, so that no row is longer than the longest of those; A3
bounds the columns of $\tilde W$, A2 those of queries and keys.
"""

from __future__ import annotations

from functools import cache
from math import prod
from typing import Any

from sympy import Expr, Integer, Sum, Symbol, exp, sqrt, symbols

from claims.statement import Compare, ForAll, Implies
from claims.terms import entry
from claims.wu2024.collapse import keys, queries, score
from claims.wu2024.dynamics import (
    Bounded,
    Layers,
    largest,
    largest_token,
    product_bound,
    values_up_to,
    weight_bound,
)
from claims.wu2024.masks import Graphs, d_QK
from claims.wu2024.notation import WK, WQ, G, N, T, X, d
from claims.wu2024.setup import AttentionSequence, SoftmaxAttention
from proofs import facts
from proofs.calculation import at_places, linked, summed_over
from proofs.kernel import (
    Theorem,
    assume,
    cut,
    discharge,
    fact,
    generalise,
    induction,
    instance,
    joint,
    part,
    recursion_start,
    recursion_step,
    substitute,
)
from proofs.wu2024.averages import i, j, n
from proofs.wu2024.unrolled import (
    A,
    bounded_columns,
    columns,
    g,
    k,
    m,
    nonnegative_square,
    tokens,
    total_not_negative,
    unrolled,
)

stochastic, not_negative, *_ = AttentionSequence(A.variable, length=T).facts()
(longest,) = largest_token.facts()


def squared(t: Any, token: Any) -> Expr:
    """|Y_i|^2."""
    return Sum(columns(t, token, m) ** 2, (m, 1, d))


@cache
def rows_stay_short() -> Theorem:
    """For all n <= T and i: |Y_i|^2 <= m^2, by Jensen's inequality in every layer."""

    def body(t: Any) -> Any:
        short = Compare(squared(t, i), "<=", largest)
        return Implies(Compare(t, "<=", T), ForAll(i, 1, N, short))

    following = Compare(n + 1, "<=", T)
    weight, value = A(n, i, k), columns(n, k, m)
    jensen = cut(
        fact(facts.JENSEN, w=weight, x=value, k=k, low=1, high=N),
        at_places(assume(stochastic), n, i),
        generalise(at_places(assume(not_negative), n, i, k), k, 1, N),
    )
    layer = joint(
        Compare(columns(n + 1, i, m) ** 2, "<=", jensen.formula.right),
        jensen,
        recursion_step(columns, n, i, m),
    )
    total = summed_over(layer, (m, d))
    exchanged = fact(facts.FUBINI, a=weight * value**2, j=m, k=k, rows=d, columns=N)
    before = joint(body(n).conclusion, assume(body(n)), given=(following,))
    shorter = joint(
        Compare(weight * squared(n, k), "<=", weight * largest),
        instance(before, k),
        at_places(assume(not_negative), n, i, k),
    )
    averaged = summed_over(shorter, (k, N))
    step = linked(
        body(n + 1).conclusion.body, total, exchanged, averaged,
        at_places(assume(stochastic), n, i),
    )  # fmt: skip
    own = joint(
        Compare(columns(0, i, m) ** 2, "=", entry(X)(i, m) ** 2), recursion_start(columns, i, m)
    )
    at_start = summed_over(own, (m, d))
    start = joint(body(0).conclusion.body, at_start, instance(assume(longest), i))
    return induction(
        discharge(generalise(start, i, 1, N), Compare(Integer(0), "<=", T)),
        discharge(generalise(cut(step, assume(following)), i, 1, N), following),
        n,
    )


def cauchy(a: Expr, b: Expr, over: Symbol, *bounds: Theorem) -> Theorem:
    """(sum a b)^2 <= the product of the bounds of sum a^2 and sum b^2, over features."""
    known = fact(facts.CAUCHY_SCHWARZ, a=a, b=b, k=over, low=1, high=d)
    signs = [total_not_negative(nonnegative_square(e), (over, d)) for e in (a, b)]
    limits = prod(bound.formula.right for bound in bounds)
    return joint(Compare(Sum(a * b, (over, 1, d)) ** 2, "<=", limits), known, *bounds, *signs)


@cache
def entry_bounded() -> Theorem:
    """X_ij^2 <= m^2 S^2 at layer n <= T."""
    reach = joint(
        rows_stay_short().formula.body.conclusion,
        instance(rows_stay_short(), n),
        given=(Compare(n, "<=", T),),
    )
    square = cauchy(
        columns(n, i, m), values_up_to(n, m, j), m, instance(reach, i), bounded_columns(n, T)
    )
    whole = at_places(unrolled(), n, i, j)
    bound = largest * product_bound**2
    return joint(Compare(tokens(n, i, j) ** 2, "<=", bound), square, whole)


@cache
def applied_bounded(symbol: Any, matrix: Any) -> Theorem:
    """The squared norm of a query or key is at most d^2 m^2 S^2 C^2."""
    entries = entry(symbol)
    short = at_places(layered(symbol, matrix), n, g)
    token = summed_over(substitute(entry_bounded(), {j: m}), (m, d))
    norm = linked(Compare(token.formula.left, "<=", d * largest * product_bound**2), token)
    square = cauchy(tokens(n, i, m), entries(n, m, g), m, norm, short)
    total = summed_over(square, (g, d))
    return linked(Compare(total.formula.left, "<=", VALUE), total)


VALUE = d**2 * largest * product_bound**2 * weight_bound**2
"""Bounds squared norms of queries and keys, and so their products."""


def layered(symbol: Any, matrix: Any) -> Theorem:
    """A2, of every layer."""
    return assume(Layers(symbol, Bounded(matrix, 1, bound=weight_bound), T).facts()[0])


def applied(symbol: Any, token: Any) -> Expr:
    """A query or key, feature by feature."""
    return Sum(tokens(n, token, m) * entry(symbol)(n, m, g), (m, 1, d))


def score_bounded() -> Theorem:
    """-B <= R_ij <= B for B = d^2 m^2 S^2 C^2/sqrt(d_QK)."""
    asked, offered = applied_bounded(queries, WQ), substitute(applied_bounded(keys, WK), {i: j})
    square = cauchy(applied(queries, i), applied(keys, j), g, asked, offered)
    own = score(n, i, j)
    return joint(Compare(own, "<=", BOUND) & Compare(own, ">=", -BOUND), square)


BOUND = VALUE / sqrt(d_QK)


@cache
def share_at_least() -> Theorem:
    """A_ij >= e^(-2B)/N where i attends to j, at layer n."""
    bounded = score_bounded()
    to_each = substitute(bounded, {j: k})
    flags = at_places(assume(FLAGS), k, i)
    above = cut(fact(facts.EXP_INCREASES, a=score(n, i, k), b=BOUND), part(to_each, 0))
    term = joint(Compare(entry(G)(k, i) * exp(score(n, i, k)), "<=", exp(BOUND)), above, flags)
    total = summed_over(term, (k, N))
    below = cut(fact(facts.EXP_INCREASES, a=-BOUND, b=score(n, i, j)), part(bounded, 1))
    weight, edge = A(n, i, j), Compare(entry(G)(j, i), "=", 1)
    product_ = linked(
        Compare(weight * N * exp(BOUND), ">=", exp(-BOUND)), total, below,
        at_places(assume(SHARES), n, i, j), at_places(assume(not_negative), n, i, j), given=(edge,),
    )  # fmt: skip
    small, large = symbols("u v", real=True)
    given = (
        Compare(weight * N * large, ">=", small),
        Compare(small * large, "=", 1),
        Compare(small, ">", 0),
    )
    solved = joint(Compare(weight, ">=", small**2 / N), given=given)
    at_bounds = substitute(solved, {small: exp(-BOUND), large: exp(BOUND)})
    return cut(at_bounds, product_)


*_, SHARES = SoftmaxAttention(A.variable, lambda at: None, score, T).facts()
FLAGS = Graphs().facts()[1]
