"""Proofs about rows of products of row-stochastic matrices: sums, signs, and the expansion."""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Integer, MatrixSymbol, Sum, Symbol, Trace

from claims.model import Claim
from claims.naitsaada2025 import product_rows as claims
from claims.naitsaada2025.notation import T, p
from claims.naitsaada2025.products import a, i, j
from claims.statement import Compare, ForAll, Implies
from claims.terms import entry
from proofs.calculation import at_places, for_all, linked, place, sums_compared, weighed
from proofs.calculus.wick import Gaussian, expectation
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.kernel import (
    Theorem,
    assume,
    both,
    cut,
    derived,
    discharge,
    generalise,
    induction,
    instance,
    joint,
    recursion_start,
    recursion_step,
    substitute,
    unfold,
)
from proofs.naitsaada2025.mean_squares import METHOD
from proofs.registry import proves

k = place()


def _row_sum(matrix: Any, row: Any) -> Theorem:
    return instance(assume(claims.rows_of(matrix)[0]), row)


def _sign(matrix: Any, row: Any, column: Any) -> Theorem:
    return at_places(assume(claims.rows_of(matrix)[1]), row, column)


@proves(claims.markov_matrices_are_closed_under_products_as_printed)
def by_the_shared_factor(claim: Claim) -> Certificate:
    """Sums and signs of a product row by row; the covariance is that of a column mean of A_1."""
    domain = claims.row_stochastic_matrices_are_closed_under_products.domain
    m = place("m")
    outer, inside = entry(claims.A2), entry(claims.A1)
    pair, one = ((i, 1, T), (j, 1, T)), ((i, 1, T),)
    cell = Sum(outer(i, m) * inside(m, j), (m, 1, T))
    unfolded = unfold(claims.product_entry(i, j), cell, domain, pair)
    signs = sums_compared(
        lambda n: joint(
            Compare(0, "<=", outer(i, n) * inside(n, j)),
            _sign(claims.A2, i, n),
            _sign(claims.A1, n, j),
        ),
        T,
    )
    positive = linked(Compare(claims.product_entry(i, j), ">=", 0), unfolded, signs)
    row = Sum(outer(i, m) * Sum(inside(m, j), (j, 1, T)), (m, 1, T))
    summed = unfold(claims.sum_of_row(i), row, domain, one)
    ones = weighed(lambda n: outer(i, n), lambda n: _row_sum(claims.A1, n), T)
    total = linked(Compare(claims.sum_of_row(i), "=", 1), summed, ones, _row_sum(claims.A2, i))
    rows = for_all(both(total, for_all(positive, (j, T))), (i, T))
    column = Gaussian(MatrixSymbol("A^perp", T, T), 1 / (T * (a * T + 1)), column_covariance=(1, 0))
    variance = expectation(Trace(column.symbol.T * column.symbol), [column]) / T**2
    covariance = derived(claims.covariance_of_rows, variance / T, domain, METHOD)
    return conclude(
        claim, both(rows, covariance), method="sums over rows; second moments of a column mean"
    )


# The expansion -------------------------------------------------------------------------------------

n = Symbol("n", integer=True, nonnegative=True)
row, column = (Symbol(name, integer=True) for name in ("u", "v"))
full, rest, lead = claims.chain, claims.chain_of_rests, claims.shared_row
weight = claims.layer_weight


@cache
def expanded() -> Theorem:
    """For all n <= p: P_n = c_n + Q_n, since rows of a factor sum to one."""
    body = ForAll(
        row, 1, T, Compare(full(n, row, column), "=", lead(n, column) + rest(n, row, column))
    )
    every = Implies(Compare(n, "<=", p), body)
    starts = (recursion_start(f, row, column) for f in (full, rest))
    first = joint(body.body.substitute({n: Integer(0)}), *starts, recursion_start(lead, column))
    start = discharge(generalise(first, row, 1, T), Compare(Integer(0), "<=", p))
    inside = Compare(n + 1, "<=", p)
    before = joint(body, assume(every), given=(inside,))
    ones = at_places(assume(claims.FACTORS_SUM_TO_ONE), n, row)
    products = weighed(lambda m: weight(n, row, m), lambda m: instance(before, m), T)
    steps = [recursion_step(f, n, row, column) for f in (full, rest)]
    goal = body.body.substitute({n: n + 1})
    shown = linked(goal, products, ones, *steps, recursion_step(lead, n, column))
    shown = cut(shown, joint(Compare(n, "<=", p - 1), given=(inside,)))
    step = discharge(generalise(shown, row, 1, T), inside)
    return induction(start, step, n)


@cache
def at_last() -> Theorem:
    """All p factors."""
    return instance(expanded(), p)


def all_factors_at(where: Any) -> Theorem:
    """One column of the product of all factors, in every row."""
    body = expanded().formula.body.conclusion.substitute({n: p})  # type: ignore[attr-defined]
    return substitute(joint(body, at_last()), {column: where})


@proves(claims.product_is_a_matrix_of_equal_rows_plus_the_product_of_the_rests)
def by_induction_over_the_factors(claim: Claim) -> Certificate:
    """$A(1c^\\top+Q)=1c^\\top+\\varphi\\varphi^\\top Q+A^\\perp Q$."""
    domain = (claim.base or claim).domain
    over = ((i, 1, T), (j, 1, T))
    whole = unfold(claims.full_entry(i, j), full(p, i, j), domain, over)
    others = unfold(claims.rest_entry(i, j), rest(p, i, j), domain, over)
    leading = unfold(claims.leading_entry(i, j), lead(p, j), domain, over)
    first = unfold(claims.leading_entry(1, j), lead(p, j), domain, over[1:])
    known = all_factors_at(j)
    split, equal = (
        claims.SPLIT,
        Compare(claims.leading_entry(i, j), "=", claims.leading_entry(1, j)),
    )
    one = joint(split, whole, others, leading, instance(known, i))
    two = joint(equal, leading, first)
    return conclude(
        claim, for_all(both(one, two), (i, T), (j, T)), method="induction over the factors"
    )
