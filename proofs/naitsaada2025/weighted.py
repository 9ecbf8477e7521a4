r"""Singular values of $AW$, $A^\perp W$ and $\varphi\varphi^\top W$ for row-stochastic $A$.

For a unit vector that sums to zero the first two agree, $\|(AW)^\top z\|=\|(A^\perp W)^\top z\|$, and the
third vanishes; there is one in the span of two singular vectors of any matrix.
"""

from __future__ import annotations

from typing import Any

from sympy import Expr, Integer, Piecewise, Sum, Symbol, symbols

from claims.naitsaada2025 import interlacing as claims
from claims.naitsaada2025.interlacing import AW, CROSSED, MEAN_W, REST_W, SPECTRA, W
from claims.naitsaada2025.notation import T, d
from claims.statement import Compare
from claims.terms import Recursion, entry, put
from proofs.calculation import (
    algebra,
    at_places,
    conjuncts,
    linked,
    squared,
    sums_compared,
    weighed,
)
from proofs.facts import FUBINI
from proofs.kernel import (
    Theorem,
    assume,
    both,
    fact,
    instance,
    joint,
    recursion_start,
    unfold,
)
from proofs.naitsaada2025.decompositions import SEVERAL, bulk, entry_of_rest
from proofs.naitsaada2025.minimax import Met
from proofs.naitsaada2025.rayleigh import Rayleigh

__all__ = ["second_with_weights", "share_above_a_level"]

ONE, TWO = Integer(1), Integer(2)
DOMAIN = claims.with_weights
i, j = (Symbol(name, integer=True) for name in "ij")
variables = {variable.symbol: variable for variable in DOMAIN.variables}
weights, product, rest, mean = (Rayleigh(m, *SPECTRA[m]) for m in (W, AW, REST_W, MEAN_W))
w = entry(W)


def entry_of(matrix: Any, row: Any, column: Any) -> Theorem:
    """An entry of a product with W, as a sum."""
    (known,) = variables[matrix].facts()
    return at_places(assume(known), row, column)


def column_mean(column: Any) -> Expr:
    """A column of W, summed and over T."""
    return Sum(w(j, column), (j, 1, T)) / T


def crossed(matrix: Any) -> Met:
    """A unit vector that sums to zero in the span of the first two singular vectors."""
    return Met(variables[CROSSED[matrix]], ONE)  # type: ignore[arg-type]


def second_of_product() -> Theorem:
    """s_2^2(AW) <= s_1^2(A^perp W), by |(AW)^T z| = |(A^perp W)^T z| where z sums to zero."""
    met = crossed(AW)

    def row(b: Any, c: Any) -> Theorem:
        """(AW)_bc = (A^perp W)_bc + the mean of a column."""
        split = weighed(lambda a: w(a, c), lambda a: entry_of_rest(b, a), T)
        goal = Compare(product.m(b, c), "=", rest.m(b, c) + column_mean(c))
        return linked(goal, split, entry_of(AW, b, c), entry_of(REST_W, b, c), SEVERAL)

    def column(c: Any) -> Theorem:
        """((AW)^T z)_c = ((A^perp W)^T z)_c."""
        goal = Compare(product.pulled(met.z)(c), "=", rest.pulled(met.z)(c))
        return linked(goal, weighed(met.z, lambda b: row(b, c), T), *met.further)

    alike, bound = squared(column, d), rest.principle(met.z)
    goal = Compare(product.root(TWO) ** 2, "<=", rest.root(ONE) ** 2)
    return linked(goal, met.at_least(product), alike, bound, met.unit)


def second_of_mean() -> Theorem:
    """s_2^2 of the means of columns vanishes: z sums to zero."""
    met = crossed(MEAN_W)

    def column(c: Any) -> Theorem:
        rows = weighed(met.z, lambda b: entry_of(MEAN_W, b, c), T)
        goal = Compare(mean.pulled(met.z)(c) ** 2, "=", 0)
        return joint(goal, linked(Compare(mean.pulled(met.z)(c), "=", 0), rows, *met.further))

    goal = Compare(mean.root(TWO) ** 2, "=", 0)
    square = joint(Compare(mean.root(TWO) ** 2, ">=", 0))
    return linked(goal, met.at_least(mean), sums_compared(column, d), square)


