"""Hartfiel's lemma: from the first factor without a zero on, products come near to rank one."""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Abs, Integer, Sum, Symbol, oo, symbols

from claims.model import Claim
from claims.statement import Compare
from claims.terms import MaxOver, MinOver
from claims.wu2024 import hartfiel as claims
from claims.wu2024.hartfiel import first, high, onset, step, tolerance
from claims.wu2024.notation import N
from claims.wu2024.positivity import i, j
from proofs.calculation import at_places, body_at, for_all
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.kernel import (
    Theorem,
    assume,
    choose,
    cut,
    extremum_bounds,
    extremum_reached,
    generalise,
    identity,
    instance,
    joint,
    substitute,
    unfold,
)
from proofs.registry import proves
from proofs.wu2024.factor_quotients import (
    FIRST,
    RHO,
    contracts,
    gains,
    gains_grow,
    kappa,
    positive_at_first,
    positive_later,
    product,
)
from proofs.wu2024.positivity import down, up
from proofs.wu2024.quotients import no_zero

# The claim ----------------------------------------------------------------------------------------------

DOMAIN = claims.divergent_ratios_of_allowable_matrices_imply_ergodicity.domain
LATER = (Compare(onset, ">=", first), Compare(step, ">=", onset))
BOUND = tolerance * gains(onset - first)
top, bottom = symbols("c d", integer=True)


def at_first(token: Any, column: Any) -> Theorem:
    """An entry of P^{(t_1)}."""
    over = tuple((c, 1, N) for c in (token, column) if c in {top, bottom, j})
    return unfold(
        claims.product_entry(first, token, column), product(FIRST, token, column), DOMAIN, over
    )


@cache
def quotients_at_first() -> Theorem:
    """The largest quotient after t_1 is at most delta (1 + sum) times the least one."""
    put_in = {up: j, down: Integer(1)}
    high_, low_ = (RHO.extreme(kind, FIRST).subs(put_in) for kind in (MaxOver, MinOver))
    y, z, p, q, bound = symbols("y z p q D", real=True)
    lemma = joint(
        Compare(y / z, "<=", bound * (p / q)),
        joint(
            Compare(y * q, "<=", bound * (p * z)),
            joint(Compare((y * q) ** 2, "<=", (bound * (p * z)) ** 2),
                  given=(Compare(y**2, "<=", bound * z**2), Compare(q**2, "<=", bound * p**2),
                         Compare(y, ">", 0), Compare(q, ">", 0), Compare(z, ">", 0), Compare(p, ">", 0),
                         Compare(bound, ">", 0))),
            given=(Compare(bound, ">", 0), Compare(z, ">", 0), Compare(p, ">", 0), Compare(y, ">", 0),
                   Compare(q, ">", 0)),
        ),
        given=(Compare(z, ">", 0), Compare(q, ">", 0)),
    )  # fmt: skip
    one = Integer(1)
    values = {
        y: product(FIRST, top, j), z: product(FIRST, top, one), p: product(FIRST, bottom, j),
        q: product(FIRST, bottom, one), bound: BOUND,
    }  # fmt: skip
    reads = [at_first(token, column) for token in (top, bottom) for column in (j, one)]
    small = [
        joint(
            Compare(values[a] ** 2, "<=", BOUND * values[b] ** 2),
            at_places(assume(claims.ENOUGH), *least, *most), *reads,
        )
        for a, b, most, least in (
            (y, z, (top, j), (top, one)), (q, p, (bottom, one), (bottom, j)),
        )
    ]  # fmt: skip
    signs = [
        instance(substitute(positive_at_first(), {down: column}), token)
        for token in (top, bottom) for column in (j, one)
    ]  # fmt: skip
    grown = instance(instance(gains_grow(), Integer(0)), onset - first)
    nothing = identity(Sum(kappa(step), (step, FIRST, first)), Integer(0))
    positive = joint(Compare(BOUND, ">", 0), grown, nothing)
    found = cut(substitute(lemma, values), *small, *signs, positive)
    reached = [body_at(extremum_reached(e).formula, c) for e, c in ((high_, top), (low_, bottom))]
    goal = Compare(high_, "<=", BOUND * low_)
    whole = joint(goal, found, *map(assume, reached))
    whole = choose(extremum_reached(low_), bottom, whole)
    return choose(extremum_reached(high_), top, whole)


