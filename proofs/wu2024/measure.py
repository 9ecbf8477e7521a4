r"""Proofs about mu, by normal forms of traces for symbolic N and d."""

from __future__ import annotations

from typing import Any

from sympy import Expr, MatrixSymbol, Symbol, sqrt

from claims.domain import Array, Domain, Size
from claims.expressions import FrobSq, ones
from claims.model import Claim
from claims.statement import Compare
from claims.terms import MaxOver, MinOver, entry
from claims.wu2024 import measure as claims
from claims.wu2024.notation import N, X, d, mu_squared
from proofs.calculation import linked, place, sums_compared
from proofs.certificate import Certificate, Identity
from proofs.conclude import conclude
from proofs.decide import decide, same
from proofs.kernel import Theorem, assume, both, extremum_bounds, joint, substitute, unfold
from proofs.registry import proves
from proofs.wu2024.norms import (
    all_products,
    equal_sums,
    inner,
    minus,
    polarised,
    row,
    spread_by_products,
    squared_spread,
    summed,
)

# mu as a least distance ---------------------------------------------------------------------------

x = MatrixSymbol("x", d, 1)
mean_token = ones(1, N) * X / N
_with_x = Domain((Size(N, 2, 4), Size(d, 1, 3), Array(X), Array(x)))


def _identity(left: Expr, right: Expr, by: str, domain: Domain, label: str = "") -> Identity:
    """An identity that holds for symbolic sizes; raises where the normal forms differ."""
    if not same(left, right):
        raise ArithmeticError(f"{left} and {right} have different normal forms")
    return Identity(left, right, by, domain, label)


def split_at_the_mean() -> Identity:
    """||X - 1 x^T||^2 = ||X - 1 gamma||^2 + N ||x - gamma^T||^2: least at x = gamma^T, and only there."""
    left = FrobSq(X - ones(N, 1) * x.T)
    right = mu_squared(X) + N * FrobSq(x - mean_token.T)
    label = r"\|X-\mathbf 1x^\top\|_F^2=\|X-\mathbf 1\gamma_X\|_F^2+N\|x-\gamma_X^\top\|_2^2,\ \text{left side}"
    return _identity(left, right, "normal form of traces", _with_x, label)


@proves(claims.measure_is_the_minimiser)
def by_the_minimiser(claim: Claim) -> Certificate:
    """The distance splits at the mean token, which is therefore the only minimiser."""
    return decide(
        claim, FrobSq(mean_token), steps=(split_at_the_mean(),),
        method="splitting the distance at the mean token",
    )  # fmt: skip


@proves(claims.measure_is_the_least_distance_to_equal_rows)
def by_the_minimum(claim: Claim) -> Certificate:
    """At the minimiser only the part that does not depend on x is left."""
    return decide(
        claim, mu_squared(X), steps=(split_at_the_mean(),),
        method="splitting the distance at the mean token",
    )  # fmt: skip


# Other Lipschitz measures -------------------------------------------------------------------------

rows = entry(X)


@proves(claims.lipschitz_measures_are_bounded_by_mu)
def by_the_pair_of_x_and_its_mean(claim: Claim) -> Certificate:
    """The Lipschitz inequality at the pair (X, 1 gamma_X), where mu' is zero at the second."""
    domain = claims.lipschitz_measures_that_vanish_on_equal_rows_are_bounded_by_mu.domain
    spread = sqrt(squared_spread(rows))
    changes, vanishes = (assume(condition.formula) for condition in domain.conditions)
    bound = joint(
        Compare(claims.other_measure, "<=", claims.lipschitz * claims.mu), changes, vanishes,
        unfold(claims.mu, spread, domain), unfold(claims.distance, spread, domain),
    )  # fmt: skip
    return conclude(
        claim, bound, method=r"Lipschitz inequality at the pair $X$, $\mathbf 1\gamma_X$"
    )


# mu by pairs of tokens ----------------------------------------------------------------------------


