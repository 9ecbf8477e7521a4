r"""Singular values of products with $W$: submultiplicativity, and the share above a level (21)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sympy import Integer, Piecewise, Sum, Symbol, symbols

from claims.naitsaada2025 import interlacing as claims
from claims.naitsaada2025.interlacing import AW, MEAN_W, REST_W, SPECTRA, W
from claims.naitsaada2025.notation import T, d
from claims.statement import Compare
from claims.terms import Recursion, entry, put
from proofs.calculation import (
    algebra,
    at_places,
    linked,
    squared,
    sums_compared,
    weighed,
)
from proofs.facts import FUBINI
from proofs.kernel import (
    Theorem,
    assume,
    fact,
    instance,
    joint,
    recursion_start,
    unfold,
)
from proofs.naitsaada2025.decompositions import SEVERAL, bulk
from proofs.naitsaada2025.rayleigh import Rayleigh

__all__ = ["Entries", "entry_of", "largest_with_weights", "share_above_a_level"]

Entries = Callable[[Any, Any], Theorem]

ONE = Integer(1)
DOMAIN = claims.with_weights
i, j = (Symbol(name, integer=True) for name in "ij")
variables = {variable.symbol: variable for variable in DOMAIN.variables}
weights, product, rest, mean = (Rayleigh(m, *SPECTRA[m]) for m in (W, AW, REST_W, MEAN_W))
w = entry(W)


def entry_of(matrix: Any, row: Any, column: Any) -> Theorem:
    """An entry of a product with W, as a sum."""
    (known,) = variables[matrix].facts()
    return at_places(assume(known), row, column)


def entry_of_rest_with_weights(row: Any, column: Any) -> Theorem:
    """An entry of A^perp W, as a sum."""
    return entry_of(REST_W, row, column)


def largest_with_weights(bulk: Rayleigh, rest: Rayleigh, entry_of_product: Entries) -> Theorem:
    """s_1^2(MW) <= s_1^2(M) s_1^2(W), at the first singular vector of MW."""
    u = lambda a: rest.u(a, ONE)  # noqa: E731
    own = bulk.pulled(u)
    # A function of its own, which the linear normal form takes for one term.
    name = Recursion("y", own, lambda _, a, before: before(a))
    y = lambda a: name(0, a)  # noqa: E731

    def column(c: Any) -> Theorem:
        """((MW)^T u)_c = (W^T y)_c for y = M^T u."""
        rows = weighed(u, lambda b: entry_of_product(b, c), T)
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
        rest.largest_is_positive(assume(nonzero.formula)),
        largest_with_weights(bulk, rest, entry_of_rest_with_weights), SEVERAL,
    )  # fmt: skip
    bound = algebra(Compare(x / f**4 / t * e**2, ">=", y / t), given, terms, *shown)
    read = (
        unfold(claims.stable_rank, rest.summed(4) / first**4, claims.signals),
        unfold(claims.edges, edges, claims.signals),
        unfold(claims.share, count / T, claims.signals),
    )
    goal = claims.stable_rank_by_the_share_above_a_level.formula
    return joint(goal, bound, *read)
