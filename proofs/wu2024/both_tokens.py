r"""Why both tokens of the example converge when they evolve together.

With $P=p+wt$, $\rho=\sqrt{1+P^2}$, $y=X_{2,2}/X_{2,1}$ and $\sigma=\sqrt{1+y^2}$ the tokens are
$(1,P)/\rho$ and $-(1,y)/\sigma$, and a layer sends y to

    $y'=q+w$,  $q=\frac{y\rho-P\sigma}{\rho-\sigma}$,
    $q+\sigma-y=\frac{\sigma(\rho-P)-\sigma(\sigma-y)}{\rho-\sigma}$.

On the trapping region $0\le y\le w$ (`basin`) both products lie between 0 and 1, and $\rho-\sigma\ge P/2$
from $P\ge3w$ on, so that $y'$ is within $2/P$ of $g(y)=y+w-\sigma$.  That brings y nearer to
$h=\sqrt{w^2-1}$ by the factor $1-(y+h)/(\sigma+w)\le1-\delta$ with $\delta=\frac{2h}{5w}$.  So
$e=|y-h|$ obeys $e'\le(1-\delta)e+2/P$, and by induction $e\le K/(P+s)$ for $s=2w/\delta$ and
$K=w(p+2w+s)+12/\delta^2$.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Abs, Integer, Symbol, oo, symbols

from claims.model import Claim
from claims.statement import Compare, Formula
from claims.wu2024 import both_tokens as claims
from claims.wu2024.basin import sine_square
from claims.wu2024.basin import steps as layer
from claims.wu2024.notation import w
from proofs.calculation import algebra, replaced
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.kernel import (
    Theorem,
    assume,
    both,
    cut,
    generalise,
    induction,
    instance,
    joint,
    limit,
    limit_combined,
    limit_rewritten,
    squeezed,
    substitute,
    unfold,
)
from proofs.registry import proves
from proofs.wu2024 import half_circles as half
from proofs.wu2024.basin import (
    DOMAIN,
    LARGE,
    P0,
    RATIO,
    S2,
    after,
    every_layer,
    held,
    of_the_tokens,
    pair,
    pair_is_trapped,
)
from proofs.wu2024.half_circle_limits import near_b
from proofs.wu2024.half_circles import TOP, H, height, top

a, c, x, z = (pair(layer, i, b) for i in (1, 2) for b in (1, 2))
Y = z / x
THEN = pair(layer + 1, 2, 2) / pair(layer + 1, 2, 1)
LATE, FAR = Compare(layer, ">=", 2), Compare(P0, ">", w)
LAYERS = ((layer, 0, oo),)

P, y, h, q, rho, sigma = symbols("P y h q rho sigma", real=True)
e, delta, shift, most = symbols("e delta s K", real=True)
v, r, below, above = symbols("v r b m", real=True)
"""Terms of which only arithmetic is asked."""
DELTA = 2 * H / (5 * w)
SHIFT = 2 * w / DELTA
MOST = w * (P0 + 2 * w + SHIFT) + 12 / DELTA**2


# One layer -----------------------------------------------------------------------------------------


@cache
def late() -> Theorem:
    """P >= 3 w from layer 2 on."""
    return joint(Compare(RATIO, ">=", 3 * w), given=(LATE, LARGE, FAR))


@cache
def next_ratio() -> Theorem:
    """y' = (c + z)/(a + x) + w."""
    names = {
        half.R: S2, half.A: pair(layer + 1, 2, 1), half.B: pair(layer + 1, 2, 2), half.M: a + x,
        half.V: c + z + w * (a + x),
    }  # fmt: skip
    nonzero = joint(Compare(a + x, "!=", 0), pair_is_trapped())
    quotient = half.ratio_is_kept(names, after(2), nonzero)
    return joint(
        Compare(THEN, "=", (c + z) / (a + x) + w) & Compare(a + x, "!=", 0), quotient,
        pair_is_trapped(),
    )  # fmt: skip


SECANTS = (
    Compare(rho, ">", 0), Compare(rho**2, "=", 1 + P**2), Compare(sigma, ">", 0),
    Compare(sigma**2, "=", 1 + y**2),
)  # fmt: skip
INSIDE = (Compare(y, ">=", 0), Compare(y, "<=", w), Compare(P, ">=", 3 * w), LARGE)
QUOTIENT = Compare(q * (rho - sigma), "=", y * rho - P * sigma)
HEIGHT = (Compare(h, ">", 0), Compare(h**2, "=", w**2 - 1))


