r"""Tokens without LayerNorm as one product, entry by entry, and the widths of their columns.

$X^{(t)}=Y^{(t)}\tilde W^{(t)}$ where $Y^{(t)}=A^{(t-1)}\cdots A^{(0)}X^{(0)}$ and
$\tilde W^{(t)}=W_V^{(0)}\cdots W_V^{(t-1)}$: Eq. (9).  Columns of Y are averaged, columns of
$\tilde W$ are bounded (A3).
"""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Abs, Expr, Integer, KroneckerDelta, Sum, Symbol, sqrt, symbols

from claims.domain import Array
from claims.statement import Compare, ForAll, Formula
from claims.terms import MaxOver, MinOver, Recursion, entry
from claims.wu2024.dynamics import Layers, product_bound, token_entry, values, values_up_to
from claims.wu2024.notation import WV, N, X, attention, d
from proofs import facts
from proofs.calculation import at_places, for_all, linked, summed_over
from proofs.kernel import (
    Theorem,
    assume,
    cut,
    extremum_bounds,
    extremum_compared,
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
from proofs.wu2024.averages import Averages, i, j, n

__all__ = ["columns", "tokens", "unrolled"]

A, W = entry(attention), entry(values)
k, g, m = symbols("k g m", integer=True)

columns = Recursion(
    "Y",
    lambda i, g: entry(X)(i, g),
    lambda t, i, g, before: Sum(A(t, i, k) * before(k, g), (k, 1, N)),
)
"""Attention alone, feature by feature."""
tokens = token_entry


def product(t: Any, i: Any, j: Any) -> Expr:
    """(Y W)_ij at layer t."""
    return Sum(columns(t, i, m) * values_up_to(t, m, j), (m, 1, d))


def everywhere(theorem: Theorem) -> Theorem:
    """For all tokens i and features j."""
    return for_all(theorem, (i, N), (j, d))


@cache
def unrolled() -> Theorem:
    """For all t, i, j: X(t, i, j) = sum_m Y(t, i, m) W(t, m, j); finite sums may be exchanged."""

    def body(t: Any) -> Formula:
        return ForAll(i, 1, N, ForAll(j, 1, d, Compare(tokens(t, i, j), "=", product(t, i, j))))

    term = A(n, i, k) * columns(n, k, m) * values_up_to(n, m, g) * W(n, g, j)
    before = at_places(assume(body(n)), k, g)
    scaled = joint(
        Compare(tokens(n, k, g) * W(n, g, j), "=", product(n, k, g) * W(n, g, j)), before
    )
    moved = summed_over(scaled, (g, d))
    layer = joint(
        Compare(A(n, i, k) * moved.formula.left, "=", A(n, i, k) * moved.formula.right), moved
    )
    first = summed_over(layer, (k, N))
    inner = fact(facts.FUBINI, a=term, j=g, k=m, rows=d, columns=d)
    rows = summed_over(inner, (k, N))
    outer = fact(facts.FUBINI, a=Sum(term, (g, 1, d)), j=k, k=m, rows=N, columns=d)
    split = Compare(
        columns(n + 1, i, m) * values_up_to(n + 1, m, j),
        "=",
        Sum(A(n, i, k) * columns(n, k, m), (k, 1, N))
        * Sum(values_up_to(n, m, g) * W(n, g, j), (g, 1, d)),
    )
    steps = (recursion_step(columns, n, i, m), recursion_step(values_up_to, n, m, j))
    last = summed_over(joint(split, *steps), (m, d))
    step = linked(
        Compare(tokens(n + 1, i, j), "=", product(n + 1, i, j)), recursion_step(tokens, n, i, j),
        first, rows, outer, last,
    )  # fmt: skip
    return induction(everywhere(at_start()), everywhere(step), n)


def at_start() -> Theorem:
    """No layers: sum_m X_im delta_mj = X_ij."""
    delta = KroneckerDelta(m, j)
    own = part(fact(facts.DELTA, a=m, b=j, term=entry(X)(i, g), place=g), 2)
    value = joint(
        Compare(columns(0, i, m) * values_up_to(0, m, j), "=", delta * entry(X)(i, j)),
        recursion_start(columns, i, m),
        recursion_start(values_up_to, m, j),
        own,
    )
    total = summed_over(value, (m, d))
    one = fact(facts.DELTA_SUM, place=j, k=m, low=1, high=d)
    return linked(
        Compare(tokens(0, i, j), "=", product(0, i, j)), recursion_start(tokens, i, j), total, one
    )


# Widths of columns --------------------------------------------------------------------------------

other, row = symbols("a b", integer=True)


@cache
def feature(length: Any) -> Averages:
    """Column m of Y: an average in every layer."""
    return Averages(columns, length, (m,))


def width_of_column(t: Any) -> Expr:
    """The width of column j of the tokens."""
    return MaxOver(tokens(t, i, j), (i, 1, N)) - MinOver(tokens(t, i, j), (i, 1, N))


def width_from_pairs(pair: Theorem, t: Any, bound: Any) -> Theorem:
    """From X_aj - X_bj <= bound for all a and b: the width is at most the bound."""
    high, low = (kind(tokens(t, i, j), (i, 1, N)) for kind in (MaxOver, MinOver))
    above = joint(Compare(tokens(t, other, j), "<=", bound + tokens(t, row, j)), pair)
    top = extremum_compared(generalise(above, other, 1, N), MaxOver)
    named = joint(Compare(tokens(t, row, j), ">=", high - bound), top)
    bottom = extremum_compared(generalise(named, row, 1, N), MinOver)
    return joint(Compare(high - low, "<=", bound), bottom)


def difference(t: Any) -> Theorem:
    """X_aj - X_bj = sum_m (Y_am - Y_bm) W_mj."""
    gap = Sum((columns(t, other, m) - columns(t, row, m)) * values_up_to(t, m, j), (m, 1, d))
    ends = [at_places(unrolled(), t, token, j) for token in (other, row)]
    return linked(Compare(tokens(t, other, j) - tokens(t, row, j), "=", gap), *ends)


def between_extremes(t: Any, length: Any) -> tuple[Theorem, ...]:
    """m <= Y_am, Y_bm <= M in column m."""
    return tuple(
        extremum_bounds(feature(length).extreme(kind, t), token)
        for kind in (MaxOver, MinOver)
        for token in (other, row)
    )


@cache
def column_contracts(t: Any, length: Any, widest: Any, decay: Any) -> Theorem:
    """width of X_j <= decay widest sum_m |W_mj|, where decay widest bounds the widths of all Y_m."""
    bound = Compare(feature(length).width(t), "<=", decay * widest)
    weight = values_up_to(t, m, j)
    term = joint(
        Compare((columns(t, other, m) - columns(t, row, m)) * weight, "<=", decay * widest * Abs(weight)),
        *between_extremes(t, length), instance(assume(ForAll(m, 1, d, bound)), m),
    )  # fmt: skip
    total = summed_over(term, (m, d))
    reached = decay * widest * Sum(Abs(weight), (m, 1, d))
    pair = linked(
        Compare(tokens(t, other, j) - tokens(t, row, j), "<=", reached), difference(t), total
    )
    return width_from_pairs(pair, t, reached)


@cache
def sum_against_norm(t: Any, length: Any) -> Theorem:
    """sum_m |W_mj| <= sqrt(d) S, by Cauchy's inequality."""
    weight = values_up_to(t, m, j)
    cauchy = fact(facts.CAUCHY_SCHWARZ, a=Abs(weight), b=1, k=m, low=1, high=d)
    total = Sum(Abs(weight), (m, 1, d))
    return linked(
        Compare(total, "<=", sqrt(d) * product_bound), cauchy, bounded_columns(t, length),
        assume(Compare(product_bound, ">=", 1)),
    )  # fmt: skip


def bounded_products(length: Any) -> tuple[Formula, ...]:
    """A3: S is at least one, and no column of a product of value matrices is longer than S."""
    return Layers(values, Array(WV), length, bound=product_bound).facts()


def bounded_columns(t: Any, length: Any) -> Theorem:
    """sum_m W_mj^2 <= S^2, from A3."""
    return at_places(assume(bounded_products(length)[1]), t, j)


# The measure mu -----------------------------------------------------------------------------------


@cache
def column_against_norm(t: Any, length: Any, decay: Any) -> Theorem:
    """width of X_j <= S decay sqrt(sum_m w_m^2), where decay w_m bounds the width of Y_m."""
    weight, start = values_up_to(t, m, j), feature(length).width(0)
    gap = columns(t, other, m) - columns(t, row, m)
    bound = Compare(feature(length).width(t), "<=", decay * start)
    square = joint(
        Compare(gap**2, "<=", decay**2 * start**2), *between_extremes(t, length),
        instance(assume(ForAll(m, 1, d, bound)), m), feature(length).not_negative(0),
    )  # fmt: skip
    total = summed_over(square, (m, d))
    squares = Sum(start**2, (m, 1, d))
    cauchy = fact(facts.CAUCHY_SCHWARZ, a=gap, b=weight, k=m, low=1, high=d)
    short, at_least_one = bounded_columns(t, length), assume(bounded_products(length)[0])
    apart = tokens(t, other, j) - tokens(t, row, j)
    reached = product_bound * decay * sqrt(squares)
    nonnegative = Compare(decay, ">=", 0)
    sums = [Sum(e, (m, 1, d)) for e in (gap**2, weight**2)]
    products = linked(
        Compare(sums[0] * sums[1], "<=", decay**2 * squares * product_bound**2), total, short,
        total_not_negative(nonnegative_square(gap), (m, d)),
    )  # fmt: skip
    positive = total_not_negative(nonnegative_square(start), (m, d))
    pair = joint(
        Compare(apart, "<=", reached), difference(t), cauchy, products, at_least_one, positive,
        given=(nonnegative,),
    )  # fmt: skip
    return width_from_pairs(pair, t, reached)


def nonnegative_square(e: Expr) -> Theorem:
    return joint(Compare(e**2, ">=", 0))


def total_not_negative(theorem: Theorem, *over: tuple[Symbol, Any]) -> Theorem:
    """Sums of terms that are not negative are not negative."""
    for index, high in over:
        total = summed_over(theorem, (index, high))
        theorem = linked(Compare(total.formula.left, ">=", 0), total)
    return theorem


def mean(t: Any) -> Expr:
    """The mean of column j."""
    return Sum(tokens(t, i, j), (i, 1, N)) / N


@cache
def deviations_from_width(t: Any) -> Theorem:
    """sum_i (X_ij - mean)^2 <= N (M - m)^2 / 4, from (M - X_ij)(X_ij - m) >= 0."""
    high, low = (kind(tokens(t, i, j), (i, 1, N)) for kind in (MaxOver, MinOver))
    value = tokens(t, k, j)
    inside = joint(
        Compare((high - value) * (value - low), ">=", 0), extremum_bounds(high, k),
        extremum_bounds(low, k),
    )  # fmt: skip
    total = Sum(value, (k, 1, N))
    product_ = total_not_negative(inside, (k, N))
    about = Sum((value - mean(t)) ** 2, (k, 1, N))
    square = joint(Compare((total - N * (high + low) / 2) ** 2 / N, ">=", 0))
    return linked(Compare(about, "<=", N * (high - low) ** 2 / 4), product_, square)


def squares_not_negative(length: Any) -> Theorem:
    """The squared widths of the columns at the start sum to a number that is not negative."""
    return total_not_negative(nonnegative_square(feature(length).width(0)), (m, d))


def width_not_negative(t: Any) -> Theorem:
    """M - m >= 0 in column j of the tokens."""
    ends = (extremum_bounds(kind(tokens(t, i, j), (i, 1, N)), 1) for kind in (MaxOver, MinOver))
    return joint(Compare(width_of_column(t), ">=", 0), *ends)


def root_below(squared: Theorem, positive: Theorem, bound: Any, *signs: Theorem) -> Theorem:
    """sqrt(T) <= bound, from T <= bound^2 and T >= 0; `signs` say that the bound is not negative."""
    total, limit = squared.formula.left, Symbol("limit", real=True)
    given = (
        Compare(total, "<=", limit**2), Compare(total, ">=", 0), Compare(limit, ">=", 0),
    )  # fmt: skip
    found = substitute(joint(Compare(sqrt(total), "<=", limit), given=given), {limit: bound})
    return cut(found, squared, positive, joint(Compare(bound, ">=", 0), *signs))


def extreme_not_negative(widest: MaxOver, length: Any) -> Theorem:
    """The largest width is not negative: that of the first column is not."""
    first = substitute(feature(length).not_negative(0), {m: Integer(1)})
    return joint(Compare(widest, ">=", 0), extremum_bounds(widest, 1), first)
