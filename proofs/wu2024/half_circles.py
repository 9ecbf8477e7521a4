r"""The second token beside the pole (0, 1), followed for ever: rates toward B, away from A, along the right.

With $y=X_{2,2}/X_{2,1}$ and $s=\sqrt{1+y^2}$ a layer sends $y$ to $y+w-s$ on the left half of the circle and
to $y+w+s$ on the right half.  With $h=\sqrt{w^2-1}$,

    $y'-h=(y-h)(1-\varphi(y))$,  $-h-y'=(-h-y)(1+\varphi(-y))$,  $\varphi(y)=(y+h)/(s+w)$,

and $\varphi<1$ increases from zero at $-h$ over $h/w$ at $h$.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Expr, Integer, Piecewise, Symbol, oo, sqrt, symbols

from claims.statement import And, Compare, Formula
from claims.terms import Recursion
from claims.wu2024 import arcs as claims
from claims.wu2024.notation import t, w
from claims.wu2024.plane import x21, x22
from proofs.calculation import algebra, conjuncts
from proofs.kernel import (
    Theorem,
    assume,
    both,
    cut,
    induction,
    instance,
    joint,
    recursion_start,
    recursion_step,
    substitute,
    unfold,
)

DOMAIN = claims.second_token_tends_to_b_below_a.domain
LARGE, UNIT = Compare(w, ">", 1), Compare(x21**2 + x22**2, "=", 1)
LAYERS = ((t, 0, oo),)


def moved(before: Any, b: Any) -> Expr:
    """(X_2 + (0, 1)) W."""
    return Piecewise((before(1), b <= 1), (before(2) + 1 + w * before(1), True))


def _normed(s: Any, b: Any, before: Any) -> Expr:
    return moved(before, b) / sqrt(moved(before, 1) ** 2 + moved(before, 2) ** 2)


token = Recursion("x", lambda b: Piecewise((x21, b <= 1), (x22, True)), _normed)
a, b = (token(t, k) for k in (1, 2))
BEFORE = b + 1 + w * a
NORM = sqrt(a**2 + BEFORE**2)
Y, START = b / a, x22 / x21
A, B, R, M, V = symbols("A B R M V", real=True)
NORMED = (Compare(R, ">", 0), Compare(R * A, "=", M), Compare(R * B, "=", V))
"""A row (M, V) over its norm R is (A, B)."""
SQUARED = Compare(R**2, "=", M**2 + V**2)
AFTER_NORM = {R: NORM, A: token(t + 1, 1), B: token(t + 1, 2), M: a, V: BEFORE}


def read(k: int) -> Theorem:
    """A coordinate, by its definition."""
    return unfold(claims.coordinate(t, k), token(t, k), DOMAIN, LAYERS)


def one_step(nonzero: Theorem) -> Theorem:
    """Both coordinates one layer on, times the norm before LayerNorm, which is positive."""
    steps = [recursion_step(token, t, k) for k in (1, 2)]
    return joint(
        Compare(NORM, ">", 0)
        & Compare(NORM * token(t + 1, 1), "=", a)
        & Compare(NORM * token(t + 1, 2), "=", BEFORE)
        & Compare(NORM**2, "=", a**2 + BEFORE**2),
        *steps, nonzero,
    )  # fmt: skip


# Tokens that stay ----------------------------------------------------------------------------------


def stays(first: Any, second: Any, norm: Any, *given: Formula) -> Theorem:
    """For all layers: the token is as given, since a layer only multiplies it by `norm`."""
    here = Compare(a, "=", first) & Compare(b, "=", second)
    known = assume(here)
    begin = [recursion_start(token, k) for k in (1, 2)]
    start = joint(here.substitute({t: Integer(0)}), *begin, given=given)
    square = joint(Compare(a**2 + BEFORE**2, "=", norm**2), known, given=given)
    nonzero = joint(Compare(a**2 + BEFORE**2, ">", 0), square)
    after = one_step(nonzero)
    size = joint(Compare(NORM, "=", norm), after, square)
    step = joint(here.substitute({t: t + 1}), after, size, known, given=given)
    return induction(start, step, t)


# Either half of the circle --------------------------------------------------------------------------


def side_at(sign: int) -> And:
    """On the side of the sign, and of unit norm."""
    return And((Compare(sign * a, ">", 0), Compare(a**2 + b**2, "=", 1)))


@cache
def keeps_its_side(sign: int) -> Theorem:
    """For all layers."""
    here = side_at(sign)
    known = assume(here)
    begin = [recursion_start(token, k) for k in (1, 2)]
    start = joint(
        here.substitute({t: Integer(0)}), *begin, given=(UNIT, Compare(sign * x21, ">", 0))
    )
    after = after_a_layer(sign)
    unit = algebra(Compare(A**2 + B**2, "=", 1), (*NORMED, SQUARED), AFTER_NORM, after)
    same = algebra(
        Compare(sign * A, ">", 0), (*NORMED, Compare(sign * M, ">", 0)), AFTER_NORM, after, known
    )
    return induction(start, both(same, unit), t)


@cache
def after_a_layer(sign: int) -> Theorem:
    nonzero = joint(Compare(a**2 + BEFORE**2, ">", 0), assume(side_at(sign)))
    return one_step(nonzero)


def ratio_is_kept(names: dict[Symbol, Any], *theorems: Theorem) -> Theorem:
    """B/A = V/M where M is not zero: a ratio of coordinates does not see the norm."""
    goal = Compare(B / A, "=", V / M) & Compare(A, "!=", 0)
    return algebra(goal, (*NORMED, Compare(M, "!=", 0)), names, *theorems)


@cache
def ratio_step(sign: int) -> Theorem:
    """y' = y + w + 1/a, from a token on that side."""
    nonzero = joint(Compare(a, "!=", 0), assume(side_at(sign)))
    quotient = ratio_is_kept(AFTER_NORM, after_a_layer(sign), nonzero)
    goal = Compare(token(t + 1, 2) / token(t + 1, 1), "=", Y + w + 1 / a)
    found = joint(goal, quotient, assume(side_at(sign)))
    return cut(found, instance(keeps_its_side(sign), t))


