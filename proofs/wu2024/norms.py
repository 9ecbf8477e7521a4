r"""Norms and inner products of rows with $d$ features, $d$ symbolic.

A row is a function from a feature to a term, several rows are a function of a place and a feature.
Every lemma returns a theorem about the entries that it is given; what it needs of them are premises.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sympy import Abs, Expr, KroneckerDelta, Sum, sqrt, symbols

from claims.algebra import ranged
from claims.statement import Compare
from claims.wu2024.notation import N, d
from proofs.calculation import (
    algebra,
    at_places,
    linked,
    place,
    square_at,
    summed_over,
    sums_compared,
    weighed,
)
from proofs.facts import CAUCHY_SCHWARZ, DELTA, DELTA_SUM, FUBINI, JENSEN
from proofs.kernel import (
    Theorem,
    cut,
    fact,
    generalise,
    instance,
    joint,
    part,
    sum_at_least_term,
    sum_rearranged,
)

__all__ = [
    "Row",
    "Rows",
    "cauchy_schwarz",
    "combination",
    "combination_inside",
    "combination_is_short",
    "entry_below_norm",
    "equal_sums",
    "inner",
    "minus",
    "picked",
    "polarised",
    "products_at_most_one",
    "regrouped",
    "root_below",
    "rotated",
    "rotation_keeps_products",
    "row",
    "square_is_nonnegative",
    "summed",
]

Row = Callable[[Any], Expr]
Rows = Callable[[Any, Any], Expr]


def summed(term: Row, length: Any = d) -> Expr:
    """$\\sum_k term(k)$ for k from one."""
    k = place()
    return ranged(Sum, term(k), (k, 1, length))


def inner(a: Row, b: Row, length: Any = d) -> Expr:
    """$\\langle a,b\\rangle$."""
    return summed(lambda k: a(k) * b(k), length)


def row(rows: Rows, i: Any) -> Row:
    """Row i."""
    return lambda k: rows(i, k)


def minus(a: Row, b: Row) -> Row:
    """a - b."""
    return lambda k: a(k) - b(k)


def combination(weights: Row, rows: Rows, length: Any = N) -> Row:
    """$\\sum_jw_jx_j$."""
    return lambda k: summed(lambda j: weights(j) * rows(j, k), length)


def rotated(a: Row, matrix: Rows) -> Row:
    """$aW$."""
    return combination(a, matrix, d)


# Sums ---------------------------------------------------------------------------------------------


def equal_sums(left: Expr, right: Expr) -> Theorem:
    """Two sums that are one by linearity."""
    return sum_rearranged(left, right)


def exchanged(term: Rows, rows: Any, columns: Any) -> Theorem:
    """$\\sum_j\\sum_kt_{jk}=\\sum_k\\sum_jt_{jk}$."""
    j, k = place("j"), place()
    return fact(FUBINI, a=term(j, k), j=j, k=k, rows=rows, columns=columns)


def picked(term: Row, where: Any, length: Any) -> Theorem:
    """$\\sum_kt_k\\delta_{kp}=t_p$ for p in the range."""
    k = place()
    chosen = joint(
        Compare(term(k) * KroneckerDelta(k, where), "=", term(where) * KroneckerDelta(k, where)),
        part(fact(DELTA, a=k, b=where, term=term(k), place=k), 2),
    )
    total = summed_over(chosen, (k, length))
    ones = fact(DELTA_SUM, place=where, k=k, low=1, high=length)
    return linked(Compare(total.formula.left, "=", term(where)), total, ones)


def cauchy_schwarz(a: Row, b: Row, length: Any = d) -> Theorem:
    """$\\langle a,b\\rangle^2\\le\\|a\\|^2\\|b\\|^2$."""
    k = place()
    return fact(CAUCHY_SCHWARZ, a=a(k), b=b(k), k=k, low=1, high=length)


def root_below(value: Any, width: Any, *theorems: Theorem) -> Theorem:
    """$|x|\\le\\sqrt dw$ where the theorems say $x^2\\le dw^2$ and $w\\ge0$."""
    q, w = symbols("q w", real=True)
    given = Compare(q**2, "<=", d * w**2), Compare(w, ">=", 0)
    return algebra(Compare(Abs(q), "<=", sqrt(d) * w), given, {q: value, w: width}, *theorems)


# Products -----------------------------------------------------------------------------------------


def square_is_nonnegative(a: Row) -> Theorem:
    """$\\|a\\|^2\\ge0$."""
    below = sums_compared(lambda k: joint(Compare(0, "<=", a(k) ** 2)), d)
    return linked(Compare(inner(a, a), ">=", 0), below)


def entry_below_norm(a: Row, where: Any, length: Any = d) -> Theorem:
    """$a_k^2\\le\\|a\\|^2$."""
    k = place()
    whole = sum_at_least_term(generalise(square_at(a(k)), k, 1, length), where)
    return linked(Compare(a(where) ** 2, "<=", inner(a, a, length)), whole)


def polarised(a: Row, b: Row) -> Theorem:
    """$\\|a-b\\|^2=\\|a\\|^2+\\|b\\|^2-2\\langle a,b\\rangle$."""
    gap = minus(a, b)
    return equal_sums(inner(gap, gap), inner(a, a) + inner(b, b) - 2 * inner(a, b))


def products_at_most_one(a: Row, b: Row, *units: Theorem) -> Theorem:
    """$\\langle a,b\\rangle\\le1$ for unit rows."""
    apart = square_is_nonnegative(minus(a, b))
    return joint(Compare(inner(a, b), "<=", 1), apart, polarised(a, b), *units)


def combination_inside(
    weights: Row, rows: Rows, other: Row, length: Any = N, features: Any = d
) -> Theorem:
    """$\\langle\\sum_jw_jx_j,y\\rangle=\\sum_jw_j\\langle x_j,y\\rangle$."""
    left = inner(combination(weights, rows, length), other, features)
    right = summed(lambda j: weights(j) * inner(row(rows, j), other, features), length)
    swap = exchanged(lambda j, k: weights(j) * rows(j, k) * other(k), length, features)
    return linked(Compare(left, "=", right), swap)


def combination_is_short(
    weights: Row, rows: Rows, signs: Theorem, total: Theorem, short: Theorem, bound: Any = 1
) -> Theorem:
    """$\\|\\sum_jw_jx_j\\|^2\\le b$ for weights $w\\ge0$ of sum one and rows with $\\|x_j\\|^2\\le b$."""
    j = place("j")
    squares = sums_compared(
        lambda k: fact(JENSEN, w=weights(j), x=rows(j, k), k=j, low=1, high=N), d
    )
    swap = exchanged(lambda j, k: weights(j) * rows(j, k) ** 2, N, d)
    below = weighed(weights, lambda j: instance(short, j), N, lambda j: instance(signs, j))
    y = combination(weights, rows)
    found = linked(Compare(inner(y, y), "<=", bound), squares, swap, below, total)
    return cut(found, signs, total)


def regrouped(outer: Row, inside: Rows, last: Rows, place: Any, sizes: tuple[Any, Any]) -> Theorem:
    """sum_j w_j sum_l b_jl M_lp = sum_l (sum_j w_j b_jl) M_lp."""
    rows, columns = sizes
    left = summed(lambda n: outer(n) * combination(row(inside, n), last, columns)(place), rows)
    right = combination(combination(outer, inside, rows), last, columns)(place)
    swap = exchanged(lambda n, l: outer(n) * inside(n, l) * last(l, place), rows, columns)  # noqa: E741
    return linked(Compare(left, "=", right), swap)


def rotation_keeps_products(
    a: Row, b: Row, matrix: Rows, orthogonal: Theorem, rows: Any = d, features: Any = d
) -> Theorem:
    """$\\langle aW,bW\\rangle=\\langle a,b\\rangle$ for $WW^\\top=I$ (entries for all l, m)."""
    own, turned = (combination(weights, matrix, rows) for weights in (a, b))
    outer = combination_inside(a, matrix, turned, rows, features)

    def entry_of_b(m: Any) -> Theorem:
        """$a_m\\langle W_m,bW\\rangle=a_mb_m$."""
        inside = combination_inside(b, matrix, row(matrix, m), rows, features)
        deltas = weighed(b, lambda n: at_places(orthogonal, n, m), rows)
        goal = Compare(a(m) * inner(row(matrix, m), turned, features), "=", a(m) * b(m))
        return linked(goal, inside, deltas, picked(b, m, rows))

    inside = sums_compared(entry_of_b, rows)
    goal = Compare(inner(own, turned, features), "=", inner(a, b, rows))
    return linked(goal, outer, inside)


# Distance to the mean ------------------------------------------------------------------------------


def total(rows: Rows) -> Row:
    """The sum of the N rows."""
    return lambda k: summed(lambda j: rows(j, k), N)


def squared_spread(rows: Rows) -> Expr:
    """$\\mu^2$: squared distances of the rows to their mean."""
    mean = lambda k: total(rows)(k) / N  # noqa: E731
    gap = lambda j: minus(row(rows, j), mean)  # noqa: E731
    return summed(lambda j: inner(gap(j), gap(j)), N)


def squared_spread_is_nonnegative(rows: Rows) -> Theorem:
    """$\\mu^2\\ge0$."""
    mean = lambda k: total(rows)(k) / N  # noqa: E731
    squares = sums_compared(lambda j: square_is_nonnegative(minus(row(rows, j), mean)), N)
    return linked(Compare(squared_spread(rows), ">=", 0), squares)


def all_products(rows: Rows) -> Expr:
    """$\\sum_{j,m}\\langle x_j,x_m\\rangle$."""
    return summed(lambda j: summed(lambda m: inner(row(rows, j), row(rows, m)), N), N)


def products_with_the_total(rows: Rows) -> Theorem:
    """$\\sum_k(\\sum_jx_{jk})^2=\\sum_{j,m}\\langle x_j,x_m\\rangle$."""
    one = lambda j: 1  # noqa: E731

    def of_row(j: Any) -> Theorem:
        """$\\langle x_j,\\sum_mx_m\\rangle=\\sum_m\\langle x_j,x_m\\rangle$."""
        inside = combination_inside(one, rows, row(rows, j))
        goal = Compare(
            inner(row(rows, j), total(rows)), "=",
            summed(lambda m: inner(row(rows, j), row(rows, m)), N),
        )  # fmt: skip
        return linked(goal, inside)

    outer, rest = combination_inside(one, rows, total(rows)), sums_compared(of_row, N)
    left = inner(total(rows), total(rows))
    return linked(Compare(left, "=", all_products(rows)), outer, rest)


def spread_by_products(rows: Rows) -> Theorem:
    """$\\mu^2=\\sum_j\\|x_j\\|^2-\\frac1N\\sum_{j,m}\\langle x_j,x_m\\rangle$."""
    squares = summed(lambda j: inner(row(rows, j), row(rows, j)), N)
    apart = exchanged(lambda j, k: (rows(j, k) - total(rows)(k) / N) ** 2, N, d)
    own = exchanged(lambda j, k: rows(j, k) ** 2, N, d)
    goal = Compare(squared_spread(rows), "=", squares - all_products(rows) / N)
    return linked(goal, apart, own, products_with_the_total(rows))


def spread_of_unit_rows(rows: Rows, units: Theorem, bound: Expr, below: Any) -> Theorem:
    """$\\mu^2\\le N(1-c)$ for unit rows with $c\\le\\langle x_j,x_m\\rangle$, which `below(j, m)` says."""
    ones = sums_compared(lambda j: instance(units, j), N)

    def of_row(j: Any) -> Theorem:
        least = sums_compared(lambda m: below(j, m), N)
        goal = Compare(N * bound, "<=", summed(lambda m: inner(row(rows, j), row(rows, m)), N))
        return linked(goal, least)

    pairs = sums_compared(of_row, N)
    return linked(
        Compare(squared_spread(rows), "<=", N * (1 - bound)), spread_by_products(rows), ones, pairs
    )
