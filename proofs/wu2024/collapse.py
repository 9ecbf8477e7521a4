r"""Proofs of Theorem 1: a floor for the softmax, the rate through columns, and tokens that meet.

Columns of $A^{(t-1)}\cdots A^{(0)}X^{(0)}$ contract, products of value matrices are bounded, and mu is
at most $\sqrt N/2$ times the widths of columns.
"""

from __future__ import annotations

from typing import Any

from sympy import Integer, Sum, Symbol, exp, oo, sqrt, sympify

from claims.model import Claim
from claims.statement import Compare, Implies
from claims.terms import MaxOver, entry
from claims.wu2024 import collapse as claims
from claims.wu2024.dynamics import product_bound
from claims.wu2024.notation import G, N, T, d, epsilon, r, t
from proofs import facts
from proofs.calculation import for_all, linked, summed_over
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.kernel import (
    Theorem,
    assume,
    both,
    cut,
    discharge,
    extremum_bounds,
    extremum_compared,
    fact,
    generalise,
    identity,
    instance,
    joint,
    limit,
    limit_combined,
    limit_rewritten,
    squeezed,
    substitute,
    unfold,
)
from proofs.registry import proves
from proofs.wu2024 import floors, unrolled
from proofs.wu2024.averages import entries_of, i, j, n, period_factor, weights
from proofs.wu2024.unrolled import feature, k, m, mean, tokens

CENTRED = r"all $N\ge2$, all quasi-strongly connected masks with self-loops"
DECAY = (1 - epsilon**r) ** (t / r - (r - 1) / r)

# The floor of the attention -----------------------------------------------------------------------


@proves(claims.attention_has_a_positive_floor)
def by_bounded_scores(claim: Claim) -> Certificate:
    """A3 bounds the tokens, A2 the scores, and a softmax of scores in [-B, B] is at least e^-2B/N."""
    domain = (claim.base or claim).domain
    layers, rows, places = (t, 0, T - 1), (i, 1, N), (j, 1, N)
    read = (
        unfold(claims.weight(t, i, j), weights(t, i, j), domain, (layers, rows, places)),
        unfold(claims.edge(j, i), entry(G)(j, i), domain, (rows, places)),
    )
    edge = Compare(entry(G)(j, i), "=", 1)
    share = discharge(substitute(floors.share_at_least(), {n: t}), edge)
    share = cut(share, assume(Compare(t, "<=", T - 1)))
    goal = Implies(
        Compare(claims.edge(j, i), "=", 1),
        Compare(claims.weight(t, i, j), ">=", exp(-2 * floors.BOUND) / N),
    )
    every = for_all(joint(goal, share, *read), rows, places)
    return conclude(
        claim, generalise(every, *layers),
        method="bounded tokens, bounded scores, softmax from below",
    )  # fmt: skip


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
    total = summed_over(column, (j, d))
    bound = product_bound * sqrt(d) * sqrt(N) * sqrt(squares) / 2 * q
    signs = (
        assume(Compare(product_bound, ">=", 1)), assume(Compare(q, ">=", 0)),
        unrolled.squares_not_negative(t),
    )  # fmt: skip
    square = linked(Compare(total.formula.left, "<=", sympify(bound**2)), total)
    root = unrolled.root_below(square, deviations_not_negative(), bound, *signs)
    found = cut(substitute(root, {q: DECAY}), columns_decay(), decay_is_positive())
    mu = unfold(claims.spread, sqrt(total.formula.left), domain)
    ranges = unfold(claims.ranges, sqrt(squares), domain)
    goal = product_bound * sqrt(d * N) * claims.ranges / 2 * DECAY
    theorem = joint(Compare(claims.spread, "<=", goal), found, mu, ranges)
    return conclude(
        claim, theorem, method=r"widths of columns contract over $r$ layers; $\mu$ from widths"
    )


# What tokens converge to --------------------------------------------------------------------------


def every_layer(theorem: Theorem) -> Theorem:
    """The theorem for sequences without end, of which it uses the layers below t."""
    finite: tuple[Any, ...] = (*entries_of(t), unrolled.bounded_products(t)[1])
    endless = (*entries_of(oo), unrolled.bounded_products(oo)[1])
    lemmas = [
        generalise(instance(assume(whole), part.index), part.index, 0, part.high)
        for whole, part in zip(endless, finite, strict=True)
    ]
    return cut(theorem, *lemmas)


def decay_vanishes(constant: Any) -> Theorem:
    """constant (1-eps^r)^(t/r) tends to zero: the r-th root of a number below one is below one."""
    base, sequence = (1 - epsilon**r) ** (1 / r), Symbol("a", real=True)
    at_least_one = Compare(Integer(1), "<=", base)
    grows = discharge(fact(facts.POWER_INCREASES, a=1, b=base, p=r), at_least_one)
    below = joint(Compare(base, "<", 1), grows, period_factor(), power_is_positive())
    above = joint(Compare(base, ">=", 0), period_factor())
    inside = joint(Compare(1 - epsilon**r, ">=", 0), period_factor())
    vanishes = cut(cut(fact(facts.GEOMETRIC, q=base, k=t), below, above), inside)
    return limit_combined(constant * sequence, {sequence: vanishes})


def power_is_positive() -> Theorem:
    return joint(Compare(epsilon**r, ">", 0), assume(Compare(epsilon, ">", 0)))


@proves(claims.tokens_converge_to_a_common_vector)
def by_squeezing_the_columns(claim: Claim) -> Certificate:
    """Widths of columns are squeezed to zero."""
    domain, q = claims.tokens_meet.domain, Symbol("q", real=True)
    start = MaxOver(feature(t).width(0), (m, 1, d))
    narrow = unrolled.column_contracts(t, t, start, q)
    own = extremum_bounds(start, m)
    bounds = joint(
        Compare(feature(t).width(t), "<=", DECAY * start), feature(t).decays(t), own,
        decay_is_positive(), feature(t).not_negative(0),
    )  # fmt: skip
    found = cut(substitute(narrow, {q: DECAY}), generalise(bounds, m, 1, d))
    width = unrolled.width_of_column(t)
    scale = claims.widest * sqrt(d) * product_bound
    reached = scale * DECAY
    read = unfold(claims.widest, start, domain)
    column = joint(
        Compare(width, "<=", reached), found, unrolled.sum_against_norm(t, t), read,
        decay_is_positive(), unrolled.extreme_not_negative(start, t),
    )  # fmt: skip
    gap = unfold(claims.gap(t), MaxOver(width, (j, 1, d)), domain, ((t, 0, oo),))
    largest = extremum_compared(generalise(column, j, 1, d), MaxOver)
    above = joint(Compare(claims.gap(t), "<=", reached), largest, gap)
    first = extremum_bounds(MaxOver(width, (j, 1, d)), 1)
    below = joint(
        Compare(0, "<=", claims.gap(t)),
        gap,
        first,
        substitute(unrolled.width_not_negative(t), {j: Integer(1)}),
    )
    low, high = (generalise(every_layer(side), t, 0, oo) for side in (below, above))
    apart = scale * (1 - epsilon**r) ** (-(r - 1) / r)
    split = cut(
        identity(reached, apart * (1 - epsilon**r) ** (t / r), by="powers add"), period_factor()
    )
    vanishing = limit_rewritten(decay_vanishes(apart), generalise(split, t, 0, oo))
    meets = squeezed(low, high, limit(Integer(0), t), vanishing)
    return conclude(claim, both(high, meets), method="widths of columns squeezed to zero")
