r"""Proofs about lengths and distances of unit tokens, for all N and d."""

from __future__ import annotations

from typing import Any

from sympy import Expr, sqrt, symbols

from claims.model import Claim
from claims.statement import Compare, Exists
from claims.terms import MinOver, entry
from claims.wu2024 import lengths as claims
from claims.wu2024.lengths import (
    C,
    before_layernorm,
    cosine,
    half_distance,
    i,
    j,
    phi,
    rho,
    scale,
    spread,
)
from claims.wu2024.notation import WV, A, N, X
from claims.wu2024.setup import Attention
from claims.wu2024.unit_tokens import Orthogonal, UnitRows
from proofs.calculation import body_at, for_all, place
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.kernel import (
    Theorem,
    assume,
    both,
    choose,
    cut,
    discharge,
    exists,
    extremum_bounds,
    extremum_reached,
    generalise,
    instance,
    joint,
    substitute,
    unfold,
)
from proofs.registry import proves
from proofs.wu2024.norms import (
    Row,
    combination,
    combination_is_short,
    inner,
    minus,
    polarised,
    rotated,
    rotation_keeps_products,
    row,
    spread_of_unit_rows,
    squared_spread,
    squared_spread_is_nonnegative,
)

SPHERE = r"all $N\ge1$, $d\ge1$ and all unit tokens"

x, weights, value = entry(X), entry(A), entry(WV)
stochastic, signs, *_ = (assume(f) for f in Attention(A).facts())
(units,) = (assume(f) for f in UnitRows(X).facts())
(orthogonal,) = (assume(f) for f in Orthogonal(WV).facts())


def cosine_of(one: Any, other: Any) -> Expr:
    return inner(row(x, one), row(x, other))


def least_cosine() -> Expr:
    """phi as a minimum over pairs."""
    k, m = place("k"), place("m")
    return MinOver(MinOver(cosine_of(k, m), (m, 1, N)), (k, 1, N))


def least_cosine_bounds(one: Any, other: Any) -> Theorem:
    """phi <= <X_i, X_j>."""
    outer = extremum_bounds(least_cosine(), one)
    inside = extremum_bounds(outer.formula.right, other)
    return joint(Compare(least_cosine(), "<=", cosine_of(one, other)), outer, inside)


@proves(claims.distance_is_bounded_by_the_cosine_gap)
def by_polarisation(claim: Claim) -> Certificate:
    """Equality with the own cosine gap; the least cosine gives the largest gap."""
    domain, over = claims.distance_is_bounded_by_the_cosine_gap.domain, ((i, 1, N), (j, 1, N))
    apart = minus(row(x, i), row(x, j))
    least = unfold(phi, least_cosine(), domain)
    own = unfold(cosine(i, j), cosine_of(i, j), domain, over)
    half = unfold(half_distance(i, j), inner(apart, apart) / 2, domain, over)
    ones = (instance(units, i), instance(units, j), polarised(row(x, i), row(x, j)))
    gaps = both(
        joint(Compare(1 - phi, ">=", 1 - cosine(i, j)), least, own, least_cosine_bounds(i, j)),
        joint(Compare(1 - cosine(i, j), ">=", half_distance(i, j)), own, half, *ones),
    )
    theorem = for_all(gaps, (i, N), (j, N))
    return conclude(claim, theorem, method="polarisation")