@cache
def near_the_limiting_map() -> Theorem:
    """|q + sigma - y| <= 2/P for q = (y rho - P sigma)/(rho - sigma)."""
    given = (*SECANTS, *INSIDE)
    short = joint(Compare(2 * sigma, "<=", P) & Compare(sigma, ">", y), given=given)
    long = joint(Compare(rho, ">", P), given=given)
    room = joint(Compare(rho - sigma, ">=", P / 2) & Compare(P, ">", 0), short, long, given=given)
    low = joint(
        Compare(sigma * (sigma - y) * (sigma + y), "=", sigma)
        & Compare(sigma * (rho - P) * (rho + P), "=", sigma), given=given,
    )  # fmt: skip
    one = joint(
        Compare(sigma * (sigma - y), "<=", 1) & Compare(sigma * (sigma - y), ">=", 0), low, short,
        given=(SECANTS[2], INSIDE[0]),
    )  # fmt: skip
    other = joint(
        Compare(sigma * (rho - P), "<=", 1) & Compare(sigma * (rho - P), ">=", 0), low, long, short,
        room, given=(SECANTS[0], SECANTS[2]),
    )  # fmt: skip
    off = q + sigma - y
    exact = joint(
        Compare(off * (rho - sigma), "=", sigma * (rho - P) - sigma * (sigma - y)),
        given=(QUOTIENT,),
    )
    sides = []
    for side in (1, -1):
        below = joint(Compare(side * off * (rho - sigma), "<=", 1), exact, one, other)
        wide = joint(Compare(2 / P * (rho - sigma), ">=", 1), room)
        sides.append(joint(Compare(side * off, "<=", 2 / P), below, wide, room))
    return both(*sides)


@cache
def nearer_by_the_limiting_map() -> Theorem:
    """|g(y) - h| <= (1 - delta) |y - h| for delta = 2 h/(5 w)."""
    given = (*SECANTS[2:], *INSIDE[:2], LARGE, *HEIGHT)
    sizes = joint(
        Compare(2 * sigma, "<=", 3 * w) & Compare(sigma, ">", y) & Compare(h, "<", w), given=given
    )
    product = joint(
        Compare((y + w - sigma - h) * (sigma + w), "=", (y - h) * (sigma + w - y - h)), given=given
    )
    share = 2 * h / (5 * w)
    scaled = joint(Compare(share * (sigma + w), "<=", y + h), sizes, given=given[2:])
    factor = joint(
        Compare(sigma + w - y - h, ">=", 0)
        & Compare(sigma + w - y - h, "<=", (1 - share) * (sigma + w)), sizes, scaled,
    )  # fmt: skip
    sides = []
    gap = Compare(y - h, "<=", e), Compare(h - y, "<=", e)
    for side in (1, -1):
        above = joint(
            Compare(side * (y - h) * (sigma + w - y - h), "<=", e * (sigma + w - y - h)), factor,
            given=gap,
        )  # fmt: skip
        sign = joint(Compare(e, ">=", 0), given=gap)
        more = joint(
            Compare(e * (sigma + w - y - h), "<=", e * ((1 - share) * (sigma + w))), factor, sign
        )
        sides.append(
            joint(Compare(side * (y + w - sigma - h), "<=", (1 - share) * e), above, more, product,
                  given=(SECANTS[2], LARGE))
        )  # fmt: skip
    return both(*sides)


def now() -> dict[Symbol, Any]:
    """The tokens of a layer, for the symbols."""
    return {P: RATIO, y: Y, h: H, rho: 1 / a, sigma: -1 / x}


@cache
def secants() -> Theorem:
    """1/a and -1/x are the square roots of 1 + P^2 and 1 + y^2, and 0 <= y <= w."""
    goals = [formula.substitute(now()) for formula in (*SECANTS, *INSIDE[:2])]
    parts = [joint(goal, *(held(k) for k in (0, 1, 2, 3, 4, 5, 6))) for goal in goals]
    return both(*parts)


