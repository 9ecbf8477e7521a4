r"""Layers from zero part at the fourth order.

A step adds $\eta\,h^\top A^\top G$ to each value matrix.  Up to the third order neighbours see the same; at
the fourth one has $A_0XM$ more in $h$, the other $A_0^\top(Y-U_O)\bar B^\top M^\top$ in $G$, each times
$\tbinom n2\eta^2$, so that their difference grows by $n\tbinom n2(M^\top N-NM^\top)$.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Expr, Integer, Sum, oo

from claims.im2026 import parting_layers as claims
from claims.im2026.boxes import leading_count
from claims.im2026.cooperation import STEPS, composed_value
from claims.im2026.notation import N, T, i, j, k, layer, m, s, words
from claims.im2026.parting_layers import (
    farther_entry,
    follows,
    gap_distance,
    gap_size,
    mixed_again,
    mixed_once,
    uniform_weight,
)
from claims.im2026.series import hidden, sensitivity, value, weight
from claims.model import Claim
from claims.statement import Compare
from proofs.calculation import at_places, linked, place, summed_over, weighed
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.im2026.bigrams import means_compared, over, summed_over_words, x
from proofs.im2026.contexts import divided, t, token_mean
from proofs.im2026.counts_of_steps import COUNT, factored
from proofs.im2026.late_attention import uniform
from proofs.im2026.lowest_orders import PAIRS, sensitivities_begin_later, starts_at_one, token_at
from proofs.im2026.neighbours import (
    BELOW,
    DEEP,
    PAIRS_OF_STEPS,
    all_mixed,
    dropped,
    dropped_again,
    first_order,
    higher,
    lower,
    risen,
    risen_again,
)
from proofs.im2026.orders import cauchy, every, n, no_squares, of, said, series, up_to
from proofs.kernel import (
    Theorem,
    assume,
    both,
    generalise,
    induction,
    joint,
    unfold,
)
from proofs.registry import proves

NEIGHBOURS = (BELOW, *over(j, k))
one = place("a")


def collected(order: int, at: Any) -> Expr:
    """What a step of V collects at two positions: A h G."""
    return cauchy(
        order, of(weight, at, i, t, m), of(hidden, at - 1, i, m, j), of(sensitivity, at, i, t, k)
    )


@cache
def stepped(order: int) -> Theorem:
    """A step adds the mean of what is collected."""
    now = series(
        lambda p: value(n + 1, p, layer, j, k),
        lambda p: value(n, p, layer, j, k) + token_mean(Sum(collected(p - 1, layer), (m, 1, T))),
        order, *PAIRS,
    )  # fmt: skip
    return every(now, *PAIRS)


def steps_of_both(order: int) -> list[Theorem]:
    """That of a layer and of the next."""
    return [at_places(stepped(order), at, j, k) for at in (layer, layer + 1)]


def alike(order: int) -> list[Theorem]:
    """What neighbours have in common in a product of that order, and how they differ."""
    found = [
        at_places(uniform(p), at, i, t, m) for p in range(order + 1) for at in (layer, layer + 1)
    ]
    found += [at_places(higher(p), layer, i, m, j) for p in range(min(order, 2) + 1)]
    found += [at_places(lower(p), layer, i, t, k) for p in range(order + 1)]
    found += [at_places(sensitivities_begin_later(), at, i, t, k) for at in (layer, layer + 1)]
    return found


def by_steps(order: int, body: Compare, *known: Theorem) -> Theorem:
    """For all n and neighbours, where the weights before the first step are zero."""
    begins = [
        unfold(value(Integer(0), order, at, j, k), Integer(0), DEEP, NEIGHBOURS)
        for at in (layer, layer + 1)
    ]
    start = joint(body.substitute({n: Integer(0)}), *begins)
    before = at_places(assume(said(body, *NEIGHBOURS)), layer, j, k)
    step = linked(body.substitute({n: n + 1}), before, *known)
    return induction(every(start, *NEIGHBOURS), every(step, *NEIGHBOURS), n)


@cache
def same(order: int) -> Theorem:
    """Up to the third order neighbours have one coefficient, after any number of steps."""
    body = Compare(value(n, order, layer + 1, j, k), "=", value(n, order, layer, j, k))
    if order == 0:
        none = [at_places(starts_at_one(value), n, at, j, k) for at in (layer, layer + 1)]
        return generalise(every(joint(body, *none), *NEIGHBOURS), n, 0, oo)
    each = joint(
        Compare(collected(order - 1, layer + 1), "=", collected(order - 1, layer)),
        *alike(order - 1),
    )
    means = means_compared(summed_over(each, (m, T)), t)
    return by_steps(order, body, *steps_of_both(order), means)


# The fourth order -----------------------------------------------------------------------------------


def difference() -> Theorem:
    """At the third order neighbours collect n binom(n, 2) times two products more and less."""
    more = risen(m, j) * follows(i, t, k) - x(i, m, j) * dropped(t, k)
    goal = Compare(
        collected(3, layer + 1), "=",
        collected(3, layer) + n * PAIRS_OF_STEPS * uniform_weight(t, m) * more,
    )  # fmt: skip
    firsts = [at_places(first_order(), at, i, t, k) for at in (layer, layer + 1)]
    tokens = [token_at(at, m, j) for at in (layer, layer - 1)]
    return joint(goal, *alike(3), *firsts, *tokens)


def commutator() -> Expr:
    """An entry of M^T N - N M^T."""
    first = Sum(composed_value(one, j) * farther_entry(one, k), (one, 1, words))
    return first - Sum(farther_entry(j, one) * composed_value(k, one), (one, 1, words))


def farther(row: Any, column: Any) -> Theorem:
    """An entry of N: the mean of A_0^2 X times what follows."""
    body = token_mean(mixed_again(i, t, row) * follows(i, t, column))
    return unfold(farther_entry(row, column), body, STEPS, over(row, column))


def mean_of_products(weight_of: Any, entry_of: Any) -> Theorem:
    """sum_a w_a N_a is the mean of sum_a w_a times the product of which N_a is the mean."""
    row, column = entry_of(one)
    body = mixed_again(i, t, row) * follows(i, t, column) * weight_of(one)
    entries = weighed(weight_of, lambda a: farther(*entry_of(a)), words)
    inside = Sum(body, (one, 1, words))
    turned = summed_over_words(linked(Compare(inside, "=", inside)), one, t)
    goal = Compare(entries.formula.left, "=", token_mean(inside))  # type: ignore[attr-defined]
    return linked(goal, entries, turned)


def mean_difference() -> Theorem:
    """A step at the fourth order: n binom(n, 2) times the commutator."""
    token = summed_over(difference(), (m, T))
    gained = Sum(composed_value(one, j) * mixed_again(i, t, one), (one, 1, words)) * follows(
        i, t, k
    )
    lost = mixed_once(i, t, j) * dropped(t, k)
    left, right = (Sum(collected(3, at), (m, 1, T)) for at in (layer + 1, layer))
    own = linked(
        Compare(left, "=", right + n * PAIRS_OF_STEPS * (gained - lost)),
        token, risen_again(), at_places(all_mixed(), i, t, j),
    )  # fmt: skip
    means = means_compared(own, t)
    turned = summed_over(dropped_again(), (i, 0, N - 1))
    first = mean_of_products(lambda a: composed_value(a, j), lambda a: (a, k))
    second = mean_of_products(lambda a: composed_value(k, a), lambda a: (j, a))
    goal = Compare(token_mean(left), "=", token_mean(right) + n * PAIRS_OF_STEPS * commutator())
    return linked(goal, means, turned, first, second)


@cache
def parted() -> Theorem:
    """At the fourth order the difference is so many commutators, after any number of steps."""
    gap = COUNT.subs(s, n) * commutator()
    body = Compare(value(n, 4, layer + 1, j, k), "=", value(n, 4, layer, j, k) + gap)
    return by_steps(4, body, *steps_of_both(4), mean_difference())


# The claim ------------------------------------------------------------------------------------------


def none_at(order: int) -> Theorem:
    """Neighbours do not differ at an order below four."""
    gap = value(s, order, layer + 1, j, k) - value(s, order, layer, j, k)
    zero = joint(Compare(gap, "=", 0), at_places(same(order), s, layer, j, k))
    none = no_squares(zero, *over(j, k))
    read = unfold(gap_size(order, layer), none.formula.left, DEEP, (BELOW,))  # type: ignore[attr-defined]
    return joint(Compare(gap_size(order, layer), "=", 0), read, none)


def so_far_apart() -> Theorem:
    """And at four by so many commutators."""
    known = at_places(parted(), s, layer, j, k)
    gap = value(s, 4, layer + 1, j, k) - value(s, 4, layer, j, k) - leading_count * commutator()
    none = no_squares(joint(Compare(gap, "=", 0), known, factored()), *over(j, k))
    quantity = gap_distance(layer, leading_count)
    read = unfold(quantity, none.formula.left, DEEP, (BELOW,))  # type: ignore[attr-defined]
    return joint(Compare(quantity, "=", 0), read, none)


@proves(claims.layers_part_at_the_fourth_order)
def by_the_gradients_of_neighbours(claim: Claim) -> Certificate:
    """Each step adds eta times the commutator of V = binom(k, 2) eta^2 M with k eta N."""
    theorem = divided(every(both(up_to(claims.order, 3, none_at), so_far_apart()), BELOW))
    return conclude(
        claim, theorem, method="lowest orders of neighbouring layers; induction over steps"
    )