def all_differences() -> Expr:
    """sum_{m,n} |X_m - X_n|^2."""
    gap = lambda m, n: minus(row(rows, m), row(rows, n))  # noqa: E731
    return summed(lambda m: summed(lambda n: inner(gap(m, n), gap(m, n)), N), N)


def differences_by_products() -> Theorem:
    """sum_{m,n} |X_m - X_n|^2 = 2N sum_m |X_m|^2 - 2 sum_{m,n} <X_m, X_n>."""
    product = lambda m, n: inner(row(rows, m), row(rows, n))  # noqa: E731
    squares = summed(lambda m: product(m, m), N)
    whole = lambda m, rest: N * product(m, m) + rest - 2 * summed(lambda n: product(m, n), N)  # noqa: E731

    def of_row(m: Any) -> Theorem:
        pairs = sums_compared(lambda n: polarised(row(rows, m), row(rows, n)), N)
        return linked(Compare(pairs.formula.left, "=", whole(m, squares)), pairs)

    total, rest = sums_compared(of_row, N), Symbol("rest", real=True)
    apart = equal_sums(
        summed(lambda m: whole(m, rest), N), N * squares + N * rest - 2 * all_products(rows)
    )
    return linked(
        Compare(all_differences(), "=", 2 * N * squares - 2 * all_products(rows)), total,
        substitute(apart, {rest: squares}),
    )  # fmt: skip


def range_of(feature: Any) -> Expr:
    """The range of a column."""
    j = place("j")
    return MaxOver(rows(j, feature), (j, 1, N)) - MinOver(rows(j, feature), (j, 1, N))


def differences_below_ranges() -> Theorem:
    """sum_{m,n} |X_m - X_n|^2 <= N^2 sum_k range_k^2."""
    squares = summed(lambda k: range_of(k) ** 2)

    def of_pair(m: Any, n: Any) -> Theorem:
        return sums_compared(lambda k: difference_below_range(m, n, k), d)

    total = sums_compared(lambda m: sums_compared(lambda n: of_pair(m, n), N), N)
    return linked(Compare(all_differences(), "<=", N**2 * squares), total)


def difference_below_range(m: Any, n: Any, k: Any) -> Theorem:
    """(X_mk - X_nk)^2 <= range_k^2."""
    j = place("j")
    ends = [kind(rows(j, k), (j, 1, N)) for kind in (MaxOver, MinOver)]
    inside = [extremum_bounds(end, token) for end in ends for token in (m, n)]
    return joint(Compare((rows(m, k) - rows(n, k)) ** 2, "<=", range_of(k) ** 2), *inside)


@proves(claims.measure_by_pairs_of_the_next_tokens)
def by_all_differences(claim: Claim) -> Certificate:
    """Both sides by inner products of tokens; N^2 differences, each at most its column's range."""
    domain = claims.measure_by_pairs_of_tokens.domain
    squares = summed(lambda k: range_of(k) ** 2)
    read = (
        unfold(claims.squared_mu, squared_spread(rows), domain),
        unfold(claims.differences, all_differences(), domain),
        unfold(claims.ranges, squares, domain),
    )
    same = joint(
        claims.squared_mu.equals(claims.differences / (2 * N)), read[0], read[1],
        spread_by_products(rows), differences_by_products(),
    )  # fmt: skip
    below = joint(
        claims.squared_mu.at_most(N * claims.ranges / 2), same, read[1], read[2],
        differences_below_ranges(),
    )  # fmt: skip
    return conclude(
        claim, both(same, below), method="inner products of the tokens; each pair within its range"
    )


@proves(claims.measure_by_columns_of_two_layers)
def by_columns(claim: Claim) -> Certificate:
    """A Frobenius norm is the sum of the squared norms of the columns."""
    domain, spread = claims.measure_by_columns.domain, squared_spread(rows)
    theorem = joint(
        claims.squared_mu.equals(claims.columns_off_their_mean),
        unfold(claims.squared_mu, spread, domain),
        unfold(claims.columns_off_their_mean, spread, domain),
    )
    return conclude(claim, theorem, method="column by column")
