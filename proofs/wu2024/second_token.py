r"""Proofs for the second token's recursion and Lemma 11: two columns of X_2 W_V + e_d, and unit norm."""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Abs, Expr, Integer, Piecewise, Sum, Symbol, diff, oo, sqrt

from claims.model import Claim
from claims.statement import Compare, ForAll
from claims.terms import Recursion, entry
from claims.wu2024 import second_token as claims
from claims.wu2024.notation import d, t, w
from claims.wu2024.second_token import f, i, last, rho, second, y
from proofs.calculation import at_places, conjuncts, linked, summed_over
from proofs.certificate import Certificate
from proofs.conclude import conclude, facts_of
from proofs.kernel import (
    Theorem,
    assume,
    both,
    cut,
    derived,
    generalise,
    induction,
    instance,
    joint,
    limit,
    outgrown,
    part,
    prepended,
    recursion_start,
    recursion_step,
    substitute,
    sum_split,
    unfold,
)
from proofs.registry import proves

TOKENS = r"all $d\ge3$, all $w>1$, every second token of unit norm with $r_2,\dots,r_{d-1}>0$"
DOMAIN = claims.lemma_11_domain
b, j = Symbol("b", integer=True), Symbol("j", integer=True)
P, Q, L = (entry(second)(1, k) for k in (d - 1, d - 2, d))
HEAD = Sum(entry(second)(1, j) ** 2, (j, 1, d - 2))
WIDE, STEEP = Compare(d, ">=", 3), Compare(w, ">", 1)


# The recursion --------------------------------------------------------------------------------------

TOKEN = claims.second_tokens
START = entry(second)
coordinate = Recursion(
    "x",
    lambda b: START(1, b),
    lambda s, b, before: Piecewise((before(1), b <= 1), (before(b) + w * before(b - 1), True)),
)
"""The first d - 1 coordinates of X_2, up to scale: they move along (31) by themselves."""
SIGN = START(1, 1)
"""Coordinates before the last have the sign of the first one."""


def signed(layer: Any, place: Any) -> Expr:
    return coordinate(layer, place) * SIGN


def positive_at(layer: Any) -> ForAll:
    return ForAll(b, 1, d - 1, Compare(signed(layer, b), ">", 0))


def grown_at(layer: Any) -> ForAll:
    """(b - 1) x_b >= w (t - b + 2) x_{b-1}, up to the sign."""
    below = w * (layer - b + 2) * signed(layer, b - 1)
    return ForAll(b, 2, d - 1, Compare((b - 1) * signed(layer, b), ">=", below))


def inside(theorem: Theorem, low: int) -> Theorem:
    """The theorem for the places from `low` to d - 1."""
    return cut(theorem, assume(Compare(b, ">=", low)), assume(Compare(b, "<=", d - 1)))


@cache
def at_the_start() -> Theorem:
    """Where t = 0 the left side is not negative and the right side not positive."""
    (signs,) = (f for f in facts_of(TOKEN) if isinstance(f, ForAll) and isinstance(f.body, ForAll))
    shared = at_places(assume(signs), b, Integer(1))
    begin = joint(Compare(signed(0, b), ">", 0), shared, recursion_start(coordinate, b))
    positive = generalise(cut(begin, assume(WIDE)), b, 1, d - 1)
    here, before = (inside(instance(positive, k), 2) for k in (b, b - 1))
    goal = grown_at(Integer(0)).body
    grown = joint(goal, here, before, given=(Compare(b, ">=", 2), STEEP))
    return both(positive, generalise(grown, b, 2, d - 1))


@cache
def one_layer() -> Theorem:
    """x_b gains w x_{b-1}, of which the bound needs less, by the bound for x_{b-1}."""
    known = assume(positive_at(t) & grown_at(t))
    positive, grown = part(known, 0), part(known, 1)
    own, before, further = (instance(positive, k) for k in (b, b - 1, b - 2))
    steps = [recursion_step(coordinate, t, k) for k in (b, b - 1)]
    keeps = joint(
        Compare(signed(t + 1, b), ">", 0), own, before, steps[0],
        given=(Compare(b, ">=", 2), STEEP),
    )  # fmt: skip
    first = joint(
        Compare(signed(t + 1, 1), ">", 0), instance(positive, Integer(1)),
        recursion_step(coordinate, t, 1),
    )  # fmt: skip
    every = prepended(cut(first, assume(WIDE)), generalise(inside(keeps, 2), b, 2, d - 1))
    goal = grown_at(t + 1).body
    later = joint(
        goal, instance(grown, b), instance(grown, b - 1), before, further, *steps,
        given=(Compare(b, ">=", 3), STEEP),
    )  # fmt: skip
    second_place = joint(
        goal.substitute({b: Integer(2)}), instance(grown, Integer(2)),
        recursion_step(coordinate, t, 2), recursion_step(coordinate, t, 1), given=(STEEP,),
    )  # fmt: skip
    rest = generalise(inside(later, 3), b, 3, d - 1)
    return both(every, prepended(cut(second_place, assume(WIDE)), rest))


