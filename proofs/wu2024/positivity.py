r"""Proof that long products of D A are positive: Lemma 8, with the longest distance for T.

Columns y and z of the product move by the same layers, and so does $u=\alpha z+\beta y$.  Where u is not
negative at layer s it stays so, and what it is at a token c reaches every token within n layers, times
$(\epsilon C_1)^n$: along one walk of length n, which waits at self-loops.  Above, row sums bound a column.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from sympy import Expr, Integer, KroneckerDelta, Sum, Symbol, symbols

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

Body = Callable[[Any], Formula]
"""A statement about a token, after so many factors."""

k = symbols("k", integer=True)
product = Recursion(
    "P",
    lambda i, j: KroneckerDelta(i, j),
    lambda t, i, j, before: Sum(
        entry(scales)(t, i, 1) * weights(t, i, k) * before(k, j), (k, 1, N)
    ),
)
"""Entries of the product of the first t factors D A."""


up, down = symbols("y z", integer=True)
"""Two columns of the product."""
alpha, beta = symbols("alpha beta", real=True)
LAST = Symbol("T", integer=True, nonnegative=True)
"""The number of factors."""


def scale(t: Any, i: Any) -> Theorem:
    """C_1 <= D_ii <= C_2."""
    return at_places(assume(Scales(scales, LAST).facts()[0]), t, i)


def weight(t: Any, i: Any, j: Any) -> Theorem:
    """A_ij >= 0."""
    return at_places(assume(entries_of(LAST)[1]), t, i, j)


def every_token(formula: Formula) -> ForAll:
    return ForAll(i, 1, N, formula)


# From layer to layer ------------------------------------------------------------------------------

FOLLOWING = Compare(s + n + 1, "<=", LAST)


def while_factors_last(body: Body, steps: Any) -> Implies:
    """The body of all tokens after so many factors from layer s on, where there are as many."""
    return Implies(Compare(s + steps, "<=", LAST), every_token(body(steps)))


def before(body: Body, token: Any) -> Theorem:
    """What an induction over n assumes of a token, where one more factor follows."""
    known = while_factors_last(body, n)
    return instance(joint(known.conclusion, assume(known), given=(FOLLOWING,)), token)


def by_layers(body: Body, start: Formula, step: Theorem) -> Theorem:
    """For all n: the body after n factors, from a start at layer s and a step for each token."""
    below = joint(Compare(s + n, "<=", LAST - 1), given=(FOLLOWING,))
    whole = discharge(generalise(cut(step, below, assume(FOLLOWING)), i, 1, N), FOLLOWING)
    return induction(joint(while_factors_last(body, 0), assume(start)), whole, n)


def after(theorem: Theorem, steps: Any, token: Any, *given: Formula) -> Theorem:
    """What a theorem for all n says of a token after so many factors, which there are."""
    there = instance(theorem, steps)
    return instance(joint(there.formula.conclusion, there, given=given), token)


def mixed(t: Any, token: Any) -> Expr:
    """u = alpha z + beta y at a token."""
    return alpha * product(t, token, down) + beta * product(t, token, up)


SIGN = every_token(Compare(mixed(s, i), ">=", 0))
"""u is not negative at layer s."""


def next_mixed(t: Any) -> Theorem:
    """u moves as the columns do."""
    steps = [recursion_step(product, t, i, column) for column in (up, down)]
    moved = Sum(entry(scales)(t, i, 1) * weights(t, i, k) * mixed(t, k), (k, 1, N))
    return linked(Compare(mixed(t + 1, i), "=", moved), *steps)


@cache
def stays_nonnegative() -> Theorem:
    """For all n: u >= 0 at layer s + n, where it is so at layer s."""
    body = lambda steps: Compare(mixed(s + steps, i), ">=", 0)  # noqa: E731
    t = s + n
    term = entry(scales)(t, i, 1) * weights(t, i, k) * mixed(t, k)
    positive = joint(Compare(term, ">=", 0), before(body, k), scale(t, i), weight(t, i, k))
    return by_layers(body, SIGN, linked(body(n + 1), summed_over(positive, (k, N)), next_mixed(t)))


def hands_on(t: Any, i_: Any, j_: Any) -> Theorem:
    """u(t + 1, i) >= eps C_1 u(t, j) where i attends to j, from layer s on."""
    here = lambda token: after(stays_nonnegative(), t - s, token, Compare(t, "<=", LAST))  # noqa: E731
    term = entry(scales)(t, i_, 1) * weights(t, i_, k) * mixed(t, k)
    positive = joint(Compare(term, ">=", 0), here(k), scale(t, i_), weight(t, i_, k))
    one = sum_at_least_term(generalise(positive, k, 1, N), j_)
    own = joint(
        Compare(entry(scales)(t, i_, 1) * weights(t, i_, j_), ">=", C_1 * epsilon),
        scale(t, i_), attended(LAST, t, i_, j_),
    )  # fmt: skip
    moved = linked(Compare(mixed(t + 1, i_), "=", one.formula.left), next_mixed(t))
    goal = Compare(mixed(t + 1, i_), ">=", epsilon * C_1 * mixed(t, j_))
    return joint(goal, one, own, here(j_), moved)


@cache
def handed_to_all() -> Theorem:
    """For all n: u >= (eps C_1)^n u(s, c) at tokens within n steps of c, n layers after s."""
    return walked(mixed, epsilon * C_1, hands_on, LAST)


CAP = Symbol("Z", real=True)
BOUNDED = every_token(
    Compare(product(s, i, down), ">=", 0) & Compare(product(s, i, down), "<=", CAP)
)


@cache
def grows() -> Theorem:
    """For all n: 0 <= z <= C_2^n Z at layer s + n, where 0 <= z <= Z at layer s, through row sums."""

    def body(steps: Any) -> Formula:
        value = product(s + steps, i, down)
        return Compare(value, ">=", 0) & Compare(value, "<=", C_2**steps * CAP)

    t = s + n
    inside = (before(body, k), scale(t, i), weight(t, i, k))
    value = entry(scales)(t, i, 1) * product(t, k, down)
    term = value * weights(t, i, k)
    most = C_2 ** (n + 1) * CAP
    scaled = joint(Compare(value, "<=", most), *inside)
    low = joint(Compare(term, ">=", 0), *inside)
    high = joint(Compare(term, "<=", most * weights(t, i, k)), scaled, inside[-1])
    step = linked(
        body(n + 1), recursion_step(product, t, i, down),
        summed_over(low, (k, N)), summed_over(high, (k, N)),
        at_places(assume(entries_of(LAST)[0]), t, i),
    )  # fmt: skip
    return by_layers(body, BOUNDED, step)


LENGTH = R + 1
LOW, HIGH = (epsilon * C_1) ** LENGTH, C_2**LENGTH
BLOCK = Compare(s + LENGTH, "<=", LAST)


@cache
def reaches_all() -> Theorem:
    """u(s + R + 1, i) >= (eps C_1)^(R+1) u(s, c) for all i and c."""
    near, below, *_ = map(assume, longest_distance.facts())
    every = after(handed_to_all(), LENGTH, i, BLOCK)
    goal = Compare(mixed(s + LENGTH, i), ">=", LOW * mixed(s, centre))
    return joint(goal, every, at_places(near, centre, i), below)


# From the empty product on ------------------------------------------------------------------------


@cache
def first_entries(length: Any) -> Theorem:
    """(eps C_1)^(R+1) <= P_ic <= C_2^(R+1) after R + 1 of so many factors: at the start P is the identity."""
    values = {s: 0, down: centre, alpha: 1, beta: 0, CAP: 1, LAST: length}
    delta = fact(facts.DELTA, a=i, b=centre, term=Integer(1), place=k)
    starts = [
        joint(start.body.substitute(values), recursion_start(product, i, centre), delta)
        for start in (SIGN, BOUNDED)
    ]
    low, high = (
        cut(substitute(theorem, values), *(generalise(start, i, 1, N) for start in starts))
        for theorem in (reaches_all(), after(grows(), LENGTH, i, BLOCK))
    )
    value = product(LENGTH, i, centre)
    return joint(
        Compare(value, ">=", LOW) & Compare(value, "<=", HIGH), low, high,
        recursion_start(product, centre, centre),
    )  # fmt: skip


@proves(
    claims.products_over_the_longest_distance_are_positive,
    claims.products_over_the_diameter_are_positive,
)
def by_walks_that_wait(claim: Claim) -> Certificate:
    """Within R + 1 steps every token hears of every other, each step with weight eps C_1 at least."""
    domain = claims.products_over_the_longest_distance_are_positive.domain
    own = claims.product_entry(i, j)
    read = unfold(own, product(LENGTH, i, j), domain, ((i, 1, N), (j, 1, N)))
    enough = joint(Compare(LENGTH, "<=", LENGTH))
    found = substitute(cut(first_entries(LENGTH), enough), {centre: j})
    goal = Compare(own, ">=", LOW) & Compare(own, "<=", HIGH)
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
