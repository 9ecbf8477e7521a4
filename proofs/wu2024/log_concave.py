r"""What every layer keeps of a second token with negative, log-concave first coordinates.

With x_0 = 0 one layer sends x to m/|m|, m_j = x_j + w x_{j-1} for j < d and m_d = x_d + w x_{d-1} + 1.
While x_1, ..., x_{d-1} < 0 are log-concave, the quotients x_{j-1}/x_j are ordered, so that every m_j is
at most x_j m_{d-1}/x_{d-1} in modulus; unit norm does the rest.  No step depends on d or on t.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Integer, Piecewise, Sum, Symbol, sqrt, symbols

from claims.statement import And, Compare, ForAll, Formula, Implies
from claims.terms import Recursion, entry
from claims.wu2024 import invariance as claims
from claims.wu2024.notation import d, t, w
from claims.wu2024.second_token import second
from proofs.calculation import algebra, linked, summed_over
from proofs.conclude import facts_of
from proofs.kernel import (
    Theorem,
    assume,
    both,
    cut,
    discharge,
    generalise,
    induction,
    instance,
    joint,
    part,
    prepended,
    recursion_start,
    recursion_step,
    substitute,
    sum_at_least_term,
    sum_rearranged,
    sum_split,
)

DOMAIN = claims.log_concave_region
b, j, n = (Symbol(name, integer=True) for name in ("b", "j", "n"))
WIDE, STEEP = Compare(d, ">=", 3), Compare(w, ">", 1)


def total(before: Any) -> Any:
    """|X_2 W_V + e_d|^2."""
    inner = Sum((before(b) + w * before(b - 1)) ** 2, (b, 1, d - 1))
    return inner + (before(d) + w * before(d - 1) + 1) ** 2


def moved(before: Any, place: Any) -> Any:
    """Coordinate `place` of X_2 W_V + e_d."""
    inner = before(place) + w * before(place - 1)
    return Piecewise((inner, place <= d - 1), (before(d) + w * before(d - 1) + 1, True))


x = Recursion(
    "x",
    lambda k: Piecewise((entry(second)(1, k), k >= 1), (0, True)),
    lambda s, k, before: Piecewise((0, k <= 0), (moved(before, k) / sqrt(total(before)), True)),
)
"""The second token, with a zero in front."""


def now(k: Any) -> Any:
    return x(t, k)


P, Q, L = now(d - 1), now(d - 2), now(d)
MU = P + w * Q
ROOT = sqrt(total(now))
R, *Y = symbols("R Y_0:3", real=True)
M = symbols("M_0:3", real=True)
SCALED = (Compare(R, ">", 0), *(Compare(R * y, "=", m) for y, m in zip(Y, M, strict=True)))
HEAD = Sum(now(j) ** 2, (j, 1, d - 2))
PUSHED = Sum((now(j) + w * now(j - 1)) ** 2, (j, 1, d - 2))


def negative_at(s: Any) -> Formula:
    return ForAll(j, 1, d - 1, Compare(x(s, j), "<", 0))


def concave_at(s: Any) -> Formula:
    return ForAll(j, 1, d - 2, Compare(x(s, j - 1) * x(s, j + 1), "<=", x(s, j) ** 2))


def kept() -> Formula:
    """What is true of every layer."""
    return And(
        (
            Compare(now(0), "=", 0),
            negative_at(t),
            concave_at(t),
            Compare(Sum(now(j) ** 2, (j, 1, d)), "=", 1),
            Compare(w * P, "<=", -1),
        )
    )


def given(place: int) -> Theorem:
    """Part of what is assumed of layer t."""
    return part(assume(kept()), place)


def within_range(theorem: Theorem, *bounds: Formula) -> Theorem:
    """The theorem under bounds on its indices from which its ranges follow."""
    return cut(theorem, *(assume(b) for b in (*bounds, WIDE)))


# Signs and quotients at one layer -----------------------------------------------------------------


@cache
def at_most_zero() -> Theorem:
    """x_j <= 0 from j = 0 on."""
    weak = joint(Compare(now(j), "<=", 0), instance(given(1), j))
    inside = within_range(weak, Compare(j, ">=", 1), Compare(j, "<=", d - 1))
    first = joint(Compare(now(0), "<=", 0), given(0))
    return prepended(first, generalise(inside, j, 1, d - 1))


def at_place(every: Theorem, k: Any, *bounds: Formula) -> Theorem:
    return within_range(instance(every, k), *bounds)


@cache
def quotients_are_ordered() -> Theorem:
    """x_{j-1} x_{d-1} <= x_{d-2} x_j for 1 <= j < d, by induction downwards."""
    place = d - 2 - n
    claim = lambda k: Compare(now(d - 2 - k) * P, "<=", Q * now(d - 1 - k))  # noqa: E731
    body = Implies(Compare(n, "<=", d - 2), claim(n))
    start = joint(body.substitute({n: Integer(0)}))
    bounds = (Compare(n, ">=", 0), Compare(n + 1, "<=", d - 2))
    left = at_place(at_most_zero(), place - 1, *bounds)
    middle = at_place(given(1), place, *bounds)
    right = at_place(given(1), place + 1, *bounds)
    end = at_place(given(1), d - 1, *bounds)
    concave = at_place(given(2), place, *bounds)
    held = joint(claim(n), assume(body), given=bounds[1:])
    a, b, c = now(place - 1), now(place), now(place + 1)
    lifted = joint(Compare(a * c * P * b, "<=", b**2 * (P * b)), concave, middle, end)
    lower = joint(Compare(b * P * b**2, "<=", Q * c * b**2), held, middle)
    both_sides = joint(Compare(a * P * (c * b), "<=", Q * b * (c * b)), lifted, lower)
    step = joint(claim(n + 1), both_sides, middle, right, left)
    chain = induction(start, discharge(step, bounds[1]), n)
    there = joint(
        Compare(now(j - 1) * P, "<=", Q * now(j)), instance(chain, d - 1 - j),
        given=(Compare(j, ">=", 1),),
    )  # fmt: skip
    return generalise(
        within_range(there, Compare(j, ">=", 1), Compare(j, "<=", d - 1)), j, 1, d - 1
    )


@cache
def pushed_is_small() -> Theorem:
    """x_{d-1}^2 sum_{j<d-1} m_j^2 <= m_{d-1}^2 sum_{j<d-1} x_j^2."""
    bounds = (Compare(j, ">=", 1), Compare(j, "<=", d - 2))
    own, end = (at_place(given(1), k, *bounds) for k in (j, d - 1))
    before, last = (at_place(at_most_zero(), k, *bounds) for k in (j - 1, d - 2))
    order = at_place(quotients_are_ordered(), j, *bounds)
    m = now(j) + w * now(j - 1)
    above = joint(Compare(m * P, "<=", now(j) * MU), order, given=(STEEP,))
    below = joint(Compare(m * P, ">=", 0), own, end, before, given=(STEEP,))
    square = joint(Compare((m * P) ** 2, "<=", (now(j) * MU) ** 2), above, below, last)
    summed = summed_over(square, (j, d - 2))
    return linked(Compare(P**2 * PUSHED, "<=", MU**2 * HEAD), summed)


def square_sum(of: Sum) -> Theorem:
    """A sum of squares is not negative."""
    body, (index, low, high) = of.args[0], tuple(of.args[1])
    summed = summed_over(joint(Compare(0, "<=", body)), (index, low, high))
    return linked(Compare(of, ">=", 0), summed)


@cache
def unit_norm() -> Theorem:
    """The squares of the first d - 2 coordinates, of x_{d-1} and of x_d sum to one."""
    whole = Sum(now(j) ** 2, (j, 1, d))
    last = sum_split(whole)
    inner = sum_split(Sum(now(j) ** 2, (j, 1, d - 1)))
    return joint(
        Compare(HEAD + P**2 + L**2, "=", 1), within_range(last), within_range(inner), given(3)
    )


@cache
def squared_norm() -> Theorem:
    """|m|^2 = sum_{j<d-1} m_j^2 + m_{d-1}^2 + m_d^2."""
    inner = Sum((now(j) + w * now(j - 1)) ** 2, (j, 1, d - 1))
    return joint(
        Compare(total(now), "=", PUSHED + MU**2 + (L + w * P + 1) ** 2),
        within_range(sum_split(inner)),
    )


@cache
def norm_is_positive() -> Theorem:
    """|m|^2 >= m_1^2 > 0."""
    every = generalise(joint(Compare((now(j) + w * now(j - 1)) ** 2, ">=", 0)), j, 1, d - 1)
    first = within_range(sum_at_least_term(every, Integer(1)))
    own, none = within_range(instance(given(1), Integer(1))), given(0)
    return joint(Compare(total(now), ">", 0), first, own, none)


@cache
def room_is_kept() -> tuple[Theorem, ...]:
    """m_{d-1}^2 >= x_{d-1}^2; m_d^2 <= w^2 x_{d-1}^2 - 1 + x_d^2; |m|^2 <= w^2 m_{d-1}^2."""
    end, side = (within_range(instance(at_most_zero(), k)) for k in (d - 1, d - 2))
    wider = joint(Compare(MU**2, ">=", P**2), end, side, given=(STEEP,))
    short = joint(Compare(L**2, "<=", 1), unit_norm(), square_sum(HEAD))
    last = L + w * P + 1
    room = w**2 * P**2 - 1 + L**2
    bounded = joint(Compare(last**2, "<=", room), short, given(4))
    scaled = joint(Compare(P**2 * last**2, "<=", MU**2 * room), bounded, wider)
    whole = joint(
        Compare(P**2 * total(now), "<=", MU**2 * (w**2 * P**2)),
        scaled, pushed_is_small(), squared_norm(), unit_norm(),
    )  # fmt: skip
    nonzero = joint(Compare(P**2, ">", 0), given(4))
    return wider, bounded, joint(Compare(total(now), "<=", w**2 * MU**2), whole, nonzero)


# One layer ----------------------------------------------------------------------------------------


def after(k: Any, *bounds: Formula) -> Theorem:
    """|m| x'_k = m_k for k >= 1, as far as the bounds tell which m_k."""
    root = sqrt(total(now))
    value = MU if k == d - 1 else now(k) + w * now(k - 1)
    step = within_range(recursion_step(x, t, k), *bounds)
    return joint(
        Compare(root * x(t + 1, k), "=", value), step, norm_is_positive(), given=(*bounds, WIDE)
    )


