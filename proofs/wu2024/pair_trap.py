r"""Two tokens that evolve together, and a trap: what is kept from layer to layer, and what it says.

In the trap X_1 is a multiple of a W^s, the minors of (-X_2, X_1) are multiples of those of (r, a) W^s
(`minors`), and 0 <= X_{2,d}/X_{2,d-1} <= w.  Then the entries of X_1 are positive, those of -X_2 are not
negative, and each is far above the one before it, but for the last one of -X_2.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from sympy import Expr, Integer, Piecewise, Sum, Symbol, sqrt, symbols

from claims.statement import And, Compare, ForAll, Implies
from claims.terms import Recursion, entry
from claims.wu2024 import basin as claims
from claims.wu2024.basin import ahead, ahead_after, behind_after
from claims.wu2024.notation import T, d, t, w
from proofs.calculation import algebra, at_places, integers_apart, linked, sums_compared
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
    substitute,
    sum_split,
)
from proofs.wu2024.minors import (
    POSITIVE,
    STEEP,
    A,
    D,
    R,
    at_start,
    entries_stay,
    entry_is_dominated,
    minor_is_dominated,
    minors_stay,
    nothing_before,
    start_is_positive,
)
from proofs.wu2024.minors import b as place
from proofs.wu2024.minors import i as left
from proofs.wu2024.minors import j as right
from proofs.wu2024.norms import entry_below_norm

DOMAIN = claims.open_set_of_sequences_keeps_rank_two.domain
WIDE = Compare(d, ">=", 2)
i, j, b, m = symbols("i j b m", integer=True)
k = Symbol("k", integer=True)
NOW, NEXT = T + t, t + 1

# The dynamics ---------------------------------------------------------------------------------------


def first_start(b: Any) -> Expr:
    return ahead_after(T, b)


def second_start(b: Any) -> Expr:
    return -behind_after(T, b)


def length(row: Callable[[Any], Expr]) -> Expr:
    return sqrt(Sum(row(k) ** 2, (k, 1, d)))


def at_token(i: Any, first: Any, second: Any) -> Any:
    return Piecewise((first, i <= 1), (second, True))


def from_one(b: Any, term: Any) -> Any:
    return Piecewise((0, b <= 0), (term, True))


def moved(before: Any, i: Any, b: Any) -> Any:
    """Coordinate b of the first i tokens' sum, times W."""
    total = lambda c: at_token(i, before(1, c), before(1, c) + before(2, c))  # noqa: E731
    return total(b) + w * total(b - 1)


X = Recursion(
    "X",
    lambda i, b: from_one(
        b,
        at_token(i, first_start(b) / length(first_start), second_start(b) / length(second_start)),
    ),
    lambda t, i, b, before: from_one(
        b, moved(before, i, b) / length(lambda c: moved(before, i, c))
    ),
)


def x(b: Any, time: Any = t) -> Expr:
    """Of the first token."""
    return X(time, 1, b)


def z(b: Any, time: Any = t) -> Expr:
    """Minus the second token."""
    return -X(time, 2, b)


def minor(i: Any, j: Any, time: Any = t) -> Expr:
    return z(i, time) * x(j, time) - z(j, time) * x(i, time)


A1, D12 = entry(ahead)(1, 1), D(0, 1, 2)


def trap(time: Any = t) -> And:
    """What holds in every layer."""
    along = Compare(A1 * x(b, time), "=", x(1, time) * A(T + time, b))
    turned = Compare(D12 * minor(i, j, time), "=", minor(1, 2, time) * D(T + time, i, j))
    units = [Compare(Sum(X(time, n, k) ** 2, (k, 1, d)), "=", 1) for n in (1, 2)]
    return And(
        (
            Compare(x(0, time), "=", 0), Compare(z(0, time), "=", 0),
            Compare(x(1, time), ">", 0), ForAll(b, 0, d, along),
            Compare(minor(1, 2, time), ">", 0), ForAll(i, 0, d, ForAll(j, 0, d, turned)), *units,
            Compare(z(d, time), ">=", 0), Compare(z(d, time), "<=", w * z(d - 1, time)),
        )
    )  # fmt: skip