def largest_of_rest() -> Theorem:
    """s_1^2(A^perp W) <= s_1^2(A^perp) s_1^2(W), at the first singular vector of A^perp W."""
    u = lambda a: rest.u(a, ONE)  # noqa: E731
    own = bulk.pulled(u)
    # A function of its own, which the linear normal form takes for one term.
    name = Recursion("y", own, lambda _, a, before: before(a))
    y = lambda a: name(0, a)  # noqa: E731

    def column(c: Any) -> Theorem:
        """((A^perp W)^T u)_c = (W^T y)_c for y = A^perp^T u."""
        rows = weighed(u, lambda b: entry_of(REST_W, b, c), T)
        swap = fact(FUBINI, a=u(i) * bulk.m(i, j) * w(j, c), j=i, k=j, rows=T, columns=T)
        named = weighed(lambda b: w(b, c), lambda b: recursion_start(name, b), T)
        return linked(Compare(rest.pulled(u)(c), "=", weights.pulled(y)(c)), rows, swap, named)

    alike, length = squared(column, d), squared(lambda a: recursion_start(name, a), T)
    first = linked(
        Compare(rest.root(ONE) ** 2, "<=", weights.root(ONE) ** 2 * bulk.pulled_norm(u)),
        rest.own(ONE), alike, weights.principle(y), length,
    )  # fmt: skip
    second = linked(
        Compare(bulk.pulled_norm(u), "<=", bulk.root(ONE) ** 2),
        bulk.principle(u), instance(rest.unit, ONE),
    )  # fmt: skip
    goal = Compare(rest.root(ONE) ** 2, "<=", bulk.root(ONE) ** 2 * weights.root(ONE) ** 2)
    return joint(goal, first, second)


def second_with_weights() -> Theorem:
    """The three comparisons of the proof of Theorem A.5, of the claim's quantities."""
    values = {
        claims.second_of_product: product.root(TWO), claims.largest_of_rest: rest.root(ONE),
        claims.second_of_projection: mean.root(TWO), claims.largest_perp: bulk.root(ONE),
        claims.largest_weight: weights.root(ONE),
    }  # fmt: skip
    read = [unfold(quantity, root**2, DOMAIN) for quantity, root in values.items()]
    shown = second_of_product(), second_of_mean(), largest_of_rest()
    links = conjuncts(claims.second_value_is_below_the_largest_of_the_rest.formula)
    return both(*(joint(link, part, *read) for link, part in zip(links, shown, strict=True)))


def share_above_a_level() -> Theorem:
    """sum_i s_i^4 >= c^2 T P_T, term by term, and s_1^2(A^perp W) <= Pi."""
    c, first = claims.c, rest.root(ONE)
    edges = bulk.root(ONE) ** 2 * weights.root(ONE) ** 2
    flag = Piecewise((1, rest.root(i) ** 2 > c), (0, True))
    # A function of its own, which the linear normal form takes for one term.
    name = Recursion("b", lambda k: put(flag, {i: k}), lambda _, k, before: before(k))
    above, positive = lambda k: name(0, k), assume(Compare(c, ">", 0))
    each = sums_compared(
        lambda k: joint(
            Compare(c**2 * above(k), "<=", rest.root(k) ** 4), recursion_start(name, k), positive
        ), T,
    )  # fmt: skip
    count = Sum(above(i), (i, 1, T))
    fourth = linked(Compare(c**2 * count, "<=", rest.summed(4)), each)
    (nonzero,) = claims.signals.conditions
    x, y, f, e, t = symbols("x y f e t", real=True)
    terms = {x: rest.summed(4), y: c**2 * count, f: first, e: edges, t: T}
    given = (
        Compare(y, "<=", x), Compare(y, ">=", 0), Compare(f, ">", 0), Compare(f**2, "<=", e),
        Compare(t, ">=", 2),
    )  # fmt: skip
    sign = sums_compared(lambda k: joint(Compare(0, "<=", above(k)), recursion_start(name, k)), T)
    shown = (
        fourth, linked(Compare(c**2 * count, ">=", 0), sign, positive),
        rest.largest_is_positive(assume(nonzero.formula)), largest_of_rest(), SEVERAL,
    )  # fmt: skip
    bound = algebra(Compare(x / f**4 / t * e**2, ">=", y / t), given, terms, *shown)
    read = (
        unfold(claims.stable_rank, rest.summed(4) / first**4, claims.signals),
        unfold(claims.edges, edges, claims.signals),
        unfold(claims.share, count / T, claims.signals),
    )
    goal = claims.stable_rank_by_the_share_above_a_level.formula
    return joint(goal, bound, *read)
