r"""Two tokens in the plane that evolve together: an explicit trapping region for every w > 1.

With P = X_{1,2}/X_{1,1} = p + w t and y = X_{2,2}/X_{2,1}, the region is 0 <= y <= w < P on opposite
sides of the axis.  In d dimensions `trapped` has a region for any number of tokens.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Integer, Piecewise, oo, sqrt, symbols

from claims.model import Claim
from claims.statement import And, Compare
from claims.terms import Recursion, entry
from claims.wu2024 import basin as claims
from proofs.calculation import algebra, conjuncts
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.kernel import (
    Theorem,
    assume,
    both,
    cut,
    generalise,
    identity,
    induction,
    instance,
    joint,
    part,
    recursion_start,
    recursion_step,
    substitute,
    unfold,
)
from proofs.registry import proves

DOMAIN, layer = claims.plane_region, claims.steps
P0, Y0, slope = claims.first_ratio, claims.second_ratio, claims.w
LARGE = Compare(slope, ">", 1)


x0 = entry(claims.pair)
INEQUALITIES = claims.PairAcross(claims.pair).inequalities()
RATIOS = tuple(formula for ratio in claims.ratios_of_pair for formula in ratio.known)


@cache
def of_the_tokens() -> tuple[Theorem, ...]:
    """p > w and p (w^2 - 1) > 2 w, from the inequalities of the tokens."""
    given = (*INEQUALITIES, *RATIOS, LARGE)
    return tuple(joint(goal, given=given) for goal in (Compare(P0, ">", slope), STEEP))


def moved(before: Any, i: Any, b: Any) -> Any:
    """Coordinate b of the first i tokens' sum, times W."""
    total = lambda c: Piecewise((before(1, c), i <= 1), (before(1, c) + before(2, c), True))  # noqa: E731
    return Piecewise((total(1), b <= 1), (total(2) + slope * total(1), True))


def normed(s: Any, i: Any, b: Any, before: Any) -> Any:
    length = sqrt(moved(before, i, Integer(1)) ** 2 + moved(before, i, Integer(2)) ** 2)
    return moved(before, i, b) / length


pair = Recursion("X", lambda i, b: x0(i, b), normed)
a, c, x, z = (pair(layer, i, b) for i in (1, 2) for b in (1, 2))
S1, S2 = (sqrt(moved(lambda i, b: pair(layer, i, b), n, 1) ** 2
               + moved(lambda i, b: pair(layer, i, b), n, 2) ** 2) for n in (1, 2))  # fmt: skip
A, C, X, Z, R, M, V = symbols("A C X Z R M V", real=True)
RATIO = P0 + slope * layer
STEEP = Compare(P0 * (slope**2 - 1), ">", 2 * slope)


def trap() -> And:
    """X_1 = (a, c), a > 0, c = (p + w t) a; X_2 = (x, z), x < 0, 0 <= z/x <= w; both of unit norm."""
    return And(
        (
            Compare(a, ">", 0), Compare(c, "=", RATIO * a), Compare(a**2 + c**2, "=", 1),
            Compare(x, "<", 0), Compare(z, "<=", 0), Compare(z, ">=", slope * x),
            Compare(x**2 + z**2, "=", 1),
        )
    )  # fmt: skip


def held(place: int) -> Theorem:
    return part(assume(trap()), place)


@cache
def far_enough() -> Theorem:
    """p + w t > w, and the same of p (w^2 - 1) > 2 w."""
    return joint(
        Compare(RATIO, ">", slope) & Compare(RATIO * (slope**2 - 1), ">", 2 * slope),
        given=(LARGE, STEEP, Compare(P0, ">", slope), Compare(layer, ">=", 0)),
    )


