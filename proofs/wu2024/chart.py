r"""Tokens in an open hemisphere, in the chart in which a layer with LayerNorm averages them.

Value matrices turn all tokens together, so that inner products are those of the dynamics without
them, Y.  Let h_i = <Y_i, v> for a unit vector v that makes an acute angle with every initial token.
In the chart z_i = Y_i/h_i a layer is an average, whatever LayerNorm divides by,

    z'_i = sum_j w_ij z_j,    w_ij = A_ij h_j / sum_k A_ik h_k,

and w_ij >= eps g on edges, where g <= h <= 1.  So each feature of z contracts as tokens do without
LayerNorm, and |Y_i - Y_j| <= |z_i - z_j|, since |z| >= 1.

Free symbols: t the number of layers, eps the floor of the attention, g that of the heights at the
start.  Hypotheses are facts of `Direction`, `UnitRows` and `AttentionSequence`.
"""

from __future__ import annotations

from functools import cache, partial
from typing import Any

from sympy import Expr, Integer, Symbol, sqrt, symbols

from claims.statement import And, Compare, ForAll, Formula
from claims.terms import MaxOver, MinOver, Recursion, entry
from claims.wu2024.cone import direction
from claims.wu2024.masks import Graphs
from claims.wu2024.notation import G, N, X, attention, d, epsilon, r, t
from claims.wu2024.setup import AttentionSequence
from claims.wu2024.unit_tokens import Direction, UnitRows
from proofs.calculation import (
    algebra,
    at_places,
    extremum_over,
    linked,
    multiplied,
    sums_compared,
    weighed,
)
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
)
from proofs.wu2024.averages import Averages, i, j, period_factor
from proofs.wu2024.norms import (
    Row,
    cauchy_schwarz,
    combination_inside,
    entry_below_norm,
    inner,
    minus,
    polarised,
    products_at_most_one,
    row,
    summed,
)
from proofs.wu2024.spherical import Unturned, to_last_layer

m = Symbol("m", integer=True)
layer = Symbol("u", integer=True, nonnegative=True)
floor, margin = symbols("e g", positive=True)
x, weights = entry(X), entry(attention)
attending = AttentionSequence(attention, floor=floor, length=t)
stochastic, signs, floors, *_ = (assume(f) for f in attending.facts())
unit_direction = assume(Direction(direction, tokens=X).facts()[0])
(units,) = (assume(f) for f in UnitRows(X).facts())
marks = assume(Graphs().facts()[1])
FRAME = Unturned(stochastic, signs)


def upward(k: Any) -> Expr:
    """v."""
    return entry(direction)(1, k)


def product_with_direction(one: Any) -> Expr:
    """<X_i, v> at the start."""
    return inner(row(x, one), upward)


heights_at_the_start = assume(ForAll(i, 1, N, Compare(product_with_direction(i), ">=", margin)))


def mean(u: Any, one: Any, values: Row) -> Expr:
    """sum_j A_ij y_j."""
    return summed(lambda k: weights(u, one, k) * values(k), N)


height = Recursion(
    "h",
    product_with_direction,
    lambda u, i, before: mean(u, i, before) / sqrt(FRAME.squared_norm(u, i)),
)


def mean_height(u: Any, one: Any) -> Expr:
    """sum_k A_ik h_k."""
    return mean(u, one, lambda k: height(u, k))


def share(u: Any, one: Any, other: Any) -> Expr:
    """w_ij."""
    return weights(u, one, other) * height(u, other) / mean_height(u, one)


chart = Recursion(
    "z",
    lambda i, k: x(i, k) / height(0, i),
    lambda u, i, k, before: summed(lambda j: share(u, i, j) * before(j, k), N),
)


def everyone(formula: Formula) -> Formula:
    return ForAll(i, 1, N, formula)


def case(u: Any) -> And:
    """At a layer: unit tokens, heights above g, which are those over v, and the chart."""
    return And((
        everyone(Compare(FRAME.product(u, i, i), "=", 1)),
        everyone(Compare(height(u, i), ">=", margin)),
        everyone(Compare(inner(row(FRAME.at(u), i), upward), "=", height(u, i))),
        everyone(ForAll(m, 1, d, Compare(chart(u, i, m) * height(u, i), "=", FRAME.tokens(u, i, m)))),
    ))  # fmt: skip


