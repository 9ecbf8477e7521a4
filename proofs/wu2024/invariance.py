r"""Lemma 12 under log-concavity, by induction on the layer; witnesses against it as printed."""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Integer, Sum, oo, sqrt

from claims.model import Claim
from claims.statement import Compare, Implies
from claims.terms import entry, put
from claims.wu2024 import invariance as claims
from claims.wu2024.notation import d, t, w
from claims.wu2024.second_token import second
from proofs.calculation import algebra, linked, summed_over
from proofs.certificate import Certificate
from proofs.conclude import conclude, facts_of
from proofs.kernel import (
    Theorem,
    assume,
    both,
    cut,
    discharge,
    generalise,
    identity,
    instance,
    joint,
    part,
    substitute,
    sum_split,
    unfold,
)
from proofs.registry import proves
from proofs.wu2024.log_concave import (
    DOMAIN,
    HEAD,
    MU,
    PUSHED,
    STEEP,
    L,
    M,
    P,
    Q,
    R,
    Y,
    after,
    at_layer,
    at_most_zero,
    every_layer,
    given,
    j,
    kept,
    norm_is_positive,
    norm_outside,
    now,
    pushed_is_small,
    room_is_kept,
    squared,
    total,
    unit_norm,
    within_range,
    x,
)

METHOD = "induction on $t$: ordered quotients of coordinates, unit norm"


@proves(claims.root_exists_on_the_boundary)
def by_unit_norm_on_the_boundary(claim: Claim) -> Certificate:
    """1/X_{d-1}^2 is 1 + f + y^2 by unit norm, and w^2 on the boundary."""
    domain, X = claim.domain, entry(second)
    norm, signs, on_it = facts_of(domain)[1:4]
    p, last, head = X(1, d - 1), X(1, d), Sum(X(1, j) ** 2, (j, 1, d - 2))
    splits = (sum_split(Sum(X(1, j) ** 2, (j, 1, end))) for end in (d, d - 1))
    unit = joint(
        Compare(head + p**2 + last**2, "=", 1),
        instance(assume(norm), 1),
        *map(within_range, splits),
    )
    negative = joint(Compare(p, "<", 0), within_range(instance(assume(signs), d - 1)))
    y, f = claims.last_ratio, claims.f
    along = joint(Compare(last, "=", y * p), unfold(y, last / p, domain), negative)
    rest = joint(Compare(head, "=", f * p**2), unfold(f, head / p**2, domain), negative)
    whole = joint(Compare(p**2 * (1 + f + y**2), "=", 1), unit, along, rest)
    square = joint(Compare(y**2, "=", claims.under_the_root), whole, assume(on_it), negative)
    return conclude(claim, joint(claim.formula, square), method="unit norm")


@cache
def equation_40_is_the_remainder() -> Theorem:
    """The left-hand side of (40) is f: r_j w^(j-1) is X_j/X_1, and X_1 and powers of w cancel."""
    domain, X = claims.ratios_alone, entry(second)
    p = X(1, d - 1)

    def ratio(at: Any) -> Any:
        return X(1, at) / (X(1, 1) * w ** (at - 1))

    squares = (ratio(j) / ratio(d - 1)) ** 2 / w ** (2 * (d - 1 - j))
    cancelled = identity(squares, X(1, j) ** 2 / p**2)
    term = joint(cancelled.formula, cancelled, _negative(d - 1), _negative(1))
    inside = within_range(term, Compare(j, ">=", 1), Compare(j, "<=", d - 2))
    total = summed_over(inside, (j, d - 2))
    left = unfold(claims.equation_40, Sum(squares, (j, 1, d - 2)), domain)
    f = unfold(claims.f, Sum(X(1, j) ** 2, (j, 1, d - 2)) / p**2, domain)
    same = linked(Compare(claims.equation_40, "=", claims.f), left, total, f, _negative(d - 1))
    return cut(same, _negative(d - 1), _negative(1))


def _negative(at: Any) -> Theorem:
    signs = facts_of(claims.ratios_alone)[-1]
    negative = Compare(entry(second)(1, at), "<", 0)
    return within_range(joint(negative, instance(assume(signs), at)))


@proves(claims.root_exists_by_the_printed_bound)
def by_the_ratios_of_coordinates(claim: Claim) -> Certificate:
    """(40) bounds f, which is its left-hand side."""
    goal = Implies(
        Compare(claims.equation_40, "<=", w**2 - 1), Compare(claims.under_the_root, ">=", 0)
    )
    theorem = joint(goal, equation_40_is_the_remainder())
    return conclude(claim, theorem, method="powers of $w$ cancel")


