r"""Tokens that evolve together keep rank two: proof for all N, d >= 2 and w > 1, without convergence.

LayerNorm divides by positive numbers, so that for W = W_V and scalars S_t, up to positive factors,

    X_1 = a W^t,   X_2 = (x + S_t a) W^t = (r - delta_t a) W^t,   r = x + S* a with r_1 = 0:

one unknown scalar remains, and with it all of X_2 is known.  Where y = X_{2,d}/X_{2,d-1} lies in
[0, w], delta_t is of order 1/t, X_1 = e_d + O(1/t), and X_2 = -(0, .., 0, 1, y)/sqrt(1 + y^2) + O(1/t)
uniformly for a near e_1 and r near e_2; so a layer maps y to g(y) + O(1/t), where g maps [0, w] into
the interior of [0, w].  From a time T on, y never leaves [0, w], and X_2 stays away from +-e_d.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import (
    Expr,
    Integer,
    Piecewise,
    Rational,
    Symbol,
    expand,
    limit,
    oo,
    simplify,
    sqrt,
    symbols,
)
from sympy import binomial as choose
from sympy.simplify.combsimp import combsimp

from claims.model import Claim
from claims.statement import And, Compare
from claims.terms import Recursion
from claims.wu2024 import basin as claims
from proofs.calculation import algebra, conjuncts
from proofs.certificate import Certificate, Checked, Limit
from proofs.conclude import argued, conclude
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
from proofs.wu2024.plane import is_zero

t, m = Symbol("t", positive=True), Symbol("m", integer=True, nonnegative=True)
"""The layer; d - 2."""
q = Symbol("q", positive=True)
w = 1 + q
"""Every w > 1."""
y, p = symbols("y p", nonnegative=True)


# One unknown scalar --------------------------------------------------------------------------------


def span_is_kept() -> bool:
    """(alpha a M + beta (x + S a) M) W = beta (x + (S + alpha/beta) a) M W, for rows a, x, M = W^t."""
    a, x, power, W = symbols("a x M W", commutative=False)
    alpha, beta, S = symbols("alpha beta S", positive=True)
    layer = (alpha * a * power + beta * (x + S * a) * power) * W
    return expand(layer - beta * (x + (S + alpha / beta) * a) * power * W) == 0


def binomials_are_separated() -> bool:
    """C(t, k - 1)/C(t, k) = k/(t - k + 1), which tends to zero: W^t = sum_k C(t, k) (w S)^k."""
    n, k = symbols("n k", integer=True, positive=True)
    return is_zero(combsimp(choose(n, k - 1) / choose(n, k)) - k / (n - k + 1)) and (
        limit(k / (t - k + 1), t, oo) == 0
    )


def leading_rows() -> tuple[tuple[Expr, ...], tuple[Expr, ...]]:
    """Entries d - 2, d - 1, d of e_2 W^t and of e_1 W^t over C(t, d-2) w^(d-2), by those quotients."""
    before = m / (w * (t - m + 1))
    other = (before * (m - 1) / (w * (t - m + 2)), before, Integer(1))
    first = (before, Integer(1), w * (t - m) / (m + 1))
    return other, first


@cache
def second_token() -> tuple[Expr, Expr, Expr]:
    """Entries d - 2, d - 1, d of (r - delta a) W^t where the last is y times the one before."""
    other, first = leading_rows()
    delta = (other[2] - y * other[1]) / (first[2] - y * first[1])
    low, side, last = (o - delta * f for o, f in zip(other, first, strict=True))
    return simplify(low), simplify(side), simplify(last)


def ratio_is_y() -> bool:
    _, side, last = second_token()
    return is_zero(last - y * side)


def limits() -> tuple[Limit, ...]:
    """Side and size of X_2's entry d - 1, and what vanishes like 1/t, for symbolic d, w and y."""
    low, side, _ = second_token()
    _, first = leading_rows()
    samples = tuple(
        {m: Integer(k), q: Rational(1, n), y: Rational(1, n + 1)}
        for k, n in ((0, 2), (1, 3), (5, 1))
    )
    why = "rational function of $t$ with symbolic $d$, $w$, $y$"
    assert all(limit(e, t, oo) == v for e, v in ((t * w * side, -1), (low / side, 0)))
    return (
        Limit(t * w * side, t, Integer(-1), samples, by=f"{why}: $X_{{2,d-1}}<0$"),
        Limit(low / side, t, Integer(0), samples, by=f"{why}: $X_2$ turns into the last plane"),
        Limit(first[1] / first[2], t, Integer(0), samples, by=f"{why}: $X_1$ tends to $e_d$"),
    )


