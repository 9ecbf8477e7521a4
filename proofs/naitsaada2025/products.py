"""Proofs about products of i.i.d. Markov matrices: one factor at a time, by second moments."""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Expr, Integer, KroneckerDelta, MatrixSymbol, Sum, Symbol, Trace

from claims.domain import Domain
from claims.model import Claim
from claims.naitsaada2025 import products as claims
from claims.naitsaada2025.notation import T, p, q
from claims.naitsaada2025.products import a, ratio
from claims.statement import Compare, ForAll, Implies
from claims.terms import Recursion, entry
from proofs.calculation import (
    at_places,
    for_all,
    linked,
    place,
    power_falls,
    sums_compared,
    weighed,
)
from proofs.calculus.wick import Gaussian, expectation
from proofs.certificate import Certificate, Limit
from proofs.conclude import argued, conclude
from proofs.kernel import (
    Theorem,
    assume,
    both,
    cut,
    derived,
    discharge,
    generalise,
    identity,
    induction,
    instance,
    joint,
    recursion_start,
    recursion_step,
    substitute,
    sum_at_least_term,
    unfold,
)
from proofs.registry import proves

SCOPE = r"all $T\ge2$, all $p\ge2$, Dirichlet$(a,\dots,a)$ rows for every integer $a\ge1$"
METHOD = "second moments, one independent factor at a time"
k = place()


@cache
def shrinking() -> Expr:
    r"""$\mathbb E\|x^\top A^\perp\|^2/\|x\|^2$: independent rows of covariance $c(I-\varphi\varphi^\top)$.

    The factor enters by second moments alone, which are those of a Gaussian matrix.
    """
    factor = MatrixSymbol("A^perp", T, T)
    law = Gaussian(factor, 1 / (T * (a * T + 1)), column_covariance=(1, 0))
    return expectation(Trace(factor.T * factor), [law]) / T


def terms(last: Any) -> Expr:
    r"""$\sum_{k=1}^{last}r^k$: $\varphi^\top A_k^\perp\cdots A_1^\perp$ are uncorrelated for different k."""
    return Sum(shrinking() ** k, (k, 1, last))


def value(quantity: Any, of: Expr) -> Theorem:
    """A mean by the calculus."""
    return derived(quantity, of, claims.several_factors, METHOD)


TWO = [Compare(T, ">=", 2), Compare(p, ">=", 2), Compare(a, ">=", 1)]


def in_range() -> list[Theorem]:
    """0 < r, r <= 1/(aT), r <= 1."""
    positive = joint(Compare(ratio, ">", 0), given=TWO)
    small = joint(Compare(ratio, "<=", 1 / (a * T)), given=TWO)
    return [positive, small, joint(Compare(ratio, "<=", 1), given=TWO)]


@cache
def at_least_the_first() -> Theorem:
    """A sum of powers of r from the first to the p-th is at least r."""
    signs = generalise(joint(Compare(0, "<=", ratio**k), in_range()[0]), k, 1, p)
    return cut(sum_at_least_term(signs, 1), joint(Compare(1, "<=", p), given=TWO), in_range()[0])


@cache
def shrinks() -> Theorem:
    """$\\sum_{k<p}r^k+Tr^p\\le(p-1)r+Tr^2\\le p/(aT)$."""
    signs = in_range()
    below = sums_compared(
        lambda n: power_falls(ratio, 1, n, *signs, assume(Compare(n, ">=", 1))), p - 1
    )
    last = power_falls(ratio, 2, p, *signs, assume(TWO[1]))
    power = joint(Compare(T * ratio**p, "<=", T * ratio**2), last, given=TWO)
    inside = joint(Compare(T * ratio**2, "<=", ratio), given=TWO)
    total = Sum(ratio**k, (k, 1, p - 1)) + T * ratio**p
    rest = joint(Compare(p * ratio, "<=", p / (a * T)), signs[1], given=TWO)
    return linked(Compare(total, "<=", p / (a * T)), below, power, inside, rest)