# One layer ----------------------------------------------------------------------------------------


def height_at_most_one(known: Theorem, u: Any, one: Any) -> Theorem:
    """h_i <= 1: a product of unit vectors."""
    unit, _, along, _ = (part(known, n) for n in range(4))
    token = row(FRAME.at(u), one)
    below = products_at_most_one(
        token, upward, instance(unit, one), instance(unit_direction, Integer(1))
    )
    return joint(Compare(height(u, one), "<=", 1), below, instance(along, one))


def mean_height_in_range(known: Theorem, u: Any, one: Any) -> Theorem:
    """g <= sum_k A_ik h_k <= 1."""
    high, sign = part(known, 1), FRAME.sign(u, one)
    total = at_places(stochastic, u, one)
    whole = mean_height(u, one)

    own, signs_ = (lambda k: weights(u, one, k)), (lambda k: instance(sign, k))
    low = weighed(own, lambda k: instance(high, k), N, signs_)
    top = weighed(own, lambda k: height_at_most_one(known, u, k), N, signs_)
    return linked(Compare(whole, ">=", margin) & Compare(whole, "<=", 1), low, top, total)


def projection(known: Theorem, u: Any, one: Any) -> Theorem:
    """<(AY)_i, v> = sum_k A_ik h_k."""
    own = lambda k: weights(u, one, k)  # noqa: E731
    inside = combination_inside(own, FRAME.at(u), upward)
    along = part(known, 2)
    term = weighed(own, lambda k: instance(along, k), N)
    return linked(
        Compare(inner(FRAME.moved(u, one), upward), "=", mean_height(u, one)), inside, term
    )


def norm_in_range(known: Theorem, u: Any, one: Any) -> Theorem:
    """0 < |(AY)_i|^2 <= 1."""
    moved, norm = FRAME.moved(u, one), FRAME.squared_norm(u, one)
    raised, unit = mean_height_in_range(known, u, one), instance(unit_direction, Integer(1))
    schwarz, along = cauchy_schwarz(moved, upward), projection(known, u, one)
    above = joint(Compare(inner(moved, upward), ">=", margin), along, raised)
    lower = joint(Compare(norm, ">", 0), schwarz, above, unit)
    return both(lower, FRAME.short(u, one, part(known, 0)))


def next_case(u: Any) -> Theorem:
    """The induction step."""
    known = assume(case(u))
    raised, norms = mean_height_in_range(known, u, i), norm_in_range(known, u, i)
    unit = FRAME.unit_after(u, i, part(norms, 0))
    following, after = recursion_step(height, u, i), FRAME.projected(u, i, upward)
    high = joint(Compare(height(u + 1, i), ">=", margin), following, raised, norms)
    along = joint(
        Compare(after.formula.left, "=", height(u + 1, i)), after, projection(known, u, i),
        following, norms,
    )  # fmt: skip
    theorems = (unit, high, along, generalise(next_in_chart(known, u), m, 1, d))
    return both(*(generalise(theorem, i, 1, N) for theorem in theorems))


def next_in_chart(known: Theorem, u: Any) -> Theorem:
    """z'_i h'_i = Y'_i: with S = sum_k A_ik h_k, sum_j w_ij z_j S = (AY)_i and h'_i = S/|(AY)_i|."""
    raised, norms = mean_height_in_range(known, u, i), norm_in_range(known, u, i)
    whole, moved = mean_height(u, i), FRAME.moved(u, i)(m)
    step = recursion_step(chart, u, i, m)
    term = sums_compared(
        lambda k: joint(
            Compare(share(u, i, k) * chart(u, k, m), "=", weights(u, i, k) * FRAME.tokens(u, k, m) / whole),
            at_places(part(known, 3), k, m),
        ),
        N,
    )  # fmt: skip
    averaged = linked(Compare(chart(u + 1, i, m), "=", moved / whole), step, term)
    return joint(
        Compare(chart(u + 1, i, m) * height(u + 1, i), "=", FRAME.tokens(u + 1, i, m)), averaged,
        recursion_step(height, u, i), recursion_step(FRAME.tokens, u, i, m), raised, norms,
    )  # fmt: skip


