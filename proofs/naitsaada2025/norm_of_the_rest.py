r"""The norm of $A^\perp=D(Z-m11^\top)P$ by its factors, at the first singular vector $u$ of $A^\perp$.

With $v=Du$ and $y=(Z-m11^\top)^\top v$, $A^{\perp\top}u=Py$ is $y$ less its mean, and so no longer.
"""

from __future__ import annotations

from typing import Any

from sympy import Integer, Sum, Symbol, symbols

from claims.model import Claim
from claims.naitsaada2025 import norm_of_the_rest as claims
from claims.naitsaada2025.markov import A, Z
from claims.naitsaada2025.norm_of_the_rest import i, j, k
from claims.naitsaada2025.notation import T
from claims.statement import Compare
from claims.terms import Recursion, entry
from proofs.calculation import (
    algebra,
    at_places,
    for_all,
    linked,
    square_at,
    squared,
    sums_compared,
)
from proofs.certificate import Certificate
from proofs.conclude import conclude
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
from proofs.naitsaada2025.rayleigh import Rayleigh
from proofs.registry import proves

DOMAIN = claims.norm_of_the_rest_is_that_of_the_table.domain
ONE, n = Integer(1), Symbol("n", integer=True)
e, f, g, h = symbols("e f g h", real=True)
z, share = entry(Z), entry(A)
table = Rayleigh(claims.centred, claims.centred_roots, claims.centred_vectors)
positive = assume(DOMAIN.variables[1].facts()[0])
u = lambda a: bulk.u(a, ONE)  # noqa: E731
# A function of its own, which the linear normal form takes for one term.
_name = Recursion("v", lambda a: u(a) / total(a), lambda _, a, before: before(a))
v = lambda a: _name(0, a)  # noqa: E731
y = table.pulled(v)


def total(row: Any) -> Sum:
    """The sum of a row of Z."""
    return Sum(z(row, k), (k, 1, T))


def above(row: Any) -> Theorem:
    """It is positive."""
    return instance(positive, row)


def row_mean(row: Any) -> Sum:
    """The mean of a row of Z - m."""
    return Sum(table.m(row, n), (n, 1, T)) / T


def mean_of_row(row: Any) -> Theorem:
    """It is sum_k Z_ik/T - m."""
    own = sums_compared(lambda c: at_places(assume(claims.CENTRED), row, c), T)
    return linked(Compare(row_mean(row), "=", total(row) / T - claims.m), own, SEVERAL)


def entry_by_the_table(row: Any, column: Any) -> Theorem:
    """A^perp_ij sum_k Z_ik = (Z - m)_ij less the mean of its row."""
    goal = Compare(bulk.m(row, column) * total(row), "=", table.m(row, column) - row_mean(row))
    return joint(
        goal, entry_of_rest(row, column), at_places(assume(claims.SHARES), row, column),
        at_places(assume(claims.CENTRED), row, column), mean_of_row(row), above(row),
    )  # fmt: skip


def column(c: Any) -> Theorem:
    """(A^perp^T u)_c = y_c less the mean of y."""

    def row(b: Any) -> Theorem:
        goal = Compare(u(b) * bulk.m(b, c), "=", v(b) * (table.m(b, c) - row_mean(b)))
        return joint(goal, entry_by_the_table(b, c), recursion_start(_name, b), above(b))

    rows = sums_compared(row, T)
    swap = fact(FUBINI, a=v(i) * table.m(i, n), j=n, k=i, rows=T, columns=T)
    goal = Compare(bulk.pulled(u)(c), "=", y(c) - Sum(y(n), (n, 1, T)) / T)
    return linked(goal, rows, swap, SEVERAL)


def largest() -> Theorem:
    """s_1^2(A^perp) = |P y|^2 <= |y|^2 <= s_1^2(Z - m) |v|^2 <= s_1^2(Z - m) delta^2."""
    size = Sum(y(n) ** 2, (n, 1, T))
    alike = squared(column, T)
    shorter = linked(
        Compare(bulk.root(ONE) ** 2, "<=", size), bulk.own(ONE), alike, square_at(Sum(y(n), (n, 1, T))),
        SEVERAL,
    )  # fmt: skip

    def scaled(b: Any) -> Theorem:
        """v_b^2 <= delta^2 u_b^2."""
        wide = at_places(assume(claims.REACH), b)
        given = (
            Compare(f * g, "=", h), Compare(e * g, ">=", 1), Compare(g, ">", 0)
        )  # fmt: skip
        terms = {f: v(b), g: total(b), h: u(b), e: claims.reach}
        own = joint(given[0].substitute(terms), recursion_start(_name, b), above(b))
        return algebra(Compare(f**2, "<=", e**2 * h**2), given, terms, own, wide, above(b))

    weights = linked(
        Compare(table.norm(v), "<=", claims.reach**2), sums_compared(scaled, T),
        instance(bulk.unit, ONE),
    )  # fmt: skip
    first = table.root(ONE) ** 2
    goal = Compare(bulk.root(ONE) ** 2, "<=", claims.reach**2 * first)
    return joint(goal, shorter, table.principle(v), weights)


@proves(claims.largest_norm_near_one_gives_the_norm_of_the_rest)
def by_the_table(claim: Claim) -> Certificate:
    """Entry by entry, and the norms of the factors."""
    pair = ((i, 1, T), (j, 1, T))
    rest = unfold(claims.rest_entry(i, j), z(i, j) / total(i) - 1 / T, DOMAIN, pair)
    shifted = z(i, j) - claims.m - Sum(z(i, k) - claims.m, (k, 1, T)) / T
    product = unfold(claims.product_entry(i, j), shifted / total(i), DOMAIN, pair)
    spread = linked(
        Compare(Sum(z(i, k) - claims.m, (k, 1, T)), "=", total(i) - T * claims.m), SEVERAL
    )
    goal = Compare(claims.rest_entry(i, j), "=", claims.product_entry(i, j))
    same = joint(goal, rest, product, spread, above(i), SEVERAL)
    read = (
        unfold(claims.top_of_rest, bulk.root(ONE) ** 2, DOMAIN),
        unfold(claims.largest_of_table, table.root(ONE) ** 2, DOMAIN),
    )
    norm = claims.norm_of_the_rest_is_that_of_the_table.formula.formulas[1]  # type: ignore[attr-defined]
    theorem = both(for_all(same, (i, T), (j, T)), joint(norm, largest(), *read))
    return conclude(claim, theorem, method="row sums; Rayleigh's principle")