HELD = assume(trap())
NONE_X, NONE_Z, FIRST, ALONG, FIRST_MINOR, TURNED, UNIT_X, UNIT_Z, OVER, BELOW = (
    part(HELD, n) for n in range(10)
)

# What the trap says of the tokens ------------------------------------------------------------------


p, q, f, g, h, e, c, u = symbols("p q f g h e c u", real=True)
SCALE = (Compare(p * f, "=", q * g), Compare(p, ">", 0), Compare(q, ">", 0))


@cache
def constants() -> tuple[Theorem, Theorem]:
    """a_1 > 0 and D_12(0) > 0."""
    one = joint(Compare(A1, ">", 0), instance(assume(POSITIVE), Integer(1)))
    pair = start_is_positive(Integer(1), Integer(2))
    return cut(one, assume(WIDE)), cut(pair, assume(WIDE))


def inside(theorem: Theorem, low: Any, high: Any) -> Theorem:
    """For the places b of a range."""
    within = (Compare(b, ">=", low), Compare(b, "<=", high))
    return generalise(cut(theorem, *map(assume, within), assume(WIDE)), b, low, high)


def at_place(every: Theorem, where: Any) -> Theorem:
    return cut(instance(every, where), assume(WIDE))


def proportional(b: Any) -> tuple[Theorem, ...]:
    """a_1 x_b = x_1 A_b, with a_1, x_1 > 0."""
    return instance(ALONG, b), constants()[0], FIRST


@cache
def entries_positive() -> Theorem:
    """x_b > 0 for 1 <= b <= d."""
    own = instance(instance(entries_stay(), NOW), b)
    start = joint(Compare(A(NOW, b), ">", 0), own, at_start(A, b), instance(assume(POSITIVE), b))
    values = {p: A1, q: x(1), f: x(b), g: A(NOW, b)}
    found = algebra(
        Compare(f, ">", 0), (*SCALE, Compare(g, ">", 0)), values, *proportional(b), start
    )
    return inside(found, 1, d)


def scaled_dominance(values: dict[Any, Any], *theorems: Theorem) -> Theorem:
    """4 w (1 + w^2) e <= (w - 1) f from that of h and g, where p e = q h and p f = q g."""
    low, high = symbols("c_1 c_2", real=True)
    given = (Compare(p * e, "=", q * h), *SCALE, Compare(low * h, "<=", high * g))
    scaled = joint(Compare(low * (q * h), "<=", high * (q * g)), given=given)
    back = joint(Compare(p * (low * e), "<=", p * (high * f)), scaled, given=given)
    lemma = joint(Compare(low * e, "<=", high * f), back, given=given)
    return cut(substitute(lemma, values | {low: 4 * w * (1 + w**2), high: w - 1}), *theorems)


@cache
def entries_dominated() -> Theorem:
    """4 w (1 + w^2) x_{b-1} <= (w - 1) x_b for 1 <= b <= d."""
    known = substitute(entry_is_dominated(NOW), {place: b})
    values = {p: A1, q: x(1), f: x(b), g: A(NOW, b), e: x(b - 1), h: A(NOW, b - 1)}
    return inside(scaled_dominance(values, *proportional(b), instance(ALONG, b - 1), known), 1, d)


def minors_of_tokens(i: Any, j: Any) -> tuple[Theorem, ...]:
    """D_12 M_ij = M_12 D_ij, with D_12, M_12 > 0."""
    return at_places(TURNED, i, j), constants()[1], FIRST_MINOR


def minor_is(sign: str, where: Any) -> Theorem:
    """z_b x_d - z_d x_b >= 0, or > 0."""
    own = at_places(instance(minors_stay(), NOW), where, d)
    more = [] if sign == ">=" else [start_is_positive(where, d)]
    least = joint(Compare(D(NOW, where, d), sign, 0), own, *more, given=(Compare(where, "<=", d),))
    values = {p: D12, q: minor(1, 2), f: minor(where, d), g: D(NOW, where, d)}
    given = (*SCALE, Compare(g, sign, 0))
    return algebra(Compare(f, sign, 0), given, values, *minors_of_tokens(where, d), least)


