r"""Where the second token goes beside the pole (0, 1): limits of its coordinates, from rates of their ratio.

With $y=X_{2,2}/X_{2,1}$ and $s=\sqrt{1+y^2}$ the token is $\pm(1,y)/s$: near B where y is near h, and near
the pole (0, 1) where y is large (`half_circles`).
"""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Abs, Integer, Symbol, acos, cos, oo, pi, sqrt, symbols

from claims.model import Claim
from claims.statement import Compare, ForAll, Implies
from claims.wu2024 import arcs as claims
from claims.wu2024.notation import t, w
from claims.wu2024.plane import x21, x22
from proofs.calculation import conjuncts
from proofs.certificate import Certificate, Checked
from proofs.conclude import conclude
from proofs.facts import GEOMETRIC
from proofs.kernel import (
    Theorem,
    assume,
    both,
    cut,
    discharge,
    fact,
    generalise,
    instance,
    joint,
    limit,
    limit_combined,
    squeezed,
    substitute,
    unfold,
)
from proofs.registry import proves
from proofs.wu2024.half_circles import (
    DOMAIN,
    KNOWN,
    LARGE,
    LAYERS,
    LEFT,
    RIGHT,
    START,
    TOP,
    UNIT,
    A,
    B,
    H,
    Y,
    a,
    b,
    escaped,
    fallen,
    falling,
    gain,
    h,
    height,
    keeps_its_side,
    m,
    nonzero,
    on_the_left,
    q,
    read,
    runs_right,
    s,
    secant,
    sigma,
    stays,
    token,
    top,
    y,
)
from proofs.wu2024.plane import is_zero

# Coordinates ---------------------------------------------------------------------------------------


@cache
def near_b() -> tuple[Theorem, Theorem]:
    """|X_{2,1} + 1/w| <= G and |X_{2,2} + h/w| <= 2 G for |y - h| <= G."""
    within = (Compare(y - h, "<=", gain), Compare(h - y, "<=", gain))
    token_ = (Compare(A * s, "=", -1), Compare(B, "=", y * A))
    longer = joint(Compare(s, ">", y) & Compare(s, ">", -y) & Compare(s, ">=", 1), given=KNOWN)
    shorter = joint(Compare(h, "<", w), given=KNOWN)
    product = joint(Compare((s - w) * (s + w), "=", (y - h) * (y + h)), given=KNOWN)
    inside = joint(Compare(y + h, "<", s + w) & Compare(-y - h, "<", s + w), longer, shorter,
                   given=KNOWN)  # fmt: skip
    sides = []
    for side in (1, -1):
        below = joint(Compare(side * (y - h) * (y + h), "<=", gain * (s + w)), inside, given=within)
        sides.append(joint(Compare(side * (s - w), "<=", gain), below, product, inside))
    close = both(*sides)
    big = joint(Compare(s * w, ">=", 1), longer, given=(LARGE,))
    first = joint(Compare((A + 1 / w) * (s * w), "=", s - w), given=(*token_, LARGE))
    second = joint(
        Compare((B + h / w) * (s * w), "=", h * (s - w) - w * (y - h)), given=(*token_, LARGE)
    )
    sign = joint(Compare(gain, ">=", 0), given=within)
    ones = [
        joint(Compare(side * (A + 1 / w), "<=", gain), first, close, big, sign) for side in (1, -1)
    ]
    wide = joint(Compare(2 * w * gain, "<=", 2 * gain * (s * w)), longer, sign, given=(LARGE,))
    twos = []
    for side in (1, -1):
        raw = joint(
            Compare(side * (h * (s - w) - w * (y - h)), "<=", 2 * w * gain), close, shorter, sign,
            given=(*within, KNOWN[2], LARGE),
        )  # fmt: skip
        twos.append(joint(Compare(side * (B + h / w), "<=", 2 * gain), second, raw, wide, big))
    return both(*ones), both(*twos)


# From ratios to coordinates --------------------------------------------------------------------------

_D = Symbol("D", real=True)
_powers = Symbol("p", real=True)


def vanishing(rate: Any, *inside: Theorem) -> Theorem:
    """q^t -> 0."""
    return cut(fact(GEOMETRIC, q=rate, k=t), *inside)