@cache
def pair_is_trapped() -> Theorem:
    """Before LayerNorm: a + x < 0, c + z + w (a + x) <= 0 and c + z >= 0.

    With P = c/a and y = z/x: a^2 (1 + P^2) = 1 = x^2 (1 + y^2), 0 <= y <= w < P, and
    (w + y)^2 (1 + P^2) - (w + P)^2 (1 + y^2) = (P - y) ((w^2 - 1)(P + y) - 2 w + 2 w y P) >= 0.
    """
    P, y_, w_ = symbols("P Y W", real=True)
    inside = (
        Compare(A, ">", 0), Compare(X, "<", 0), Compare(y_, ">=", 0), Compare(y_, "<=", w_),
        Compare(P, ">", w_), Compare(w_, ">", 1), Compare(P * (w_**2 - 1), ">", 2 * w_),
    )  # fmt: skip
    units = (Compare(A**2 * (1 + P**2), "=", 1), Compare(X**2 * (1 + y_**2), "=", 1))
    factored = identity(
        (w_ + y_) ** 2 * (1 + P**2) - (w_ + P) ** 2 * (1 + y_**2),
        (P - y_) * ((w_**2 - 1) * (P + y_) - 2 * w_ + 2 * w_ * y_ * P),
    )
    second = joint(
        Compare((w_**2 - 1) * (P + y_) - 2 * w_ + 2 * w_ * y_ * P, ">=", 0), given=inside
    )
    gap = joint(Compare(P - y_, ">", 0), given=inside)
    wide = joint(
        Compare((w_ + y_) ** 2 * (1 + P**2), ">=", (w_ + P) ** 2 * (1 + y_**2)),
        factored,
        second,
        gap,
    )
    shorter = joint(Compare(A**2, "<", X**2), gap, given=(*inside, *units))
    over = joint(Compare(A + X, "<", 0), shorter, given=inside)
    scaled = joint(
        Compare((A**2 * X**2) * ((w_ + y_) ** 2 * (1 + P**2)), ">=",
                (A**2 * X**2) * ((w_ + P) ** 2 * (1 + y_**2))), wide,
    )  # fmt: skip
    squares = joint(Compare((X * (w_ + y_)) ** 2, ">=", (A * (w_ + P)) ** 2), scaled, given=units)
    low = joint(Compare(A * (w_ + P) + X * (w_ + y_), "<=", 0), squares, given=inside)
    longer = joint(Compare(A**2 * P**2, ">=", X**2 * y_**2), shorter, given=units)
    high = joint(Compare(A * P + X * y_, ">=", 0), longer, given=inside)
    goal = And((over.formula, low.formula, high.formula))
    theorem = joint(goal, over, low, high)
    put_in = substitute(theorem, {P: RATIO, w_: slope, A: a, X: x, y_: z / x})
    below = joint(Compare(z / x, ">=", 0) & Compare(z / x, "<=", slope), held(3), held(4), held(5))
    first = joint(Compare(a**2 * (1 + RATIO**2), "=", 1), held(1), held(2))
    last = joint(Compare(x**2 * (1 + (z / x) ** 2), "=", 1), held(3), held(6))
    trapped = cut(put_in, below, first, last, held(0), held(3), far_enough(), assume(LARGE))
    return joint(
        Compare(a + x, "<", 0) & Compare(c + z + slope * (a + x), "<=", 0) & Compare(c + z, ">=", 0),
        trapped, held(1), held(3),
    )  # fmt: skip


def after(i: int) -> Theorem:
    """Both coordinates of a token one layer on, times its norm before LayerNorm, which is positive."""
    root = (S1, S2)[i - 1]
    first, second = (moved(lambda n, b: pair(layer, n, b), i, k) for k in (1, 2))
    nonzero = joint(Compare(first**2 + second**2, ">", 0), held(0), pair_is_trapped())
    steps = [recursion_step(pair, layer, i, b) for b in (1, 2)]
    return joint(
        Compare(root, ">", 0)
        & Compare(root * pair(layer + 1, i, 1), "=", first)
        & Compare(root * pair(layer + 1, i, 2), "=", second)
        & Compare(root**2, "=", first**2 + second**2),
        *steps, nonzero,
    )  # fmt: skip