# The claims ---------------------------------------------------------------------------------------

LAYERS = ((t, 0, oo),)


@proves(claims.region_is_invariant_as_printed)
def by_induction_on_layers(claim: Claim) -> Certificate:
    """A token of the region with ordered quotients is sent to another one."""
    held = part(instance(every_layer(), t), 4)
    body = joint(
        Compare(claims.height(t), "<=", -1 / w), held,
        unfold(claims.height(t), x(t, d - 1), DOMAIN, LAYERS), given=(STEEP,),
    )  # fmt: skip
    theorem = generalise(body, t, 0, oo)
    return conclude(claim, theorem, method=METHOD)


@cache
def remainders() -> tuple[Theorem, Theorem, Theorem]:
    """f at layers t and t + 1, and f' in terms of layer t."""
    now_, then = (
        unfold(
            claims.remainder_after(s), Sum(x(s, j) ** 2, (j, 1, d - 2)) / x(s, d - 1) ** 2, DOMAIN,
            LAYERS,
        )
        for s in (t, t + 1)
    )  # fmt: skip
    bounds = (Compare(j, ">=", 1), Compare(j, "<=", d - 2))
    square = squared(x(t + 1, j), now(j) + w * now(j - 1), after(j, *bounds))
    summed = summed_over(square, (j, d - 2))
    head = Sum(x(t + 1, j) ** 2, (j, 1, d - 2))
    left = norm_outside(head)
    moved_head = joint(Compare(head * total(now), "=", PUSHED), summed, left)
    moved_end = squared(x(t + 1, d - 1), MU, after(d - 1))
    return now_, then, both(moved_head, moved_end)


@proves(claims.remainder_shrinks_as_printed)
def by_ordered_quotients(claim: Claim) -> Certificate:
    """Every term of f shrinks, and f <= w^2 - 1 - y^2 by unit norm."""
    f_now, f_then, head = remainders()
    wider, *_ = room_is_kept()
    S, U = total(now), Sum(x(t + 1, j) ** 2, (j, 1, d - 2))
    nonzero = joint(Compare(P**2, ">", 0), given(4))
    end = joint(Compare(MU**2, ">", 0), wider, nonzero)
    later = joint(Compare(x(t + 1, d - 1) ** 2, ">", 0), head, end, norm_is_positive())
    shrunk = joint(
        Compare((P**2 * U) * S, "<=", (x(t + 1, d - 1) ** 2 * HEAD) * S), pushed_is_small(), head
    )
    crossed = joint(
        Compare(P**2 * U, "<=", x(t + 1, d - 1) ** 2 * HEAD), shrunk, norm_is_positive()
    )
    falls = joint(
        Compare(claims.remainder_after(t + 1), "<=", claims.remainder_after(t)),
        crossed, f_now, f_then, nonzero, later,
    )  # fmt: skip
    inside = joint(Compare(HEAD, "<=", (w**2 - 1) * P**2), unit_norm(), given(4))
    below = joint(Compare(claims.remainder_after(t), "<=", w**2 - 1), inside, f_now, nonzero)
    theorem = generalise(at_layer(both(falls, below)), t, 0, oo)
    return conclude(claim, theorem, method=METHOD)


def at_start(theorem: Theorem) -> Theorem:
    """A theorem about layer t, of the first layer, without what is assumed of it."""
    return cut(substitute(theorem, {t: Integer(0)}), instance(every_layer(), Integer(0)))