@cache
def rest_nonnegative() -> Theorem:
    """z_b >= 0 for 1 <= b <= d - 1."""
    given = (
        Compare(f * g - h * e, ">=", 0), Compare(g, ">", 0), Compare(h, ">=", 0), Compare(e, ">", 0),
    )  # fmt: skip
    values = {f: z(b), g: x(d), h: z(d), e: x(b)}
    last, own = at_place(entries_positive(), d), at_place(entries_positive(), b)
    found = algebra(Compare(f, ">=", 0), given, values, minor_is(">=", b), last, own, OVER)
    return inside(found, 1, d - 1)


@cache
def side_positive() -> Theorem:
    """z_{d-1} > 0."""
    given = (
        Compare(f * g - h * e, ">", 0), Compare(g, ">", 0), Compare(h, ">=", 0), Compare(e, ">", 0),
    )  # fmt: skip
    values = {f: z(d - 1), g: x(d), h: z(d), e: x(d - 1)}
    last, own = (at_place(entries_positive(), where) for where in (d, d - 1))
    found = algebra(Compare(f, ">", 0), given, values, minor_is(">", d - 1), last, own, OVER)
    return cut(found, assume(WIDE))


@cache
def rest_dominated() -> Theorem:
    """4 w (1 + w^2) z_{b-1} <= (w - 1) z_b for 1 <= b <= d - 1."""
    known = substitute(minor_is_dominated(NOW), {left: b, right: d})
    values = {
        p: D12, q: minor(1, 2), f: minor(b, d), g: D(NOW, b, d), e: minor(b - 1, d), h: D(NOW, b - 1, d),
    }  # fmt: skip
    turned = scaled_dominance(values, *minors_of_tokens(b, d), at_places(TURNED, b - 1, d), known)
    low, high, last, a0, a1, end = symbols("c_1 c_2 g a_0 a_1 h", real=True)
    given = (
        Compare(low * (e * last - end * a0), "<=", high * (f * last - end * a1)),
        Compare(low * a0, "<=", high * a1), Compare(end, ">=", 0), Compare(last, ">", 0),
    )  # fmt: skip
    small = joint(Compare(end * (low * a0), "<=", end * (high * a1)), given=given[1:3])
    times = joint(Compare(last * (low * e), "<=", last * (high * f)), small, given=given[:1])
    lemma = joint(Compare(low * e, "<=", high * f), times, given=given[3:])
    values = {
        low: 4 * w * (1 + w**2), high: w - 1, e: z(b - 1), f: z(b), last: x(d), end: z(d),
        a0: x(b - 1), a1: x(b),
    }  # fmt: skip
    found = cut(
        substitute(lemma, values), turned, at_place(entries_dominated(), b),
        at_place(entries_positive(), d), OVER,
    )  # fmt: skip
    return inside(found, 1, d - 1)


# Norms ----------------------------------------------------------------------------------------------


def squares_before(row: Callable[[Any], Expr], last: Any) -> Expr:
    return Sum(row(k) ** 2, (k, 1, last))


def tail_is_short(
    row: Callable[[Any], Expr], none: Theorem, known: Theorem, signs: Theorem, high: Any
) -> Theorem:
    """sum_{k<=m} y_k^2 <= 2 y_m^2 for all m up to `high`, where every y_{k-1} is dominated by y_k >= 0."""
    n = Symbol("n", integer=True, nonnegative=True)
    body = lambda m: Implies(  # noqa: E731
        Compare(m, "<=", high),
        Compare(squares_before(row, m), "<=", 2 * row(m) ** 2) & Compare(row(m), ">=", 0),
    )
    empty = identity(squares_before(row, Integer(0)), Integer(0))
    start = joint(body(Integer(0)), empty, none)
    following = Compare(n + 1, "<=", high)
    more = sum_split(squares_before(row, n + 1))
    held = joint(body(n).conclusion, assume(body(n)), given=(following,))
    v_ = symbols("v", real=True)
    given = (
        Compare(v_, ">", 1), Compare(e, ">=", 0), Compare(f, ">=", 0),
        Compare(4 * v_ * (1 + v_**2) * e, "<=", (v_ - 1) * f),
    )  # fmt: skip
    four = joint(Compare(2 * v_ * e, "<=", 4 * v_ * (1 + v_**2) * e),
                 joint(Compare(v_ * e * (2 + 4 * v_**2), ">=", 0), given=given[:2]))  # fmt: skip
    half = joint(Compare(2 * v_ * e, "<=", v_ * f), four, given=given)
    small = joint(Compare(2 * e, "<=", f), half, given=given[:1])
    lemma = joint(Compare(4 * e**2, "<=", f**2), small, given=given[1:3])
    steps = [cut(at_place(one, n + 1), assume(following)) for one in (known, signs)]
    signs_ = [joint(Compare(row(n), ">=", 0), held), joint(Compare(row(n + 1), ">=", 0), steps[1])]
    lower = cut(
        substitute(lemma, {v_: w, e: row(n), f: row(n + 1)}), assume(STEEP), *signs_, steps[0]
    )
    step = joint(body(n + 1).conclusion, more, held, lower, signs_[1])
    return induction(start, discharge(step, following), n)