def _squeeze(
    k: int, low: Theorem, high: Theorem, below: Theorem, above: Theorem, first: int = 0
) -> Theorem:
    """A coordinate between two sequences with one limit."""
    value = claims.coordinate(t, k)
    sides = (
        joint(Compare(low.formula.term, "<=", value), below, read(k)),
        joint(Compare(value, "<=", high.formula.term), above, read(k)),
    )
    late = assume(Compare(t, ">=", first))
    under, over = (generalise(cut(side, late), t, first, oo) for side in sides)
    return squeezed(under, over, low, high)


def near_and_nearer(side: int, share: Any, *sign: Theorem) -> tuple[Theorem, Theorem]:
    """Rates of the ratio and limits of the coordinates, toward B from one side."""
    rate, first = 1 - share, side * (START - H)
    every = cut(substitute(fallen(side, share), {q: rate}), *sign)
    held = instance(every, t)
    most = rate**t * first
    gap = side * (claims.ratio_after(t) - H)
    quotient = unfold(claims.ratio_after(t), Y, DOMAIN, LAYERS)
    near = both(
        joint(Compare(0, "<=", gap), held, quotient),
        joint(Compare(gap, "<=", most), held, quotient),
    )
    rates = generalise(cut(near, nonzero()), t, 0, oo)
    known = joint(Compare(Y - H, "<=", most) & Compare(H - Y, "<=", most), held)
    token_ = joint(Compare(a * (-1 / a), "=", -1) & Compare(b, "=", Y * a), nonzero())
    ends = []
    for k, (lemma, end, times) in enumerate(zip(near_b(), (-1 / w, -TOP), (1, 2), strict=True), 1):
        close = cut(on_the_left(lemma, {gain: most, A: a, B: b}, known, token_), nonzero())
        low, high = (
            limit_combined(end + way * times * first * _powers, {_powers: vanishing(rate, *sign)})
            for way in (-1, 1)
        )
        close = both(close, top())
        ends.append(_squeeze(k, low, high, close, close))
    return rates, both(*ends)


def pole_limits(shrinking: Theorem, close: Theorem, first: int = 0) -> Theorem:
    """Both coordinates where |X_{2,1}| <= e(t) with e -> 0, X_{2,2} > 0 and unit norm, which `close` says."""
    small = shrinking.formula.term
    low, up = (limit_combined(way * _powers, {_powers: shrinking}) for way in (-1, 1))
    x_ = _squeeze(1, low, up, close, close, first)
    given = (
        Compare(-_D, "<=", A), Compare(A, "<=", _D), Compare(B, ">", 0), Compare(A**2 + B**2, "=", 1)
    )  # fmt: skip
    lemma = joint(Compare(1 - _D**2, "<=", B) & Compare(B, "<=", 1), given=given)
    high = cut(substitute(lemma, {_D: small, A: a, B: b}), close)
    below = limit_combined(1 - _powers**2, {_powers: shrinking})
    z_ = _squeeze(2, below, limit(Integer(1), t), high, high, first)
    return both(x_, z_)


def away_from_a() -> tuple[Theorem, Theorem]:
    """On the left half above A: the rate, and the limits."""
    rate, first = w / (w + H), -H - START
    sign = joint(
        Compare(rate, ">", 0) & Compare(rate, "<", 1) & Compare(rate * (w + H), "=", w), height(),
        given=(LARGE,),
    )  # fmt: skip
    held = instance(cut(substitute(escaped(), {falling: rate}), sign), t)
    quotient = unfold(claims.ratio_after(t), Y, DOMAIN, LAYERS)
    far = Compare(Abs(START + H), "<=", rate**t * Abs(claims.ratio_after(t) + H))
    above = Compare(first, ">", 0)
    rates = generalise(cut(joint(far, held, quotient, given=(above,)), nonzero()), t, 0, oo)
    d, e, p = symbols("d e p", real=True)
    steep = joint(
        Compare(1 / s, "<=", p / e),
        joint(Compare(s, ">", d), given=(*KNOWN[:2], Compare(d, "<=", -y), Compare(d, ">", 0))),
        given=(Compare(e, "<=", p * d), Compare(e, ">", 0), Compare(d, ">", 0)),
    )  # fmt: skip
    gap = -H - Y
    below = joint(Compare(gap, "<=", -Y), height())
    values = {s: -1 / a, y: Y, d: gap, e: first, p: rate**t}
    near = cut(substitute(steep, values), secant(-1), below, held, assume(above))
    most = rate**t / first
    side = instance(keeps_its_side(-1), t)
    upward = joint(Compare(b, ">", 0), joint(Compare(Y, "<", 0), held, height()), side)
    close = joint(
        Compare(-most, "<=", a) & Compare(a, "<=", most) & Compare(b, ">", 0)
        & Compare(a**2 + b**2, "=", 1), near, upward, side,
    )  # fmt: skip
    shrinking = limit_combined(_powers / first, {_powers: vanishing(rate, sign)})
    return rates, pole_limits(shrinking, cut(close, nonzero()))


