"""Proofs about the norms of gradients by value weights: one trace after the other, at every size."""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Eq, Expr, Integer, Piecewise, Symbol, oo, symbols

from claims.model import Claim
from claims.naitsaada2025 import gradients as claims
from claims.naitsaada2025 import notation
from claims.naitsaada2025.notation import T_1, d_1, depth, ell, gamma, size
from claims.naitsaada2025.shares import RELATIVE_VARIANCE, unevenness
from claims.statement import And, Compare, Tends
from claims.terms import Recursion
from proofs.calculation import at_places, for_all
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.kernel import (
    Theorem,
    assume,
    both,
    congruent,
    cut,
    derived,
    generalise,
    identity,
    induction,
    instance,
    joint,
    limit,
    limit_rewritten,
    outgrown,
    recursion_start,
    recursion_step,
    substitute,
    unfold,
)
from proofs.naitsaada2025.row_moments import of_a_row
from proofs.naitsaada2025.second_moments import RATIO, combined_limit, decided_by_limit, t
from proofs.registry import proves

T, d = T_1 * size, d_1 * size
METHOD = "mean traces, layer by layer; induction on the depth of the limit"
NETWORK = claims.AT_EVERY_SIZE
layers = Symbol("L'", integer=True)
x, m = symbols("x m", real=True)
_RANGES = ((size, 1, oo), (layers, ell, oo))
kept = Recursion(
    "m", lambda k: Integer(1), lambda _, k, before: before(k) * T_1 * k * unevenness(T_1 * k)
)
"""What some layers A^perp multiply a trace by, each of them times T."""
POWERS = {
    claims.first: T ** (1 - layers) * d ** (ell - 1) * kept(layers, size),
    claims.second: d ** (layers - ell + 1),
    claims.whole: T ** (1 - layers) * d**layers * kept(layers, size),
}


@cache
def _kept_tends() -> Theorem:
    """To a power of the variance, for all layers, as the size grows."""
    body = Tends(kept(t, size), size, RELATIVE_VARIANCE**t)
    parts = {x: assume(body), m: of_a_row(unevenness, order=2)}
    step = combined_limit(x * m, parts, recursion_step(kept, t, size))
    first = generalise(recursion_start(kept, size), size, 1, oo)
    return induction(limit_rewritten(limit(Integer(1), size), first), step, t)


@cache
def read(family: Any) -> Theorem:
    """What the definition says at every size and depth."""
    return unfold(family(size, layers), POWERS[family], NETWORK, _RANGES)


@cache
def tends(family: Any, scale: Expr, factor: Expr) -> Theorem:
    """For all depths from l on: the family over a scale tends to a factor times v^L."""
    scaled = over_scale(family, scale, factor * kept(layers, size))
    some = joint(Compare(layers, ">=", 0), given=(Compare(layers, ">=", ell),))
    after = cut(instance(_kept_tends(), layers), some)
    found = combined_limit(factor * x, {x: after}, scaled)
    return generalise(found, layers, ell, oo)


def over_scale(family: Any, scale: Expr, value: Expr) -> Theorem:
    """The family over a scale."""
    divided = congruent(x / scale, x, family(size, layers), POWERS[family])
    same = identity(POWERS[family] / scale, value)
    goal = Compare(family(size, layers) / scale, "=", value)
    return joint(goal, cut(divided, read(family)), same)


def per_feature() -> Theorem:
    return tends(claims.whole, d, RATIO ** (1 - layers))


@proves(claims.norm_factorises)
def by_powers_of_both_sizes(claim: Claim) -> Certificate:
    """d^(l-1) from below and d^(L-l+1) from above make d^L."""
    w, f, s, a, b = symbols("w f s a b", real=True)
    given = (Compare(f, "=", a), Compare(s, "=", b), Compare(w, "=", a * b))
    terms = dict(zip((f, s, w), (family(size, layers) for family in POWERS), strict=True))
    terms |= {a: POWERS[claims.first], b: POWERS[claims.second]}
    product = substitute(joint(Compare(w, "=", f * s), given=given), terms)
    equal = cut(product, *map(read, POWERS))
    every = for_all(equal, (layers, ell, oo), (size, 2))
    return conclude(claim, at_places(every, depth, Integer(1)), method=METHOD)


