"""Proofs about singular values under rank-one changes: rows that sum to zero are orthogonal to ones."""

from __future__ import annotations

from typing import Any

from sympy import Sum, Symbol

from claims.model import Claim
from claims.naitsaada2025 import interlacing as claims
from claims.naitsaada2025.interlacing import ROWS_SUM_TO_ONE, i, j, m, weight
from claims.naitsaada2025.notation import T
from claims.statement import Compare
from proofs.calculation import for_all, linked, sums_compared
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.kernel import (
    Theorem,
    assume,
    both,
    cut,
    generalise,
    instance,
    joint,
    unfold,
    within,
    words,
)
from proofs.naitsaada2025.decompositions import SEVERAL, along_ones, bulk, whole
from proofs.naitsaada2025.ky_fan import more_than_the_rest
from proofs.naitsaada2025.minimax import Met
from proofs.naitsaada2025.weighted import share_above_a_level
from proofs.registry import proves

p = Symbol("p", integer=True)
"""A place that no sum of `proofs.naitsaada2025.rayleigh` runs over."""


def argued_right(claim: Claim, right: Claim, method: str) -> Certificate:
    """Judge a claim, its repair and their variants by a written argument about the right statement."""
    theorem = words(right.formula, method, within(right.domain))
    return conclude(claim, theorem, method=method)


def perp(row: Any, column: Any) -> Any:
    """An entry of A^perp."""
    return weight(row, column) - 1 / T


def row_sum(row: Any) -> Theorem:
    """Rows of A sum to one."""
    return instance(assume(ROWS_SUM_TO_ONE), row)


@proves(claims.gram_is_the_projection_plus_the_gram_of_the_rest)
def by_row_sums(claim: Claim) -> Certificate:
    r"""$\sum_k(A_{ik}-\frac1T)(A_{jk}-\frac1T)=\sum_kA_{ik}A_{jk}-\frac1T$, since rows sum to one."""
    domain = (claim.base or claim).domain
    pair, one = ((i, 1, T), (j, 1, T)), ((i, 1, T),)
    full = unfold(claims.gram(i, j), Sum(weight(i, m) * weight(j, m), (m, 1, T)), domain, pair)
    rest = unfold(claims.perp_gram(i, j), Sum(perp(i, m) * perp(j, m), (m, 1, T)), domain, pair)
    goal = Compare(claims.gram(i, j), "=", 1 / T + claims.perp_gram(i, j))
    split = linked(goal, full, rest, row_sum(i), row_sum(j))
    summed = unfold(claims.perp_row_sum(i), Sum(perp(i, m), (m, 1, T)), domain, one)
    zero = linked(Compare(claims.perp_row_sum(i), "=", 0), summed, row_sum(i))
    return conclude(
        claim, both(for_all(split, (i, T), (j, T)), for_all(zero, (i, T))), method="row sums"
    )


@proves(claims.squared_singular_values_sum_to_one_more)
def by_the_trace(claim: Claim) -> Certificate:
    """The trace of the Gram matrix, row by row."""
    domain = (claim.base or claim).domain
    square = lambda term: Sum(Sum(term(i, j) ** 2, (j, 1, T)), (i, 1, T))  # noqa: E731
    full = unfold(claims.all_squares, square(weight), domain)
    rest = unfold(claims.other_squares, square(perp), domain)

    def of_row(row: Any) -> Theorem:
        own, others = (Sum(term(row, j) ** 2, (j, 1, T)) for term in (weight, perp))
        return linked(Compare(own, "=", 1 / T + others), row_sum(row))

    rows = sums_compared(of_row, T)
    theorem = linked(claims.squared_singular_values_sum_to_one_more.formula, full, rest, rows)
    return conclude(claim, theorem, method="row sums and the trace")


@proves(claims.singular_values_interlace)
def by_the_minimax_principle(claim: Claim) -> Certificate:
    r"""$\|A^\top z\|^2$ is $\|A^{\perp\top}z\|^2$ plus $(\varphi^\top z)^2$, by (25).

    So it is nowhere smaller, $s_i^2(A)\ge s_i^2(A^\perp)$, and the same on $\varphi^\top z=0$, one
    condition more, $s_{i+1}^2(A)\le s_i^2(A^\perp)$.
    """
    domain = claims.singular_values_interlace.domain
    low, high = (Met(crossing, p) for crossing in domain.variables[-2:])  # type: ignore[arg-type]
    square, other = (
        unfold(family(p), found.root(p) ** 2, domain, ((p, 1, T),))
        for family, found in ((claims.square, whole), (claims.perp_square, bulk))
    )
    last = unfold(claims.square(T), whole.root(T) ** 2, domain)
    next_one = unfold(claims.square(p + 1), whole.root(p + 1) ** 2, domain, ((p, 1, T - 1),))
    above = linked(
        Compare(claims.square(p), ">=", claims.perp_square(p)), square, other,
        low.at_least(bulk), low.at_most(whole), along_ones(low.z), SEVERAL,
    )  # fmt: skip
    below = linked(
        Compare(claims.perp_square(p), ">=", claims.square(p + 1)), next_one, other,
        high.at_least(whole), high.at_most(bulk), along_ones(high.z), *high.further,
    )  # fmt: skip
    pair = cut(both(above, below), assume(Compare(p, "<=", T - 1)), assume(Compare(p, ">=", 1)))
    theorem = both(generalise(pair, p, 1, T - 1), joint(Compare(claims.square(T), ">=", 0), last))
    return conclude(claim, theorem, method="minimax principle of Courant and Fischer")


@proves(claims.two_largest_squares_exceed_those_of_the_rest)
def by_ky_fan(claim: Claim) -> Certificate:
    r"""The form of $AA^\top$ along $u_1(A^\perp)$ and what of $\varphi$ is orthogonal to it.

    On their span $\varphi\varphi^\top$ has the trace 1, and $A^\perp A^{\perp\top}$ at least $s_1^2(A^\perp)$.
    """
    domain = claims.two_largest_squares_exceed_those_of_the_rest.domain
    return conclude(
        claim, more_than_the_rest(domain), method="Ky Fan's principle for two singular values"
    )


@proves(claims.stable_rank_by_the_share_above_a_level_as_printed)
def by_fourth_powers(claim: Claim) -> Certificate:
    r"""Each of the $TP_T$ values above the level counts with its fourth power, $\sum_is_i^4\ge c^2TP_T$.

    And $s_1^2(X^\perp)\le\Pi$, since the spectral norm is submultiplicative.
    """
    return conclude(claim, share_above_a_level(), method="fourth powers of singular values")