@cache
def secant(sign: int) -> Theorem:
    """s = +-1/a is positive, and s^2 = 1 + y^2."""
    goal = Compare(sign / a, ">", 0) & Compare((sign / a) ** 2, "=", 1 + Y**2)
    return cut(joint(goal, assume(side_at(sign))), instance(keeps_its_side(sign), t))


def first_ratio(sign: int) -> Theorem:
    begin = [recursion_start(token, k) for k in (1, 2)]
    at_start = Y.subs(t, Integer(0))
    return joint(Compare(at_start, "=", START), *begin, given=(Compare(sign * x21, ">", 0),))


# The left half -------------------------------------------------------------------------------------

H, TOP = sqrt(w**2 - 1), sqrt(1 - 1 / w**2)
y, m, s, sigma, h, q, z = symbols("y m s sigma h q z", real=True)


@cache
def height() -> Theorem:
    """0 < h < w and h^2 = w^2 - 1."""
    return joint(
        Compare(H, ">", 0) & Compare(H**2, "=", w**2 - 1) & Compare(H, "<", w), given=(LARGE,)
    )


@cache
def top() -> Theorem:
    """The second coordinate of A is h/w."""
    return joint(Compare(TOP, "=", H / w) & Compare(TOP, ">", 0), given=(LARGE,))


@cache
def share_increases() -> Theorem:
    """(y + h)(sigma + w) >= (m + h)(s + w) and y + h < s + w for y >= m, with s and sigma their secants."""
    given = (
        Compare(s, ">", 0), Compare(s**2, "=", 1 + y**2), Compare(sigma, ">", 0),
        Compare(sigma**2, "=", 1 + m**2), Compare(y, ">=", m), Compare(h, ">", 0), Compare(h, "<", w),
    )  # fmt: skip
    longer = joint(
        Compare(s, ">", y) & Compare(s, ">", -y) & Compare(sigma, ">", m) & Compare(sigma, ">", -m),
        given=given[:4],
    )
    product = joint(Compare((s - sigma) * (s + sigma), "=", (y - m) * (y + m)), given=given)
    below = joint(
        Compare((y - m) * (y + m), "<=", (y - m) * (s + sigma)), longer, given=(given[4],)
    )
    slope = joint(Compare(s - sigma, "<=", y - m), product, below, longer, given=given[:5:2])
    flat = joint(Compare(h * (s - sigma), "<=", w * (y - m)), slope, given=given[4:])
    squares = joint(Compare((y * sigma) ** 2 - (m * s) ** 2, "=", y**2 - m**2), given=given)
    turned = joint(Compare(y * sigma, ">=", m * s), squares, given=given[:5])
    grown = joint(Compare((y + h) * (sigma + w), ">=", (m + h) * (s + w)), turned, flat)
    small = joint(Compare(y + h, "<", s + w), longer, given=given[5:])
    return both(grown, small)


