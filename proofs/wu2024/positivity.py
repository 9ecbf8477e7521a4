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
from claims.wu2024.notation import N, epsilon
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
from proofs.wu2024.steps import chain_of_neighbours, nonnegative

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


# Steps in words that an argument about tokens on the sphere still lists -----------------------


def entries_in_range() -> tuple[Any, ...]:
    """(eps C_1)^L <= P_ij <= C_2^L over L factors, for j within distance L of i, by induction in L."""
    scale, weight, entry = symbols("D_{ii} A_{ij} P_{jc}", nonnegative=True)
    low, high, floor = symbols("C_1 C_2 epsilon", nonnegative=True)
    least, largest = symbols("(epsilonC_1)^L C_2^L", nonnegative=True)
    return (
        chain_of_neighbours(),
        nonnegative(
            r"D_{ii}A_{ij}-C_1\epsilon\ge0\ \text{on edges}", scale * weight - low * floor,
            (scale - low) * weight, low * (weight - floor), given=(scale - low, weight - floor),
        ),
        nonnegative(
            r"D_{ii}A_{ij}P_{jc}\ge(\epsilon C_1)^{L+1}\ \text{for } P_{jc}\ge(\epsilon C_1)^L",
            weight * entry - floor * least, (weight - floor) * entry, floor * (entry - least),
            given=(weight - floor, entry - least),
        ),
        nonnegative(
            r"C_2^{L+1}A_{ij}-D_{ii}A_{ij}P_{jc}\ge0\ \text{for } P_{jc}\le C_2^L,\ "
            r"\text{summed over } j",
            high * largest * weight - scale * weight * entry,
            (high - scale) * largest * weight, scale * weight * (largest - entry),
            given=(high - scale, largest - entry),
        ),
    )  # fmt: skip