@cache
def every_layer() -> Theorem:
    """The trapping region is kept."""
    following = trap().substitute({layer: layer + 1})
    rules = (Compare(R, ">", 0), Compare(R * A, "=", M), Compare(R * C, "=", V))
    unit = joint(Compare(A**2 + C**2, "=", 1), given=(*rules, Compare(R**2, "=", M**2 + V**2)))
    names = (R, A, C, M, V)
    ends = ((S1, a, c + slope * a), (S2, a + x, c + z + slope * (a + x)))
    first, second = (
        dict(zip(names, (root, *(pair(layer + 1, i, k) for k in (1, 2)), m, v), strict=True))
        for i, (root, m, v) in enumerate(ends, start=1)
    )
    one, two, known = after(1), after(2), pair_is_trapped()
    parts = [
        algebra(Compare(A, ">", 0), (*rules, Compare(M, ">", 0)), first, one, held(0)),
        algebra(
            Compare(C, "=", (Z + slope) * A), (*rules, Compare(V, "=", (Z + slope) * M)),
            {**first, Z: RATIO}, one, joint(Compare(c + slope * a, "=", (RATIO + slope) * a), held(1)),
        ),
        cut(substitute(unit, first), one),
        algebra(Compare(A, "<", 0), (*rules, Compare(M, "<", 0)), second, two, known),
        algebra(Compare(C, "<=", 0), (*rules, Compare(V, "<=", 0)), second, two, known),
        algebra(
            Compare(C, ">=", slope * A), (*rules, Compare(V, ">=", slope * M)), second, two,
            joint(Compare(c + z + slope * (a + x), ">=", slope * (a + x)), known),
        ),
        cut(substitute(unit, second), two),
    ]  # fmt: skip
    step = joint(following, *parts)
    begin = trap().substitute({layer: Integer(0)})
    starts = [recursion_start(pair, i, b) for i in (1, 2) for b in (1, 2)]
    given = (*claims.PairAcross(claims.pair).facts(), *RATIOS, LARGE)
    start = both(*(joint(link, *starts, given=given) for link in conjuncts(begin)))
    return induction(start, step, layer)


@proves(claims.open_set_of_pairs_keeps_rank_two)
def by_an_explicit_trapping_region(claim: Claim) -> Certificate:
    """sin^2 = a^2 x^2 (P - y)^2 with P = p + w t: from P >= 3 w on, 4 (P - y)^2 >= 16 P^2/9 > 1 + P^2."""
    P, y_, w_ = symbols("P Y W", real=True)
    inside = (
        Compare(y_, ">=", 0), Compare(y_, "<=", w_), Compare(P, ">=", 3 * w_), Compare(w_, ">", 1),
    )  # fmt: skip
    units = (Compare(A**2 * (1 + P**2), "=", 1), Compare(X**2 * (1 + y_**2), "=", 1))
    far = joint(Compare(4 * (P - y_) ** 2, ">", 1 + P**2), given=inside)
    wide = joint(Compare(1 + w_**2, ">=", 1 + y_**2), given=inside)
    first = joint(Compare(4 * (P - y_) ** 2 * A**2, ">", 1), far, given=units)
    second = joint(Compare((1 + w_**2) * X**2, ">=", 1), wide, given=units)
    sine = joint(Compare((4 * (P - y_) ** 2 * A**2) * ((1 + w_**2) * X**2), ">", 1), first, second)
    late = Compare(layer, ">=", 2)
    reach = joint(Compare(RATIO, ">=", 3 * slope), given=(late, LARGE, Compare(P0, ">", slope)))
    below = joint(Compare(z / x, ">=", 0) & Compare(z / x, "<=", slope), held(3), held(4), held(5))
    one = joint(Compare(a**2 * (1 + RATIO**2), "=", 1), held(1), held(2))
    two = joint(Compare(x**2 * (1 + (z / x) ** 2), "=", 1), held(3), held(6))
    bound = cut(
        substitute(sine, {P: RATIO, w_: slope, A: a, X: x, y_: z / x}), one, two, below, reach,
        assume(LARGE),
    )  # fmt: skip
    area = joint(
        Compare((RATIO - z / x) ** 2 * a**2 * x**2, "=", (a * z - c * x) ** 2), held(1), held(3)
    )
    read = unfold(claims.sine_square(layer), (a * z - c * x) ** 2, DOMAIN, ((layer, 0, oo),))
    body = joint(Compare(4 * (1 + slope**2) * claims.sine_square(layer), ">", 1), bound, area, read)
    there = cut(body, instance(every_layer(), layer))
    theorem = generalise(cut(there, assume(late), *of_the_tokens()), layer, 2, oo)
    return conclude(claim, theorem, method="explicit trapping region")