# All layers ---------------------------------------------------------------------------------------


def first_case() -> Theorem:
    """Before the first layer."""
    begun = recursion_start(height, i)
    unit = joint(Compare(FRAME.product(0, i, i), "=", 1), FRAME.start(i, i), instance(units, i))
    high = joint(Compare(height(0, i), ">=", margin), begun, instance(heights_at_the_start, i))
    same = weighed(upward, lambda k: recursion_start(FRAME.tokens, i, k), d)
    left = inner(row(FRAME.at(0), i), upward)
    along = linked(Compare(left, "=", height(0, i)), same, begun)
    coordinate = joint(
        Compare(chart(0, i, m) * height(0, i), "=", FRAME.tokens(0, i, m)),
        recursion_start(chart, i, m), recursion_start(FRAME.tokens, i, m), high,
    )  # fmt: skip
    theorems = (unit, high, along, generalise(coordinate, m, 1, d))
    return both(*(generalise(theorem, i, 1, N) for theorem in theorems))


@cache
def case_at_every_layer() -> Theorem:
    """For all layers up to the last: the case."""
    return to_last_layer(first_case(), next_case(layer), layer, t)


def at_layer(u: Any) -> Theorem:
    """The case at a layer that is not past the last."""
    return instance(case_at_every_layer(), u)


@cache
def shares() -> tuple[Theorem, ...]:
    """Of every layer: the weights w sum to one, are not negative, and reach eps g on edges."""
    u = Symbol("layer", integer=True)
    known = at_layer(u)
    raised = mean_height_in_range(known, u, i)
    high, weight = instance(part(known, 1), j), at_places(signs, u, i, j)
    total = summed(lambda k: share(u, i, k), N)
    one = linked(Compare(total, "=", 1), raised)
    sign = joint(Compare(share(u, i, j), ">=", 0), raised, high, weight)
    edge = entry(G)(j, i)
    reached = joint(
        Compare(share(u, i, j), ">=", floor * margin * edge), raised, high, weight,
        at_places(floors, u, i, j), at_places(marks, j, i),
    )  # fmt: skip
    before_last = assume(Compare(u, "<=", t - 1))
    positive = joint(Compare(mean_height(u, i), ">", 0), raised)
    theorems = (one, generalise(sign, j, 1, N), generalise(reached, j, 1, N), positive)
    return tuple(
        generalise(cut(generalise(cut(theorem, positive), i, 1, N), before_last), u, 0, t - 1)
        for theorem in theorems
    )


FEATURE = Averages(chart, t, (m,), share, lambda u, one: Compare(mean_height(u, one), ">", 0))
"""A feature of the chart: an average in every layer."""


@cache
def widths_decay(u: Any) -> Theorem:
    """width(z_m) <= (1 - (eps g)^r)^(u/r - (r-1)/r) times its width at the start."""
    small = margin_at_most_one()
    below = joint(Compare(floor * margin, "<", 1), small, given=(Compare(floor, "<", 1),))
    return cut(substitute(FEATURE.decays(u), {epsilon: floor * margin}), *shares(), below)


@cache
def margin_at_most_one() -> Theorem:
    """g <= 1: it is below a product of unit vectors."""
    known = at_layer(Integer(0))
    low, top = instance(part(known, 1), Integer(1)), height_at_most_one(known, 0, Integer(1))
    return joint(Compare(margin, "<=", 1), low, top)


# Distances ----------------------------------------------------------------------------------------


def decay(u: Any) -> Expr:
    """(1 - (eps g)^r)^(u/r - (r-1)/r)."""
    return (1 - (floor * margin) ** r) ** (u / r - (r - 1) / r)


def width_bound(u: Any) -> Expr:
    """2/g times as much, above the width of every feature of the chart."""
    return 2 / margin * decay(u)


