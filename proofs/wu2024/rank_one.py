r"""Long products of D A beside a product of rank one: Lemma 6 with a rate, from the quotients of columns.

After R + 1 layers quotients lie between $\kappa$ and $1/\kappa$, and so they do ever after; their range
contracts block by block (`quotients`).  $P_{ij}/S_{ij}$ for $S_{ij}=P_{i1}P_{1j}/P_{11}$ is one of them over
another one.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Abs, Integer, Symbol, oo, symbols

from claims.statement import Compare, ForAll
from claims.terms import MaxOver, MinOver
from claims.wu2024 import ergodic as claims
from claims.wu2024.cosines import R
from claims.wu2024.ergodic import kappa
from claims.wu2024.notation import N
from claims.wu2024.positivity import Scales, scales
from proofs import facts
from proofs.calculation import body_at, for_all
from proofs.kernel import (
    Theorem,
    assume,
    both,
    choose,
    cut,
    discharge,
    extremum_bounds,
    extremum_compared,
    fact,
    generalise,
    identity,
    instance,
    joint,
    limit_combined,
    limit_rewritten,
    next_integer,
    part,
    squeezed,
    substitute,
    unfold,
)
from proofs.wu2024.averages import (
    centre,
    entries_of,
    i,
    j,
    n,
    s,
    split_by_periods,
)
from proofs.wu2024.positivity import HIGH, LAST, LENGTH, LOW, down, first_entries, product, up
from proofs.wu2024.quotients import (
    RATE,
    RHO,
    at_layer,
    column_stays,
    never_wider,
    no_zero,
    periods,
    share_is_small,
)

# From the first block on ----------------------------------------------------------------------------

INSIDE = Compare(LENGTH, "<=", LAST)
START = {s: LENGTH}


def first_block(column: Any) -> Theorem:
    """(eps C_1)^(R+1) <= P_ic <= C_2^(R+1) for a column c."""
    return substitute(first_entries(LAST), {centre: column})


def column_at_first() -> Theorem:
    """z is positive after R + 1 layers."""
    body = joint(Compare(product(LENGTH, i, down), ">", 0), first_block(down), low_is_positive())
    return generalise(body, i, 1, N)


def low_is_positive() -> Theorem:
    return joint(Compare(LOW, ">", 0) & Compare(HIGH, ">", 0))


@cache
def within_kappa(kind: type) -> Theorem:
    """Quotients after R + 1 layers lie between kappa and 1/kappa."""
    a, b, low, high, q = symbols("a b l h q", real=True)
    given = (
        Compare(a, ">=", low), Compare(a, "<=", high), Compare(b, ">=", low), Compare(b, "<=", high),
        Compare(low, ">", 0), Compare(q, "=", low / high), Compare(high, ">", 0),
    )  # fmt: skip
    if kind is MaxOver:
        crossed = joint(Compare(q * a, "<=", b), given=given)
        lemma = joint(Compare(a / b, "<=", 1 / q), crossed, given=given)
    else:
        crossed = joint(Compare(q * b, "<=", a), given=given)
        lemma = joint(Compare(a / b, ">=", q), crossed, given=given)
    put_in = {
        a: product(LENGTH, i, up), b: product(LENGTH, i, down), low: LOW, high: HIGH, q: kappa
    }  # fmt: skip
    body = cut(
        substitute(lemma, put_in), first_block(up), first_block(down), low_is_positive(),
        assume(RATE),
    )  # fmt: skip
    return extremum_compared(generalise(body, i, 1, N), kind)


def since_first(theorem: Theorem, steps: Any) -> Theorem:
    """A theorem about n layers from layer s on, where z is positive: so many layers after the first block."""
    whole = discharge(cut(theorem, no_zero(assume(RHO.positive))), RHO.positive)
    every = instance(generalise(at_layer(whole, LENGTH), n, 0, oo), steps)
    return joint(every.formula.conclusion, every, column_at_first())


@cache
def later(kind: type, t: Any) -> Theorem:
    """And so at every later layer t."""
    kept = since_first(never_wider(kind), t - LENGTH)
    bound = within_kappa(kind).formula
    goal = Compare(RHO.extreme(kind, t), bound.sign, bound.right)
    return joint(goal, kept, within_kappa(kind), given=(Compare(t, "<=", LAST),))


def column_later(t: Any) -> Theorem:
    """z is positive at every later layer t."""
    every = discharge(instance(column_stays(), n), RHO.positive)
    there = instance(generalise(at_layer(every, LENGTH), n, 0, oo), t - LENGTH)
    implied = joint(there.formula.conclusion, there, column_at_first())
    return joint(implied.formula.conclusion, implied, given=(Compare(t, "<=", LAST),))


@cache
def range_is_small() -> Theorem:
    """width <= kappa^-1 (1 - kappa)^((T + 1)/(R + 1) - 2) after T >= R + 1 layers."""
    found = split_by_periods(LAST)
    blocks = Symbol("k", integer=True)
    exact = substitute(found, {Symbol("r", integer=True, positive=True): LENGTH})
    here = assume(body_at(exact.formula, blocks))
    one = next_integer(Integer(0), blocks)
    many = joint(
        Compare(blocks, ">", 0), joint(Compare(blocks * LENGTH, ">", 0), here, given=(INSIDE,)),
        given=(Compare(LENGTH, ">", 0),),
    )  # fmt: skip
    many = cut(one, cut(many, joint(Compare(LENGTH, ">", 0))))
    first = LAST - (blocks - 1) * LENGTH
    begins = joint(
        Compare(first, ">=", LENGTH) & Compare(first, "<=", LAST),
        joint(Compare((blocks - 1) * LENGTH, ">=", 0), many),
        here,
    )
    period = at_layer(periods(), first)
    column = column_later(first)
    every = instance(joint(period.formula.conclusion, period, column), blocks - 1)
    narrow = joint(every.formula.conclusion, every)
    ends = [later(kind, first) for kind in (MaxOver, MinOver)]
    small = share_is_small()
    start = joint(Compare(RHO.width(first), "<=", 1 / kappa), *ends, small)
    exponent = (LAST + 1) / LENGTH - 2
    enough = joint(Compare(exponent, "<=", blocks - 1), here)
    power = cut(
        fact(facts.POWER_FALLS, a=1 - kappa, p=exponent, q=blocks - 1), small, enough,
        joint(Compare(1 - kappa, ">", 0) & Compare(1 - kappa, "<=", 1), small),
    )  # fmt: skip
    sign = joint(Compare((1 - kappa) ** (blocks - 1), ">=", 0), small)
    goal = Compare(RHO.width(LAST), "<=", (1 - kappa) ** exponent / kappa)
    less = joint(
        Compare((1 - kappa) ** (blocks - 1) * RHO.width(first), "<=", (1 - kappa) ** (blocks - 1) / kappa),
        start, sign,
    )  # fmt: skip
    whole = joint(goal, narrow, less, power, small)
    return choose(exact, blocks, cut(whole, begins, many, here))


# Against a product of rank one ------------------------------------------------------------------------

ell, _t = claims.ell, Symbol("t", integer=True, nonnegative=True)
EXPONENT = (ell + 2) / LENGTH - 2
DISTANCE = (1 - kappa) ** EXPONENT / kappa**2
LATE = Compare(ell, ">=", R)
RANK_ONE = claims.long_products_are_ergodic.domain


def endless(theorem: Theorem) -> Theorem:
    """For sequences without end, of which the theorem uses the first layers."""
    finite = (*entries_of(ell + 1), Scales(scales, ell + 1).facts()[0])
    whole = (*entries_of(oo), Scales(scales, oo).facts()[0])
    lemmas = []
    for every, some in zip(whole, finite, strict=True):
        assert isinstance(some, ForAll)
        lemmas.append(generalise(instance(assume(every), some.index), some.index, 0, some.high))
    return cut(theorem, *lemmas)


@cache
def near_rank_one() -> Theorem:
    """P > 0, and |P_ij/S_ij - 1| <= kappa^-2 (1 - kappa)^((t + 2)/(R + 1) - 2), for t >= R."""
    put_in, later_on = {up: j, down: Integer(1), LAST: _t + 1}, {_t: ell}
    small, least = (substitute(each, put_in) for each in (range_is_small(), later(MinOver, LAST)))
    ends = [substitute(extremum_bounds(RHO.extreme(kind, LAST), place), put_in)
            for kind in (MaxOver, MinOver) for place in (i, Integer(1))]  # fmt: skip
    top, bottom = (RHO.extreme(kind, LAST).subs(put_in) for kind in (MaxOver, MinOver))
    own, first = (RHO.at(LAST, place).subs(put_in) for place in (i, Integer(1)))
    reduced = (1 - kappa) ** EXPONENT.subs(ell, _t)
    a, b, low, high, q, e = symbols("a b l h q e", real=True)
    given = (
        Compare(a, ">=", low), Compare(a, "<=", high), Compare(b, ">=", low), Compare(b, "<=", high),
        Compare(low, ">=", q), Compare(q, ">", 0), Compare(high - low, "<=", e / q),
    )  # fmt: skip
    wide = joint(Compare(e / q, ">=", 0), given=given)
    apart = joint(Compare(Abs(a - b), "<=", e / q), given=given)
    scaled = joint(Compare(e / q, "<=", e / q**2 * b), wide, given=given)
    lemma = joint(Compare(Abs(a / b - 1), "<=", e / q**2), apart, scaled, given=given)
    close = cut(
        substitute(lemma, {a: own, b: first, low: bottom, high: top, q: kappa, e: reduced}),
        small, least, *ends, share_is_small(),
    )  # fmt: skip
    close = substitute(close, later_on)
    columns = [
        substitute(
            instance(substitute(column_later(LAST), {down: where, LAST: _t + 1}), place), later_on
        )
        for where, place in ((j, i), (j, 1), (Integer(1), i), (Integer(1), 1))
    ]
    over = ((ell, R, oo), (i, 1, N), (j, 1, N))
    p = lambda one, other_: product(ell + 1, one, other_)  # noqa: E731
    ratio = p(i, j) * p(1, 1) / (p(i, 1) * p(1, j))
    read = unfold(claims.against_rank_one(ell, i, j), ratio, RANK_ONE, over)
    entry_ = unfold(claims.product_after(ell, i, j), p(i, j), RANK_ONE, over)
    same = joint(Compare(ratio, "=", (own / first).subs(later_on)), *columns)
    near = joint(
        Compare(Abs(claims.against_rank_one(ell, i, j) - 1), "<=", DISTANCE), close, same, read
    )
    found = both(joint(Compare(claims.product_after(ell, i, j), ">", 0), entry_, columns[0]), near)
    inside = joint(
        Compare(LENGTH, "<=", ell + 1) & Compare(ell - R, ">=", 0) & Compare(ell, ">=", 0),
        given=(LATE,),
    )  # fmt: skip
    at_first = substitute(column_later(LAST), {down: Integer(1), LAST: _t + 1})
    return endless(cut(cut(found, *columns, no_zero(substitute(at_first, later_on))), inside))


@cache
def distance_vanishes() -> Theorem:
    """kappa^-2 (1 - kappa)^((t + 2)/(R + 1) - 2) -> 0."""
    base, sequence = (1 - kappa) ** (1 / LENGTH), Symbol("a", real=True)
    small = share_is_small()
    inside = joint(Compare(1 - kappa, ">", 0) & Compare(1 - kappa, "<", 1), small)
    grows_ = discharge(fact(facts.POWER_INCREASES, a=1, b=base, p=LENGTH), Compare(1, "<=", base))
    below = joint(Compare(base, "<", 1), grows_, inside)
    above = joint(Compare(base, ">=", 0), inside)
    vanishes = cut(cut(fact(facts.GEOMETRIC, q=base, k=ell), below, above), inside)
    scale_ = (1 - kappa) ** (2 / LENGTH - 2) / kappa**2
    split = cut(identity(DISTANCE, scale_ * (1 - kappa) ** (ell / LENGTH), by="powers add"), inside)
    return limit_rewritten(
        limit_combined(scale_ * sequence, {sequence: vanishes}), generalise(split, ell, 0, oo)
    )


def tends_to_rank_one() -> Theorem:
    """P_ij/S_ij is squeezed to one."""
    near = part(near_rank_one(), 1)
    ratio, sequence = claims.against_rank_one(ell, i, j), Symbol("a", real=True)
    sides = (
        joint(Compare(1 - DISTANCE, "<=", ratio), near),
        joint(Compare(ratio, "<=", 1 + DISTANCE), near),
    )
    low, high = (
        limit_combined(1 + way * sequence, {sequence: distance_vanishes()}) for way in (-1, 1)
    )
    under, over = (generalise(side, ell, R, oo) for side in sides)
    return squeezed(under, over, low, high)


def every_pair() -> Theorem:
    """The limit, and how fast it is reached, for all i and j."""
    rates = generalise(near_rank_one(), ell, R, oo)
    return for_all(both(tends_to_rank_one(), rates), (i, N), (j, N))
