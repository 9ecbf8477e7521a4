"""One layer keeps the trap (`pair_trap`) of two tokens that evolve together."""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Expr, Integer, symbols

from claims.statement import Compare
from claims.wu2024.notation import d, t, w
from proofs.calculation import at_places, body_at, conjuncts, linked, sums_compared
from proofs.kernel import (
    Theorem,
    assume,
    both,
    cut,
    identity,
    instance,
    joint,
    part,
    recursion_step,
    substitute,
    sum_split,
)
from proofs.wu2024.minors import STEEP, A, D, entry_moves, minor_moves
from proofs.wu2024.pair_corner import (
    CORNER,
    SMALL,
    STATE,
    last_stays_positive,
    quotient_stays_below,
)
from proofs.wu2024.pair_trap import (
    A1,
    ALONG,
    BELOW,
    D12,
    FIRST,
    FIRST_MINOR,
    NEXT,
    NONE_X,
    NONE_Z,
    NOW,
    OVER,
    TURNED,
    UNIT_X,
    UNIT_Z,
    WIDE,
    X,
    at_place,
    b,
    entries_dominated,
    entries_positive,
    for_pairs,
    from_nothing,
    i,
    inside,
    is_not_zero,
    j,
    length,
    made_unit,
    minor,
    moved,
    p,
    q,
    rest_dominated,
    rest_nonnegative,
    side_positive,
    squares_before,
    tail_is_short,
    trap,
    x,
    z,
)


@cache
def state() -> tuple[Theorem, ...]:
    """`STATE` of the tokens, and of w."""
    xs, zs = entries_positive(), rest_nonnegative()
    tails = (
        tail_is_short(x, NONE_X, entries_dominated(), xs, d),
        tail_is_short(z, NONE_Z, rest_dominated(), zs, d - 1),
    )
    early = [instance(tails[0], d - 1), instance(tails[0], d - 2), instance(tails[1], d - 2)]
    lasts = [cut(one, assume(WIDE)) for one in early]
    lasts = [joint(one.formula.conclusion, one) for one in lasts]
    squares = [
        sums_compared(lambda n: joint(Compare(0, "<=", x(n) ** 2)), d - 1),
        sums_compared(lambda n: joint(Compare(0, "<=", z(n) ** 2)), d - 2),
    ]
    splits = [
        cut(sum_split(squares_before(row, end)), assume(WIDE))
        for row, end in ((x, d), (z, d), (z, d - 1))
    ]
    dominances = [
        at_place(entries_dominated(), d), at_place(entries_dominated(), d - 1),
        at_place(rest_dominated(), d - 1),
    ]  # fmt: skip
    known = (
        assume(STEEP), at_place(xs, d), at_place(xs, d - 1), side_positive(), OVER, BELOW, *dominances,
        *lasts, *squares, *splits, UNIT_X, UNIT_Z,
    )  # fmt: skip
    values = corner()
    return tuple(linked(formula.substitute(values), *known) for formula in STATE)


def corner() -> dict[Any, Any]:
    """What the names of `CORNER` stand for."""
    lasts = [row(d - n) for row in (x, z) for n in range(3)]
    sums = squares_before(x, d - 1), squares_before(z, d - 2)
    return dict(zip(CORNER, (*lasts, *sums, w, (w - 1) / (4 * w * (1 + w**2))), strict=True))


def of_the_tokens(theorem: Theorem) -> Theorem:
    """What arithmetic gives of `STATE`."""
    values = corner()
    share = joint(SMALL[0].substitute(values), given=(STEEP,))
    return cut(substitute(theorem, values), *state(), share, assume(STEEP))


def token_moves(b: Any) -> tuple[Expr, Expr]:
    """Both tokens one layer on, before LayerNorm."""
    before = lambda i, b: X(t, i, b)  # noqa: E731
    first, second = (moved(before, n, b) for n in (1, 2))
    return first, second


@cache
def norms_positive() -> tuple[Theorem, Theorem]:
    """Before LayerNorm no token is zero: its last entry is not."""
    ends = [at_place(entries_positive(), d), at_place(entries_positive(), d - 1)]
    first = joint(Compare(token_moves(d)[0], ">", 0), *ends, assume(STEEP))
    last = of_the_tokens(last_stays_positive())
    second = joint(Compare(token_moves(d)[1], "<", 0), last)
    one, other = (lambda b, n=n: token_moves(b)[n] for n in (0, 1))
    return is_not_zero(one, d, first), is_not_zero(other, d, second)


