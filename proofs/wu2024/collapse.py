r"""Proofs of Theorem 1: a floor for the softmax, the rate through columns, and tokens that meet.

Columns of $A^{(t-1)}\cdots A^{(0)}X^{(0)}$ contract, products of value matrices are bounded, and mu is
at most $\sqrt N/2$ times the widths of columns.
"""

from __future__ import annotations

from sympy import Sum, Symbol, sqrt, sympify

from claims.model import Claim
from claims.statement import Compare
from claims.wu2024 import collapse as claims
from claims.wu2024.dynamics import product_bound
from claims.wu2024.notation import N, d, epsilon, r, t
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.kernel import (
    Theorem,
    assume,
    cut,
    generalise,
    joint,
    substitute,
    sum_compared,
    sum_rearranged,
    unfold,
)  # fmt: skip
from proofs.registry import proves
from proofs.wu2024 import unrolled
from proofs.wu2024.averages import j, period_factor
from proofs.wu2024.unrolled import feature, k, m, mean, tokens

CENTRED = "all N >= 2, all quasi-strongly connected masks with self-loops"
DECAY = (1 - epsilon**r) ** ((t - r + 1) / r)

# The rate (6) -------------------------------------------------------------------------------------


def columns_decay() -> Theorem:
    """After t layers every column of Y has at most (1-eps^r)^(t/r-(r-1)/r) of its own width."""
    return generalise(feature(t).decays(t), m, 1, d)


def decay_is_positive() -> Theorem:
    return joint(Compare(DECAY, ">", 0), period_factor())


def deviations_not_negative() -> Theorem:
    """A sum of squares."""
    square = unrolled.nonnegative_square(tokens(t, k, j) - mean(t))
    return unrolled.total_not_negative(square, (k, N), (j, d))


@proves(claims.tokens_collapse_exponentially)
def by_widths_of_columns(claim: Claim) -> Certificate:
    """mu^2 is at most N/4 times the squared widths, each at most S times those of Y."""
    domain, q = claims.tokens_collapse_exponentially.domain, Symbol("q", real=True)
    squares = Sum(feature(t).width(0) ** 2, (m, 1, d))
    width = unrolled.width_of_column(t)
    narrow = unrolled.column_against_norm(t, t, q)
    positive = unrolled.width_not_negative(t)
    reached = N * (product_bound * q) ** 2 * squares / 4
    about = unrolled.deviations_from_width(t)
    column = joint(
        Compare(about.formula.left, "<=", reached),
        about,
        narrow,
        positive,
        unrolled.squares_not_negative(t),
    )
    total = sum_compared(generalise(column, j, 1, d))
    whole = sum_rearranged(total.formula.right, d * reached)
    bound = product_bound * sqrt(d) * sqrt(N) * sqrt(squares) / 2 * q
    signs = (
        assume(Compare(product_bound, ">=", 1)), assume(Compare(q, ">=", 0)),
        unrolled.squares_not_negative(t),
    )  # fmt: skip
    square = joint(Compare(total.formula.left, "<=", sympify(bound**2)), total, whole)
    root = unrolled.root_below(square, deviations_not_negative(), bound, *signs)
    found = cut(substitute(root, {q: DECAY}), columns_decay(), decay_is_positive())
    mu = unfold(claims.spread, sqrt(total.formula.left), domain)
    ranges = unfold(claims.ranges, squares, domain)
    goal = product_bound * sqrt(d * N * claims.ranges) / 2 * DECAY
    theorem = joint(Compare(claims.spread, "<=", goal), found, mu, ranges)
    return conclude(
        claim, theorem, method="widths of columns contract over r layers; mu from widths",
        scope=f"{CENTRED}, all d, t >= 0, all attention in A_(G,eps), all W_V under A3",
    )  # fmt: skip