@cache
def near_rank_one() -> Theorem:
    """P > 0 and |P_ij/S_ij - 1| <= delta from the layer T on."""
    put_in, one = {up: j, down: Integer(1)}, Integer(1)
    count = step - first
    narrow = instance(substitute(contracts(), put_in), count)
    grown = instance(instance(gains_grow(), onset - first), step - onset)
    t = step + 1
    high_, low_ = (RHO.extreme(kind, t).subs(put_in) for kind in (MaxOver, MinOver))
    start = [RHO.extreme(kind, FIRST).subs(put_in) for kind in (MaxOver, MinOver)]
    a, b, m, l, m0, l0, g, g0, e = symbols("a b M l M0 l0 g g0 e", real=True)  # noqa: E741
    given = (
        Compare(a, ">=", l), Compare(a, "<=", m), Compare(b, ">=", l), Compare(b, "<=", m),
        Compare(g * (m - l), "<=", m0 - l0), Compare(l, ">=", l0), Compare(l0, ">", 0),
        Compare(m0, "<=", e * g0 * l0), Compare(g, ">=", g0), Compare(g0, ">=", 1), Compare(e, ">", 0),
    )  # fmt: skip
    less = joint(Compare(g * (m - l), "<=", e * g * l0),
                 joint(Compare(e * g0 * l0, "<=", e * g * l0), given=given[6:]), given=given)  # fmt: skip
    small = joint(Compare(m - l, "<=", e * l0), less, given=given[8:10])
    tiny = joint(
        Compare(Abs(a - b), "<=", e * b),
        small,
        joint(Compare(e * l0, "<=", e * b), given=(*given[2:3], *given[5:7], given[10])),
        given=given[:4],
    )
    lemma = joint(Compare(Abs(a / b - 1), "<=", e), tiny, given=(*given[2:3], *given[5:7]))
    own, other_ = (RHO.at(t, token).subs(put_in) for token in (i, one))
    ends = [
        substitute(extremum_bounds(RHO.extreme(kind, t), token), put_in)
        for kind in (MaxOver, MinOver) for token in (i, one)
    ]  # fmt: skip
    columns = [
        instance(instance(substitute(positive_later(), {down: column}), count), token)
        for column in (j, one) for token in (i, one)
    ]  # fmt: skip
    low_first = extremum_reached(start[1])
    first_signs = [
        instance(substitute(positive_at_first(), {down: column}), bottom) for column in (j, one)
    ]
    positive = choose(
        low_first,
        bottom,
        joint(Compare(start[1], ">", 0), assume(body_at(low_first.formula, bottom)), *first_signs),
    )
    more = instance(substitute(contracts(), put_in), onset - first)
    values = {
        a: own, b: other_, m: high_, l: low_, m0: start[0], l0: start[1], g: gains(count),
        g0: gains(onset - first), e: tolerance,
    }  # fmt: skip
    close = cut(
        substitute(lemma, values), *ends, narrow, positive, quotients_at_first(), grown, more,
        joint(Compare(tolerance, ">", 0)),
    )  # fmt: skip
    over = ((step, onset, oo), (i, 1, N), (j, 1, N))
    p = lambda c, d: product(t, c, d)  # noqa: E731
    ratio = p(i, j) * p(one, one) / (p(i, one) * p(one, j))
    read = unfold(claims.against_rank_one(step, i, j), ratio, DOMAIN, over)
    entry_ = unfold(claims.product_entry(step, i, j), p(i, j), DOMAIN, over)
    same = joint(Compare(ratio, "=", own / other_), *columns)
    near = joint(
        Compare(Abs(claims.against_rank_one(step, i, j) - 1), "<=", tolerance), close, same, read
    )
    sign = joint(Compare(claims.product_entry(step, i, j), ">", 0), entry_, columns[0])
    inside = joint(
        Compare(count, ">=", 0) & Compare(step - onset, ">=", 0) & Compare(onset - first, ">=", 0)
        & Compare(step, ">=", 0), given=LATER,
    )  # fmt: skip
    first_column = {down: one}
    no_zeros = (
        no_zero(instance(substitute(positive_later(), first_column), count)),
        no_zero(substitute(positive_at_first(), first_column)),
    )
    found = cut(joint(sign.formula & near.formula, sign, near), *columns, *no_zeros)
    return cut(found, inside, *(shares_have_a_value(last) for last in (step, onset)))


def shares_have_a_value(last: Any) -> Theorem:
    """b_t is not zero from t_1 + 1 on."""
    layer = Symbol("layer", integer=True)
    own = joint(Compare(high(layer), "!=", 0), instance(assume(claims.SIGNS), layer))
    late = Compare(layer, ">=", FIRST)
    own = cut(own, joint(Compare(layer, ">=", 0), given=(late,)))
    return generalise(own, layer, FIRST, last)


@proves(claims.row_allowable_matrices_have_ergodic_products)
def by_contraction_of_quotients(claim: Claim) -> Certificate:
    """The first factor without a zero makes the product positive; then quotients contract by 1 - a/b."""
    theorem = generalise(for_all(near_rank_one(), (i, N), (j, N)), step, onset, oo)
    return conclude(claim, theorem, method="contraction of quotients of columns")