@cache
def width_at_the_start() -> Theorem:
    """width(z_m) <= 2/g before the first layer: |X_im| <= 1 and h_i >= g."""
    one = Symbol("a", integer=True)
    coordinate = entry_below_norm(row(x, one), m)
    high = instance(part(at_layer(Integer(0)), 1), one)
    value = chart(0, one, m)
    inside = linked(
        Compare(value, "<=", 1 / margin) & Compare(value, ">=", -1 / margin),
        recursion_start(chart, one, m), coordinate, instance(units, one), high,
    )  # fmt: skip
    top, bottom = (
        extremum_over(kind, part(inside, n), (one, N)) for n, kind in enumerate((MaxOver, MinOver))
    )
    return joint(Compare(FEATURE.width(0), "<=", 2 / margin), top, bottom)


@cache
def width_of_feature(u: Any) -> Theorem:
    """0 <= width(z_m) <= 2/g (1 - (eps g)^r)^(u/r - (r-1)/r) at a layer that is not past the last."""
    width, least = FEATURE.width(u), FEATURE.not_negative(u)
    positive = joint(Compare(decay(u), ">", 0), contraction_below_one())
    return joint(
        Compare(width, ">=", 0) & Compare(width, "<=", width_bound(u)), widths_decay(u),
        width_at_the_start(), least, positive,
    )  # fmt: skip


@cache
def contraction_below_one() -> Theorem:
    """0 < 1 - (eps g)^r < 1."""
    small = joint(
        Compare(floor * margin, "<", 1), margin_at_most_one(), given=(Compare(floor, "<", 1),)
    )
    return cut(substitute(period_factor(), {epsilon: floor * margin}), small)


def chart_is_wider(one: tuple[Any, Any], other: tuple[Any, Any]) -> Theorem:
    """2 - 2 <Y_i, Y_j> <= |z_i - z_j|^2 for tokens, each at a layer: |z| = 1/h >= 1."""
    (u, a), (w, b) = one, other
    cases = [at_layer(u), at_layer(w)]
    rows = [lambda k, p=p: chart(*p, k) for p in (one, other)]
    tokens = [row(FRAME.at(u), a), row(FRAME.at(w), b)]
    heights = [height(*p) for p in (one, other)]

    def scaled(p: int, q: int) -> Theorem:
        """<z_p, z_q> h_p h_q = <Y_p, Y_q>."""
        coordinate = [at_places(part(cases[n], 3), (a, b)[n]) for n in (p, q)]
        first, second = (partial(instance, c) for c in coordinate)
        term = multiplied(first, second, d)
        goal = inner(rows[p], rows[q]) * heights[p] * heights[q]
        return linked(Compare(goal, "=", inner(tokens[p], tokens[q])), term)

    unit = [instance(part(known, 0), n) for known, n in zip(cases, (a, b), strict=True)]
    ranges = [
        joint(
            Compare(height(*at), ">", 0) & Compare(height(*at), "<=", 1),
            instance(part(known, 1), at[1]), height_at_most_one(known, *at),
        )
        for known, at in zip(cases, (one, other), strict=True)
    ]  # fmt: skip
    p, q, c, e, g, h = symbols("p q c e g h", real=True)
    given = (
        Compare(p * g**2, "=", 1), Compare(q * h**2, "=", 1), Compare(e * g * h, "=", c),
        Compare(g, ">", 0), Compare(g, "<=", 1), Compare(h, ">", 0), Compare(h, "<=", 1),
        Compare(c, "<=", 1),
    )  # fmt: skip
    terms = {
        p: inner(rows[0], rows[0]), q: inner(rows[1], rows[1]), e: inner(*rows), c: inner(*tokens),
        g: heights[0], h: heights[1],
    }  # fmt: skip
    lengths = [scaled(0, 0), scaled(1, 1), scaled(0, 1)]
    wider = algebra(
        Compare(2 - 2 * c, "<=", p + q - 2 * e), given, terms, *lengths, *unit, *ranges,
        products_at_most_one(tokens[0], tokens[1], *unit),
    )  # fmt: skip
    gap = minus(*rows)
    return joint(Compare(2 - 2 * inner(*tokens), "<=", inner(gap, gap)), wider, polarised(*rows))