@cache
def one_layer() -> Theorem:
    """|y' - h| <= (1 - delta) e + 2/P for |y - h| <= e."""
    slope = joint(
        Compare((c + z) / (a + x) * (1 / a + 1 / x), "=", Y / a + RATIO / x), held(0), held(1), held(3),
        next_ratio(),
    )  # fmt: skip
    known = secants(), late(), slope, height(), assume(LARGE)
    off, near = (
        cut(substitute(lemma, {**now(), q: (c + z) / (a + x)}), *known)
        for lemma in (near_the_limiting_map(), nearer_by_the_limiting_map())
    )
    goal = both_sides(THEN - H, (1 - DELTA) * e + 2 / RATIO)
    return cut(joint(goal, off, near, next_ratio()), next_ratio())


def both_sides(term: Any, bound: Any) -> Formula:
    return Compare(term, "<=", bound) & Compare(-term, "<=", bound)


# All layers ----------------------------------------------------------------------------------------


@cache
def sums_up() -> Theorem:
    """(1 - delta) K/Q + 2/P <= K/(Q + w) for Q = P + s."""
    Q = Symbol("Q", real=True)
    given = (
        Compare(delta, ">", 0), Compare(delta, "<=", Integer(2) / 5), Compare(shift * delta, "=", 2 * w),
        Compare(Q, "=", P + shift), Compare(P, ">=", 3 * w), LARGE,
        Compare(most * delta**2, ">=", 12),
    )  # fmt: skip
    positive = joint(
        Compare(shift, ">", 0) & Compare(Q, ">", 0) & Compare(P, ">", 0) & Compare(Q, ">=", w)
        & Compare(most, ">", 0) & Compare(Q * delta, ">=", 2 * w), given=given,
    )  # fmt: skip
    # 2/P <= 3/(delta Q)
    scaled = joint(Compare(2 * delta * shift, "<=", Integer(4) / 3 * P), given=given)
    wide = joint(Compare(2 * delta * Q, "<=", 3 * P), scaled, positive, given=given[:5])
    first = joint(Compare(2 / P, "<=", 3 / (delta * Q)), wide, positive, given=given[:1])
    # (1 - delta) (Q + w) <= Q - delta Q/2
    shrunk = joint(
        Compare((1 - delta) * (Q + w), "<=", Q - delta * Q / 2), positive, given=(given[0], LARGE)
    )
    carried = joint(
        Compare(most * ((1 - delta) * (Q + w)), "<=", most * (Q - delta * Q / 2)), shrunk, positive
    )
    large = joint(Compare(3 / delta, "<=", most * delta / 4), given=(given[0], given[-1]))
    added = joint(
        Compare(3 / delta * (Q + w), "<=", most * delta * Q / 2),
        joint(Compare(3 / delta * (Q + w), "<=", most * delta / 4 * (Q + w)), large, positive,
              given=(LARGE,)),
        joint(Compare(most * delta / 4 * (Q + w), "<=", most * delta / 4 * (2 * Q)), positive,
              given=given[:1]),
    )  # fmt: skip
    whole = joint(
        Compare(((1 - delta) * most + 3 / delta) * (Q + w), "<=", most * Q), carried, added
    )
    divided = joint(
        Compare((1 - delta) * (most / Q) + 3 / (delta * Q), "<=", most / (Q + w)), whole, positive,
        given=(given[0], LARGE),
    )  # fmt: skip
    goal = Compare((1 - delta) * (most / Q) + 2 / P, "<=", most / (Q + w))
    return substitute(joint(goal, first, divided), {Q: P + shift})


@cache
def constants() -> Theorem:
    """0 < delta <= 2/5, s delta = 2 w, K delta^2 >= 12 and K >= w (p + 2 w + s)."""
    small = joint(Compare(DELTA, ">", 0) & Compare(DELTA, "<=", Integer(2) / 5), height(),
                  given=(LARGE,))  # fmt: skip
    given = (Compare(delta, ">", 0), LARGE, FAR)
    begun = w * (P0 + 2 * w + 2 * w / delta)
    positive = joint(
        Compare(2 * w / delta, ">", 0) & Compare(2 * w / delta * delta, "=", 2 * w), given=given
    )
    more = joint(Compare(begun, ">", 0), positive, given=given)
    start = Symbol("k", real=True)
    square = Compare(start, ">", 0), given[0]
    added = both(
        joint(Compare((start + 12 / delta**2) * delta**2, ">=", 12), given=square),
        joint(Compare(start + 12 / delta**2, ">=", start), given=square),
    )
    added = cut(substitute(added, {start: begun}), more)
    return both(small, cut(substitute(both(positive, added), {delta: DELTA}), small))


