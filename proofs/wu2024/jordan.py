r"""Proofs for the first token: powers of the Jordan block (31) and the degrees of its coordinates.

W_V = I + w S with the shift S, so coordinate b of x W_V is x_b + w x_{b-1}.  By Pascal's rule
(x W_V^t)_b = sum_m C(t, m) w^m x_{b-m} for all t, d and b <= d; everything is read from there.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import (
    Integer,
    Piecewise,
    Sum,
    Symbol,
    binomial,
    oo,
)

from claims.model import Claim
from claims.statement import Compare, ForAll
from claims.terms import Recursion, entry
from claims.wu2024 import jordan as claims
from claims.wu2024.jordan import first, i, m, ratio, start_ratio
from claims.wu2024.notation import d, t, w
from proofs.calculation import at_places, conjuncts, for_all, linked, summed_over
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.kernel import (
    Theorem,
    assume,
    cut,
    generalise,
    identity,
    induction,
    instance,
    joint,
    prepended,
    recursion_start,
    recursion_step,
    sum_split,
    unfold,
)
from proofs.registry import proves

DOMAIN = claims.walk
LAYERS = (t, 0, oo)
STARTS, STEEP, WIDE = Compare(entry(first)(1, 1), "!=", 0), Compare(w, ">", 0), Compare(d, ">=", 3)
e = entry(first)
x = Recursion(
    "x",
    lambda k: e(1, k),
    lambda s, k, before: Piecewise((before(1), k <= 1), (before(k) + w * before(k - 1), True)),
)
"""x W_V^t, coordinate by coordinate: W_V = I + w S with the shift S."""
later = Symbol("n", integer=True, positive=True)


# Equations (34) and (35) ---------------------------------------------------------------------------


@cache
def first_coordinate() -> Theorem:
    """(x W^t)_1 = x_1."""
    kept = Compare(x(t, 1), "=", e(1, 1))
    step = joint(kept.substitute({t: t + 1}), recursion_step(x, t, 1), assume(kept))
    return induction(recursion_start(x, 1), step, t)


@cache
def second_coordinate() -> Theorem:
    """(x W^t)_2 = x_2 + w t x_1."""
    gained = Compare(x(t, 2), "=", e(1, 2) + w * t * e(1, 1))
    step = joint(
        gained.substitute({t: t + 1}), recursion_step(x, t, 2), assume(gained),
        instance(first_coordinate(), t),
    )  # fmt: skip
    start = joint(gained.substitute({t: Integer(0)}), recursion_start(x, 2))
    return induction(start, step, t)


def read_ratio(layers: Any, place: Any, low: int) -> Theorem:
    """X_place/X_1 at some layer; `place` is an index, or one less, that starts at `low`."""
    used = {s for e in (layers, place) for s in getattr(e, "free_symbols", ())}
    over = tuple(limits for limits in (LAYERS, (i, low, d)) if limits[0] in used)
    return unfold(ratio(layers, place), x(layers, place) / x(layers, 1), DOMAIN, over)


@proves(claims.second_coordinate_grows_linearly_as_printed)
def by_recursion(claim: Claim) -> Certificate:
    """Each coordinate gains w times the one before it, and the first one stays."""
    every = claims.second_coordinate_grows_linearly.formula
    assert isinstance(every, ForAll)
    step, linear, recursion = conjuncts(every.body)
    ones = [instance(first_coordinate(), s) for s in (t, t + 1)]
    twos = [instance(second_coordinate(), s) for s in (t, t + 1)]
    begin = unfold(ratio(0, 2), e(1, 2) / e(1, 1), DOMAIN)
    rest = unfold(start_ratio(2), e(1, 2) / (e(1, 1) * w), DOMAIN)
    gains = joint(step, read_ratio(t + 1, 2, 2), begin, ones[1], twos[1], given=(STARTS,))
    grows = joint(linear, read_ratio(t, 2, 2), rest, ones[0], twos[0], given=(STARTS, STEEP))
    pascal = joint(
        recursion.body, read_ratio(t + 1, i, 3), read_ratio(t, i, 3), read_ratio(t, i - 1, 3),
        recursion_step(x, t, i), *ones, given=(STARTS, Compare(i, ">=", 3)),
    )  # fmt: skip
    together = joint(every.body, gains, grows, generalise(pascal, i, 3, d))
    theorem = generalise(together, t, 0, oo)
    return conclude(claim, theorem, method="one step of (31)")


# Equation (36) ------------------------------------------------------------------------------------


def expansion(layers: Any, place: Any) -> Sum:
    """sum_{m<place} C(layers, m) w^m x_{place-m}."""
    return Sum(binomial(layers, m) * w**m * e(1, place - m), (m, 0, place - 1))


def termwise(left: Sum, right: Sum, term: Theorem) -> Theorem:
    """Two sums over one range are equal, term by term."""
    index, low, high = left.limits[0]
    return joint(Compare(left, "=", right), summed_over(term, (index, low, high)))


@cache
def start_of_expansion() -> Theorem:
    """C(0, m) is one for m = 0 and zero beyond."""
    apart = sum_split(expansion(0, i), first=True)
    tail = Sum(expansion(0, i).function, (m, 1, i - 1))
    moved = sum_split(tail, shift=1)  # C(0, m + 1) = 0
    body = linked(Compare(x(0, i), "=", expansion(0, i)), apart, moved, recursion_start(x, i))
    return generalise(body, i, 1, d)


@cache
def step_of_expansion() -> Theorem:
    """Pascal's rule: C(t, m) + C(t, m - 1) = C(t + 1, m) for m >= 1."""
    held = assume(ForAll(i, 1, d, Compare(x(t, i), "=", expansion(t, i))))
    bounds = (Compare(i, ">=", 2), Compare(i, "<=", d))
    own, before = (cut(instance(held, k), *map(assume, bounds)) for k in (i, i - 1))
    lower = Sum(w * expansion(t, i - 1).function, expansion(t, i - 1).limits[0])
    shifted = sum_split(lower, shift=-1)
    now = sum_split(expansion(t, i), first=True)
    then = sum_split(expansion(t + 1, i), first=True)
    tails = [
        Sum(s.function.subs(s.limits[0][0], later), (later, 1, i - 1))
        for s in (expansion(t, i), shifted.formula.right, expansion(t + 1, i))
    ]
    pascal = identity(tails[0].function + tails[1].function, tails[2].function)
    added = Sum(pascal.formula.left, (later, 1, i - 1))
    same = termwise(added, tails[2], pascal)
    step = recursion_step(x, t, i)
    nonempty = [cut(theorem, assume(bounds[0])) for theorem in (now, then)]
    body = linked(
        Compare(x(t + 1, i), "=", expansion(t + 1, i)), own, before, shifted, *nonempty, same, step,
        given=bounds[:1],
    )  # fmt: skip
    one = instance(held, Integer(1))
    first_sums = [sum_split(expansion(s, Integer(1)), first=True) for s in (t, t + 1)]
    empty = [identity(s.formula.right.atoms(Sum).pop(), Integer(0)) for s in first_sums]
    case = joint(
        Compare(x(t + 1, 1), "=", expansion(t + 1, Integer(1))), one, *first_sums, *empty,
        recursion_step(x, t, 1),
    )  # fmt: skip
    return prepended(cut(case, assume(WIDE)), generalise(body, i, 2, d))


