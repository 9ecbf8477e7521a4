r"""Proofs about the least cosine, for every number of tokens and features.

By induction over layers, for tokens at no obtuse angle and any f below all cosines at the start:

    <X_i, X_j> >= f + (1 - f) eps^{2s} K_s(i, j)        after s layers,

where K_s counts the columns in which both rows of the s-step product are positive: one for a centre
that reaches both tokens in s steps, or the sum over all columns.  Averaging costs eps^2 for the next
step, and LayerNorm only raises products that are not negative, since it divides by norms below one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from sympy import Expr, Integer, KroneckerDelta, floor, sqrt, symbols

from claims.model import Claim
from claims.statement import And, Compare, ForAll, Formula
from claims.terms import MinOver, entry
from claims.wu2024 import cosines as claims
from claims.wu2024.lengths import i, j, phi
from claims.wu2024.notation import WV, N, X, attention, epsilon, r, t
from claims.wu2024.reach import R, centre, reach, reached_by_all, reached_by_centre
from claims.wu2024.setup import AcuteRows, AttentionSequence, Orthogonal
from proofs.certificate import Certificate
from proofs.conclude import argued, conclude
from proofs.facts import DELTA, INTEGER_PART, POWER_FALLS
from proofs.kernel import (
    Theorem,
    assume,
    both,
    cut,
    extremum_compared,
    fact,
    generalise,
    instance,
    joint,
    part,
    recursion_start,
    substitute,
    sum_at_least_term,
    unfold,
)  # fmt: skip
from proofs.registry import proves
from proofs.wu2024.lengths import cosine_of, least_cosine, least_cosine_bounds
from proofs.wu2024.norms import (
    equal_sums,
    exchanged,
    inner,
    picked,
    place,
    spread_of_unit_rows,
    squared_spread_is_nonnegative,
    summed,
    sums_compared,
)  # fmt: skip
from proofs.wu2024.reach import average_of_reach, reach_is_nonnegative, self_loops
from proofs.wu2024.spherical import Sphere, to_last_layer

SPHERE = "all N, d >= 1, all unit tokens at no obtuse angle, all orthogonal value matrices"
s = symbols("s", integer=True, nonnegative=True)
f = symbols("f", real=True)
"""A number below all cosines at the start, from zero to one."""


def everywhere(theorem: Theorem) -> Theorem:
    """For all pairs of tokens."""
    return generalise(generalise(theorem, j, 1, N), i, 1, N)


def at(theorem: Theorem, one: Any, other: Any) -> Theorem:
    """One pair."""
    return instance(instance(theorem, one), other)


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
        return _sphere(self.layers)

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
def _sphere(layers: Any) -> Sphere:
    stochastic, signs, *_ = (assume(f) for f in AttentionSequence(attention, length=layers).facts())
    orthogonal = assume(Orthogonal(WV).facts()[0])
    return Sphere(lambda t: entry(WV), lambda t: orthogonal, stochastic, signs)


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
                layer, steps, c, n, instance(instance(signs, layer), n),
                instance(instance(floors, layer), n),
            )
            for n in (i, j)
        ]  # fmt: skip
        Compare(
            epsilon**2 * reach(steps + 1, c, i) * reach(steps + 1, c, j), "<=",
            average(c, i) * average(c, j),
        )  # fmt: skip
        a, b, u, v = symbols("a b u v", real=True)
        products = joint(
            Compare(epsilon**2 * u * v, "<=", a * b),
            given=(
                Compare(a, ">=", epsilon * u), Compare(b, ">=", epsilon * v), Compare(u, ">=", 0),
                Compare(v, ">=", 0),
            ),
        )  # fmt: skip
        put = {
            a: average(c, i), b: average(c, j), u: reach(steps + 1, c, i),
            v: reach(steps + 1, c, j),
        }  # fmt: skip
        return cut(substitute(products, put), *sides, at(known, c, i), at(known, c, j))

    if not acute.everyone:
        return column(centre)
    total = sums_compared(column, N)
    gathered = equal_sums(total.formula.left, epsilon**2 * acute.shared(steps + 1, i, j))
    return joint(Compare(gathered.formula.right, "<=", total.formula.right), total, gathered)


def averaged_bound(acute: Acute, layer: Any, steps: Any, before: Theorem) -> Theorem:
    """sum_ab A_ia A_jb (f + h K_s(a, b)) = f + h (the products of averages)."""
    weights, h = entry(attention), (1 - f) * epsilon ** (2 * steps)
    pair = lambda a, b: f + h * acute.shared(steps, a, b)  # noqa: E731
    stochastic, signs = acute.sphere.stochastic, acute.sphere.signs
    ones = [instance(instance(stochastic, layer), n) for n in (i, j)]
    sign = lambda n, a: instance(instance(instance(signs, layer), n), a)  # noqa: E731
    average = lambda c, n: summed(lambda a: weights(layer, n, a) * reach(steps, c, a), N)  # noqa: E731

    def inner_row(a: Any) -> Theorem:
        """A_ia sum_b A_jb <X_a, X_b> >= A_ia (f + h sum_b A_jb K(a, b))."""
        below = sums_compared(
            lambda b: joint(
                Compare(weights(layer, j, b) * acute.product(steps, a, b), ">=",
                        weights(layer, j, b) * pair(a, b)),
                at(before, a, b), sign(j, b),
            ),
            N,
        )  # fmt: skip
        split, goal_side = _split_row(acute, steps, layer, a, h)
        left = summed(lambda b: weights(layer, j, b) * acute.product(steps, a, b), N)
        inside = joint(
            Compare(left, ">=", goal_side), below, equal_sums(below.formula.left, left),
            equal_sums(below.formula.right, split.formula.left), split, ones[1],
        )  # fmt: skip
        return joint(
            Compare(weights(layer, i, a) * left, ">=", weights(layer, i, a) * goal_side), inside,
            sign(i, a),
        )  # fmt: skip

    outer = sums_compared(inner_row, N)
    whole = acute.sphere.averaged(acute.start + steps, i, j)
    if acute.everyone:
        products = summed(lambda c: average(c, i) * average(c, j), N)
        swap = exchanged(
            lambda a, c: weights(layer, i, a) * reach(steps, c, a) * average(c, j), N, N
        )
        last = f * ones[0].formula.left + h * swap.formula.left
        extra = [
            swap, equal_sums(swap.formula.right, products),
        ]  # fmt: skip
    else:
        products = average(centre, i) * average(centre, j)
        last, extra = f * ones[0].formula.left + h * products, []
    return joint(
        Compare(whole, ">=", f + h * products), outer, equal_sums(outer.formula.left, whole),
        equal_sums(outer.formula.right, last), ones[0], *extra,
    )  # fmt: skip


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
    split = joint(
        Compare(left, "=", f * total + h * side), swap,
        equal_sums(left, f * total + h * swap.formula.left), equal_sums(swap.formula.right, side),
    )  # fmt: skip
    return split, f + h * side


def next_layer(acute: Acute) -> Theorem:
    """The induction step: one layer more costs eps^2."""
    layer, case = acute.start + s, acute.case(s)
    units, pairs = (part(assume(case), n) for n in (0, 1))
    averaged = averaged_bound(acute, layer, s, pairs)
    carried = weighted_pairs(acute, layer, s)
    raw = inner(acute.sphere.moved(layer, i), acute.sphere.moved(layer, j))
    h = (1 - f) * epsilon ** (2 * s)
    b, k, u, e = symbols("b k u e", real=True)
    grown = joint(
        Compare(u, ">=", f + e * epsilon**2 * k),
        given=(Compare(u, ">=", f + e * b), Compare(b, ">=", epsilon**2 * k), Compare(e, ">=", 0)),
    )  # fmt: skip
    put = {
        u: raw, e: h, b: carried.formula.right, k: acute.shared(s + 1, i, j),
    }  # fmt: skip
    before = acute.sphere.products_before_layernorm(layer, i, j)
    power = joint(Compare(h, ">=", 0), given=FLOOR)
    lower = cut(
        substitute(grown, put),
        joint(Compare(raw, ">=", f + h * carried.formula.right), averaged, before),
        carried, power,
    )  # fmt: skip
    shares = shared_is_nonnegative(acute, s + 1)
    acute_now = everywhere(joint(
        Compare(acute.product(s, i, j), ">=", 0), at(pairs, i, j), shared_is_nonnegative(acute, s),
        given=FLOOR,
    ))  # fmt: skip
    positive = [norm_is_positive(acute, layer, n, units, acute_now) for n in (i, j)]
    short = [acute.sphere.short(layer, n, units) for n in (i, j)]
    after = acute.sphere.products_after_layernorm(layer, i, j)
    q, p, w = symbols("q p w", real=True)
    raised = joint(
        Compare(q / (sqrt(p) * sqrt(w)), ">=", q),
        given=(
            Compare(q, ">=", 0), Compare(p, ">", 0), Compare(p, "<=", 1), Compare(w, ">", 0),
            Compare(w, "<=", 1),
        ),
    )  # fmt: skip
    norms = [acute.sphere.squared_norm(layer, n) for n in (i, j)]
    sign = joint(Compare(raw, ">=", 0), lower, shares, power, given=FLOOR)
    above = cut(substitute(raised, {q: raw, p: norms[0], w: norms[1]}), sign, *positive, *short)
    pair = joint(
        Compare(acute.product(s + 1, i, j), ">=", acute.bound(s + 1, i, j)), above, after, lower
    )
    unit = acute.sphere.unit_after(layer, i, positive[0])
    return both(generalise(unit, i, 1, N), everywhere(pair))


def shared_is_nonnegative(acute: Acute, steps: Any) -> Theorem:
    """K_s(i, j) >= 0."""
    known = instance(reach_is_nonnegative(), steps)
    column = lambda c: joint(  # noqa: E731
        Compare(reach(steps, c, i) * reach(steps, c, j), ">=", 0), at(known, c, i), at(known, c, j)
    )
    if not acute.everyone:
        return column(centre)
    total = sums_compared(column, N)
    return joint(
        Compare(acute.shared(steps, i, j), ">=", 0), total, equal_sums(total.formula.right, 0),
        equal_sums(total.formula.left, acute.shared(steps, i, j)),
    )  # fmt: skip


def norm_is_positive(acute: Acute, layer: Any, n: Any, units: Theorem, pairs: Theorem) -> Theorem:
    """|(AXW)_n|^2 > 0: token n keeps at least eps^2 of itself, and no product is negative."""
    weights, sphere = entry(attention), acute.sphere
    sign = lambda a: instance(instance(instance(sphere.signs, layer), n), a)  # noqa: E731
    floor_ = instance(instance(instance(acute.floors, layer), n), n)
    loop = instance(self_loops, n)

    def row_sum(a: Any) -> Expr:
        return summed(lambda b: weights(layer, n, b) * sphere.product(layer, a, b), N)

    def nonnegative_row(a: Any) -> Theorem:
        term = sums_compared(
            lambda b: joint(
                Compare(weights(layer, n, b) * sphere.product(layer, a, b), ">=", 0),
                at(pairs, a, b), sign(b),
            ),
            N,
        )  # fmt: skip
        return joint(
            Compare(weights(layer, n, a) * row_sum(a), ">=", 0), term, sign(a),
            equal_sums(term.formula.left, row_sum(a)), equal_sums(term.formula.right, 0),
        )  # fmt: skip

    a, b = place("a"), place("b")
    outer = sum_at_least_term(generalise(nonnegative_row(a), a, 1, N), n)
    inside = sum_at_least_term(
        generalise(
            joint(
                Compare(weights(layer, n, b) * sphere.product(layer, n, b), ">=", 0),
                at(pairs, n, b), sign(b),
            ),
            b, 1, N,
        ),
        n,
    )  # fmt: skip
    own = joint(
        Compare(row_sum(n), ">=", epsilon), inside, instance(units, n), floor_, loop,
        equal_sums(inside.formula.left, row_sum(n)),
    )  # fmt: skip
    before = sphere.products_before_layernorm(layer, n, n)
    return joint(
        Compare(sphere.squared_norm(layer, n), ">", 0), before, outer, own, floor_, loop,
        equal_sums(outer.formula.left, sphere.averaged(layer, n, n)),
        equal_sums(outer.formula.right, weights(layer, n, n) * row_sum(n)),
    )  # fmt: skip


def first_case(acute: Acute) -> Theorem:
    """After no layer: the column of a centre is positive at the centre alone, where a cosine is one."""
    units, pairs = _start(acute)
    product = lambda a, b: acute.product(0, a, b)  # noqa: E731
    m, own = place("m"), at(pairs, i, j)
    if acute.everyone:
        delta = KroneckerDelta(i, j)
        equal = fact(DELTA, a=i, b=j, term=product(m, j), place=m)
        picked_ = picked(lambda c: KroneckerDelta(c, i), j, N)
        column = sums_compared(
            lambda c: joint(
                Compare(reach(0, c, i) * reach(0, c, j), "=",
                        KroneckerDelta(c, i) * KroneckerDelta(c, j)),
                recursion_start(reach, c, i), recursion_start(reach, c, j),
            ),
            N,
        )  # fmt: skip
        shared = joint(
            Compare(acute.shared(0, i, j), "=", delta), column, picked_,
            equal_sums(column.formula.left, acute.shared(0, i, j)),
            equal_sums(column.formula.right, picked_.formula.left),
        )  # fmt: skip
        facts = (equal, instance(units, j))
    else:
        delta = KroneckerDelta(centre, i) * KroneckerDelta(centre, j)
        first = fact(DELTA, a=centre, b=i, term=product(m, j), place=m)
        second = fact(DELTA, a=centre, b=j, term=product(centre, m), place=m)
        shared = joint(
            Compare(acute.shared(0, i, j), "=", delta), recursion_start(reach, centre, i),
            recursion_start(reach, centre, j),
        )  # fmt: skip
        facts = (first, second, instance(units, centre))
    a, g = symbols("a g", real=True)
    settled = joint(
        Compare(delta * (1 - delta), "=", 0) & Compare(delta * product(i, j), "=", delta), *facts
    )
    cases = joint(
        Compare(g, ">=", f + (1 - f) * a),
        given=(Compare(a * (1 - a), "=", 0), Compare(a * g, "=", a), Compare(g, ">=", f)),
    )
    terms = {a: delta, g: product(i, j)}
    above = cut(substitute(cases, terms), part(settled, 0), part(settled, 1), own)
    pair = joint(Compare(product(i, j), ">=", acute.bound(0, i, j)), above, shared)
    return both(generalise(instance(units, i), i, 1, N), everywhere(pair))


def _start(acute: Acute) -> tuple[Theorem, Theorem]:
    """What is assumed of the tokens at the start."""
    unit = ForAll(i, 1, N, Compare(acute.product(0, i, i), "=", 1))
    pair = ForAll(i, 1, N, ForAll(j, 1, N, Compare(acute.product(0, i, j), ">=", f)))
    return assume(unit), assume(pair)


@cache
def followed(layers: Any, start: Any, everyone: bool) -> Theorem:
    """For all s up to the last layer: the bound after s layers."""
    acute = Acute(layers, start, everyone)
    return to_last_layer(first_case(acute), next_layer(acute), s, layers - start)


def after(acute: Acute, steps: Any) -> tuple[Theorem, Theorem]:
    """Unit tokens, and <X_i, X_j> >= f + (1 - f) q for all pairs, once all columns are reached."""
    case = instance(followed(acute.layers, acute.start, acute.everyone), steps)
    reached = assume((reached_by_all if acute.everyone else reached_by_centre).formula)
    if acute.everyone:
        ones = sums_compared(
            lambda c: joint(
                Compare(reach(steps, c, i) * reach(steps, c, j), "=", 1), at(reached, c, i),
                at(reached, c, j),
            ),
            N,
        )  # fmt: skip
        shared = joint(
            Compare(acute.shared(steps, i, j), "=", N), ones, equal_sums(ones.formula.right, N),
            equal_sums(ones.formula.left, acute.shared(steps, i, j)),
        )  # fmt: skip
    else:
        every = part(reached, 2)
        shared = joint(
            Compare(acute.shared(steps, i, j), "=", 1), instance(every, i), instance(every, j)
        )
        case = cut(case, part(reached, 0), part(reached, 1))
    bound = f + (1 - f) * (N if acute.everyone else 1) * epsilon ** (2 * steps)
    pair = joint(Compare(acute.product(steps, i, j), ">=", bound), at(part(case, 1), i, j), shared)
    return part(case, 0), everywhere(pair)


# One period ---------------------------------------------------------------------------------------


def least_of(product: Callable[[Any, Any], Expr]) -> Expr:
    """The least value over all pairs."""
    a, b = place("a"), place("b")
    return MinOver(MinOver(product(a, b), (b, 1, N)), (a, 1, N))


def least_is_above(every: Theorem) -> Theorem:
    """From `product(i, j) >= c` for all pairs: the least is at least c."""
    inside = extremum_compared(instance(every, i), MinOver)
    return extremum_compared(generalise(inside, i, 1, N), MinOver)


def at_the_start(acute: Acute, bound: Expr, below: Callable[[Any, Any], Theorem]) -> list[Theorem]:
    """The hypotheses of `followed` from those of the domain, for tokens X and a bound of theirs."""
    known = assume(AcuteRows(X).facts()[0])
    sphere = acute.sphere
    unit = joint(Compare(sphere.product(0, i, i), "=", 1), sphere.start(i, i), instance(known, i))
    pair = joint(Compare(sphere.product(0, i, j), ">=", bound), sphere.start(i, j), below(i, j))
    return [generalise(unit, i, 1, N), everywhere(pair)]


def below_all(one: Any, other: Any) -> Theorem:
    """0 <= <X_i, X_j>."""
    return at(assume(AcuteRows(X).facts()[1]), one, other)


@cache
def period(layers: Any, everyone: bool) -> Theorem:
    """min <X_i, X_j> after `layers` layers is at least phi + (1 - phi) q."""
    acute, least = Acute(layers, Integer(0), everyone), least_cosine()
    _, pairs = after(acute, layers)
    put_ = {f: least}
    range_ = [
        joint(Compare(least, "<=", 1), least_cosine_bounds(Integer(1), Integer(1)),
              instance(assume(AcuteRows(X).facts()[0]), Integer(1))),
        least_is_nonnegative(),
    ]  # fmt: skip
    put_in = cut(substitute(pairs, put_), *range_, *at_the_start(acute, least, least_cosine_bounds))
    return least_is_above(put_in)


def least_is_nonnegative() -> Theorem:
    """phi >= 0 for tokens at no obtuse angle."""
    pair = joint(Compare(cosine_of(i, j), ">=", 0), below_all(i, j))
    return least_is_above(everywhere(pair))


def judged(claim: Claim, printed: Claim, layers: Any, everyone: bool, scope: str) -> Certificate:
    grown = period(layers, everyone)
    size = unfold(claims.phi_after, grown.formula.left, printed.domain)
    least = unfold(phi, least_cosine(), printed.domain)
    share = (N if everyone else 1) * epsilon ** (2 * layers)
    goal = Compare(1 - claims.phi_after, "<=", (1 - share) * (1 - phi))
    return conclude(
        claim, joint(goal, grown, size, least), method="induction over layers", scope=scope
    )


@proves(claims.least_cosine_grows_by_strong_connectivity)
def by_all_columns(claim: Claim) -> Certificate:
    """Within the ordinary diameter R every column of the product is positive, N in all."""
    return judged(
        claim, claims.least_cosine_grows_over_ordinary_diameter, R, True,
        f"{SPHERE}; all strongly connected masks with self-loops",
    )  # fmt: skip


@proves(claims.least_cosine_grows_by_quasi_strong_connectivity)
def by_one_column(claim: Claim) -> Certificate:
    """Within Def. 5's r one column of the product is positive, that of a centre."""
    return judged(
        claim, claims.least_cosine_grows_by_centre, r, False,
        f"{SPHERE}; all quasi-strongly connected masks with self-loops",
    )  # fmt: skip