def along_the_right() -> tuple[Theorem, Theorem]:
    """On the right half: the rate, and the limits."""
    quotient = unfold(claims.ratio_after(t + 1), token(t + 1, 2) / token(t + 1, 1), DOMAIN, LAYERS)
    held = instance(runs_right(), t)
    steadily = Compare(claims.ratio_after(t + 1), ">=", w + (w + 1) * t)
    there = joint(Compare(token(t + 1, 1), "!=", 0), instance(keeps_its_side(1), t + 1))
    rates = generalise(cut(joint(steadily, held, quotient), there), t, 0, oo)
    late = Compare(t, ">=", 1)
    before = instance(runs_right(), t - 1)
    far = joint(Compare(Y, ">=", w * t), before, given=(late, LARGE))
    lemma = joint(
        Compare(1 / s, "<=", 1 / q), joint(Compare(s, ">", y), given=KNOWN[:2]),
        given=(Compare(q, "<=", y), Compare(q, ">", 0)),
    )  # fmt: skip
    room = joint(Compare(w * t, ">", 0), given=(late, LARGE))
    near = cut(substitute(lemma, {s: 1 / a, y: Y, q: w * t}), secant(1), far, room)
    side = instance(keeps_its_side(1), t)
    upward = joint(Compare(b, ">", 0), joint(Compare(Y, ">", 0), far, room), side)
    close = joint(
        Compare(-1 / (w * t), "<=", a) & Compare(a, "<=", 1 / (w * t)) & Compare(b, ">", 0)
        & Compare(a**2 + b**2, "=", 1), near, upward, side, room,
    )  # fmt: skip
    slope = Symbol("k", positive=True)
    positive = joint(Compare(w, ">", 0), given=(LARGE,))
    shrinking = cut(substitute(limit(1 / (slope * t), t), {slope: w}), positive)
    nonzero_ = joint(Compare(a, "!=", 0), side)
    return rates, pole_limits(shrinking, cut(close, nonzero_, assume(late)), 1)


def at_the_pole() -> Theorem:
    """The token (0, 1) stays."""
    given = (Compare(x21, "=", 0), Compare(x22, "=", 1))
    held = instance(stays(Integer(0), Integer(1), 2, *given), t)
    ends = []
    for k, value in ((1, Integer(0)), (2, Integer(1))):
        line = limit(value, t)
        ends.append(_squeeze(k, line, line, held, held))
    upper = joint(given[1], given=(given[0], UNIT, Compare(x22, ">", -1)))
    return cut(both(*ends), upper)


# The claim -----------------------------------------------------------------------------------------


@cache
def above_or_below_a() -> Theorem:
    """On the left half the ratio is above -h where X_{2,2} < h/w, and below it where X_{2,2} > h/w."""
    given = (
        Compare(A, "<", 0), Compare(A**2 + B**2, "=", 1), Compare(h, ">", 0),
        Compare(h**2, "=", w**2 - 1), LARGE,
    )  # fmt: skip
    square = joint(Compare(B**2 - (h * A) ** 2, "=", (w * B) ** 2 - h**2), given=given)
    low = joint(Implies(Compare(w * B, "<", h), Compare(B, "<", -h * A)), square, given=given)
    high = joint(Implies(Compare(w * B, ">", h), Compare(B, ">", -h * A)), square, given=given)
    found = cut(substitute(both(low, high), {A: x21, B: x22, h: H}), height())
    return joint(
        Implies(Compare(x22, "<", TOP), Compare(START, ">", -H))
        & Implies(Compare(x22, ">", TOP), Compare(START, "<", -H)),
        found, top(), given=(LEFT, LARGE),
    )  # fmt: skip


