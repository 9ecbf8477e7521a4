r"""Tokens at no obtuse angle, layer by layer, for every number of tokens and features.

By induction over layers, for tokens at no obtuse angle and any f below all cosines at the start:

    <X_i, X_j> >= f + (1 - f) eps^{2s} K_s(i, j)        after s layers,

where K_s counts the columns in which both rows of the s-step product are positive: one for a centre
that reaches both tokens in s steps, or the sum over all columns.  Averaging costs eps^2 for the next
step, and LayerNorm only raises products that are not negative, since it divides by norms below one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from sympy import Expr, KroneckerDelta, symbols

from claims.statement import And, Compare, ForAll, Formula
from claims.terms import entry
from claims.wu2024.dynamics import Layers
from claims.wu2024.lengths import i, j
from claims.wu2024.notation import WV, N, attention, epsilon
from claims.wu2024.reach import centre, reach, reached_by_all, reached_by_centre
from claims.wu2024.setup import AttentionSequence
from claims.wu2024.turns import values
from claims.wu2024.unit_tokens import Orthogonal
from proofs.calculation import at_places, for_all, linked, multiplied, place, sums_compared, weighed
from proofs.facts import DELTA
from proofs.kernel import (
    Theorem,
    assume,
    both,
    cut,
    fact,
    generalise,
    instance,
    joint,
    part,
    recursion_start,
    sum_at_least_term,
)
from proofs.wu2024.norms import equal_sums, exchanged, inner, picked, summed
from proofs.wu2024.reach import average_of_reach, reach_is_nonnegative, self_loops
from proofs.wu2024.spherical import Sphere, to_last_layer

s = symbols("s", integer=True, nonnegative=True)
f = symbols("f", real=True)
"""A number below all cosines at the start, from zero to one."""


def everywhere(theorem: Theorem) -> Theorem:
    """For all pairs of tokens."""
    return for_all(theorem, (i, N), (j, N))


@dataclass(frozen=True, eq=False)
class Acute:
    """Tokens at no obtuse angle followed through `layers` layers from layer `start` on.

    `columns(body)` is the body at a centre, or its sum over all columns.
    """

    layers: Any
    start: Any
    everyone: bool

    @property
    def sphere(self) -> Sphere:
        return sphere_of(self.layers)

    @property
    def floors(self) -> Theorem:
        return assume(AttentionSequence(attention, floor=epsilon, length=self.layers).facts()[2])

    def shared(self, steps: Any, one: Any, other: Any) -> Expr:
        """K_s(i, j)."""
        body = lambda c: reach(steps, c, one) * reach(steps, c, other)  # noqa: E731
        return summed(body, N) if self.everyone else body(centre)

    def product(self, steps: Any, one: Any, other: Any) -> Expr:
        return self.sphere.product(self.start + steps, one, other)

    def bound(self, steps: Any, one: Any, other: Any) -> Expr:
        return f + (1 - f) * epsilon ** (2 * steps) * self.shared(steps, one, other)

    def case(self, steps: Any) -> Formula:
        """What the induction shows after so many layers."""
        unit = ForAll(i, 1, N, Compare(self.product(steps, i, i), "=", 1))
        pair = Compare(self.product(steps, i, j), ">=", self.bound(steps, i, j))
        return And((unit, ForAll(i, 1, N, ForAll(j, 1, N, pair))))


@cache
def sphere_of(layers: Any) -> Sphere:
    """So many layers, with an orthogonal value matrix for each."""
    stochastic, signs, *_ = (assume(f) for f in AttentionSequence(attention, length=layers).facts())
    (orthogonal,) = (assume(f) for f in Layers(values, Orthogonal(WV), layers).facts())
    return Sphere(
        stochastic, signs,
        lambda t: lambda m, k: entry(values)(t, m, k), lambda t: instance(orthogonal, t),
    )  # fmt: skip


FLOOR = (Compare(f, ">=", 0), Compare(f, "<=", 1))


def weighted_pairs(acute: Acute, layer: Any, steps: Any) -> Theorem:
    """sum_ab A_ia A_jb K_s(a, b) >= eps^2 K_{s+1}(i, j), with the sums inside K taken out."""
    weights, signs, floors = entry(attention), acute.sphere.signs, acute.floors

    def average(c: Any, token: Any) -> Expr:
        return summed(lambda a: weights(layer, token, a) * reach(steps, c, a), N)

    def column(c: Any) -> Theorem:
        known = instance(reach_is_nonnegative(), steps + 1)
        sides = [
            average_of_reach(
                layer, steps, c, n, at_places(signs, layer, n), at_places(floors, layer, n)
            )
            for n in (i, j)
        ]
        both_reached = epsilon**2 * reach(steps + 1, c, i) * reach(steps + 1, c, j)
        return joint(
            Compare(both_reached, "<=", average(c, i) * average(c, j)), *sides,
            at_places(known, c, i), at_places(known, c, j),
        )  # fmt: skip

    if not acute.everyone:
        return column(centre)
    total = sums_compared(column, N)
    shared = epsilon**2 * acute.shared(steps + 1, i, j)
    return linked(Compare(shared, "<=", total.formula.right), total)


def averaged_bound(acute: Acute, layer: Any, steps: Any, before: Theorem) -> Theorem:
    """sum_ab A_ia A_jb (f + h K_s(a, b)) = f + h (the products of averages)."""
    weights, h = entry(attention), (1 - f) * epsilon ** (2 * steps)
    stochastic, signs = acute.sphere.stochastic, acute.sphere.signs
    ones = [at_places(stochastic, layer, n) for n in (i, j)]
    sign = lambda n, a: at_places(signs, layer, n, a)  # noqa: E731

    def inner_row(a: Any) -> Theorem:
        """sum_b A_jb <X_a, X_b> >= f + h sum_b A_jb K(a, b)."""
        below = weighed(
            lambda b: weights(layer, j, b),
            lambda b: at_places(before, a, b),
            N,
            lambda b: sign(j, b),
        )
        split, goal_side = _split_row(acute, steps, layer, a, h)
        left = summed(lambda b: weights(layer, j, b) * acute.product(steps, a, b), N)
        return linked(Compare(left, ">=", goal_side), below, split, ones[1])

    outer = weighed(lambda a: weights(layer, i, a), inner_row, N, lambda a: sign(i, a))
    whole = acute.sphere.averaged(acute.start + steps, i, j)
    products, swaps = _products_of_averages(acute, steps, layer)
    return linked(Compare(whole, ">=", f + h * products), outer, ones[0], *swaps)


def _products_of_averages(acute: Acute, steps: Any, layer: Any) -> tuple[Expr, tuple[Theorem, ...]]:
    """The products of averages, and that sums over tokens may be exchanged to give them."""
    weights = entry(attention)
    average = lambda c, n: summed(lambda a: weights(layer, n, a) * reach(steps, c, a), N)  # noqa: E731
    if not acute.everyone:
        return average(centre, i) * average(centre, j), ()
    products = summed(lambda c: average(c, i) * average(c, j), N)
    swap = exchanged(lambda a, c: weights(layer, i, a) * reach(steps, c, a) * average(c, j), N, N)
    return products, (swap,)


def _split_row(acute: Acute, steps: Any, layer: Any, a: Any, h: Any) -> tuple[Theorem, Expr]:
    """sum_b A_jb (f + h K(a, b)) with the reach of a taken out of the sum."""
    weights = entry(attention)
    average = lambda c: summed(lambda b: weights(layer, j, b) * reach(steps, c, b), N)  # noqa: E731
    total = summed(lambda b: weights(layer, j, b), N)
    left = summed(lambda b: weights(layer, j, b) * (f + h * acute.shared(steps, a, b)), N)
    if not acute.everyone:
        side = reach(steps, centre, a) * average(centre)
        return equal_sums(left, f * total + h * side), f + h * side
    side = summed(lambda c: reach(steps, c, a) * average(c), N)
    swap = exchanged(
        lambda b, c: weights(layer, j, b) * reach(steps, c, a) * reach(steps, c, b), N, N
    )
    split = linked(Compare(left, "=", f * total + h * side), swap)
    return split, f + h * side


def next_layer(acute: Acute) -> Theorem:
    """The induction step: one layer more costs eps^2."""
    layer, case = acute.start + s, acute.case(s)
    units, pairs = (part(assume(case), n) for n in (0, 1))
    averaged = averaged_bound(acute, layer, s, pairs)
    carried = weighted_pairs(acute, layer, s)
    raw = inner(acute.sphere.moved(layer, i), acute.sphere.moved(layer, j))
    h = (1 - f) * epsilon ** (2 * s)
    before = acute.sphere.products_before_layernorm(layer, i, j)
    power = joint(Compare(h, ">=", 0), given=FLOOR)
    lower = joint(
        Compare(raw, ">=", f + h * epsilon**2 * acute.shared(s + 1, i, j)), averaged, before,
        carried, power,
    )  # fmt: skip
    shares = shared_is_nonnegative(acute, s + 1)
    acute_now = everywhere(joint(
        Compare(acute.product(s, i, j), ">=", 0), at_places(pairs, i, j), shared_is_nonnegative(acute, s),
        given=FLOOR,
    ))  # fmt: skip
    positive = [norm_is_positive(acute, layer, n, units, acute_now) for n in (i, j)]
    short = [acute.sphere.short(layer, n, units) for n in (i, j)]
    after = cut(acute.sphere.products_after_layernorm(layer, i, j), *positive)
    sign = joint(Compare(raw, ">=", 0), lower, shares, power, given=FLOOR)
    pair = joint(
        Compare(acute.product(s + 1, i, j), ">=", acute.bound(s + 1, i, j)), after, lower, sign,
        *positive, *short,
    )  # fmt: skip
    unit = acute.sphere.unit_after(layer, i, positive[0])
    return both(generalise(unit, i, 1, N), everywhere(pair))


def shared_is_nonnegative(acute: Acute, steps: Any) -> Theorem:
    """K_s(i, j) >= 0."""
    known = instance(reach_is_nonnegative(), steps)

    def column(c: Any) -> Theorem:
        reached = (at_places(known, c, n) for n in (i, j))
        return joint(Compare(reach(steps, c, i) * reach(steps, c, j), ">=", 0), *reached)

    if not acute.everyone:
        return column(centre)
    total = sums_compared(column, N)
    return linked(Compare(acute.shared(steps, i, j), ">=", 0), total)


def norm_is_positive(acute: Acute, layer: Any, n: Any, units: Theorem, pairs: Theorem) -> Theorem:
    """|(AXW)_n|^2 > 0: token n keeps at least eps^2 of itself, and no product is negative."""
    weights, sphere = entry(attention), acute.sphere
    sign = lambda a: at_places(sphere.signs, layer, n, a)  # noqa: E731
    floor_ = at_places(acute.floors, layer, n, n)
    loop = instance(self_loops, n)

    def row_sum(a: Any) -> Expr:
        return summed(lambda b: weights(layer, n, b) * sphere.product(layer, a, b), N)

    def no_product_is_negative(a: Any, b: Any) -> Theorem:
        product = weights(layer, n, b) * sphere.product(layer, a, b)
        return joint(Compare(product, ">=", 0), at_places(pairs, a, b), sign(b))

    def nonnegative_row(a: Any) -> Theorem:
        term = sums_compared(lambda b: no_product_is_negative(a, b), N)
        return linked(Compare(weights(layer, n, a) * row_sum(a), ">=", 0), term, sign(a))

    a, b = place("a"), place("b")
    outer = sum_at_least_term(generalise(nonnegative_row(a), a, 1, N), n)
    inside = sum_at_least_term(generalise(no_product_is_negative(n, b), b, 1, N), n)
    own = linked(Compare(row_sum(n), ">=", epsilon), inside, instance(units, n), floor_, loop)
    before = sphere.products_before_layernorm(layer, n, n)
    return linked(Compare(sphere.squared_norm(layer, n), ">", 0), before, outer, own, floor_, loop)


def _own_columns(acute: Acute, units: Theorem) -> tuple[Theorem, ...]:
    """K_0(i, j) in terms of deltas, and that a cosine is one where they are."""
    product, m = lambda a, b: acute.product(0, a, b), place("m")
    first, second = (lambda c, n=n: recursion_start(reach, c, n) for n in (i, j))
    if acute.everyone:
        equal = fact(DELTA, a=i, b=j, term=product(m, j), place=m)
        own = picked(lambda c: KroneckerDelta(c, i), j, N)
        shared = Compare(acute.shared(0, i, j), "=", KroneckerDelta(i, j))
        return linked(shared, multiplied(first, second, N), own), equal, instance(units, j)
    one = fact(DELTA, a=centre, b=i, term=product(m, j), place=m)
    other = fact(DELTA, a=centre, b=j, term=product(centre, m), place=m)
    return one, other, instance(units, centre), first(centre), second(centre)


def first_case(acute: Acute) -> Theorem:
    """After no layer: the column of a centre is positive at the centre alone, where a cosine is one."""
    units, pairs = _start(acute)
    above = Compare(acute.product(0, i, j), ">=", acute.bound(0, i, j))
    pair = joint(above, at_places(pairs, i, j), *_own_columns(acute, units))
    return both(generalise(instance(units, i), i, 1, N), everywhere(pair))


def _start(acute: Acute) -> tuple[Theorem, Theorem]:
    """What is assumed of the tokens at the start."""
    unit = ForAll(i, 1, N, Compare(acute.product(0, i, i), "=", 1))
    pair = ForAll(i, 1, N, ForAll(j, 1, N, Compare(acute.product(0, i, j), ">=", f)))
    return assume(unit), assume(pair)


@cache
def bound_after_layers(layers: Any, start: Any, everyone: bool) -> Theorem:
    """For all s up to the last layer: the bound after s layers."""
    acute = Acute(layers, start, everyone)
    return to_last_layer(first_case(acute), next_layer(acute), s, layers - start)


def after(acute: Acute, steps: Any) -> tuple[Theorem, Theorem]:
    """Unit tokens, and <X_i, X_j> >= f + (1 - f) q for all pairs, once all columns are reached."""
    case = instance(bound_after_layers(acute.layers, acute.start, acute.everyone), steps)
    reached = assume((reached_by_all if acute.everyone else reached_by_centre).formula)
    if acute.everyone:
        ones = multiplied(lambda c: at_places(reached, c, i), lambda c: at_places(reached, c, j), N)
        shared = linked(Compare(acute.shared(steps, i, j), "=", N), ones)
    else:
        every = part(reached, 2)
        shared = joint(
            Compare(acute.shared(steps, i, j), "=", 1), instance(every, i), instance(every, j)
        )
        case = cut(case, part(reached, 0), part(reached, 1))
    bound = f + (1 - f) * (N if acute.everyone else 1) * epsilon ** (2 * steps)
    pair = joint(
        Compare(acute.product(steps, i, j), ">=", bound), at_places(part(case, 1), i, j), shared
    )
    return part(case, 0), everywhere(pair)