# Rates --------------------------------------------------------------------------------------------

m, v = symbols("m v", integer=True, nonnegative=True)
_last = symbols("n", integer=True, nonnegative=True)


def share(everyone: bool) -> Expr:
    """q: what one period adds."""
    return N * epsilon ** (2 * R) if everyone else epsilon ** (2 * r)


@cache
def share_is_small(everyone: bool) -> Theorem:
    """0 < q < 1, from N epsilon < 1."""
    steps = R if everyone else r
    small = Compare(epsilon, "<", 1 / N)
    falls = fact(POWER_FALLS, a=epsilon, p=Integer(1), q=2 * steps)
    q = share(everyone)
    known = joint(Compare(epsilon, "<=", 1), given=(small,))
    lower = cut(falls, known, joint(Compare(1, "<=", 2 * steps)))
    return joint(Compare(q, ">", 0) & Compare(q, "<", 1), lower, given=(small,))


@cache
def over_periods(layers: Any, everyone: bool) -> Theorem:
    """After v + m periods: all cosines at least 1 - (1 - q)^m, where n periods end at the last layer."""
    steps, q = R if everyone else r, share(everyone)
    start = symbols("u", integer=True, nonnegative=True)
    acute = Acute(layers, start, everyone)
    units, pairs = after(acute, steps)
    sphere, floor_ = acute.sphere, 1 - (1 - q) ** m
    here = lambda k: v + k * steps  # noqa: E731
    case = lambda k: And((  # noqa: E731
        ForAll(i, 1, N, Compare(sphere.product(here(k), i, i), "=", 1)),
        ForAll(i, 1, N, ForAll(j, 1, N, Compare(
            sphere.product(here(k), i, j), ">=", 1 - (1 - q) ** k))),
    ))  # fmt: skip
    now = assume(case(m))
    small = share_is_small(everyone)
    falls = fact(POWER_FALLS, a=1 - q, p=Integer(0), q=m)
    below_one = cut(falls, joint(Compare(1 - q, ">", 0) & Compare(1 - q, "<=", 1), small))
    power = joint(Compare((1 - q) ** m, ">=", 0), small)
    range_ = [
        joint(Compare(floor_, ">=", 0), below_one), joint(Compare(floor_, "<=", 1), power),
    ]  # fmt: skip
    put_in = {start: here(m), f: floor_}
    fits = assume(Compare(v + (m + 1) * steps, "<=", layers))
    known = [part(now, 0), part(now, 1), *range_, fits]
    unit = cut(substitute(units, put_in), *known)
    grown = cut(substitute(pairs, put_in), *known)
    pair = everywhere(
        joint(
            Compare(sphere.product(here(m + 1), i, j), ">=", 1 - (1 - q) ** (m + 1)),
            at(grown, i, j),
        )
    )
    step = both(unit, pair)
    whole = assume(Compare(v + _last * steps, "=", layers))
    inside = joint(
        Compare(v + (m + 1) * steps, "<=", layers), whole,
        given=(Compare(m + 1, "<=", _last),),
    )  # fmt: skip
    begin = both(*(assume(g) for g in case(Integer(0)).formulas))
    every = to_last_layer(begin, cut(step, inside), m, _last)
    last = part(instance(every, _last), 1)
    return joint(last.formula, last)