@cache
def one_layer() -> tuple[Theorem, ...]:
    """The quantities of the last lines by their definitions, cleared of denominators."""
    p, q, last, m = (put(e, {t: Integer(0)}) for e in (P, Q, L, MU))
    head, pushed = (put(e, {t: Integer(0)}) for e in (HEAD, PUSHED))
    signs = [at_start(part(assume(kept()), 4)), at_start(room_is_kept()[0])]
    bar = sqrt(w**2 - 1 - head / p**2)

    def at_boundary(z: Any) -> Any:
        return (-z / w - w / w + 1) / (-1 / w - w * q / (p * w))

    nonzero = joint(Compare(p, "<", 0) & Compare(m**2, ">", 0), *signs, given=(STEEP,))
    found = {
        claims.next_ratio: ((last + w * p + 1) / m, lambda k: Compare(k * m, "=", last + w * p + 1)),
        claims.factor: (p / m, lambda k: Compare(k * m, "=", p)),
        claims.room: (
            w**2 - 1 - head / p**2, lambda k: Compare(p**2 * k, "=", p**2 * (w**2 - 1) - head)
        ),
        claims.next_room: (
            w**2 - 1 - pushed / m**2, lambda k: Compare(m**2 * k, "=", m**2 * (w**2 - 1) - pushed)
        ),
        claims.high: (at_boundary(bar), lambda k: Compare(k * m, "=", p * bar)),
        claims.low: (at_boundary(-bar), lambda k: Compare(k * m, "=", -p * bar)),
    }  # fmt: skip
    read = [
        joint(cleared(k), unfold(k, term, DOMAIN), nonzero, given=(STEEP,))
        for k, (term, cleared) in found.items()
    ]
    root = joint(
        Compare(p**2 * claims.room, ">=", 0).implies(
            Compare(bar, ">=", 0) & Compare(bar**2, "=", claims.room)
        ),
        unfold(claims.room, found[claims.room][0], DOMAIN), nonzero,
    )  # fmt: skip
    return (*read, root, nonzero)


@proves(claims.one_step_as_printed)
def by_ordered_quotients_in_one_layer(claim: Claim) -> Certificate:
    """m_d^2 <= x_{d-1}^2 ybar^2 and f' <= f, each over m_{d-1}^2."""
    k, rho, room, later = claims.next_ratio, claims.factor, claims.room, claims.next_room
    p, m = (put(e, {t: Integer(0)}) for e in (P, MU))
    *read, root, nonzero = one_layer()
    bounded = at_start(room_is_kept()[1])
    small, unit = at_start(pushed_is_small()), at_start(unit_norm())
    sides = (within_range(instance(at_most_zero(), c)) for c in (d - 1, d - 2))
    below = at_start(joint(Compare(MU, "<=", P), *sides, given=(STEEP,)))
    inside = joint(Compare((k * m) ** 2, "<=", p**2 * room), bounded, unit, *read[:1], read[2])
    nonnegative = joint(Compare(p**2 * room, ">=", 0) & Compare(room, ">=", 0), inside, nonzero)
    grows = joint(
        Compare(p**2 * (m**2 * later), ">=", m**2 * (p**2 * room)), small, read[2], read[3]
    )
    room_grows = joint(Compare(later, ">=", room), grows, nonzero)
    square = joint(Compare(m**2 * k**2, "<=", m**2 * (rho**2 * room)), inside, read[1])
    square = joint(Compare(k**2, "<=", rho**2 * room), square, nonzero)
    factor = joint(Compare(rho, "<=", 1) & Compare(rho, ">=", 0), read[1], below, nonzero)
    falls = joint(Compare(rho**2 * room, "<=", room), factor, nonnegative)
    half = joint(root.formula.conclusion, root, nonnegative)
    bar = half.formula.formulas[0].left
    real = joint(Compare(bar**2, ">=", 0), nonnegative, unfold(room, bar**2, DOMAIN))
    ends = joint(
        Compare(claims.high, "=", rho * bar) & Compare(claims.low, "=", -rho * bar),
        read[1], read[4], read[5], nonzero,
    )  # fmt: skip
    squares = algebra(
        Compare(Y[0] ** 2, "=", M[0] ** 2 * M[1]) & Compare(Y[1] ** 2, "=", M[0] ** 2 * M[1]),
        (
            Compare(Y[0], "=", M[0] * R), Compare(Y[1], "=", -M[0] * R), Compare(R**2, "=", M[1]),
        ),
        {R: bar, Y[0]: claims.high, Y[1]: claims.low, M[0]: rho, M[1]: room}, ends, half,
        real, nonzero,
    )  # fmt: skip
    above = joint(Compare(claims.high, ">=", 0), ends, factor, half)
    between = joint(
        Compare(-claims.high, "<=", k) & Compare(k, "<=", claims.high), square, squares, above
    )
    theorem = joint(
        claims.one_step_inside_the_region.formula, between, squares, factor, falls, room_grows,
        square,
    )  # fmt: skip
    return conclude(claim, theorem, method="ordered quotients, one layer")


@proves(claims.last_ratio_is_inside_as_printed)
def by_squares(claim: Claim) -> Certificate:
    """|k| <= h and h^2 <= ybar'^2."""
    ends = claims.inside_ends
    within = joint(Compare(claims.next_ratio**2, "<=", claims.next_room), assume(ends))
    return conclude(claim, discharge(within, ends), method="squares of the line before")