@cache
def root_is_positive() -> Theorem:
    return joint(Compare(ROOT, ">", 0), norm_is_positive())


def squared(value: Any, before: Any, theorem: Theorem) -> Theorem:
    """x'^2 |m|^2 = m^2 from |m| x' = m."""
    return algebra(
        Compare(Y[0] ** 2 * R**2, "=", M[0] ** 2), (Compare(R * Y[0], "=", M[0]),),
        {R: ROOT, Y[0]: value, M[0]: before}, theorem,
    )  # fmt: skip


@cache
def stays_negative() -> Theorem:
    bounds = (Compare(j, ">=", 1), Compare(j, "<=", d - 1))
    own, before = at_place(given(1), j, *bounds), at_place(at_most_zero(), j - 1, *bounds)
    body = joint(
        Compare(x(t + 1, j), "<", 0), after(j, *bounds), own, before, root_is_positive(),
        given=(STEEP,),
    )  # fmt: skip
    return generalise(body, j, 1, d - 1)


@cache
def stays_concave() -> Theorem:
    """(c + wb)^2 >= (b + wa)(e + wc) for log-concave a, b, c, e, times 1/|m|^2."""
    bounds = (Compare(j, ">=", 2), Compare(j, "<=", d - 2))
    a, b, c, e = (now(j + s) for s in (-2, -1, 0, 1))
    signs = [at_place(given(1), j + s, *bounds) for s in (-1, 0, 1)]
    signs.append(at_place(at_most_zero(), j - 2, *bounds))
    own, left = (at_place(given(2), k, *bounds) for k in (j, j - 1))
    parts = joint(
        Compare(a * c, ">=", 0) & Compare(b * e, ">=", 0) & Compare(b * c, ">", 0), *signs
    )
    square = joint(Compare((a * e) * (b * c), "<=", (b * c) * (b * c)), own, left, parts)
    outer = joint(Compare(a * e, "<=", b * c), square, parts)
    grown = joint(
        Compare((b + w * a) * (e + w * c), "<=", (c + w * b) ** 2), outer, own, left,
        given=(STEEP,),
    )  # fmt: skip
    y = [x(t + 1, j + s) for s in (-1, 0, 1)]
    body = algebra(
        Compare(Y[0] * Y[2], "<=", Y[1] ** 2),
        (*SCALED, Compare(M[0] * M[2], "<=", M[1] ** 2)),
        dict(zip((R, *Y, *M), (ROOT, *y, b + w * a, c + w * b, e + w * c), strict=True)),
        grown, root_is_positive(), *(after(j + s, *bounds) for s in (-1, 0, 1)),
    )  # fmt: skip
    rest = generalise(body, j, 2, d - 2)
    zero = recursion_step(x, t, Integer(0))
    first = joint(Compare(x(t + 1, 0) * x(t + 1, 2), "<=", x(t + 1, 1) ** 2), zero)
    return prepended(first, rest)