def acute_at_the_start(layers: Any, everyone: bool) -> Theorem:
    """Up to the last layer: unit tokens at no obtuse angle."""
    acute = Acute(layers, Integer(0), everyone)
    zero = substitute(followed(layers, Integer(0), everyone), {f: Integer(0)})
    known = cut(zero, *at_the_start(acute, Integer(0), below_all))
    case = instance(known, s)
    shared = shared_is_nonnegative(acute, s)
    pair = joint(Compare(acute.product(s, i, j), ">=", 0), at(part(case, 1), i, j), shared)
    return generalise(both(part(case, 0), everywhere(pair)), s, 0, layers)


@cache
def gap_of_the_network(layers: Any, everyone: bool) -> Theorem:
    """1 - min <X_i, X_j> <= (1 - q)^(layers/period - 1) after all layers."""
    steps, q = R if everyone else r, share(everyone)
    sphere = _sphere(layers)
    whole = floor(layers / steps)
    parts = fact(INTEGER_PART, x=layers / steps)
    count = joint(Compare(whole, ">=", 0), parts)
    rest = joint(Compare(layers - whole * steps, ">=", 0), parts)
    begun = instance(acute_at_the_start(layers, everyone), layers - whole * steps)
    put_in = {v: layers - whole * steps, _last: whole}
    periods = substitute(over_periods(layers, everyone), put_in)
    first = both(
        part(begun, 0),
        everywhere(joint(
            Compare(sphere.product(layers - whole * steps, i, j), ">=", 0), at(part(begun, 1), i, j)
        )),
    )  # fmt: skip
    below = joint(Compare(layers - whole * steps, "<=", layers), count)
    grown = cut(cut(periods, part(first, 0), part(first, 1), count, rest), below, count, rest)
    small = share_is_small(everyone)
    falls = fact(POWER_FALLS, a=1 - q, p=layers / steps - 1, q=whole)
    rate = cut(
        falls, joint(Compare(1 - q, ">", 0) & Compare(1 - q, "<=", 1), small),
        joint(Compare(layers / steps - 1, "<=", whole), parts),
    )  # fmt: skip
    pair = joint(
        Compare(sphere.product(layers, i, j), ">=", 1 - (1 - q) ** (layers / steps - 1)),
        at(grown, i, j), rate,
    )  # fmt: skip
    return cut(everywhere(pair), below)