@proves(claims.gradients_grow_linearly)
def by_the_limit_at_each_depth(claim: Claim) -> Certificate:
    """d^(-1) E = (T/d)^(1-L) times (T r)^L."""
    return decided_by_limit(claim, instance(per_feature(), depth), NETWORK, METHOD)


@proves(claims.traces_are_constants)
def by_counting_features(claim: Claim) -> Certificate:
    """Per feature the traces tend to T/d v^L and 1."""
    first = tends(claims.first, d**ell / T**layers, RATIO)
    second = over_scale(claims.second, d ** (layers - ell + 1), Integer(1))
    one = limit_rewritten(limit(Integer(1), size), generalise(second, size, 1, oo))
    limits = (instance(first, depth), instance(generalise(one, layers, ell, oo), depth))
    found = [
        derived(quantity, known.formula.limit, NETWORK, METHOD, known)
        for quantity, known in zip(claims.normalised_traces, limits, strict=True)
    ]
    return conclude(claim, both(*found), method=METHOD)


@proves(claims.growth_without_gap_is_constant)
def by_the_ratio_of_two_depths(claim: Claim) -> Certificate:
    """(T/d)^(1-L) v^L does not change with L where T/d = v."""
    limits = [instance(per_feature(), at) for at in (depth, depth + 1)]
    value = limits[1].formula.limit / limits[0].formula.limit
    assert claim.quantity is not None
    ratio = derived(claim.quantity, value, NETWORK, METHOD, *limits)
    balanced = (Compare(gamma, "=", RELATIVE_VARIANCE), Compare(gamma * d_1, "=", T_1))
    one = joint(Compare(claim.quantity, "=", 1), ratio, given=balanced)
    return conclude(claim, one, method=METHOD)


# With the gap -------------------------------------------------------------------------------------

GAP = claims.gradients_diverge_with_depth.domain
tokens, features, further = notation.T, notation.d, claims.further


def _attended(layer: Any, place: Any, before: Any) -> Any:
    """(1^T N 1, tr N) one layer on."""
    diagonal = (before(1) + before(2)) / (tokens + 1)
    whole = diagonal + (tokens - 1) * before(1) / tokens
    return Piecewise((whole, Eq(place, 1)), (diagonal, True))


sums = Recursion("s", lambda place: tokens, _attended)


@cache
def _trace_stays_above_one() -> Theorem:
    """1^T N 1 >= T, and T tr N is at least as large."""

    def body(layer: Any) -> And:
        total, trace = (sums(layer, c) for c in (1, 2))
        return And((Compare(total, ">=", tokens), Compare(tokens * trace, ">=", total)))

    start = joint(body(Integer(0)), *(recursion_start(sums, c) for c in (1, 2)))
    steps = [recursion_step(sums, t, c) for c in (1, 2)]
    a, b, n = symbols("a b n", real=True)
    known = (Compare(a, ">=", n), Compare(n * b, ">=", a), Compare(n, ">=", 1))
    diagonal = (a + b) / (n + 1)
    whole = diagonal + (n - 1) * a / n
    pure = joint(Compare(whole, ">=", n) & Compare(n * diagonal, ">=", whole), given=known)
    named = substitute(pure, {a: sums(t, 1), b: sums(t, 2), n: tokens})
    one = cut(named, assume(body(t)))
    return induction(start, joint(body(t + 1), one, *steps), t)


@proves(claims.gradients_diverge_with_depth)
def by_the_outlier_alone(claim: Claim) -> Certificate:
    """The mean is d^L tr N_L, and the direction of ones keeps tr N_L >= 1."""
    depth_ = ell + further
    said = unfold(
        claims.with_gap(further), features**depth_ * sums(depth_, 2), GAP, ((further, 0, oo),)
    )
    some = joint(
        Compare(sums(depth_, 2), ">=", 1), instance(_trace_stays_above_one(), depth_),
        given=(Compare(tokens, ">=", 1),),
    )  # fmt: skip
    power = joint(Compare(features**depth_, ">=", 0), given=(Compare(features, ">=", 1),))
    least = joint(Compare(features**depth_, "<=", claims.with_gap(further)), said, some, power)
    excess = Symbol("e", positive=True)
    grows = substitute(limit((1 + excess) ** depth_, further), {excess: features - 1})
    every = generalise(least, further, 0, oo)
    return conclude(
        claim, both(every, outgrown(every, grows)), method="mean traces, layer by layer"
    )