def _secant_of(ratio: Any) -> tuple[Compare, ...]:
    """What is known of s = sqrt(1 + y^2), of h and of w."""
    return (
        Compare(s, ">", 0), Compare(s**2, "=", 1 + ratio**2), Compare(h, ">", 0),
        Compare(h**2, "=", w**2 - 1), LARGE,
    )  # fmt: skip


KNOWN = _secant_of(y)
AFTER = y + w - s
kappa, gain = symbols("kappa G", real=True)


@cache
def gap_shrinks(side: int) -> Theorem:
    """0 <= +-(y' - h) <= (1 - kappa)(+-(y - h)) for kappa <= phi(y) < 1."""
    gap, then = side * (y - h), side * (AFTER - h)
    share = (Compare(kappa * (s + w), "<=", y + h), Compare(y + h, "<", s + w))
    product = joint(Compare(then * (s + w), "=", gap * (s + w - y - h)), given=KNOWN)
    positive = Compare(gap, ">=", 0)
    low = joint(Compare(gap * (s + w - y - h), ">=", 0), given=(positive, share[1]))
    most = joint(
        Compare(gap * (s + w - y - h), "<=", gap * (1 - kappa) * (s + w)),
        given=(positive, share[0]),
    )
    room = joint(Compare(s + w, ">", 0), given=KNOWN)
    return both(
        joint(Compare(then, ">=", 0), product, low, room),
        joint(Compare(then, "<=", (1 - kappa) * gap), product, most, room),
    )


@cache
def gap_grows() -> Theorem:
    """-h - y <= q (-h - y') for y <= -h and q (1 + phi(-y)) >= 1."""
    gap, then = -h - y, -h - AFTER
    product = joint(Compare(then * (s + w), "=", gap * (s + w + h - y)), given=KNOWN)
    given = (Compare(gap, ">=", 0), Compare(q * (s + w + h - y), ">=", s + w))
    enough = joint(Compare(gap * (s + w), "<=", gap * (q * (s + w + h - y))), given=given)
    room = joint(Compare(s + w, ">", 0), given=KNOWN)
    scaled = joint(Compare(gap * (s + w), "<=", q * then * (s + w)), enough, product)
    return joint(Compare(gap, "<=", q * then), scaled, room)


def on_the_left(theorem: Theorem, values: dict[Symbol, Any], *theorems: Theorem) -> Theorem:
    """A lemma about y, s and h, of the token at layer t."""
    named = {y: Y, s: -1 / a, h: H, **values}
    return cut(substitute(theorem, named), secant(-1), height(), *theorems, assume(LARGE))


LEFT = Compare(x21, "<", 0)


def fallen(side: int, share: Any) -> Theorem:
    """For all layers: 0 <= +-(y - h) <= q^t (+-(y_0 - h)), and y >= y_0 from below, with q = 1 - share."""
    gap, first = side * (Y - H), side * (START - H)
    here = [Compare(gap, ">=", 0), Compare(gap, "<=", q**t * first)]
    if side < 0:
        here.append(Compare(Y, ">=", START))
    case = And(tuple(here))
    known = assume(case)
    given = (Compare(q, "=", 1 - share), Compare(first, ">=", 0))
    if side > 0:
        floor_ = cut(
            on_the_left(share_increases(), {m: H, sigma: w}), joint(Compare(Y, ">=", H), known),
            joint(Compare(w**2, "=", 1 + H**2), height()), joint(Compare(w, ">", 0), given=(LARGE,)),
        )  # fmt: skip
        lower = joint(Compare(H / w * (-1 / a + w), "<=", Y + H), floor_, given=(LARGE,))
    else:
        root = sqrt(1 + START**2)
        size = joint(Compare(sqrt(1 + m**2), ">", 0) & Compare(sqrt(1 + m**2) ** 2, "=", 1 + m**2))
        size = substitute(size, {m: START})
        floor_ = on_the_left(share_increases(), {m: START, sigma: root}, size, known)
        room = joint(Compare(root + w, ">", 0), size, given=(LARGE,))
        lower = joint(Compare(share * (-1 / a + w), "<=", Y + H), floor_, room)
    below_one = joint(Compare(Y + H, "<", -1 / a + w), floor_)
    shrunk = on_the_left(gap_shrinks(side), {kappa: share}, lower, below_one, known)
    following = case.substitute({t: t + 1})
    moved_ = ratio_step(-1)
    then = side * (token(t + 1, 2) / token(t + 1, 1) - H)
    low = joint(Compare(then, ">=", 0), shrunk, moved_)
    less = joint(Compare(then, "<=", q * gap), shrunk, moved_, given=given[:1])
    sign = joint(Compare(q, ">=", 0), lower, below_one, secant(-1), given=(*given[:1], LARGE))
    chain = joint(Compare(q * gap, "<=", q * q**t * first), known, sign)
    parts = [low, joint(conjuncts(following)[1], less, chain)]
    if side < 0:
        inside = Compare(START, ">", -H)
        share_sign = joint(Compare(share, ">", 0), room, given=(inside,))
        parts.append(joint(conjuncts(following)[2], less, known, share_sign, low, given=given[:1]))
    begin = first_ratio(-1)
    start = joint(case.substitute({t: Integer(0)}), begin, given=given[1:])
    step = cut(both(*parts), nonzero(), assume(LEFT))
    return induction(start, step, t)