@cache
def one_period_less(layers: Any, everyone: bool) -> Theorem:
    """(1 - q)^(layers/period - 1) = (1 - q)^(layers/period) / (1 - q)."""
    base, exponent = symbols("b", positive=True), symbols("e", real=True)
    split = joint(Compare(base ** (exponent - 1), "=", base**exponent / base))
    terms = {base: 1 - share(everyone), exponent: layers / (R if everyone else r)}
    small = share_is_small(everyone)
    return cut(substitute(split, terms), joint(Compare(terms[base], ">", 0), small))


@proves(claims.cosine_gap_decays_from_the_start)
def by_periods_from_the_start(claim: Claim) -> Certificate:
    """Whole periods from a gap of at most one, and floor(t/r) >= t/r - 1."""
    domain = claims.cosine_gap_decays_by_one_column.domain
    least = least_is_above(gap_of_the_network(t, False))
    size = unfold(claims.phi_now, least.formula.left, domain)
    q = share(False)
    goal = Compare(1 - claims.phi_now, "<=", 1 / (1 - q) * (1 - q) ** (t / r))
    return conclude(
        claim, joint(goal, least, size, one_period_less(t, False)),
        method="the recursion over whole periods",
        scope=f"{SPHERE}; all quasi-strongly connected masks with self-loops, all t",
    )  # fmt: skip


