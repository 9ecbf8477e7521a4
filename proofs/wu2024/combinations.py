r"""Proof of Lemma 5's first display: rows before LayerNorm are rotated combinations of initial tokens.

a^{(t+1)} = A^{(t+1)} D^{(t)} a^{(t)} and W~^{(t+1)} = W~^{(t)} W^{(t+1)}: entries of a are not
negative, and its rows sum to at least one, since D >= 1.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Expr, sqrt, symbols

from claims.model import Claim
from claims.statement import And, Compare, ForAll
from claims.terms import Recursion, entry
from claims.wu2024 import cone as claims
from claims.wu2024.lengths import i, j
from claims.wu2024.notation import N, T, d, t
from proofs.calculation import at_places, for_all, linked, sums_compared, weighed
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
    part,
    recursion_start,
    recursion_step,
    substitute,
    unfold,
)
from proofs.registry import proves
from proofs.wu2024.cone import (
    SPHERE,
    above_all_heights,
    margin,
    norms_before_layernorm,
    x,
)
from proofs.wu2024.norms import (
    Row,
    Rows,
    combination,
    exchanged,
    regrouped,
    summed,
)
from proofs.wu2024.spherical import to_last_layer, weights

values = entry(claims.values)
k, m = symbols("k m", integer=True)


def scale(u: Any, one: Any) -> Expr:
    """D_ii."""
    return 1 / sqrt(SPHERE.squared_norm(u, one))


def scaled_weight(u: Any, one: Any) -> Row:
    """A^{(u+1)}_{ij} D^{(u)}_{jj}."""
    return lambda n: weights(u + 1, one, n) * scale(u, n)


coefficients = Recursion(
    "a",
    lambda i, j: weights(0, i, j),
    lambda u, i, j, before: summed(lambda n: scaled_weight(u, i)(n) * before(n, j), N),
)
rotation = Recursion(
    r"\tilde W",
    lambda m, k: values(0, m, k),
    lambda u, m, k, before: summed(lambda n: before(m, n) * values(u + 1, n, k), d),
)


def mixed(u: Any, one: Any) -> Row:
    """(a X^{(0)})_i."""
    return combination(lambda n: coefficients(u, one, n), x)


def turned(u: Any) -> Rows:
    """W~."""
    return lambda m, k: rotation(u, m, k)


def combined(u: Any, one: Any, feature: Any) -> Expr:
    """(a X^{(0)} W~)_{ik}."""
    return combination(mixed(u, one), turned(u), d)(feature)


def every_entry(theorem: Theorem) -> Theorem:
    """For all tokens and features."""
    return for_all(theorem, (i, N), (m, d))


def rows_are_combined(u: Any) -> Theorem:
    """(AXW)_i = (a X^{(0)} W~)_i at the next layer, from the same at this one."""
    equal = lambda one, p: Compare(SPHERE.moved(u, one)(p), "=", combined(u, one, p))  # noqa: E731
    known = assume(ForAll(i, 1, N, ForAll(m, 1, d, equal(i, m))))
    weight = scaled_weight(u, i)
    tokens = lambda n, p: SPHERE.tokens(u + 1, n, p)  # noqa: E731
    own = lambda n: weights(u + 1, i, n)  # noqa: E731
    rows = lambda n, l: mixed(u, n)(l)  # noqa: E731, E741
    new = combination(weight, rows)

    def averaged(p: Any) -> Theorem:
        """(AX)_ip = sum_l c_l W~_lp with c_l = sum_j A_ij D_j (a X^{(0)})_jl."""
        term = sums_compared(
            lambda n: joint(
                Compare(own(n) * tokens(n, p), "=", weight(n) * combined(u, n, p)),
                recursion_step(SPHERE.tokens, u, n, p), at_places(known, n, p),
            ),
            N,
        )  # fmt: skip
        moved = regrouped(weight, rows, turned(u), p, (N, d))
        left, right = combination(own, tokens)(p), combination(new, turned(u), d)(p)
        return linked(Compare(left, "=", right), term, moved)

    outer = weighed(lambda p: values(u + 1, p, m), averaged, d)
    right = regrouped(new, turned(u), lambda n, p: values(u + 1, n, p), m, (d, d))
    gathered = sums_compared(lambda p: next_feature(u, new, p), d)
    goal = Compare(SPHERE.moved(u + 1, i)(m), "=", combined(u + 1, i, m))
    return every_entry(linked(goal, outer, right, gathered))


def next_feature(u: Any, new: Row, p: Any) -> Theorem:
    """c_l (W~ W)_lm = (a X^{(0)})_il W~_lm, both of the next layer."""
    rows = lambda n, q: coefficients(u, n, q)  # noqa: E731
    swap = regrouped(scaled_weight(u, i), rows, x, p, (N, N))
    step = weighed(lambda n: x(n, p), lambda n: recursion_step(coefficients, u, i, n), N)
    same = linked(Compare(new(p), "=", mixed(u + 1, i)(p)), swap, step)
    turning = recursion_step(rotation, u, p, m)
    left = new(p) * summed(lambda n: rotation(u, p, n) * values(u + 1, n, m), d)
    return linked(Compare(left, "=", mixed(u + 1, i)(p) * rotation(u + 1, p, m)), same, turning)


def first_rows() -> Theorem:
    """Before the first LayerNorm a = A and W~ = W."""

    def entry_of(n: Any) -> Theorem:
        own = lambda q: weights(0, i, q)  # noqa: E731
        read = weighed(own, lambda q: recursion_start(SPHERE.tokens, q, n), N)
        known = weighed(lambda q: x(q, n), lambda q: recursion_start(coefficients, i, q), N)
        goal = combination(own, SPHERE.at(0))(n) * values(0, n, m)
        rotated = recursion_start(rotation, n, m)
        return linked(Compare(goal, "=", mixed(0, i)(n) * rotation(0, n, m)), read, known, rotated)

    total = sums_compared(entry_of, d)
    goal = Compare(SPHERE.moved(0, i)(m), "=", combined(0, i, m))
    return every_entry(linked(goal, total))


def positive_norms() -> Theorem:
    """LayerNorm divides by norms that are not zero."""
    norm = part(at_places(norms_before_layernorm(), t, i), 0)
    return generalise(joint(Compare(SPHERE.squared_norm(t, i), ">", 0), norm), i, 1, N)


@cache
def every_row() -> Theorem:
    """For all layers: (AXW)_i = (a X^{(0)} W~)_i."""
    return to_last_layer(first_rows(), cut(rows_are_combined(t), positive_norms()), t, T - 1)


# Signs and sums -----------------------------------------------------------------------------------


def scale_at_least_one(u: Any, one: Any) -> Theorem:
    """D_ii >= 1: the row that LayerNorm divides has a norm between g and 1."""
    norm = at_places(norms_before_layernorm(), u, one)
    return joint(Compare(scale(u, one), ">=", 1), part(norm, 0), part(norm, 1))


def row_sum(u: Any, one: Any) -> Expr:
    """sum_j a_ij."""
    return summed(lambda n: coefficients(u, one, n), N)


def in_order(u: Any) -> And:
    """No entry of a is negative, and rows sum to at least one."""
    return And((
        ForAll(i, 1, N, ForAll(j, 1, N, Compare(coefficients(u, i, j), ">=", 0))),
        ForAll(i, 1, N, Compare(row_sum(u, i), ">=", 1)),
    ))  # fmt: skip


def stay_in_order(u: Any) -> Theorem:
    """Averages of a, with D >= 1."""
    known, sign = assume(in_order(u)), SPHERE.sign(u + 1, i)
    entries, sums = part(known, 0), part(known, 1)
    weight = scaled_weight(u, i)
    term = sums_compared(
        lambda n: joint(
            Compare(weight(n) * coefficients(u, n, j), ">=", 0), at_places(entries, n, j),
            scale_at_least_one(u, n), instance(sign, n),
        ),
        N,
    )  # fmt: skip
    step = recursion_step(coefficients, u, i, j)
    positive = linked(Compare(coefficients(u + 1, i, j), ">=", 0), step, term)
    whole = sums_compared(lambda n: recursion_step(coefficients, u, i, n), N)
    swap = exchanged(lambda q, n: weight(q) * coefficients(u, q, n), N, N)
    below = sums_compared(
        lambda n: joint(
            Compare(weights(u + 1, i, n), "<=", weight(n) * row_sum(u, n)), instance(sums, n),
            scale_at_least_one(u, n), instance(sign, n),
        ),
        N,
    )  # fmt: skip
    enough = linked(
        Compare(row_sum(u + 1, i), ">=", 1), whole, swap, below,
        at_places(SPHERE.stochastic, u + 1, i),
    )  # fmt: skip
    return both(for_all(positive, (i, N), (j, N)), generalise(enough, i, 1, N))


@cache
def stay_in_order_for_ever() -> Theorem:
    """For all layers."""
    begun = recursion_start(coefficients, i, j)
    sign = joint(Compare(coefficients(0, i, j), ">=", 0), begun, instance(SPHERE.sign(0, i), j))
    first = sums_compared(lambda n: recursion_start(coefficients, i, n), N)
    total = linked(Compare(row_sum(0, i), ">=", 1), first, at_places(SPHERE.stochastic, 0, i))
    start = both(for_all(sign, (i, N), (j, N)), generalise(total, i, 1, N))
    return to_last_layer(start, cut(stay_in_order(t), positive_norms()), t, T - 1)


@proves(claims.rows_are_nonnegative_combinations)
def by_unrolling_layers(claim: Claim) -> Certificate:
    """By induction over layers: a' = A D a, W~' = W~ W, and D >= 1."""
    domain, below, positive, least = claims.theorem_2, *above_all_heights()
    layers, tokens = (t, 0, T - 1), (i, 1, N)
    order = cut(substitute(stay_in_order_for_ever(), {margin: least}), below, positive)
    here = instance(order, t)
    unrolled = cut(substitute(every_row(), {margin: least}), below, positive)
    rows = joint(
        Compare(claims.before_scaling(t, i, m), "=", claims.combined(t, i, m)),
        at_places(unrolled, t, i, m),
        unfold(claims.before_scaling(t, i, m), SPHERE.moved(t, i)(m), domain, (layers, tokens, (m, 1, d))),
        unfold(claims.combined(t, i, m), combined(t, i, m), domain, (layers, tokens, (m, 1, d))),
    )  # fmt: skip
    signs = joint(
        Compare(claims.coefficient(t, i, j), ">=", 0), at_places(part(here, 0), i, j),
        unfold(claims.coefficient(t, i, j), coefficients(t, i, j), domain, (layers, tokens, (j, 1, N))),
    )  # fmt: skip
    sums = joint(
        Compare(claims.coefficient_sum(t, i), ">=", 1), instance(part(here, 1), i),
        unfold(claims.coefficient_sum(t, i), row_sum(t, i), domain, (layers, tokens)),
    )  # fmt: skip
    every = both(generalise(rows, m, 1, d), generalise(signs, j, 1, N), sums)
    return conclude(
        claim, for_all(every, (t, 0, T - 1), (i, N)),
        method=r"induction over layers: $a'=ADa$, $\tilde W'=\tilde WW$, and $D\ge1$",
    )  # fmt: skip