def norm(n: int) -> Expr:
    return length(lambda c: token_moves(c)[n - 1])


@cache
def after(n: int) -> Theorem:
    """For 1 <= b <= d an entry one layer on times the norm before LayerNorm, which is positive."""
    step = recursion_step(X, t, n, b)
    goal = Compare(norm(n) * X(t + 1, n, b), "=", token_moves(b)[n - 1]) & Compare(norm(n), ">", 0)
    found = joint(goal, step, norms_positive()[n - 1], given=(Compare(b, ">=", 1),))
    return inside(found, 1, d)


def unit_after(n: int) -> Theorem:
    """LayerNorm makes unit norm."""
    row = lambda c: X(t + 1, n, c)  # noqa: E731
    return made_unit(row, lambda c: token_moves(c)[n - 1], after(n), norms_positive()[n - 1])


def none_after(n: int) -> Theorem:
    return recursion_step(X, t, n, Integer(0))


@cache
def along_after() -> Theorem:
    """X_1 moves as a W^s, up to a positive factor: for 1 <= b <= d."""
    a0, a1_, b0, b1, c1, size = symbols("a_0 a_1 b_0 b_1 c_1 r", real=True)
    p_, q_, after_, first_after = symbols("p q y y_1", real=True)
    given = (
        Compare(p_ * a1_, "=", q_ * b1), Compare(p_ * a0, "=", q_ * b0), Compare(size, ">", 0),
        Compare(size * after_, "=", a1_ + w * a0), Compare(size * first_after, "=", q_),
        Compare(c1, "=", b1 + w * b0),
    )  # fmt: skip
    scaled = joint(Compare(size * (p_ * after_), "=", size * (first_after * c1)), joint(
        Compare(p_ * (size * after_), "=", q_ * c1), given=given), given=given)  # fmt: skip
    lemma = joint(Compare(p_ * after_, "=", first_after * c1), scaled, given=given[2:3])
    values = {
        p_: A1, q_: x(1), a1_: x(b), a0: x(b - 1), b1: A(NOW, b), b0: A(NOW, b - 1), size: norm(1),
        after_: x(b, t + 1), first_after: x(1, t + 1), c1: A(NOW + 1, b),
    }  # fmt: skip
    begins = joint(
        Compare(norm(1) * x(1, t + 1), "=", x(1)), at_place(after(1), Integer(1)), NONE_X
    )
    found = cut(
        substitute(lemma, values), instance(ALONG, b), instance(ALONG, b - 1), part(at_place(after(1), b), 0),
        part(at_place(after(1), d), 1), begins, entry_moves(A, NOW, b),
    )  # fmt: skip
    return inside(found, 1, d)


@cache
def minor_after(i: Any, j: Any) -> Theorem:
    """The minors of the tokens move as `minors` do, up to a positive factor: z - x has those of z."""
    e_, f_, g_, h_, p_, q_, u_, v_, c_, r1, r2 = symbols("e f g h p q u v c r_1 r_2", real=True)
    zi, zj, xi, xj = symbols("z_i z_j x_i x_j", real=True)
    # z_i, z_{i-1}, z_j, z_{j-1}, x_i, x_{i-1}, x_j, x_{j-1}, w; then one layer on.
    given = (
        Compare(r2 * zi, "=", e_ - p_ + c_ * (f_ - q_)), Compare(r2 * zj, "=", g_ - u_ + c_ * (h_ - v_)),
        Compare(r1 * xi, "=", p_ + c_ * q_), Compare(r1 * xj, "=", u_ + c_ * v_),
    )  # fmt: skip
    goal = (
        e_ * u_
        - g_ * p_
        + c_ * (f_ * u_ - g_ * q_)
        + c_ * (e_ * v_ - h_ * p_)
        + c_**2 * (f_ * v_ - h_ * q_)
    )
    same = identity(
        (e_ - p_ + c_ * (f_ - q_)) * (u_ + c_ * v_) - (g_ - u_ + c_ * (h_ - v_)) * (p_ + c_ * q_),
        goal,
    )
    lemma = joint(
        Compare((r2 * zi) * (r1 * xj) - (r2 * zj) * (r1 * xi), "=", goal), same, given=given
    )
    lemma = joint(Compare(r1 * r2 * (zi * xj - zj * xi), "=", goal), lemma)
    places = (i, i - 1, j, j - 1)
    values = dict(
        zip((e_, f_, g_, h_, p_, q_, u_, v_), (*map(z, places), *map(x, places)), strict=True)
    )
    values |= {
        c_: w,
        r1: norm(1),
        r2: norm(2),
        zi: z(i, t + 1),
        zj: z(j, t + 1),
        xi: x(i, t + 1),
        xj: x(j, t + 1),
    }
    ends = []
    for where in (i, j):
        first, second = (at_place(after(n), where) for n in (1, 2))
        minus = joint(Compare(norm(2) * z(where, t + 1), "=", -token_moves(where)[1]), second)
        ends += [part(first, 0), minus]
    return cut(substitute(lemma, values), *ends)


