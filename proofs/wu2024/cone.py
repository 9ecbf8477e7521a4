r"""Proofs of Lemma 4 and Lemma 5: scores are bounded, and tokens stay in the rotated initial cone."""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Expr, Integer, KroneckerDelta, Symbol, exp, sqrt, symbols

from claims.model import Claim
from claims.statement import And, Compare, ForAll
from claims.terms import MinOver, Recursion, entry, put
from claims.wu2024 import cone as claims
from claims.wu2024.cone import direction, gamma, scale, values, weight
from claims.wu2024.lengths import i, j
from claims.wu2024.masks import d_QK
from claims.wu2024.notation import WK, WQ, C, G, N, T, X, attention, d, t
from claims.wu2024.unit_tokens import Direction, UnitRows
from proofs.calculation import at_places, for_all, linked, multiplied, place, sums_compared, weighed
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.facts import DELTA, DELTA_SUM, EXP_INCREASES
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
    instance,
    joint,
    part,
    recursion_start,
    recursion_step,
    substitute,
    sum_at_least_term,
    unfold,
)
from proofs.registry import proves
from proofs.wu2024.acute import sphere_of
from proofs.wu2024.norms import (
    Row,
    cauchy_schwarz,
    combination,
    combination_inside,
    inner,
    rotated,
    rotation_keeps_products,
    row,
    square_is_nonnegative,
    summed,
)
from proofs.wu2024.reach import marks
from proofs.wu2024.spherical import to_last_layer

TOKENS = r"all $N$, $d\ge1$, all masks with self-loops, all orthogonal value matrices, all $t$"
x, edge = entry(X), entry(G)
(units,) = (assume(f) for f in UnitRows(X).facts())

# Lemma 4 ------------------------------------------------------------------------------------------


_one, _other = symbols("i_1 j_1", integer=True)
_SCORE = inner(rotated(row(x, _one), entry(WQ)), rotated(row(x, _other), entry(WK)))


def score(one: Any, other: Any) -> Expr:
    """R_ij sqrt(d_QK); one expression, so that equal scores cancel."""
    return put(_SCORE, {_one: one, _other: other})


def score_is_bounded(one: Any, other: Any) -> Theorem:
    """|R_ij| sqrt(d_QK) <= C^2 for unit tokens."""
    bound = assume(claims.bounded_weights.formula)
    return score_below(one, other, units, (part(bound, 0), part(bound, 1)), C, Integer(1))


def score_below(
    one: Any, other: Any, short: Theorem, stretch: tuple[Theorem, Theorem], limit: Any, size: Any
) -> Theorem:
    """|<X_i W_Q, X_j W_K>| <= limit^2 size, for tokens with |X_i|^2 <= size, stretched by <= limit."""
    queries, keys = (rotated(row(x, n), entry(w)) for n, w in ((one, WQ), (other, WK)))
    sides = []
    for side, known, token in ((queries, stretch[0], one), (keys, stretch[1], other)):
        bounded = Compare(inner(side, side), "<=", limit**2 * size)
        sides.append(joint(bounded, instance(known, token), instance(short, token)))
    product, bound = score(one, other), limit**2 * size
    return joint(
        Compare(product, "<=", bound) & Compare(product, ">=", -bound), *sides,
        cauchy_schwarz(queries, keys), square_is_nonnegative(queries), square_is_nonnegative(keys),
    )  # fmt: skip


