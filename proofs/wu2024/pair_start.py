r"""The tokens that the claim starts from lie in the trap: X_1 = a W^T, X_2 = -r W^T, normalised."""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Expr, Integer, oo, symbols

from claims.statement import Compare
from claims.wu2024.basin import LeaningRow, ahead_after, behind, behind_after
from claims.wu2024.notation import T, d, t, w
from proofs.calculation import body_at, conjuncts
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
    substitute,
    unfold,
)
from proofs.wu2024.minors import (
    POSITIVE,
    STEEP,
    A,
    D,
    R,
    at_start,
    entries_stay,
    first_entry_stays,
    first_minor_stays,
)
from proofs.wu2024.pair_trap import (
    A1,
    D12,
    DOMAIN,
    WIDE,
    X,
    at_place,
    b,
    constants,
    first_start,
    for_pairs,
    from_nothing,
    i,
    inside,
    is_not_zero,
    j,
    length,
    made_unit,
    minor,
    second_start,
    trap,
    x,
    z,
)

ZERO, ONE, TWO = map(Integer, range(3))
LEANING = LeaningRow(behind).facts()[-2:]
"""0 < (r W^T)_d < w (r W^T)_{d-1}."""


def minus_second(b: Any) -> Expr:
    return -second_start(b)


@cache
def passed() -> tuple[Theorem, Theorem]:
    """Entries of a W^T and r W^T, for 1 <= b <= d."""
    found = []
    for family, row in ((ahead_after, A), (behind_after, R)):
        read = unfold(family(t, b), row(t, b), DOMAIN, ((t, 0, oo), (b, 1, d)))
        every = generalise(generalise(read, b, 1, d), t, 0, oo)
        found.append(instance(every, T))
    return found[0], found[1]


@cache
def entry_at_start() -> Theorem:
    """(a W^T)_b > 0 for 1 <= b <= d."""
    own = instance(instance(entries_stay(), T), b)
    first = joint(Compare(A(T, b), ">", 0), own, at_start(A, b), instance(assume(POSITIVE), b))
    return inside(first, 1, d)


@cache
def last_two() -> tuple[Theorem, Theorem]:
    """Of -X_2, up to its norm: the last entry is less than w times the one before, and both are positive."""
    over, under = minus_second(d), minus_second(d - 1)
    inside = joint(Compare(over, ">", 0) & Compare(over, "<", w * under), *map(assume, LEANING))
    return inside, joint(Compare(under, ">", 0), inside, assume(STEEP))


def start_minor(i: Any, j: Any) -> Theorem:
    """The minors of -X_2 and X_1, up to their norms, are D_ij(T) for 1 <= i, j <= d."""
    equal = [cut(instance(one, where), assume(WIDE)) for one in passed() for where in (i, j)]
    own = minus_second(i) * first_start(j) - minus_second(j) * first_start(i)
    return joint(Compare(own, "=", D(T, i, j)), *equal)


@cache
def start_norms() -> tuple[Theorem, Theorem]:
    """Neither row is zero."""
    equal = at_place(passed()[0], d)
    last = joint(Compare(first_start(d), ">", 0), at_place(entry_at_start(), d), equal)
    return is_not_zero(first_start, d, last), is_not_zero(second_start, d - 1, last_two()[1])


@cache
def start_entry(n: int) -> Theorem:
    """Entries at the start times the norm of the row, which is positive, for 1 <= b <= d."""
    row = (first_start, second_start)[n - 1]
    goal = Compare(length(row) * X(0, n, b), "=", row(b)) & Compare(length(row), ">", 0)
    found = joint(
        goal, recursion_start(X, n, b), start_norms()[n - 1], given=(Compare(b, ">=", 1),)
    )
    return inside(found, 1, d)


def own(n: int, where: Any) -> Theorem:
    """|.| X_{n,b} is the entry before LayerNorm."""
    return part(at_place(start_entry(n), where), 0)


def norms() -> tuple[Expr, Expr, list[Theorem]]:
    """Of both rows, and that they are positive."""
    positive = [part(at_place(start_entry(n), d), 1) for n in (1, 2)]
    return length(first_start), length(second_start), positive


def along_at_start() -> tuple[Theorem, Theorem]:
    """|.| X_11 = a_1, and a_1 X_1b = X_11 A_b(T) for 1 <= b <= d."""
    whole, _, positive = norms()
    equal = lambda where: at_place(passed()[0], where)  # noqa: E731
    begin = joint(Compare(first_start(1), "=", A1), equal(ONE), instance(first_entry_stays(), T))
    leads = joint(Compare(whole * x(1, ZERO), "=", A1), own(1, ONE), begin)
    size, one, other, most, least, lead = symbols("r y y_1 g q h", real=True)
    given = (
        Compare(size * one, "=", most), Compare(size * other, "=", least), Compare(most, "=", lead),
        Compare(size, ">", 0),
    )  # fmt: skip
    scaled = joint(Compare(size * (least * one), "=", size * (other * lead)), given=given)
    lemma = joint(Compare(least * one, "=", other * lead), scaled, given=given[3:])
    values = {size: whole, one: x(b, ZERO), other: x(1, ZERO), least: A1}
    values |= {most: first_start(b), lead: A(T, b)}
    found = cut(substitute(lemma, values), own(1, b), leads, equal(b), positive[0])
    return leads, inside(found, 1, d)