@cache
def ratio_grows() -> tuple[Theorem, Theorem]:
    """X_i/X_{i-1} is at least w (t - i + 2)/(i - 1), and so tends to infinity."""
    held = instance(induction(at_the_start(), one_layer(), t), t)
    positive, grown = part(held, 0), instance(part(held, 1), i)
    own, before = instance(positive, i), instance(positive, i - 1)
    read = unfold(
        claims.ratio_after(t), coordinate(t, i) / coordinate(t, i - 1), TOKEN, ((t, 0, oo),)
    )
    bound = w * (t - i + 2) / (i - 1)
    given = (Compare(i, ">=", 2),)
    above = joint(
        Compare(bound, "<=", claims.ratio_after(t)), own, before, grown, read, given=given
    )
    above = generalise(cut(above, assume(Compare(i, "<=", d - 1))), t, 0, oo)
    slope, shift = Symbol("a", positive=True), Symbol("c", real=True)
    runs = substitute(limit(slope * (t - shift), t), {slope: w / (i - 1), shift: i - 2})
    steep = joint(Compare(w / (i - 1), ">", 0), given=(STEEP, *given))
    return above, outgrown(above, cut(runs, steep))


@proves(claims.second_token_recursion_as_printed)
def by_columns(claim: Claim) -> Certificate:
    """The quotient of two columns of X_2 W_V + e_d; the first d - 1 columns are those of (31)."""
    above, runs = ratio_grows()
    (signs,) = (f for f in facts_of(TOKEN) if isinstance(f, ForAll) and isinstance(f.body, ForAll))
    read = [assume(f) for f in facts_of(TOKEN) if isinstance(f, Compare) and f.sign == "="]
    pairs = [
        wide(instance(wide(instance(assume(signs), a)), c))
        for a, c in ((d - 1, Integer(1)), (d - 2, d - 1))
    ]
    quotient = unfold(claims.next_ratio, (L + w * P + 1) / (P + w * Q), TOKEN)
    first, second_, *_ = conjuncts(claims.second_token_recursion.formula)
    equal = joint(first & second_, quotient, *read, *pairs, given=(STEEP,))
    return conclude(
        claim, both(equal, above, runs), method="one step of (31) with the first token at $e_d$"
    )


# Lemma 11 -------------------------------------------------------------------------------------------


def wide(theorem: Theorem) -> Theorem:
    return cut(theorem, assume(WIDE))


@cache
def unit_token() -> tuple[Theorem, Theorem]:
    """The squares of x_1, ..., x_{d-2}, of x_{d-1} and of x_d sum to one; x_{d-2} x_{d-1} > 0."""
    norm, signs = facts_of(DOMAIN)[2:]
    squares = [Sum(entry(second)(1, j) ** 2, (j, 1, end)) for end in (d, d - 1)]
    unit = joint(
        Compare(HEAD + P**2 + L**2, "=", 1), instance(assume(norm), 1),
        *(wide(sum_split(total)) for total in squares),
    )  # fmt: skip
    pair = wide(instance(wide(instance(assume(signs), d - 2)), d - 1))
    return unit, joint(Compare(Q * P, ">", 0), pair)


@cache
def ratios() -> tuple[Theorem, ...]:
    """x_d = y x_{d-1}, f >= 0, x_{d-1}^2 (1 + f + y^2) = 1 and rho > 0."""
    unit, pair = unit_token()
    nonzero = joint(Compare(P, "!=", 0), pair)
    along = joint(Compare(L, "=", y * P), unfold(y, L / P, DOMAIN), nonzero)
    rest = joint(Compare(HEAD, "=", f * P**2), unfold(f, HEAD / P**2, DOMAIN), nonzero)
    whole = joint(Compare(P**2 * (1 + f + y**2), "=", 1), unit, along, rest)
    # X_1 is its own successor up to scale, so that it cancels.
    ahead = joint(Compare(rho, ">", 0), unfold(rho, P / (P + w * Q), DOMAIN), pair, given=(STEEP,))
    squares = joint(Compare(0, "<=", entry(second)(1, j) ** 2))
    summed = summed_over(squares, (j, d - 2))
    return along, whole, ahead, linked(Compare(f, ">=", 0), summed, rest, nonzero)


@cache
def slopes() -> tuple[Theorem, Theorem]:
    """1/X_{d-1} = s sqrt(1 + f + z^2) and h = rho (z + w + 1/X_{d-1}), differentiated at z = y."""
    z = Symbol("z", real=True)
    inverse = P / Abs(P) * sqrt(1 + f + z**2)
    rates = (diff(e, z).subs(z, y) for e in (inverse, rho * (z + w + inverse)))
    along, rising = (
        derived(quantity, rate, DOMAIN, "derivative along tokens of unit norm")
        for quantity, rate in zip((claims.inverse_slope, claims.ratio_slope), rates, strict=True)
    )
    return along, rising


@proves(claims.ratio_map_is_nondecreasing)
def by_unit_norm(claim: Claim) -> Certificate:
    """Unit norm gives 1/X_{d-1} as a function of y; differentiate it and h."""
    along, whole, ahead, rest = ratios()
    root = sqrt(1 + f + y**2)
    sized = joint(Compare(Abs(P) * root, "=", 1), whole, rest)
    last_ = unfold(last, L, DOMAIN)
    inverse, rising = slopes()
    square = joint(
        claims.inverse_square.equals(y**2 + 1 + f), whole,
        unfold(claims.inverse_square, 1 / P**2, DOMAIN),
    )  # fmt: skip
    quotient = joint(Compare(P / Abs(P) * y / root, "=", L), sized, along)
    first = joint(claims.inverse_slope.equals(last), inverse, quotient, last_)
    second_ = joint(claims.ratio_slope.equals(rho * (1 + last)), rising, quotient, last_)
    above = joint(Compare(L, ">=", -1), along, whole, rest)
    sign = joint(claims.ratio_slope.at_least(0), second_, above, ahead, last_)
    theorem = joint(claims.ratio_map_is_nondecreasing.formula, square, first, second_, sign)
    return conclude(
        claim, theorem, method=r"derivative along tokens with the same $r_2,\dots,r_{d-1}$"
    )