@cache
def spread_of_the_network(layers: Any) -> Theorem:
    """mu^2 <= N (1 - q)^(layers/r - 1) after all layers."""
    sphere = _sphere(layers)
    pairs = gap_of_the_network(layers, False)
    units = part(instance(acute_at_the_start(layers, False), layers), 0)
    bound = 1 - (1 - share(False)) ** (layers / r - 1)

    def below(a: Any, b: Any) -> Theorem:
        return joint(Compare(bound, "<=", sphere.product(layers, a, b)), at(pairs, a, b))

    return spread_of_unit_rows(sphere.at(layers), units, bound, below)


@proves(claims.spread_decays_by_all_columns)
def by_the_mean_cosine(claim: Claim) -> Certificate:
    """mu^2 is at most N times the cosine gap."""
    domain, squared = claims.spread_decays_by_one_column.domain, spread_of_the_network(t)
    whole = squared.formula.left
    size = unfold(claims.spread_now, sqrt(whole), domain)
    base, a, e, y = symbols("b", positive=True), *symbols("a e y", real=True)
    below = joint(
        Compare(sqrt(a), "<=", y),
        given=(Compare(a, "<=", y**2), Compare(y, ">=", 0), Compare(a, ">=", 0)),
    )
    bound_of_mu = sqrt(N / base) * base ** (e / 2)
    root = cut(substitute(below, {y: bound_of_mu}), joint(Compare(bound_of_mu, ">=", 0)))
    q = share(False)
    terms = {a: whole, base: 1 - q, e: t / r}
    small = share_is_small(False)
    squared_bound = joint(
        Compare(whole, "<=", N * (1 - q) ** (t / r) / (1 - q)), squared, one_period_less(t, False)
    )
    bound = cut(
        substitute(root, terms), squared_bound, joint(Compare(1 - q, ">", 0), small),
        squared_spread_is_nonnegative(_sphere(t).at(t)),
    )  # fmt: skip
    goal = Compare(claims.spread_now, "<=", sqrt(N) / sqrt(1 - q) * (1 - q) ** (t / (2 * r)))
    return conclude(
        claim, joint(goal, bound, size), method="mu by the mean cosine",
        scope=f"{SPHERE}; all quasi-strongly connected masks with self-loops, all t",
    )  # fmt: skip


