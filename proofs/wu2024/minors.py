r"""Minors of two rows that move along the Jordan block (31): they stay positive, and grow in order.

For A = a W^s and R = r W^s the minors D_ij = R_i A_j - R_j A_i, i < j, move among themselves,

    D_ij(s + 1) = D_ij + w D_{i-1,j} + w D_{i,j-1} + w^2 D_{i-1,j-1},

with D_{0,j} = D_{i,i} = 0.  So they stay positive, (s + 1)(D_ij(s + 1) - D_ij(s)) <= (i + j) D_ij(s + 1)
by induction on s for all places at once, and w (s + 2 - i - j) D_{i-1,j}(s + 1) <= (i + j) D_ij(s + 1).
The same holds of the entries of A alone, with the place for the sum of places.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from sympy import Expr, Integer, Piecewise, Symbol, oo, symbols

from claims.statement import Compare, ForAll, Formula
from claims.terms import Recursion, entry
from claims.wu2024.basin import ENOUGH, FallingRow, PositiveRow, ahead, behind
from claims.wu2024.notation import T, d, w
from proofs.calculation import algebra, at_places, integers_apart
from proofs.kernel import (
    Theorem,
    assume,
    congruent,
    cut,
    discharge,
    generalise,
    identity,
    induction,
    instance,
    joint,
    part,
    recursion_start,
    recursion_step,
    substitute,
)

i, j, m = symbols("i j m", integer=True)
s = Symbol("s", integer=True, nonnegative=True)
STEEP = Compare(w, ">", 1)
(POSITIVE,) = PositiveRow(ahead).facts()
(FALLING,) = FallingRow(behind).facts()


def _moved(name: str, row: Any) -> Recursion:
    """row W^s: coordinate b gains w times the one before it, and there is none before the first."""
    return Recursion(
        name,
        lambda b: Piecewise((0, b <= 0), (entry(row)(1, b), True)),
        lambda s, b, before: Piecewise((0, b <= 0), (before(b) + w * before(b - 1), True)),
    )


A, R = _moved("A", ahead), _moved("R", behind)


def D(time: Any, i: Any, j: Any) -> Expr:
    """A minor."""
    return R(time, i) * A(time, j) - R(time, j) * A(time, i)


# One layer ------------------------------------------------------------------------------------------


@cache
def nothing_before(row: Recursion) -> Theorem:
    """The entry before the first is zero, for all s."""
    zero = Compare(row(s, 0), "=", 0)
    step = joint(zero.substitute({s: s + 1}), recursion_step(row, s, 0))
    step = joint(step.formula, step, assume(zero))
    return induction(recursion_start(row, 0), step, s)


def zero_before(row: Recursion, time: Any) -> Theorem:
    return instance(nothing_before(row), time)


def entry_moves(row: Recursion, time: Any, b: Any) -> Theorem:
    """A_b(s + 1) = A_b + w A_{b-1} for b >= 1."""
    goal = Compare(row(time + 1, b), "=", row(time, b) + w * row(time, b - 1))
    return joint(goal, recursion_step(row, time, b), given=(Compare(b, ">=", 1),))


def minor_moves(time: Any, i: Any, j: Any) -> Theorem:
    """D_ij(s + 1), for i, j >= 1."""
    e, f, g, h, p, q, u, v, x, y, z, k, slope = symbols("e f g h p q u v x y z k c", real=True)
    # R_i, R_{i-1}, R_j, R_{j-1}, A_i, A_{i-1}, A_j, A_{j-1}, then R_i, R_j, A_i, A_j one layer on.
    same = identity(
        (e + slope * f) * (u + slope * v) - (g + slope * h) * (p + slope * q),
        e * u - g * p + slope * (f * u - g * q) + slope * (e * v - h * p)
        + slope**2 * (f * v - h * q),
    )  # fmt: skip
    moves = [
        Compare(x, "=", e + slope * f), Compare(y, "=", g + slope * h),
        Compare(z, "=", p + slope * q), Compare(k, "=", u + slope * v),
    ]  # fmt: skip
    lemma = joint(Compare(x * k - y * z, "=", same.formula.right), same, given=moves)
    places = (i, i - 1, j, j - 1)
    at = [row(time, b) for row in (R, A) for b in places]
    later = [R(time + 1, i), R(time + 1, j), A(time + 1, i), A(time + 1, j)]
    values = dict(zip((e, f, g, h, p, q, u, v, x, y, z, k, slope), (*at, *later, w), strict=True))
    ends = [entry_moves(row, time, b) for row in (R, A) for b in (i, j)]
    return cut(substitute(lemma, values), *ends)


def sources(time: Any, i: Any, j: Any) -> tuple[Expr, Expr, Expr]:
    """D_{i-1,j}, D_{i,j-1} and D_{i-1,j-1}."""
    return D(time, i - 1, j), D(time, i, j - 1), D(time, i - 1, j - 1)


# For all places -------------------------------------------------------------------------------------

Body = Callable[[Any, Any], Formula]
INSIDE = (Compare(i, ">=", 1), Compare(i + 1, "<=", j), Compare(j, "<=", d))


def everywhere(body: Body) -> ForAll:
    ordered = Compare(i, "<=", j).implies(body(i, j))
    return ForAll(i, 0, d, ForAll(j, 0, d, ordered))


def for_all_places(body: Body, inner: Theorem, *times: Any) -> Theorem:
    """For 0 <= i <= j <= d from 1 <= i < j <= d: where i = 0 or i = j minors at these times vanish."""
    goal = body(i, j)
    edge: list[Theorem] = []
    for value, condition in ((Integer(0), "first"), (j, "diagonal")):
        gone = []
        for time in times:
            same = congruent(D(time, m, j), m, i, value)
            empty = [zero_before(row, time) for row in (A, R)] if condition == "first" else []
            gone.append(joint(Compare(D(time, i, j), "=", 0), same, *empty))
        edge.append(discharge(joint(goal, *gone), Compare(i, "=", value)))
    within = Compare(i, ">=", 1) & Compare(i + 1, "<=", j)
    inner = discharge(cut(inner, joint(INSIDE[0] & INSIDE[1], assume(within))), within)
    every = joint(
        Compare(i, "<=", j).implies(goal), *edge, inner, integers_apart(0, i), integers_apart(i, j),
        given=(Compare(i, ">=", 0),),
    )  # fmt: skip
    return generalise(generalise(every, j, 0, d), i, 0, d)


def at(every: Theorem, i: Any, j: Any) -> Theorem:
    """One of them, for i <= j."""
    found = at_places(every, i, j)
    return joint(found.formula.conclusion, found, given=(Compare(i, "<=", j),))


def around(every: Theorem) -> list[Theorem]:
    """What is known of all minors, of those that D_ij gains, for 1 <= i < j <= d."""
    found = [at(every, *place) for place in ((i - 1, j), (i, j - 1), (i - 1, j - 1))]
    return [cut(one, *map(assume, INSIDE)) for one in found]


# They do not fall ------------------------------------------------------------------------------------


def not_below_start(time: Any) -> Body:
    start = lambda i, j: D(Integer(0), i, j)  # noqa: E731
    return lambda i, j: Compare(D(time, i, j), ">=", start(i, j)) & Compare(D(time, i, j), ">=", 0)


def at_start(row: Recursion, b: Any) -> Theorem:
    """A_b(0) = a_b for b >= 1."""
    name = ahead if row is A else behind
    goal = Compare(row(0, b), "=", entry(name)(1, b))
    return joint(goal, recursion_start(row, b), given=(Compare(b, ">=", 1),))


def start_is_positive(i: Any, j: Any) -> Theorem:
    """D_ij(0) > 0 for 1 <= i < j <= d."""
    e, f, g, h, x, y, z, k = symbols("e f g h x y z k", real=True)
    equal = (Compare(x, "=", e), Compare(y, "=", f), Compare(z, "=", g), Compare(k, "=", h))
    values = {
        e: entry(behind)(1, i), f: entry(ahead)(1, j), g: entry(behind)(1, j), h: entry(ahead)(1, i),
        x: R(0, i), y: A(0, j), z: R(0, j), k: A(0, i),
    }  # fmt: skip
    falls = at_places(assume(FALLING), i, j)
    above = joint(falls.formula.conclusion, falls, given=(Compare(i + 1, "<=", j),))
    starts = [at_start(row, b) for row in (A, R) for b in (i, j)]
    given = (*equal, Compare(e * f, ">", g * h))
    return algebra(Compare(x * y - z * k, ">", 0), given, values, *starts, above)


@cache
def minors_stay() -> Theorem:
    """D_ij(s) >= D_ij(0) >= 0 for all s and i <= j."""
    zero = Integer(0)
    begin = joint(not_below_start(zero)(i, j), start_is_positive(i, j), given=INSIDE)
    start = for_all_places(not_below_start(zero), cut(begin, *map(assume, INSIDE)), zero)
    held = assume(everywhere(not_below_start(s)))
    own = cut(at(held, i, j), *map(assume, INSIDE))
    f, g, b, c, e, slope = symbols("f g b c e v", real=True)
    given = (
        Compare(g, "=", f + slope * b + slope * c + slope**2 * e), Compare(slope, ">", 1),
        Compare(b, ">=", 0), Compare(c, ">=", 0), Compare(e, ">=", 0),
    )  # fmt: skip
    terms = (D(s, i, j), D(s + 1, i, j), *sources(s, i, j), w)
    values = dict(zip((f, g, b, c, e, slope), terms, strict=True))
    signs = (part(one, 1) for one in around(held))
    more = algebra(Compare(g, ">=", f), given, values, minor_moves(s, i, j), *signs, assume(STEEP))
    inner = cut(joint(not_below_start(s + 1)(i, j), more, own), *map(assume, INSIDE))
    step = for_all_places(not_below_start(s + 1), inner, s + 1, Integer(0))
    return induction(start, step, s)


# They change slowly ----------------------------------------------------------------------------------

GROWTH = f0, f1, f2, b0, b1, c0, c1, e0, e1, z, k, slope = symbols(
    "f_0 f_1 f_2 b_0 b_1 c_0 c_1 e_0 e_1 z k v", real=True
)
"""A minor at s, s + 1, s + 2; what it gains at s, s + 1; s, a number of places, w."""


def gains(before: Expr, after: Expr, b: Expr, c: Expr, e: Expr) -> Compare:
    return Compare(after, "=", before + slope * b + slope * c + slope**2 * e)


SIGNS = (Compare(b1, ">=", 0), Compare(c0, ">=", 0), Compare(e0, ">=", 0), Compare(e1, ">=", 0))
RATES = (
    Compare((z + 1) * (b1 - b0), "<=", (k - 1) * b1), Compare((z + 1) * (c1 - c0), "<=", (k - 1) * c1),
    Compare((z + 1) * (e1 - e0), "<=", (k - 2) * e1),
)  # fmt: skip


@cache
def stays_slow() -> Theorem:
    """(s + 2)(f_2 - f_1) <= k f_2, from the rates at s of it and of what it gains."""
    steep = Compare(slope, ">", 0)
    known = (gains(f0, f1, b0, c0, e0), Compare((z + 1) * (f1 - f0), "<=", k * f1))
    gained = [slope * (b + c) + slope**2 * e for b, c, e in ((b0, c0, e0), (b1, c1, e1))]
    scaled = [
        joint(Compare(factor * rate.left, "<=", factor * rate.right), given=(rate, steep))
        for factor, rate in zip((slope, slope, slope**2), RATES, strict=True)
    ]
    small = joint(Compare(slope**2 * e1, ">=", 0), given=(SIGNS[3],))
    rate = joint(
        Compare((z + 1) * (gained[1] - gained[0]), "<=", (k - 1) * gained[1]), *scaled, small
    )
    now = joint(Compare((z + 1) * gained[0], "<=", k * f1), given=known)
    later = gains(f1, f2, b1, c1, e1)
    return joint(Compare((z + 2) * (f2 - f1), "<=", k * f2), rate, now, given=(later,))


@cache
def outgrows() -> Theorem:
    """w (s + 2 - k) b_1 <= k f_1."""
    steep = Compare(slope, ">", 0)
    now = gains(f0, f1, b0, c0, e0)
    rate = Compare((z + 1) * (f1 - f0), "<=", k * f1)
    rest = joint(
        Compare((z + 1) * (slope * c0 + slope**2 * e0), ">=", 0),
        joint(Compare(slope * c0 + slope**2 * e0, ">=", 0), given=(steep, *SIGNS[1:3])),
        given=(Compare(z, ">=", 0),),
    )
    own = joint(Compare((z + 1) * slope * b0, "<=", k * f1), rest, given=(now, rate))
    change = joint(
        Compare(slope * (z + 1) * (b1 - b0), "<=", slope * (k - 1) * b1), given=(RATES[0], steep)
    )
    return joint(Compare(slope * (z + 2 - k) * b1, "<=", k * f1), own, change)


def slow(time: Any) -> Body:
    """(s + 1)(D_ij(s + 1) - D_ij(s)) <= (i + j) D_ij(s + 1)."""

    def body(i: Any, j: Any) -> Compare:
        now, then = D(time, i, j), D(time + 1, i, j)
        return Compare((time + 1) * (then - now), "<=", (i + j) * then)

    return body


def growth(time: Any) -> dict[Any, Any]:
    """What the names of `GROWTH` stand for."""
    own = [D(time + n, i, j) for n in range(3)]
    gained = [
        x for pair in zip(sources(time, i, j), sources(time + 1, i, j), strict=True) for x in pair
    ]
    return dict(zip(GROWTH, (*own, *gained, time, i + j, w), strict=True))


def signs_around(*times: Any) -> list[Theorem]:
    """What D_ij gains is not negative."""
    return [part(one, 1) for time in times for one in around(instance(minors_stay(), time))]


@cache
def minors_are_slow() -> Theorem:
    """For all s, and i <= j."""
    zero = Integer(0)
    stays = [at(instance(minors_stay(), time), i, j) for time in (zero, zero + 1)]
    more = joint(slow(zero)(i, j), *(cut(one, *map(assume, INSIDE)) for one in stays), given=INSIDE)
    start = for_all_places(slow(zero), cut(more, *map(assume, INSIDE)), zero, Integer(1))
    held = assume(everywhere(slow(s)))
    rates = [cut(at(held, i, j), *map(assume, INSIDE)), *around(held)]
    moves = [minor_moves(time, i, j) for time in (s, s + 1)]
    steep = joint(Compare(w, ">", 0), assume(STEEP))
    inner = cut(substitute(stays_slow(), growth(s)), *rates, *moves, steep, *signs_around(s, s + 1))
    inner = cut(inner, *map(assume, INSIDE))
    step = for_all_places(slow(s + 1), inner, s + 1, s + 2)
    return induction(start, step, s)


@cache
def minors_rise() -> Theorem:
    """w (s + 2 - i - j) D_{i-1,j}(s + 1) <= (i + j) D_ij(s + 1) for 1 <= i < j <= d."""
    every = instance(minors_are_slow(), s)
    rates = [cut(at(every, i, j), *map(assume, INSIDE)), *around(every)]
    steep = joint(Compare(w, ">", 0), assume(STEEP))
    found = cut(
        substitute(outgrows(), growth(s)), *rates, minor_moves(s, i, j), steep,
        *signs_around(s, s + 1),
    )  # fmt: skip
    return cut(found, *map(assume, INSIDE))


# The first row by itself ----------------------------------------------------------------------------

b = Symbol("b", integer=True)
AMONG = (Compare(b, ">=", 1), Compare(b, "<=", d))


def for_all_entries(body: Callable[[Any], Formula], inner: Theorem, *times: Any) -> Theorem:
    """For 0 <= b <= d from 1 <= b <= d: the entry before the first vanishes."""
    gone = []
    for time in times:
        same = congruent(A(time, m), m, b, Integer(0))
        gone.append(joint(Compare(A(time, b), "=", 0), same, zero_before(A, time)))
    edge = discharge(joint(body(b), *gone), Compare(b, "=", 0))
    inner = discharge(cut(inner, *map(assume, AMONG)), AMONG[0])
    every = joint(body(b), edge, inner, integers_apart(0, b), given=(Compare(b, ">=", 0),))
    return generalise(every, b, 0, d)


def both_entries(every: Theorem) -> list[Theorem]:
    """What is known of all entries, of b and of the one before it, for 1 <= b <= d."""
    return [cut(instance(every, place), *map(assume, AMONG)) for place in (b, b - 1)]


def no_entry_falls(time: Any) -> Callable[[Any], Formula]:
    return lambda b: Compare(A(time, b), ">=", A(0, b)) & Compare(A(time, b), ">=", 0)


@cache
def entries_stay() -> Theorem:
    """A_b(s) >= A_b(0) >= 0 for all s and b."""
    positive = joint(Compare(entry(ahead)(1, b), ">", 0), instance(assume(POSITIVE), b))
    begin = joint(no_entry_falls(Integer(0))(b), at_start(A, b), positive)
    start = for_all_entries(no_entry_falls(Integer(0)), begin, Integer(0))
    held = assume(ForAll(b, 0, d, no_entry_falls(s)(b)))
    inner = joint(
        no_entry_falls(s + 1)(b), entry_moves(A, s, b), *both_entries(held), assume(STEEP)
    )
    step = for_all_entries(no_entry_falls(s + 1), inner, s + 1, Integer(0))
    return induction(start, step, s)


def slow_entry(time: Any) -> Callable[[Any], Formula]:
    """(s + 1)(A_b(s + 1) - A_b(s)) <= b A_b(s + 1)."""
    change = lambda b: A(time + 1, b) - A(time, b)  # noqa: E731
    return lambda b: Compare((time + 1) * change(b), "<=", b * A(time + 1, b))


def entry_growth(time: Any) -> dict[Any, Any]:
    """What the names of `GROWTH` stand for: nothing is gained but w A_{b-1}."""
    own, gained = [A(time + n, b) for n in range(3)], [A(time + n, b - 1) for n in range(2)]
    nothing = [Integer(0)] * 4
    return dict(zip(GROWTH, (*own, *gained, *nothing, time, b, w), strict=True))


def entry_facts(every: Theorem, *times: Any) -> list[Theorem]:
    """Rates, signs and moves around an entry, for 1 <= b <= d."""
    signs = [part(one, 1) for time in times for one in both_entries(instance(entries_stay(), time))]
    moves = []
    for time in times:
        goal = Compare(A(time + 1, b), "=", A(time, b) + w * A(time, b - 1))
        moves.append(cut(joint(goal, entry_moves(A, time, b)), assume(AMONG[0])))
    return [*both_entries(every), *signs, *moves, joint(Compare(w, ">", 0), assume(STEEP))]


@cache
def entries_are_slow() -> Theorem:
    """For all s, and b <= d."""
    zero = Integer(0)
    stays = [both_entries(instance(entries_stay(), time))[0] for time in (zero, zero + 1)]
    first = joint(slow_entry(zero)(b), *stays, given=AMONG)
    start = for_all_entries(slow_entry(zero), first, zero, Integer(1))
    held = assume(ForAll(b, 0, d, slow_entry(s)(b)))
    inner = cut(substitute(stays_slow(), entry_growth(s)), *entry_facts(held, s, s + 1))
    step = for_all_entries(slow_entry(s + 1), cut(inner, *map(assume, AMONG)), s + 1, s + 2)
    return induction(start, step, s)


@cache
def entries_rise() -> Theorem:
    """w (s + 2 - b) A_{b-1}(s + 1) <= b A_b(s + 1) for 1 <= b <= d."""
    facts = entry_facts(instance(entries_are_slow(), s), s, s + 1)
    return cut(substitute(outgrows(), entry_growth(s)), *facts, *map(assume, AMONG))


# After T layers -------------------------------------------------------------------------------------


def dominated(low: Any, high: Any) -> Compare:
    """$4w(1+w^2)$ times the one is at most $w-1$ times the other."""
    return Compare(4 * w * (1 + w**2) * low, "<=", (w - 1) * high)


LATE = symbols("b f k n v z", real=True)


@cache
def _late() -> Theorem:
    """From w (z - k) b <= k f with k <= n = 2 d, where (w - 1)(z - n) >= 4 n (1 + w^2)."""
    low, high, number, size, v_, late = LATE
    given = (
        Compare(v_, ">", 1), Compare(low, ">=", 0), Compare(high, ">=", 0), Compare(number, "<=", size),
        Compare(size, ">", 0), Compare(v_ * (late - number) * low, "<=", number * high),
        Compare((v_ - 1) * (late - size), ">=", 4 * size * (1 + v_**2)),
    )  # fmt: skip
    product = joint(Compare(v_ * low, ">=", 0), given=given[:2])
    lower = joint(
        Compare(v_ * low * (late - number), ">=", v_ * low * (late - size)), product,
        given=given[3:4],
    )  # fmt: skip
    upper = joint(Compare(number * high, "<=", size * high), given=given[2:4])
    plain = joint(
        Compare(v_ * low * (late - size), "<=", size * high), lower, upper, given=given[5:6]
    )
    scaled = joint(
        Compare((v_ - 1) * (late - size) * (v_ * low), "<=", (v_ - 1) * size * high), plain,
        given=given[:1],
    )  # fmt: skip
    wide = joint(
        Compare((v_ - 1) * (late - size) * (v_ * low), ">=", 4 * size * (1 + v_**2) * (v_ * low)),
        product, given=given[6:],
    )  # fmt: skip
    times = joint(
        Compare(size * (4 * v_ * (1 + v_**2) * low), "<=", size * ((v_ - 1) * high)), scaled, wide
    )
    return joint(
        Compare(4 * v_ * (1 + v_**2) * low, "<=", (v_ - 1) * high), times, given=given[4:5]
    )


def _dominated_at(
    rises: Theorem, time: Any, low: Expr, high: Expr, number: Any, *signs: Theorem
) -> Theorem:
    """The same of two terms at T + t, by what they satisfy at all times."""
    at_time = instance(generalise(rises, s, 0, oo), time - 1)
    soon = joint(Compare(T - 1, ">=", 0), given=(ENOUGH, STEEP, Compare(d, ">=", 1)))
    values = dict(zip(LATE, (low, high, number, 2 * d, w, time + 1), strict=True))
    more = joint(
        Compare((w - 1) * (time + 1 - 2 * d), ">=", 8 * d * (1 + w**2)),
        joint(Compare((w - 1) * (time - T), ">=", 0), given=(STEEP, Compare(time, ">=", T))), assume(ENOUGH),
    )  # fmt: skip
    wide = joint(Compare(2 * d, ">", 0))
    return cut(substitute(_late(), values), cut(at_time, soon), *signs, more, wide, soon)


def entry_is_dominated(time: Any) -> Theorem:
    """4 w (1 + w^2) A_{b-1} <= (w - 1) A_b for 1 <= b <= d at a time of T or later."""
    signs = [part(one, 1) for one in both_entries(instance(entries_stay(), time))]
    found = _dominated_at(entries_rise(), time, A(time, b - 1), A(time, b), b, *signs)
    return cut(found, *map(assume, AMONG), joint(Compare(b, "<=", 2 * d), given=AMONG))


def minor_is_dominated(time: Any) -> Theorem:
    """4 w (1 + w^2) D_{i-1,j} <= (w - 1) D_ij for 1 <= i < j <= d at such a time."""
    own = part(cut(at(instance(minors_stay(), time), i, j), *map(assume, INSIDE)), 1)
    signs = own, signs_around(time)[0]
    found = _dominated_at(minors_rise(), time, D(time, i - 1, j), D(time, i, j), i + j, *signs)
    small = joint(Compare(i + j, "<=", 2 * d), given=INSIDE)
    return cut(found, *map(assume, INSIDE), small)


@cache
def first_entry_stays() -> Theorem:
    """A_1(s) = a_1."""
    same = Compare(A(s, 1), "=", entry(ahead)(1, 1))
    step = joint(
        same.substitute({s: s + 1}), assume(same), entry_moves(A, s, Integer(1)), zero_before(A, s)
    )
    return induction(at_start(A, Integer(1)), step, s)


@cache
def first_minor_stays() -> Theorem:
    """D_12(s) = D_12(0)."""
    same = Compare(D(s, 1, 2), "=", D(0, 1, 2))
    empty = [zero_before(row, s) for row in (A, R)]
    step = joint(
        same.substitute({s: s + 1}), assume(same), minor_moves(s, Integer(1), Integer(2)), *empty
    )
    return induction(joint(same.substitute({s: Integer(0)})), step, s)