@proves(claims.largest_singular_value_of_products_as_printed)
def by_the_first_factor(claim: Claim) -> Certificate:
    """The term of the first factor is there for every p; all terms together are p times as large."""
    one, two = (
        value(claims.along, terms(p)),
        value(claims.whole, terms(p - 1) + T * shrinking() ** p),
    )
    low = linked(Compare(claims.along, ">=", ratio), one, at_least_the_first())
    high = linked(Compare(claims.whole, "<=", p / (a * T)), two, shrinks())
    return conclude(claim, both(one, low, two, high), method=METHOD, scope=SCOPE)


THREE = [TWO[0], Compare(p, ">=", 3), TWO[2]]


@proves(claims.second_singular_value_as_printed)
def by_the_product_of_the_rests(claim: Claim) -> Certificate:
    """$T r^p=(Tr^{p-1})r$, and r is below the mean square along ones."""
    domain = claims.three_factors
    one = derived(claims.along, terms(p), domain, METHOD)
    two = derived(claims.rest, T * shrinking() ** p, domain, METHOD)
    low = linked(Compare(claims.along, ">=", ratio), one, at_least_the_first())
    power = Symbol("b", positive=True)
    split = substitute(identity(power**p, power * power ** (p - 1)), {power: ratio})
    positive = joint(Compare(ratio ** (p - 1), ">", 0), in_range()[0])
    scaled = joint(
        Compare(ratio * T * ratio ** (p - 1), "<=", claims.along * T * ratio ** (p - 1)),
        low, positive, given=TWO,
    )  # fmt: skip
    goal = Compare(claims.rest, "<=", claims.along * T * ratio ** (p - 1))
    small = cut(joint(goal, two, split, scaled, given=TWO), in_range()[0])
    return conclude(
        claim, both(two, low, small), method=METHOD, scope=SCOPE.replace("2$, D", "3$, D")
    )


def whole_with_weights_is_small(domain: Domain) -> Theorem:
    r"""$\mathbb E\|A^\perp W\|_F^2\le d^qp/(aT)$."""
    lengths, every = claims.growth * T, terms(p - 1) + T * shrinking() ** p
    value_ = derived(claims.whole_with_weights, lengths**q * every, domain, METHOD)
    sign = joint(Compare(lengths**q, ">", 0), given=[TWO[0], Compare(claims.growth, ">=", 1)])
    goal = Compare(claims.whole_with_weights, "<=", lengths**q * p / (a * T))
    return joint(goal, value_, shrinks(), sign, given=TWO)


@proves(claims.largest_singular_value_with_weights_as_printed)
def by_the_first_factor_and_weights(claim: Claim) -> Certificate:
    """Every Gaussian factor multiplies squared lengths by d, in mean."""
    domain = claims.largest_singular_value_with_weights.domain
    lengths = claims.growth * T
    one = derived(claims.along_with_weights, lengths**q * terms(p), domain, METHOD)
    sign = joint(Compare(lengths**q, ">", 0), given=[TWO[0], Compare(claims.growth, ">=", 1)])
    low_goal = Compare(claims.along_with_weights, ">=", lengths**q * ratio)
    low = joint(low_goal, one, at_least_the_first(), sign)
    high = whole_with_weights_is_small(domain)
    scope = SCOPE + r", $q\ge1$, $\gamma^{-1}\ge1$ an integer"
    return conclude(claim, both(one, low, high), method=METHOD, scope=scope)


def _row_sum(matrix: Any, row: Any) -> Theorem:
    return instance(assume(claims._rows_of(matrix)[0]), row)


def _sign(matrix: Any, row: Any, column: Any) -> Theorem:
    return at_places(assume(claims._rows_of(matrix)[1]), row, column)


@proves(claims.markov_matrices_are_closed_under_products_as_printed)
def by_the_shared_factor(claim: Claim) -> Certificate:
    """Sums and signs of a product row by row; the covariance is that of a column mean of A_1."""
    domain = claims.row_stochastic_matrices_are_closed_under_products.domain
    i, j, m = claims.i, claims.j, place("m")
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
        claim, both(rows, covariance), method="sums over rows; second moments of a column mean",
        scope=r"all $T\ge2$, all row-stochastic $A_1$, $A_2$; Dirichlet rows for the covariance",
    )  # fmt: skip