@proves(claims.attention_has_a_floor_under_layernorm, claims.attention_has_a_floor_against_edges)
def by_bounded_scores(claim: Claim) -> Certificate:
    """Unit tokens have scores within C^2/sqrt(d_QK) of zero, whatever the layer."""
    domain = claims.attention_has_a_floor_under_layernorm.domain
    temperature, spread = sqrt(d_QK), exp(2 * C**2 / sqrt(d_QK))
    ratio = lambda k: edge(k, i) * exp((score(i, k) - score(i, j)) / temperature)  # noqa: E731
    term = edge(j, i) / summed(ratio, N)
    inside = Compare(edge(j, i), "=", 1)

    def of_neighbour(k: Any) -> Theorem:
        """At most e^{2s}, and one for k = j."""
        gap = (score(i, k) - score(i, j)) / temperature
        above = joint(
            Compare(gap, "<=", 2 * C**2 / temperature), score_is_bounded(i, k),
            score_is_bounded(i, j),
        )  # fmt: skip
        larger = cut(fact(EXP_INCREASES, a=gap, b=2 * C**2 / temperature), above)
        m = place()
        own = fact(DELTA, a=k, b=j, term=ratio(m), place=m)
        delta = KroneckerDelta(k, j)
        alone = joint(Compare(delta * ratio(k), "=", delta), part(own, 2), assume(inside))
        return joint(
            Compare(ratio(k), "<=", spread + (1 - spread) * delta), larger, part(own, 1), alone,
            at_places(marks, i, k),
        )  # fmt: skip

    total = sums_compared(of_neighbour, N)
    m = place()
    ones = fact(DELTA_SUM, place=j, k=m, low=1, high=N)
    whole = linked(Compare(summed(ratio, N), "<=", 1 + (N - 1) * spread), total, ones)
    reached = at_least_own(ratio, inside)
    size = unfold(weight(i, j), term, domain, ((i, 1, N), (j, 1, N)))
    bound = Compare(weight(i, j), ">=", 1 / (1 + (N - 1) * spread))
    floor = joint(bound, size, reached, whole, assume(inside))
    theorem = for_all(discharge(floor, inside), (i, N), (j, N))
    return conclude(claim, theorem, method="Cauchy-Schwarz inequality for the scores")


def at_least_own(ratio: Row, inside: Compare) -> Theorem:
    """A row of softmax weights contains its own term, which is one."""
    k = place()
    positive = joint(Compare(ratio(k), ">=", 0), at_places(marks, i, k))
    own = sum_at_least_term(generalise(positive, k, 1, N), j)
    return joint(Compare(summed(ratio, N), ">=", 1), own, assume(inside))


# Lemma 5 ------------------------------------------------------------------------------------------


SPHERE = sphere_of(T)
unit_direction, positive_products = (assume(f) for f in Direction(direction, tokens=X).facts())
turning = Recursion(
    "v",
    lambda k: entry(direction)(1, k),
    lambda t, k, before: rotated(before, lambda m, k: entry(values)(t, m, k))(k),
)
"""v W^{(0)} ... W^{(t-1)}: the direction turns with the tokens."""


def along(t: Any) -> Row:
    return lambda k: turning(t, k)


def least_product() -> Expr:
    """gamma."""
    n = place("n")
    return MinOver(inner(row(x, n), lambda k: entry(direction)(1, k)), (n, 1, N))


margin = Symbol("g", positive=True)
"""A number below the products of all initial tokens with v."""


def height(t: Any, one: Any) -> Expr:
    """The product of a token with the direction that turns with the tokens."""
    return inner(row(SPHERE.at(t), one), along(t))


@cache
def direction_keeps_unit_norm() -> Theorem:
    """|v W^{(0)} ... W^{(t-1)}| = 1 up to the last layer."""
    norm = lambda t: inner(along(t), along(t))  # noqa: E731
    begun = lambda k: recursion_start(turning, k)  # noqa: E731
    first = multiplied(begun, begun, d)
    start = linked(Compare(norm(0), "=", 1), first, instance(unit_direction, Integer(1)))
    kept = rotation_keeps_products(along(t), along(t), SPHERE.value(t), SPHERE.orthogonal(t))
    same, again = (turned_product(t, a) for a in (along(t + 1), turned_by(t)))
    before = assume(Compare(norm(t), "=", 1))
    step = linked(Compare(norm(t + 1), "=", 1), kept, same, again, before)
    return to_last_layer(start, step, t, T)


def turned_by(t: Any) -> Row:
    """The direction of a layer turned by the layer's value matrix."""
    return rotated(along(t), SPHERE.value(t))


def turned_product(t: Any, other: Row) -> Theorem:
    """<v^{(t+1)}, y> = <v^{(t)} W^{(t)}, y>."""
    term = weighed(other, lambda k: recursion_step(turning, t, k), d)
    left, right = inner(along(t + 1), other), inner(turned_by(t), other)
    return linked(Compare(left, "=", right), term)


def heights_stay(heights: Theorem) -> Theorem:
    """<(AXW)_i, v^{(t)} W> >= g: an average of heights."""
    weights, rows = entry(attention), SPHERE.at(t)
    own = lambda k: weights(t, i, k)  # noqa: E731
    mixed = combination(own, rows)
    kept = rotation_keeps_products(mixed, along(t), SPHERE.value(t), SPHERE.orthogonal(t))
    inside = combination_inside(own, rows, along(t))
    sign = SPHERE.sign(t, i)
    below = weighed(own, lambda k: instance(heights, k), N, lambda k: instance(sign, k))
    total = at_places(SPHERE.stochastic, t, i)
    return linked(
        Compare(inner(SPHERE.moved(t, i), turned_by(t)), ">=", margin), kept, inside, below, total
    )