def turned_at_start() -> tuple[Theorem, Theorem, Theorem]:
    """|.| |.| M_12 = D_12, which is positive, and D_12 M_ij = M_12 D_ij(T) for 1 <= i, j <= d."""
    whole, rest, positive = norms()
    both_norms = joint(Compare(whole * rest, ">", 0), *positive)
    pair = joint(
        Compare(whole * rest * minor(1, 2, ZERO), "=", D12), start_minor_of_tokens(ONE, TWO),
        instance(first_minor_stays(), T),
    )  # fmt: skip
    pair = cut(pair, assume(WIDE))
    size, one, other, lead = symbols("r y y_1 h", real=True)
    given = (Compare(size * one, "=", lead), Compare(size * other, "=", D12))
    turned = joint(Compare(D12 * (size * one), "=", (size * other) * lead), given=given)
    scaled = joint(Compare(size * (D12 * one), "=", size * (other * lead)), turned)
    lemma = joint(Compare(D12 * one, "=", other * lead), scaled, given=(Compare(size, ">", 0),))
    values = {
        size: whole * rest,
        one: minor(i, j, ZERO),
        other: minor(1, 2, ZERO),
        lead: D(T, i, j),
    }
    found = cut(substitute(lemma, values), start_minor_of_tokens(i, j), pair, both_norms)
    return pair, both_norms, found


def quotient_at_start() -> Theorem:
    """0 <= z_d <= w z_{d-1}, as before LayerNorm."""
    _, rest, positive = norms()
    between, _ = last_two()
    ends = []
    for where in (d, d - 1):
        goal = Compare(rest * z(where, ZERO), "=", minus_second(where))
        ends.append(cut(joint(goal, own(2, where)), assume(WIDE)))
    size, u0, u1, z0, z1, slope = symbols("r u_0 u_1 z_0 z_1 v", real=True)
    given = (
        Compare(size * z1, "=", u1), Compare(size * z0, "=", u0), Compare(size, ">", 0),
        Compare(u1, ">", 0), Compare(u1, "<", slope * u0),
    )  # fmt: skip
    scaled = joint(
        Compare(size * z1, "<=", size * (slope * z0)) & Compare(size * z1, ">=", 0), given=given
    )
    lemma = joint(Compare(z1, ">=", 0) & Compare(z1, "<=", slope * z0), scaled, given=given[2:3])
    values = {size: rest, z1: z(d, ZERO), z0: z(d - 1, ZERO), slope: w}
    values |= {u1: minus_second(d), u0: minus_second(d - 1)}
    return cut(substitute(lemma, values), *ends, positive[1], between)


def unit_at_start(n: int) -> Theorem:
    """LayerNorm makes unit norm."""
    row = (first_start, second_start)[n - 1]
    return made_unit(lambda c: X(0, n, c), row, start_entry(n), start_norms()[n - 1])


@cache
def trap_at_start() -> Theorem:
    """The trap holds of the tokens that the claim starts from."""
    parts = conjuncts(trap().substitute({t: ZERO}))
    none = [joint(parts[n - 1], recursion_start(X, n, ZERO)) for n in (1, 2)]
    positive = norms()[2]
    leads, along = along_at_start()
    first = joint(parts[2], leads, positive[0], constants()[0])
    along = from_nothing(lambda b: body_at(parts[3], b), along, ZERO, *none)
    pair, both_norms, turned = turned_at_start()
    crossed = joint(parts[4], pair, both_norms, constants()[1])
    every = for_pairs(lambda i, j: body_at(body_at(parts[5], i), j), turned, ZERO, *none)
    units = [unit_at_start(n) for n in (1, 2)]
    placed = quotient_at_start()
    found = both(*none, first, along, crossed, every, *units, part(placed, 0), part(placed, 1))
    return cut(found, *start_norms())


def start_minor_of_tokens(i: Any, j: Any) -> Theorem:
    """|.| |.| M_ij = D_ij(T) at the start, for 1 <= i, j <= d."""
    names = xi, xj, zi, zj, pi, pj, ri, rj, r1, r2 = symbols(
        "x_i x_j z_i z_j p_i p_j r_i r_j r_1 r_2", real=True
    )
    given = (
        Compare(r1 * xi, "=", pi),
        Compare(r1 * xj, "=", pj),
        Compare(r2 * zi, "=", ri),
        Compare(r2 * zj, "=", rj),
    )
    goal = Compare((r2 * zi) * (r1 * xj) - (r2 * zj) * (r1 * xi), "=", ri * pj - rj * pi)
    lemma = joint(
        Compare(r1 * r2 * (zi * xj - zj * xi), "=", ri * pj - rj * pi), joint(goal, given=given)
    )
    terms = (
        x(i, ZERO), x(j, ZERO), z(i, ZERO), z(j, ZERO), first_start(i), first_start(j), minus_second(i),
        minus_second(j), length(first_start), length(second_start),
    )  # fmt: skip
    ends = []
    for n, where in ((1, i), (1, j), (2, i), (2, j)):
        own = part(at_place(start_entry(n), where), 0)
        if n == 2:
            goal = Compare(length(second_start) * z(where, ZERO), "=", minus_second(where))
            own = joint(goal, own)
        ends.append(own)
    found = cut(substitute(lemma, dict(zip(names, terms, strict=True))), *ends)
    known = start_minor(i, j)
    return joint(Compare(found.formula.left, "=", D(T, i, j)), found, known)