# The expansion -------------------------------------------------------------------------------------

n = Symbol("n", integer=True, nonnegative=True)
row, column = (Symbol(name, integer=True) for name in ("u", "v"))
weight = claims.layer_weight
full = Recursion(
    "P",
    lambda u, v: KroneckerDelta(u, v),
    lambda t, u, v, before: Sum(weight(t, u, k) * before(k, v), (k, 1, T)),
)
rest = Recursion(
    "Q",
    lambda u, v: KroneckerDelta(u, v),
    lambda t, u, v, before: Sum((weight(t, u, k) - 1 / T) * before(k, v), (k, 1, T)),
)
lead = Recursion(
    "c", lambda v: Integer(0), lambda t, v, before: before(v) + Sum(rest(t, k, v), (k, 1, T)) / T
)
"""The rows of the matrix of equal rows: one term more for every factor."""


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


@proves(claims.product_is_a_matrix_of_equal_rows_plus_the_product_of_the_rests)
def by_induction_over_the_factors(claim: Claim) -> Certificate:
    """$A(1c^\\top+Q)=1c^\\top+\\varphi\\varphi^\\top Q+A^\\perp Q$."""
    domain = claims.layered
    i, j = claims.i, claims.j
    over = ((i, 1, T), (j, 1, T))
    whole = unfold(claims.full_entry(i, j), full(p, i, j), domain, over)
    others = unfold(claims.rest_entry(i, j), rest(p, i, j), domain, over)
    leading = unfold(claims.leading_entry(i, j), lead(p, j), domain, over)
    first = unfold(claims.leading_entry(1, j), lead(p, j), domain, over[1:])
    known = substitute(
        joint(expanded().formula.body.conclusion.substitute({n: p}), at_last()), {column: j}
    )
    split, equal = (
        claims._SPLIT,
        Compare(claims.leading_entry(i, j), "=", claims.leading_entry(1, j)),
    )
    one = joint(split, whole, others, leading, instance(known, i))
    two = joint(equal, leading, first)
    return conclude(
        claim, for_all(both(one, two), (i, T), (j, T)), method="induction over the factors",
        scope="all $T\\ge2$, $p\\ge1$, all row-stochastic matrices",
    )  # fmt: skip


@proves(claims.second_singular_value_of_products)
def by_rank_one_and_submultiplicativity(claim: Claim) -> Certificate:
    r"""$A_p\cdots A_1$ is a rank-one change of the product of the rests, each of norm $2\sigma T^{-1/2}$.

    $A_k^\perp=D_k(M_k-11^\top)(I-\varphi\varphi^\top)$ with $TD_k\to I$, and $T^{-1/2}(M_k-11^\top)$ has
    norm $2\sigma(1+o(1))$ for entries with four moments (Bai and Yin).
    """
    return argued(
        claim, steps=(), method="rank-one change; norm of a matrix with i.i.d. entries",
        scope=r"all $p\ge1$, $T\to\infty$; the finite sizes by measurement",
    )  # fmt: skip


@proves(claims.largest_singular_value_of_products_tends_to_one)
def by_fourth_moments(claim: Claim) -> Certificate:
    r"""$1=\varphi^\top A_p\cdots A_1\varphi\le s_1$, and $s_1^4(A)\le\|AA^\top\|_F^2$ for each factor.

    The mean of the latter has a closed form, which tends to one.
    """
    return argued(
        claim, steps=(fourth_moment_tends_to_one(),), method="fourth moments of one factor, independence",
        scope=r"all $p\ge1$, Dirichlet$(a,\dots,a)$ rows for every integer $a\ge1$",
    )  # fmt: skip


def fourth_moment_tends_to_one() -> Limit:
    r"""$\mathbb E\|AA^\top\|_F^2\to1$."""
    shapes = ({a: Integer(1)}, {a: Integer(2)}, {a: Integer(7)})
    value = claims.fourth(claims.tokens)
    return Limit(value, claims.tokens, Integer(1), shapes, "closed form in the number of tokens")