@cache
def norms_before_layernorm() -> Theorem:
    """For all layers and tokens: unit tokens, heights above g, and g^2 <= |(AXW)_i|^2 <= 1."""
    unit = lambda t: ForAll(i, 1, N, Compare(SPHERE.product(t, i, i), "=", 1))  # noqa: E731
    high = lambda t: ForAll(i, 1, N, Compare(height(t, i), ">=", margin))  # noqa: E731
    case = assume(And((unit(t), high(t))))
    lower, upper, raised = one_layer(part(case, 0), part(case, 1))
    positive = joint(Compare(SPHERE.squared_norm(t, i), ">", 0), lower)
    step = both(generalise(SPHERE.unit_after(t, i, positive), i, 1, N), generalise(raised, i, 1, N))
    start_rows = lambda k: entry(direction)(1, k)  # noqa: E731
    first = joint(Compare(SPHERE.product(0, i, i), "=", 1), SPHERE.start(i, i), instance(units, i))
    begun = multiplied(
        lambda k: recursion_start(SPHERE.tokens, i, k), lambda k: recursion_start(turning, k), d
    )
    enough = assume(ForAll(i, 1, N, Compare(inner(row(x, i), start_rows), ">=", margin)))
    above = linked(Compare(height(0, i), ">=", margin), begun, instance(enough, i))
    start = both(generalise(first, i, 1, N), generalise(above, i, 1, N))
    every = instance(to_last_layer(start, step, t, T), t)
    bounds = both(lower, upper)
    below_last = assume(Compare(t, "<=", T - 1))
    return for_all(cut(cut(bounds, every), below_last), (t, 0, T - 1), (i, N))


def one_layer(unit: Theorem, heights: Theorem) -> tuple[Theorem, Theorem, Theorem]:
    """g^2 <= |(AXW)_i|^2, |(AXW)_i|^2 <= 1, and the height after LayerNorm, from unit tokens."""
    moved, norm, turned = SPHERE.moved(t, i), SPHERE.squared_norm(t, i), turned_by(t)
    average, upper = heights_stay(heights), SPHERE.short(t, i, unit)
    kept = rotation_keeps_products(along(t), along(t), SPHERE.value(t), SPHERE.orthogonal(t))
    unit_turned = joint(
        Compare(inner(turned, turned), "=", 1), kept, instance(direction_keeps_unit_norm(), t)
    )
    schwarz = cauchy_schwarz(moved, turned)
    lower = joint(Compare(norm, ">=", margin**2), schwarz, unit_turned, average)
    raised = linked(
        Compare(height(t + 1, i), ">=", margin), SPHERE.projected(t, i, along(t + 1)),
        turned_product(t, moved), average, lower, upper,
    )  # fmt: skip
    return lower, upper, raised


def above_all_heights() -> tuple[Theorem, Theorem, Expr]:
    """The least product with v is below all of them, and positive."""
    least = least_product()
    product = lambda n: inner(row(x, n), lambda q: entry(direction)(1, q))  # noqa: E731
    below = generalise(joint(Compare(product(i), ">=", least), extremum_bounds(least, i)), i, 1, N)
    positive = joint(Compare(product(i), ">", 0), instance(positive_products, i))
    return below, extremum_compared(generalise(positive, i, 1, N), MinOver), least


@proves(claims.layernorm_scales_are_bounded)
def by_the_direction_of_the_hemisphere(claim: Claim) -> Certificate:
    """Heights over the turning direction are averaged and then raised, so norms stay above gamma."""
    domain, over = claims.theorem_2, ((t, 0, T - 1), (i, 1, N))
    below, positive, least = above_all_heights()
    norms = cut(substitute(norms_before_layernorm(), {margin: least}), below, positive)
    size = unfold(scale(t, i), 1 / sqrt(SPHERE.squared_norm(t, i)), domain, over)
    value = unfold(gamma, least, domain)
    bounds = Compare(1, "<=", scale(t, i)) & Compare(scale(t, i), "<=", 1 / gamma)
    ends = joint(bounds, at_places(norms, t, i), size, value, positive)
    theorem = for_all(ends, (t, 0, T - 1), (i, N))
    return conclude(claim, theorem, method="heights over a direction that turns with the tokens")
