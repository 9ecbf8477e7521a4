r"""Proof that long products of D A are positive: Lemma 8, with the longest distance for T.

A product of L factors is bounded below along one walk of length L, which waits at self-loops, and
above through its row sums.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Integer, KroneckerDelta, Sum, symbols

from claims.model import Claim
from claims.statement import Compare, ForAll, Formula, Implies
from claims.terms import Recursion, entry
from claims.wu2024 import positivity as claims
from claims.wu2024.cosines import R
from claims.wu2024.notation import N, T, epsilon
from claims.wu2024.positivity import C_1, C_2, Scales, longest_distance, scales
from proofs import facts
from proofs.calculation import at_places, for_all, linked, summed_over
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.kernel import (
    Theorem,
    assume,
    cut,
    discharge,
    fact,
    generalise,
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
from proofs.wu2024.averages import (
    attended,
    centre,
    entries_of,
    i,
    j,
    n,
    s,
    walked,
    weights,
)
from proofs.wu2024.norms import exchanged, picked

k = symbols("k", integer=True)
product = Recursion(
    "P",
    lambda i, j: KroneckerDelta(i, j),
    lambda t, i, j, before: Sum(
        entry(scales)(t, i, 1) * weights(t, i, k) * before(k, j), (k, 1, N)
    ),
)
"""Entries of the product of the first t factors D A."""


def scale(length: Any, t: Any, i: Any) -> Theorem:
    """C_1 <= D_ii <= C_2."""
    return at_places(assume(Scales(scales, length).facts()[0]), t, i)


def weight(length: Any, t: Any, i: Any, j: Any) -> Theorem:
    """A_ij >= 0."""
    return at_places(assume(entries_of(length)[1]), t, i, j)


def term(length: Any, column: Any) -> Any:
    return entry(scales)(n, i, 1) * weights(n, i, k) * product(n, k, column)


def by_layers(body: Any, step: Theorem, length: Any, start: Theorem) -> Theorem:
    """For all n: n <= length implies body(n) for all tokens i."""
    following = Compare(n + 1, "<=", length)
    whole = discharge(generalise(cut(step, assume(following)), i, 1, N), following)
    return induction(discharge(generalise(start, i, 1, N), Compare(0, "<=", length)), whole, n)


def delta() -> Theorem:
    """The empty product has entries zero and one."""
    known = fact(facts.DELTA, a=i, b=centre, term=Integer(1), place=k)
    return joint(
        Compare(product(0, i, centre), ">=", 0) & Compare(product(0, i, centre), "<=", 1),
        known,
        recursion_start(product, i, centre),
    )


@cache
def between(length: Any) -> Theorem:
    """For all n <= length and i: 0 <= P_ic <= C_2^n, through row sums."""

    def body(steps: Any) -> Formula:
        value = product(steps, i, centre)
        return Compare(value, ">=", 0) & Compare(value, "<=", C_2**steps)

    def claimed(steps: Any) -> Implies:
        return Implies(Compare(steps, "<=", length), ForAll(i, 1, N, body(steps)))

    given = Compare(n + 1, "<=", length)
    before = instance(joint(claimed(n).conclusion, assume(claimed(n)), given=(given,)), k)
    inside = (before, scale(length, n, i), weight(length, n, i, k))
    positive = joint(Compare(term(length, centre), ">=", 0), *inside)
    bound = C_2 ** (n + 1) * weights(n, i, k)
    scaled = joint(
        Compare(entry(scales)(n, i, 1) * product(n, k, centre), "<=", C_2 ** (n + 1)),
        *inside,
    )
    below = joint(Compare(term(length, centre), "<=", bound), scaled, weight(length, n, i, k))
    low, high = (summed_over(side, (k, N)) for side in (positive, below))
    step = linked(
        body(n + 1), recursion_step(product, n, i, centre), low, high,
        at_places(assume(entries_of(length)[0]), n, i),
    )  # fmt: skip
    return by_layers(body, step, length, joint(body(0), delta()))


@cache
def reached(length: Any) -> Theorem:
    """For all n <= length: P_ic >= (eps C_1)^n at tokens within n steps of c."""

    def handed_on(t: Any, i: Any, j: Any) -> Theorem:
        every = instance(between(length), t)
        here = joint(every.formula.conclusion, every, given=(Compare(t, "<=", length),))
        value = entry(scales)(t, i, 1) * weights(t, i, k) * product(t, k, centre)
        positive = joint(
            Compare(value, ">=", 0), instance(here, k), scale(length, t, i), weight(length, t, i, k)
        )
        one = sum_at_least_term(generalise(positive, k, 1, N), j)
        own = joint(
            Compare(entry(scales)(t, i, 1) * weights(t, i, j), ">=", C_1 * epsilon),
            scale(length, t, i),
            attended(length, t, i, j),
        )
        return joint(
            Compare(product(t + 1, i, centre), ">=", epsilon * C_1 * product(t, j, centre)),
            one,
            own,
            instance(here, j),
            recursion_step(product, t, i, centre),
        )

    return walked(lambda t, i: product(t, i, centre), epsilon * C_1, handed_on, length)


@proves(
    claims.products_over_the_longest_distance_are_positive,
    claims.products_over_the_diameter_are_positive,
)
def by_walks_that_wait(claim: Claim) -> Certificate:
    """Within R + 1 steps every token hears of every other, each step with weight eps C_1 at least."""
    domain = claims.products_over_the_longest_distance_are_positive.domain
    length = R + 1
    near, below, *_ = longest_distance.facts()
    walk = instance(substitute(reached(length), {s: Integer(0)}), length)
    everywhere = instance(joint(walk.formula.conclusion, walk), i)
    above = instance(between(length), length)
    inside = instance(joint(above.formula.conclusion, above), i)
    value = product(length, i, centre)
    bounds = joint(
        Compare(value, ">=", (epsilon * C_1) ** length) & Compare(value, "<=", C_2**length),
        everywhere,
        inside,
        at_places(assume(near), centre, i),
        assume(below),
        recursion_start(product, centre, centre),
    )
    read = unfold(claims.product_entry(i, j), product(length, i, j), domain, ((i, 1, N), (j, 1, N)))
    found = substitute(bounds, {centre: j})
    own = claims.product_entry(i, j)
    goal = Compare(own, ">=", (epsilon * C_1) ** length) & Compare(own, "<=", C_2**length)
    theorem = for_all(joint(goal, found, read), (i, N), (j, N))
    return conclude(
        claim, theorem, method="a walk of length $R+1$ along a shortest path, waiting at self-loops"
    )


# Blocks -------------------------------------------------------------------------------------------

later = Recursion(
    "B",
    lambda i, j: KroneckerDelta(i, j),
    lambda t, i, j, before: Sum(
        entry(scales)(T + 1 + t, i, 1) * weights(T + 1 + t, i, k) * before(k, j), (k, 1, N)
    ),
)
"""The product of the first t factors after layer T."""


@cache
def blocks_multiply() -> Theorem:
    """For all n: sum_l B_il P_lj = P_ij of T + 1 + n factors."""
    m = symbols("m", integer=True)

    def rows(steps: Any, token: Any) -> Any:
        return Sum(later(steps, token, m) * product(T + 1, m, j), (m, 1, N))

    def body(steps: Any) -> Formula:
        every = Compare(rows(steps, i), "=", product(T + 1 + steps, i, j))
        return ForAll(i, 1, N, every)

    layer = T + 1 + n
    weight_ = entry(scales)(layer, i, 1) * weights(layer, i, k)
    known = instance(assume(body(n)), k)
    term = joint(Compare(weight_ * rows(n, k), "=", weight_ * product(layer, k, j)), known)
    total = summed_over(term, (k, N))
    swap = exchanged(lambda a, c: (
        entry(scales)(layer, i, 1) * weights(layer, i, c) * later(n, c, a) * product(T + 1, a, j)
    ), N, N)  # fmt: skip
    own = summed_over(
        joint(
            Compare(later(n + 1, i, m) * product(T + 1, m, j), "=",
                    later.step(n, i, m, lambda *at: later(n, *at)) * product(T + 1, m, j)),
            recursion_step(later, n, i, m),
        ), (m, N),
    )  # fmt: skip
    goal = Compare(rows(n + 1, i), "=", product(layer + 1, i, j))
    step = linked(goal, own, swap, total, recursion_step(product, layer, i, j))
    deltas = picked(lambda a: product(T + 1, a, j), i, N)
    start = summed_over(
        joint(
            Compare(later(0, i, m) * product(T + 1, m, j), "=",
                    product(T + 1, m, j) * KroneckerDelta(m, i)),
            recursion_start(later, i, m),
        ), (m, N),
    )  # fmt: skip
    begin = linked(Compare(rows(0, i), "=", product(T + 1, i, j)), start, deltas)
    return induction(generalise(begin, i, 1, N), generalise(step, i, 1, N), n)


@proves(claims.blocks_with_a_common_factor)
def by_associativity(claim: Claim) -> Certificate:
    """The second block multiplies the first one factor by factor."""
    domain, over = claims.blocks_without_a_common_factor.domain, ((i, 1, N), (j, 1, N))
    m = symbols("m", integer=True)
    whole = instance(instance(blocks_multiply(), T + 1), i)
    both_ = Sum(later(T + 1, i, m) * product(T + 1, m, j), (m, 1, N))
    read = (
        unfold(claims.apart_blocks(i, j), both_, domain, over),
        unfold(claims.apart_whole(i, j), product(2 * T + 2, i, j), domain, over),
    )
    goal = Compare(claims.apart_blocks(i, j), "=", claims.apart_whole(i, j))
    theorem = for_all(joint(goal, whole, *read), (i, N), (j, N))
    return conclude(claim, theorem, method="associativity, factor by factor")