@proves(claims.coordinates_are_iterated_sums_as_printed)
def by_pascal(claim: Claim) -> Certificate:
    """The entries of W_V^t are binomial coefficients times powers of w."""
    every = induction(start_of_expansion(), step_of_expansion(), t)
    there = at_places(every, t, i)
    inner = Sum(binomial(t, m) * start_ratio(i - m), (m, 0, i - 1))
    place = Symbol("j", integer=True, positive=True)
    value = e(1, place) / (e(1, 1) * w ** (place - 1))
    read = generalise(unfold(start_ratio(place), value, DOMAIN, ((place, 1, d),)), place, 1, d)
    bounds = (Compare(m, ">=", 0), Compare(m, "<=", i - 1), Compare(i, "<=", d))
    here = cut(instance(read, i - m), *map(assume, bounds))
    power = identity(w ** (i - 1) * value.subs(place, i - m), w**m * e(1, i - m) / e(1, 1))
    term = joint(
        Compare(w ** (i - 1) * start_ratio(i - m) * e(1, 1), "=", w**m * e(1, i - m)), here, power,
        given=(STARTS,),
    )  # fmt: skip
    left, right = (
        Sum(binomial(t, m) * side, inner.limits[0])
        for side in (term.formula.left, term.formula.right)
    )
    scaled = joint(Compare(left.function, "=", right.function), term)
    summed = termwise(left, right, scaled)
    body = linked(
        Compare(ratio(t, i), "=", w ** (i - 1) * inner), read_ratio(t, i, 1), there, summed,
        instance(first_coordinate(), t), given=(STARTS,),
    )  # fmt: skip
    theorem = for_all(body, (t, 0, oo), (i, d))
    return conclude(claim, theorem, method="powers of the Jordan block")