def norm_outside(of: Sum) -> Theorem:
    """sum_j (x'_j^2 |m|^2) = |m|^2 sum_j x'_j^2."""
    inside = Sum(of.args[0] * R, of.args[1])
    return substitute(sum_rearranged(inside, of * R), {R: total(now)})


@cache
def stays_unit() -> Theorem:
    """|m|^2 sum_j x'_j^2 = sum_j m_j^2."""
    bounds = (Compare(j, ">=", 1), Compare(j, "<=", d - 1))
    square = squared(x(t + 1, j), now(j) + w * now(j - 1), after(j, *bounds))
    summed = summed_over(square, (j, d - 1))
    inner, whole = (Sum(x(t + 1, j) ** 2, (j, 1, end)) for end in (d - 1, d))
    left = norm_outside(inner)
    last = recursion_step(x, t, d)
    end = joint(
        Compare(x(t + 1, d) ** 2 * total(now), "=", (L + w * P + 1) ** 2), last, norm_is_positive()
    )
    return joint(
        Compare(whole, "=", 1), summed, left, end, within_range(sum_split(whole)),
        norm_is_positive(),
    )  # fmt: skip


@cache
def every_layer() -> Theorem:
    """Signs, log-concavity, unit norm and the region, for all t."""
    *_, bounded = room_is_kept()
    end, side = (within_range(instance(at_most_zero(), k)) for k in (d - 1, d - 2))
    strict = within_range(instance(given(1), d - 1))
    above = joint(Compare(MU, "<", 0), end, side, strict, given=(STEEP,))
    height = algebra(
        Compare(w * Y[0], "<=", -1),
        (
            Compare(R, ">", 0), Compare(R * Y[0], "=", M[0]), Compare(M[0], "<", 0), STEEP,
            Compare(R**2, "<=", w**2 * M[0] ** 2),
        ),
        {R: ROOT, Y[0]: x(t + 1, d - 1), M[0]: MU},
        above, bounded, root_is_positive(), after(d - 1), assume(STEEP),
    )  # fmt: skip
    zero = joint(Compare(x(t + 1, 0), "=", 0), recursion_step(x, t, Integer(0)))
    step = both(zero, stays_negative(), stays_concave(), stays_unit(), height)
    return induction(first_layer(), step, t)