# For all places, and unit norm ------------------------------------------------------------------------


def for_pairs(
    body: Callable[[Any, Any], Any], inner: Theorem, time: Any, *more: Theorem
) -> Theorem:
    """For 0 <= i, j <= d from 1 <= i, j <= d: where one is zero both sides vanish."""
    goal, edges = body(i, j), []
    empty = [instance(nothing_before(row), T + time) for row in (A, R)]
    for index, pair in ((i, (m, j)), (j, (i, m))):
        terms = minor(*pair, time), D(T + time, *pair)
        gone = [congruent(term, m, index, Integer(0)) for term in terms]
        edges.append(discharge(joint(goal, *gone, *empty, *more), Compare(index, "=", 0)))
    within = Compare(i, ">=", 1) & Compare(j, ">=", 1)
    ends = (Compare(i, "<=", d), Compare(j, "<=", d))
    inner = cut(inner, joint(within, assume(within)), *map(assume, ends))
    apart = [integers_apart(0, index) for index in (i, j)]
    low = (Compare(i, ">=", 0), Compare(j, ">=", 0))
    every = joint(goal, *edges, discharge(inner, within), *apart, given=low)
    return generalise(generalise(every, j, 0, d), i, 0, d)


def from_nothing(body: Callable[[Any], Any], every: Theorem, time: Any, *more: Theorem) -> Theorem:
    """For 0 <= b <= d from 1 <= b <= d: entries before the first vanish."""
    gone = [
        congruent(x(m, time), m, b, Integer(0)), congruent(A(T + time, m), m, b, Integer(0)),
        instance(nothing_before(A), T + time),
    ]  # fmt: skip
    edge = discharge(joint(body(b), *gone, *more), Compare(b, "=", 0))
    own = discharge(at_place(every, b), Compare(b, ">=", 1))
    found = joint(body(b), edge, own, integers_apart(0, b), given=(Compare(b, ">=", 0),))
    return generalise(found, b, 0, d)


def is_not_zero(row: Callable[[Any], Expr], where: Any, end: Theorem) -> Theorem:
    """|y|^2 > 0, since the entry at a place is not zero."""
    least = cut(entry_below_norm(row, where), assume(WIDE))
    over = joint(Compare(row(where) ** 2, ">", 0), end)
    return linked(Compare(squares_before(row, d), ">", 0), least, over)


def made_unit(
    row: Callable[[Any], Expr], before: Callable[[Any], Expr], every: Theorem, positive: Theorem
) -> Theorem:
    """Rows y with |m| y = m for a row m that is not zero are of unit norm."""
    total, size, y, u_ = symbols("s r y u", real=True)
    whole = Sum(before(k) ** 2, (k, 1, d))
    root = sqrt(whole)
    named = joint(Compare(root**2, "=", whole))

    def square(n: Any) -> Theorem:
        """|m|^2 y_k^2 = m_k^2."""
        given = (Compare(size * y, "=", u_), Compare(size**2, "=", total))
        values = {size: root, y: row(n), u_: before(n), total: whole}
        known = at_place(every, n)
        return algebra(Compare(total * y**2, "=", u_**2), given, values, part(known, 0), named)

    summed = sums_compared(square, d)
    scaled = linked(Compare(whole * Sum(row(k) ** 2, (k, 1, d)), "=", whole), summed)
    given = (Compare(total * y, "=", total), Compare(total, ">", 0))
    values = {total: whole, y: Sum(row(k) ** 2, (k, 1, d))}
    return algebra(Compare(y, "=", 1), given, values, scaled, positive)