def near(bound: Any) -> Formula:
    return both_sides(Y - H, bound)


@cache
def gap_falls() -> Theorem:
    """For all layers from the second on: |y - h| <= K/(P + s)."""
    case = near(MOST / (RATIO + SHIFT))
    step = cut(substitute(one_layer(), {e: MOST / (RATIO + SHIFT)}), assume(case))
    values = {delta: DELTA, shift: SHIFT, P: RATIO, most: MOST}
    sums = cut(substitute(sums_up(), values), constants(), late(), assume(LARGE))
    following = case.substitute({layer: layer + 1})
    here, then = RATIO + SHIFT + w, RATIO.subs(layer, layer + 1) + SHIFT
    same = replaced(MOST / r, r, joint(Compare(here, "=", then)))
    given = (both_sides(v, below), Compare(below, "<=", above), Compare(above, "=", most))
    names = {
        v: THEN - H, below: (1 - DELTA) * (MOST / (RATIO + SHIFT)) + 2 / RATIO, above: MOST / here,
        most: MOST / then,
    }  # fmt: skip
    step = joint(following, algebra(both_sides(v, most), given, names, step, sums, same))
    step = trapped(step)
    there = instance(every_layer(), Integer(2))
    at_two = {layer: Integer(2)}
    inside = cut(substitute(secants(), at_two), there)
    begun = joint(near(w).substitute(at_two), inside, height(), given=(LARGE,))
    ratio = algebra(
        Compare(w, "<=", most / r), (Compare(most, ">=", w * r), Compare(r, ">", 0)),
        {most: MOST, r: P0 + 2 * w + SHIFT}, constants(),
        joint(Compare(P0 + 2 * w + SHIFT, ">", 0), constants(), given=(LARGE, FAR)),
    )  # fmt: skip
    start = joint(case.substitute(at_two), begun, ratio)
    return induction(start, step, layer, 2)


# Limits --------------------------------------------------------------------------------------------

_part = Symbol("u", real=True)


def vanishing(start: Any, *positive: Theorem) -> Theorem:
    """1/(start + w t) -> 0."""
    k, slope = Symbol("k", positive=True), Symbol("a", positive=True)
    tends = substitute(limit(1 / (k + slope * layer), layer), {k: start, slope: w})
    return cut(tends, *positive, joint(Compare(w, ">", 0), given=(LARGE,)))


def read(token: int, b: int) -> Theorem:
    return unfold(claims.coordinate(layer, token, b), pair(layer, token, b), DOMAIN, LAYERS)


def trapped(theorem: Theorem) -> Theorem:
    """A theorem about one layer from the second on, in the trapping region."""
    there = cut(theorem, instance(every_layer(), layer))
    return cut(there, joint(Compare(layer, ">=", 0), assume(LATE)), assume(LATE))


def squeeze(token: int, b: int, low: Theorem, high: Theorem, close: Theorem) -> Theorem:
    """A coordinate between two sequences with one limit, from layer 2 on."""
    value, known = claims.coordinate(layer, token, b), read(token, b)
    sides = (
        joint(Compare(low.formula.term, "<=", value), close, known),
        joint(Compare(value, "<=", high.formula.term), close, known),
    )
    under, over = (generalise(trapped(side), layer, 2, oo) for side in sides)
    return squeezed(under, over, low, high)