@cache
def first_minor_after() -> Theorem:
    """|.| |.| M_12 is what it was."""
    goal = Compare(norm(1) * norm(2) * minor(1, 2, NEXT), "=", minor(1, 2))
    found = joint(goal, minor_after(Integer(1), Integer(2)), NONE_X, NONE_Z)
    return cut(found, assume(WIDE))


def turned_after() -> Theorem:
    """D_12 M_ij = M_12 D_ij one layer on, for 1 <= i, j <= d."""
    names = symbols("m_0:4 d_0:4", real=True)
    ms, ds = names[:4], names[4:]
    size, after_, first_after, grown, c_ = symbols("r y y_1 D c", real=True)
    gain = lambda v: v[0] + c_ * v[1] + c_ * v[2] + c_**2 * v[3]  # noqa: E731
    given = (
        *(Compare(p * n, "=", q * o) for n, o in zip(ms, ds, strict=True)),
        Compare(size, ">", 0),
        Compare(size * after_, "=", gain(ms)),
        Compare(size * first_after, "=", q),
        Compare(grown, "=", gain(ds)),
    )
    summed = joint(Compare(p * gain(ms), "=", q * gain(ds)), given=given[:4])
    scaled = joint(
        Compare(size * (p * after_), "=", size * (first_after * grown)), summed, given=given[4:]
    )
    lemma = joint(Compare(p * after_, "=", first_after * grown), scaled, given=given[4:5])
    places = (i, j), (i - 1, j), (i, j - 1), (i - 1, j - 1)
    values = {n: minor(*at) for n, at in zip(ms, places, strict=True)}
    values |= {o: D(NOW, *at) for o, at in zip(ds, places, strict=True)}
    values |= {
        p: D12, q: minor(1, 2), size: norm(1) * norm(2), after_: minor(i, j, NEXT),
        first_after: minor(1, 2, NEXT), grown: D(NOW + 1, i, j), c_: w,
    }  # fmt: skip
    positive = [part(at_place(after(n), d), 1) for n in (1, 2)]
    both_ = joint(Compare(norm(1) * norm(2), ">", 0), *positive)
    known = [at_places(TURNED, *at) for at in places]
    moves = minor_after(i, j), first_minor_after(), minor_moves(NOW, i, j)
    return cut(substitute(lemma, values), *known, both_, *moves)


@cache
def trap_is_kept() -> Theorem:
    """The trap one layer on."""
    parts = conjuncts(trap().substitute({t: NEXT}))
    none = [none_after(1), none_after(2)]
    positive = [part(at_place(after(n), d), 1) for n in (1, 2)]
    begins = joint(Compare(norm(1) * x(1, NEXT), "=", x(1)), at_place(after(1), Integer(1)), NONE_X)
    first = joint(parts[2], begins, positive[0], FIRST)
    along = from_nothing(lambda b: body_at(parts[3], b), along_after(), NEXT, *none)
    pair = joint(
        parts[4],
        first_minor_after(),
        joint(Compare(norm(1) * norm(2), ">", 0), *positive),
        FIRST_MINOR,
    )
    inner = turned_after()
    turned = for_pairs(lambda i, j: body_at(body_at(parts[5], i), j), inner, NEXT, *none)
    last = part(at_place(after(2), d), 0)
    over = joint(parts[8], last, positive[1], of_the_tokens(last_stays_positive()))
    side = part(at_place(after(2), d - 1), 0)
    goal = Compare(norm(2) * z(d, NEXT), "<=", norm(2) * (w * z(d - 1, NEXT)))
    scaled = joint(goal, last, side, of_the_tokens(quotient_stays_below()))
    below = joint(parts[9], scaled, positive[1])
    empty = [joint(formula, *none) for formula in parts[:2]]
    return both(*empty, first, along, pair, turned, unit_after(1), unit_after(2), over, below)