def limiting_map() -> bool:
    """(s_d + w s_{d-1})/(s_{d-1} + w s_{d-2}) at X_1 = e_d, X_2 = -(0, 1, y)/sqrt(1 + y^2) is g(y)."""
    root = sqrt(1 + y**2)
    low, side, last = Integer(0), -1 / root, 1 - y / root
    return is_zero((last + w * side) / (side + w * low) - (y + w - root))


def maps_inside() -> bool:
    """g(0) = w - 1 > 0; sqrt(1 + y^2) > y, so g increases; w - g(w) = sqrt(1 + w^2) - w > 0."""
    g = y + w - sqrt(1 + y**2)
    slope = g.diff(y) * sqrt(1 + y**2) - (sqrt(1 + y**2) - y)
    gap = (w - g.subs(y, w)) * (sqrt(1 + w**2) + w)  # a difference of squares
    return bool(g.subs(y, 0).is_positive) and is_zero(slope, gap - 1)


STRUCTURE = (
    Checked(
        r"(\alpha aW^t+\beta(x+Sa)W^t)W=\beta\left(x+(S+\tfrac\alpha\beta)a\right)W^{t+1}",
        r"induction on $t$ for rows of any length: LayerNorm only sets $\alpha$, $\beta>0$",
        span_is_kept,
    ),
    Checked(
        r"\tbinom t{k-1}/\tbinom tk=\tfrac k{t-k+1}\to0",
        "symbolic $k$: in $aW^t$ the term of $a_1$ leads by a factor $t$, uniformly for $a$ near "
        r"$e_1$; so for $r$ near $e_2$, and $\delta$ scales with $r_2/a_1$",
        binomials_are_separated,
    ),
    Checked(
        r"X_{2,d}=y\,X_{2,d-1}\ \text{fixes}\ \delta=\delta(y,t)",
        r"solved for $\delta$",
        ratio_is_y,
    ),
)
TRAPPED = (
    Checked(
        r"\lim_{t\to\infty} y'=g(y)=y+w-\sqrt{1+y^2}",
        r"one layer at the limits; uniform for $y\in[0,w]$, since all is rational in $1/t$ and "
        "$y$, and the norms are continuous",
        limiting_map,
    ),
    Checked(
        r"g([0,w])=[w-1,\,2w-\sqrt{1+w^2}]\subset(0,w)",
        r"$g$ increases; both ends lie inside: from some $T$ on, $y\in[0,w]$ for ever, on an open "
        "set",
        maps_inside,
    ),
    Checked(
        r"0\le y\le w\Rightarrow|\sin\angle(X_2,e_d)|\ge\tfrac1{\sqrt{1+w^2}}-O(1/t)",
        "$1-y^2/(1+y^2)=1/(1+y^2)$, which falls in $y$; tokens after the second change nothing",
        lambda: is_zero(1 - y**2 / (1 + y**2) - 1 / (1 + y**2)),
    ),
)


@proves(claims.open_set_of_sequences_keeps_rank_two)
def by_a_trapping_region(claim: Claim) -> Certificate:
    """The ratio y of the second token's last entries stays in [0, w] from an open set of inputs."""
    method = "trapping region of the joint dynamics"
    return argued(claim, steps=(*STRUCTURE, *limits(), *TRAPPED), method=method)


# In the plane the open set is explicit ---------------------------------------------------------------

DOMAIN, layer = claims.plane_region, claims.steps
P0, Y0, slope = claims.first_ratio, claims.second_ratio, claims.w
LARGE = Compare(slope, ">", 1)


def start_of(i: Any, b: Any) -> Any:
    """(1, p) and -(1, y), normalised."""
    ratio_, side = (Piecewise((v, i <= 1), (u, True)) for v, u in ((P0, Y0), (1, -1)))
    return side * Piecewise((1, b <= 1), (ratio_, True)) / sqrt(1 + ratio_**2)


def moved(before: Any, i: Any, b: Any) -> Any:
    """Coordinate b of the first i tokens' sum, times W."""
    total = lambda c: Piecewise((before(1, c), i <= 1), (before(1, c) + before(2, c), True))  # noqa: E731
    return Piecewise((total(1), b <= 1), (total(2) + slope * total(1), True))


def normed(s: Any, i: Any, b: Any, before: Any) -> Any:
    length = sqrt(moved(before, i, Integer(1)) ** 2 + moved(before, i, Integer(2)) ** 2)
    return moved(before, i, b) / length


pair = Recursion("X", start_of, normed)
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
    inside = (Compare(Y0, ">", 0), Compare(Y0, "<", slope), LARGE, Compare(P0, ">", slope))
    start = both(*(joint(link, *starts, given=inside) for link in conjuncts(begin)))
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
    theorem = generalise(cut(there, assume(late)), layer, 2, oo)
    return conclude(claim, theorem, method="explicit trapping region")
