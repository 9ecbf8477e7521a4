r"""What $A=\varphi\varphi^\top+A^\perp$ says of squared norms, for row-stochastic $A$."""

from __future__ import annotations

from typing import Any

from sympy import Sum, Symbol

from claims.naitsaada2025 import decompositions as claims
from claims.naitsaada2025.markov import A, row_facts
from claims.naitsaada2025.notation import T
from claims.statement import Compare
from proofs.calculation import at_places, linked, sums_compared, weighed
from proofs.facts import FUBINI
from proofs.kernel import Theorem, assume, fact, instance, joint
from proofs.naitsaada2025.rayleigh import Column, Rayleigh

__all__ = ["SEVERAL", "along_ones", "bulk", "gram", "row_sum", "whole"]

i, n = (Symbol(name, integer=True) for name in "in")
whole = Rayleigh(A, claims.roots, claims.vectors)
bulk = Rayleigh(claims.rest, claims.rest_roots, claims.rest_vectors)
a, b = whole.m, bulk.m
SEVERAL = assume(Compare(T, ">=", 2))


def entry_of_rest(row: Any, column: Any) -> Theorem:
    """A^perp_ij = A_ij - 1/T."""
    return at_places(assume(claims.REST), row, column)


def row_sum(row: Any) -> Theorem:
    """Rows of A^perp sum to zero."""
    own = sums_compared(lambda c: entry_of_rest(row, c), T)
    total = instance(assume(row_facts(A)[0]), row)
    return linked(Compare(Sum(b(row, n), (n, 1, T)), "=", 0), own, total, SEVERAL)


def gram(row: Any, column: Any) -> Theorem:
    """(A A^T)_ij = 1/T + (A^perp A^perp^T)_ij."""
    product = sums_compared(
        lambda c: joint(
            Compare(a(row, c) * a(column, c), "=", (b(row, c) + 1 / T) * (b(column, c) + 1 / T)),
            entry_of_rest(row, c), entry_of_rest(column, c),
        ), T,
    )  # fmt: skip
    goal = Compare(whole.gram(row, column), "=", 1 / T + bulk.gram(row, column))
    return linked(goal, product, row_sum(row), row_sum(column), SEVERAL)


def along_ones(z: Column, total: Any = None, *known: Theorem) -> Theorem:
    """||A^T z||^2 = (sum z)^2/T + ||A^perp^T z||^2: A^perp^T z sums to zero.

    `total` may stand for the sum of z, where a theorem says so.
    """
    total, own = Sum(z(i), (i, 1, T)) if total is None else total, bulk.pulled(z)

    def column(c: Any) -> Theorem:
        """(A^T z)_c^2 from (A^perp^T z)_c."""
        moved = weighed(z, lambda r: entry_of_rest(r, c), T)
        same = linked(Compare(whole.pulled(z)(c), "=", own(c) + total / T), moved, *known, SEVERAL)
        return joint(Compare(whole.pulled(z)(c) ** 2, "=", (own(c) + total / T) ** 2), same)

    swap = fact(FUBINI, a=b(i, n) * z(i), j=n, k=i, rows=T, columns=T)
    nothing = weighed(z, row_sum, T)
    goal = Compare(whole.pulled_norm(z), "=", total**2 / T + bulk.pulled_norm(z))
    return linked(goal, sums_compared(column, T), swap, nothing, SEVERAL)