def toward_b(wanted: Implies) -> Theorem:
    """From the open arc: from either side of h."""
    share = (H + START) / (w + sqrt(1 + START**2))
    at_b = joint(Compare(1 - H / w, ">=", 0) & Compare(1 - H / w, "<", 1), height(), given=(LARGE,))
    parts = []
    for theorems, case in (
        (near_and_nearer(1, H / w, at_b), Compare(START, ">=", H)),
        (near_and_nearer(-1, share, share_is_small(share)), Compare(START, "<", H)),
    ):
        weak = joint(
            Compare((1 if case.sign == ">=" else -1) * (START - H), ">=", 0), given=(case,)
        )
        parts += [discharge(cut(theorem, weak), case) for theorem in theorems]
    premise = wanted.premise
    found = joint(wanted.conclusion, *parts)
    known = joint(
        LEFT & Compare(START, ">", -H), above_or_below_a(), assume(premise), given=(LEFT,)
    )
    there = cut(known, joint(LEFT, assume(premise)))
    return discharge(cut(found, there, assume(LARGE)), premise)


def share_is_small(share: Any) -> Theorem:
    """0 <= 1 - share < 1 for a ratio between -h and h."""
    given = (
        Compare(sigma, ">", 0), Compare(sigma**2, "=", 1 + m**2), Compare(m, ">", -h),
        Compare(h, ">", 0), Compare(h, "<", w),
    )  # fmt: skip
    room = joint(Compare(sigma, ">", m), given=given)
    part_ = (h + m) / (w + sigma)
    lemma = joint(Compare(1 - part_, ">=", 0) & Compare(1 - part_, "<", 1), room, given=given)
    root = joint(Compare(sqrt(1 + m**2), ">", 0) & Compare(sqrt(1 + m**2) ** 2, "=", 1 + m**2))
    put_in = cut(substitute(lemma, {sigma: sqrt(1 + m**2)}), root)
    return cut(substitute(put_in, {m: START, h: H}), height())


def toward_the_pole(wanted: Implies) -> Theorem:
    """Elsewhere: on the left above A, on the right, or at the pole."""
    premise = wanted.premise
    up = cut(
        joint(Compare(-H - START, ">", 0), above_or_below_a(), assume(premise), top(),
              given=(LEFT, UNIT, LARGE)), assume(UNIT)
    )  # fmt: skip
    off = [joint(Compare(x21, "!=", 0), given=(half,)) for half in (LEFT, RIGHT)]
    left = [discharge(cut(theorem, up, off[0]), LEFT) for theorem in away_from_a()]
    right = [discharge(cut(theorem, off[1]), RIGHT) for theorem in along_the_right()]
    still = discharge(at_the_pole(), Compare(x21, "=", 0))
    return discharge(joint(wanted.conclusion, *left, *right, still), premise)


def stays_at_a(wanted: Implies) -> Theorem:
    """A is stationary."""
    premise = wanted.premise
    given = (Compare(x21, "=", -1 / w), Compare(x22, "=", TOP), LARGE)
    held = instance(stays(-1 / w, TOP, Integer(1), *given), t)
    every = wanted.conclusion
    assert isinstance(every, ForAll)
    body = joint(every.body, held, read(1), read(2))
    height_ = joint(
        given[0] & given[1], joint(Compare(x22**2, "=", TOP**2), assume(premise), given=(UNIT, LARGE)),
        top(), assume(premise),
    )  # fmt: skip
    return discharge(cut(generalise(body, t, 0, oo), height_), premise)


@proves(claims.second_token_tends_to_b_below_a)
def by_rates_on_either_half(claim: Claim) -> Certificate:
    """One layer acts on the ratio; its gaps to A and to B are multiplied by factors that are bounded."""
    at_a, below_a, elsewhere = conjuncts(claims.second_token_tends_to_b_below_a.formula)
    theorem = both(stays_at_a(at_a), toward_b(below_a), toward_the_pole(elsewhere))
    steps = (
        Checked(
            r"|\text{arc}|/2\pi=\tfrac14+\tfrac{\arccos(1/w)}{2\pi}",
            r"$A$ is at the angle $\arccos(1/w)$ from $(-1,0)$",
            arc,
        ),
    )
    return conclude(claim, theorem, steps=steps, method="rates in the ratio of the coordinates")


def arc() -> bool:
    """A stands at the angle arccos(1/w) above (-1, 0), and (0, -1) at pi/2 below it."""
    weight = sqrt(1 + Symbol("h", positive=True) ** 2)
    angle = acos(1 / weight)
    return is_zero(
        cos(pi - angle) + 1 / weight, (pi / 2 + angle) / (2 * pi) - (1 + 2 * angle / pi) / 4
    )
