"""Proofs about two tokens in the plane: symmetry, the first token, stationary second tokens, scaling.

Everything is read off one layer with symbolic tokens and a symbolic weight w.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

from sympy import (
    Dummy,
    ImmutableDenseMatrix,
    Integer,
    Piecewise,
    Poly,
    Sum,
    Symbol,
    discriminant,
    exp,
    limit,
    oo,
    simplify,
    sqrt,
)

from claims.domain import Domain
from claims.model import Claim
from claims.statement import Compare
from claims.terms import Recursion, entry
from claims.wu2024 import plane as claims
from claims.wu2024.notation import X, t, w
from claims.wu2024.plane import POLE, attended, x11, x12, x21, x22
from proofs.calculation import conjuncts
from proofs.certificate import Certificate
from proofs.conclude import conclude, facts_of
from proofs.kernel import (
    Theorem,
    assume,
    derived,
    generalise,
    induction,
    instance,
    joint,
    recursion_start,
    recursion_step,
    unfold,
)
from proofs.registry import proves


def second_moved() -> ImmutableDenseMatrix:
    """Twice the second token after a layer beside (0, 1), before LayerNorm."""
    return 2 * attended(POLE, ImmutableDenseMatrix([[x21, x22]]), w).row(1)


def is_zero(*expressions: Any) -> bool:
    return all(simplify(e) == 0 for e in expressions)


def on(domain: Domain, goal: Any, *theorems: Theorem) -> Theorem:
    """`goal` from theorems and what the hypotheses of the domain say, by arithmetic."""
    return joint(goal, *theorems, given=facts_of(domain))


# The setting ---------------------------------------------------------------------------------------

LARGE = claims.large_weights_of_either_sign_leave_two_tokens_stationary


def softmax_of_zeros(domain: Domain) -> Iterable[Theorem]:
    """A_ij = e^0 over the sum of e^0 over j <= i, for j <= i."""
    j = Symbol("j", integer=True, positive=True)
    for row in (1, 2):
        for column in (1, 2):
            share = exp(0) / Sum(exp(0), (j, 1, row)).doit()
            value = Piecewise((share, column <= row), (0, True))
            yield unfold(claims.weight_of(row, column), value, domain)


def reflection(domain: Domain) -> Iterable[Theorem]:
    """A X W(w) and A (X S) W(-w), entry by entry."""
    one, two = (ImmutableDenseMatrix([[entry(X)(i, b) for b in (1, 2)]]) for i in (1, 2))
    mirror = ImmutableDenseMatrix([[-1, 0], [0, 1]])
    plain, mirrored = attended(one, two, w), attended(one * mirror, two * mirror, -w)
    for family, matrix in ((claims.after_layer, plain), (claims.after_mirrored, mirrored)):
        for i in (1, 2):
            for b in (1, 2):
                yield unfold(family(i, b), matrix[i - 1, b - 1], domain)


def roots_off_zero(polynomial: Poly) -> tuple[int, list[Any]]:
    """How many real roots but zero a product of factors of degree at most two has, all simple.

    The quadratic factors have two each where their discriminants, returned too, are positive.
    """
    count, discriminants = 0, []
    for factor, power in polynomial.factor_list()[1]:
        if power != 1 or factor.degree() > 2:
            raise ValueError(f"{factor}: no simple factor of degree one or two")
        if factor.degree() == 2:
            discriminants.append(discriminant(factor))
        vanishes = factor.eval(0) == 0
        count += factor.degree() - vanishes
    return count, discriminants


def stationary_tokens(domain: Domain) -> Theorem:
    """Off the axis X_2 x X_2' is u times a quadratic polynomial, whose discriminant is 4 (w^2 - 1).

    X_{2,1}' = X_{2,1}/2, so that a token parallel to its successor is on the same side.
    """
    u = claims.u
    scaled = 1 + u**2
    here = ImmutableDenseMatrix([[2 * u, 1 - u**2]])
    there = attended(POLE * scaled, here, w).row(1)
    cross = Poly((here[0] * there[1] - here[1] * there[0]).expand(), u)
    count, found = roots_off_zero(cross)
    positive = [on(domain, Compare(disc, ">", 0)) for disc in found]
    return derived(
        claims.stationary_count, Integer(count), domain, "real roots by discriminants", *positive
    )


@cache
def setting() -> Theorem:
    """The example for |w| > 1, all of it."""
    domain = LARGE.domain
    parts = (*softmax_of_zeros(domain), *reflection(domain), stationary_tokens(domain))
    return joint(LARGE.formula, *parts)


@proves(claims.every_weight_leaves_two_tokens_stationary)
def by_cross_product_with_the_successor(claim: Claim) -> Certificate:
    """A token is stationary when its cross product with its successor vanishes on its own side."""
    return conclude(claim, setting(), method="cross product with the successor")


# The first token -----------------------------------------------------------------------------------

FIRST = claims.ratio_of_the_first_token_grows_by_w.domain
run = Recursion(
    "x",
    lambda b: Piecewise((x11, b <= 1), (x12, True)),
    lambda s, b, before: Piecewise((before(1), b <= 1), (before(2) + w * before(1), True)),
)
"""x W_V^t, coordinate by coordinate."""


@cache
def coordinates_of_the_first_token() -> tuple[Theorem, Theorem]:
    """(x W^t)_1 = x_1 and (x W^t)_2 = x_2 + w t x_1, by induction."""
    kept, gained = Compare(run(t, 1), "=", x11), Compare(run(t, 2), "=", x12 + w * t * x11)
    stays = joint(kept.substitute({t: t + 1}), recursion_step(run, t, 1), assume(kept))
    first = induction(recursion_start(run, 1), stays, t)
    grows = joint(
        gained.substitute({t: t + 1}), recursion_step(run, t, 2), assume(gained),
        instance(first, t),
    )  # fmt: skip
    start = joint(gained.substitute({t: Integer(0)}), recursion_start(run, 2))
    return first, induction(start, grows, t)


def limit_of_the_first_token(place: int) -> Theorem:
    """The limit of a coordinate of (x_1, x_2 + w n x_1) over the norm of this row."""
    n, a = Dummy("n", integer=True, positive=True), Dummy("a", real=True, nonzero=True)
    b, slope = Dummy("b", real=True), Dummy("w", positive=True)
    row = (a, b + slope * n * a)
    value = limit(row[place] / sqrt(row[0] ** 2 + row[1] ** 2), n, oo)
    value = simplify(value.subs({a: x11, b: x12, slope: w}))
    return derived(
        claims.first_limits[place], value, FIRST, "limit of a closed form",
        *coordinates_of_the_first_token(),
    )  # fmt: skip


@cache
def first_token() -> Theorem:
    """One step, the closed form of the ratio, and both limits."""
    first, second = coordinates_of_the_first_token()
    ratios = [
        unfold(claims.ratio_after(s), run(s, 2) / run(s, 1), FIRST, ((t, 0, oo),))
        for s in (t, t + 1)
    ]
    known = [instance(theorem, s) for theorem in (first, second) for s in (t, t + 1)]
    repaired = claims.ratio_of_the_first_token_grows_by_w.formula
    every, *_ = conjuncts(repaired)
    step = joint(every.body, *ratios, *known, given=(Compare(x11, "!=", 0),))
    limits = (limit_of_the_first_token(0), limit_of_the_first_token(1))
    return joint(repaired, generalise(step, t, 0, oo), *limits)


@proves(claims.first_token_runs_to_a_pole)
def by_power_of_the_value_matrix(claim: Claim) -> Certificate:
    """The first token attends to itself only, so it is X_1 W^n up to a positive factor."""
    return conclude(claim, first_token(), method="power of the value matrix")


# Stationary second tokens --------------------------------------------------------------------------

SECOND = claims.second_domain


@cache
def ratio_after_a_layer() -> Theorem:
    """X_{2,2}'/X_{2,1}', one layer with symbolic tokens."""
    moved = second_moved()
    return derived(claims.next_ratio, moved[1] / moved[0], SECOND, "one layer")


@proves(claims.second_token_is_stationary_at_two_points)
def by_solving_for_stationary_tokens(claim: Claim) -> Certificate:
    """The ratio stays where w + 1/X_{2,1} = 0, and unit norm leaves two tokens there."""
    theorem = on(
        SECOND, claims.second_token_is_stationary_at_two_points.formula, ratio_after_a_layer()
    )
    return conclude(claim, theorem, method="one layer and unit norm")