@proves(claims.least_cosine_of_a_token_with_itself)
def by_extrema(claim: Claim) -> Certificate:
    """Of finitely many products one is least."""
    domain = claims.least_cosine_is_over_pairs.domain
    least = unfold(phi, least_cosine(), domain)
    own = unfold(cosine(i, j), cosine_of(i, j), domain, ((i, 1, N), (j, 1, N)))
    below = joint(Compare(phi, "<=", cosine(i, j)), least, own, least_cosine_bounds(i, j))
    equal = Compare(phi, "=", cosine(i, j))
    some = Exists(j, 1, N, equal)
    one = Exists(i, 1, N, some)
    outer = extremum_reached(least_cosine())
    found = body_at(outer.formula, i)
    assert isinstance(found, Compare)
    inside = extremum_reached(next(e for e in (found.left, found.right) if e.has(i)))
    here = body_at(inside.formula, j)
    same = joint(equal, least, own, assume(found), assume(here))
    reached = choose(inside, j, exists(same, some, j))
    theorem = both(for_all(below, (i, N), (j, N)), choose(outer, i, exists(reached, one, i)))
    return conclude(claim, theorem, method="extrema of finitely many products")


# mu by cosines -------------------------------------------------------------------------------------


@proves(claims.spread_is_bounded_by_the_cosine_rate)
def by_mean_cosine(claim: Claim) -> Certificate:
    """mu^2 is at most N (1 - phi), and so at most N C rho."""
    domain = claims.spread_is_bounded_by_the_cosine_rate.domain
    gap = Compare(1 - phi, "<=", C * rho)
    squared = spread_of_unit_rows(x, units, least_cosine(), least_cosine_bounds)
    size = unfold(spread, sqrt(squared_spread(x)), domain)
    least = unfold(phi, least_cosine(), domain)
    a, b, c = symbols("a b c", real=True)
    root = joint(
        Compare(sqrt(a), "<=", sqrt(b) * sqrt(c)),
        given=(Compare(a, ">=", 0), Compare(b, ">=", 0), Compare(c, ">=", 0), Compare(a, "<=", b * c)),
    )  # fmt: skip
    bound = substitute(root, {a: squared_spread(x), b: C * N, c: rho})
    below = joint(Compare(squared_spread(x), "<=", C * N * rho), squared, least, assume(gap))
    bounded = joint(
        Compare(spread, "<=", sqrt(C * N) * sqrt(rho)), size,
        cut(bound, below, squared_spread_is_nonnegative(x)),
    )  # fmt: skip
    return conclude(claim, discharge(bounded, gap), method=r"$\mu$ as the mean cosine")


# What LayerNorm undoes ----------------------------------------------------------------------------


def moved(token: Any) -> Row:
    """(A X W)_i."""
    return rotated(combination(row(weights, token), x), value)


def moved_is_short() -> Theorem:
    """|(A X W)_i|^2 <= 1."""
    mixed = combination(row(weights, i), x)
    short = combination_is_short(
        row(weights, i), x, instance(signs, i), instance(stochastic, i), units
    )
    kept = rotation_keeps_products(mixed, mixed, value, orthogonal)
    return joint(Compare(inner(moved(i), moved(i)), "<=", 1), short, kept)


@proves(claims.convex_combinations_stay_on_the_sphere)
def by_convexity_of_the_ball(claim: Claim) -> Certificate:
    """Two different tokens already have a mean of norm below one."""
    domain = claims.convex_combinations_stay_in_the_ball.domain
    size = unfold(before_layernorm(i), inner(moved(i), moved(i)), domain, ((i, 1, N),))
    short = joint(Compare(before_layernorm(i), "<=", 1), size, moved_is_short())
    return conclude(claim, generalise(short, i, 1, N), method="norm of a convex combination")


@proves(claims.layernorm_never_shrinks_a_token)
def by_convexity(claim: Claim) -> Certificate:
    """A convex combination of unit vectors has norm at most one, rotated or not."""
    domain, norm = claims.layernorm_never_shrinks_a_token.domain, inner(moved(i), moved(i))
    size = unfold(before_layernorm(i), norm, domain, ((i, 1, N),))
    factor = unfold(scale(i), 1 / sqrt(norm), domain, ((i, 1, N),))
    positive = instance(assume(domain.conditions[0].formula), i)
    enough = joint(Compare(scale(i), ">=", 1), size, factor, positive, moved_is_short())
    return conclude(claim, generalise(enough, i, 1, N), method="norm of a convex combination")