@cache
def first_layer() -> Theorem:
    """What the hypotheses say of x^{(0)}."""
    value = entry(second)
    unit, signs, region, ordered = facts_of(DOMAIN)[2:]
    norm, sign_, convex = instance(assume(unit), Integer(1)), assume(signs), assume(ordered)

    def start(k: Any, *bounds: Formula) -> Theorem:
        step = recursion_start(x, k)
        return joint(Compare(x(0, k), "=", value(1, k)), step, given=(*bounds, WIDE))

    inside = (Compare(j, ">=", 1), Compare(j, "<=", d - 1))
    own = joint(Compare(x(0, j), "<", 0), start(j, *inside), at_place(sign_, j, *inside))
    middle = (Compare(j, ">=", 2), Compare(j, "<=", d - 2))
    around = joint(
        Compare(x(0, j - 1) * x(0, j + 1), "<=", x(0, j) ** 2),
        *(start(j + s, *middle) for s in (-1, 0, 1)), at_place(convex, j, *middle),
    )  # fmt: skip
    zero = joint(Compare(x(0, 0), "=", 0), recursion_start(x, 0))
    second_place = joint(Compare(x(0, 0) * x(0, 2), "<=", x(0, 1) ** 2), zero)
    concave = prepended(second_place, generalise(around, j, 2, d - 2))
    square = joint(Compare(x(0, j) ** 2, "=", value(1, j) ** 2), start(j, Compare(j, ">=", 1)))
    summed = summed_over(square, (j, d))
    one = joint(Compare(Sum(x(0, j) ** 2, (j, 1, d)), "=", 1), summed, norm)
    end = joint(Compare(w * x(0, d - 1), "<=", -1), start(d - 1), given=(region,))
    return both(zero, generalise(own, j, 1, d - 1), concave, one, end)


def at_layer(theorem: Theorem) -> Theorem:
    """A theorem about layer t from what is assumed of it, without the assumption."""
    return cut(theorem, instance(every_layer(), t))