def first_token() -> tuple[Theorem, Theorem]:
    """0 < X_{1,1} <= 1/P and 1 - 1/P^2 <= X_{1,2} <= 1."""
    A, C = symbols("A C", real=True)
    given = (
        Compare(A, ">", 0), Compare(C, "=", q * A), Compare(A**2 + C**2, "=", 1), Compare(q, ">", 1),
    )  # fmt: skip
    below = joint(Compare(C, "<=", 1) & Compare(C, ">", 0), given=given)
    thin = joint(Compare(A, "<=", 1 / q), below, given=given)
    square = joint(Compare(A**2 * q**2, "<=", 1), given=given[1:3])
    flat = joint(Compare(A**2, "<=", (1 / q) ** 2), square, given=given[3:])
    high = joint(Compare(1 - (1 / q) ** 2, "<=", C), flat, below, given=given[2:3])
    far = joint(Compare(RATIO, ">", 1), late(), given=(LARGE,))
    lemma = both(joint(Compare(0, "<=", A), given=given[:1]), thin, high, below)
    close = cut(substitute(lemma, {A: a, C: c, q: RATIO}), held(0), held(1), held(2), far)
    small = vanishing(P0, joint(Compare(P0, ">", 0), given=(LARGE, FAR)))
    one = squeeze(1, 1, limit(Integer(0), layer), small, close)
    lower = limit_combined(1 - _part**2, {_part: small})
    other = squeeze(1, 2, lower, limit(Integer(1), layer), close)
    return one, other


def beyond() -> Theorem:
    """P + s > 0."""
    return joint(Compare(RATIO + SHIFT, ">", 0), late(), constants(), given=(LARGE,))


def rate() -> Theorem:
    """(P + s) |y - h| <= K."""
    gap = cut(instance(gap_falls(), layer), assume(LATE))
    given = (both_sides(v, most / r), Compare(r, ">", 0))
    found = algebra(
        Compare(r * Abs(v), "<=", most),
        given,
        {v: Y - H, r: RATIO + SHIFT, most: MOST},
        gap,
        beyond(),
    )
    quotient = unfold(claims.ratio_after(layer), Y, DOMAIN, LAYERS)
    written = Compare((RATIO + SHIFT) * Abs(claims.ratio_after(layer) - H), "<=", MOST)
    nonzero = joint(Compare(x, "<", 0), held(3))
    return generalise(trapped(cut(joint(written, found, quotient), nonzero)), layer, 2, oo)


def second_token() -> tuple[Theorem, Theorem]:
    """|X_{2,1} + 1/w| <= G and |X_{2,2} + h/w| <= 2 G for |y - h| <= G = K/(P + s)."""
    bound = MOST / (RATIO + SHIFT)
    gap = cut(instance(gap_falls(), layer), assume(LATE))
    positive = joint(Compare(P0 + SHIFT, ">", 0), constants(), given=(LARGE, FAR))
    small = vanishing(P0 + SHIFT, positive)
    token = joint(Compare(x * (-1 / x), "=", -1) & Compare(z, "=", Y * x), held(3))
    ends = []
    for b, (lemma, end, times) in enumerate(zip(near_b(), (-1 / w, -TOP), (1, 2), strict=True), 1):
        named = {half.y: Y, half.s: -1 / x, half.h: H, half.gain: bound, half.A: x, half.B: z}
        close = both(
            cut(substitute(lemma, named), secants(), height(), gap, token, assume(LARGE)), top()
        )
        low, high = (
            limit_combined(end + way * times * MOST * _part, {_part: small}) for way in (-1, 1)
        )
        ends.append(squeeze(2, b, low, high, cut(close, beyond())))
    one, other = ends
    return one, other


def angle(first: tuple[Theorem, ...], second: tuple[Theorem, ...]) -> Theorem:
    """sin^2 = (X_{1,1} X_{2,2} - X_{1,2} X_{2,1})^2."""
    names = symbols("x11 x12 x21 x22", real=True)
    x11, x12, x21, x22 = names
    tends = limit_combined(
        (x11 * x22 - x12 * x21) ** 2, dict(zip(names, (*first, *second), strict=True))
    )
    area = unfold(sine_square(layer), (a * z - c * x) ** 2, DOMAIN, LAYERS)
    reads = [read(token, b) for token in (1, 2) for b in (1, 2)]
    equal = joint(Compare(sine_square(layer), "=", tends.formula.term), area, *reads)
    return limit_rewritten(tends, generalise(trapped(equal), layer, 2, oo))


@proves(claims.both_tokens_converge_to_an_equilibrium_of_rank_two)
def by_a_vanishing_disturbance(claim: Claim) -> Certificate:
    """The second token's ratio contracts to h, up to a disturbance of 2/P that the first token leaves."""
    first, second = first_token(), second_token()
    theorem = cut(both(*first, *second, angle(first, second), rate()), *of_the_tokens())
    return conclude(claim, theorem, method=r"contraction with a disturbance of order $1/t$")