@proves(claims.cosine_gap_decays_over_longest_distance)
def by_periods_of_the_longest_distance(claim: Claim) -> Certificate:
    """Whole periods of R layers from a gap of at most one."""
    domain = claims.cosine_gap_decays_over_longest_distance.domain
    least, q = least_is_above(gap_of_the_network(t, True)), share(True)
    size = unfold(claims.alpha, least.formula.left, domain)
    goal = Compare(1 - claims.alpha, "<=", 1 / (1 - q) * (1 - q) ** (t / R))
    shown = joint(goal, least, size, one_period_less(t, True))
    return conclude(
        claim, shown, method="the recursion over whole periods",
        scope=f"{SPHERE}; all strongly connected masks with self-loops, all t",
    )  # fmt: skip


SEQUENCES = "all N >= 2, r >= 1, t_0 >= 0, t >= 0, N eps < 1 and all sequences with the recursion"


@proves(claims.rate_from_t0_follows)
def by_periods_from_t0(claim: Claim) -> Certificate:
    """Before t_0 the gap is at most 2; after it, whole periods count, and 2 covers the rest."""
    return argued(claim, steps=(), method="the recursion over whole periods", scope=SEQUENCES)


@proves(claims.rate_from_the_start_follows)
def by_periods(claim: Claim) -> Certificate:
    """k = floor(t/r) periods from a gap of at most one, and k >= t/r - 1."""
    return argued(
        claim, steps=(), method="the recursion over whole periods", scope=f"{SEQUENCES}; t_0 = 0"
    )