def nonzero() -> Theorem:
    """X_{2,1} does not vanish on the left half."""
    held = instance(keeps_its_side(-1), t)
    return joint(Compare(a, "!=", 0) & Compare(x21, "!=", 0), held, given=(LEFT,))


falling = Symbol("q", positive=True)
"""A factor below one, of the powers that gaps are compared with."""


def escaped() -> Theorem:
    """For all layers: -h - y_0 <= q^t (-h - y), q = w/(w + h), and y < -h."""
    gap, first = -H - Y, -H - START
    case = And((Compare(gap, ">", 0), Compare(first, "<=", falling**t * gap)))
    known, given = assume(case), Compare(falling * (w + H), "=", w)
    below = joint(Compare(-Y, ">=", H), known)
    share = cut(
        on_the_left(substitute(share_increases(), {y: -y}), {m: H, sigma: w}), below,
        joint(Compare(w**2, "=", 1 + H**2), height()), joint(Compare(w, ">", 0), given=(LARGE,)),
    )  # fmt: skip
    least = joint(Compare(w * (H - Y), ">=", H * (-1 / a + w)), share, given=(LARGE,))
    scaled = joint(
        Compare(falling * (w + H) * (-1 / a + w + H - Y), ">=", (w + H) * (-1 / a + w)), least,
        given=(given,),
    )  # fmt: skip
    enough = joint(
        Compare(falling * (-1 / a + w + H - Y), ">=", -1 / a + w), scaled, height(), given=(LARGE,)
    )
    grown = on_the_left(gap_grows(), {q: falling}, enough, known)
    then = -H - token(t + 1, 2) / token(t + 1, 1)
    more = joint(Compare(gap, "<=", falling * then), grown, ratio_step(-1))
    positive = joint(Compare(then, ">", 0), more, known)
    chain = joint(Compare(falling**t * gap, "<=", falling**t * falling * then), more)
    following = case.substitute({t: t + 1})
    step = both(positive, joint(conjuncts(following)[1], chain, known))
    start = joint(
        case.substitute({t: Integer(0)}), first_ratio(-1), given=(Compare(first, ">", 0),)
    )
    return induction(start, cut(step, nonzero(), assume(LEFT)), t)


# The right half ------------------------------------------------------------------------------------

RIGHT = Compare(x21, ">", 0)


@cache
def runs_right() -> Theorem:
    """For all layers: y >= w + (w + 1) t at layer t + 1, since 1/X_{2,1} is at least 1 and |y|."""
    case = Compare(Y.subs(t, t + 1), ">=", w + (w + 1) * t)
    begin, later = {t: Integer(0)}, {t: t + 1}
    lemma = joint(Compare(s, ">=", 1) & Compare(s + y, ">=", 0), given=KNOWN[:2])
    longer, at_first = (
        cut(
            substitute(lemma, {s: 1 / token(at[t], 1), y: Y.subs(t, at[t])}),
            substitute(secant(1), at),
        )
        for at in (later, begin)
    )
    first = joint(case.substitute(begin), substitute(ratio_step(1), begin), at_first)
    step = joint(
        case.substitute(later),
        assume(case),
        substitute(ratio_step(1), later),
        longer,
        given=(LARGE,),
    )
    held = instance(keeps_its_side(1), t + 1)
    there = joint(Compare(token(t + 1, 1), "!=", 0), held)
    start = cut(
        first, joint(Compare(token(0, 1), "!=", 0), instance(keeps_its_side(1), Integer(0)))
    )
    return induction(start, cut(step, there), t)
